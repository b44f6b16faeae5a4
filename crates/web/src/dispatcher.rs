//! From the connections of a worker to its handlers and back.

use crate::access::{self, Access};
use crate::answer::Answered;
use crate::common::Common;
use crate::handlers::{Done, Handlers};
use crate::metrics::Meter;
use crate::remote::{Arrival, Remote, Sender};
use http::{Admitted, Answer, Request, RequestId, Response, Service, Status};
use std::collections::{HashMap, VecDeque};
use std::os::fd::OwnedFd;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::sync::{oneshot, watch};

/// Where a request has come from, and its answer goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// A connection of the own layer.
    Local(RequestId),
    /// A connection inside of TLS.
    Remote(u64),
}

/// A request that waits for its handler to begin.
struct Queued {
    origin: Origin,
    request: Request,
    arrived: Instant,
    /// Since when its client sends nothing more, and may have gone.
    abandoned: Option<Instant>,
}

/// What answers the requests of a worker.
pub(crate) struct Dispatcher {
    common: Arc<Common>,
    handlers: Handlers<Origin>,
    queue: VecDeque<Queued>,
    /// Version of the application that answers.
    version: u64,
    remote: Rc<Remote>,
    /// Where the answers go that connections inside of TLS wait for.
    answers: HashMap<u64, oneshot::Sender<Response>>,
    /// Tells those connections when to end.
    stop: watch::Sender<bool>,
    meter: Meter,
    next_stall_line: Instant,
}

/// What becomes of a request right away.
enum Outcome {
    Answered(Response),
    /// Its handler goes on later.
    Pending,
}

impl Dispatcher {
    pub(crate) fn new(
        common: Arc<Common>,
        handlers: Handlers<Origin>,
        version: u64,
        remote: Rc<Remote>,
        meter: Meter,
    ) -> Self {
        let stop = watch::Sender::new(false);
        let (queue, answers, next_stall_line) = (VecDeque::new(), HashMap::new(), Instant::now());
        Self { common, handlers, queue, version, remote, answers, stop, meter, next_stall_line }
    }

    /// Is there something that can go on at once?
    pub(crate) fn has_work(&self) -> bool {
        self.handlers.has_runnable() || !self.remote.is_empty()
    }

    /// Does a handler wait for something outside?
    pub(crate) fn is_waiting(&self) -> bool {
        self.handlers.waiting() > 0
    }

    /// Is no request left?
    pub(crate) fn is_idle(&self) -> bool {
        self.handlers.len() == 0 && self.queue.is_empty() && self.remote.is_empty()
    }

    /// When the time of the next handler is over.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        self.handlers.next_deadline()
    }

    /// Lets connections inside of TLS end when they are answered.
    pub(crate) fn stop(&self) {
        self.stop.send_if_modified(|is_stopping| !std::mem::replace(is_stopping, true));
    }

    /// Lets handlers go on, end and begin.
    pub(crate) fn work(&mut self, worker: &mut http::Worker) {
        self.update();
        self.take_remote();
        let mut done = Vec::new();
        self.handlers.run_ready(|ended| done.push(ended));
        if self.handlers.len() > 0 {
            self.handlers.expire(Instant::now(), |ended| done.push(ended));
        }
        while self.handlers.len() < self.common.max_handlers
            && let Some(Queued { origin, request, arrived, abandoned }) = self.queue.pop_front()
        {
            if arrived.elapsed() > self.common.max_queue_time {
                let response = self.busy();
                self.send(worker, origin, response);
                continue;
            }
            done.extend(self.handlers.start(origin, request, arrived));
            if let Some(since) = abandoned {
                self.handlers.hurry(origin, since);
            }
        }
        for ended in done {
            let origin = ended.key;
            if let Some(response) = self.response(ended) {
                self.send(worker, origin, response);
            }
        }
        if let Some((route, took)) = self.handlers.take_stall() {
            self.log_stall(route, took);
        }
        let refused = worker.counters().refusals;
        self.meter.level(self.handlers.len(), self.handlers.waiting(), self.queue.len(), refused);
    }

    /// Takes over a new application, if there is one.
    fn update(&mut self) {
        let version = self.common.current.version();
        if version != self.version {
            self.version = version;
            let application = self.common.current.get();
            self.meter.set_application(&application);
            self.handlers.set_application(Rc::new(application));
        }
    }

    fn take_remote(&mut self) {
        if self.remote.is_empty() {
            return;
        }
        for Arrival { id, request, answer } in self.remote.arrived() {
            match self.take(Origin::Remote(id), request) {
                // The client may have gone.
                Outcome::Answered(response) => drop(answer.send(response)),
                Outcome::Pending => {
                    self.answers.insert(id, answer);
                }
            }
        }
        for id in self.remote.gone() {
            self.answers.remove(&id);
            self.forget(Origin::Remote(id));
        }
    }

    fn send(&mut self, worker: &mut http::Worker, origin: Origin, response: Response) {
        // The client may have gone.
        match origin {
            Origin::Local(id) => drop(worker.respond(id, response)),
            Origin::Remote(id) => {
                if let Some(answer) = self.answers.remove(&id) {
                    let _ = answer.send(response);
                }
            }
        }
    }

    /// Answers a request, or lets its handler begin now or later.
    fn take(&mut self, origin: Origin, request: Request) -> Outcome {
        if let Some(response) = self.answer_directly(&request) {
            return Outcome::Answered(response);
        }
        let arrived = Instant::now();
        if self.handlers.len() >= self.common.max_handlers || !self.queue.is_empty() {
            if self.queue.len() >= self.common.max_queue {
                return Outcome::Answered(self.busy());
            }
            self.queue.push_back(Queued { origin, request, arrived, abandoned: None });
            return Outcome::Pending;
        }
        match self.handlers.start(origin, request, arrived) {
            Some(done) => {
                let response = self.response(done);
                Outcome::Answered(response.unwrap_or_else(|| self.busy()))
            }
            None => Outcome::Pending,
        }
    }

    /// The response of an ended handler; none if nobody waits for it.
    fn response(&mut self, done: Done<Origin>) -> Option<Response> {
        let Answered { response, request, route, incident } = done.answered?;
        let took = done.arrived.elapsed();
        self.meter.answered(route, response.status, took);
        if let Some(incident) = incident {
            access::log_incident(&incident, request.as_ref());
        }
        if self.common.access_log
            && let Some(request) = request
        {
            self.log(&request, route, &response, took);
        }
        Some(response)
    }

    /// At most one line a second: a route that does it once does it often.
    #[cold]
    fn log_stall(&mut self, route: Option<u32>, took: Duration) {
        let now = Instant::now();
        if self.next_stall_line <= now {
            self.next_stall_line = now + Duration::from_secs(1);
            access::log_stall(&self.meter.name(route), took);
        }
    }

    fn log(&self, request: &Request, route: Option<u32>, response: &Response, took: Duration) {
        let (method, path) = (request.method(), request.path());
        let route = route.and_then(|route| self.meter.pattern(route));
        let (status, bytes) = (response.status, response.body.length());
        let client = self.common.rules.client_address(request);
        Access { method, path, route, status, bytes, took, client }.log();
    }

    /// The answer when there is too much to do.
    fn busy(&self) -> Response {
        self.meter.turned_away();
        let mut response = Response::new(Status::SERVICE_UNAVAILABLE, "503 Service Unavailable\n");
        let _ = response.fields.add("Content-Type", b"text/plain; charset=utf-8");
        let _ = response.fields.add("Retry-After", b"1");
        response
    }

    /// Answers what is not a matter of the program.
    fn answer_directly(&self, request: &Request) -> Option<Response> {
        let health = &self.common.health_path;
        if !health.is_empty() && request.path() == health && matches!(request.method(), "GET" | "HEAD") {
            let mut response = if self.common.is_ready.load(Ordering::Relaxed) {
                Response::new(Status::OK, "ok")
            } else {
                Response::new(Status::SERVICE_UNAVAILABLE, "stopping")
            };
            let _ = response.fields.add("Content-Type", b"text/plain; charset=utf-8");
            let _ = response.fields.add("Cache-Control", b"no-store");
            return Some(response);
        }
        let metrics = &self.common.metrics_path;
        if !metrics.is_empty() && request.path() == metrics && matches!(request.method(), "GET" | "HEAD") {
            return Some(self.common.rules.metrics.response());
        }
        None
    }

    /// Ends the work for a client that has gone.
    fn forget(&mut self, origin: Origin) {
        self.meter.cancelled();
        self.handlers.cancel(origin);
        self.queue.retain(|queued| queued.origin != origin);
    }
}

impl Service for Dispatcher {
    fn request(&mut self, id: RequestId, request: Request) -> Answer {
        match self.take(Origin::Local(id), request) {
            Outcome::Answered(response) => Answer::Respond(response),
            Outcome::Pending => Answer::Pending,
        }
    }

    fn cancelled(&mut self, id: RequestId) {
        self.forget(Origin::Local(id));
    }

    fn half_closed(&mut self, id: RequestId) {
        let origin = Origin::Local(id);
        let now = Instant::now();
        match self.queue.iter_mut().find(|queued| queued.origin == origin) {
            Some(queued) => queued.abandoned = Some(now),
            None => self.handlers.hurry(origin, now),
        }
    }

    fn secure(&mut self, socket: OwnedFd, admitted: Admitted) {
        let Some(certificates) = self.common.certificates.clone() else { return };
        let mut stopping = self.stop.subscribe();
        let stop = async move {
            // An error means that the worker has ended.
            let _ = stopping.wait_for(|is_stopping| *is_stopping).await;
        };
        let dispatch = Sender(self.remote.clone());
        tokio::task::spawn_local(http::serve_secure(socket, admitted, certificates, dispatch, stop));
    }
}
