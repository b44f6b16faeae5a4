//! What browsers send, what they are told, and what hostile text does to both.

use super::*;

/// The moment of the example in RFC 9110: Sun, 06 Nov 1994 08:49:37 GMT.
fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(784_111_777)
}

fn made(name: &str, value: &str, options: &Options<'_>) -> Result<String, InvalidCookie> {
    let cookie = set(name.as_bytes(), value.as_bytes(), options, now())?;
    Ok(String::from_utf8_lossy(&cookie).into_owned())
}

fn found(header: &str, name: &str) -> Option<String> {
    find(header.as_bytes(), name.as_bytes()).map(|value| String::from_utf8_lossy(&value).into_owned())
}

#[test]
fn names_and_values_are_encoded_and_the_defaults_are_safe() {
    assert_eq!(made("a b", "x;y", &Options::default()).as_deref(), Ok("a%20b=x%3By; Path=/; HttpOnly; SameSite=Lax"));
}

#[test]
fn a_lifetime_is_a_date_and_a_number_of_seconds() {
    let options = Options { seconds: 3600, ..Options::default() };
    assert_eq!(
        made("a", "1", &options).as_deref(),
        Ok("a=1; Path=/; Expires=Sun, 06 Nov 1994 09:49:37 GMT; Max-Age=3600; HttpOnly; SameSite=Lax")
    );
    for seconds in [0, -1, i64::MIN] {
        let cookie = made("a", "1", &Options { seconds, ..Options::default() });
        assert!(cookie.is_ok_and(|cookie| !cookie.contains("Expires") && !cookie.contains("Max-Age")));
    }
}

#[test]
fn the_longest_lifetime_ends_with_the_calendar() {
    let options = Options { seconds: i64::MAX, ..Options::default() };
    assert!(made("a", "1", &options).is_ok_and(|cookie| cookie.contains("Expires=Fri, 31 Dec 9999 23:59:59 GMT")));
}

#[test]
fn options_are_written_as_asked() {
    let options = Options {
        path: b"/app",
        domain: Some(b"example.com"),
        http_only: false,
        secure: true,
        same_site: Some(SameSite::None),
        ..Options::default()
    };
    let expected = "a=1; Path=/app; Domain=example.com; Secure; SameSite=None";
    assert_eq!(made("a", "1", &options).as_deref(), Ok(expected));
    let bare = Options { http_only: false, same_site: None, ..Options::default() };
    assert_eq!(made("a", "1", &bare).as_deref(), Ok("a=1; Path=/"));
}

#[test]
fn deleting_names_the_first_moment() {
    let cookie = delete(b"a b", &Options { path: b"/app", ..Options::default() });
    let expected = b"a%20b=; Path=/app; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0; HttpOnly; SameSite=Lax";
    assert_eq!(cookie.as_deref(), Ok(expected.as_slice()));
}

#[test]
fn no_name_or_value_leaves_its_place() {
    let hostile: Vec<u8> = (0..=255).collect();
    let cookie = set(&hostile, &hostile, &Options::default(), now()).unwrap_or_default();
    assert!(!cookie.is_empty() && cookie.iter().all(|byte| matches!(byte, b' '..=b'~')));
    let pair = cookie.split(|byte| *byte == b';').next().unwrap_or_default();
    assert!(!pair.iter().any(|byte| b" \",\\\r\n".contains(byte)));
    assert_eq!(cookie.iter().filter(|byte| **byte == b';').count(), 3);
    assert_eq!(find(pair, &hostile).as_deref(), Some(hostile.as_slice()));
    assert_eq!(all(pair).first().map(|(name, _)| name.as_ref()), Some(hostile.as_slice()));
}

#[test]
fn paths_and_domains_that_would_add_attributes_are_refused() {
    for path in ["", "app", "/a;Secure", "/a\r\nX: y", "/ü", "/a\0", "/a "] {
        let options = Options { path: path.as_bytes(), ..Options::default() };
        assert!(matches!(made("a", "1", &options), Err(InvalidCookie::Path(_))), "{path:?}");
    }
    for domain in ["", ".", "a..b", "a;b", "a b", "a\n", "-a.com", "a-.com", "ü.de", "a.com.", "a:80", &"a".repeat(64)]
    {
        let options = Options { domain: Some(domain.as_bytes()), ..Options::default() };
        assert!(matches!(made("a", "1", &options), Err(InvalidCookie::Domain(_))), "{domain:?}");
    }
    for domain in ["localhost", ".example.com", "a-b.example.com", "127.0.0.1"] {
        let options = Options { domain: Some(domain.as_bytes()), ..Options::default() };
        assert!(made("a", "1", &options).is_ok(), "{domain:?}");
    }
}

#[test]
fn same_site_none_needs_secure() {
    let options = Options { same_site: Some(SameSite::None), ..Options::default() };
    assert_eq!(made("a", "1", &options), Err(InvalidCookie::NoneIsNotSecure));
}

#[test]
fn same_site_is_read_in_any_case_and_nothing_else_passes() {
    assert_eq!(SameSite::from_name(b"strict"), Ok(SameSite::Strict));
    assert_eq!(SameSite::from_name(b"LAX"), Ok(SameSite::Lax));
    let error = SameSite::from_name(b"Lax\r\nX: y").map_err(|error| error.to_string());
    assert_eq!(error, Err("samesite is \"Lax\\r\\nX: y\", it must be Lax, Strict or None".to_owned()));
}

#[test]
fn prefixes_that_browsers_check_are_checked_before() {
    let secure = Options { secure: true, ..Options::default() };
    assert!(made("__Secure-a", "1", &Options::default()).is_err());
    assert!(made("__secure-a", "1", &secure).is_ok());
    assert!(made("__Host-a", "1", &secure).is_ok());
    assert!(made("__Host-a", "1", &Options { path: b"/app", ..secure }).is_err());
    assert!(made("__HOST-a", "1", &Options { domain: Some(b"a.com"), ..secure }).is_err());
}

#[test]
fn what_browsers_would_cut_is_an_error_that_says_the_size() {
    let attributes = "a=; Path=/; HttpOnly; SameSite=Lax".len();
    let fits = "x".repeat(MAX_BYTES - attributes);
    assert!(made("a", &fits, &Options::default()).is_ok_and(|cookie| cookie.len() == MAX_BYTES));
    let error = made("a", &format!("{fits}x"), &Options::default());
    assert_eq!(error, Err(InvalidCookie::TooLarge("a".to_owned(), 4097)));
    assert!(error.is_err_and(|error| error.to_string().contains("4097 bytes")));
    assert!(matches!(made("a", &";".repeat(2000), &Options::default()), Err(InvalidCookie::TooLarge(_, 6034))));
}

#[test]
fn an_empty_name_is_an_error() {
    assert_eq!(made("", "1", &Options::default()), Err(InvalidCookie::NoName));
}

#[test]
fn a_header_is_read_with_and_without_spaces() {
    let header = "a=1; b=two;c=\"three\" ;  d = 4 ;e=";
    for (name, value) in [("a", "1"), ("b", "two"), ("c", "three"), ("d", "4"), ("e", "")] {
        assert_eq!(found(header, name).as_deref(), Some(value));
    }
    assert_eq!(found(header, "f"), None);
    assert_eq!(found(header, "A"), None);
}

#[test]
fn values_are_decoded_and_a_plus_is_a_plus() {
    assert_eq!(found("a=x%3By+z%zz", "a").as_deref(), Some("x;y+z%zz"));
    assert_eq!(found("a%20b=1", "a b").as_deref(), Some("1"));
}

#[test]
fn the_first_of_several_wins() {
    assert_eq!(found("a=1; a=2; b=3", "a").as_deref(), Some("1"));
    let listed = all(b"a=1; b=3; a=2");
    let listed: Vec<_> = listed.iter().map(|(name, value)| (name.as_ref(), value.as_ref())).collect();
    assert_eq!(listed, [(&b"a"[..], &b"1"[..]), (b"b", b"3")]);
}

#[test]
fn an_encoded_prefix_does_not_pass_for_the_prefix() {
    let header = "__%48ost-id=evil; __Host-id=good";
    assert_eq!(found(header, "__Host-id").as_deref(), Some("good"));
    assert_eq!(all(header.as_bytes()).first().map(|(name, _)| name.as_ref()), Some(&b"__%48ost-id"[..]));
}

#[test]
fn hostile_headers_are_harmless() {
    for header in ["", ";", "=", "=;=", "a", ";;;a;;", "a=\"", "a=\"\"\"", "\0=\u{1}", "a=%", "a==b", " = x"] {
        for (name, value) in all(header.as_bytes()) {
            assert_eq!(find(header.as_bytes(), &name), Some(value), "{header:?}");
        }
    }
    assert_eq!(found("a=\"", "a").as_deref(), Some("\""));
    assert_eq!(found("a==b", "a").as_deref(), Some("=b"));
    assert_eq!(found("a", "a"), None);
    let many = "a=1; ".repeat(20_000);
    assert_eq!(all(many.as_bytes()).len(), 1);
}
