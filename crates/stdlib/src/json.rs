//! JSON: `json::encode` and `json::decode`, and the parser and writer behind them for the other crates.

mod error;
mod parse;
mod scan;
mod write;

pub use error::JsonError;
pub use parse::{MAX_DEPTH, Parser, parse};
pub use write::{TooLong, write};

use crate::nullable::Nullable;
use macros::module;
use vm::{Cx, Str, Thrown, Value};

/// A longer output buffer is given back after use.
const KEPT_OUTPUT: usize = 1 << 20;

#[derive(Default)]
struct State {
    parser: Parser,
    output: Vec<u8>,
    last_error: Option<JsonError>,
}

#[module(name = "json")]
pub mod builtins {
    //! Text in the JSON format.

    use super::*;

    /// The value as compact JSON.
    ///
    /// Lists become `[…]`; maps and structs `{…}` in their order, also when empty. What JSON cannot say becomes `null`:
    /// NaN, infinities, functions, values nested deeper than 256 levels. Bytes that are not UTF-8 become U+FFFD.
    ///
    /// ```look
    /// print(json::encode(["name" => "Ada", "tags" => [1, 2.5, null]]))   // {"name":"Ada","tags":[1,2.5,null]}
    /// ```
    #[builtin(pure)]
    fn encode(cx: &mut Cx<'_>, value: &Value) -> Result<Str, Thrown> {
        let output = &mut cx.state::<State>().output;
        output.clear();
        let written = write(output, value).map_err(|error| Thrown::error(format!("json::encode(): {error}")));
        let text = written.map(|()| Str::new(output));
        output.shrink_to(KEPT_OUTPUT);
        text
    }

    /// The value that a JSON text describes, or `null` when it is not JSON; `json::last_error()` then says why.
    ///
    /// Reads strictly: no comments, no missing or trailing commas. Numbers too large for 64 bits become strings, so
    /// that no digit is lost. A key that is given twice has its last value. `null` instead of a text gives `null`.
    ///
    /// ```look
    /// $user = json::decode(`{"name": "Ada", "langs": ["en", "fr"]}`)
    /// print($user["name"], $user["langs"][1])   // Ada fr
    /// print(json::decode("[1, 2") == null)      // true
    /// ```
    #[builtin(writes)]
    fn decode(cx: &mut Cx<'_>, text: Nullable<&[u8]>) -> Value {
        let state = cx.state::<State>();
        match text.0.map(|text| state.parser.parse(text)) {
            Some(Ok(value)) => {
                state.last_error = None;
                value
            }
            Some(Err(error)) => {
                state.last_error = Some(error);
                Value::NULL
            }
            None => {
                state.last_error = None;
                Value::NULL
            }
        }
    }

    /// Why the last `json::decode()` gave `null`: line, column and cause. `null` when it succeeded.
    ///
    /// ```look
    /// json::decode("[1 2]")
    /// print(json::last_error())   // line 1, column 4: expected ',' or ']', found '2'
    /// ```
    #[builtin(reads)]
    fn last_error(cx: &mut Cx<'_>) -> Option<String> {
        cx.state::<State>().last_error.as_ref().map(ToString::to_string)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{error_in, isolate, text_in};
    use vm::Value;

    #[test]
    fn null_for_what_is_not_json_and_the_reason_apart() {
        let mut isolate = isolate();
        assert_eq!(
            text_in(&mut isolate, "json", "encode", vec![super::parse(br#"{"a":[],"b":{}}"#).expect("valid")]),
            r#"{"a":[],"b":{}}"#
        );
        assert_eq!(text_in(&mut isolate, "json", "decode", vec![Value::str("[1 2]")]), "null");
        let expected = "line 1, column 4: expected ',' or ']', found '2'";
        assert_eq!(text_in(&mut isolate, "json", "last_error", vec![]), expected);
        assert_eq!(text_in(&mut isolate, "json", "decode", vec![Value::str("[1, 2]")]), "[1, 2]");
        assert_eq!(text_in(&mut isolate, "json", "last_error", vec![]), "null");
        assert_eq!(text_in(&mut isolate, "json", "decode", vec![Value::NULL]), "null");
        assert_eq!(text_in(&mut isolate, "json", "last_error", vec![]), "null");
        let error = error_in(&mut isolate, "json", "decode", vec![Value::int(5)]);
        assert_eq!(error, "json::decode(): argument 1 ($text) must be string or null, got int 5");
        assert_eq!(error_in(&mut isolate, "json", "decode", vec![]), "Function 'json::decode' expects 1 args, got 0");
    }
}
