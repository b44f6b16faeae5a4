//! An application as its clients meet it: routes, filters, state, errors and what reaches a script from outside.

use std::path::PathBuf;
use test_support::{Reply, Server};

const GANDER: &str = env!("CARGO_BIN_EXE_gander");

const SHOP: &str = r#"
use json
$hits = 0
$list = ["a"]
const { LIMIT = [1] }
struct Cart { items array = ["e"] }
before_route(function() { response::header("X-B", "1")
    if (request::header("X-Deny") == "y") { response::json(["error" => "no"], 403); stop() } })
route("GET", "/u/{id}", function($id) { response::text("d" . $id) })
route("GET", "/u/new", function() { response::text("static") })
route("GET", "/p/{a}/{z}", function($z) { response::text($z . request::param("a")) })
route("GET", "/hit", function() { $hits = $hits + 1; $list[0] = "w"; push($list, 1); $c = Cart{}; $c.items[0] = "z"
    response::json([$hits, $list, LIMIT[0], $c.items]) })
route("GET", "/state", function() { response::json([$hits, $list, Cart{}]) })
route("GET", "/boom", function() { print("x"); throw "secret detail" })
route("GET", "/q", function() { response::json([request::get("a"), request::get("none"), request::get("none", "d")]) })
route("PUT", "/form", function() { response::text(request::post("k") ?? "none") })
route("GET", "/h", function() { response::header("X-A", "v\r\nX-Evil: 1"); response::text("h") })
route("GET", "/ip", fn() => request::ip())
route("GET", "/cookies", function() { cookie::set("a b", "x;y"); cookie::set("c", "d"); return "set" })
route("GET", "/short", fn() => "text")
route("GET", "/gone", function() { return response::status(404, "gone") })
route("GET", "/endless", function() { while (true) { } })
route("GET", "/large", function() { $all = []; while (true) { push($all, string::repeat("x", 100000)) } })
"#;

fn start(name: &str, text: &str, arguments: &[&str]) -> Server {
    let file = program(name, text);
    Server::start(GANDER, arguments, &file).expect("the server starts")
}

fn program(name: &str, text: &str) -> PathBuf {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("web-{name}.lk"));
    std::fs::write(&file, text).expect("the folder takes files");
    file
}

fn shop(name: &str) -> Server {
    start(name, &format!("{SHOP}\nroute(\"404\", fn() => response::text(\"mine\"))\n"), &[])
}

fn ask(server: &Server, method: &str, path: &str, fields: &str) -> Reply {
    let mut client = server.connect();
    client.send(format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n")).expect("it is sent");
    client.read(method).expect("a response")
}

#[track_caller]
fn expect(reply: &Reply, status: u16, body: &str) {
    assert_eq!((reply.status, String::from_utf8_lossy(&reply.body).as_ref()), (status, body));
}

#[test]
fn services_are_called_by_their_name() {
    let text = r#"
        app::set("title", "Shop")
        route("GET", "/", fn() => app::title() . "," . (app::nothing() ?? "none"))
        route("GET", "/own", function() { app::set("title", "Own"); return app::title() })
        route("GET", "/taken", fn() => app::has("title") ? "yes" : "no")
    "#;
    let server = start("services", text, &[]);
    assert_eq!(server.get("/").text(), "Shop,none");
    assert_eq!(server.get("/own").text(), "Own");
    assert_eq!(server.get("/").text(), "Shop,none", "another request sees what the setup has set");
    assert_eq!(server.get("/taken").text(), "yes");
}

#[test]
fn routes_are_found_by_their_parts() {
    let server = shop("routes");
    expect(&server.get("/u/new"), 200, "static");
    expect(&server.get("/u/%C3%BC+x"), 200, "dü+x");
    expect(&server.get("/p/1/2"), 200, "21");
    expect(&server.get("//u/new"), 404, "mine");
    expect(&server.get("/u/new/"), 404, "mine");
    let missing = server.get("/none");
    expect(&missing, 404, "mine");
    assert_eq!(missing.header("x-b"), Some("1"));
}

#[test]
fn without_a_route_for_it_a_missing_page_is_plain_text() {
    let server = start("plain", SHOP, &[]);
    let missing = server.get("/none");
    expect(&missing, 404, "404 Not Found");
    assert!(missing.header("content-type").is_some_and(|kind| kind.starts_with("text/plain")));
}

#[test]
fn methods_follow_from_the_routes() {
    let server = shop("methods");
    expect(&ask(&server, "HEAD", "/u/1", ""), 200, "");
    let refused = ask(&server, "POST", "/u/1", "Content-Length: 0\r\n");
    assert_eq!(refused.status, 405);
    assert_eq!(refused.header("allow"), Some("GET, HEAD, OPTIONS"));
    let options = ask(&server, "OPTIONS", "/u/1", "");
    expect(&options, 204, "");
    assert_eq!(options.header("allow"), Some("GET, HEAD, OPTIONS"));
}

#[test]
fn no_request_sees_what_another_has_changed() {
    let server = shop("state");
    for _ in 0..2 {
        expect(&server.get("/hit"), 200, r#"[1,["w",1],1,["z"]]"#);
    }
    expect(&server.get("/state"), 200, r#"[0,["a"],{"items":["e"]}]"#);
}

#[test]
fn queries_and_forms_are_read_as_browsers_write_them() {
    let server = shop("forms");
    expect(&server.get("/q?a="), 200, r#"["",null,"d"]"#);
    expect(&server.get("/q?a=1&a=b+c"), 200, r#"["b c",null,"d"]"#);
    let form = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 7\r\n\r\nk=a%2Bb";
    let reply = server.ask(&format!("PUT /form HTTP/1.1\r\nHost: localhost\r\n{form}"));
    expect(&reply, 200, "a+b");
}

#[test]
fn answers_carry_what_the_script_says_and_no_more() {
    let server = shop("answers");
    let injected = server.get("/h");
    assert_eq!((injected.header("x-a"), injected.header("x-evil")), (Some("v"), None));
    let denied = ask(&server, "GET", "/u/1", "X-Deny: y\r\n");
    expect(&denied, 403, r#"{"error":"no"}"#);
    assert_eq!(denied.header("content-type"), Some("application/json; charset=utf-8"));
    expect(&server.get("/short"), 200, "text");
    expect(&server.get("/gone"), 404, "gone");
    let cookies = server.get("/cookies");
    let cookies: Vec<&str> = cookies.all("set-cookie").collect();
    let [first, second] = cookies[..] else { panic!("two cookies, not {cookies:?}") };
    assert!(second.starts_with("c=d;"), "{second}");
    assert!(first.starts_with("a%20b=x%3By"), "{first}");
    for part in ["Path=/", "HttpOnly", "SameSite=Lax"] {
        assert!(first.contains(part), "{first}");
    }
    assert!(!first.contains("Secure"), "{first}");
}

#[test]
fn a_stranger_does_not_choose_his_address() {
    let server = shop("address");
    expect(&ask(&server, "GET", "/ip", "X-Forwarded-For: 9.9.9.9\r\n"), 200, "127.0.0.1");
    let behind = start("proxy", SHOP, &["--trusted-proxies", "127.0.0.1"]);
    expect(&ask(&behind, "GET", "/ip", "X-Forwarded-For: 9.9.9.9\r\n"), 200, "9.9.9.9");
}

#[test]
fn a_failing_handler_tells_the_log_and_not_the_client() {
    let server = shop("failing");
    let failed = server.get("/boom");
    assert_eq!(failed.status, 500);
    let page = String::from_utf8_lossy(&failed.body).into_owned();
    assert!(!page.contains("secret detail") && !page.contains(".lk"), "{page}");
    server.wait_for("secret detail");
    expect(&server.get("/u/new"), 200, "static");
}

#[test]
fn in_development_the_client_is_told_as_well() {
    let server = start("development", SHOP, &["--dev", "--watch=off"]);
    let failed = server.get("/boom");
    assert_eq!(failed.status, 500);
    assert!(String::from_utf8_lossy(&failed.body).contains("secret detail"));
}

#[test]
fn neither_time_nor_memory_of_a_request_is_without_bounds() {
    let server = start("bounds", SHOP, &["--request-timeout", "200ms", "--request-memory", "8m"]);
    let (mut slow, mut large) = (server.connect(), server.connect());
    slow.send("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n").expect("it is sent");
    large.send("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n").expect("it is sent");
    // The worker is one; it answers others while both go on.
    expect(&server.get("/u/new"), 200, "static");
    assert_eq!(slow.read("GET").expect("a response").status, 503);
    assert_eq!(large.read("GET").expect("a response").status, 500);
    expect(&server.get("/u/new"), 200, "static");
}

#[test]
fn a_handler_asks_only_for_parameters_that_its_route_has() {
    let file = program("parameters", "route(\"GET\", \"/w/{id}\", function($slug) { })\n");
    let told = Server::start(GANDER, &[], &file).expect_err("it does not start");
    assert!(told.contains("handler parameter $slug is not a path parameter of this route (it has: id)"), "{told}");
}

#[test]
fn the_example_is_a_shop_that_works() {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/shop.lk");
    let server = Server::start(GANDER, &[], &file).expect("the server starts");
    let form = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 13\r\n\r\narticle=quill";
    let taken = server.ask(&format!("POST /basket HTTP/1.1\r\nHost: localhost\r\n{form}"));
    assert_eq!((taken.status, taken.header("location")), (303, Some("/")));
    let cookie = taken.header("set-cookie").and_then(|cookie| cookie.split(';').next()).expect("a cookie");
    let page = ask(&server, "GET", "/", &format!("Cookie: {cookie}\r\n")).text();
    assert!(page.contains("In your basket: 1, 12.90 €") && page.contains("Quill &amp; ink"), "{page}");
    expect(&server.get("/api/articles/goose"), 200, r#"{"name":"Goose feather","cents":250}"#);
    expect(&server.get("/api/articles/x"), 404, r#"{"ok":false,"error":"there is no article 'x'"}"#);
}
