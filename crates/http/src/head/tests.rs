//! Heads that are taken, and what is read from them.

use super::*;

fn parsed(text: &str) -> (Parsed, Head) {
    let mut head = Head::empty();
    let result = parse(text.as_bytes(), &Limits::default(), &mut head);
    (result, head)
}

fn framing(text: &str) -> Framing {
    match parsed(text).0 {
        Parsed::Complete(framing) => framing,
        other => panic!("{text:?} is {other:?}"),
    }
}

#[test]
fn targets_are_split() {
    let cases = [
        ("GET /", "/", "", "/", None),
        ("GET /a/b?c=d?e", "/a/b?c=d?e", "", "/a/b", Some("c=d?e")),
        ("GET /a?", "/a?", "", "/a", Some("")),
        ("GET //a", "//a", "", "//a", None),
        ("GET /ü", "/ü", "", "/ü", None),
        ("OPTIONS *", "*", "", "*", None),
        ("GET http://h:8/p?q", "http://h:8/p?q", "h:8", "/p", Some("q")),
        ("GET HTTPS://[::1]:8", "HTTPS://[::1]:8", "[::1]:8", "", None),
        ("GET http://h?q", "http://h?q", "h", "", Some("q")),
    ];
    for (line, target, authority, path, query) in cases {
        let text = format!("{line} HTTP/1.1\r\nHost: x\r\n\r\n");
        let (result, head) = parsed(&text);
        assert!(matches!(result, Parsed::Complete(_)), "{line}: {result:?}");
        let of = |span: Span| span.of_text(text.as_bytes());
        let query_of = head.query.map(of);
        assert_eq!((of(head.target), of(head.authority), of(head.path), query_of), (target, authority, path, query));
    }
}

#[test]
fn fields_are_found_and_trimmed() {
    let text = "PUT / HTTP/1.1\r\nHost:a\r\nX-One: \t b c \r\nX-Two:\r\nX-Three: \u{e4}\r\n\r\n";
    let (_, head) = parsed(text);
    let bytes = text.as_bytes();
    let fields: Vec<(&str, &[u8])> =
        head.fields.iter().map(|field| (field.name.of_text(bytes), field.value.of_bytes(bytes))).collect();
    let expected: Vec<(&str, &[u8])> =
        vec![("Host", b"a"), ("X-One", b"b c"), ("X-Two", b""), ("X-Three", "\u{e4}".as_bytes())];
    assert_eq!(fields, expected);
    assert_eq!(head.method.of_text(bytes), "PUT");
}

#[test]
fn bodies_are_announced() {
    let with = |fields: &str| framing(&format!("POST / HTTP/1.1\r\nHost: a\r\n{fields}\r\n")).body;
    assert_eq!(with(""), BodyLength::Exactly(0));
    assert_eq!(with("Content-Length: 0\r\n"), BodyLength::Exactly(0));
    assert_eq!(with("CONTENT-LENGTH: 0042\r\n"), BodyLength::Exactly(42));
    assert_eq!(with("Content-Length:\t18446744073709551615 \r\n"), BodyLength::Exactly(u64::MAX));
    assert_eq!(with("transfer-encoding: Chunked\r\n"), BodyLength::Chunked);
}

#[test]
fn connections_are_kept_by_the_rules_of_their_version() {
    let keeps =
        |version: &str, fields: &str| framing(&format!("GET / HTTP/{version}\r\nHost: a\r\n{fields}\r\n")).keep_alive;
    assert!(keeps("1.1", ""));
    assert!(keeps("1.1", "Connection: upgrade, keep-alive\r\n"));
    assert!(!keeps("1.1", "Connection: Close\r\n"));
    assert!(!keeps("1.1", "Connection: a ,\tclose\r\n"));
    assert!(!keeps("1.1", "Connection: keep-alive\r\nConnection: close\r\n"));
    assert!(!keeps("1.0", ""));
    assert!(keeps("1.0", "Connection: Keep-Alive\r\n"));
    assert!(!keeps("1.0", "Connection: keep-alive, close\r\n"));
    assert!(keeps("1.1", "X-Connection: close\r\nConnectionx: close\r\n"));
}

#[test]
fn a_client_waits_only_for_a_body() {
    let expects = |version: &str, fields: &str| {
        framing(&format!("POST / HTTP/{version}\r\nHost: a\r\nExpect: 100-Continue\r\n{fields}\r\n")).expects_continue
    };
    assert!(expects("1.1", "Content-Length: 1\r\n"));
    assert!(expects("1.1", "Transfer-Encoding: chunked\r\n"));
    assert!(!expects("1.1", ""));
    assert!(!expects("1.0", "Content-Length: 1\r\n"));
}

#[test]
fn http_1_0_needs_no_host_and_an_empty_one_is_possible() {
    assert_eq!(framing("GET / HTTP/1.0\r\n\r\n").head_bytes, 18);
    assert_eq!(framing("GET / HTTP/1.1\r\nHost:\r\n\r\n").head_bytes, 25);
}

#[test]
fn limits_are_exact() {
    let limits = Limits { request_line_bytes: 20, head_bytes: 60, header_count: 2, ..Limits::default() };
    let status = |text: &str| match parse(text.as_bytes(), &limits, &mut Head::empty()) {
        Parsed::Complete(_) => 200,
        Parsed::Incomplete => 0,
        Parsed::Refused(refusal) => refusal.status.code(),
    };
    let line = |length: usize| format!("GET /{} HTTP/1.1\r\n", "x".repeat(length - 14));
    assert_eq!(status(&format!("{}Host: a\r\n\r\n", line(20))), 200);
    assert_eq!(status(&format!("{}Host: a\r\n\r\n", line(21))), 414);
    assert_eq!(status(line(20).trim_end()), 0);
    assert_eq!(status(&format!("{}\r", line(21).trim_end())), 414);
    let with = |length: usize| format!("GET / HTTP/1.1\r\nHost: a\r\nX: {}\r\n\r\n", "y".repeat(length - 32));
    assert_eq!(with(60).len(), 60);
    assert_eq!(status(&with(60)), 200);
    assert_eq!(status(&with(61)), 431);
    assert_eq!(status(with(60).strip_suffix('\n').unwrap_or_default()), 0);
    assert_eq!(status("GET / HTTP/1.1\r\nHost: a\r\nA: b\r\n\r\n"), 200);
    assert_eq!(status("GET / HTTP/1.1\r\nHost: a\r\nA: b\r\nC: d\r\n\r\n"), 431);
}
