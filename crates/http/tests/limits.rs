//! Clients that are slow, greedy or malformed.

mod support;

use http::Limits;
use std::io::Write;
use std::time::{Duration, Instant};
use support::{Client, Server, malformed, pattern};

fn short_times() -> Limits {
    Limits {
        head_time: Duration::from_millis(200),
        body_time: Duration::from_millis(200),
        idle_time: Duration::from_millis(400),
        write_time: Duration::from_millis(200),
        linger_time: Duration::from_millis(200),
        ..Limits::default()
    }
}

#[test]
fn malformed_requests_are_refused_and_the_connection_ends() {
    let server = Server::start(Limits::default(), 1);
    for (name, status, bytes) in malformed::cases() {
        let mut client = server.connect();
        client.send(&bytes);
        let reply = client.reply();
        assert!(reply.status == status && reply.closes(), "{name}: {}", reply.head);
        client.send("GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n");
        client.assert_end();
    }
    assert_eq!(server.seen.requests.load(std::sync::atomic::Ordering::SeqCst), 0, "none was handed out");
    server.stop();
}

#[test]
fn a_slow_head_is_refused() {
    let server = Server::start(short_times(), 1);
    let mut client = server.connect();
    assert_eq!(client.get("/").status, 200);
    let began = Instant::now();
    for byte in b"GET / HTTP/1.1\r\nHost: a\r\nX: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" {
        // It ends while we write.
        if client.stream.write_all(&[*byte]).is_err() || began.elapsed() > Duration::from_secs(5) {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
        if began.elapsed() > Duration::from_millis(300) {
            break;
        }
    }
    assert_eq!(client.reply().status, 408);
    client.assert_end();
    server.stop();
}

#[test]
fn a_slow_body_is_refused_and_a_steady_one_is_not() {
    let server = Server::start(Limits { body_rate: 10_000, ..short_times() }, 1);
    for length in ["Content-Length: 100000", "Transfer-Encoding: chunked"] {
        let mut client = server.connect();
        client.send(format!("POST /size HTTP/1.1\r\nHost: a\r\n{length}\r\n\r\n1"));
        let began = Instant::now();
        assert_eq!(client.reply().status, 408);
        assert!(began.elapsed() >= Duration::from_millis(190));
        client.assert_end();
    }
    let mut client = server.connect();
    client.send("POST /size HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n");
    for _ in 0..20 {
        client.send(pattern(5000));
        std::thread::sleep(Duration::from_millis(25));
    }
    assert_eq!(client.reply().text(), "file 100000");
    server.stop();
}

#[test]
fn an_idle_connection_is_closed_silently() {
    let server = Server::start(short_times(), 1);
    let began = Instant::now();
    let mut fresh = server.connect();
    let mut used = server.connect();
    assert_eq!(used.get("/").status, 200);
    let mut busy = server.connect();
    while began.elapsed() < Duration::from_millis(1200) {
        assert_eq!(busy.get("/").status, 200);
        std::thread::sleep(Duration::from_millis(30));
    }
    fresh.assert_end();
    used.assert_end();
    assert_eq!(busy.get("/").status, 200);
    server.wait_for_connections(1);
    server.stop();
}

#[test]
fn a_request_that_takes_long_is_not_idle() {
    let server = Server::start(short_times(), 1);
    let mut client = server.connect();
    assert_eq!(client.get("/slow/1000").text(), "/slow/1000");
    server.stop();
}

#[test]
fn whoever_does_not_read_is_cut_off() {
    let server = Server::start(short_times(), 1);
    let mut whole = server.connect();
    whole.send("GET /big/50000000 HTTP/1.1\r\nHost: a\r\n\r\n");
    let mut stream = server.connect();
    stream.send("GET /stream/1000000 HTTP/1.1\r\nHost: a\r\n\r\n");
    server.seen.wait(|seen| &seen.cancelled, 1);
    server.wait_for_connections(0);
    server.stop();
}

#[test]
fn bodies_above_the_limit_are_refused_early() {
    let server = Server::start(Limits { body_bytes: 100_000, ..Limits::default() }, 1);
    let send = |head: &str, body: &[u8]| -> u16 {
        let mut client = server.connect();
        client.send(head);
        client.send(body);
        let status = client.reply().status;
        if status == 413 {
            client.assert_end();
        }
        status
    };
    let counted = |length: usize| format!("POST /size HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n");
    assert_eq!(send(&counted(100_000), &pattern(100_000)), 200);
    assert_eq!(send(&counted(100_001), &pattern(100_001)), 413);
    assert_eq!(send(&counted(900_000_000), &pattern(1_000_000)), 413);
    let chunked = "POST /size HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    let chunk = [b"c350\r\n".as_slice(), &pattern(50_000), b"\r\n"].concat();
    assert_eq!(send(chunked, &[chunk.as_slice(), &chunk, b"0\r\n\r\n"].concat()), 200);
    assert_eq!(send(chunked, &[chunk.as_slice(), &chunk, b"1\r\n"].concat()), 413);
    server.stop();
}

#[test]
fn an_address_has_a_number_of_connections() {
    let limits = Limits { connections_per_address: 2, count_loopback: true, ..Limits::default() };
    let server = Server::start(limits, 2);
    let mut first = server.connect();
    let mut second = server.connect();
    assert_eq!((first.get("/").status, second.get("/").status), (200, 200));
    let mut third = server.connect();
    let reply = third.reply();
    assert!(reply.status == 429 && reply.closes());
    assert_eq!((first.get("/").status, server.shared.refused_connections()), (200, 1));
    drop(first);
    server.wait_for_connections(1);
    assert_eq!(server.connect().get("/").status, 200);
    server.stop();
}

#[test]
fn a_full_server_says_so_and_gives_idle_connections_up() {
    let server = Server::start(Limits { connections: 3, ..Limits::default() }, 1);
    let mut clients: Vec<Client> = (0..3).map(|_| server.connect()).collect();
    for client in &mut clients {
        assert_eq!(client.get("/").status, 200);
    }
    let mut refused = server.connect();
    assert_eq!(refused.reply().status, 503);
    refused.assert_end();
    assert_eq!(server.shared.open_connections(), 3, "nobody is given up who has just come");
    std::thread::sleep(Duration::from_millis(1100));
    assert_eq!(server.connect().reply().status, 503);
    server.wait_for_connections(2);
    assert_eq!(server.connect().get("/").status, 200);
    server.stop();
}

#[test]
fn a_body_that_cannot_be_stored_is_refused() {
    let server = Server::start(Limits { spool_folder: "/nonexistent".into(), ..Limits::default() }, 1);
    let mut client = server.connect();
    client.send("POST /size HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n");
    client.send(pattern(200_000));
    assert_eq!(client.reply().status, 507);
    client.assert_end();
    server.stop();
}
