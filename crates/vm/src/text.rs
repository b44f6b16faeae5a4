//! Values as text and text as numbers: one rule for print, concatenation, JSON, templates and databases.

use crate::heap::string::{MAX_STRING, Str};
use crate::value::{Value, View};

/// Deeper containers print as `…`: a script can build values of any depth, the native stack has one.
pub const MAX_TEXT_DEPTH: usize = 200;

/// Number of code points; each byte that is not part of valid UTF-8 counts one.
pub fn char_count(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.chars().count(),
        Err(_) => chars(bytes).count(),
    }
}

/// The code points as slices of the bytes; each byte that is not part of valid UTF-8 stands for itself.
pub fn chars(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.utf8_chunks().flat_map(|chunk| {
        let (valid, invalid) = (chunk.valid(), chunk.invalid());
        let whole = valid.char_indices().filter_map(|(at, c)| valid.as_bytes().get(at..at + c.len_utf8()));
        whole.chain(invalid.chunks(1))
    })
}

/// Byte offset of code point number `index`, or the length when there are fewer.
pub fn byte_offset(bytes: &[u8], index: usize) -> usize {
    chars(bytes).take(index).map(<[u8]>::len).sum()
}

/// Appends a float as the language prints it.
///
/// Fixed notation for `1e-7 <= |x| < 1e21`: shortest digits that read back for fractions, exact digits for integral
/// values; outside that, `d.ddde±NN` with at least two exponent digits. `NaN`, `Infinity`, `-Infinity`; zero has no sign.
pub fn push_float(out: &mut Vec<u8>, value: f64) {
    use std::io::Write;
    let size = value.abs();
    let written = if value.is_nan() {
        out.write_all(b"NaN")
    } else if value.is_infinite() {
        out.write_all(if value > 0.0 { b"Infinity" } else { b"-Infinity" })
    } else if value == 0.0 {
        out.write_all(b"0")
    } else if size < 9e15 && value.trunc() == value {
        push_int(out, value as i64);
        Ok(())
    } else if size < 1e21 && value.trunc() == value {
        write!(out, "{value:.0}")
    } else if (1e-4..1e15).contains(&size) {
        // In this range the shortest digits come in fixed notation, and faster than by the formatting machinery.
        out.write_all(ryu::Buffer::new().format_finite(value).as_bytes())
    } else if (1e-7..1e21).contains(&size) {
        write!(out, "{value}")
    } else {
        let text = format!("{value:e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
        write!(out, "{digits}e{sign}{exponent:0>2}")
    };
    debug_assert!(written.is_ok(), "writing to memory does not fail");
}

/// Appends an int in decimal.
pub fn push_int(out: &mut Vec<u8>, value: i64) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Appends a value as `string(value)` prints it.
pub fn push_text(out: &mut Vec<u8>, value: &Value) {
    push_nested(out, value, 0);
}

fn push_nested(out: &mut Vec<u8>, value: &Value, depth: usize) {
    match value.view() {
        View::Null => out.extend_from_slice(b"null"),
        View::Bool(value) => out.extend_from_slice(if value { b"true" } else { b"false" }),
        View::Int(value) => push_int(out, value),
        View::Float(value) => push_float(out, value),
        View::Str(text) => out.extend_from_slice(text.as_bytes()),
        View::Function(_) => out.extend_from_slice(b"<function>"),
        View::Handle(handle) => {
            out.push(b'<');
            out.extend_from_slice(handle.kind().as_bytes());
            out.push(b'>');
        }
        // Small values that share their parts can have a text without end.
        View::List(_) | View::Map(_) | View::Struct(_) if depth >= MAX_TEXT_DEPTH || out.len() > MAX_STRING => {
            out.extend_from_slice("…".as_bytes());
        }
        View::List(list) => {
            let items = list.iter().map(|item| (None, item));
            push_entries(out, [b"[", b"]", b""], items, depth);
        }
        View::Map(map) => {
            let entries = map.iter().map(|(key, value)| (Some(key.as_bytes()), value));
            push_entries(out, [b"[", b"]", b" => "], entries, depth);
        }
        View::Struct(instance) => {
            out.extend_from_slice(instance.name().as_bytes());
            let entries = instance.iter().map(|(name, value)| (Some(name.as_bytes()), value));
            push_entries(out, [b"{", b"}", b": "], entries, depth);
        }
    }
}

fn push_entries<'a>(
    out: &mut Vec<u8>,
    [open, close, arrow]: [&[u8]; 3],
    entries: impl Iterator<Item = (Option<&'a [u8]>, &'a Value)>,
    depth: usize,
) {
    out.extend_from_slice(open);
    for (index, (key, value)) in entries.enumerate() {
        if index > 0 {
            out.extend_from_slice(b", ");
        }
        if let Some(key) = key {
            out.extend_from_slice(key);
            out.extend_from_slice(arrow);
        }
        push_nested(out, value, depth + 1);
    }
    out.extend_from_slice(close);
}

/// A value as text; a string is itself.
pub fn to_text(value: &Value) -> Str {
    match value.view() {
        View::Str(text) => text.clone(),
        _ => {
            let mut out = Vec::new();
            push_text(&mut out, value);
            Str::from(out)
        }
    }
}

/// A value for an error message: its type, and for short scalars the value too (`string "x"`, `int 5`, `null`).
pub fn describe(value: &Value) -> String {
    const SHOWN: usize = 40;
    match value.view() {
        View::Null | View::List(_) | View::Map(_) | View::Function(_) => type_name(value).to_owned(),
        View::Handle(handle) => handle.kind().to_owned(),
        View::Struct(instance) => format!("struct {}", instance.name()),
        View::Str(text) => {
            let text = text.to_str_lossy();
            let shown: String = text.chars().take(SHOWN).flat_map(char::escape_debug).collect();
            let more = if text.chars().nth(SHOWN).is_some() { "…" } else { "" };
            format!("string \"{shown}{more}\"")
        }
        View::Bool(_) | View::Int(_) | View::Float(_) => {
            format!("{} {}", type_name(value), to_text(value).to_str_lossy())
        }
    }
}

/// The type as scripts name it in messages: lists and maps apart.
pub fn type_name(value: &Value) -> &'static str {
    match value.view() {
        View::Null => "null",
        View::Bool(_) => "bool",
        View::Int(_) => "int",
        View::Float(_) => "float",
        View::Str(_) => "string",
        View::List(_) => "array",
        View::Map(_) => "map",
        View::Struct(_) => "struct",
        View::Function(_) => "function",
        View::Handle(handle) => handle.kind(),
    }
}

/// A string that is a whole number in decimal, with an optional sign.
pub fn parse_int(bytes: &[u8]) -> Option<i64> {
    let digits = bytes.strip_prefix(b"-").or_else(|| bytes.strip_prefix(b"+")).unwrap_or(bytes);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(bytes).ok()?.parse().ok()
}

/// True for a decimal integer of any length.
pub fn is_decimal_int(bytes: &[u8]) -> bool {
    let digits = bytes.strip_prefix(b"-").or_else(|| bytes.strip_prefix(b"+")).unwrap_or(bytes);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

/// A string that is a decimal float from end to end: digits with a point or an exponent. No `inf`, `nan`, hex or spaces.
pub fn parse_float(bytes: &[u8]) -> Option<f64> {
    let shaped = bytes.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-'));
    if !shaped || !bytes.iter().any(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(bytes).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn float(value: f64) -> String {
        let mut out = Vec::new();
        push_float(&mut out, value);
        String::from_utf8(out).expect("numbers are ASCII")
    }

    #[test]
    fn floats_print_by_magnitude() {
        for (value, text) in [
            (2.0, "2"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1_234_567.5, "1234567.5"),
            (1e5, "100000"),
            (1e-4, "0.0001"),
            (1e-7, "0.0000001"),
            (1e-8, "1e-08"),
            (1.5e-10, "1.5e-10"),
            (1e36, "1e+36"),
            (1e21, "1e+21"),
            (1e20, "100000000000000000000"),
            (9_223_372_036_854_775_808.0, "9223372036854775808"),
            (-2.5, "-2.5"),
            (0.000_123_4, "0.0001234"),
            (0.000_099, "0.000099"),
            (123_456_789_012_345.6, "123456789012345.6"),
            (1.0 / 3.0, "0.3333333333333333"),
            (-0.0, "0"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "Infinity"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(float(value), text);
        }
    }

    #[test]
    fn numbers_are_read_whole_or_not_at_all() {
        assert_eq!(parse_int(b"-12"), Some(-12));
        for text in [&b""[..], b"12abc", b" 5", b"+", b"1.5", b"99999999999999999999"] {
            assert_eq!(parse_int(text), None);
        }
        assert_eq!(parse_float(b"1e3"), Some(1000.0));
        for text in [&b"inf"[..], b"nan", b"0x10", b" 1.5", b".", b"e5", b"1e"] {
            assert_eq!(parse_float(text), None);
        }
    }

    #[test]
    fn broken_utf8_counts_bytes() {
        assert_eq!(char_count("çab".as_bytes()), 3);
        assert_eq!(char_count(b"a\xffb\xc3"), 4);
        assert_eq!(chars(b"a\xff").collect::<Vec<_>>(), [&b"a"[..], b"\xff"]);
        assert_eq!(byte_offset("çab".as_bytes(), 1), 2);
    }
}
