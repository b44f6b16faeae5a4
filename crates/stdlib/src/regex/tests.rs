//! Patterns, groups, replacements and limits.

use crate::testing::{call, call_in, error, isolate, text};
use std::time::{Duration, Instant};
use vm::{Str, Value};

fn str(text: &str) -> Value {
    Value::str(text)
}

#[track_caller]
fn all(given: &str, pattern: &str) -> String {
    text("string", "regex_match_all", vec![str(given), str(pattern)])
}

#[track_caller]
fn replaced(given: &str, pattern: &str, with: &str) -> String {
    text("string", "regex_replace", vec![str(given), str(pattern), str(with)])
}

#[test]
fn escapes_have_their_ecmascript_meaning() {
    for (given, pattern, matches) in [
        ("a1٣b", r"\d", "[[1]]"),
        ("aé_1-", r"\w+", "[[a], [_1]]"),
        ("a\u{a0}b c", r"\s", "[[\u{a0}], [ ]]"),
        ("x\ny\u{2028}z", ".", "[[x], [y], [z]]"),
        ("éa b", r"\b\w", "[[a], [b]]"),
        ("a/b", r"a\/b", "[[a/b]]"),
        ("a-b", r"a\-b", "[[a-b]]"),
        ("ıI", r"\u0131", "[[ı]]"),
        ("😀", r"\ud83d\ude00", "[[😀]]"),
        ("😀", r"\u{1f600}", "[[😀]]"),
        ("\tA", r"\x41|\cI", "[[\t], [A]]"),
        ("ux", r"\ux", "[[ux]]"),
        ("A", r"\A", "[[A]]"),
        ("çĞa", r"\p{L}+", "[[çĞa]]"),
        ("a\0", r"\0", "[[\0]]"),
        ("<b>", r"\<b\>", "[[<b>]]"),
    ] {
        assert_eq!(all(given, pattern), matches, "{pattern}");
    }
}

#[test]
fn classes_and_literals_are_ecmascript() {
    for (given, pattern, matches) in [
        ("a[b", "[[]", "[[[]]"),
        ("a]b", "]", "[[]]]"),
        ("a}b{", "[}]|{", "[[}], [{]]"),
        ("{id}", "{id}", "[[{id}]]"),
        ("a{,2}", "a{,2}", "[[a{,2}]]"),
        ("aaa", "a{2}", "[[aa]]"),
        ("a\nb", "a[^]b", "[[a\nb]]"),
        ("ab", "[]", "[]"),
        ("a&&b", "[a&&b]+", "[[a&&b]]"),
        ("a-z", "[-z]", "[[-], [z]]"),
        ("a-.", r"[\w-.]+", "[[a-.]]"),
        ("^a", "[a^]+", "[[^a]]"),
        ("a\\", r"[\\]", "[[\\]]"),
        ("a~#b", "[~#]+", "[[~#]]"),
        ("a1b", r"[^\D]", "[[1]]"),
        ("\u{8}", r"[\b]", "[[\u{8}]]"),
        ("a\nb", "a$", "[]"),
        ("a\nb", "(?m)a$", "[[a]]"),
        ("a\nb", "(?s:.)+", "[[a\nb]]"),
        ("ABc", "(?i:ab)c", "[[ABc]]"),
        ("ABC", "(?i)abc", "[[ABC]]"),
    ] {
        assert_eq!(all(given, pattern), matches, "{pattern}");
    }
}

#[test]
fn groups_and_empty_matches() {
    assert_eq!(all("a1 b", r"([a-z])(\d)?"), "[[a1, a, 1], [b, b, ]]");
    assert_eq!(all("2024-05", r"(?<y>\d+)-(?<m>\d+)"), "[[2024-05, 2024, 05]]");
    assert_eq!(all("abc", "b*"), "[[], [b], [], []]");
    assert_eq!(all("çay", ""), "[[], [], [], []]");
    assert_eq!(all("é", r"\B"), "[[], []]");
    assert_eq!(all("", "a"), "[]");
    assert_eq!(all("", "()"), "[[, ]]");
    assert_eq!(all("<b>x</b>", r"<b>([\s\S]*?)</b>"), "[[<b>x</b>, x]]");
}

#[test]
fn looking_around_and_back() {
    assert_eq!(replaced("href=\"x:1\"", "href=\"(?!http)[^\"]*\"", "href=\"#\""), "href=\"#\"");
    assert_eq!(all("a1b2", r"[a-z](?=2)"), "[[b]]");
    assert_eq!(all("a1b2", r"(?<=a)\d"), "[[1]]");
    assert_eq!(all("$5 €6", r"(?<!\$)\b\d"), "[[6]]");
    assert_eq!(all("aa bc dd", r"(\w)\1"), "[[aa, a], [dd, d]]");
    assert_eq!(all("'a' \"b\"", "(?<q>['\"])(.)\\k<q>"), "[['a', ', a], [\"b\", \", b]]");
    assert_eq!(all("a[1", r"(?=.)[^\D]|[[]"), "[[[], [1]]");
    assert_eq!(text("string", "regex_match", vec![str("abc"), str("^(?=.*c)")]), "true");
    let broken = vec![Value::str(b"\xffab\xfe"), str("a(?=b)"), str("x")];
    let value = call("string", "regex_replace", broken).expect("replaces");
    assert_eq!(value.as_str().map(Str::as_bytes), Some(&b"\xffxb\xfe"[..]));
}

#[test]
fn replacements_refer_to_the_match() {
    for (given, pattern, with, result) in [
        ("2024-05", r"(\d+)-(\d+)", "$2/$1", "05/2024"),
        ("abc", "b", "[$&]", "a[b]c"),
        ("abc", "b", "$$", "a$c"),
        ("abc", "b", "$`$'", "aacc"),
        ("abc", "b", "$1$", "a$1$c"),
        ("abc", "(b)", "$10$2", "ab0$2c"),
        ("abc", "(?<x>b)", "<$<x>$<none>>", "a<b>c"),
        ("abc", "(b)", "$<x>", "a$<x>c"),
        ("abc", "", "-", "-a-b-c-"),
        ("abc", "b*", "-", "-a--c-"),
        ("çay", "", "-", "-ç-a-y-"),
        ("abc", "x", "y", "abc"),
        ("a1", r"(\d)|(x)", "<$2>", "a<>"),
    ] {
        assert_eq!(replaced(given, pattern, with), result, "{pattern} {with}");
    }
    let broken = vec![Value::str(b"a\xffb\xc3"), str("[ab]"), str("x")];
    let value = call("string", "regex_replace", broken).expect("replaces");
    assert_eq!(value.as_str().map(Str::as_bytes), Some(&b"x\xffx\xc3"[..]));
}

#[test]
fn bad_patterns_name_pattern_and_cause() {
    for (pattern, cause) in [
        ("[", "without its ']'"),
        ("[a", "without its ']'"),
        ("(", "without its ')'"),
        (")", "without its '('"),
        ("*", "nothing that '*' could repeat"),
        ("a**", "nothing that '*' could repeat"),
        ("a{2}{3}", "could repeat"),
        ("(?", "without its ')'"),
        ("(?x)a", "flags are i, m and s"),
        ("(?<1>a)", "no name for a group"),
        ("(?<a", "no '>'"),
        ("[z-a]", "wrong order"),
        ("a\\", "at the end"),
        (r"\2(a)", "does not exist"),
        (r"\c1", "needs a letter"),
        (r"\ud800", "half a character"),
        (r"\u{110000}", "no character"),
        (r"\p{Nope}", "not found"),
        ("a{5,2}", ""),
        ("a{99999999999}", ""),
        ("(a{1000}){1000}", "too large"),
        ("(?<a>x)(?<a>y)", ""),
        (r"(?=x)\k<none>", ""),
    ] {
        let message = error("string", "regex_match", vec![str("a"), str(pattern)]);
        let start = format!("string::regex_match(): the pattern '{pattern}' cannot be used: ");
        assert!(message.starts_with(&start) && message.contains(cause) && message.len() > start.len(), "{message}");
        assert!(!message.contains('\n'), "{message}");
    }
    assert!(error("string", "regex_match", vec![str("a"), Value::str(b"\xff")]).contains("UTF-8"));
    assert!(error("string", "regex_match", vec![str("a"), str(&"a".repeat(70_000))]).contains("longer than"));
}

#[test]
fn hostile_patterns_end_soon() {
    let long = str(&("a".repeat(44) + "b"));
    let mut isolate = isolate();
    for pattern in ["(a+)+$", "(?=x|)(a+)+$", r"(a*)*\1$"] {
        let start = Instant::now();
        let _either = call_in(&mut isolate, "string", "regex_match", vec![long.clone(), str(pattern)]);
        assert!(start.elapsed() < Duration::from_secs(3), "{pattern} took {:?}", start.elapsed());
        let plain = call_in(&mut isolate, "string", "regex_match", vec![str("abc"), str("b")]);
        assert!(plain.expect("matches").is_identical(&Value::TRUE));
    }
    let message = error("string", "regex_match", vec![long, str(r"^(?:(a)|a)*\1?(?=c)")]);
    assert!(message.contains(r"^(?:(a)|a)*\1?(?=c)") && message.contains("steps"), "{message}");
    let deep = "(".repeat(5000) + "a" + &")".repeat(5000);
    assert!(error("string", "regex_match", vec![str("a"), str(&deep)]).contains("cannot be used"));
    let deep = "(?=".repeat(5000) + "a" + &")".repeat(5000);
    assert!(error("string", "regex_match", vec![str("a"), str(&deep)]).contains("cannot be used"));
}

#[test]
fn the_cache_forgets_and_still_answers() {
    let mut isolate = isolate();
    for round in 0..2 {
        for number in 0..600 {
            let args = vec![str(&format!("x{number}y")), str(&format!("x{number}y"))];
            let found = call_in(&mut isolate, "string", "regex_match", args).expect("matches");
            assert!(found.is_identical(&Value::TRUE), "{round} {number}");
        }
    }
}

#[test]
fn any_pattern_compiles_or_throws() {
    // Every short pattern over what has a meaning, on a text that holds all of it.
    let parts =
        ["a", "\\", "[", "]", "(", ")", "{", "}", "2", ",", "*", "?", "|", "^", "$", "-", ".", "<", ":", "=", "!", "ç"];
    let mut isolate = isolate();
    for a in parts {
        for b in parts {
            for c in parts {
                let pattern = format!("{a}{b}{c}");
                let args = vec![str("a\\[](){}2,*?|^$-.<:=!ç"), str(&pattern)];
                if let Err(thrown) = call_in(&mut isolate, "string", "regex_match_all", args) {
                    let message = crate::testing::message(thrown);
                    assert!(message.contains("cannot be used"), "{message}");
                }
            }
        }
    }
}
