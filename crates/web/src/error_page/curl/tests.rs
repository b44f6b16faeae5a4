//! What the command line says, and what a real shell makes of it.

use super::*;
use std::process::Command;

fn request(method: &str, target: &str, headers: &[(&str, &[u8])], body: &[u8]) -> RequestShown {
    RequestShown {
        method: method.to_owned(),
        target: target.to_owned(),
        headers: headers.iter().map(|(name, value)| ((*name).to_owned(), value.to_vec())).collect(),
        body: body.to_vec(),
        body_bytes: body.len() as u64,
        form: Vec::new(),
        peer: "127.0.0.1:5000".to_owned(),
        server: "127.0.0.1:8080".to_owned(),
        is_tls: false,
    }
}

const USUAL: [(&str, &[u8]); 3] = [("Host", b"localhost:8080"), ("Accept", b"*/*"), ("User-Agent", b"test")];

/// Every byte but zero.
fn all_bytes() -> Vec<u8> {
    (1..=255).collect()
}

/// The arguments that bash gives to curl, and what it gives to its standard input; none where there is no bash.
fn in_shell(line: &str) -> Option<(Vec<Vec<u8>>, Vec<u8>)> {
    let script =
        format!("curl() {{ printf '%s\\0' \"$@\"; case \"$*\" in *@-*) printf '\\0'; cat;; esac; }}\n{line}\n");
    let output = match Command::new("bash").args(["--norc", "-c", &script]).output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        output => output.expect("bash runs"),
    };
    assert!(output.status.success() && output.stderr.is_empty(), "{line}\n{output:?}");
    let end = output.stdout.windows(2).position(|window| window == b"\0\0").map_or(output.stdout.len(), |at| at + 1);
    let (words, input) = output.stdout.split_at(end);
    let mut words: Vec<Vec<u8>> = words.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect();
    words.pop();
    Some((words, input.get(1..).unwrap_or_default().to_vec()))
}

#[test]
fn a_plain_request_is_a_plain_line() {
    assert_eq!(
        curl(&request("GET", "/a?b=c&d", &USUAL, b"")),
        "curl 'http://localhost:8080/a?b=c&d' \\\n  -H 'Accept: */*' \\\n  -H 'User-Agent: test'"
    );
}

#[test]
fn method_and_body_are_repeated() {
    let line = |method, body: &[u8]| curl(&request(method, "/", &USUAL, body));
    assert!(line("POST", b"x").ends_with("-H 'Content-Type:' \\\n  --data-binary 'x'"));
    assert!(!line("POST", b"x").contains("-X"));
    assert!(line("POST", b"").contains("-X 'POST'"));
    assert!(line("GET", b"x").contains("-X 'GET'"));
    assert!(line("HEAD", b"x").contains("--head") && !line("HEAD", b"x").contains("--data"));
    assert!(line("PUT", b"@/etc/passwd").ends_with("--data-raw '@/etc/passwd'"));
    assert!(line("POST", b"it's\nhere!").ends_with("--data-binary $'it\\047s\\nhere\\041'"));
}

#[test]
fn fields_of_the_connection_are_left_out_and_those_of_curl_taken_away() {
    let headers: [(&str, &[u8]); 8] = [
        ("Host", b"h"),
        ("Connection", b"close, X-Hop"),
        ("X-Hop", b"1"),
        ("Content-Length", b"1"),
        ("Transfer-Encoding", b"chunked"),
        ("X-Empty", b""),
        ("x-twice", b"1"),
        ("x-twice", b"2"),
    ];
    assert_eq!(
        curl(&request("POST", "/", &headers, b"x")),
        "curl 'http://h/' \\\n  -H 'X-Empty;' \\\n  -H 'x-twice: 1' \\\n  -H 'x-twice: 2' \\\n  -H 'Accept:' \\\n  \
         -H 'User-Agent:' \\\n  -H 'Content-Type:' \\\n  --data-binary 'x'"
    );
    let line = curl(&request("GET", "/", &[("Accept-Encoding", b"gzip, br")], b""));
    assert!(line.contains("--compressed") && !line.contains("gzip"));
}

#[test]
fn secrets_are_left_for_the_person_to_fill_in() {
    let headers: [(&str, &[u8]); 4] = [
        ("Authorization", b"Bearer s3cret"),
        ("Cookie", b"sid=s3cret"),
        ("X-Api-Key", b"s3cret"),
        ("Content-Type", b"application/x-www-form-urlencoded"),
    ];
    let line = curl(&request("POST", "/?token=s3cret&a=1", &headers, b"password=s3cret&b=2"));
    assert!(!line.contains("s3cret"), "{line}");
    for kept in ["?token=<hidden>&a=1'", "'Authorization: Bearer <hidden>'", "sid=<hidden>", "password=<hidden>&b=2'"] {
        assert!(line.contains(kept), "{line}");
    }
}

#[test]
fn curl_is_kept_from_changing_the_target() {
    let line = |target| curl(&request("GET", target, &USUAL, b""));
    assert!(line("/a[1]{b}").contains("--globoff"));
    assert!(line("/a/../b").contains("--path-as-is"));
    for target in ["*", "http://other/x", "/a#b", "/a b", "/a\\b", "/é", ""] {
        let line = line(target);
        assert!(line.starts_with("curl 'http://localhost:8080/' \\\n  --request-target '"), "{line}");
    }
}

#[test]
fn a_host_that_is_none_goes_into_a_field() {
    for host in ["a b", "evil/path", "u@h", "h'; rm -rf x", "-x\"", "h?", "é"] {
        let line = curl(&request("GET", "/", &[("Host", host.as_bytes())], b""));
        assert!(line.starts_with("curl 'http://127.0.0.1:8080/'"), "{line}");
        assert!(line.contains("-H 'Host: "), "{line}");
    }
    let none = curl(&request("GET", "/", &[("Host", b"")], b""));
    assert!(none.contains("'http://127.0.0.1:8080/'") && none.contains("-H 'Host;'"), "{none}");
    assert!(curl(&request("GET", "/", &[("Host", b"[::1]:80")], b"")).contains("'http://[::1]:80/'"));
    let tls = RequestShown { is_tls: true, ..request("GET", "/", &USUAL, b"") };
    assert!(curl(&tls).contains("'https://localhost:8080/'"));
}

#[test]
fn a_body_known_in_part_is_left_to_a_file() {
    let cut = RequestShown { body_bytes: 70_000, ..request("PUT", "/", &USUAL, b"abc") };
    let line = curl(&cut);
    assert!(line.starts_with("# The request had 70000 bytes") && line.ends_with("--data-binary @body.bin"), "{line}");
}

#[test]
fn a_line_has_no_byte_that_a_paste_could_lose() {
    let bytes = all_bytes();
    let text: String = ('\u{1}'..='\u{3000}').collect();
    let headers: [(&str, &[u8]); 2] = [("X-Odd", &bytes), ("X-Text", text.as_bytes())];
    let line = curl(&request("GET", "/\u{202e}\u{1b}[31m", &headers, text.as_bytes()));
    assert!(line.chars().all(|c| c == '\n' || !visible::is_hidden(c)), "{line}");
    assert!(line.lines().rev().skip(1).all(|line| line.ends_with(" \\")), "{line}");
}

#[test]
fn bash_reads_back_every_byte() {
    let bytes = all_bytes();
    let value: Vec<u8> = all_bytes().into_iter().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    let method = "A'$(exit 9)`id`\\";
    let request =
        request(method, "/'\";$(x)`y`!!\\*", &[("Accept", b"*/*"), ("User-Agent", b"a"), ("X", &value)], &bytes);
    let Some((words, _)) = in_shell(&curl(&request)) else { return };
    assert_eq!(words.first().map(Vec::as_slice), Some(&b"-X"[..]));
    assert_eq!(words.get(1).map(Vec::as_slice), Some(method.as_bytes()));
    assert!(words.iter().any(|word| word == "/'\";$(x)`y`!!\\*".as_bytes()));
    assert!(words.iter().any(|word| *word == [b"X: ", value.as_slice()].concat()));
    assert_eq!(words.last(), Some(&bytes));
}

#[test]
fn a_body_with_zero_bytes_goes_through_standard_input() {
    let body: Vec<u8> = b"--%s\\x'!\0".iter().copied().chain(0..=255).chain(*b"\x007\0\0").collect();
    let line = curl(&request("POST", "/", &USUAL, &body));
    assert!(line.starts_with("printf '") && line.ends_with("--data-binary @-"), "{line}");
    let Some((words, input)) = in_shell(&line) else { return };
    assert_eq!(words.last().map(Vec::as_slice), Some(&b"@-"[..]));
    assert_eq!(input, body);
}
