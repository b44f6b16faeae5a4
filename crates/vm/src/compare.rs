//! Truthiness, equality and order of values.

use crate::heap::map::Map;
use crate::throw::Thrown;
use crate::value::{Value, View};
use std::cmp::Ordering;

/// Deeper containers cannot be compared: a script can build values of any depth, the native stack has one.
pub const MAX_COMPARE_DEPTH: usize = 1000;

/// False for `false`, `0`, `0.0`, `""`, `"0"`, `null` and the empty list and map.
#[inline]
pub fn is_truthy(value: &Value) -> bool {
    match value.view() {
        View::Null => false,
        View::Bool(value) => value,
        View::Int(value) => value != 0,
        View::Float(value) => value != 0.0,
        View::Str(text) => !matches!(text.as_bytes(), b"" | b"0"),
        View::List(list) => !list.is_empty(),
        View::Map(map) => !map.is_empty(),
        View::Struct(_) | View::Function(_) | View::Handle(_) => true,
    }
}

/// `==`: by content, and never across kinds except int with float.
///
/// # Errors
/// Containers nested deeper than [`MAX_COMPARE_DEPTH`].
#[inline]
pub fn equals(left: &Value, right: &Value) -> Result<bool, Thrown> {
    nested_equals(left, right, 0)
}

fn nested_equals(left: &Value, right: &Value, depth: usize) -> Result<bool, Thrown> {
    if depth > MAX_COMPARE_DEPTH {
        let message = format!("Values nested deeper than {MAX_COMPARE_DEPTH} levels cannot be compared");
        return Err(Thrown::error(message));
    }
    Ok(match (left.view(), right.view()) {
        (View::Null, View::Null) => true,
        (View::Bool(a), View::Bool(b)) => a == b,
        (View::Int(a), View::Int(b)) => a == b,
        (View::Float(a), View::Float(b)) => a == b,
        (View::Int(a), View::Float(b)) | (View::Float(b), View::Int(a)) => int_to_float(a, b) == Some(Ordering::Equal),
        (View::Str(a), View::Str(b)) => a == b,
        (View::List(a), View::List(b)) => {
            if a.len() != b.len() {
                return Ok(false);
            }
            for (a, b) in a.iter().zip(b.iter()) {
                if !nested_equals(a, b, depth + 1)? {
                    return Ok(false);
                }
            }
            true
        }
        (View::Map(a), View::Map(b)) => maps_equal(a, b, depth)?,
        (View::List(list), View::Map(map)) | (View::Map(map), View::List(list)) => list.is_empty() && map.is_empty(),
        (View::Struct(a), View::Struct(b)) => {
            if a.def() != b.def() {
                return Ok(false);
            }
            for (a, b) in a.fields().iter().zip(b.fields()) {
                if !nested_equals(a, b, depth + 1)? {
                    return Ok(false);
                }
            }
            true
        }
        (View::Function(a), View::Function(b)) => a.is_same(b),
        (View::Handle(a), View::Handle(b)) => a.is_same(b),
        _ => false,
    })
}

fn maps_equal(a: &Map, b: &Map, depth: usize) -> Result<bool, Thrown> {
    if a.len() != b.len() {
        return Ok(false);
    }
    for (key, value) in a.iter() {
        match b.get_str(key) {
            Some(other) if nested_equals(value, other, depth + 1)? => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}

/// Order of an int and a float, exact also where the float cannot hold the int. None for NaN.
pub(crate) fn int_to_float(int: i64, float: f64) -> Option<Ordering> {
    const TWO_63: f64 = 9_223_372_036_854_775_808.0;
    if float.is_nan() {
        None
    } else if float >= TWO_63 {
        Some(Ordering::Less)
    } else if float < -TWO_63 {
        Some(Ordering::Greater)
    } else {
        let whole = float.trunc();
        Some(int.cmp(&(whole as i64)).then_with(|| whole.partial_cmp(&float).unwrap_or(Ordering::Equal)))
    }
}

/// Order for `<`, `<=`, `>`, `>=`: numbers with numbers, strings (by bytes) with strings. None when one is NaN.
///
/// # Errors
/// Any other pair.
#[inline]
pub fn order(left: &Value, right: &Value) -> Result<Option<Ordering>, Thrown> {
    Ok(match (left.view(), right.view()) {
        (View::Int(a), View::Int(b)) => Some(a.cmp(&b)),
        (View::Float(a), View::Float(b)) => a.partial_cmp(&b),
        (View::Int(a), View::Float(b)) => int_to_float(a, b),
        (View::Float(a), View::Int(b)) => int_to_float(b, a).map(Ordering::reverse),
        (View::Str(a), View::Str(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
        _ => {
            let (left, right) = (crate::text::describe(left), crate::text::describe(right));
            return Err(Thrown::error(format!(
                "Incomparable types: '<'/'>' only for number↔number and string↔string, got {left} and {right}"
            )));
        }
    })
}

/// `<=>`: 0 when `==`, else by [`order`]; with NaN 1.
///
/// # Errors
/// As [`equals`] and [`order`].
pub fn spaceship(left: &Value, right: &Value) -> Result<i64, Thrown> {
    if equals(left, right)? {
        return Ok(0);
    }
    Ok(match order(left, right)? {
        Some(Ordering::Less) => -1,
        Some(Ordering::Equal) => 0,
        Some(Ordering::Greater) | None => 1,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ints_and_floats_compare_exactly() {
        let big = 9_007_199_254_740_993;
        assert_eq!(int_to_float(big, 9_007_199_254_740_992.0), Some(Ordering::Greater));
        assert_eq!(int_to_float(i64::MAX, 9_223_372_036_854_775_808.0), Some(Ordering::Less));
        assert_eq!(int_to_float(i64::MIN, -9_223_372_036_854_775_808.0), Some(Ordering::Equal));
        assert_eq!(int_to_float(2, 2.5), Some(Ordering::Less));
        assert_eq!(int_to_float(-2, -2.5), Some(Ordering::Greater));
        assert_eq!(int_to_float(1, f64::NAN), None);
    }
}
