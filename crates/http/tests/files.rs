//! A process without files for new connections goes on serving. Alone in its process, since it lowers the process's limit.

mod support;

use http::Limits;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::time::Duration;
use support::{Client, Server};

#[test]
fn idle_connections_make_room() {
    let server = Server::start(Limits::default(), 1);
    let limit = Rlimit { current: Some(60), maximum: getrlimit(Resource::Nofile).maximum };
    setrlimit(Resource::Nofile, limit).expect("a limit may be lowered");
    let mut clients = Vec::new();
    while let Ok(mut client) = Client::try_connect(server.address) {
        // Without a file for it the server accepts it later, when it has given others up.
        client.stream.set_read_timeout(Some(Duration::from_secs(5))).expect("the time is not zero");
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        assert_eq!(client.reply().status, 200);
        clients.push(client);
        assert!(clients.len() < 100, "the limit holds");
    }
    assert!(clients.len() > 10);
    clients.truncate(clients.len() - 5);
    assert_eq!(server.connect().get("/").status, 200);
    drop(clients);
    server.stop();
}
