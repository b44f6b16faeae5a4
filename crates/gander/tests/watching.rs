//! What those who run a server see of it: log lines, metrics, numbers for the program itself.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;
use test_support::{Client, PATIENCE, Server, Signal, send_signal};

const GANDER: &str = env!("CARGO_BIN_EXE_gander");

const PROGRAM: &str = r#"
use json
use log
use runtime
route("GET", "/", fn() => "hello")
route("GET", "/shop/{id}", fn() => "shop")
route("GET", "/fails", function() { throw "no such\nluck" })
route("GET", "/tells", function() { log::warn("careful\n{}"); return "told" })
route("GET", "/stats", fn() => json::encode(runtime::stats()))
"#;

fn program(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("watching-{name}"));
    std::fs::create_dir_all(&folder).expect("there is room");
    let file = folder.join("app.lk");
    std::fs::write(&file, PROGRAM).expect("the folder takes files");
    file
}

fn start(name: &str, args: &[&str]) -> Server {
    Server::start(GANDER, args, &program(name)).expect("the server starts")
}

#[test]
fn each_request_has_a_line_without_its_query() {
    let server = start("access", &["--access-log"]);
    assert_eq!(server.get("/shop/7?password=secret").text(), "shop");
    server.wait_for("[REQUEST] GET /shop/7 200 4 B ");
    let told = server.told();
    let line = told.lines().find(|line| line.contains("/shop/7")).expect("a line");
    assert!(line.ends_with(" ms 127.0.0.1"), "{line}");
    assert!(!told.contains("secret"), "{told}");
}

#[test]
fn lines_are_objects_for_programs() {
    let server = start("json", &["--access-log", "--log-format", "json"]);
    let _ = server.get("/shop/7");
    let reply = server.get("/fails");
    let _ = server.get("/tells");
    server.wait_for("\"path\":\"/tells\"");
    server.wait_for("careful");
    let told = server.told();
    let find = |part: &str| told.lines().find(|line| line.contains(part)).unwrap_or_else(|| panic!("{part} in {told}"));
    let access = find("\"path\":\"/shop/7\"");
    for part in [
        "{\"time\":\"20",
        "\"level\":\"info\",\"event\":\"request\",\"method\":\"GET\",",
        "\"route\":\"/shop/{id}\",\"status\":200,\"bytes\":4,\"ms\":",
        "\"client\":\"127.0.0.1\"}",
    ] {
        assert!(access.contains(part), "{part} in {access}");
    }
    let failure = find("\"level\":\"error\"");
    assert!(failure.contains("\"message\":\"no such\\\\nluck\""), "{failure}");
    assert!(failure.contains("\"path\":\"/fails\"") && failure.contains("app.lk:7"), "{failure}");
    let id = failure.split("\"id\":\"").nth(1).and_then(|rest| rest.get(..8)).expect("an id");
    assert!(reply.text().contains(id), "the answer names the same id: {}", reply.text());
    assert!(find("careful").contains("\"level\":\"warn\",\"message\":\"careful\\\\n{}\""), "{told}");
    assert!(find("\"event\":\"ready\"").contains("ready after"), "{told}");
    assert!(told.lines().all(|line| line.starts_with('{') && line.ends_with('}')), "{told}");
}

#[test]
fn a_log_that_nobody_reads_holds_nobody() {
    let file = program("unread");
    let mut command = Command::new(GANDER);
    command.args(["serve", "--listen", "127.0.0.1:0", "--workers", "1", "--access-log", "--log-format", "text"]);
    let mut child = command.arg(file).stdin(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut log = BufReader::new(child.stderr.take().expect("it is piped"));
    let mut first = String::new();
    log.read_line(&mut first).expect("a line");
    let address = first.trim().rsplit('/').next().and_then(|address| address.parse().ok()).expect("an address");
    // Ten times what a pipe and the lines that may wait hold.
    let mut stream = TcpStream::connect(address).expect("it listens");
    let request = "GET /shop/7 HTTP/1.1\r\nHost: a\r\n\r\n".repeat(1000);
    let mut drain = stream.try_clone().expect("a second handle");
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        drain.read_to_end(&mut bytes).expect("the answers arrive");
        bytes
    });
    let began = Instant::now();
    for _ in 0..100 {
        stream.write_all(request.as_bytes()).expect("it is sent");
    }
    stream.shutdown(std::net::Shutdown::Write).expect("it can be ended");
    let answers = reader.join().expect("no panic");
    assert!(began.elapsed() < PATIENCE, "nobody reads the log, and everybody is answered");
    let count = answers.windows(12).filter(|window| window == b"HTTP/1.1 200").count();
    assert_eq!(count, 100_000);
    // Now it is read, and tells what is missing.
    let (mut lines, mut dropped) = (0_u64, 0_u64);
    let told = std::thread::spawn(move || {
        for line in log.lines().map_while(Result::ok) {
            lines += u64::from(line.contains("[REQUEST]"));
            if let Some((_, rest)) = line.split_once("[WARN] ")
                && let Some((number, _)) = rest.split_once(" log lines were dropped")
            {
                dropped += number.parse::<u64>().expect("a number");
            }
        }
        (lines, dropped)
    });
    let mut client = Client::connect(address).expect("it listens");
    assert_eq!(client.ask("GET / HTTP/1.1\r\nHost: a\r\n\r\n").status, 200);
    send_signal(child.id(), Signal::TERM);
    assert!(child.wait().expect("it ends").success());
    let (lines, dropped) = told.join().expect("no panic");
    assert!(dropped > 0, "some had no room");
    assert_eq!(lines + dropped, 100_001);
}

#[test]
fn metrics_tell_what_happened_and_only_where_they_should() {
    let server = start("metrics", &["--metrics-path", "/internal/metrics"]);
    for path in ["/", "/shop/1", "/shop/2", "/fails", "/nothing"] {
        let _ = server.get(path);
    }
    let mut client = server.connect();
    client.send("GET / HTTP/1.1\r\nHost: a\r\nbad field\r\n\r\n").expect("it is sent");
    assert_eq!(client.read("GET").expect("an answer").status, 400);
    let _ = server.get("/");
    let reply = server.get("/internal/metrics");
    assert_eq!(reply.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    let text = reply.text();
    for line in [
        "gander_requests_total{method=\"GET\",route=\"/shop/{id}\",status=\"200\"} 2",
        "gander_requests_total{method=\"GET\",route=\"/\",status=\"200\"} 2",
        "gander_requests_total{method=\"GET\",route=\"/fails\",status=\"500\"} 1",
        "gander_requests_total{method=\"\",route=\"\",status=\"404\"} 1",
        "gander_request_duration_seconds_count{method=\"GET\",route=\"/shop/{id}\"} 2",
        "gander_requests_malformed_total 1",
        "gander_requests_in_flight 0",
        "gander_reloads_total{result=\"done\"} 0",
    ] {
        assert!(text.lines().any(|have| have == line), "{line} is in\n{text}");
    }
    server.signal(Signal::HUP);
    server.wait_for("reloaded after");
    let _ = server.get("/shop/3");
    let text = server.get("/internal/metrics").text();
    for line in [
        "gander_requests_total{method=\"GET\",route=\"/shop/{id}\",status=\"200\"} 3",
        "gander_reloads_total{result=\"done\"} 1",
    ] {
        assert!(text.lines().any(|have| have == line), "{line} is in\n{text}");
    }
    assert_eq!(start("no-metrics", &[]).get("/metrics").status, 404);
}

/// A hash of much takes long: no slice can cut a builtin.
const STALLING: &str = r#"
use crypto
use string
route("GET", "/stalls/{id}", fn() => crypto::sha256(string::repeat("a", 100000000)))
route("GET", "/loops", function() { $sum = 0; for ($i = 0; $i < 30000000; $i = $i + 1) { $sum = $sum + $i } return "" . $sum })
"#;

#[test]
fn a_handler_that_holds_its_worker_is_named() {
    let file = program("stalls");
    std::fs::write(&file, STALLING).expect("the folder takes files");
    let server = Server::start(GANDER, &["--metrics-path", "/metrics"], &file).expect("the server starts");
    let _ = server.get("/loops");
    assert!(!server.told().contains("STALL"), "a loop is cut into slices: {}", server.told());
    let _ = server.get("/stalls/7?password=secret");
    server.wait_for("[STALL] GET /stalls/{id} held its worker for ");
    assert!(!server.told().contains("secret"));
    let text = server.get("/metrics").text();
    let above = |bound: &str| {
        let name = format!("gander_slice_duration_seconds_bucket{{le=\"{bound}\"}} ");
        text.lines().find_map(|line| line.strip_prefix(&name)?.parse::<u64>().ok()).expect("the class is there")
    };
    assert!(above("+Inf") > above("0.025"), "{text}");
}

#[test]
fn metrics_can_have_an_address_of_their_own() {
    let server = start("metrics-port", &["--metrics-listen", "127.0.0.1:0"]);
    let told = server.told();
    let address = told.lines().find_map(|line| line.strip_prefix("metrics at ")).expect("it says where");
    let mut scraper = Client::connect(address.parse().expect("an address")).expect("it listens");
    let _ = server.get("/");
    let text = scraper.ask("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n").text();
    assert!(text.contains("route=\"/\",status=\"200\"} 1"), "{text}");
    assert_eq!(scraper.ask("GET / HTTP/1.1\r\nHost: a\r\n\r\n").status, 404);
    assert_eq!(server.get("/metrics").status, 404, "clients of the site do not see them");
}

#[test]
fn a_program_can_ask_for_its_own_numbers() {
    let server = start("stats", &[]);
    let _ = server.get("/");
    let _ = server.get("/fails");
    let text = server.get("/stats").text();
    for part in ["\"request_count\":2,", "\"route_count\":5,", "\"errors_5xx\":1,", "\"workers\":1,", "\"in_flight\":"]
    {
        assert!(text.contains(part), "{part} in {text}");
    }
}
