//! The worker as its embedder drives it: nested in another poller, with answers that come late, twice, wrongly or never.

mod support;

use http::{
    Answer, Fields, Limits, Listener, Request, RequestId, Response, SendError, Service, Shared, Status, Worker,
};
use rustix::event::{PollFd, PollFlags, poll};
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use support::{Client, PATIENCE};

/// Answers nothing by itself.
#[derive(Default)]
struct Holding {
    ids: Vec<RequestId>,
    cancelled: Vec<RequestId>,
}

impl Service for Holding {
    fn request(&mut self, id: RequestId, _: Request) -> Answer {
        self.ids.push(id);
        Answer::Pending
    }

    fn cancelled(&mut self, id: RequestId) {
        self.cancelled.push(id);
    }
}

struct Setup {
    worker: Worker,
    service: Holding,
    address: SocketAddr,
}

impl Setup {
    fn new() -> Self {
        let worker = Worker::new(Shared::new(Limits::default())).expect("a worker can be made");
        Self::listening(worker, Self::listener())
    }

    fn listener() -> Listener {
        Listener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).expect("a port is free")
    }

    fn listening(mut worker: Worker, listener: Listener) -> Self {
        let address = listener.address();
        worker.listen(listener).expect("the listener can be watched");
        Self { worker, service: Holding::default(), address }
    }

    /// Runs rounds as an outer poller would: only when the worker's descriptor is readable or its time has come.
    fn run_until(&mut self, is_done: impl Fn(&Worker, &Holding) -> bool) {
        let began = Instant::now();
        while !is_done(&self.worker, &self.service) {
            assert!(began.elapsed() < PATIENCE, "it happens in time");
            let wait = self.worker.next_wait().unwrap_or(PATIENCE).min(Duration::from_millis(100));
            let wait = wait.try_into().expect("a short time fits");
            poll(&mut [PollFd::new(&self.worker, PollFlags::IN)], Some(&wait)).expect("polling works");
            self.worker.run_once(&mut self.service, Some(Duration::ZERO)).expect("the poller works");
        }
    }

    fn request(&mut self, client: &mut Client) -> RequestId {
        let count = self.service.ids.len() + 1;
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        self.run_until(|_, service| service.ids.len() == count);
        *self.service.ids.last().expect("a request has come")
    }
}

#[test]
fn an_answer_is_taken_once() {
    let mut setup = Setup::new();
    let mut client = Client::connect(setup.address);
    let first = setup.request(&mut client);
    assert_eq!(setup.worker.respond(first, Response::new(Status::OK, "one")), Ok(()));
    assert_eq!(setup.worker.respond(first, Response::new(Status::OK, "two")), Err(SendError::Gone));
    assert_eq!(client.reply().text(), "one");
    let second = setup.request(&mut client);
    assert_eq!(setup.worker.respond(first, Response::new(Status::OK, "three")), Err(SendError::Gone));
    assert_eq!(setup.worker.write_chunk(second, b"x"), Err(SendError::Gone));
    assert_eq!(setup.worker.respond(second, Response::new(Status::CREATED, "four")), Ok(()));
    assert_eq!(client.reply().text(), "four");
}

#[test]
fn a_late_answer_to_a_closed_connection_reaches_nobody() {
    let mut setup = Setup::new();
    let mut client = Client::connect(setup.address);
    let id = setup.request(&mut client);
    assert_eq!(setup.worker.respond_head(id, Status::OK, &Fields::new(), Some(10)), Ok(()));
    assert_eq!(setup.worker.write_chunk(id, b"12345"), Ok(()));
    setup.worker.abandon(id);
    assert!(client.try_reply().is_err(), "the response is seen to be incomplete");
    let mut other = Client::connect(setup.address);
    let next = setup.request(&mut other);
    assert_ne!(id, next);
    assert_eq!(setup.worker.write_chunk(id, b"67890"), Err(SendError::Gone));
    assert_eq!(setup.worker.respond(next, Response::new(Status::OK, "own")), Ok(()));
    assert_eq!(other.reply().text(), "own");
}

#[test]
fn a_body_has_its_announced_length() {
    let mut setup = Setup::new();
    for pieces in [&[b"123".as_slice(), b"4"][..], &[b"1"]] {
        let mut client = Client::connect(setup.address);
        let id = setup.request(&mut client);
        assert_eq!(setup.worker.respond_head(id, Status::OK, &Fields::new(), Some(3)), Ok(()));
        let mut result = Ok(());
        for piece in pieces {
            result = result.and_then(|()| setup.worker.write_chunk(id, piece));
        }
        assert_eq!(result.and_then(|()| setup.worker.finish(id)), Err(SendError::WrongLength));
        assert!(setup.worker.finish(id).is_err());
        drop(client);
    }
    let mut client = Client::connect(setup.address);
    let id = setup.request(&mut client);
    assert_eq!(setup.worker.respond_head(id, Status::OK, &Fields::new(), Some(3)), Ok(()));
    assert_eq!(setup.worker.write_chunk(id, b"123"), Ok(()));
    assert_eq!(setup.worker.finish(id), Ok(()));
    assert_eq!(client.reply().text(), "123");
}

#[test]
fn closing_all_cancels_what_is_pending() {
    let mut setup = Setup::new();
    let mut client = Client::connect(setup.address);
    let id = setup.request(&mut client);
    let _idle = Client::connect(setup.address);
    setup.run_until(|worker, _| worker.connections() == 2);
    setup.worker.close_all(&mut setup.service);
    assert_eq!(setup.service.cancelled, [id]);
    assert!(setup.worker.is_empty() && setup.worker.connections() == 0);
    assert!(client.try_reply().is_err());
}

#[test]
fn a_worker_that_listens_stops_listening_first() {
    let mut setup = Setup::new();
    let mut client = Client::connect(setup.address);
    // Completed by the kernel, not yet accepted.
    let mut waiting = Client::connect(setup.address);
    setup.worker.stop();
    assert!(Client::try_connect(setup.address).is_err());
    let first = setup.request(&mut client);
    let second = setup.request(&mut waiting);
    for id in [first, second] {
        assert_eq!(setup.worker.respond(id, Response::new(Status::OK, "last")), Ok(()));
    }
    for client in [&mut client, &mut waiting] {
        let reply = client.reply();
        assert!(reply.text() == "last" && reply.closes());
    }
    drop((client, waiting));
    setup.run_until(|worker, _| worker.is_empty());
}

#[test]
fn a_deferred_connection_comes_when_it_speaks_or_when_the_deferral_ends() {
    let listener = Setup::listener();
    let deferral = listener.defer().expect("the system knows it");
    let worker = Worker::new(Shared::new(Limits::default())).expect("a worker can be made");
    let mut setup = Setup::listening(worker, listener);
    let mut silent = Client::connect(setup.address);
    let mut speaking = Client::connect(setup.address);
    setup.request(&mut speaking);
    assert_eq!(setup.worker.connections(), 1, "the silent one is still with the kernel");
    deferral.end();
    setup.request(&mut silent);
    let _third = Client::connect(setup.address);
    setup.run_until(|worker, _| worker.connections() == 3);
}

#[test]
fn waking_ends_a_round() {
    let mut setup = Setup::new();
    let mailbox = setup.worker.mailbox();
    let began = Instant::now();
    let waker = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        mailbox.wake();
    });
    // The mailbox was never written to: the first round may end for that news.
    for _ in 0..2 {
        setup.worker.run_once(&mut setup.service, Some(PATIENCE)).expect("the poller works");
    }
    assert!(began.elapsed() < PATIENCE / 2);
    waker.join().expect("the waker ends");
}
