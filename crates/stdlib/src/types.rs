//! Kinds of values and conversions between them.

use vm::text::parse_float;
use vm::{Value, View};

/// The int that a value stands for: text by its leading digits, floats without their fraction, everything else and
/// what is too large 0.
pub(crate) fn to_int(value: &Value) -> i64 {
    match value.view() {
        View::Bool(value) => i64::from(value),
        View::Int(value) => value,
        View::Float(value) if value.abs() < 9_223_372_036_854_775_808.0 => value as i64,
        View::Str(text) => {
            let text = text.as_bytes().trim_ascii_start();
            let end = sign_len(text) + digits_len(text.get(sign_len(text)..).unwrap_or_default());
            let number = text.get(..end).and_then(|number| std::str::from_utf8(number).ok());
            number.and_then(|number| number.parse().ok()).unwrap_or(0)
        }
        View::Float(_)
        | View::Null
        | View::List(_)
        | View::Map(_)
        | View::Struct(_)
        | View::Function(_)
        | View::Handle(_) => 0,
    }
}

/// The float that a value stands for: text by its leading number, everything else 0.
pub(crate) fn to_float(value: &Value) -> f64 {
    match value.view() {
        View::Float(value) => value,
        View::Int(value) => value as f64,
        View::Str(text) => leading_float(text.as_bytes().trim_ascii_start()),
        View::Null
        | View::Bool(_)
        | View::List(_)
        | View::Map(_)
        | View::Struct(_)
        | View::Function(_)
        | View::Handle(_) => to_int(value) as f64,
    }
}

fn leading_float(text: &[u8]) -> f64 {
    let from = |at: usize| text.get(at..).unwrap_or_default();
    let mut end = sign_len(text);
    end += digits_len(from(end));
    if from(end).first() == Some(&b'.') {
        end += 1 + digits_len(from(end + 1));
    }
    if matches!(from(end).first(), Some(b'e' | b'E')) {
        let sign = sign_len(from(end + 1));
        let digits = digits_len(from(end + 1 + sign));
        if digits > 0 {
            end += 1 + sign + digits;
        }
    }
    text.get(..end).and_then(parse_float).unwrap_or(0.0)
}

fn sign_len(text: &[u8]) -> usize {
    usize::from(matches!(text.first(), Some(b'+' | b'-')))
}

fn digits_len(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// What kind of value something is, and the same value as another kind.
#[macros::module(name = "type")]
pub mod builtins {
    use vm::compare::is_truthy;
    use vm::{Str, Tag, Value, View};

    /// The name of a value's type: int, float, string, bool, null, array, function or struct.
    ///
    /// ```look
    /// print(type::of(1), type::of("a"), type::of(["k" => 1]), type::of(null))   // int string array null
    /// ```
    #[builtin(pure)]
    fn of(value: &Value) -> &'static str {
        if matches!(value.view(), View::Map(_)) { "array" } else { vm::text::type_name(value) }
    }

    /// True for an int.
    ///
    /// ```look
    /// print(is_int(5), is_int(5.0), is_int("5"))   // true false false
    /// ```
    #[builtin(pure, alias = "::is_int")]
    fn is_int(value: &Value) -> bool {
        value.tag() == Tag::Int
    }

    /// True for a float.
    ///
    /// ```look
    /// print(is_float(0.5), is_float(5))   // true false
    /// ```
    #[builtin(pure, alias = "::is_float")]
    fn is_float(value: &Value) -> bool {
        value.tag() == Tag::Float
    }

    /// True for a string.
    ///
    /// ```look
    /// print(is_string("5"), is_string(5))   // true false
    /// ```
    #[builtin(pure, alias = "::is_string")]
    fn is_string(value: &Value) -> bool {
        value.tag() == Tag::Str
    }

    /// True for a bool.
    ///
    /// ```look
    /// print(is_bool(false), is_bool(0))   // true false
    /// ```
    #[builtin(pure, alias = "::is_bool")]
    fn is_bool(value: &Value) -> bool {
        value.tag() == Tag::Bool
    }

    /// True for a list or a map.
    ///
    /// ```look
    /// print(is_array([1]), is_array(["k" => 1]), is_array("ab"))   // true true false
    /// ```
    #[builtin(pure, alias = "::is_array")]
    fn is_array(value: &Value) -> bool {
        matches!(value.tag(), Tag::List | Tag::Map)
    }

    /// True for `null`.
    ///
    /// ```look
    /// print(is_null(null), is_null(""))   // true false
    /// ```
    #[builtin(pure, alias = "::is_null")]
    fn is_null(value: &Value) -> bool {
        value.is_null()
    }

    /// True for a function: a closure, a named function or a builtin.
    ///
    /// ```look
    /// print(is_function(fn($x) => $x), is_function("count"))   // true false
    /// ```
    #[builtin(pure, alias = "::is_function")]
    fn is_function(value: &Value) -> bool {
        value.tag() == Tag::Function
    }

    /// The int that a value stands for: text by its leading digits, a float without its fraction, anything else 0.
    ///
    /// ```look
    /// print(int("42"), int("12abc"), int("abc"), int(-3.9), int(true), int(null))   // 42 12 0 -3 1 0
    /// ```
    #[builtin(pure, alias = "::int", alias = "::intval")]
    fn to_int(value: &Value) -> i64 {
        super::to_int(value)
    }

    /// The float that a value stands for: text by its leading number, anything else 0.
    ///
    /// ```look
    /// print(float("3.5kg"), float(2), float("abc"))   // 3.5 2 0
    /// ```
    #[builtin(pure, alias = "::float", alias = "::floatval")]
    fn to_float(value: &Value) -> f64 {
        super::to_float(value)
    }

    /// A value as the text that `print` shows.
    ///
    /// ```look
    /// print(string(1.50) . string(true) . string([1, "a"]))   // 1.5true[1, a]
    /// ```
    #[builtin(pure, alias = "::string", alias = "::str", alias = "::strval")]
    fn to_string(value: &Value) -> Str {
        vm::text::to_text(value)
    }

    /// False for `false`, 0, 0.0, "", "0", `null` and an empty array; true for everything else.
    ///
    /// ```look
    /// print(bool("0"), bool("false"), bool([]), bool(-1))   // false true false true
    /// ```
    #[builtin(pure, alias = "::bool")]
    fn to_bool(value: &Value) -> bool {
        is_truthy(value)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::text;
    use vm::{List, Map, Value};

    #[test]
    fn ints_come_from_leading_digits() {
        for (given, int) in [
            ("42", "42"),
            ("12abc", "12"),
            ("abc", "0"),
            ("", "0"),
            ("-", "0"),
            (" 7", "7"),
            ("+8", "8"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("99999999999999999999", "0"),
            ("3.9", "3"),
        ] {
            assert_eq!(text("type", "to_int", vec![Value::str(given)]), int, "{given}");
            assert_eq!(text("", "intval", vec![Value::str(given)]), int, "{given}");
        }
        for (given, int) in [(3.9, "3"), (-3.9, "-3"), (1e300, "0"), (f64::NAN, "0"), (f64::NEG_INFINITY, "0")] {
            assert_eq!(text("", "int", vec![Value::float(given)]), int, "{given}");
        }
        assert_eq!(text("", "int", vec![Value::str(b"5\xff")]), "5");
    }

    #[test]
    fn floats_come_from_a_leading_number() {
        for (given, float) in [
            ("3.5x", "3.5"),
            ("abc", "0"),
            (".5", "0.5"),
            ("5.", "5"),
            (".", "0"),
            ("1e3kg", "1000"),
            ("1e", "1"),
            ("1e+", "1"),
            ("-2.5e-1", "-0.25"),
            ("inf", "0"),
            ("", "0"),
        ] {
            assert_eq!(text("", "float", vec![Value::str(given)]), float, "{given}");
        }
        assert_eq!(text("", "float", vec![Value::TRUE]), "1");
    }

    #[test]
    fn maps_are_arrays() {
        for value in [Value::from(List::new()), Value::from(Map::new())] {
            assert_eq!(text("type", "of", vec![value.clone()]), "array");
            assert_eq!(text("", "is_array", vec![value]), "true");
        }
        assert_eq!(text("type", "of", vec![Value::NULL]), "null");
    }
}
