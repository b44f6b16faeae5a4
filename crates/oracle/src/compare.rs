//! Truth, equality and order of values.

use std::cmp::Ordering;
use std::rc::Rc;
use vm::{Function, FunctionKind, Thrown, Value, View};

/// Values nested deeper cannot be compared.
const MAX_DEPTH: usize = 1000;

/// False for `false`, `0`, `0.0`, `""`, `"0"`, `null` and empty arrays; true for everything else.
pub(crate) fn is_true(value: &Value) -> bool {
    match value.view() {
        View::Null => false,
        View::Bool(value) => value,
        View::Int(value) => value != 0,
        View::Float(value) => value != 0.0,
        View::Str(text) => text.as_bytes() != b"" && text.as_bytes() != b"0",
        View::List(list) => !list.is_empty(),
        View::Map(map) => !map.is_empty(),
        View::Struct(_) | View::Function(_) | View::Handle(_) => true,
    }
}

/// `==`: by content; never across kinds, except int with float and the empty list with the empty map.
///
/// # Errors
/// Values nested too deep.
pub(crate) fn equals(left: &Value, right: &Value) -> Result<bool, Thrown> {
    equals_at(left, right, 0)
}

fn equals_at(left: &Value, right: &Value, depth: usize) -> Result<bool, Thrown> {
    if depth > MAX_DEPTH {
        return Err(Thrown::error(format!("Values nested deeper than {MAX_DEPTH} levels cannot be compared")));
    }
    Ok(match (left.view(), right.view()) {
        (View::Null, View::Null) => true,
        (View::Bool(left), View::Bool(right)) => left == right,
        (View::Int(left), View::Int(right)) => left == right,
        (View::Float(left), View::Float(right)) => left == right,
        (View::Int(int), View::Float(float)) | (View::Float(float), View::Int(int)) => {
            order_of_int_and_float(int, float) == Some(Ordering::Equal)
        }
        (View::Str(left), View::Str(right)) => left.as_bytes() == right.as_bytes(),
        (View::List(left), View::List(right)) => {
            left.len() == right.len() && all_equal(left.iter().zip(right.iter()), depth)?
        }
        (View::Map(left), View::Map(right)) => {
            left.len() == right.len() && {
                let mut equal = true;
                for (key, value) in left.iter() {
                    equal = match right.get(key.as_bytes()) {
                        Some(other) => equals_at(value, other, depth + 1)?,
                        None => false,
                    };
                    if !equal {
                        break;
                    }
                }
                equal
            }
        }
        (View::List(list), View::Map(map)) | (View::Map(map), View::List(list)) => list.is_empty() && map.is_empty(),
        (View::Struct(left), View::Struct(right)) => {
            left.name() == right.name() && all_equal(left.fields().iter().zip(right.fields()), depth)?
        }
        (View::Function(left), View::Function(right)) => same_function(left, right),
        (View::Handle(left), View::Handle(right)) => left.is_same(right),
        _ => false,
    })
}

/// True for one and the same function. A function that sees its own name sees itself in a new wrapping.
fn same_function(left: &Function, right: &Function) -> bool {
    match (left.kind(), right.kind()) {
        (FunctionKind::Foreign(left), FunctionKind::Foreign(right)) => {
            std::ptr::addr_eq(Rc::as_ptr(left), Rc::as_ptr(right))
        }
        _ => left.is_same(right),
    }
}

fn all_equal<'a>(pairs: impl Iterator<Item = (&'a Value, &'a Value)>, depth: usize) -> Result<bool, Thrown> {
    for (left, right) in pairs {
        if !equals_at(left, right, depth + 1)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The order of numbers, or of strings by bytes; none when one of them is NaN.
///
/// # Errors
/// Any other pair.
pub(crate) fn order(left: &Value, right: &Value) -> Result<Option<Ordering>, Thrown> {
    Ok(match (left.view(), right.view()) {
        (View::Int(left), View::Int(right)) => Some(left.cmp(&right)),
        (View::Float(left), View::Float(right)) => left.partial_cmp(&right),
        (View::Int(int), View::Float(float)) => order_of_int_and_float(int, float),
        (View::Float(float), View::Int(int)) => order_of_int_and_float(int, float).map(Ordering::reverse),
        (View::Str(left), View::Str(right)) => Some(left.as_bytes().cmp(right.as_bytes())),
        _ => {
            return Err(Thrown::error(format!(
                "Incomparable types: '<'/'>' only for number↔number and string↔string, got {} and {}",
                vm::text::describe(left),
                vm::text::describe(right)
            )));
        }
    })
}

/// Exact, also where a float cannot hold the int: the float's whole part is compared, then its fraction decides.
fn order_of_int_and_float(int: i64, float: f64) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    // A float outside of 128 bits stops at their ends, which are far outside of 64.
    let whole = float.floor();
    let by_whole = i128::from(int).cmp(&(whole as i128));
    Some(if by_whole == Ordering::Equal && float > whole { Ordering::Less } else { by_whole })
}

/// `<=>`: 0 for equal values, else -1 or 1 by [`order`]; 1 where there is none.
///
/// # Errors
/// As [`equals`] and [`order`].
pub(crate) fn three_way(left: &Value, right: &Value) -> Result<i64, Thrown> {
    if equals(left, right)? {
        return Ok(0);
    }
    Ok(if order(left, right)? == Some(Ordering::Less) { -1 } else { 1 })
}
