//! Stable merge sort that takes any answer of a comparison: it always ends and loses nothing, however inconsistent a
//! script's comparison is, and it stops at the first error.

use std::cmp::Ordering;
use vm::compare::order;
use vm::{Thrown, Value};

/// Sorts by `<`. NaN is equal to everything.
///
/// # Errors
/// Values that `<` does not compare.
pub(super) fn by_order(items: Vec<Value>) -> Result<Vec<Value>, Thrown> {
    if items.iter().all(|item| item.as_int().is_some()) {
        return Ok(ints(items));
    }
    if items.iter().all(|item| item.as_str().is_some()) {
        return Ok(texts(items));
    }
    by(items, |a, b| Ok(order(a, b)? == Some(Ordering::Less)))
}

fn ints(mut items: Vec<Value>) -> Vec<Value> {
    items.sort_unstable_by_key(|item| item.as_int());
    items
}

fn texts(mut items: Vec<Value>) -> Vec<Value> {
    items.sort_by(|a, b| match (a.as_str(), b.as_str()) {
        (Some(a), Some(b)) => a.as_bytes().cmp(b.as_bytes()),
        _ => Ordering::Equal,
    });
    items
}

/// Sorts by a comparison that says whether the first value belongs before the second.
///
/// # Errors
/// What the comparison throws.
pub(super) fn by(
    mut items: Vec<Value>,
    mut is_less: impl FnMut(&Value, &Value) -> Result<bool, Thrown>,
) -> Result<Vec<Value>, Thrown> {
    let mut width = 1;
    while width < items.len() {
        let mut merged = Vec::with_capacity(items.len());
        for pair in items.chunks_mut(width.saturating_mul(2)) {
            let (left, right) = pair.split_at_mut(width.min(pair.len()));
            merge(left, right, &mut merged, &mut is_less)?;
        }
        items = merged;
        width = width.saturating_mul(2);
    }
    Ok(items)
}

fn merge(
    left: &mut [Value],
    right: &mut [Value],
    merged: &mut Vec<Value>,
    is_less: &mut impl FnMut(&Value, &Value) -> Result<bool, Thrown>,
) -> Result<(), Thrown> {
    let mut left = left.iter_mut().peekable();
    let mut right = right.iter_mut().peekable();
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        let next = if is_less(b, a)? { right.next() } else { left.next() };
        merged.extend(next.map(Value::take));
    }
    merged.extend(left.chain(right).map(Value::take));
    Ok(())
}
