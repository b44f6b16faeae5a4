//! What the operators calculate.
//!
//! Ints stay exact: what leaves 64 bits becomes a float, nothing wraps. Numbers, bools and strings that are decimal numbers
//! from end to end can be calculated with; everything else is an error.

use crate::compare;
use syntax::tree::{BinaryOp, UnaryOp};
use vm::{MAX_STRING, Str, Thrown, Value, View};

/// An operand of arithmetic.
#[derive(Clone, Copy)]
enum Number {
    Int(i64),
    Float(f64),
}

impl Number {
    fn float(self) -> f64 {
        match self {
            Self::Int(value) => value as f64,
            Self::Float(value) => value,
        }
    }

    /// Without its fraction; stops at the ends of 64 bits, NaN is 0.
    fn int(self) -> i64 {
        match self {
            Self::Int(value) => value,
            Self::Float(value) => value as i64,
        }
    }
}

/// `left op right`.
///
/// # Errors
/// What the operator does not take.
pub(crate) fn binary(op: BinaryOp, left: &Value, right: &Value) -> Result<Value, Thrown> {
    match op {
        BinaryOp::Concat => concat(&[left, right]),
        BinaryOp::Eq => compare::equals(left, right).map(Value::bool),
        BinaryOp::Ne => compare::equals(left, right).map(|equal| Value::bool(!equal)),
        BinaryOp::Lt => compare::order(left, right).map(|order| Value::bool(order.is_some_and(|order| order.is_lt()))),
        BinaryOp::Le => compare::order(left, right).map(|order| Value::bool(order.is_some_and(|order| order.is_le()))),
        BinaryOp::Gt => compare::order(left, right).map(|order| Value::bool(order.is_some_and(|order| order.is_gt()))),
        BinaryOp::Ge => compare::order(left, right).map(|order| Value::bool(order.is_some_and(|order| order.is_ge()))),
        BinaryOp::Compare => compare::three_way(left, right).map(Value::int),
        _ => calculate(op, number(left)?, number(right)?),
    }
}

fn calculate(op: BinaryOp, left: Number, right: Number) -> Result<Value, Thrown> {
    let exact = |int: fn(i64, i64) -> Option<i64>, float: fn(f64, f64) -> f64| {
        let ints = match (left, right) {
            (Number::Int(left), Number::Int(right)) => int(left, right),
            _ => None,
        };
        ints.map_or_else(|| Value::float(float(left.float(), right.float())), Value::int)
    };
    Ok(match op {
        BinaryOp::Add => exact(i64::checked_add, |left, right| left + right),
        BinaryOp::Sub => exact(i64::checked_sub, |left, right| left - right),
        BinaryOp::Mul => exact(i64::checked_mul, |left, right| left * right),
        BinaryOp::Div if right.float() == 0.0 => return Err(Thrown::error("Division by zero")),
        BinaryOp::Div => exact(even_quotient, |left, right| left / right),
        BinaryOp::Mod if right.int() == 0 => return Err(Thrown::error("Modulo by zero")),
        BinaryOp::Mod => Value::int(left.int().checked_rem(right.int()).unwrap_or(0)),
        BinaryOp::Pow => Value::float(left.float().powf(right.float())),
        BinaryOp::BitAnd => Value::int(left.int() & right.int()),
        BinaryOp::BitOr => Value::int(left.int() | right.int()),
        BinaryOp::BitXor => Value::int(left.int() ^ right.int()),
        BinaryOp::Shl => Value::int(shift(left.int(), right.int(), |value, count| value << count)),
        BinaryOp::Shr => Value::int(shift(left.int(), right.int(), |value, count| value >> count)),
        BinaryOp::Concat
        | BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge
        | BinaryOp::Compare => return Err(Thrown::error("the operator does not calculate")),
    })
}

/// The quotient, if it is an int.
fn even_quotient(left: i64, right: i64) -> Option<i64> {
    if left.checked_rem(right)? == 0 { left.checked_div(right) } else { None }
}

/// A count outside of the word leaves nothing.
fn shift(value: i64, count: i64, by: fn(i64, u32) -> i64) -> i64 {
    u32::try_from(count).ok().filter(|count| *count < i64::BITS).map_or(0, |count| by(value, count))
}

/// `op value`.
///
/// # Errors
/// What the operator does not take.
pub(crate) fn unary(op: UnaryOp, value: &Value) -> Result<Value, Thrown> {
    Ok(match op {
        UnaryOp::Not => Value::bool(!compare::is_true(value)),
        UnaryOp::BitNot => Value::int(!number(value)?.int()),
        UnaryOp::Neg => match number(value)? {
            Number::Int(value) => value.checked_neg().map_or_else(|| Value::float(-(value as f64)), Value::int),
            Number::Float(value) => Value::float(-value),
        },
    })
}

/// The texts of the values, one after the other.
///
/// # Errors
/// A text that is too long.
pub(crate) fn concat(parts: &[&Value]) -> Result<Value, Thrown> {
    let mut text = Vec::new();
    for part in parts {
        vm::text::push_text(&mut text, part);
    }
    if text.len() > MAX_STRING {
        return Err(Thrown::error(format!("String too long (max {MAX_STRING} bytes)")));
    }
    Ok(Value::from(Str::from(text)))
}

fn number(value: &Value) -> Result<Number, Thrown> {
    match value.view() {
        View::Int(value) => Ok(Number::Int(value)),
        View::Float(value) => Ok(Number::Float(value)),
        View::Bool(value) => Ok(Number::Int(i64::from(value))),
        View::Str(text) => number_in_text(&text.to_str_lossy()),
        View::Null | View::List(_) | View::Map(_) | View::Struct(_) | View::Function(_) | View::Handle(_) => {
            Err(Thrown::error("Arithmetic on a non-numeric value (null/array/object)"))
        }
    }
}

/// How much of a text a message shows.
const SHOWN_CHARS: usize = 60;

fn number_in_text(text: &str) -> Result<Number, Thrown> {
    let shown: String = text.chars().take(SHOWN_CHARS).collect();
    let refused = || Thrown::error(format!("Arithmetic on a string that cannot be converted to a number: '{shown}'"));
    if text.is_empty() {
        return Err(Thrown::error("Arithmetic on an empty string"));
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['-', '+']).unwrap_or(exponent))),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_digits = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_decimal = is_digits(whole)
        && is_digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|exponent| !exponent.is_empty() && is_digits(exponent));
    if !is_decimal {
        return Err(refused());
    }
    if exponent.is_none() && !mantissa.contains('.') {
        return text.parse().map(Number::Int).map_err(|_| {
            Thrown::error(format!("Arithmetic on a numeric string exceeding the int64 limit (bignum/ID): '{shown}'"))
        });
    }
    let value: f64 = text.parse().map_err(|_| refused())?;
    let vanished = value == 0.0 && mantissa.bytes().any(|byte| (b'1'..=b'9').contains(&byte));
    if vanished || value.is_infinite() { Err(refused()) } else { Ok(Number::Float(value)) }
}
