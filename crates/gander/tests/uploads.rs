//! Forms with files.

use std::path::PathBuf;
use test_support::{Reply, Server};

const GANDER: &str = env!("CARGO_BIN_EXE_gander");

const PROGRAM: &str = r#"
use file
use json
use string
route("POST", "/form", fn() => json::encode(request::post()))
route("POST", "/file", function() {
    $file = request::file("photo", ["max_size" => 3000000])
    if ($file == null) { return "none" }
    return $file.filename . " " . $file.mime . " " . $file.size . " " . $file.sha256 . " " . string::length(file::read($file.path))
        . " " . $file.path
})
route("POST", "/picture", function() {
    $file = request::file("photo", ["allow_mime" => ["image/*"], "allow_svg" => true])
    return $file.extension
})
route("POST", "/catches", function() {
    try { request::file("photo", ["allow_mime" => "image/png"]) } catch ($e) { return response::status(422, "no: " . $e) }
})
route("POST", "/both", fn() => request::post("title", "") . "," . (request::file("photo") == null ? "none" : "one"))
route("POST", "/slip", fn() => request::file("photo", ["max_sise" => 1]))
"#;

fn start(name: &str, args: &[&str]) -> Server {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("uploads-{name}"));
    std::fs::create_dir_all(&folder).expect("there is room");
    let file = folder.join("app.lk");
    std::fs::write(&file, PROGRAM).expect("the folder takes files");
    Server::start(GANDER, args, &file).expect("the server starts")
}

fn part(header: &str, content: &[u8]) -> Vec<u8> {
    [format!("--XX\r\nContent-Disposition: form-data; {header}\r\n\r\n").as_bytes(), content, b"\r\n"].concat()
}

fn photo(filename: &str, content: &[u8]) -> Vec<u8> {
    part(&format!("name=\"photo\"; filename=\"{filename}\"\r\nContent-Type: image/jpeg"), content)
}

fn post(server: &Server, path: &str, parts: &[Vec<u8>]) -> Reply {
    send(server, path, &[parts.concat().as_slice(), b"--XX--\r\n"].concat())
}

fn send(server: &Server, path: &str, body: &[u8]) -> Reply {
    let mut client = server.connect();
    let kind = "Content-Type: multipart/form-data; boundary=XX";
    let head = format!("POST {path} HTTP/1.1\r\nHost: localhost\r\n{kind}\r\nContent-Length: {}\r\n\r\n", body.len());
    client.send(head).expect("it is sent");
    // Who is refused early may find the connection closed.
    let _ = client.send(body);
    client.read("POST").expect("an answer")
}

#[test]
fn fields_arrive_as_those_of_any_form() {
    let server = start("fields", &[]);
    let reply =
        post(&server, "/form", &[part("name=\"a b\"", "ü&=".as_bytes()), part("name=c", b"1"), part("name=c", b"2")]);
    assert_eq!(reply.text(), r#"{"a b":"ü&=","c":"2"}"#);
    let both = [part("name=title", b"T"), photo("a.png", b"\x89PNG\r\n\x1a\n")];
    assert_eq!(post(&server, "/both", &both).text(), "T,one");
    assert_eq!(post(&server, "/both", &[part("name=title", b"T")]).text(), "T,none");
}

#[test]
fn a_file_can_be_read_until_the_request_ends() {
    let server = start("files", &[]);
    for length in [0, 3, 70_000, 2_500_000] {
        let content: Vec<u8> = b"abc".iter().copied().cycle().take(length).collect();
        let reply = post(&server, "/file", &[photo("C:\\fakepath\\me & you.txt", &content)]);
        let text = reply.text();
        let [rest, path] =
            text.rsplitn(2, ' ').collect::<Vec<_>>().try_into().map(|[a, b]: [&str; 2]| [b, a]).expect("two");
        assert!(rest.starts_with(&format!("me & you.txt text/plain {length} ")), "{text}");
        assert!(rest.ends_with(&format!(" {length}")), "{text}");
        // Removed by another thread, a moment later.
        let began = std::time::Instant::now();
        while std::path::Path::new(path).exists() {
            assert!(began.elapsed() < test_support::PATIENCE, "{path} goes with its request");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }
    let reply = post(&server, "/file", &[photo("a.txt", b"abc")]);
    let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert!(reply.text().contains(hash), "{}", reply.text());
    for nothing in [post(&server, "/file", &[photo("", b"")]), post(&server, "/file", &[part("name=photo", b"text")])] {
        assert_eq!(nothing.text(), "none");
    }
    assert_eq!(server.ask("POST /file HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n").text(), "none");
}

#[test]
fn what_is_not_allowed_is_refused_with_its_reason() {
    let server = start("refusals", &["--dev=off"]);
    assert_eq!(post(&server, "/picture", &[photo("a.jpg", b"GIF89a")]).text(), "gif");
    let script = photo("a.svg", b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>");
    assert_eq!(post(&server, "/picture", &[script]).status, 415);
    let page = photo("a.jpg", b"<script>alert(1)</script>");
    assert_eq!(post(&server, "/picture", std::slice::from_ref(&page)).status, 415);
    let reply = post(&server, "/catches", &[page]);
    let told = "request::file(): field 'photo': the file is text/html, allowed are image/png (option allow_mime)";
    assert!(reply.status == 422 && reply.text().contains(told), "{}", reply.text());
    assert_eq!(post(&server, "/both", &[photo("a", &vec![0; 1_048_577])]).status, 413);
    assert_eq!(post(&server, "/slip", &[photo("a", b"x")]).status, 500);
    server.wait_for("there is no option max_sise");
}

#[test]
fn what_is_no_form_is_the_clients_fault() {
    let server = start("malformed", &["--dev=off"]);
    let whole = [photo("a.txt", b"abc"), part("name=c", b"1"), b"--XX--\r\n".to_vec()].concat();
    // The end of the last boundary is all that may be missing.
    for cut in 0..whole.len() - 4 {
        let reply = send(&server, "/form", whole.get(..cut).expect("shorter"));
        assert_eq!(reply.status, 400, "cut at {cut}: {}", reply.text());
    }
    assert_eq!(send(&server, "/form", &whole).status, 200);
    for (body, status) in [
        (b"--XX\r\n\r\nno header\r\n--XX--\r\n".to_vec(), 400),
        (b"--XX\r\nContent-Disposition: attachment; name=a\r\n\r\nx\r\n--XX--\r\n".to_vec(), 400),
        ([part("name=a", b"x").repeat(257).as_slice(), b"--XX--\r\n"].concat(), 413),
        ([part("name=a", &vec![b'x'; 9 << 20]).as_slice(), b"--XX--\r\n"].concat(), 413),
    ] {
        assert_eq!(send(&server, "/form", &body).status, status, "{}", body.get(..60).unwrap_or(&body).escape_ascii());
    }
    assert_eq!(server.get("/health").text(), "ok");
}
