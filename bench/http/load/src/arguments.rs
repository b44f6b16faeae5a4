//! The plan of a run: what the command line asks for, checked.

use std::fmt;
use std::net::{SocketAddr, ToSocketAddrs};
use std::str::FromStr;
use std::time::Duration;

/// What `--help` prints.
pub(crate) const HELP: &str = "\
load [FLAGS] HOST:PORT — HTTP/1.1 load with honest latencies

mode (closed loop unless told)
  --rate R            open loop: R requests a second on a fixed clock; latency counts from the scheduled time
  --poisson           open loop with random gaps (Poisson) instead of even ones
  --idle SECONDS      each connection gets one answer, then all are held open this long
  --pipeline N        closed loop with N requests outstanding on every connection (default 1)
  --no-keepalive      a new connection for every request, `Connection: close`
bounds
  --connections N     (default 50)          --threads N        (default 1)
  --duration SECONDS  measured (default 10) --warmup SECONDS   before it, not measured (default 0)
  --requests N        stop after so many (default 100000000)
  --timeout SECONDS   for one answer, and for the last ones at the end (default 10)
request and answer
  --path PATH         (default /)           --method NAME      (default GET)
  --header 'N: V'     may be repeated       --body TEXT|@FILE  --body-bytes N (filler)
  --expect-body TEXT|@FILE   every body must be exactly this
  --status N          every status must be N (default: any 2xx)
other
  --spin              poll without sleeping: exact timing, burns a core
  --json              one JSON object instead of the table
exit code: 0 valid, 1 invalid or with errors, 2 not measured
";

/// How requests are issued.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mode {
    /// On a clock, whatever the answers do. `rate` is in requests a second.
    Open {
        /// Requests a second.
        rate: f64,
        /// Random gaps instead of even ones.
        poisson: bool,
    },
    /// The next request follows the answer.
    Closed,
    /// One answer each, then silence.
    Idle {
        /// How long the connections are held.
        hold: Duration,
    },
}

/// A whole run.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) target: SocketAddr,
    /// One request as it goes over the wire.
    pub(crate) request: Vec<u8>,
    /// Answers come without a body, as to HEAD.
    pub(crate) bodiless: bool,
    pub(crate) mode: Mode,
    pub(crate) connections: u32,
    pub(crate) threads: u32,
    pub(crate) duration: Duration,
    pub(crate) warmup: Duration,
    pub(crate) requests: u64,
    pub(crate) timeout: Duration,
    pub(crate) keep_alive: bool,
    pub(crate) pipeline: u32,
    pub(crate) expect_body: Option<Vec<u8>>,
    pub(crate) status: Option<u16>,
    pub(crate) spin: bool,
    pub(crate) json: bool,
}

/// What the command line asks for.
#[derive(Debug)]
pub(crate) enum Asked {
    /// The text of `--help`.
    Help,
    /// A run.
    Run(Box<Plan>),
}

const MOST_CONNECTIONS: u32 = 1_000_000;
const MOST_SECONDS: f64 = 86_400.0;

/// Reads the arguments after the program's name.
///
/// # Errors
/// Which argument is wrong, and what it may be.
pub(crate) fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Asked, String> {
    let mut arguments = arguments.into_iter();
    let mut target = None;
    let mut plan = Draft::default();
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "-h" | "--help" => return Ok(Asked::Help),
            "--rate" => plan.rate = Some(number(&argument, &value()?, 0.001, 1e8)?),
            "--poisson" => plan.poisson = true,
            "--idle" => plan.idle = Some(seconds(&argument, &value()?)?),
            "--pipeline" => plan.pipeline = number(&argument, &value()?, 1, 10_000)?,
            "--no-keepalive" => plan.keep_alive = false,
            "--connections" => plan.connections = number(&argument, &value()?, 1, MOST_CONNECTIONS)?,
            "--threads" => plan.threads = number(&argument, &value()?, 1, 64)?,
            "--duration" => plan.duration = seconds(&argument, &value()?)?,
            "--warmup" => plan.warmup = seconds(&argument, &value()?)?,
            "--requests" => plan.requests = number(&argument, &value()?, 1, u64::MAX)?,
            "--timeout" => plan.timeout = seconds(&argument, &value()?)?,
            "--path" => plan.path = token(&argument, value()?)?,
            "--method" => plan.method = token(&argument, value()?)?,
            "--header" => plan.headers.push(header(value()?)?),
            "--body" => plan.body = Some(content(&argument, &value()?)?),
            "--body-bytes" => {
                plan.body = Some(vec![b'x'; number(&argument, &value()?, 0, 1 << 30)?]);
            }
            "--expect-body" => plan.expect_body = Some(content(&argument, &value()?)?),
            "--status" => plan.status = Some(number(&argument, &value()?, 100, 599)?),
            "--spin" => plan.spin = true,
            "--json" => plan.json = true,
            flag if flag.starts_with('-') => return Err(format!("unknown flag {flag}; --help lists them")),
            _ if target.is_some() => return Err(format!("one HOST:PORT only, and {argument} is a second one")),
            _ => target = Some(argument),
        }
    }
    let target = target.ok_or("HOST:PORT is missing, such as 127.0.0.1:8080")?;
    plan.finish(&target).map(|plan| Asked::Run(Box::new(plan)))
}

/// The flags as read, before they are checked against each other.
struct Draft {
    rate: Option<f64>,
    poisson: bool,
    idle: Option<Duration>,
    pipeline: u32,
    keep_alive: bool,
    connections: u32,
    threads: u32,
    duration: Duration,
    warmup: Duration,
    requests: u64,
    timeout: Duration,
    path: String,
    method: String,
    headers: Vec<String>,
    body: Option<Vec<u8>>,
    expect_body: Option<Vec<u8>>,
    status: Option<u16>,
    spin: bool,
    json: bool,
}

impl Default for Draft {
    fn default() -> Self {
        Self {
            rate: None,
            poisson: false,
            idle: None,
            pipeline: 1,
            keep_alive: true,
            connections: 50,
            threads: 1,
            duration: Duration::from_secs(10),
            warmup: Duration::ZERO,
            requests: 100_000_000,
            timeout: Duration::from_secs(10),
            path: "/".to_owned(),
            method: "GET".to_owned(),
            headers: Vec::new(),
            body: None,
            expect_body: None,
            status: None,
            spin: false,
            json: false,
        }
    }
}

impl Draft {
    fn finish(self, target: &str) -> Result<Plan, String> {
        let mode = match (self.rate, self.idle) {
            (Some(_), Some(_)) => return Err("--rate and --idle are two modes: choose one".to_owned()),
            (Some(rate), None) => Mode::Open { rate, poisson: self.poisson },
            (None, Some(hold)) => Mode::Idle { hold },
            (None, None) if self.poisson => return Err("--poisson needs --rate".to_owned()),
            (None, None) => Mode::Closed,
        };
        if self.pipeline > 1 && (mode != Mode::Closed || !self.keep_alive) {
            return Err("--pipeline is for the closed loop with keep-alive".to_owned());
        }
        if !self.keep_alive && matches!(mode, Mode::Idle { .. }) {
            return Err("--idle holds connections open: it cannot go with --no-keepalive".to_owned());
        }
        if !self.path.starts_with('/') {
            return Err(format!("--path must begin with a slash, got {}", self.path));
        }
        let address = target
            .to_socket_addrs()
            .map_err(|error| format!("{target} is no HOST:PORT: {error}"))?
            .next()
            .ok_or_else(|| format!("{target} has no address"))?;
        Ok(Plan {
            target: address,
            request: self.wire(target),
            bodiless: self.method == "HEAD",
            mode,
            connections: self.connections,
            threads: self.threads.min(self.connections),
            duration: self.duration,
            warmup: self.warmup,
            requests: self.requests,
            timeout: self.timeout,
            keep_alive: self.keep_alive,
            pipeline: self.pipeline,
            expect_body: self.expect_body,
            status: self.status,
            spin: self.spin,
            json: self.json,
        })
    }

    fn wire(&self, host: &str) -> Vec<u8> {
        let mut head = format!("{} {} HTTP/1.1\r\nHost: {host}\r\n", self.method, self.path);
        for header in &self.headers {
            head.push_str(header);
            head.push_str("\r\n");
        }
        if !self.keep_alive {
            head.push_str("Connection: close\r\n");
        }
        if let Some(body) = &self.body {
            head.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        head.push_str("\r\n");
        let mut wire = head.into_bytes();
        wire.extend_from_slice(self.body.as_deref().unwrap_or_default());
        wire
    }
}

fn number<T: FromStr + PartialOrd + fmt::Display>(flag: &str, text: &str, least: T, most: T) -> Result<T, String> {
    match text.parse() {
        Ok(value) if value >= least && value <= most => Ok(value),
        _ => Err(format!("{flag} must be a number from {least} to {most}, got {text}")),
    }
}

fn seconds(flag: &str, text: &str) -> Result<Duration, String> {
    number(flag, text, 0.0, MOST_SECONDS).map(Duration::from_secs_f64)
}

fn token(flag: &str, text: String) -> Result<String, String> {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Ok(text);
    }
    Err(format!("{flag} must be visible ASCII without spaces, got {text:?}"))
}

fn header(text: String) -> Result<String, String> {
    if text.find(':').is_some_and(|colon| colon > 0) && !text.contains(['\r', '\n']) {
        return Ok(text);
    }
    Err(format!("--header must be one line `Name: value`, got {text:?}"))
}

fn content(flag: &str, text: &str) -> Result<Vec<u8>, String> {
    match text.strip_prefix('@') {
        Some(file) => std::fs::read(file).map_err(|error| format!("{flag}: cannot read {file}: {error}")),
        None => Ok(text.as_bytes().to_vec()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &str) -> Result<Asked, String> {
        parse(line.split_whitespace().map(str::to_owned))
    }

    fn plan(line: &str) -> Plan {
        match asked(line) {
            Ok(Asked::Run(plan)) => *plan,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn the_mode_follows_from_the_flags() {
        assert_eq!(plan("127.0.0.1:1").mode, Mode::Closed);
        assert_eq!(plan("--rate 10 127.0.0.1:1").mode, Mode::Open { rate: 10.0, poisson: false });
        assert_eq!(plan("127.0.0.1:1 --idle 2").mode, Mode::Idle { hold: Duration::from_secs(2) });
    }

    #[test]
    fn the_request_carries_headers_body_and_close() {
        let plan = plan("127.0.0.1:1 --method POST --path /e --header A:b --body hey --no-keepalive");
        let wire = "POST /e HTTP/1.1\r\nHost: 127.0.0.1:1\r\nA:b\r\nConnection: close\r\nContent-Length: 3\r\n\r\nhey";
        assert_eq!(String::from_utf8_lossy(&plan.request), wire);
    }

    #[test]
    fn wrong_values_are_named() {
        for (line, told) in [
            ("", "HOST:PORT is missing"),
            ("127.0.0.1:1 --rate", "--rate needs a value"),
            ("127.0.0.1:1 --rate NaN", "got NaN"),
            ("127.0.0.1:1 --duration 1e99", "got 1e99"),
            ("127.0.0.1:1 --connections 0", "got 0"),
            ("127.0.0.1:1 --rate 5 --pipeline 4", "closed loop"),
            ("127.0.0.1:1 --poisson", "needs --rate"),
            ("127.0.0.1:1 --path x", "begin with a slash"),
            ("127.0.0.1:1 --header x", "Name: value"),
            ("127.0.0.1:1 --body @/no/such", "cannot read /no/such"),
            ("127.0.0.1:1 --fast", "unknown flag --fast"),
            ("127.0.0.1:1 127.0.0.1:2", "a second one"),
            ("nonsense", "no HOST:PORT"),
        ] {
            let error = asked(line).expect_err(line);
            assert!(error.contains(told), "{line}: {error}");
        }
    }
}
