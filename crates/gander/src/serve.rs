//! The life of a server: start, reloads, stop.

pub(crate) mod load;
mod room;
mod signals;
mod watch;

use crate::report::stderr_style;
use load::{Attempt, Started, load};
use room::Room;
use signals::Wish;
use source::Style;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};
use stdlib::log::{self, Format, Journal, Level};
use vm::Value;
use watch::Watch;
use web::{Application, Options, Server};

/// Between two looks at the server's own state.
const TICK: Duration = Duration::from_secs(1);

/// What belongs to the life of a server.
#[derive(Clone, Debug)]
pub(crate) struct Life {
    /// What it is started with.
    pub(crate) options: Options,
    /// What args() gives to the program, each time it is loaded.
    pub(crate) args: Vec<String>,
    /// Load the program again when one of its files changes.
    pub(crate) watch: bool,
    /// Between telling health checks and closing the listeners.
    pub(crate) drain_delay: Duration,
    /// Time for what has been asked when it stops.
    pub(crate) grace: Duration,
    pub(crate) log_format: LogFormat,
}

/// How log lines look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LogFormat {
    /// Text at a terminal, else JSON.
    Auto,
    Text,
    Json,
}

impl LogFormat {
    fn resolve(self) -> Format {
        match self {
            Self::Json => Format::Json,
            Self::Auto if !std::io::stderr().is_terminal() => Format::Json,
            Self::Text | Self::Auto if stderr_style() == Style::Colour => Format::Coloured,
            Self::Text | Self::Auto => Format::Text,
        }
    }
}

impl Default for Life {
    fn default() -> Self {
        let workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let addresses = vec![std::net::SocketAddr::from(([127, 0, 0, 1], 8080))];
        Self {
            options: Options { addresses, workers, ..Options::default() },
            args: Vec::new(),
            watch: false,
            drain_delay: Duration::ZERO,
            grace: Duration::from_secs(10),
            log_format: LogFormat::Auto,
        }
    }
}

impl Life {
    /// Is there something to serve besides routes?
    fn has_files(&self) -> bool {
        self.options.files.is_some()
    }
}

/// Loads a program and serves it until it is told to stop.
pub(crate) fn serve(file: &Path, life: &Life) -> u8 {
    let began = Instant::now();
    let Attempt { result, files } = load(file, life.args.clone(), life.options.max_depth, life.has_files());
    match result {
        Ok(Started::Application(application)) => run(file, life, application, files, began),
        Err(problem) => refuse(&problem.to_string()),
        Ok(Started::Ended(code)) => code,
        Ok(Started::NoRoutes) => refuse(&format!(
            "'{}' registers no routes, so there is nothing to serve; write route(\"GET\", \"/\", function() {{ … }}), or start it \
             with gander run",
            file.display()
        )),
    }
}

/// Serves an application until it is told to stop.
pub(crate) fn run(file: &Path, life: &Life, application: Arc<Application>, files: Watch, began: Instant) -> u8 {
    let wishes = match signals::begin() {
        Ok(wishes) => wishes,
        Err(error) => return refuse(&format!("cannot take signals: {error}")),
    };
    vm::memory::prefer_giving_back();
    let _journal = match Journal::start() {
        Ok(journal) => journal,
        Err(error) => return refuse(&format!("cannot start the thread that writes the log: {error}")),
    };
    log::set_format(life.log_format.resolve());
    let routes = application.route_count();
    let server = match Server::start(application, &life.options) {
        Ok(server) => server,
        Err(error) => return refuse(&error.to_string()),
    };
    announce(file, &server, routes, life, began.elapsed());
    let mut watch = if life.watch { files } else { Watch::default() };
    let mut room = Room::new();
    loop {
        let time = if life.watch { watch::LOOK } else { TICK };
        match wishes.recv_timeout(time) {
            Ok(Wish::Stop) | Err(RecvTimeoutError::Disconnected) => break,
            Ok(Wish::Reload) => reload(file, life, &server, &mut watch, "SIGHUP"),
            Err(RecvTimeoutError::Timeout) => {
                if let Some(changed) = watch.changed() {
                    let name = changed.display().to_string();
                    reload(file, life, &server, &mut watch, &name);
                }
            }
        }
        if server.has_failed() {
            say(Level::Error, "a worker has ended; the server stops");
            let _ = server.stop(Duration::ZERO);
            return 1;
        }
        room.look();
    }
    stop(server, life)
}

/// Says why there is no server; gives the exit code.
fn refuse(message: &str) -> u8 {
    eprintln!("error: {message}");
    2
}

/// Logs what happens to the server.
fn say(level: Level, message: &str) {
    let label = match level {
        Level::Error => "ERROR",
        Level::Warn => "WARN",
        Level::Info | Level::Debug => "INFO",
    };
    log::event(level, label, message, &[]);
}

/// At a terminal the first lines are for whoever has just started it, without the time.
fn announce(file: &Path, server: &Server, routes: usize, life: &Life, took: Duration) {
    let plural = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    let line = |label: &str, text: &str, details: &[(&str, Value)]| match log::format() {
        Format::Json => log::event(Level::Info, label, if details.is_empty() { text } else { "" }, details),
        Format::Text | Format::Coloured => eprintln!("{text}"),
    };
    for url in server.urls() {
        line("LISTENING", &url, &[("url", Value::str(url.as_str()))]);
    }
    if let Some(address) = server.metrics_address() {
        line("METRICS", &format!("metrics at {address}"), &[("address", Value::str(address.to_string()))]);
    }
    let mode = if life.options.dev { ", development" } else { "" };
    let text = format!(
        "{}: {}, {}{mode}, ready after {:.1} ms",
        file.display(),
        plural(routes, "route"),
        plural(life.options.workers, "worker"),
        took.as_secs_f64() * 1e3
    );
    line("READY", &text, &[]);
}

/// Builds the application anew beside the one that answers, and lets it answer if that works.
fn reload(file: &Path, life: &Life, server: &Server, watch: &mut Watch, cause: &str) {
    let began = Instant::now();
    match server.reload_certificate() {
        Ok(true) => say(Level::Info, "the certificate was renewed"),
        Ok(false) => {}
        Err(error) => say(Level::Warn, &format!("the certificate stays as it is: {error}")),
    }
    let Attempt { result, files } = load(file, life.args.clone(), life.options.max_depth, life.has_files());
    if life.watch {
        *watch = files;
    }
    let why = match result {
        Ok(Started::Application(application)) => {
            server.set_application(application);
            server.count_reload(true);
            let took = began.elapsed().as_secs_f64() * 1e3;
            say(Level::Info, &format!("reloaded after {cause} in {took:.1} ms"));
            return;
        }
        Ok(Started::NoRoutes) => Some("the program registers no routes any more".to_owned()),
        Ok(Started::Ended(code)) => (code == 0).then(|| "the program has ended while it was set up".to_owned()),
        Err(problem) => Some(problem.to_string()),
    };
    if let Some(why) = why {
        say(Level::Error, &why);
    }
    server.count_reload(false);
    say(Level::Error, &format!("not reloaded after {cause}: the program as it was goes on answering"));
}

/// Stops: health checks fail first, then nothing new is taken, then what has been asked is answered.
fn stop(server: Server, life: &Life) -> u8 {
    server.announce_stop();
    std::thread::sleep(life.drain_delay);
    match server.stop(life.grace) {
        Ok(true) => 0,
        Ok(false) => {
            let grace = life.grace;
            say(
                Level::Warn,
                &format!("some requests were not done after the grace time of {grace:?} (--grace) and were ended"),
            );
            0
        }
        Err(error) => {
            say(Level::Error, &error.to_string());
            1
        }
    }
}
