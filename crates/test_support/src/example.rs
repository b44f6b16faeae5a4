//! Examples in documentation: programs that state what they print.

use crate::Server;
use std::path::Path;
use std::process::Command;

/// Calls that register something at the top level: a program with them serves.
const REGISTERS: [&str; 3] = ["route(", "before_route(", "route::group("];

/// Calls that need a request.
const ASKS: [&str; 5] = ["request::", "response::", "cookie::", "route::", "stop("];

/// The request that examples answer which need one.
const REQUEST: &str = "POST /shop/7?page=2&tag=a+b HTTP/1.1\r\nHost: localhost\r\nCookie: theme=dark\r\n\
                       Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 15\r\n\r\nname=Ada&age=36";

/// Runs an example as what it is, and gives what it printed: a program that ends, one that registers routes (which then is
/// asked for `/` once), or the body of a handler. `file` is where its text is written.
///
/// # Errors
/// It fails: with what it said.
pub fn run_example(gander: &str, text: &str, file: &Path) -> Result<String, String> {
    let has = |calls: &[&str]| text.lines().any(|line| calls.iter().any(|call| line.contains(call)));
    let registers = text.lines().any(|line| REGISTERS.iter().any(|call| line.starts_with(call)));
    if registers {
        std::fs::write(file, format!("{text}\nroute(\"404\", fn() => \"\")\n")).map_err(|error| error.to_string())?;
        let reply = Server::start(gander, &["--dev"], file)?.get("/");
        return if reply.status >= 500 { Err(reply.text()) } else { Ok(String::new()) };
    }
    if has(&ASKS) {
        let program = format!("route(\"POST\", \"/shop/{{id}}\", function() {{\n{text}\n}})\n");
        std::fs::write(file, program).map_err(|error| error.to_string())?;
        let reply = Server::start(gander, &["--dev"], file)?.ask(REQUEST);
        return if reply.status >= 500 { Err(reply.text()) } else { Ok(reply.text()) };
    }
    std::fs::write(file, text).map_err(|error| error.to_string())?;
    let mut command = Command::new(gander);
    if let Some(folder) = file.parent() {
        command.current_dir(folder);
    }
    let output = command.arg("run").arg(file).env("TZ", "UTC").output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(format!("{}\n({})", String::from_utf8_lossy(&output.stderr), output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
