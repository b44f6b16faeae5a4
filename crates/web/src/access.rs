//! What the log says of requests: a line for each when asked, and of those that failed what went wrong.
//!
//! Paths are written without their query, which may hold what nobody else should read.

use crate::failure::Incident;
use http::{Request, Status};
use std::net::IpAddr;
use std::time::Duration;
use stdlib::log::{self, Format, Level};
use vm::{List, Value};

/// An answered request.
pub(crate) struct Access<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    /// The pattern of its route.
    pub(crate) route: Option<&'a str>,
    pub(crate) status: Status,
    /// Of the body.
    pub(crate) bytes: u64,
    pub(crate) took: Duration,
    pub(crate) client: IpAddr,
}

impl Access<'_> {
    /// Writes the line.
    pub(crate) fn log(&self) {
        let Self { method, path, route, status, bytes, took, client } = self;
        let milliseconds = took.as_secs_f64() * 1e3;
        if log::format() != Format::Json {
            let text = format!("{method} {path} {} {bytes} B {milliseconds:.2} ms {client}", status.code());
            return log::event(Level::Info, "REQUEST", &text, &[]);
        }
        let whole = |number: u64| Value::int(i64::try_from(number).unwrap_or(i64::MAX));
        let details = [
            ("method", Value::str(*method)),
            ("path", Value::str(*path)),
            ("route", route.map_or(Value::NULL, Value::str)),
            ("status", whole(status.code().into())),
            ("bytes", whole(*bytes)),
            ("ms", Value::float((milliseconds * 1e3).round() / 1e3)),
            ("client", Value::str(client.to_string())),
        ];
        log::event(Level::Info, "REQUEST", "", &details);
    }
}

/// Writes that a handler has held its worker.
pub(crate) fn log_stall(route: &str, took: Duration) {
    let milliseconds = took.as_secs_f64() * 1e3;
    let text = format!(
        "{route} held its worker for {milliseconds:.0} ms without a pause: a builtin waits or computes there, and others wait"
    );
    let details = [("route", Value::str(route)), ("ms", Value::float((milliseconds * 10.0).round() / 10.0))];
    log::event(Level::Warn, "STALL", &text, &details);
}

/// Writes what went wrong with a request.
pub(crate) fn log_incident(incident: &Incident, request: Option<&Request>) {
    let Incident { id, status, message, calls } = incident;
    let code = i64::from(status.code());
    let (method, path) = request.map_or(("", ""), |request| (request.method(), request.path()));
    let details = [
        ("id", Value::str(id.as_str())),
        ("method", Value::str(method)),
        ("path", Value::str(path)),
        ("status", Value::int(code)),
        ("calls", Value::from(calls.iter().map(|call| Value::str(call.as_str())).collect::<List>())),
    ];
    let text = match log::format() {
        Format::Json => message.clone(),
        Format::Text | Format::Coloured => format!("error {id}: {code} {message} ({method} {path})"),
    };
    log::event(Level::Error, "ERROR", &text, &details);
}
