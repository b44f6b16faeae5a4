//! The life of a server: start, reload, stop, and what goes on meanwhile.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use test_support::{Client, Server, Signal};

const GANDER: &str = env!("CARGO_BIN_EXE_gander");

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("serve-{name}"));
    std::fs::create_dir_all(&folder).expect("there is room");
    folder
}

/// A program whose answer says which edition it is.
fn edition(file: &Path, number: u32) {
    let text = format!(
        "use date\nuse string\nroute(\"GET\", \"/\", fn() => \"edition {number}\")\n\
         route(\"GET\", \"/slow\", function() {{ $end = date::mono_us() + 300000; while (date::mono_us() < $end) {{ }} return \"slow {number}\" }})\n\
         route(\"GET\", \"/long\", function() {{ return string::repeat(\"x\", 8000000) }})\n\
         route(\"GET\", \"/endless\", function() {{ while (true) {{ }} }})\n"
    );
    // As editors write: whole or not at all.
    let whole = file.with_extension("new");
    std::fs::write(&whole, text).expect("the folder takes files");
    std::fs::rename(&whole, file).expect("the file can be replaced");
}

fn start(name: &str, arguments: &[&str]) -> (Server, PathBuf) {
    let file = folder(name).join("app.lk");
    edition(&file, 1);
    (Server::start(GANDER, arguments, &file).expect("the server starts"), file)
}

const REQUEST: &str = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// Clients that ask all the time, one request after the other on kept connections, until they are told to stop.
struct Load {
    over: Arc<AtomicBool>,
    answered: Arc<AtomicUsize>,
    clients: Vec<JoinHandle<Result<(), String>>>,
}

impl Load {
    /// A client that is told `Connection: close` connects again; only if the server `ends` it may find nobody there.
    fn start(server: &Server, clients: usize, ends: bool) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let answered = Arc::new(AtomicUsize::new(0));
        let address = server.address(0);
        let client = |over: Arc<AtomicBool>, answered: Arc<AtomicUsize>| {
            move || -> Result<(), String> {
                let mut client = Client::connect(address).map_err(|error| format!("connect: {error}"))?;
                while !over.load(Ordering::Relaxed) {
                    client.send(REQUEST).map_err(|error| format!("send: {error}"))?;
                    let reply = client.read("GET").map_err(|error| format!("read: {error}"))?;
                    if reply.status != 200 || !reply.text().starts_with("edition ") {
                        return Err(format!("{} {}", reply.status, reply.text()));
                    }
                    answered.fetch_add(1, Ordering::Relaxed);
                    if reply.header("connection") == Some("close") {
                        match Client::connect(address) {
                            Ok(next) => client = next,
                            Err(_) if ends => return Ok(()),
                            Err(error) => return Err(format!("connect again: {error}")),
                        }
                    }
                }
                Ok(())
            }
        };
        let clients = (0..clients).map(|_| std::thread::spawn(client(over.clone(), answered.clone()))).collect();
        Self { over, answered, clients }
    }

    fn wait_for(&self, more: usize) {
        let aim = self.answered.load(Ordering::Relaxed) + more;
        let began = Instant::now();
        while self.answered.load(Ordering::Relaxed) < aim {
            assert!(began.elapsed() < test_support::PATIENCE, "the clients get answers");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Ends the clients and gives what they have to say.
    fn finish(self) -> Vec<String> {
        self.over.store(true, Ordering::Relaxed);
        self.clients.into_iter().filter_map(|client| client.join().expect("a client does not panic").err()).collect()
    }
}

#[test]
fn reloads_lose_no_request() {
    let (server, file) = start("reload", &["--workers", "2"]);
    let load = Load::start(&server, 8, false);
    for number in 2..12 {
        load.wait_for(50);
        edition(&file, number);
        server.signal(Signal::HUP);
        let began = Instant::now();
        while server.get("/").text() != format!("edition {number}") {
            assert!(began.elapsed() < test_support::PATIENCE, "edition {number} answers; it said:\n{}", server.told());
        }
    }
    assert_eq!(load.finish(), Vec::<String>::new());
}

#[test]
fn a_request_ends_with_the_program_it_began_with() {
    let (server, file) = start("old", &[]);
    let mut client = server.connect();
    client.send("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n").expect("it is sent");
    std::thread::sleep(Duration::from_millis(100));
    edition(&file, 2);
    server.signal(Signal::HUP);
    server.wait_for("reloaded after SIGHUP");
    assert_eq!(server.get("/").text(), "edition 2");
    assert_eq!(client.read("GET").expect("a response").text(), "slow 1");
}

#[test]
fn a_stop_ends_a_top_level_that_never_ends() {
    let (mut server, file) = start("endless-setup", &[]);
    std::fs::write(&file, "while (true) { }\n").expect("the folder takes files");
    server.signal(Signal::HUP);
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(server.get("/").text(), "edition 1", "meanwhile the program as it was answers");
    server.signal(Signal::TERM);
    assert!(server.wait().success(), "{}", server.told());
}

#[test]
fn an_edit_is_taken_over_and_a_broken_one_is_not() {
    let (server, file) = start("watch", &["--watch"]);
    edition(&file, 2);
    server.wait_for("reloaded after");
    assert_eq!(server.get("/").text(), "edition 2");
    std::fs::write(&file, "route(\"GET\", \"/\", fn() => \n").expect("the folder takes files");
    server.wait_for("not reloaded");
    assert!(server.told().contains("app.lk:"), "the diagnostic names the place: {}", server.told());
    assert_eq!(server.get("/").text(), "edition 2");
    edition(&file, 3);
    let began = Instant::now();
    while server.get("/").text() != "edition 3" {
        assert!(began.elapsed() < test_support::PATIENCE, "the mended program answers; it said:\n{}", server.told());
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_stop_answers_what_has_been_asked() {
    let (mut server, _) = start("stop", &["--workers", "2"]);
    let load = Load::start(&server, 8, true);
    load.wait_for(200);
    let mut client = server.connect();
    client.send("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n").expect("it is sent");
    std::thread::sleep(Duration::from_millis(50));
    server.signal(Signal::TERM);
    let reply = client.read("GET").expect("a response");
    assert_eq!((reply.text().as_str(), reply.header("connection")), ("slow 1", Some("close")));
    assert!(client.is_closed());
    assert_eq!(server.wait().code(), Some(0));
    assert_eq!(load.finish(), Vec::<String>::new());
}

#[test]
fn health_fails_before_the_server_stops_to_listen() {
    let (mut server, _) = start("drain", &["--drain-delay", "400ms"]);
    assert_eq!(server.get("/health").status, 200);
    server.signal(Signal::INT);
    let began = Instant::now();
    while server.get("/health").status != 503 {
        assert!(began.elapsed() < Duration::from_millis(300), "the health check fails at once");
    }
    assert_eq!(server.get("/").text(), "edition 1");
    assert_eq!(server.wait().code(), Some(0));
}

#[test]
fn what_does_not_end_within_the_grace_time_is_ended() {
    let (mut server, _) = start("grace", &["--grace", "200ms"]);
    let mut client = server.connect();
    client.send("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n").expect("it is sent");
    std::thread::sleep(Duration::from_millis(50));
    let began = Instant::now();
    server.signal(Signal::TERM);
    assert_eq!(server.wait().code(), Some(0));
    assert!(began.elapsed() < Duration::from_secs(10));
    server.wait_for("(--grace)");
}

#[test]
fn a_client_that_leaves_takes_nothing_along() {
    let (server, _) = start("leave", &["--half-close-timeout", "100ms"]);
    for _ in 0..20 {
        let mut stream = TcpStream::connect(server.address(0)).expect("the server accepts connections");
        stream.write_all(b"GET /long HTTP/1.1\r\nHost: localhost\r\n\r\n").expect("it is sent");
        let mut some = [0; 1000];
        stream.read_exact(&mut some).expect("the response begins");
    }
    // One that leaves while its handler runs.
    drop({
        let mut client = server.connect();
        client.send("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n").expect("it is sent");
        client
    });
    assert_eq!(server.get("/").text(), "edition 1");
    let (status, told) = server.stop();
    assert_eq!(status.code(), Some(0), "{told}");
    assert!(!told.contains("grace"), "the handler of the client that left was ended: {told}");
}

#[test]
fn a_client_that_has_closed_its_side_is_answered_and_told_why_it_is_not() {
    let (server, _) = start("half", &["--half-close-timeout", "600ms"]);
    let ask = |path: &str| {
        let mut client = server.connect();
        client.send(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n")).expect("it is sent");
        client.stream().shutdown(Shutdown::Write).expect("it may be closed");
        client.read("GET").expect("a response")
    };
    assert_eq!(ask("/slow").text(), "slow 1");
    let began = Instant::now();
    assert_eq!(ask("/endless").status, 503);
    assert!(began.elapsed() < Duration::from_secs(10), "not after the time of other requests");
    server.wait_for("(--half-close-timeout)");
}

#[test]
fn ten_thousand_idle_connections_are_kept() {
    let count = 10_000;
    let limit = test_support::raise_file_limit();
    assert!(limit >= count + 200, "this test needs {} open files; the system allows {limit} (ulimit -Hn)", count + 200);
    let (server, _) = start("idle", &["--workers", "2"]);
    let mut clients: Vec<Client> = (0..count).map(|_| server.connect()).collect();
    for client in &mut clients {
        assert_eq!(client.ask(REQUEST).status, 200);
    }
    for client in clients.iter_mut().step_by(97) {
        assert_eq!(client.ask(REQUEST).text(), "edition 1");
    }
}

#[test]
fn what_keeps_a_server_from_starting_is_one_line() {
    let folder = folder("refused");
    let file = folder.join("app.lk");
    edition(&file, 1);
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("it has an address").to_string();
    let refused = |arguments: &[&str], file: &Path| {
        Server::start(GANDER, arguments, file).map(drop).expect_err("it does not start")
    };
    let expected = format!(
        "error: cannot listen on {address}: another program listens there; choose another port with --listen\n(exit status: 2)"
    );
    assert_eq!(refused(&["--listen", &address], &file), expected);

    let told = refused(&[], &folder.join("none.lk"));
    assert!(told.starts_with("error: ") && told.contains("none.lk"), "{told}");
    assert!(told.ends_with("\n(exit status: 2)") && told.lines().count() == 2, "{told}");

    let bad = folder.join("bad.pem");
    std::fs::write(&bad, "no certificate\n").expect("the folder takes files");
    let bad = bad.display().to_string();
    let told = refused(&["--tls-listen", "127.0.0.1:0", "--tls-cert", &bad, "--tls-key", &bad], &file);
    assert!(told.starts_with("error: ") && told.contains("bad.pem"), "{told}");
    assert!(told.ends_with("\n(exit status: 2)") && told.lines().count() == 2, "{told}");
}

#[test]
fn arguments_of_the_program_outlive_a_reload() {
    let file = folder("arguments").join("app.lk");
    std::fs::write(&file, "$given = args()\nroute(\"GET\", \"/\", function() { response::json($given) })\n")
        .expect("the folder takes files");
    let mut command = Command::new(GANDER);
    command.arg("run").arg(&file).args(["a", "--b"]).env("GANDER_LISTEN", "127.0.0.1:0");
    let server = Server::run(command).expect("the server starts");
    assert_eq!(server.get("/").text(), r#"["a","--b"]"#);
    server.signal(Signal::HUP);
    server.wait_for("reloaded after SIGHUP");
    assert_eq!(server.get("/").text(), r#"["a","--b"]"#);
}
