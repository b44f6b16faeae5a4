//! Stopping loses no request that was sent.

mod support;

use http::Limits;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use support::{Client, Server};

/// Sends requests without pause until the server takes no more connections. Number of answers, or what was lost.
fn load(address: std::net::SocketAddr, path: &str, answered: &AtomicUsize) -> Result<usize, String> {
    let mut count = 0;
    'connections: loop {
        let Ok(mut client) = Client::try_connect(address) else { return Ok(count) };
        let mut is_first = true;
        loop {
            use std::io::Write;
            let request = format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n");
            let reply = client.stream.write_all(request.as_bytes()).and_then(|()| client.try_reply());
            match reply {
                Ok(reply) if reply.status == 200 => {
                    count += 1;
                    answered.fetch_add(1, Ordering::SeqCst);
                    if reply.closes() {
                        client.assert_end();
                        continue 'connections;
                    }
                }
                Ok(reply) => return Err(reply.head),
                // The kernel had completed the connection, but the listener closed before it was accepted.
                Err(_) if is_first => return Ok(count),
                Err(error) => return Err(format!("after {count} answers: {error}")),
            }
            is_first = false;
        }
    }
}

#[test]
fn a_stop_under_load_loses_nothing() {
    for path in ["/", "/slow/20", "/big/100000", "/stream/30"] {
        let mut server = Server::start(Limits { drain_time: Duration::from_millis(400), ..Limits::default() }, 2);
        let (address, answered) = (server.address, AtomicUsize::new(0));
        std::thread::scope(|scope| {
            let clients: Vec<_> = (0..8).map(|_| scope.spawn(|| load(address, path, &answered))).collect();
            let began = Instant::now();
            while answered.load(Ordering::SeqCst) < 100 && began.elapsed() < support::PATIENCE {
                std::thread::sleep(Duration::from_millis(5));
            }
            server.begin_stop();
            for client in clients {
                let result = client.join().expect("a client does not panic");
                assert!(result.as_ref().is_ok_and(|count| *count > 0), "{path}: {result:?}");
            }
        });
        server.stop();
    }
}

#[test]
fn idle_connections_may_bring_a_last_request() {
    let mut server = Server::start(Limits { drain_time: Duration::from_millis(600), ..Limits::default() }, 1);
    let mut silent = server.connect();
    let mut late = server.connect();
    let mut fresh = server.connect();
    let mut busy = server.connect();
    assert_eq!((silent.get("/").status, late.get("/").status), (200, 200));
    busy.send("GET /slow/900 HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n");
    server.seen.wait(|seen| &seen.requests, 3);
    server.begin_stop();
    assert!(Client::try_connect(server.address).is_err(), "no new connections");
    std::thread::sleep(Duration::from_millis(200));
    for client in [&mut late, &mut fresh] {
        let reply = client.get("/");
        assert!(reply.status == 200 && reply.closes());
        client.assert_end();
    }
    let began = Instant::now();
    silent.assert_end();
    assert!(began.elapsed() < Duration::from_secs(3));
    let reply = busy.reply();
    assert!(reply.text() == "/slow/900" && reply.closes(), "{reply:?}");
    drop((silent, late, fresh, busy));
    server.stop();
}
