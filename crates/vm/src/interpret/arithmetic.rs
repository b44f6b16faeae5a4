//! Arithmetic beyond ints and floats of one kind.

use crate::number::{self, Arithmetic};
use crate::throw::Thrown;
use crate::value::Value;

/// The whole rule, out of line.
#[cold]
#[inline(never)]
pub(super) fn calculate(op: Arithmetic, left: &Value, right: &Value) -> Result<Value, Thrown> {
    number::calculate(op, left, right)
}

/// The quotient of ints where it is an int.
#[inline(always)]
pub(super) fn exact_quotient(a: i64, b: i64) -> Option<i64> {
    match a.checked_rem(b) {
        Some(0) => a.checked_div(b),
        _ => None,
    }
}

/// The quotient of floats; none for a zero divisor.
#[inline(always)]
pub(super) fn quotient(a: f64, b: f64) -> Option<f64> {
    (b != 0.0).then(|| a / b)
}

/// The remainder of ints; none for a zero divisor.
#[inline(always)]
pub(super) fn remainder(a: i64, b: i64) -> Option<i64> {
    if b == 0 { None } else { Some(a.wrapping_rem(b)) }
}
