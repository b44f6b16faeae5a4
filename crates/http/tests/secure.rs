//! HTTP/2 and HTTP/1.1 inside of TLS, over real sockets.

#[path = "secure/client.rs"]
mod client;
#[path = "secure/server.rs"]
mod server;

use client::{Client, Pieces, request};
use http::{CertificateError, Limits};
use hyper::Version;
use rcgen::date_time_ymd;
use server::{Folder, PATIENCE, Server, certify, pattern, wait_until};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_rustls::rustls::version;

const LITTLE: Duration = Duration::from_millis(100);

#[test]
fn requests_of_both_protocols_are_answered_and_connections_are_kept() {
    let server = Server::start(Limits::default());
    client::run(async {
        for (mut client, version) in
            Client::both(server.address, &server.certificate).await.into_iter().zip([Version::HTTP_11, Version::HTTP_2])
        {
            for _ in 0..3 {
                let reply = client.get("/").await;
                assert_eq!((reply.status, reply.version, reply.text()), (200, version, "hello".to_owned()));
                assert_eq!(reply.header("content-length"), Some("5"));
                assert!(reply.header("date").is_some_and(|date| date.ends_with(" GMT")));
                assert_eq!(reply.header("connection"), None);
            }
            assert_eq!(client.post("/echo", b"some body".to_vec()).await.text(), "some body");
            assert_eq!(server.shared.open_connections(), if version == Version::HTTP_2 { 1 } else { 2 });
            drop(client);
        }
    });
    server.wait_for_connections(0);
    assert_eq!(server.requests(), 8);
    server.stop();
}

#[test]
fn the_client_chooses_the_protocol() {
    let server = Server::start(Limits::default());
    client::run(async {
        for (offered, expected) in [
            (&["h2", "http/1.1"][..], Some(&b"h2"[..])),
            (&["http/1.1", "h2"], Some(b"h2")),
            (&["http/1.1"], Some(b"http/1.1")),
            (&[], None),
        ] {
            let stream = client::connect(server.address, &server.certificate, offered).await;
            let stream = stream.expect("the handshake succeeds");
            assert_eq!(stream.get_ref().1.alpn_protocol(), expected, "{offered:?}");
        }
        let refused = client::connect(server.address, &server.certificate, &["spdy/1"]).await;
        assert!(refused.is_err());
    });
    server.stop();
}

#[test]
fn requests_and_responses_arrive_as_they_are() {
    let server = Server::start(Limits::default());
    client::run(async {
        for mut client in Client::both(server.address, &server.certificate).await {
            let mut sent = request("DELETE", "/head?a=%20b&c", Vec::new());
            for (name, value) in [("x-one", "1"), ("cookie", "a=1"), ("cookie", "b=2"), ("x-two", "ü")] {
                sent.headers_mut()
                    .append(name, hyper::header::HeaderValue::from_bytes(value.as_bytes()).expect("it fits"));
            }
            let text = client.send(sent).await.expect("the response is complete").text();
            let (first, fields) = text.split_once('\n').expect("there are lines");
            assert!(first.starts_with("DELETE /head?a=%20b&c localhost 127.0.0.1:"), "{text}");
            for field in ["host: localhost\n", "x-one: 1\n", "x-two: \\xc3\\xbc\n"] {
                assert!(fields.contains(field), "{text}");
            }
            let is_http2 = matches!(client, Client::Two(_));
            assert_eq!(fields.contains("cookie: a=1; b=2\n"), is_http2, "{text}");

            let reply = client.get("/fields").await;
            assert_eq!((reply.status, reply.text()), (201, "made".to_owned()));
            let cookies: Vec<_> = reply.headers.get_all("set-cookie").iter().collect();
            assert_eq!(cookies, ["a=1", "b=2"]);
            assert_eq!(reply.headers.get("x-note").map(|value| value.as_bytes()), Some("Grüße".as_bytes()));
            assert_eq!(client.get("/status/299").await.status, 299);
            for code in [204, 304] {
                let reply = client.get(&format!("/status/{code}")).await;
                assert_eq!((reply.status, reply.header("content-length"), reply.body.len()), (code, None, 0));
            }
            let reply =
                client.send(request("HEAD", "/big/100000", Vec::new())).await.expect("the response is complete");
            assert_eq!((reply.header("content-length"), reply.body.len()), (Some("100000"), 0));
            assert_eq!(client.get("/").await.text(), "hello");
        }
    });
    server.stop();
}

#[test]
fn large_bodies_go_both_ways() {
    let server = Server::start(Limits::default());
    client::run(async {
        for mut client in Client::both(server.address, &server.certificate).await {
            for length in [0, 1, 64 * 1024, 64 * 1024 + 1, 3_000_000] {
                let kind = if length > 64 * 1024 { "file" } else { "memory" };
                assert_eq!(client.post("/size", pattern(length)).await.text(), format!("{kind} {length}"));
                assert!(client.post("/echo", pattern(length)).await.body == pattern(length), "{length}");
            }
            assert!(client.get("/big/9000000").await.body == pattern(9_000_000));
            assert!(client.get("/shared/200000").await.body == pattern(200_000));
        }
    });
    server.stop();
}

#[test]
fn many_streams_are_served_at_a_time() {
    let server = Server::start(Limits::default());
    client::run(async {
        let client = Client::http2(server.address, &server.certificate).await;
        let began = Instant::now();
        let mut tasks = tokio::task::JoinSet::new();
        for number in 0..100 {
            let mut client = client.share();
            tasks.spawn_local(async move {
                let path = if number % 2 == 0 { "/slow/300" } else { "/big/70000" };
                client.get(path).await.body.len()
            });
        }
        let lengths = tasks.join_all().await;
        assert_eq!(lengths.iter().sum::<usize>(), 50 * 70_000 + 50 * "after 300".len());
        assert!(began.elapsed() < Duration::from_millis(300 * 25), "they do not wait for each other");
        assert_eq!(server.shared.open_connections(), 1);
    });
    server.stop();
}

#[test]
fn a_body_that_is_too_large_is_refused() {
    let server = Server::start(Limits { body_bytes: 100_000, ..Limits::default() });
    client::run(async {
        for is_announced in [true, false] {
            for mut client in Client::both(server.address, &server.certificate).await {
                assert_eq!(client.post("/size", pattern(100_000)).await.text(), "file 100000");
                let mut sent = request("POST", "/size", pattern(100_001));
                if is_announced {
                    sent.headers_mut().insert("content-length", 100_001.into());
                }
                let reply = client.send(sent).await.expect("the response is not lost");
                assert_eq!(reply.status, 413);
                assert_eq!(reply.text(), "413 Content Too Large: the request body is too large\n");
                assert_eq!(client.is_open().await, matches!(client, Client::Two(_)));
            }
        }
        // One that goes on sending still gets its answer.
        let mut client = Client::http1(server.address, &server.certificate).await;
        let reply = client.post("/size", pattern(5_000_000)).await;
        assert_eq!((reply.status, reply.header("connection")), (413, Some("close")));
    });
    assert_eq!(
        *server.seen.refused.lock().expect("no test panics with it"),
        [(413, "the request body is too large"); 5]
    );
    server.stop();
}

#[test]
fn a_head_that_is_too_large_is_refused() {
    let server =
        Server::start(Limits { head_bytes: 10_000, header_count: 20, request_line_bytes: 1000, ..Limits::default() });
    let cases: [(&str, usize, usize, u16); 3] = [("/", 20_000, 1, 431), ("/", 10, 30, 431), ("/long", 0, 0, 414)];
    client::run(async {
        for (path, length, count, status) in cases {
            for mut client in Client::both(server.address, &server.certificate).await {
                let path = if path == "/" { path.to_owned() } else { format!("/{}", "x".repeat(1500)) };
                let mut sent = request("GET", &path, Vec::new());
                for number in 0..count {
                    let name: hyper::header::HeaderName = format!("x-{number}").parse().expect("it is a name");
                    sent.headers_mut().insert(name, "v".repeat(length).parse().expect("it is a value"));
                }
                let reply = client.send(sent).await.expect("the response is not lost");
                assert_eq!(reply.status, status, "{length} bytes, {count} fields");
            }
        }
        assert_eq!(Client::http2(server.address, &server.certificate).await.get("/").await.status, 200);
    });
    assert_eq!(server.requests(), 1);
    server.stop();
}

#[test]
fn what_two_readers_could_understand_differently_is_refused() {
    let server = Server::start(Limits::default());
    client::run(async {
        for fields in [
            "Host: a\r\nHost: b\r\n",
            "",
            "Host: a b\r\n",
            "Host: a\r\nExpect: wonders\r\n",
            "Host: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n",
        ] {
            let stream = client::connect(server.address, &server.certificate, &["http/1.1"]).await;
            let mut stream = stream.expect("the handshake succeeds");
            stream.write_all(format!("GET / HTTP/1.1\r\n{fields}\r\n").as_bytes()).await.expect("the server reads");
            let mut text = Vec::new();
            stream.read_to_end(&mut text).await.expect("the end is in order");
            let text = String::from_utf8_lossy(&text).into_owned();
            assert!(text.starts_with("HTTP/1.1 4"), "{fields:?} {text}");
        }
        let mut client = Client::http2(server.address, &server.certificate).await;
        let reply = client.send(request("CONNECT", "/", Vec::new())).await;
        assert!(reply.is_err() || reply.is_ok_and(|reply| reply.status == 501), "this server is not a proxy");
        let mut sent = request("GET", "/", Vec::new());
        sent.headers_mut().insert("host", "other".parse().expect("it is a value"));
        assert_eq!(client.send(sent).await.expect("the response is complete").status, 400);
    });
    assert_eq!(server.requests(), 0);
    server.stop();
}

#[test]
fn a_client_that_asks_before_it_sends_a_body_is_told() {
    let server = Server::start(Limits { body_bytes: 100, ..Limits::default() });
    client::run(async {
        for (length, expected) in [(4, "HTTP/1.1 100 Continue\r\n\r\n"), (101, "HTTP/1.1 413 Content Too Large\r\n")] {
            let stream = client::connect(server.address, &server.certificate, &["http/1.1"]).await;
            let mut stream = stream.expect("the handshake succeeds");
            let head = format!(
                "POST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: {length}\r\n\r\n"
            );
            stream.write_all(head.as_bytes()).await.expect("the server reads");
            let mut first = vec![0; expected.len()];
            stream.read_exact(&mut first).await.expect("there is an answer");
            assert_eq!(String::from_utf8_lossy(&first), expected);
            let mut rest = String::new();
            if length == 4 {
                stream.write_all(b"body").await.expect("the server reads");
            }
            stream.read_to_string(&mut rest).await.expect("the end is in order");
            assert!(rest.ends_with(if length == 4 { "\r\n\r\nbody" } else { "too large\n" }), "{rest}");
        }
    });
    server.stop();
}

#[test]
fn a_body_that_cannot_be_stored_is_refused() {
    let server = Server::start(Limits { spool_folder: "/proc/nowhere".into(), ..Limits::default() });
    client::run(async {
        for mut client in Client::both(server.address, &server.certificate).await {
            assert_eq!(client.post("/size", pattern(1000)).await.text(), "memory 1000");
            assert_eq!(client.post("/size", pattern(200_000)).await.status, 507);
        }
    });
    server.stop();
}

#[test]
fn the_older_version_of_tls_is_spoken_too() {
    let server = Server::start(Limits::default());
    client::run(async {
        let config = client::config_of(&server.certificate, &["http/1.1"], &[&version::TLS12]);
        let mut stream = client::connect_with(server.address, Arc::new(config)).await.expect("the handshake succeeds");
        stream.write_all(b"GET / HTTP/1.0\r\n\r\n").await.expect("the server reads");
        let mut text = String::new();
        stream.read_to_string(&mut text).await.expect("the end is in order");
        assert!(text.ends_with("\r\n\r\nhello"), "{text}");
    });
    server.stop();
}

#[test]
fn a_slow_handshake_is_cut() {
    let server = Server::start(Limits { head_time: LITTLE, ..Limits::default() });
    for sent in [&b""[..], b"\x16", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"] {
        let mut stream = TcpStream::connect(server.address).expect("the server accepts");
        stream.set_read_timeout(Some(PATIENCE)).expect("the time is not zero");
        stream.write_all(sent).expect("the server reads");
        // The end may be a reset: something was left unread.
        let _ = stream.read_to_end(&mut Vec::new());
        server.wait_for_connections(0);
    }
    server.stop();
}

#[test]
fn a_slow_head_is_cut_and_an_idle_connection_is_closed() {
    let server = Server::start(Limits { head_time: LITTLE, idle_time: 10 * LITTLE, ..Limits::default() });
    client::run(async {
        let stream = client::connect(server.address, &server.certificate, &["http/1.1"]).await;
        let mut stream = stream.expect("the handshake succeeds");
        stream.write_all(b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ").await.expect("the server reads");
        let began = Instant::now();
        let _ = stream.read_to_end(&mut Vec::new()).await;
        assert!(began.elapsed() < 10 * LITTLE);
        for is_http2 in [false, true] {
            let mut client = match is_http2 {
                false => Client::http1(server.address, &server.certificate).await,
                true => Client::http2(server.address, &server.certificate).await,
            };
            // A request that takes longer is not idleness.
            assert_eq!(client.get("/slow/1200").await.status, 200);
            wait_for(|| server.shared.open_connections() == 0).await;
            assert!(!client.is_open().await);
        }
    });
    server.stop();
}

/// Waits while this thread's tasks go on.
async fn wait_for(mut holds: impl FnMut() -> bool) {
    while !holds() {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[test]
fn a_slow_body_is_refused() {
    let limits = Limits { body_time: LITTLE, body_rate: 1000, ..Limits::default() };
    let server = Server::start(limits);
    client::run(async {
        for mut client in Client::both(server.address, &server.certificate).await {
            let body = Pieces { pieces: vec![vec![b'x'; 50].into()], stalls: true };
            let sent = request("POST", "/size", Vec::new()).map(|_| body);
            let reply = client.send(sent).await.expect("the response is not lost");
            assert_eq!(reply.text(), "408 Request Timeout: the request body took too long\n");
        }
    });
    assert_eq!(server.requests(), 0);
    server.stop();
}

#[test]
fn a_client_that_does_not_read_is_cut() {
    let server = Server::start(Limits { write_time: 2 * LITTLE, ..Limits::default() });
    client::run(async {
        // HTTP/1.1: the connection ends.
        let stream = client::connect(server.address, &server.certificate, &["http/1.1"]).await;
        let mut stream = stream.expect("the handshake succeeds");
        stream.write_all(b"GET /big/60000000 HTTP/1.1\r\nHost: a\r\n\r\n").await.expect("the server reads");
        wait_for(|| server.requests() == 1).await;
        wait_for(|| server.shared.open_connections() == 0).await;
        // HTTP/2: the stream ends, the others go on.
        let mut client = Client::http2_with_window(server.address, &server.certificate, 10_000).await;
        let response = client.begin(request("GET", "/big/1000000", Vec::new())).await.expect("there is a head");
        tokio::time::sleep(4 * LITTLE).await;
        let result = client::read(response.into_body()).await;
        assert!(result.is_err(), "the stream is reset");
        assert_eq!(client.get("/").await.text(), "hello");
    });
    server.stop();
}

#[test]
fn plain_http_is_told_that_this_port_speaks_https() {
    let server = Server::start(Limits::default());
    for sent in ["GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"] {
        let mut stream = TcpStream::connect(server.address).expect("the server accepts");
        stream.set_read_timeout(Some(PATIENCE)).expect("the time is not zero");
        stream.write_all(sent.as_bytes()).expect("the server reads");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("the end is in order");
        assert!(text.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{text}");
        assert!(text.contains("this port speaks HTTPS"), "{text}");
    }
    server.wait_for_connections(0);
    // The other port of the same workers still does not.
    let mut stream = TcpStream::connect(server.plain_address).expect("the server accepts");
    stream.write_all(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").expect("the server reads");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("the end is in order");
    assert!(text.ends_with("\r\n\r\nplain"), "{text}");
    server.stop();
}

#[test]
fn noise_is_closed() {
    let server = Server::start(Limits::default());
    for sent in [&b"\0\0\0"[..], b"\x16\x03\x01\x00\x05hello", b"\x80\x2e\x01\x03\x01", b"\xff"] {
        let mut stream = TcpStream::connect(server.address).expect("the server accepts");
        stream.write_all(sent).expect("the server reads");
        let _ = stream.read_to_end(&mut Vec::new());
    }
    server.wait_for_connections(0);
    assert!(
        client::run(async { Client::http2(server.address, &server.certificate).await.get("/").await }).status == 200
    );
    server.stop();
}

#[test]
fn a_renewed_certificate_is_served_to_new_connections() {
    let server = Server::start(Limits::default());
    assert!(matches!(server.certificates.reload(), Ok(false)));
    client::run(async {
        let mut old = Client::http2(server.address, &server.certificate).await;
        let renewed = server.folder.certify(|parameters| parameters.not_after = date_time_ymd(2060, 1, 1));
        assert!(matches!(server.certificates.reload(), Ok(true)));
        assert_eq!(server.certificates.expires(), SystemTime::UNIX_EPOCH + Duration::from_secs(2_840_140_800));
        assert!(client::connect(server.address, &server.certificate, &["h2"]).await.is_err());
        assert_eq!(Client::http2(server.address, &renewed).await.get("/").await.status, 200);
        assert_eq!(old.get("/").await.status, 200);

        std::fs::write(server.folder.path("cert.pem"), "half a fi").expect("the folder is writable");
        let error = server.certificates.reload().expect_err("there is no certificate");
        assert!(error.to_string().contains("no certificate in "), "{error}");
        assert!(matches!(server.certificates.reload(), Ok(false)), "an error is given once");
        assert_eq!(Client::http1(server.address, &renewed).await.get("/").await.status, 200);
        server.folder.certify(|_| {});
        assert!(matches!(server.certificates.reload(), Ok(true)));
    });
    server.stop();
}

#[test]
fn sessions_are_resumed_by_any_worker() {
    let server = Server::with_workers(Limits::default(), 2);
    client::run(async {
        let config = Arc::new(client::config(&server.certificate, &["http/1.1"]));
        for number in 0..4 {
            let mut stream =
                client::connect_with(server.address, config.clone()).await.expect("the handshake succeeds");
            stream
                .write_all(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                .await
                .expect("the server reads");
            stream.read_to_end(&mut Vec::new()).await.expect("the end is in order");
            let kind = stream.get_ref().1.handshake_kind();
            let is_resumed = kind == Some(tokio_rustls::rustls::HandshakeKind::Resumed);
            assert_eq!(is_resumed, number > 0, "{kind:?}");
        }
    });
    server.stop();
}

#[test]
fn a_certificate_that_cannot_be_used_is_told_in_a_line() {
    let folder = Folder::new();
    let text = |folder: &Folder| {
        let text = folder.load().expect_err("it cannot be used").to_string();
        assert!(!text.contains('\n'), "{text}");
        text
    };
    assert!(text(&folder).starts_with("cannot read "), "{}", text(&folder));
    folder.certify(|_| {});
    folder.load().expect("these are good");
    let (certificate, key) = (folder.path("cert.pem"), folder.path("key.pem"));
    let write = |path: &std::path::Path, content: &[u8]| std::fs::write(path, content).expect("the folder is writable");

    certify(&folder.path("other-cert.pem"), &key, |_| {});
    assert!(text(&folder).contains("does not belong to the certificate"), "{}", text(&folder));
    assert!(matches!(folder.load(), Err(CertificateError::Mismatch { .. })));
    for (content, expected) in [
        ("", "no private key in "),
        ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "cannot be used"),
        ("-----BEGIN PRIVATE KEY-----\n!!!!\n-----END PRIVATE KEY-----\n", "cannot be used"),
        ("-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n", "needs a passphrase"),
    ] {
        write(&key, content.as_bytes());
        assert!(text(&folder).contains(expected), "{} for {content:?}", text(&folder));
    }
    let encrypted = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nAAAA\n-----END RSA PRIVATE KEY-----\n";
    write(&key, encrypted.as_bytes());
    assert!(text(&folder).contains("private key"), "{}", text(&folder));
    // The two files given in the wrong places.
    folder.certify(|_| {});
    assert!(matches!(http::Certificates::load(&key, &certificate), Err(CertificateError::NoCertificate(_))));
    assert!(matches!(http::Certificates::load(&certificate, &certificate), Err(CertificateError::NoKey(_))));
    for (content, expected) in [
        ("text", "no certificate in "),
        ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "malformed"),
        ("-----BEGIN CERTIFICATE-----\nAAAA\n", "malformed"),
    ] {
        write(&certificate, content.as_bytes());
        assert!(text(&folder).contains(expected), "{} for {content:?}", text(&folder));
    }
    folder.certify(|parameters| parameters.not_after = date_time_ymd(2020, 2, 29));
    assert!(text(&folder).contains("expired on Sat, 29 Feb 2020 00:00:00 GMT"), "{}", text(&folder));
    folder.certify(|parameters| parameters.not_before = date_time_ymd(2100, 1, 1));
    assert!(text(&folder).contains("valid only from Fri, 01 Jan 2100 00:00:00 GMT"), "{}", text(&folder));
}

#[test]
fn a_graceful_stop_finishes_what_has_begun() {
    let mut server = Server::start(Limits::default());
    client::run(async {
        let clients = Client::both(server.address, &server.certificate).await;
        let mut idle = Client::http2(server.address, &server.certificate).await;
        assert_eq!(idle.get("/").await.status, 200);
        let mut tasks = tokio::task::JoinSet::new();
        for mut client in clients {
            tasks.spawn_local(async move {
                let reply = client.get("/slow/400").await;
                (reply.text(), client.is_open().await)
            });
        }
        wait_for(|| server.requests() == 3).await;
        server.begin_stop();
        wait_for(|| server.shared.open_connections() == 2).await;
        assert!(!idle.is_open().await);
        for (text, is_open) in tasks.join_all().await {
            assert_eq!((text.as_str(), is_open), ("after 400", false));
        }
        wait_for(|| server.shared.open_connections() == 0).await;
    });
    assert_eq!(server.dropped(), 0);
    server.stop();
}

#[test]
fn a_response_that_closes_ends_the_connection() {
    let server = Server::start(Limits::default());
    client::run(async {
        for mut client in Client::both(server.address, &server.certificate).await {
            assert_eq!(client.get("/close").await.text(), "bye");
            wait_for(|| server.mailboxes.iter().all(|mailbox| mailbox.secure_connections() < 2)).await;
            assert!(!client.is_open().await);
        }
    });
    server.wait_for_connections(0);
    server.stop();
}

#[test]
fn what_a_client_gives_up_is_dropped() {
    let server = Server::start(Limits::default());
    client::run(async {
        let [mut one, mut two] = Client::both(server.address, &server.certificate).await;
        // The client goes.
        {
            let mut begun = Box::pin(one.begin(request("GET", "/never", Vec::new())));
            tokio::select! {
                _ = &mut begun => panic!("there is no answer"),
                () = wait_for(|| server.requests() == 1) => {}
            }
        }
        drop(one);
        wait_for(|| server.dropped() == 1).await;
        // The client resets the stream; the connection goes on.
        let mut begun = Box::pin(two.share_begin("/never"));
        tokio::select! {
            _ = &mut begun => panic!("there is no answer"),
            () = wait_for(|| server.requests() == 2) => {}
        }
        drop(begun);
        wait_for(|| server.dropped() == 2).await;
        assert_eq!(two.get("/").await.text(), "hello");
        // The client of many streams goes.
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..20 {
            let mut client = two.share();
            tasks.spawn_local(async move { client.get("/never").await });
        }
        wait_for(|| server.requests() == 23).await;
        tasks.abort_all();
        drop((tasks, two));
        wait_for(|| server.dropped() == 22).await;
        wait_for(|| server.shared.open_connections() == 0).await;
    });
    server.stop();
}

#[test]
fn an_embedder_can_drop_a_connection_at_any_time() {
    let server = Server::start(Limits::default());
    client::run(async {
        for number in 1..=2 {
            let mut client = match number {
                1 => Client::http1(server.address, &server.certificate).await,
                _ => Client::http2(server.address, &server.certificate).await,
            };
            let mut begun = Box::pin(client.begin(request("GET", "/never", Vec::new())));
            tokio::select! {
                _ = &mut begun => panic!("there is no answer"),
                () = wait_for(|| server.requests() == number) => {}
            }
            server.seen.over.notify_waiters();
            assert!(begun.await.is_err());
            wait_for(|| server.dropped() == number).await;
            wait_for(|| server.shared.open_connections() == 0).await;
        }
    });
    server.stop();
}

#[test]
fn a_client_that_only_resets_is_cut() {
    let server = Server::start(Limits::default());
    client::run(async {
        let client = Client::http2(server.address, &server.certificate).await;
        let mut probe = client.share();
        for _ in 0..2000 {
            let mut client = client.share();
            let begun = tokio::time::timeout(Duration::from_millis(2), client.share_begin("/never"));
            if matches!(begun.await, Ok(Err(_))) {
                break;
            }
        }
        assert!(!probe.is_open().await);
        wait_for(|| server.shared.open_connections() == 0).await;
    });
    assert!(server.requests() < 1000, "{}", server.requests());
    server.stop();
}

#[test]
fn connections_inside_of_tls_count_for_the_limits() {
    let limits = Limits { connections: 3, count_loopback: true, connections_per_address: 3, ..Limits::default() };
    let server = Server::with_workers(limits, 2);
    client::run(async {
        let mut clients = Vec::new();
        for _ in 0..3 {
            let mut client = Client::http2(server.address, &server.certificate).await;
            assert_eq!(client.get("/").await.status, 200);
            clients.push(client);
        }
        assert!(client::connect(server.address, &server.certificate, &["h2"]).await.is_err());
        assert_eq!(server.shared.refused_connections(), 1);
        let mut loads: Vec<usize> = server.mailboxes.iter().map(|mailbox| mailbox.load()).collect();
        loads.sort_unstable();
        assert_eq!(loads, [1, 2], "they are spread");
        clients.pop();
        wait_for(|| server.shared.open_connections() == 2).await;
        let mut client = Client::http1(server.address, &server.certificate).await;
        assert_eq!(client.get("/").await.status, 200);
    });
    server.wait_for_connections(0);
    server.stop();
}

#[test]
fn the_longest_idle_gives_way_when_there_is_no_room() {
    let limits = Limits { connections: 2, ..Limits::default() };
    let server = Server::start(limits);
    client::run(async {
        let mut old = Client::http2(server.address, &server.certificate).await;
        assert_eq!(old.get("/").await.status, 200);
        tokio::time::sleep(Duration::from_millis(1100)).await;
        let mut young = Client::http2(server.address, &server.certificate).await;
        assert_eq!(young.get("/").await.status, 200);
        assert!(client::connect(server.address, &server.certificate, &["h2"]).await.is_err());
        wait_for(|| server.shared.open_connections() == 1).await;
        assert!(!old.is_open().await);
        assert_eq!(young.get("/").await.status, 200);
    });
    wait_until("the place is free", || server.shared.open_connections() == 0);
    server.stop();
}
