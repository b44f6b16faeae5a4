//! What queries and form bodies decode to.

use super::*;

fn decoded(text: &str) -> String {
    String::from_utf8_lossy(&decode_component(text.as_bytes(), true)).into_owned()
}

fn found(text: &str, name: &str) -> Option<String> {
    find(text.as_bytes(), name.as_bytes()).map(|value| String::from_utf8_lossy(&value).into_owned())
}

fn listed(text: &str) -> Vec<(String, String)> {
    let text_of = |bytes: Cow<'_, [u8]>| String::from_utf8_lossy(&bytes).into_owned();
    all(text.as_bytes()).into_iter().map(|(name, value)| (text_of(name), text_of(value))).collect()
}

#[test]
fn percent_and_plus_are_decoded() {
    assert_eq!(decoded("a+b%20c%2Bd%3d"), "a b c+d=");
    assert_eq!(decoded("%C3%BC"), "ü");
    assert_eq!(decode_component(b"%00%ff", true).as_ref(), b"\x00\xff");
}

#[test]
fn an_invalid_escape_stays_as_written() {
    for text in ["%", "%4", "%zz", "100%", "%%", "%+1", "%-1", "%0x41", "a%G0b"] {
        assert_eq!(decode_component(text.as_bytes(), false).as_ref(), text.as_bytes());
    }
    assert_eq!(decoded("%%41"), "%A");
    assert_eq!(decoded("%4%41"), "%4A");
}

#[test]
fn decoding_happens_once() {
    assert_eq!(decoded("%2541"), "%41");
}

#[test]
fn a_plus_in_a_path_is_a_plus() {
    assert_eq!(decode_component(b"a+b%2Fc%20d", false).as_ref(), b"a+b/c d");
}

#[test]
fn what_is_not_encoded_is_not_copied() {
    assert!(matches!(decode_component(b"plain", true), Cow::Borrowed(b"plain")));
    assert!(matches!(decode_component(b"a+b", false), Cow::Borrowed(b"a+b")));
    assert!(matches!(find(b"a=1&name=plain", b"name"), Some(Cow::Borrowed(b"plain"))));
}

#[test]
fn encoding_and_decoding_are_inverse() {
    let every: Vec<u8> = (0..=255).collect();
    let encoded = encode_component(&every, |byte| byte.is_ascii_alphanumeric());
    assert!(encoded.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'%'));
    assert_eq!(decode_component(&encoded, true).as_ref(), every);
    assert_eq!(encode_component(b"\x0a\xff%", |_| false).as_ref(), b"%0A%FF%25");
    assert_eq!(encode_component(b"%41", |_| true).as_ref(), b"%2541");
}

#[test]
fn missing_and_empty_are_different() {
    assert_eq!(found("a=&b&=c", "a").as_deref(), Some(""));
    assert_eq!(found("a=&b&=c", "b").as_deref(), Some(""));
    assert_eq!(found("a=&b&=c", "").as_deref(), Some("c"));
    assert_eq!(found("a=&b&=c", "c"), None);
    assert_eq!(found("", ""), None);
    assert_eq!(found("&&&", ""), None);
}

#[test]
fn the_last_duplicate_wins() {
    assert_eq!(found("a=1&b=2&%61=3", "a").as_deref(), Some("3"));
    let expected = [("a", "3"), ("b", "2")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(listed("a=1&b=2&%61=3"), expected);
}

#[test]
fn names_are_found_in_their_encoded_form() {
    assert_eq!(found("a+b=1&c%20d=2", "a b").as_deref(), Some("1"));
    assert_eq!(found("a+b=1&c%20d=2", "c d").as_deref(), Some("2"));
    assert_eq!(found("%zz=1", "%zz").as_deref(), Some("1"));
}

#[test]
fn an_encoded_name_is_not_its_own_name() {
    // The bytes as sent must not shadow what they mean.
    assert_eq!(found("a%20b=1", "a b").as_deref(), Some("1"));
    assert_eq!(found("a%20b=1", "a%20b"), None);
}

#[test]
fn a_value_keeps_its_equals_signs() {
    assert_eq!(found("a=b=c==", "a").as_deref(), Some("b=c=="));
}

#[test]
fn brackets_belong_to_the_name() {
    assert_eq!(found("a[]=1&a[]=2&a[b]=3", "a[]").as_deref(), Some("2"));
    assert_eq!(found("a[]=1&a[]=2&a[b]=3", "a[b]").as_deref(), Some("3"));
    assert_eq!(found("a[]=1", "a"), None);
}

#[test]
fn pairs_behind_the_limit_do_not_exist() {
    let many: String = (0..=MAX_PAIRS).map(|number| format!("n{number}={number}&")).collect();
    assert_eq!(pairs(many.as_bytes()).count(), MAX_PAIRS);
    assert_eq!(all(many.as_bytes()).len(), MAX_PAIRS);
    assert_eq!(found(&many, "n999").as_deref(), Some("999"));
    assert_eq!(found(&many, "n1000"), None);
}

#[test]
fn any_bytes_decode_to_something_no_longer() {
    let mut state = 7_u32;
    for length in 0..300 {
        let text: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // Many of the bytes that mean something.
            *b"%%%+&=0aFg\x00\xff".get(state as usize >> 16 & 15).unwrap_or(&b'%')
        })
        .take(length)
        .collect();
        assert!(decode_component(&text, true).len() <= text.len());
        for (name, value) in all(&text) {
            assert_eq!(find(&text, &name), Some(value));
        }
    }
}
