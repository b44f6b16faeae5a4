//! An idle connection costs next to nothing. Alone in its process, since it measures the process.

mod support;

use http::Limits;
use support::Server;

/// Anonymous resident memory in KiB.
fn anonymous() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("the system tells");
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).expect("the system tells of memory");
    line.trim().trim_end_matches(" kB").parse().expect("memory is a number")
}

#[test]
fn two_thousand_idle_connections_stay_small() {
    test_support::raise_file_limit();

    let server = Server::start(Limits::default(), 1);
    let mut clients = Vec::with_capacity(2000);
    for _ in 0..20 {
        let mut client = server.connect();
        assert_eq!(client.get("/").status, 200);
        clients.push(client.stream);
    }
    let before = anonymous();
    while clients.len() < 2000 {
        let mut client = server.connect();
        // Head and body come in two pieces: what is kept in between must be given back.
        client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3000\r\n\r\nabc");
        client.send([b'x'; 2997]);
        assert_eq!(client.reply().body.len(), 3000);
        clients.push(client.stream);
    }
    server.wait_for_connections(2000);
    let grown = anonymous().saturating_sub(before);
    assert!(grown < 700, "{grown} KiB for 1,980 connections and their clients");
    drop(clients);
    server.stop();
}
