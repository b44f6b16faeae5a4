//! What a server has done and is doing: counted by each worker for itself, read by whoever asks.
//!
//! A count has one writer, its worker, so counting is a load and a store without any lock. Readers see counts of slightly
//! different moments, which is what every scrape of a running server sees.

mod counts;
mod listener;
mod process;
mod text;

use crate::application::Application;
use counts::{Count, RouteCounts};
use http::{Response, Shared, Status};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

pub(crate) use counts::Histogram;
pub(crate) use listener::Scraped;
pub(crate) use process::Memory;

/// The metrics of a server.
pub(crate) struct Metrics {
    began: Instant,
    workers: Vec<Arc<WorkerCounts>>,
    /// Of the connection layer.
    shared: OnceLock<Arc<Shared>>,
    routes: AtomicU64,
    reloads: AtomicU64,
    failed_reloads: AtomicU64,
}

/// The counts of one worker.
#[derive(Debug, Default)]
pub(crate) struct WorkerCounts {
    /// Those of all routes that there have been.
    routes: Mutex<Vec<Arc<RouteCounts>>>,
    /// Clients that left before their answer.
    cancelled: Count,
    /// Requests that no handler saw because there was too much to do.
    turned_away: Count,
    /// Requests that the connection layer refused.
    refused: Count,
    /// Microseconds of the last request.
    last: Count,
    in_flight: Count,
    waiting: Count,
    queued: Count,
    /// How long handlers went on without a pause.
    pub(crate) slices: Histogram,
}

impl WorkerCounts {
    fn routes(&self) -> Vec<Arc<RouteCounts>> {
        self.routes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The counts of a route, the same ones for a route that was there before a reload.
    fn of_route(&self, method: &str, pattern: &str) -> Arc<RouteCounts> {
        let mut routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = routes.iter().find(|known| known.is_for(method, pattern)) {
            return known.clone();
        }
        let new = Arc::new(RouteCounts::new(method, pattern));
        routes.push(new.clone());
        new
    }
}

/// What `runtime::stats` tells.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) uptime: Duration,
    pub(crate) requests: u64,
    pub(crate) errors: u64,
    pub(crate) routes: u64,
    pub(crate) workers: usize,
    pub(crate) connections: usize,
    pub(crate) in_flight: u64,
    pub(crate) waiting: u64,
    pub(crate) queued: u64,
    pub(crate) reloads: u64,
    /// Microseconds.
    pub(crate) last: u64,
    pub(crate) mean: u64,
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").field("totals", &self.totals()).finish_non_exhaustive()
    }
}

impl Metrics {
    pub(crate) fn new(workers: usize) -> Arc<Self> {
        Arc::new(Self {
            began: Instant::now(),
            workers: (0..workers).map(|_| Arc::default()).collect(),
            shared: OnceLock::new(),
            routes: AtomicU64::new(0),
            reloads: AtomicU64::new(0),
            failed_reloads: AtomicU64::new(0),
        })
    }

    /// Says where connections are counted.
    pub(crate) fn set_shared(&self, shared: Arc<Shared>) {
        // Set once, by the server that starts.
        let _ = self.shared.set(shared);
    }

    pub(crate) fn set_routes(&self, routes: usize) {
        self.routes.store(routes as u64, Ordering::Relaxed);
    }

    /// Another application answers, or could not be made.
    pub(crate) fn count_reload(&self, is_done: bool) {
        let count = if is_done { &self.reloads } else { &self.failed_reloads };
        count.fetch_add(1, Ordering::Relaxed);
    }

    fn sum(&self, count: impl Fn(&WorkerCounts) -> &Count) -> u64 {
        self.workers.iter().map(|worker| count(worker).get()).sum()
    }

    pub(crate) fn totals(&self) -> Totals {
        let (mut requests, mut errors, mut time) = (0, 0, 0);
        for route in self.workers.iter().flat_map(|worker| worker.routes()) {
            requests += route.histogram.total();
            time += route.histogram.microseconds();
            errors += route.statuses().filter(|(status, _)| *status >= 500).map(|(_, count)| count).sum::<u64>();
        }
        Totals {
            uptime: self.began.elapsed(),
            requests,
            errors,
            routes: self.routes.load(Ordering::Relaxed),
            workers: self.workers.len(),
            connections: self.shared.get().map_or(0, |shared| shared.open_connections()),
            in_flight: self.sum(|worker| &worker.in_flight),
            waiting: self.sum(|worker| &worker.waiting),
            queued: self.sum(|worker| &worker.queued),
            reloads: self.reloads.load(Ordering::Relaxed),
            last: self.workers.iter().map(|worker| worker.last.get()).max().unwrap_or(0),
            mean: time.checked_div(requests).unwrap_or(0),
        }
    }

    /// All of it, in Prometheus' text format.
    pub(crate) fn response(&self) -> Response {
        let mut response = Response::new(Status::OK, text::exposition(self));
        let _ = response.fields.add("Content-Type", b"text/plain; version=0.0.4; charset=utf-8");
        let _ = response.fields.add("Cache-Control", b"no-store");
        response
    }
}

/// A worker's hand on its counts.
#[derive(Debug)]
pub(crate) struct Meter {
    counts: Arc<WorkerCounts>,
    /// By the route's number in the application that answers.
    routes: Vec<Arc<RouteCounts>>,
    /// Requests that no route was found for.
    none: Arc<RouteCounts>,
}

impl Meter {
    /// Of the worker with this number.
    pub(crate) fn new(metrics: &Metrics, worker: usize) -> Self {
        let counts = metrics.workers.get(worker).cloned().unwrap_or_default();
        let none = counts.of_route("", "");
        Self { counts, routes: Vec::new(), none }
    }

    /// The counts themselves.
    pub(crate) fn counts(&self) -> Arc<WorkerCounts> {
        self.counts.clone()
    }

    /// From now on routes are those of this application.
    pub(crate) fn set_application(&mut self, application: &Application) {
        let counts = |route: &crate::application::Route| self.counts.of_route(&route.method, &route.pattern);
        self.routes = application.routes.iter().map(counts).collect();
    }

    /// The pattern of a route.
    pub(crate) fn pattern(&self, route: u32) -> Option<&str> {
        self.routes.get(route as usize).map(|route| &*route.pattern)
    }

    /// Method and pattern of a route.
    pub(crate) fn name(&self, route: Option<u32>) -> String {
        let route = route.and_then(|route| self.routes.get(route as usize));
        route.map_or_else(|| "no route".to_owned(), |route| format!("{} {}", route.method, route.pattern))
    }

    /// A request was answered.
    pub(crate) fn answered(&self, route: Option<u32>, status: Status, took: Duration) {
        let route = route.and_then(|route| self.routes.get(route as usize)).unwrap_or(&self.none);
        let microseconds = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        route.record(status.code(), microseconds);
        self.counts.last.set(microseconds);
    }

    /// Nobody waits for the answer to a request any more.
    pub(crate) fn cancelled(&self) {
        self.counts.cancelled.add(1);
    }

    /// There was too much to do for a request.
    pub(crate) fn turned_away(&self) {
        self.counts.turned_away.add(1);
    }

    /// How much is there at the moment.
    pub(crate) fn level(&self, in_flight: usize, waiting: usize, queued: usize, refused: u64) {
        self.counts.in_flight.set(in_flight as u64);
        self.counts.waiting.set(waiting as u64);
        self.counts.queued.set(queued as u64);
        self.counts.refused.set(refused);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_all_workers_are_added_and_outlive_a_reload() {
        let metrics = Metrics::new(2);
        for worker in 0..2 {
            let meter = Meter::new(&metrics, worker);
            meter.answered(None, Status::OK, Duration::from_micros(100));
            meter.answered(None, Status::INTERNAL_SERVER_ERROR, Duration::from_micros(300));
            meter.level(3, 2, 1, 0);
            assert!(Arc::ptr_eq(&meter.none, &meter.counts.of_route("", "")));
        }
        let totals = metrics.totals();
        assert_eq!((totals.requests, totals.errors, totals.mean, totals.last), (4, 2, 200, 300));
        assert_eq!((totals.in_flight, totals.waiting, totals.queued), (6, 4, 2));
    }

    #[test]
    fn the_exposition_has_each_route_with_its_statuses_and_times() {
        let metrics = Metrics::new(2);
        for worker in &metrics.workers {
            let route = worker.of_route("GET", "/a\"\\{id}");
            route.record(200, 700);
            route.record(404, 3_000_000);
        }
        let text = text::exposition(&metrics);
        let labels = r#"method="GET",route="/a\"\\{id}""#;
        for line in [
            format!("gander_requests_total{{{labels},status=\"200\"}} 2"),
            format!("gander_requests_total{{{labels},status=\"404\"}} 2"),
            format!("gander_request_duration_seconds_bucket{{{labels},le=\"0.0005\"}} 0"),
            format!("gander_request_duration_seconds_bucket{{{labels},le=\"0.001\"}} 2"),
            format!("gander_request_duration_seconds_bucket{{{labels},le=\"+Inf\"}} 4"),
            format!("gander_request_duration_seconds_count{{{labels}}} 4"),
            format!("gander_request_duration_seconds_sum{{{labels}}} 6.0014"),
            "# TYPE gander_requests_total counter".to_owned(),
            "# TYPE gander_request_duration_seconds histogram".to_owned(),
            "gander_workers 2".to_owned(),
        ] {
            assert!(text.lines().any(|have| have == line), "{line} is in\n{text}");
        }
        let names = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next());
        for name in names {
            assert!(text.contains(&format!("# HELP {name} ")), "{name} says what it is");
        }
    }
}
