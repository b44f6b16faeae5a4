//! Positions, limits and edges of the text builtins.

use crate::testing::{call, error, text};
use vm::{List, Map, Str, Value};

fn str(text: &str) -> Value {
    Value::str(text)
}

/// Each character as bytes, so that broken UTF-8 can be compared.
fn bytes(module: &str, name: &str, args: Vec<Value>) -> Vec<u8> {
    let value = call(module, name, args).expect("gives a result");
    value.as_str().expect("gives a string").as_bytes().to_vec()
}

const BROKEN: &[u8] = b"a\xffb\xc3";

#[test]
fn case_is_simple_and_the_same_everywhere() {
    for (given, upper, lower) in [
        ("istanbul", "ISTANBUL", "istanbul"),
        ("İI", "İI", "ii"),
        ("ıi", "II", "ıi"),
        ("straße", "STRAßE", "straße"),
        ("ΑΣ", "ΑΣ", "ας".replace('ς', "σ").as_str()),
        ("ᾳ", "ᾼ", "ᾳ"),
        ("ǆ", "Ǆ", "ǆ"),
        ("", "", ""),
        ("a1!", "A1!", "a1!"),
    ] {
        assert_eq!(text("string", "upper", vec![str(given)]), upper);
        assert_eq!(text("", "strtolower", vec![str(given)]), lower);
    }
    assert_eq!(bytes("string", "upper", vec![Value::str(BROKEN)]), b"A\xffB\xc3");
}

#[test]
fn trimming_takes_four_kinds_of_space() {
    for (given, both, left, right) in [
        (" \t\r\na b\n ", "a b", "a b\n ", " \t\r\na b"),
        ("", "", "", ""),
        ("  ", "", "", ""),
        ("\u{a0}x\u{b}", "\u{a0}x\u{b}", "\u{a0}x\u{b}", "\u{a0}x\u{b}"),
    ] {
        assert_eq!(text("string", "trim", vec![str(given)]), both);
        assert_eq!(text("string", "ltrim", vec![str(given)]), left);
        assert_eq!(text("string", "rtrim", vec![str(given)]), right);
    }
}

#[test]
fn substr_counts_characters_and_clamps() {
    let part = |given: &str, start: i64, length: Option<i64>| {
        let mut args = vec![str(given), Value::int(start)];
        args.extend(length.map(Value::int));
        text("string", "substr", args)
    };
    for given in ["abcd", "çğüş"] {
        let letters: Vec<char> = given.chars().collect();
        let expected = |from: usize, to: usize| letters.iter().skip(from).take(to - from).collect::<String>();
        assert_eq!(part(given, 1, Some(2)), expected(1, 3));
        assert_eq!(part(given, -2, None), expected(2, 4));
        assert_eq!(part(given, -3, Some(1)), expected(1, 2));
        assert_eq!(part(given, -99, Some(2)), expected(0, 2));
        assert_eq!(part(given, 0, Some(-1)), "");
        assert_eq!(part(given, 4, None), "");
        assert_eq!(part(given, i64::MAX, Some(i64::MAX)), "");
        assert_eq!(part(given, i64::MIN, Some(i64::MAX)), given);
    }
    let args = vec![Value::str(BROKEN), Value::int(1), Value::int(2)];
    assert_eq!(bytes("string", "substr", args), b"\xffb");
    assert_eq!(text("string", "substr", vec![str("ab"), Value::int(1), Value::NULL]), "b");
}

#[test]
fn positions_are_characters() {
    for (given, part, at) in
        [("çab", "b", "2"), ("abc", "z", "-1"), ("abc", "", "0"), ("", "a", "-1"), ("aXbX", "X", "1")]
    {
        assert_eq!(text("string", "index_of", vec![str(given), str(part)]), at);
        assert_eq!(text("string", "contains", vec![str(given), str(part)]), (at != "-1").to_string());
    }
    assert_eq!(text("string", "index_of", vec![Value::str(BROKEN), str("b")]), "2");
    assert_eq!(text("string", "length", vec![Value::str(BROKEN)]), "4");
    assert_eq!(text("string", "starts_with", vec![str("abc"), str("")]), "true");
    assert_eq!(text("string", "ends_with", vec![str("abc"), str("xabc")]), "false");
}

#[test]
fn replace_and_split_handle_empty_parts() {
    for (given, search, with, result) in [
        ("abc", "", "X", "XaXbXcX"),
        ("", "", "X", "X"),
        ("çğ", "", "-", "-ç-ğ-"),
        ("aaa", "a", "", ""),
        ("aaa", "aa", "b", "ba"),
        ("a-b-c", "-", "--", "a--b--c"),
        ("abc", "x", "y", "abc"),
    ] {
        assert_eq!(text("string", "replace", vec![str(given), str(search), str(with)]), result);
    }
    for (given, separator, limit, result) in [
        ("a,b,c", ",", 0, "[a, b, c]"),
        ("a,b,c", ",", 2, "[a, b,c]"),
        ("a,b,c", ",", 1, "[a,b,c]"),
        ("a,b,c", ",", -3, "[a, b, c]"),
        ("", ",", 0, "[]"),
        ("a--b--", "--", 0, "[a, b, ]"),
        ("çay", "", 0, "[ç, a, y]"),
        ("çay", "", 2, "[ç, ay]"),
        ("çay", "", 1, "[çay]"),
        ("çay", "", 3, "[ç, a, y]"),
    ] {
        let args = vec![str(given), str(separator), Value::int(limit)];
        assert_eq!(text("string", "split", args), result, "{given} {separator} {limit}");
    }
    let count = |given: &str, separator: &str| {
        let value = call("string", "split", vec![str(given), str(separator)]).expect("splits");
        value.as_list().map(|list| list.len())
    };
    assert_eq!(count("", ","), Some(1));
    assert_eq!(count("", ""), Some(0));
}

#[test]
fn results_have_a_limit() {
    let million = Value::from(Str::from("a".repeat(1_000_000)));
    assert!(error("string", "repeat", vec![million.clone(), Value::int(i64::MAX)]).contains("longer than"));
    assert!(error("string", "repeat", vec![million.clone(), Value::int(2000)]).contains("longer than"));
    assert!(error("string", "replace", vec![million.clone(), str("a"), million.clone()]).contains("longer than"));
    assert!(error("string", "replace", vec![million.clone(), str(""), million.clone()]).contains("longer than"));
    let many = Value::from(List::from(vec![million.clone(); 2000]));
    assert!(error("", "join", vec![many.clone()]).contains("longer than"));
    assert!(error("string", "join", vec![many, million]).contains("longer than"));
    assert!(error("string", "pad_left", vec![str("a"), Value::int(i64::MAX)]).contains("longer than"));
    assert!(error("string", "pad_right", vec![str("a"), Value::int(11 << 20)]).contains("longer than"));
    assert!(error("string", "format", vec![str("%99999999999999999999d"), Value::int(1)]).contains("longer than"));
    assert!(error("string", "format", vec![str("%.5000f"), Value::int(1)]).contains("precision"));
    assert!(error("string", "random", vec![Value::int(11 << 20)]).contains("longer than"));
}

#[test]
fn repeat_pad_join_and_reverse() {
    assert_eq!(text("string", "repeat", vec![str("ab"), Value::int(0)]), "");
    assert_eq!(text("string", "repeat", vec![str(""), Value::int(i64::MAX)]), "");
    assert!(error("string", "repeat", vec![str("a"), Value::int(-1)]).contains("negative"));
    for (given, width, pad, left, right) in [
        ("ş", 3, "x", "xxş", "şxx"),
        ("7", 4, "ab", "aba7", "7aba"),
        ("7", 4, "çğ", "çğç7", "7çğç"),
        ("abcdef", 3, "x", "abcdef", "abcdef"),
        ("a", -5, "x", "a", "a"),
        ("a", 3, "", "  a", "a  "),
    ] {
        let args = || vec![str(given), Value::int(width), str(pad)];
        assert_eq!(text("string", "pad_left", args()), left);
        assert_eq!(text("string", "pad_right", args()), right);
    }
    assert_eq!(text("string", "pad_left", vec![Value::int(42), Value::int(5), str("0")]), "00042");
    let map: Map = [(Str::from("k"), Value::int(1)), (Str::from("l"), Value::NULL)].into_iter().collect();
    assert_eq!(text("", "join", vec![Value::from(map), str("+")]), "1+null");
    assert!(error("", "join", vec![str("a")]).contains("must be array"));
    assert_eq!(text("string", "reverse", vec![str("abç")]), "çba");
    assert_eq!(bytes("string", "reverse", vec![Value::str(BROKEN)]), b"\xc3b\xffa");
}

#[test]
fn slugs_are_plain() {
    for (given, slug) in [
        ("Merhaba Dünya!", "merhaba-dunya"),
        ("--!!__", ""),
        ("IŞIK İĞNE", "isik-igne"),
        ("Crème brûlée & Cie", "creme-brulee-cie"),
        ("Cafe\u{301}", "cafe"),
        ("Straße 5", "strasse-5"),
        ("日本", ""),
    ] {
        assert_eq!(text("string", "slugify", vec![str(given)]), slug);
    }
}

#[test]
fn format_fills_places() {
    for (format, value, result) in [
        ("%5d|", Value::int(-42), "  -42|"),
        ("%05d", Value::int(-42), "-0042"),
        ("%-5d|", Value::int(42), "42   |"),
        ("%+d", Value::int(42), "+42"),
        ("%d", Value::float(3.9), "3"),
        ("%d", Value::str("12"), "12"),
        ("%x %%", Value::int(255), "ff %"),
        ("%X", Value::int(-1), "FFFFFFFFFFFFFFFF"),
        ("%04o", Value::int(8), "0010"),
        ("%f", Value::float(1.5), "1.500000"),
        ("%.0f", Value::float(2.5), "2"),
        ("%08.3f", Value::float(-3.25159), "-003.252"),
        ("%.2f", Value::float(f64::INFINITY), "Infinity"),
        ("%06f", Value::float(f64::NAN), "   NaN"),
        ("%d", Value::int(i64::MIN), "-9223372036854775808"),
        ("%.2s|", Value::str("çay"), "ça|"),
        ("%5s|", Value::str("çay"), "  çay|"),
        ("%s", Value::NULL, "null"),
        ("100% sure", Value::NULL, "100% sure"),
        ("%", Value::NULL, "%"),
        ("%5", Value::NULL, "%5"),
        ("%ç", Value::NULL, "%ç"),
    ] {
        assert_eq!(text("string", "format", vec![str(format), value]), result, "{format}");
    }
    assert!(error("string", "format", vec![str("%s %d"), str("a")]).contains("'%d' has no argument left"));
    assert!(error("string", "format", vec![str("%d"), str("12abc")]).contains("needs a number, got string \"12abc\""));
}

#[test]
fn decode_knows_legacy_sets() {
    let decode = |bytes: &[u8], charset: &str| text("string", "decode", vec![Value::str(bytes), str(charset)]);
    assert_eq!(decode(b"\xfe\xdd", "iso-8859-9"), "şİ");
    assert_eq!(decode(b"\x80", "Windows-1252"), "€");
    assert_eq!(decode("ç".as_bytes(), "utf-8"), "ç");
    assert_eq!(decode(b"abc", "no-such-set"), "abc");
}

#[test]
fn random_text_has_its_length() {
    assert_eq!(text("string", "random", vec![]).len(), 8);
    assert_eq!(text("string", "random", vec![Value::int(0)]), "");
    let long = text("string", "random", vec![Value::int(1000)]);
    assert!(long.len() == 1000 && long.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    assert!(error("string", "random", vec![Value::int(-1)]).contains("negative"));
}

#[test]
fn numbers_are_text_and_null_is_not() {
    assert_eq!(text("string", "len", vec![Value::int(-12345)]), "6");
    assert_eq!(text("string", "contains", vec![Value::float(1.5), Value::str(".")]), "true");
    let message = error("string", "upper", vec![Value::NULL]);
    assert_eq!(message, "string::upper(): argument 1 ($text) must be string, got null");
}
