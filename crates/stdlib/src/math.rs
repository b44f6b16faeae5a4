//! Numbers: rounding, roots, powers, angles, extremes and chance.
//!
//! Arguments follow the rule of the operators: numbers, bools and text that is a number from end to end.

use bytecode::Ty;
use std::cmp::Ordering;
use vm::compare::order;
use vm::number::operand;
use vm::{FromValue, Number, Thrown, Value, View};

/// What the operators calculate with.
struct Operand(Number);

impl<'a> FromValue<'a> for Operand {
    const TY: Ty = Ty::Number;

    fn from_value(value: &'a mut Value) -> Option<Self> {
        operand(value).ok().map(Self)
    }
}

impl Operand {
    fn float(&self) -> f64 {
        self.0.to_float()
    }
}

/// A float without a fraction as an int, where an int can hold it.
fn whole(value: f64) -> Number {
    if value.abs() < 9_223_372_036_854_775_808.0 { Number::Int(value as i64) } else { Number::Float(value) }
}

/// Rounds the decimal digits that `print` shows, half away from zero: 1.005 becomes 1.01, though its binary value lies
/// below. `digits` counts from the point, negative to the left.
fn round_decimal(value: f64, digits: i64) -> f64 {
    let text = format!("{:e}", value.abs());
    let Some((mantissa, exponent)) = text.split_once('e') else { return value };
    let shown: Vec<u8> = mantissa.bytes().filter(u8::is_ascii_digit).collect();
    let exponent: i64 = exponent.parse().unwrap_or(0);
    // Digits that stay; the one after them decides.
    let Ok(kept) = usize::try_from((exponent + 1).saturating_add(digits)) else { return 0.0 };
    let Some(next) = shown.get(kept) else { return value };
    let stays = shown.iter().take(kept).fold(0_u64, |number, digit| number * 10 + u64::from(digit - b'0'));
    let rounded = stays + u64::from(*next >= b'5');
    let size: f64 = format!("{rounded}e{}", exponent + 1 - kept as i64).parse().unwrap_or(value);
    size.copysign(value)
}

fn round_to(number: Number, digits: i64) -> Number {
    match number {
        Number::Int(_) if digits >= 0 => number,
        Number::Int(value) => {
            let Some(unit) = u32::try_from(digits.unsigned_abs()).ok().and_then(|power| 10_i128.checked_pow(power))
            else {
                return Number::Int(0);
            };
            let half = unit / 2 * i128::from(value.signum());
            let rounded = (i128::from(value) + half) / unit * unit;
            i64::try_from(rounded).map_or(Number::Float(rounded as f64), Number::Int)
        }
        Number::Float(value) if !value.is_finite() => number,
        Number::Float(value) if digits == 0 => whole(value.round()),
        Number::Float(value) => {
            let rounded = round_decimal(value, digits);
            if digits > 0 { Number::Float(rounded) } else { whole(rounded) }
        }
    }
}

/// The first value that is beyond all others; none for no values.
fn extreme(values: &[Value], beyond: Ordering) -> Result<Option<&Value>, Thrown> {
    let Some((mut best, others)) = values.split_first() else { return Ok(None) };
    for value in others {
        let order = order(value, best)?;
        let is_nan = matches!(value.view(), View::Float(value) if value.is_nan());
        if order == Some(beyond) || (order.is_none() && is_nan) {
            best = value;
        }
    }
    Ok(Some(best))
}

fn extreme_of(name: &str, values: &[Value], beyond: Ordering) -> Result<Value, Thrown> {
    let values = match values {
        [single] => match single.view() {
            View::List(list) => list,
            View::Map(map) => map.values(),
            _ => return Err(Thrown::error(format!("math::{name}() expects 2 or more arguments, or 1 array"))),
        },
        [] => return Err(Thrown::error(format!("math::{name}() expects 2 or more arguments, or 1 array"))),
        several => several,
    };
    Ok(extreme(values, beyond)?.cloned().unwrap_or(Value::NULL))
}

/// Numbers.
#[macros::module(name = "math")]
pub mod builtins {
    use super::{Number, Operand, Ordering, Thrown, Value, extreme_of, round_to, whole};

    /// The square root.
    ///
    /// ```look
    /// print(math::sqrt(144))   // 12
    /// ```
    #[builtin(pure)]
    fn sqrt(number: Operand) -> Result<f64, Thrown> {
        let number = number.float();
        if number < 0.0 {
            return Err(Thrown::error(format!("math::sqrt() of a negative number ({number})")));
        }
        Ok(number.sqrt())
    }

    /// A number to a power, as a float.
    ///
    /// ```look
    /// print(math::pow(2, 10), math::pow(2, -1))   // 1024 0.5
    /// ```
    #[builtin(pure)]
    fn pow(base: Operand, exponent: Operand) -> f64 {
        base.float().powf(exponent.float())
    }

    /// A number without its sign.
    ///
    /// ```look
    /// print(math::abs(-5), math::abs(1.5))   // 5 1.5
    /// ```
    #[builtin(pure)]
    fn abs(number: Operand) -> Number {
        match number.0 {
            Number::Int(value) => value.checked_abs().map_or(Number::Float((value as f64).abs()), Number::Int),
            Number::Float(value) => Number::Float(value.abs()),
        }
    }

    /// The nearest int that is not above the number.
    ///
    /// ```look
    /// print(math::floor(3.9), math::floor(-3.1))   // 3 -4
    /// ```
    #[builtin(pure)]
    fn floor(number: Operand) -> Number {
        match number.0 {
            Number::Int(_) => number.0,
            Number::Float(value) => whole(value.floor()),
        }
    }

    /// The nearest int that is not below the number.
    ///
    /// ```look
    /// print(math::ceil(3.1), math::ceil(-3.9))   // 4 -3
    /// ```
    #[builtin(pure)]
    fn ceil(number: Operand) -> Number {
        match number.0 {
            Number::Int(_) => number.0,
            Number::Float(value) => whole(value.ceil()),
        }
    }

    /// The nearest number with that many decimals, halves away from zero; an int unless `digits` is above 0.
    ///
    /// ```look
    /// print(math::round(3.5), math::round(-2.5), math::round(1.005, 2), math::round(1250, -2))   // 4 -3 1.01 1300
    /// ```
    #[builtin(pure)]
    fn round(number: Operand, #[default = 0] digits: i64) -> Number {
        round_to(number.0, digits)
    }

    /// The largest of two or more values, or of an array; `null` for an empty array.
    ///
    /// ```look
    /// print(math::max(3, 7, 2), math::max([5, 3, 8]))   // 7 8
    /// ```
    #[builtin(pure)]
    fn max(values: &mut [Value]) -> Result<Value, Thrown> {
        extreme_of("max", values, Ordering::Greater)
    }

    /// The smallest of two or more values, or of an array; `null` for an empty array.
    ///
    /// ```look
    /// print(math::min(3, 7, 2), math::min([5, 3, 8]))   // 2 3
    /// ```
    #[builtin(pure)]
    fn min(values: &mut [Value]) -> Result<Value, Thrown> {
        extreme_of("min", values, Ordering::Less)
    }

    /// The ratio of a circle's circumference to its diameter.
    ///
    /// ```look
    /// print(math::pi())   // 3.141592653589793
    /// ```
    #[builtin(pure)]
    fn pi() -> f64 {
        std::f64::consts::PI
    }

    /// A random int from `min` to `max`, both included; not for secrets.
    ///
    /// ```look
    /// $die = math::random(1, 6)
    /// print($die >= 1 && $die <= 6)   // true
    /// ```
    #[builtin(reads)]
    fn random(min: i64, max: i64) -> Result<i64, Thrown> {
        if min > max {
            return Err(Thrown::error(format!("math::random(): the minimum {min} is above the maximum {max}")));
        }
        Ok(fastrand::i64(min..=max))
    }

    /// The sine of an angle in radians.
    ///
    /// ```look
    /// print(math::sin(0))   // 0
    /// ```
    #[builtin(pure)]
    fn sin(angle: Operand) -> f64 {
        angle.float().sin()
    }

    /// The cosine of an angle in radians.
    ///
    /// ```look
    /// print(math::cos(0))   // 1
    /// ```
    #[builtin(pure)]
    fn cos(angle: Operand) -> f64 {
        angle.float().cos()
    }

    /// The tangent of an angle in radians.
    ///
    /// ```look
    /// print(math::tan(0))   // 0
    /// ```
    #[builtin(pure)]
    fn tan(angle: Operand) -> f64 {
        angle.float().tan()
    }

    /// The natural logarithm.
    ///
    /// ```look
    /// print(math::log(1))   // 0
    /// ```
    #[builtin(pure)]
    fn log(number: Operand) -> Result<f64, Thrown> {
        let number = number.float();
        if number <= 0.0 {
            return Err(Thrown::error(format!("math::log() needs a number above 0, got {number}")));
        }
        Ok(number.ln())
    }
}

/// The two that need no module.
#[macros::module(name = "")]
pub mod bare {
    use super::extreme_of;
    use std::cmp::Ordering;
    use vm::{Thrown, Value};

    /// The larger of two values; `math::max()` takes more.
    ///
    /// ```look
    /// print(max(1, 2), max(-1, -1.5))   // 2 -1
    /// ```
    #[builtin(pure)]
    fn max(a: Value, b: Value) -> Result<Value, Thrown> {
        extreme_of("max", &[a, b], Ordering::Greater)
    }

    /// The smaller of two values; `math::min()` takes more.
    ///
    /// ```look
    /// print(min(1, 2), min(2, 2.5))   // 1 2
    /// ```
    #[builtin(pure)]
    fn min(a: Value, b: Value) -> Result<Value, Thrown> {
        extreme_of("min", &[a, b], Ordering::Less)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{error, text};
    use vm::{List, Value};

    #[test]
    fn rounds_the_digits_that_are_shown() {
        for (number, digits, rounded) in [
            (1.005, 2, "1.01"),
            (2.675, 2, "2.68"),
            (-1.005, 2, "-1.01"),
            (0.05, 1, "0.1"),
            (0.04, 1, "0"),
            (9.999, 2, "10"),
            (1234.5, -2, "1200"),
            (45.0, -2, "0"),
            (50.0, -2, "100"),
            (1.5, 20, "1.5"),
            (1e300, 2, "1e+300"),
            (1e300, 0, "1e+300"),
            (5e-324, 3, "0"),
            (1.5, i64::MAX, "1.5"),
            (1.5, i64::MIN, "0"),
            (f64::NAN, 2, "NaN"),
        ] {
            assert_eq!(
                text("math", "round", vec![Value::float(number), Value::int(digits)]),
                rounded,
                "{number} {digits}"
            );
        }
        for (number, digits, rounded) in [
            (1250, -2, "1300"),
            (-1250, -2, "-1300"),
            (7, 5, "7"),
            (7, i64::MIN, "0"),
            (i64::MAX, -1, "9223372036854775808"),
        ] {
            assert_eq!(
                text("math", "round", vec![Value::int(number), Value::int(digits)]),
                rounded,
                "{number} {digits}"
            );
        }
        assert_eq!(text("math", "round", vec![Value::float(2.5)]), "3");
    }

    #[test]
    fn rounding_gives_ints_where_they_fit() {
        assert_eq!(text("math", "floor", vec![Value::float(-0.5)]), "-1");
        assert_eq!(text("math", "ceil", vec![Value::float(1e19)]), "10000000000000000000");
        assert_eq!(text("math", "floor", vec![Value::float(f64::NAN)]), "NaN");
        assert_eq!(text("math", "abs", vec![Value::int(i64::MIN)]), "9223372036854775808");
        assert_eq!(text("math", "abs", vec![Value::str("-1.5")]), "1.5");
    }

    #[test]
    fn extremes_compare_as_the_operators_do() {
        let numbers = || vec![Value::int(3), Value::float(7.5), Value::int(2)];
        assert_eq!(text("math", "max", numbers()), "7.5");
        assert_eq!(text("math", "min", vec![Value::from(List::from(numbers()))]), "2");
        assert_eq!(text("math", "max", vec![Value::from(List::new())]), "null");
        assert_eq!(text("", "max", vec![Value::str("a"), Value::str("b")]), "b");
        assert_eq!(text("math", "max", vec![Value::float(f64::NAN), Value::int(1)]), "NaN");
        assert_eq!(text("math", "max", vec![Value::int(1), Value::float(f64::NAN)]), "NaN");
        assert!(error("math", "max", vec![Value::int(1), Value::str("2")]).starts_with("Incomparable types"));
        assert!(error("math", "min", vec![]).contains("1 array"));
        assert!(error("math", "min", vec![Value::int(1)]).contains("1 array"));
    }

    #[test]
    fn what_has_no_result_is_an_error() {
        assert!(error("math", "sqrt", vec![Value::int(-1)]).contains("negative"));
        assert!(error("math", "log", vec![Value::int(0)]).contains("above 0"));
        assert!(error("math", "sqrt", vec![Value::str("12abc")]).contains("must be number"));
        assert!(error("math", "sqrt", vec![Value::NULL]).contains("must be number"));
    }

    #[test]
    fn random_stays_in_its_range() {
        for _ in 0..200 {
            let die: i64 = text("math", "random", vec![Value::int(1), Value::int(3)]).parse().expect("an int");
            assert!((1..=3).contains(&die));
        }
        assert_eq!(text("math", "random", vec![Value::int(5), Value::int(5)]), "5");
        let _any = text("math", "random", vec![Value::int(i64::MIN), Value::int(i64::MAX)]);
        assert!(error("math", "random", vec![Value::int(2), Value::int(1)]).contains("above"));
    }
}
