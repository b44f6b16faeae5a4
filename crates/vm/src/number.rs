//! Arithmetic on values: the whole rule, behind the engines' fast paths for ints and floats.

use crate::text::{is_decimal_int, parse_float, parse_int};
use crate::throw::Thrown;
use crate::value::{Value, View};

/// An operand of arithmetic.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Number {
    /// Exact.
    Int(i64),
    /// Binary floating point.
    Float(f64),
}

impl Number {
    /// The number as a float.
    #[inline(always)]
    pub fn to_float(self) -> f64 {
        match self {
            Self::Int(value) => value as f64,
            Self::Float(value) => value,
        }
    }

    /// The number without its fraction; floats beyond the range of ints stop at its ends, NaN is 0.
    pub fn to_int(self) -> i64 {
        match self {
            Self::Int(value) => value,
            Self::Float(value) => value as i64,
        }
    }
}

impl From<Number> for Value {
    fn from(number: Number) -> Self {
        match number {
            Number::Int(value) => Self::int(value),
            Number::Float(value) => Self::float(value),
        }
    }
}

/// The value as an operand: numbers, bools and strings that are decimal numbers from end to end.
///
/// # Errors
/// The message names what cannot be calculated with.
pub fn operand(value: &Value) -> Result<Number, Thrown> {
    match value.view() {
        View::Int(value) => Ok(Number::Int(value)),
        View::Float(value) => Ok(Number::Float(value)),
        View::Bool(value) => Ok(Number::Int(i64::from(value))),
        View::Str(text) => text_operand(text.as_bytes()),
        View::Null | View::List(_) | View::Map(_) | View::Struct(_) | View::Function(_) | View::Handle(_) => {
            Err(Thrown::error("Arithmetic on a non-numeric value (null/array/object)"))
        }
    }
}

fn text_operand(text: &[u8]) -> Result<Number, Thrown> {
    if text.is_empty() {
        return Err(Thrown::error("Arithmetic on an empty string"));
    }
    if let Some(value) = parse_int(text) {
        return Ok(Number::Int(value));
    }
    let shown: String = String::from_utf8_lossy(text).chars().take(60).collect();
    if is_decimal_int(text) {
        let message = format!("Arithmetic on a numeric string exceeding the int64 limit (bignum/ID): '{shown}'");
        return Err(Thrown::error(message));
    }
    // A number too small for a float would silently become zero, and one too large infinite.
    match parse_float(text) {
        Some(value) if value.is_finite() && (value != 0.0 || !has_nonzero_digit(text)) => Ok(Number::Float(value)),
        _ => Err(Thrown::error(format!("Arithmetic on a string that cannot be converted to a number: '{shown}'"))),
    }
}

fn has_nonzero_digit(text: &[u8]) -> bool {
    let mantissa = text.split(|byte| matches!(byte, b'e' | b'E')).next().unwrap_or(text);
    mantissa.iter().any(|byte| (b'1'..=b'9').contains(byte))
}

/// The operators that calculate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arithmetic {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Mod,
    /// `**`
    Pow,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
}

/// Calculates.
///
/// # Errors
/// An operand that is no number, a division by zero.
pub fn calculate(op: Arithmetic, left: &Value, right: &Value) -> Result<Value, Thrown> {
    use Number::{Float, Int};
    let (left, right) = (operand(left)?, operand(right)?);
    Ok(match op {
        Arithmetic::Add => exact(left, right, i64::checked_add, |a, b| a + b),
        Arithmetic::Sub => exact(left, right, i64::checked_sub, |a, b| a - b),
        Arithmetic::Mul => exact(left, right, i64::checked_mul, |a, b| a * b),
        Arithmetic::Div => match (left, right) {
            (_, Int(0)) => return Err(Thrown::error("Division by zero")),
            (_, Float(0.0)) => return Err(Thrown::error("Division by zero")),
            (Int(a), Int(b)) => divide(a, b),
            (a, b) => Value::float(a.to_float() / b.to_float()),
        },
        Arithmetic::Mod => match right.to_int() {
            0 => return Err(Thrown::error("Modulo by zero")),
            divisor => Value::int(left.to_int().wrapping_rem(divisor)),
        },
        Arithmetic::Pow => Value::float(left.to_float().powf(right.to_float())),
        Arithmetic::BitAnd => Value::int(left.to_int() & right.to_int()),
        Arithmetic::BitOr => Value::int(left.to_int() | right.to_int()),
        Arithmetic::BitXor => Value::int(left.to_int() ^ right.to_int()),
        Arithmetic::Shl => Value::int(shift_left(left.to_int(), right.to_int())),
        Arithmetic::Shr => Value::int(shift_right(left.to_int(), right.to_int())),
    })
}

fn exact(left: Number, right: Number, ints: fn(i64, i64) -> Option<i64>, floats: fn(f64, f64) -> f64) -> Value {
    if let (Number::Int(a), Number::Int(b)) = (left, right)
        && let Some(result) = ints(a, b)
    {
        return Value::int(result);
    }
    Value::float(floats(left.to_float(), right.to_float()))
}

/// Division of ints by a divisor that is not zero: an int when it comes out even.
pub(crate) fn divide(a: i64, b: i64) -> Value {
    match a.checked_rem(b) {
        Some(0) => Value::int(a / b),
        _ => Value::float(a as f64 / b as f64),
    }
}

/// Bits that leave the word are gone; a count below 0 or above 63 leaves none.
pub(crate) fn shift_left(value: i64, count: i64) -> i64 {
    if (0..64).contains(&count) { value << count } else { 0 }
}

/// Keeps the sign; a count below 0 or above 63 gives 0.
pub(crate) fn shift_right(value: i64, count: i64) -> i64 {
    if (0..64).contains(&count) { value >> count } else { 0 }
}

/// Unary minus.
///
/// # Errors
/// An operand that is no number.
pub fn negate(value: &Value) -> Result<Value, Thrown> {
    Ok(match operand(value)? {
        Number::Int(value) => value.checked_neg().map_or_else(|| Value::float(-(value as f64)), Value::int),
        Number::Float(value) => Value::float(-value),
    })
}

/// `~`.
///
/// # Errors
/// An operand that is no number.
pub fn complement(value: &Value) -> Result<Value, Thrown> {
    Ok(Value::int(!operand(value)?.to_int()))
}
