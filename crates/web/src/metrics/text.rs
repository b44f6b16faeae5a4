//! Prometheus' text format, version 0.0.4.

use super::Metrics;
use super::counts::{BOUNDS, Histogram, RouteCounts};
use super::process::Memory;
use std::collections::BTreeMap;
use std::fmt::{Display, Write};
use std::sync::atomic::Ordering;

/// All metrics of a server.
pub(super) fn exposition(metrics: &Metrics) -> String {
    let mut out = Text(String::new());
    routes(metrics, &mut out);
    let totals = metrics.totals();
    slices(metrics, &mut out);
    out.gauge("requests_in_flight", "Requests whose handlers have begun and not ended.", totals.in_flight);
    out.gauge("requests_queued", "Requests whose handlers have not begun.", totals.queued);
    out.gauge("fibers_waiting", "Handlers that wait for something outside.", totals.waiting);
    let (cancelled, turned_away, refused) = (
        metrics.sum(|worker| &worker.cancelled),
        metrics.sum(|worker| &worker.turned_away),
        metrics.sum(|worker| &worker.refused),
    );
    out.counter("requests_cancelled_total", "Requests whose clients left before the answer.", cancelled);
    out.counter("requests_turned_away_total", "Requests answered 503 because there was too much to do.", turned_away);
    out.counter("requests_malformed_total", "Requests refused before any route was looked for.", refused);
    if let Some(shared) = metrics.shared.get() {
        out.gauge("connections_open", "Connections of clients.", shared.open_connections());
        let refused = shared.refused_connections();
        out.counter("connections_refused_total", "Connections refused at a limit.", refused);
    }
    let memory = Memory::now();
    out.gauge("memory_resident_bytes", "Memory of the process.", memory.resident);
    out.gauge("memory_anonymous_bytes", "Memory of the process that belongs to no file.", memory.anonymous);
    out.head("reloads_total", "counter", "Attempts to load the program again.");
    out.value("reloads_total", "result=\"done\"", metrics.reloads.load(Ordering::Relaxed));
    out.value("reloads_total", "result=\"failed\"", metrics.failed_reloads.load(Ordering::Relaxed));
    out.counter("log_lines_lost_total", "Log lines dropped because nobody read them.", stdlib::log::lost());
    out.gauge("workers", "Threads that answer.", totals.workers);
    out.gauge("routes", "Routes of the program.", totals.routes);
    out.gauge("uptime_seconds", "Time since the server began.", format_args!("{:.3}", totals.uptime.as_secs_f64()));
    out.head("info", "gauge", "The version of the program that runs.");
    out.value("info", concat!("version=\"", env!("CARGO_PKG_VERSION"), "\""), 1);
    out.0
}

/// How long handlers of all workers held theirs.
fn slices(metrics: &Metrics, out: &mut Text) {
    let mut all = Route::default();
    metrics.workers.iter().for_each(|worker| all.add_times(&worker.slices));
    let help = "Time for which a handler went on without a pause; others of its worker wait meanwhile.";
    out.head("slice_duration_seconds", "histogram", help);
    out.histogram("slice_duration_seconds", "", &all);
}

/// The routes of all workers, each once.
fn routes(metrics: &Metrics, out: &mut Text) {
    let mut all: BTreeMap<(Box<str>, Box<str>), Route> = BTreeMap::new();
    for route in metrics.workers.iter().flat_map(|worker| worker.routes()) {
        all.entry((route.pattern.clone(), route.method.clone())).or_default().add(&route);
    }
    let labels = |(pattern, method): &(Box<str>, Box<str>)| {
        format!("method=\"{}\",route=\"{}\"", escaped(method), escaped(pattern))
    };
    out.head("requests_total", "counter", "Requests answered; an empty route stands for no route.");
    for (key, route) in &all {
        for (status, count) in &route.statuses {
            out.value("requests_total", &format!("{},status=\"{status}\"", labels(key)), count);
        }
    }
    let name = "request_duration_seconds";
    out.head(name, "histogram", "Time from a request's arrival to the end of its handler.");
    for (key, route) in all.iter().filter(|(_, route)| !route.statuses.is_empty()) {
        out.histogram(name, &labels(key), route);
    }
}

/// A route's counts, summed over the workers.
#[derive(Default)]
struct Route {
    statuses: BTreeMap<u16, u64>,
    classes: [u64; BOUNDS.len() + 1],
    microseconds: u64,
}

impl Route {
    fn add(&mut self, counts: &RouteCounts) {
        for (status, count) in counts.statuses() {
            *self.statuses.entry(status).or_default() += count;
        }
        self.add_times(&counts.histogram);
    }

    fn add_times(&mut self, times: &Histogram) {
        for (sum, count) in self.classes.iter_mut().zip(times.classes()) {
            *sum += count;
        }
        self.microseconds += times.microseconds();
    }
}

#[expect(clippy::cast_precision_loss, reason = "a sum of times needs no 53rd bit")]
fn seconds(microseconds: u64) -> String {
    format!("{}", microseconds as f64 / 1e6)
}

/// A label's value.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

struct Text(String);

impl Text {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "# HELP gander_{name} {help}\n# TYPE gander_{name} {kind}");
    }

    fn value(&mut self, name: &str, labels: &str, value: impl Display) {
        let _ = match labels {
            "" => writeln!(self.0, "gander_{name} {value}"),
            _ => writeln!(self.0, "gander_{name}{{{labels}}} {value}"),
        };
    }

    fn histogram(&mut self, name: &str, labels: &str, times: &Route) {
        let comma = if labels.is_empty() { "" } else { "," };
        let mut below = 0;
        for (at, count) in times.classes.iter().enumerate() {
            below += count;
            let bound = BOUNDS.get(at).map_or_else(|| "+Inf".to_owned(), |bound| seconds(*bound));
            self.value(&format!("{name}_bucket"), &format!("{labels}{comma}le=\"{bound}\""), below);
        }
        self.value(&format!("{name}_sum"), labels, seconds(times.microseconds));
        self.value(&format!("{name}_count"), labels, below);
    }

    fn gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.head(name, "gauge", help);
        self.value(name, "", value);
    }

    fn counter(&mut self, name: &str, help: &str, value: impl Display) {
        self.head(name, "counter", help);
        self.value(name, "", value);
    }
}
