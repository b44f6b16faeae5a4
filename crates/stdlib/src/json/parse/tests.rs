//! Tests of the parser: the grammar from both sides, positions, and the language's own rules.

use super::*;
use crate::json::{TooLong, write};
use vm::View;

fn back(text: &str) -> String {
    rewritten(&parse(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}")))
}

fn rewritten(value: &Value) -> String {
    let mut out = Vec::new();
    assert_ne!(write(&mut out, value), Err(TooLong));
    String::from_utf8(out).expect("JSON is UTF-8")
}

fn error(text: impl AsRef<[u8]>) -> String {
    match parse(text.as_ref()) {
        Ok(value) => panic!("{} was read as {}", String::from_utf8_lossy(text.as_ref()), rewritten(&value)),
        Err(error) => error.to_string(),
    }
}

#[test]
fn valid_texts() {
    for (text, expected) in [
        (" null ", "null"),
        ("\t\r\n[ ]\n", "[]"),
        ("{ }", "{}"),
        (r#"[1 , 2,{"a" : [] , "b":{}}]"#, r#"[1,2,{"a":[],"b":{}}]"#),
        ("[true,false,null]", "[true,false,null]"),
        ("-0", "0"),
        ("9223372036854775807", "9223372036854775807"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("9223372036854775808", r#""9223372036854775808""#),
        ("123456789012345678901234567890", r#""123456789012345678901234567890""#),
        ("0.1", "0.1"),
        ("1E3", "1000"),
        ("-2.5e-1", "-0.25"),
        ("5e-324", "5e-324"),
        ("1e-999", "0"),
        ("1e400", r#""1e400""#),
        ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ("0.30000000000000004", "0.30000000000000004"),
        (r#""\"\\\/\b\f\n\r\t""#, r#""\"\\/\u0008\u000c\n\r\t""#),
        (r#""\u0041\u00e7\u2019""#, "\"Aç\u{2019}\""),
        (r#""\ud83d\ude00""#, "\"😀\""),
        (r#""\ud83dx\ude00\ud83d\u0041\uD83D\uD83D\uDE00""#, "\"\u{FFFD}x\u{FFFD}\u{FFFD}A\u{FFFD}😀\""),
        ("\"çay: a text with some length 😀\"", "\"çay: a text with some length 😀\""),
        ("\"\u{7f}\"", "\"\u{7f}\""),
    ] {
        assert_eq!(back(text), expected);
    }
}

#[test]
fn invalid_texts_name_place_and_cause() {
    for (text, expected) in [
        ("", "line 1, column 1: expected a value, found the end of the text"),
        ("  ", "line 1, column 3: expected a value, found the end of the text"),
        ("[1 2]", "line 1, column 4: expected ',' or ']', found '2'"),
        ("[1,]", "line 1, column 4: expected a value, found ']'"),
        ("[,1]", "line 1, column 2: expected a value, found ','"),
        ("{\"a\":1}x", "line 1, column 8: expected the end of the text, found 'x'"),
        ("{\"a\":1,}", "line 1, column 8: expected a key in double quotes, found '}'"),
        ("{\n  a: 1}", "line 2, column 3: expected a key in double quotes or '}', found 'a'"),
        ("{\"a\" 1}", "line 1, column 6: expected ':', found '1'"),
        ("{\"a\":1 \"b\":2}", "line 1, column 8: expected ',' or '}', found '\"'"),
        ("[\"ç\" ?]", "line 1, column 6: expected ',' or ']', found '?'"),
        ("[1}", "line 1, column 3: expected ',' or ']', found '}'"),
        ("{\"a\":1]", "line 1, column 7: expected ',' or '}', found ']'"),
        ("tru", "line 1, column 1: expected a value, found 't'"),
        ("nullx", "line 1, column 5: expected the end of the text, found 'x'"),
        ("'a'", "line 1, column 1: expected a value, found '\\''"),
        ("NaN", "line 1, column 1: expected a value, found 'N'"),
        ("-", "line 1, column 2: expected a digit, found the end of the text"),
        ("+1", "line 1, column 1: expected a value, found '+'"),
        ("01", "line 1, column 1: a number must not start with a needless 0"),
        ("-012", "line 1, column 2: a number must not start with a needless 0"),
        ("1.", "line 1, column 3: expected a digit, found the end of the text"),
        (".5", "line 1, column 1: expected a value, found '.'"),
        ("1e+", "line 1, column 4: expected a digit, found the end of the text"),
        ("0x10", "line 1, column 2: expected the end of the text, found 'x'"),
        ("\"abc", "line 1, column 5: the string is not closed"),
        ("\"a\\", "line 1, column 4: expected one of \"\\/bfnrtu after a backslash, found the end of the text"),
        ("\"\\x\"", "line 1, column 3: expected one of \"\\/bfnrtu after a backslash, found 'x'"),
        ("\"\\u12g4\"", "line 1, column 4: expected four hexadecimal digits, found '1'"),
        ("\"a\nb\"", "line 1, column 3: a control character in a string must be written as an escape"),
        ("[1] // no", "line 1, column 5: expected the end of the text, found '/'"),
        ("\u{feff}1", "line 1, column 1: expected a value, found '\\u{feff}'"),
    ] {
        assert_eq!(error(text), expected, "{text:?}");
    }
    assert_eq!(error(b"[\"ab\xff\"]"), "line 1, column 5: the text is not UTF-8");
    assert_eq!(error(b"\"\\n\xe2\x82\""), "line 1, column 4: the text is not UTF-8");
}

#[test]
fn every_prefix_and_every_changed_byte_is_survived() {
    let text = r#"{"a":[1,-2.5e3,{"b":"x\u00e7\ud83d\ude00y","b":null}],"long key with ç":true}"#.as_bytes();
    let mut parser = Parser::default();
    for at in 0..text.len() {
        let (start, rest) = text.split_at(at);
        assert!(parser.parse(start).is_err());
        for byte in [b'"', b'\\', b'{', b'}', b'[', b']', b',', b':', b'0', b' ', 0, 0x80, 0xff] {
            let changed = [start, &[byte], rest.get(1..).unwrap_or(&[])].concat();
            if let Err(error) = parser.parse(&changed) {
                assert!(error.offset <= text.len());
            }
        }
    }
    assert!(parser.parse(text).is_ok());
}

#[test]
fn a_repeated_key_keeps_its_place_and_its_last_value() {
    assert_eq!(back(r#"{"a":1,"b":2,"a":3}"#), r#"{"a":3,"b":2}"#);
    assert_eq!(back(r#"{"a":1,"a":{"a":2,"c":[]},"a":[7],"b":2,"\u0061":4}"#), r#"{"a":4,"b":2}"#);
    // Also when the shape is already expected.
    let mut parser = Parser::default();
    for (text, expected) in [
        (r#"{"a":1,"b":2}"#, r#"{"a":1,"b":2}"#),
        (r#"{"a":1,"a":2,"b":3}"#, r#"{"a":2,"b":3}"#),
        (r#"{"a":1}"#, r#"{"a":1}"#),
        (r#"{"a":1,"b":2,"b":3}"#, r#"{"a":1,"b":3}"#),
        (r#"{"b":1,"a":2}"#, r#"{"b":1,"a":2}"#),
        ("{}", "{}"),
    ] {
        assert_eq!(rewritten(&parser.parse(text.as_bytes()).expect("valid")), expected);
    }
}

#[test]
fn large_maps_are_read_in_linear_time_and_in_order() {
    let entries: Vec<String> = (0..50_000).map(|n| format!("\"k{n}\":{n}")).collect();
    let text = format!("{{{},\"k7\":\"seven\",\"k49999\":[]}}", entries.join(","));
    let value = parse(text.as_bytes()).expect("valid");
    let View::Map(map) = value.view() else { panic!("a map") };
    assert_eq!(map.len(), 50_000);
    assert_eq!(map.get(b"k7").map(rewritten).as_deref(), Some("\"seven\""));
    assert_eq!(map.get(b"k49999").map(rewritten).as_deref(), Some("[]"));
    assert_eq!(map.keys().iter().position(|key| key.as_bytes() == b"k49998"), Some(49_998));
}

#[test]
fn equal_objects_share_a_shape() {
    let value = parse(br#"[{"x":1,"y":{"z":1}},{"x":2,"y":{"z":2}},{"y":1},{"x":1,"y":2}]"#).expect("valid");
    let shapes: Vec<_> = value.as_list().into_iter().flat_map(|list| list.iter()).filter_map(Value::as_map).collect();
    let [a, b, c, d] = shapes.as_slice() else { panic!("four maps") };
    assert!(a.shape().is_same(b.shape()) && a.shape().is_same(d.shape()) && !a.shape().is_same(c.shape()));
}

#[test]
fn depth_has_a_limit() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert!(parse(nested(MAX_DEPTH).as_bytes()).is_ok());
    assert_eq!(error(nested(MAX_DEPTH + 1)), "line 1, column 257: nested deeper than 256 levels");
    assert_eq!(error("{\"a\":".repeat(100_000)), "line 1, column 1281: nested deeper than 256 levels");
}

#[test]
fn nothing_is_left_behind() {
    let before = vm::live_objects();
    let mut parser = Parser::default();
    for text in [r#"[{"a":"b"},["c",1"#, r#"{"a":{"b":["c"]},"a":2}"#, r#"["x",{"y""#] {
        drop(parser.parse(text.as_bytes()));
    }
    drop(parser);
    let keys_kept_by_shapes = 3;
    assert!(vm::live_objects() - before <= keys_kept_by_shapes);
}
