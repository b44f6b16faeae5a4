//! Connections as clients see them: kept, pipelined, half closed, gone.

mod support;

use http::Limits;
use std::time::Duration;
use support::{Client, Server, pattern};

#[test]
fn a_connection_is_kept() {
    let server = Server::start(Limits::default(), 1);
    let mut client = server.connect();
    for _ in 0..100 {
        let reply = client.get("/");
        assert_eq!((reply.status, reply.text().as_str()), (200, "hello"));
        assert!(!reply.closes() && reply.header("date").is_some_and(|date| date.ends_with("GMT")));
    }
    let address = client.stream.local_addr().expect("the connection has an address");
    assert_eq!(client.get("/peer").text(), address.to_string());
    drop(client);
    server.wait_for_connections(0);
    server.stop();
}

#[test]
fn the_client_may_close_and_so_may_the_server() {
    let server = Server::start(Limits::default(), 1);
    for request in [
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        "GET /close HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n",
        "GET /slow/5 HTTP/1.0\r\n\r\n",
    ] {
        let mut client = server.connect();
        client.send(request);
        let reply = client.reply();
        assert!(reply.status == 200 && reply.closes(), "{request}");
        client.assert_end();
    }
    let mut client = server.connect();
    for _ in 0..2 {
        client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
        assert_eq!(client.reply().header("connection"), Some("keep-alive"));
    }
    server.stop();
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let server = Server::start(Limits::default(), 1);
    let mut client = server.connect();
    let paths =
        ["/slow/30", "/", "/big/300000", "/slow/1", "/stream/3", "/peer", "/a", "/b", "/slow/2", "/big/9000", "/c"];
    let mut train = String::new();
    for path in paths {
        train += &format!("POST {path} HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc");
    }
    client.send(&train);
    for path in paths {
        let reply = client.reply();
        let expected = match path {
            "/" => "hello".to_owned(),
            "/peer" => client.stream.local_addr().expect("the connection has an address").to_string(),
            "/stream/3" => String::from_utf8(pattern(1000)).expect("the pattern is text").repeat(3),
            "/big/300000" => String::from_utf8(pattern(300_000)).expect("the pattern is text"),
            "/big/9000" => String::from_utf8(pattern(9000)).expect("the pattern is text"),
            other => other.to_owned(),
        };
        assert!(reply.text() == expected, "{path}");
    }
    server.stop();
}

#[test]
fn a_long_train_is_answered_without_reading_in_between() {
    let server = Server::start(Limits::default(), 1);
    let mut client = server.connect();
    let count = 5000;
    let train = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(count);
    client.send(train);
    client.end_writing();
    for _ in 0..count {
        assert_eq!(client.reply().status, 200);
    }
    client.assert_end();
    server.stop();
}

#[test]
fn requests_are_understood_byte_by_byte() {
    let server = Server::start(Limits::default(), 1);
    let mut client = server.connect();
    let request =
        "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
    for _ in 0..3 {
        for byte in request.bytes() {
            client.send([byte]);
        }
        assert_eq!(client.reply().text(), "abcde");
    }
    server.stop();
}

#[test]
fn head_requests_have_no_body() {
    let server = Server::start(Limits::default(), 1);
    let mut client = server.connect();
    for path in ["/", "/big/100000", "/stream/3"] {
        client.send(format!("HEAD {path} HTTP/1.1\r\nHost: a\r\n\r\n"));
        assert_eq!(client.reply_to_head().status, 200);
    }
    client.send("HEAD /big/100000 HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!(client.reply_to_head().header("content-length"), Some("100000"));
    assert_eq!(client.get("/").text(), "hello");
    server.stop();
}

#[test]
fn a_half_closed_client_is_answered() {
    let server = Server::start(Limits::default(), 1);
    for (path, expected) in [("/", "hello"), ("/slow/50", "/slow/50")] {
        let mut client = server.connect();
        client.send(format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n"));
        client.end_writing();
        assert_eq!(client.reply().text(), expected);
        client.assert_end();
    }
    server.seen.wait(|seen| &seen.half_closed, 1);
    let mut client = server.connect();
    client.send("GET /slow/20 HTTP/1.1\r\nHost: a\r\n\r\nGET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /half HT");
    client.end_writing();
    assert_eq!((client.reply().text(), client.reply().text()), ("/slow/20".to_owned(), "/a".to_owned()));
    client.assert_end();
    server.wait_for_connections(0);
    server.stop();
}

#[test]
fn a_stream_ends_with_the_connection_for_http_1_0() {
    let server = Server::start(Limits::default(), 1);
    let mut client = server.connect();
    client.send("GET /stream/20 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    let reply = client.reply();
    assert!(reply.closes() && reply.body == pattern(1000).repeat(20));
    server.stop();
}

#[test]
fn bodies_come_whole_from_memory_and_from_a_file() {
    let server = Server::start(Limits::default(), 1);
    let mut client = server.connect();
    for length in [0, 1, 8192, 65_535, 65_536, 65_537, 1_000_000] {
        let body = pattern(length);
        client.send(format!("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n"));
        client.send(&body);
        assert!(client.reply().body == body, "counted, {length}");

        client.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
        for part in body.chunks(10_000) {
            client.send([format!("{:x}\r\n", part.len()).as_bytes(), part, b"\r\n"].concat());
        }
        client.send("0\r\n\r\n");
        assert!(client.reply().body == body, "chunked, {length}");
    }
    for (length, place) in [(65_536, "memory 65536"), (65_537, "file 65537")] {
        client.send(format!("POST /size HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n"));
        client.send(pattern(length));
        assert_eq!(client.reply().text(), place);
    }
    server.stop();
}

#[test]
fn a_waiting_client_is_told_to_go_on() {
    let server = Server::start(Limits::default(), 1);
    let mut client = server.connect();
    client.send("POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
    assert_eq!(client.reply().status, 100);
    client.send("hello");
    assert_eq!(client.reply().text(), "hello");
    client.send("POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 50000000\r\n\r\n");
    assert_eq!(client.reply().status, 413);
    client.assert_end();
    server.stop();
}

#[test]
fn a_large_response_waits_for_a_slow_client() {
    let server = Server::start(Limits::default(), 1);
    let mut client = server.connect();
    let length = 20_000_000;
    client.send(format!("GET /big/{length} HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"));
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(server.connect().get("/").text(), "hello", "others are served meanwhile");
    assert!(client.reply().body == pattern(length));
    assert_eq!(client.reply().text(), "hello");
    server.stop();
}

#[test]
fn a_part_of_a_file_arrives_whole_and_its_connection_goes_on() {
    let server = Server::start(Limits::default(), 1);
    let mut client = server.connect();
    for length in [0, 1, 100, 65_536, 65_537, 300_000, 5_000_000] {
        assert!(client.get(&format!("/file/{length}")).body == pattern(length), "{length} bytes");
    }
    client.send("HEAD /file/70000 HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!(client.reply_to_head().header("content-length"), Some("70000"));
    client.send("GET /file/200000 HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(3));
    for _ in 0..3 {
        assert!(client.reply().body == pattern(200_000));
        assert_eq!(client.reply().text(), "hello");
    }
    server.stop();
}

#[test]
fn a_file_waits_for_a_slow_client() {
    let server = Server::start(Limits::default(), 1);
    let mut slow = server.connect();
    slow.send("GET /file/20000000 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(server.connect().get("/").text(), "hello", "others are served meanwhile");
    assert!(slow.reply().body == pattern(20_000_000));
    server.stop();
}

#[test]
fn a_file_that_is_shorter_than_announced_is_cut_off() {
    let server = Server::start(Limits::default(), 1);
    for length in [10, 100_000] {
        let mut client = server.connect();
        client.send(format!("GET /cut/{length} HTTP/1.1\r\nHost: a\r\n\r\n"));
        assert!(client.try_reply().is_err(), "it is not taken for the whole");
    }
    server.stop();
}

#[test]
fn a_stream_waits_for_a_slow_client() {
    let server = Server::start(Limits::default(), 1);
    let mut client = server.connect();
    let count = 20_000;
    client.send(format!("GET /stream/{count} HTTP/1.1\r\nHost: a\r\n\r\n"));
    std::thread::sleep(Duration::from_millis(100));
    assert!(client.reply().body == pattern(1000).repeat(count));
    server.seen.wait(|seen| &seen.writable, 1);
    server.stop();
}

/// A close with bytes unread is a reset: the client has gone for good.
fn reset(mut client: Client) {
    use std::io::Read;
    let mut first = [0; 1];
    client.stream.read_exact(&mut first).expect("a response has begun");
}

#[test]
fn whoever_has_gone_is_cancelled() {
    let server = Server::start(Limits::default(), 1);
    let mut client = server.connect();
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /never HTTP/1.1\r\nHost: a\r\n\r\n");
    server.seen.wait(|seen| &seen.requests, 2);
    reset(client);
    server.seen.wait(|seen| &seen.cancelled, 1);

    let mut client = server.connect();
    client.send("GET /stream/100000000 HTTP/1.1\r\nHost: a\r\n\r\n");
    reset(client);
    // Here the writer learns it from its own write, or is told.
    server.wait_for_connections(0);

    let mut client = server.connect();
    client.send("GET /big/50000000 HTTP/1.1\r\nHost: a\r\n\r\n");
    reset(client);

    let mut client = server.connect();
    client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
    client.send(pattern(200_000));
    drop(client);
    server.wait_for_connections(0);
    assert_eq!(server.connect().get("/").text(), "hello");
    server.stop();
}

#[test]
fn a_client_that_never_stops_does_not_hold_the_worker() {
    let server = Server::start(Limits::default(), 1);
    let address = server.address;
    let is_over = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let told = is_over.clone();
    let greedy = std::thread::spawn(move || {
        let mut client = Client::connect(address);
        let train = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(1000);
        while !told.load(std::sync::atomic::Ordering::SeqCst) {
            client.send(&train);
            for _ in 0..1000 {
                assert_eq!(client.reply().status, 200);
            }
        }
    });
    let mut others: Vec<Client> = (0..20).map(|_| server.connect()).collect();
    let mut times = Vec::new();
    for _ in 0..20 {
        for client in &mut others {
            let began = std::time::Instant::now();
            assert_eq!(client.get("/").status, 200);
            times.push(began.elapsed());
        }
    }
    is_over.store(true, std::sync::atomic::Ordering::SeqCst);
    greedy.join().expect("the greedy client is served too");
    times.sort();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    assert!(median < Duration::from_millis(50), "half of the requests took more than {median:?}");
    server.stop();
}
