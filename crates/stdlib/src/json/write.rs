//! Values to compact JSON text.

use super::MAX_DEPTH;
use super::scan::plain_run;
use std::fmt;
use vm::text::{push_float, push_int};
use vm::{MAX_STRING, Str, Value, View};

/// The text would be longer than a string may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLong;

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the text would be longer than {MAX_STRING} bytes")
    }
}

impl std::error::Error for TooLong {}

/// Appends a value as JSON, always valid: NaN, infinities, functions and what nests deeper than [`MAX_DEPTH`] become
/// `null`, bytes that are not UTF-8 become U+FFFD.
///
/// # Errors
/// The text grows beyond [`MAX_STRING`]; small values that share their parts can be very long as text.
pub fn write(out: &mut Vec<u8>, value: &Value) -> Result<(), TooLong> {
    write_nested(out, value, 0, MAX_STRING)
}

fn write_nested(out: &mut Vec<u8>, value: &Value, depth: usize, limit: usize) -> Result<(), TooLong> {
    if out.len() > limit {
        return Err(TooLong);
    }
    match value.view() {
        View::Str(text) => write_string(out, text),
        View::Int(value) => push_int(out, value),
        View::Bool(true) => out.extend_from_slice(b"true"),
        View::Bool(false) => out.extend_from_slice(b"false"),
        View::Float(value) if value.is_finite() => write_float(out, value),
        View::List(list) if depth < MAX_DEPTH => {
            out.push(b'[');
            for (index, item) in list.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_nested(out, item, depth + 1, limit)?;
            }
            out.push(b']');
        }
        View::Map(map) if depth < MAX_DEPTH => {
            out.push(b'{');
            for (index, (key, value)) in map.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_string(out, key);
                out.push(b':');
                write_nested(out, value, depth + 1, limit)?;
            }
            out.push(b'}');
        }
        View::Struct(instance) if depth < MAX_DEPTH => {
            out.push(b'{');
            for (index, (name, value)) in instance.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                out.push(b'"');
                write_escaped(out, name.as_bytes());
                out.extend_from_slice(b"\":");
                write_nested(out, value, depth + 1, limit)?;
            }
            out.push(b'}');
        }
        View::Null
        | View::Float(_)
        | View::List(_)
        | View::Map(_)
        | View::Struct(_)
        | View::Function(_)
        | View::Handle(_) => out.extend_from_slice(b"null"),
    }
    Ok(())
}

/// From here to where exponents begin, a float without fraction would read back as an int too large for 64 bits.
const INT_LIMIT: f64 = 9_223_372_036_854_775_808.0;

fn write_float(out: &mut Vec<u8>, value: f64) {
    let start = out.len();
    push_float(out, value);
    if value.abs() >= INT_LIMIT && !out.iter().skip(start).any(|byte| *byte == b'e') {
        out.extend_from_slice(b".0");
    }
}

#[inline]
fn write_string(out: &mut Vec<u8>, text: &Str) {
    out.push(b'"');
    if text.is_ascii() {
        write_escaped(out, text.as_bytes());
    } else {
        for chunk in text.as_bytes().utf8_chunks() {
            write_escaped(out, chunk.valid().as_bytes());
            if !chunk.invalid().is_empty() {
                out.extend_from_slice("\u{FFFD}".as_bytes());
            }
        }
    }
    out.push(b'"');
}

/// Appends text that is UTF-8.
#[inline]
fn write_escaped(out: &mut Vec<u8>, mut text: &[u8]) {
    loop {
        let (plain, rest) = text.split_at(plain_run(text).len.min(text.len()));
        out.extend_from_slice(plain);
        let Some((byte, rest)) = rest.split_first() else { return };
        write_escape(out, *byte);
        text = rest;
    }
}

#[cold]
fn write_escape(out: &mut Vec<u8>, byte: u8) {
    let short = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        _ => {
            const HEX: &[u8; 16] = b"0123456789abcdef";
            let digit = |value: u8| HEX.get(usize::from(value & 15)).copied().unwrap_or(b'0');
            out.extend_from_slice(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte)]);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use vm::{List, Map};

    fn text(value: impl Into<Value>) -> String {
        let mut out = Vec::new();
        write(&mut out, &value.into()).expect("short");
        String::from_utf8(out).expect("JSON is UTF-8")
    }

    #[test]
    fn scalars() {
        for (value, expected) in [
            (Value::NULL, "null"),
            (Value::TRUE, "true"),
            (Value::int(i64::MIN), "-9223372036854775808"),
            (Value::float(1.5), "1.5"),
            (Value::float(1.0), "1"),
            (Value::float(-0.0), "0"),
            (Value::float(1e36), "1e+36"),
            (Value::float(9e18), "9000000000000000000"),
            (Value::float(1e20), "100000000000000000000.0"),
            (Value::float(-INT_LIMIT), "-9223372036854775808.0"),
            (Value::float(f64::NAN), "null"),
            (Value::float(f64::INFINITY), "null"),
        ] {
            assert_eq!(text(value), expected);
        }
    }

    #[test]
    fn strings_are_escaped_where_they_must_be() {
        for (bytes, expected) in [
            (&b""[..], r#""""#),
            (b"a/b\"c\\d", r#""a/b\"c\\d""#),
            (b"\n\r\t\x08\x00\x1f\x7f", "\"\\n\\r\\t\\u0008\\u0000\\u001f\x7f\""),
            ("é😀 and long enough for words\n".as_bytes(), "\"é😀 and long enough for words\\n\""),
            (b"a\xff\xc3b", "\"a\u{FFFD}\u{FFFD}b\""),
        ] {
            assert_eq!(text(Value::str(bytes)), expected);
        }
    }

    #[test]
    fn containers() {
        assert_eq!(text(List::new()), "[]");
        assert_eq!(text(Map::new()), "{}");
        let map: Map = [
            (Str::from("a\""), Value::int(1)),
            (Str::from("b"), Value::from(List::from(vec![Value::NULL, Value::TRUE]))),
        ]
        .into_iter()
        .collect();
        assert_eq!(text(map), r#"{"a\"":1,"b":[null,true]}"#);
    }

    #[test]
    fn deep_values_end_in_null() {
        let nest = |levels: usize| (0..levels).fold(Value::int(1), |inner, _| Value::from(List::from(vec![inner])));
        assert!(text(nest(MAX_DEPTH)).contains("[1]"));
        assert!(text(nest(MAX_DEPTH + 1)).contains("[null]"));
        assert!(text(nest(100_000)).contains("[null]"));
    }

    #[test]
    fn shared_parts_cannot_fill_the_memory() {
        let mut value = Value::int(1);
        for _ in 0..64 {
            value = Value::from(List::from(vec![value.clone(), value]));
        }
        assert_eq!(write_nested(&mut Vec::new(), &value, 0, 10_000), Err(TooLong));
    }
}
