//! Files of a folder, and compression of what is sent.

use std::path::{Path, PathBuf};
use test_support::{Reply, Server};

const GANDER: &str = env!("CARGO_BIN_EXE_gander");

const PROGRAM: &str = r#"
use json
use string
before_route(fn() => response::header("X-Site", "yes"))
route("GET", "/", fn() => "the route")
route("GET", "/text", fn() => string::repeat("the same again, ", 500))
route("GET", "/large", fn() => string::repeat("the same again, ", 50000))
route("GET", "/short", fn() => "short")
route("GET", "/picture", function() { response::header("Content-Type", "image/png"); return string::repeat("x", 5000) })
route("GET", "/own", function() { response::header("Content-Encoding", "br"); return string::repeat("x", 5000) })
route("GET", "/tagged", function() { response::header("ETag", "\"1\""); return string::repeat("x", 5000) })
route("GET", "/fixed", function() { response::header("Cache-Control", "no-transform"); return string::repeat("x", 5000) })
route("POST", "/only-post.txt", fn() => "posted")
"#;

fn site(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("files-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    let write = |path: &str, content: &[u8]| {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("there is room");
        std::fs::write(path, content).expect("there is room");
    };
    write("app.lk", PROGRAM.as_bytes());
    write("secret.txt", b"not for everybody");
    write("public/index.html", b"<p>index");
    write("public/style.css", b"p { color: red }");
    write("public/docs/index.html", b"<p>docs");
    write("public/empty/file.bin", b"\0\x01\x02");
    write("public/a b.txt", b"space");
    write("public/.env", b"PASSWORD=1");
    write("public/app.lk", b"print(1)");
    write("public/only-post.txt", b"a file");
    write("public/large.bin", &pattern(3_000_000));
    write("public/packed.js", b"let plain = true");
    write("public/packed.js.gz", b"gzipped");
    write("public/packed.js.br", b"brotli");
    std::os::unix::fs::symlink(folder.join("secret.txt"), folder.join("public/link.txt")).expect("links can be made");
    std::os::unix::fs::symlink("style.css", folder.join("public/inside.css")).expect("links can be made");
    folder
}

fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|at| u8::try_from(at % 251).expect("small")).collect()
}

fn start(name: &str, args: &[&str]) -> (Server, PathBuf) {
    let folder = site(name);
    let public = folder.join("public");
    let mut all = vec!["--static", public.to_str().expect("UTF-8")];
    all.extend(args);
    (Server::start(GANDER, &all, &folder.join("app.lk")).expect("the server starts"), folder)
}

fn ask(server: &Server, method: &str, path: &str, fields: &[(&str, &str)]) -> Reply {
    let fields: String = fields.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    server.ask(&format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n"))
}

#[test]
fn routes_come_first_and_files_where_there_is_none() {
    let (server, _) = start("order", &[]);
    assert_eq!(server.get("/").text(), "the route");
    let reply = server.get("/style.css");
    assert_eq!((reply.status, reply.text().as_str()), (200, "p { color: red }"));
    for (name, value) in [
        ("content-type", "text/css; charset=utf-8"),
        ("accept-ranges", "bytes"),
        ("cache-control", "public, max-age=0"),
        ("x-content-type-options", "nosniff"),
        ("vary", "Accept-Encoding"),
        ("x-site", "yes"),
    ] {
        assert_eq!(reply.header(name), Some(value), "{name}");
    }
    assert_eq!(server.get("/a%20b.txt").text(), "space");
    assert_eq!(server.get("/docs/").text(), "<p>docs");
    let reply = server.get("/docs?x=1");
    assert_eq!((reply.status, reply.header("location")), (301, Some("/docs/?x=1")));
    assert_eq!(server.get("/inside.css").status, 200);
    assert_eq!(server.get("/only-post.txt").text(), "a file");
    assert_eq!(ask(&server, "POST", "/only-post.txt", &[("Content-Length", "0")]).text(), "posted");
    assert_eq!(ask(&server, "POST", "/style.css", &[("Content-Length", "0")]).status, 404);
    let reply = ask(&server, "HEAD", "/large.bin", &[]);
    assert_eq!((reply.status, reply.header("content-length")), (200, Some("3000000")));
    assert!(server.get("/large.bin").body == pattern(3_000_000));
    assert_eq!(server.get("/empty/file.bin").header("content-type"), Some("application/octet-stream"));
}

#[test]
fn nothing_else_can_be_reached() {
    let (server, _) = start("traversal", &[]);
    for path in [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "/docs/../../secret.txt",
        "/%2e%2e%2fsecret.txt",
        "/link.txt",
        "/.env",
        "/%2eenv",
        "/app.lk",
        "/APP.LK",
        "/docs/..%5c..%5csecret.txt",
        "/style.css%00.txt",
        "//etc/passwd",
        "/empty",
        "/empty/",
        "/style.css/",
        "/style.css/x",
        "/nothing.txt",
    ] {
        let reply = server.get(path);
        assert_eq!(reply.status, 404, "{path}: {}", reply.text());
    }
}

#[test]
fn a_client_that_has_a_file_does_not_get_it_again() {
    let (server, folder) = start("conditions", &["--static-max-age", "1h"]);
    let first = server.get("/style.css");
    let tag = first.header("etag").expect("a tag").to_owned();
    let date = first.header("last-modified").expect("a date").to_owned();
    assert_eq!(first.header("cache-control"), Some("public, max-age=3600"));
    for fields in [[("If-None-Match", tag.as_str())], [("If-Modified-Since", date.as_str())]] {
        let reply = ask(&server, "GET", "/style.css", &fields);
        assert_eq!((reply.status, reply.body.len(), reply.header("etag")), (304, 0, Some(tag.as_str())), "{fields:?}");
    }
    assert_eq!(ask(&server, "GET", "/style.css", &[("If-Match", "\"x\"")]).status, 412);
    std::fs::write(folder.join("public/style.css"), "p { color: blue }").expect("there is room");
    let reply = ask(&server, "GET", "/style.css", &[("If-None-Match", &tag)]);
    assert_eq!((reply.status, reply.text().as_str()), (200, "p { color: blue }"));
}

#[test]
fn parts_are_sent_on_demand() {
    let (server, _) = start("ranges", &[]);
    for (path, part, expected) in [
        ("/style.css", "bytes=0-0", (206, "bytes 0-0/16", "p")),
        ("/style.css", "bytes=-5", (206, "bytes 11-15/16", "red }")),
        ("/style.css", "bytes=4-", (206, "bytes 4-15/16", "color: red }")),
        ("/style.css", "bytes=16-", (416, "bytes */16", "")),
    ] {
        let reply = ask(&server, "GET", path, &[("Range", part)]);
        let told = (reply.status, reply.header("content-range").unwrap_or_default(), reply.text());
        assert_eq!((told.0, told.1, told.2.as_str()), expected, "{part}");
    }
    let reply = ask(&server, "GET", "/large.bin", &[("Range", "bytes=1000000-2999998")]);
    assert_eq!(reply.status, 206);
    assert!(reply.body == pattern(3_000_000).get(1_000_000..2_999_999).expect("so many"));
    let old = [("Range", "bytes=0-0"), ("If-Range", "\"another\"")];
    assert_eq!(ask(&server, "GET", "/style.css", &old).status, 200);
}

#[test]
fn what_was_compressed_beforehand_is_used_unless_it_is_older() {
    let (server, folder) = start("packed", &[]);
    let with = |accept: &str| ask(&server, "GET", "/packed.js", &[("Accept-Encoding", accept)]);
    let reply = with("gzip, br");
    assert_eq!((reply.text().as_str(), reply.header("content-encoding")), ("brotli", Some("br")));
    assert_eq!(reply.header("content-type"), Some("text/javascript; charset=utf-8"));
    let tag = reply.header("etag").expect("a tag").to_owned();
    let reply = with("gzip");
    assert_eq!((reply.text().as_str(), reply.header("content-encoding")), ("gzipped", Some("gzip")));
    assert_ne!(reply.header("etag"), Some(tag.as_str()), "another form has another tag");
    let reply = with("identity");
    assert_eq!((reply.text().as_str(), reply.header("content-encoding")), ("let plain = true", None));
    assert_eq!(reply.header("vary"), Some("Accept-Encoding"));
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(10);
    let file = std::fs::File::options().write(true).open(folder.join("public/packed.js")).expect("it is there");
    file.set_modified(later).expect("times can be set");
    assert_eq!(with("gzip").text(), "let plain = true");
}

#[test]
fn a_folder_alone_is_a_site() {
    let folder = site("alone");
    std::fs::write(folder.join("app.lk"), "# Only files.\n").expect("there is room");
    let public = folder.join("public");
    let server = Server::start(GANDER, &["--static", public.to_str().expect("UTF-8")], &folder.join("app.lk"));
    assert_eq!(server.expect("the server starts").get("/").text(), "<p>index");
    let missing = Server::start(GANDER, &["--static", "/no/such/folder"], Path::new(&folder.join("app.lk")));
    let told = missing.expect_err("there is no such folder");
    assert!(
        told.contains("cannot serve the files in '/no/such/folder' (--static): ") && told.contains("exit status: 2"),
        "{told}"
    );
}

#[test]
fn answers_are_compressed_as_the_client_allows() {
    let (server, _) = start("compression", &[]);
    let with = |path: &str, accept: &str| ask(&server, "GET", path, &[("Accept-Encoding", accept)]);
    let plain = server.get("/text");
    assert_eq!((plain.header("content-encoding"), plain.header("vary")), (None, Some("Accept-Encoding")));
    let codings =
        [("gzip", "gzip", &b"\x1f\x8b"[..]), ("zstd", "zstd", &b"\x28\xb5\x2f\xfd"[..]), ("gzip;q=0.5, br", "br", &[])];
    for (accept, coding, magic) in codings {
        for path in ["/text", "/large"] {
            let reply = with(path, accept);
            assert_eq!((reply.status, reply.header("content-encoding")), (200, Some(coding)), "{path}");
            assert!(reply.body.len() < 8000 && reply.body.starts_with(magic), "{path}: {} bytes", reply.body.len());
            assert_eq!(reply.header("vary"), Some("Accept-Encoding"));
        }
    }
    assert_eq!(with("/short", "gzip").header("vary"), None);
    for path in ["/short", "/picture", "/fixed"] {
        assert_eq!(with(path, "gzip").header("content-encoding"), None, "{path}");
    }
    assert_eq!(with("/own", "gzip").header("content-encoding"), Some("br"));
    let tagged = with("/tagged", "gzip");
    assert_eq!((tagged.header("etag"), tagged.header("content-encoding")), (Some("W/\"1\""), Some("gzip")));
    let (server, _) = start("uncompressed", &["--compression=off"]);
    let reply = ask(&server, "GET", "/text", &[("Accept-Encoding", "gzip")]);
    assert_eq!((reply.header("content-encoding"), reply.header("vary")), (None, None));
}
