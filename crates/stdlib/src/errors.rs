//! Errors with a type and a code: maps with the keys `type`, `message` and `code`.

use vm::{Value, View};

/// A part of a structured error; none for any other thrown value.
fn part<'a>(error: &'a Value, key: &[u8]) -> Option<&'a Value> {
    match error.view() {
        View::Map(map) => map.get(key),
        View::Null
        | View::Bool(_)
        | View::Int(_)
        | View::Float(_)
        | View::Str(_)
        | View::List(_)
        | View::Struct(_)
        | View::Function(_)
        | View::Handle(_) => None,
    }
}

/// Errors with a type and a code.
#[macros::module(name = "error")]
pub mod builtins {
    use super::part;
    use crate::text::Text;
    use crate::types;
    use vm::text::to_text;
    use vm::{Map, Str, Thrown, Value};

    /// Throws an error with a type, a message and a code; `throw` in front of it changes nothing.
    ///
    /// ```look
    /// try { error::new("not_found", "No such page", 404) } catch ($e) { print($e.type, $e.message, $e.code) }   // not_found No such page 404
    /// ```
    #[builtin(pure)]
    fn new(r#type: Text<'_>, message: &Value, #[default = 0] code: i64) -> Result<(), Thrown> {
        let parts = [
            ("type", Value::from(r#type.to_str())),
            ("message", Value::from(to_text(message))),
            ("code", Value::int(code)),
        ];
        let error: Map = parts.into_iter().map(|(key, value)| (Str::from(key), value)).collect();
        Err(Thrown::value(Value::from(error)))
    }

    /// True when a caught value is an error of this type.
    ///
    /// ```look
    /// try { error::new("auth", "Log in first") } catch ($e) { print(error::is($e, "auth"), error::is("text", "auth")) }   // true false
    /// ```
    #[builtin(pure)]
    fn is(error: &Value, r#type: &Str) -> bool {
        part(error, b"type").and_then(Value::as_str).is_some_and(|given| given == r#type)
    }

    /// The message of a caught value; a text is its own message.
    ///
    /// ```look
    /// try { 1 / 0 } catch ($e) { print(error::message($e)) }   // Division by zero
    /// ```
    #[builtin(pure)]
    fn message(error: &Value) -> Str {
        to_text(part(error, b"message").unwrap_or(error))
    }

    /// The code of a caught value; 0 when it has none.
    ///
    /// ```look
    /// try { error::new("teapot", "Short and stout", 418) } catch ($e) { print(error::code($e), error::code("text")) }   // 418 0
    /// ```
    #[builtin(pure)]
    fn code(error: &Value) -> i64 {
        part(error, b"code").map_or(0, types::to_int)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{call, text};
    use vm::{ThrownKind, Value};

    #[test]
    fn an_error_is_thrown_as_a_map() {
        let thrown = call("error", "new", vec![Value::str("t"), Value::int(5), Value::int(7)]).expect_err("throws");
        let ThrownKind::Value { value, .. } = thrown.into_kind() else { panic!("a value is thrown") };
        assert_eq!(text("", "string", vec![value.clone()]), "[type => t, message => 5, code => 7]");
        assert_eq!(text("error", "is", vec![value.clone(), Value::str("t")]), "true");
        assert_eq!(text("error", "is", vec![value.clone(), Value::str("")]), "false");
        assert_eq!(text("error", "message", vec![value.clone()]), "5");
        assert_eq!(text("error", "code", vec![value]), "7");
    }

    #[test]
    fn other_values_are_their_own_message() {
        assert_eq!(text("error", "message", vec![Value::str("m")]), "m");
        assert_eq!(text("error", "message", vec![Value::NULL]), "null");
        assert_eq!(text("error", "code", vec![Value::str("m")]), "0");
        assert_eq!(text("error", "is", vec![Value::int(1), Value::str("m")]), "false");
    }
}
