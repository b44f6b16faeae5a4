//! The state machine alone: the same bytes, however cut, give the same requests and the same responses.

use super::replay::{DATE, is_late_refusal, peer, run};
use super::*;

#[path = "../../tests/support/malformed.rs"]
mod malformed;

/// Compares all ways to cut `input` in two, and cutting it everywhere, with not cutting it.
fn check_cuts(name: &str, input: &[u8], limits: &Limits) -> Vec<String> {
    let whole = run(&[input], limits);
    // Long inputs are cut at a few hundred places, all short ones everywhere.
    let step = (input.len() / 500).max(1);
    for at in (0..input.len()).step_by(step) {
        let (start, end) = input.split_at(at);
        assert_eq!(run(&[start, end], limits), whole, "{name} cut at {at}");
    }
    let pieces: Vec<&[u8]> = input.chunks(1).collect();
    assert_eq!(run(&pieces, limits), whole, "{name} byte by byte");
    whole.0
}

const GOOD: &[(&str, &[u8], &[&str])] = &[
    ("simple", b"GET /a?b HTTP/1.1\r\nHost: h\r\n\r\n", &["GET /a?b|Host=h|0 bytes: "]),
    ("blank_line_in_front", b"\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n\r\n", &["GET /|Host=h|0 bytes: "]),
    ("counted", b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello", &["POST /|Host=h|Content-Length=5|5 bytes: hello"]),
    (
        "chunked",
        b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\nT: u\r\n\r\n",
        &["POST /|Host=h|Transfer-Encoding=chunked|5 bytes: hello"],
    ),
    (
        "pipelined",
        b"GET /1 HTTP/1.1\r\nHost: h\r\n\r\nPOST /2 HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabcPOST /3 HTTP/1.1\r\n\
          Host: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n\r\nHEAD /4 HTTP/1.1\r\nHost: h\r\n\r\n",
        &[
            "GET /1|Host=h|0 bytes: ",
            "POST /2|Host=h|Content-Length=3|3 bytes: abc",
            "POST /3|Host=h|Transfer-Encoding=chunked|1 bytes: x",
            "HEAD /4|Host=h|0 bytes: ",
        ],
    ),
    (
        "continue",
        b"POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nabGET / HTTP/1.1\r\nHost: h\r\n\r\n",
        &["continue", "POST /|Host=h|Expect=100-continue|Content-Length=2|2 bytes: ab", "GET /|Host=h|0 bytes: "],
    ),
    (
        "nothing_after_the_last",
        b"GET /1 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n",
        &["GET /1|Host=h|Connection=close|0 bytes: "],
    ),
    ("http_1_0", b"GET / HTTP/1.0\r\n\r\nGET / HTTP/1.0\r\n\r\n", &["GET /|0 bytes: "]),
    (
        "http_1_0_kept",
        b"GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /2 HTTP/1.0\r\n\r\n",
        &["GET /1|Connection=keep-alive|0 bytes: ", "GET /2|0 bytes: "],
    ),
    ("binary_values", b"GET / HTTP/1.1\r\nHost: h\r\nX: \xff\tz\r\n\r\n", &["GET /|Host=h|X=\\xff\\tz|0 bytes: "]),
    (
        "refused_after_a_good_one",
        b"GET / HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n",
        &["GET /|Host=h|0 bytes: ", "refused 400"],
    ),
];

#[test]
fn requests_do_not_depend_on_cuts() {
    for (name, input, expected) in GOOD {
        assert_eq!(check_cuts(name, input, &Limits::default()), *expected, "{name}");
    }
}

#[test]
fn malformed_requests_are_refused_however_cut() {
    let cases = malformed::cases();
    assert!(cases.len() >= 60);
    for (name, status, input) in cases {
        let events = check_cuts(name, &input, &Limits::default());
        assert_eq!(events, [format!("refused {status}")], "{name}");
    }
}

#[test]
fn a_refusal_drops_what_follows() {
    let smuggled = b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n\
        0\r\n\r\nGET /admin HTTP/1.1\r\nHost: h\r\n\r\n";
    let (events, out) = run(&[smuggled], &Limits::default());
    assert_eq!(events, ["refused 400"]);
    let text = String::from_utf8_lossy(&out);
    assert!(text.starts_with("HTTP/1.1 400 Bad Request\r\n") && text.contains("\r\nConnection: close\r\n"), "{text}");
}

#[test]
fn large_bodies_go_to_a_file() {
    let limits = Limits { body_memory_bytes: 16, body_bytes: 200, ..Limits::default() };
    let body: Vec<u8> = (0..100).map(|number| b'a' + number % 26).collect();
    let counted = [
        b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\n",
        body.as_slice(),
        b"GET / HTTP/1.1\r\nHost: h\r\n\r\n",
    ];
    let mut chunked = b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    for part in body.chunks(7) {
        chunked.extend_from_slice(format!("{:x}\r\n", part.len()).as_bytes());
        chunked.extend_from_slice(part);
        chunked.extend_from_slice(b"\r\n");
    }
    chunked.extend_from_slice(b"0\r\n\r\n");
    let shown = format!("100 bytes: {}", body.escape_ascii());
    let events = check_cuts("counted", &counted.concat(), &limits);
    assert_eq!(events, [format!("POST /|Host=h|Content-Length=100|{shown}"), "GET /|Host=h|0 bytes: ".to_owned()]);
    let events = check_cuts("chunked", &chunked, &limits);
    assert_eq!(events, [format!("POST /|Host=h|Transfer-Encoding=chunked|{shown}")]);
}

#[test]
fn a_body_of_just_the_threshold_stays_in_memory() {
    let limits = Limits { body_memory_bytes: 4, ..Limits::default() };
    for (body, is_in_file) in [("abcd", false), ("abcde", true)] {
        let mut machine = Connection::new();
        let text = format!("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        let event = machine.advance(&mut text.as_bytes(), &peer(), &limits);
        assert_eq!(matches!(event, Some(Event::Spool(_))), is_in_file, "{event:?}");
    }
}

#[test]
fn one_request_is_out_at_a_time() {
    let limits = Limits::default();
    let mut machine = Connection::new();
    let mut fresh: &[u8] = b"GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n";
    assert!(matches!(machine.advance(&mut fresh, &peer(), &limits), Some(Event::Request(_))));
    assert!(machine.advance(&mut fresh, &peer(), &limits).is_none());
    assert!(machine.has_kept() && !machine.has_more() && !machine.wants_input());
    let mut out = Vec::new();
    machine.respond(Response::new(Status::OK, ""), DATE, &mut out);
    assert!(machine.has_more());
    let second = machine.advance(&mut fresh, &peer(), &limits);
    assert!(matches!(second, Some(Event::Request(request)) if request.target() == "/2"));
}

#[test]
fn responses_follow_their_request() {
    let answer = |request: &str, status: Status| {
        let mut machine = Connection::new();
        let event = machine.advance(&mut request.as_bytes(), &peer(), &Limits::default());
        assert!(matches!(event, Some(Event::Request(_))));
        let mut out = Vec::new();
        assert!(machine.respond(Response::new(status, "body"), DATE, &mut out).is_none());
        let text = String::from_utf8_lossy(&out).replace(&format!("Date: {}\r\n", DATE.escape_ascii()), "");
        (text.replace("\r\n", "|"), machine.phase())
    };
    assert_eq!(
        answer("GET / HTTP/1.1\r\nHost: h\r\n\r\n", Status::OK),
        ("HTTP/1.1 200 OK|Content-Length: 4||body".to_owned(), Phase::Idle)
    );
    assert_eq!(
        answer("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n", Status::OK),
        ("HTTP/1.1 200 OK|Content-Length: 4||".to_owned(), Phase::Idle)
    );
    assert_eq!(
        answer("GET / HTTP/1.1\r\nHost: h\r\n\r\n", Status::NO_CONTENT),
        ("HTTP/1.1 204 No Content||".to_owned(), Phase::Idle)
    );
    assert_eq!(
        answer("GET / HTTP/1.0\r\n\r\n", Status::OK),
        ("HTTP/1.1 200 OK|Content-Length: 4|Connection: close||body".to_owned(), Phase::Closing)
    );
}

#[test]
fn streams_are_framed_by_what_the_client_understands() {
    let stream = |request: &str, length: Option<u64>| {
        let mut machine = Connection::new();
        machine.advance(&mut request.as_bytes(), &peer(), &Limits::default());
        let mut out = Vec::new();
        machine.begin_stream(Status::OK, &Fields::new(), length, DATE, &mut out);
        let head = out.len();
        let result = machine.stream(b"abc", &mut out).and_then(|()| machine.finish_stream(&mut out));
        (result, String::from_utf8_lossy(out.get(head..).unwrap_or_default()).into_owned(), machine.phase())
    };
    let modern = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
    assert_eq!(stream(modern, None), (Ok(()), "3\r\nabc\r\n0\r\n\r\n".to_owned(), Phase::Idle));
    assert_eq!(stream(modern, Some(3)), (Ok(()), "abc".to_owned(), Phase::Idle));
    assert_eq!(stream(modern, Some(2)).0, Err(WrongLength));
    assert_eq!(stream(modern, Some(4)).0, Err(WrongLength));
    assert_eq!(stream("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n", None), (Ok(()), String::new(), Phase::Idle));
    assert_eq!(
        stream("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", None),
        (Ok(()), "abc".to_owned(), Phase::Closing)
    );
}

/// A small generator, so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % limit.max(1)
    }

    fn cut<'a>(&mut self, input: &'a [u8]) -> Vec<&'a [u8]> {
        let mut pieces = Vec::new();
        let mut rest = input;
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(1 + self.below(rest.len().min(40)));
            pieces.push(piece);
            rest = after;
        }
        pieces
    }
}

#[test]
fn random_trains_of_requests_do_not_depend_on_cuts() {
    let limits = Limits { body_memory_bytes: 3, ..Limits::default() };
    let keeps: Vec<_> =
        GOOD.iter().filter(|(name, ..)| ["simple", "counted", "chunked", "continue"].contains(name)).collect();
    let mut random = Random(1);
    for _ in 0..300 {
        let mut input = Vec::new();
        let mut expected: Vec<&str> = Vec::new();
        for _ in 0..1 + random.below(5) {
            if let Some((_, bytes, events)) = keeps.get(random.below(keeps.len())) {
                input.extend_from_slice(bytes);
                expected.extend_from_slice(events);
            }
        }
        assert_eq!(run(&random.cut(&input), &limits).0, expected, "{}", input.escape_ascii());
    }
}

/// Damaged input may be refused later when it comes in pieces, since a line is looked at when it is complete; it is never
/// understood differently.
#[test]
fn damaged_requests_are_never_understood_differently() {
    let limits = Limits { body_memory_bytes: 8, ..Limits::default() };
    let mut random = Random(2);
    let bytes = b"\r\n :;,0aZ/?#\0\x7f\xffHTTP";
    let mut refused = 0;
    for round in 0..20_000 {
        let Some((_, good, _)) = GOOD.get(round % GOOD.len()) else { continue };
        let mut input = good.to_vec();
        for _ in 0..1 + random.below(3) {
            let at = random.below(input.len());
            let byte = bytes.get(random.below(bytes.len())).copied().unwrap_or_default();
            match random.below(3) {
                0 => drop(input.remove(at)),
                1 => input.insert(at, byte),
                _ => drop(input.splice(at..=at, [byte])),
            }
        }
        let whole = run(&[&input], &limits).0;
        let cut = run(&random.cut(&input), &limits).0;
        assert!(whole == cut || is_late_refusal(&whole, &cut), "{}: {whole:?} or {cut:?}", input.escape_ascii());
        refused += usize::from(whole.last().is_some_and(|event| event.starts_with("refused")));
    }
    assert!(refused > 1000, "damage is found");
}
