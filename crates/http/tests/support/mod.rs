//! A toy server on real sockets, and a client that sees every byte.

#![allow(dead_code, reason = "each test file uses a part of it")]

pub(crate) mod malformed;

use http::{
    Acceptor, Answer, Body, Fields, FilePart, Limits, Listener, Mailbox, Payload, Request, RequestId, Response,
    SendError, Service, Shared, Status, Worker,
};
use std::fs::File;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// No test waits longer than this for anything.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// What the service was told.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) requests: AtomicUsize,
    pub(crate) cancelled: AtomicUsize,
    pub(crate) half_closed: AtomicUsize,
    pub(crate) writable: AtomicUsize,
}

impl Seen {
    /// Waits until a count is reached.
    pub(crate) fn wait(&self, count: impl Fn(&Self) -> &AtomicUsize, wanted: usize) {
        let began = Instant::now();
        while count(self).load(Ordering::SeqCst) < wanted {
            assert!(began.elapsed() < PATIENCE, "the service is told in time");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Something to be done after the round.
enum Task {
    /// Answer with the text when its time has come.
    Later(Instant, RequestId, String),
    /// Stream so many pieces of 1,000 bytes.
    Stream(RequestId, usize, bool),
}

/// Answers by path:
/// `/` a greeting, `/echo` the body, `/size` the length of the body, `/big/N` N bytes, `/slow/MS` later, `/never` not at all,
/// `/stream/N` N pieces, `/peer` the address, `/close` a greeting and the end.
pub(crate) struct Toy {
    seen: Arc<Seen>,
    tasks: Vec<Task>,
}

pub(crate) fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|at| b'a' + u8::try_from(at % 23).unwrap_or(0)).collect()
}

fn number(text: &str) -> usize {
    text.parse().expect("the path has a number")
}

impl Toy {
    pub(crate) fn new(seen: Arc<Seen>) -> Self {
        Self { seen, tasks: Vec::new() }
    }

    /// Does what can be done now; to be called after each round.
    pub(crate) fn work(&mut self, worker: &mut Worker) {
        for task in std::mem::take(&mut self.tasks) {
            match task {
                Task::Later(at, id, text) if Instant::now() >= at => {
                    // The client may have gone.
                    let _ = worker.respond(id, Response::new(Status::OK, text));
                }
                Task::Later(..) => self.tasks.push(task),
                Task::Stream(id, left, has_begun) => self.stream(worker, id, left, has_begun),
            }
        }
    }

    fn stream(&mut self, worker: &mut Worker, id: RequestId, left: usize, has_begun: bool) {
        if !has_begun && worker.respond_head(id, Status::OK, &Fields::new(), None).is_err() {
            return;
        }
        let piece = pattern(1000);
        let mut left = left;
        for _ in 0..64 {
            if left == 0 {
                let _ = worker.finish(id);
                return;
            }
            match worker.write_chunk(id, &piece) {
                Ok(()) => left -= 1,
                Err(SendError::Full) => break,
                Err(_) => return,
            }
        }
        self.tasks.push(Task::Stream(id, left, true));
    }

    fn has_tasks(&self) -> bool {
        !self.tasks.is_empty()
    }
}

impl Service for Toy {
    fn request(&mut self, id: RequestId, request: Request) -> Answer {
        self.seen.requests.fetch_add(1, Ordering::SeqCst);
        let path = request.path().to_owned();
        let text = |text: String| Answer::Respond(Response::new(Status::OK, text));
        match path.split('/').collect::<Vec<_>>().as_slice() {
            ["", ""] => text("hello".to_owned()),
            ["", "echo"] => Answer::Respond(Response::new(Status::OK, body(&request))),
            ["", "size"] => match request.body() {
                Body::Memory(bytes) => text(format!("memory {}", bytes.len())),
                Body::File(_, length) => text(format!("file {length}")),
            },
            ["", "big", length] => Answer::Respond(Response::new(Status::OK, pattern(number(length)))),
            ["", "file", length] => Answer::Respond(Response::new(Status::OK, file(number(length), number(length)))),
            ["", "cut", length] => Answer::Respond(Response::new(Status::OK, file(number(length), 2 * number(length)))),
            ["", "peer"] => text(request.peer().to_string()),
            ["", "close"] => {
                let mut response = Response::new(Status::OK, "bye");
                response.close = true;
                Answer::Respond(response)
            }
            ["", "slow", milliseconds] => {
                let at = Instant::now() + Duration::from_millis(number(milliseconds) as u64);
                self.tasks.push(Task::Later(at, id, path));
                Answer::Pending
            }
            ["", "never"] => Answer::Pending,
            ["", "stream", count] => {
                self.tasks.push(Task::Stream(id, number(count), false));
                Answer::Pending
            }
            _ => Answer::Respond(Response::new(Status::NOT_FOUND, path)),
        }
    }

    fn cancelled(&mut self, _: RequestId) {
        self.seen.cancelled.fetch_add(1, Ordering::SeqCst);
    }

    fn half_closed(&mut self, _: RequestId) {
        self.seen.half_closed.fetch_add(1, Ordering::SeqCst);
    }

    fn writable(&mut self, _: RequestId) {
        self.seen.writable.fetch_add(1, Ordering::SeqCst);
    }
}

/// Part of a file: all but the first three bytes. The file is not in the system's memory, where that can be had.
fn file(length: usize, announced: usize) -> Payload {
    let mut file = tempfile();
    file.write_all(b"...").and_then(|()| file.write_all(&pattern(length))).expect("there is room");
    file.sync_all().expect("the disk takes it");
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).expect("advice is always taken");
    Payload::File(FilePart { file: Arc::new(file), offset: 3, bytes: announced as u64 })
}

/// A file without a name.
fn tempfile() -> File {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::SeqCst);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("part-{}-{number}", std::process::id()));
    let file = File::options().read(true).write(true).create_new(true).open(&path).expect("the folder takes files");
    std::fs::remove_file(path).expect("it is ours");
    file
}

fn body(request: &Request) -> Vec<u8> {
    match request.body() {
        Body::Memory(bytes) => bytes.to_vec(),
        Body::File(file, length) => {
            let mut bytes = vec![0; usize::try_from(length).expect("the body fits")];
            file.read_exact_at(&mut bytes, 0).expect("the file can be read");
            bytes
        }
    }
}

/// A server with some workers, each on a thread.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) seen: Arc<Seen>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) mailboxes: Vec<Arc<Mailbox>>,
    acceptor: Option<Acceptor>,
    threads: Vec<JoinHandle<()>>,
}

impl Server {
    pub(crate) fn start(mut limits: Limits, workers: usize) -> Self {
        if limits.drain_time == Limits::default().drain_time {
            // At the end of a test there are clients that will never close.
            limits.drain_time = Duration::from_millis(50);
        }
        let shared = Shared::new(limits);
        let seen = Arc::new(Seen::default());
        let (mut mailboxes, mut threads) = (Vec::new(), Vec::new());
        for _ in 0..workers {
            let (shared, seen) = (shared.clone(), seen.clone());
            let (sender, receiver) = std::sync::mpsc::channel();
            threads.push(std::thread::spawn(move || {
                let mut worker = Worker::new(shared).expect("a worker can be made");
                sender.send(worker.mailbox()).expect("the test waits for it");
                serve(&mut worker, &mut Toy::new(seen));
            }));
            mailboxes.push(receiver.recv().expect("the worker has begun"));
        }
        let listener = Listener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).expect("a port is free");
        let address = listener.address();
        let acceptor =
            Acceptor::start(vec![listener], mailboxes.clone(), shared.clone()).expect("a thread can be made");
        Self { address, seen, shared, mailboxes, acceptor: Some(acceptor), threads }
    }

    pub(crate) fn connect(&self) -> Client {
        Client::connect(self.address)
    }

    /// Connections of each worker.
    pub(crate) fn loads(&self) -> Vec<usize> {
        self.mailboxes.iter().map(|mailbox| mailbox.load()).collect()
    }

    /// Waits until the server has so many connections.
    pub(crate) fn wait_for_connections(&self, wanted: usize) {
        let began = Instant::now();
        while self.shared.open_connections() != wanted {
            assert!(began.elapsed() < PATIENCE, "{} connections, not {wanted}", self.shared.open_connections());
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Stops accepting and tells the workers to finish.
    pub(crate) fn begin_stop(&mut self) {
        self.acceptor.take();
        self.mailboxes.iter().for_each(|mailbox| mailbox.stop());
    }

    /// Stops gracefully and waits for the end.
    pub(crate) fn stop(mut self) {
        self.begin_stop();
        for thread in self.threads.drain(..) {
            thread.join().expect("a worker ends in peace");
        }
    }
}

fn serve(worker: &mut Worker, toy: &mut Toy) {
    while !(worker.is_stopping() && worker.is_empty()) {
        let timeout = toy.has_tasks().then_some(Duration::from_millis(1));
        worker.run_once(toy, timeout).expect("the poller works");
        toy.work(worker);
    }
}

/// A response as it was read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().skip(1).filter_map(|line| line.split_once(": "));
        lines.into_iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    pub(crate) fn closes(&self) -> bool {
        self.header("connection") == Some("close")
    }
}

/// One connection.
pub(crate) struct Client {
    pub(crate) stream: TcpStream,
    received: Vec<u8>,
    /// How much of it has been used.
    used: usize,
}

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        Self::try_connect(address).expect("the server accepts")
    }

    pub(crate) fn try_connect(address: SocketAddr) -> std::io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, received: Vec::new(), used: 0 })
    }

    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).expect("the server reads");
    }

    pub(crate) fn get(&mut self, path: &str) -> Reply {
        self.send(format!("GET {path} HTTP/1.1\r\nHost: toy\r\n\r\n"));
        self.reply()
    }

    pub(crate) fn reply(&mut self) -> Reply {
        self.try_reply().expect("the response is complete")
    }

    /// The next response, not to a HEAD request. Interim responses are responses.
    pub(crate) fn try_reply(&mut self) -> std::io::Result<Reply> {
        self.read_reply(false)
    }

    pub(crate) fn reply_to_head(&mut self) -> Reply {
        self.read_reply(true).expect("the response is complete")
    }

    fn read_reply(&mut self, is_head: bool) -> std::io::Result<Reply> {
        let head = String::from_utf8_lossy(&self.take_to(b"\r\n\r\n")?).into_owned();
        let status = head.get(9..12).and_then(|code| code.parse().ok()).expect("the response has a status");
        let mut reply = Reply { status, head, body: Vec::new() };
        if is_head || status < 200 || status == 204 || status == 304 {
            return Ok(reply);
        }
        if let Some(length) = reply.header("content-length") {
            reply.body = self.take(length.parse().expect("the length is a number"))?;
        } else if reply.header("transfer-encoding") == Some("chunked") {
            loop {
                let line = self.line()?;
                let length = usize::from_str_radix(&line, 16).expect("the chunk has a size");
                reply.body.extend(self.take(length)?);
                assert_eq!(self.line()?, "");
                if length == 0 {
                    break;
                }
            }
        } else {
            reply.body = self.rest()?;
        }
        Ok(reply)
    }

    fn line(&mut self) -> std::io::Result<String> {
        let line = self.take_to(b"\r\n")?;
        Ok(String::from_utf8_lossy(&line).trim_end().to_owned())
    }

    fn unread(&self) -> &[u8] {
        self.received.get(self.used..).unwrap_or_default()
    }

    fn take_to(&mut self, end: &[u8]) -> std::io::Result<Vec<u8>> {
        loop {
            if let Some(at) = self.unread().windows(end.len()).position(|window| window == end) {
                return self.take(at + end.len());
            }
            self.fill()?;
        }
    }

    fn take(&mut self, length: usize) -> std::io::Result<Vec<u8>> {
        while self.unread().len() < length {
            self.fill()?;
        }
        let taken = self.unread().get(..length).unwrap_or_default().to_vec();
        self.used += length;
        Ok(taken)
    }

    fn fill(&mut self) -> std::io::Result<()> {
        if self.used > self.received.len() / 2 {
            self.received.drain(..self.used);
            self.used = 0;
        }
        let mut buffer = [0; 16 * 1024];
        let count = self.stream.read(&mut buffer)?;
        if count == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        self.received.extend_from_slice(buffer.get(..count).unwrap_or_default());
        Ok(())
    }

    /// Everything up to the end of the connection, which must not be a reset.
    pub(crate) fn rest(&mut self) -> std::io::Result<Vec<u8>> {
        let mut bytes = self.unread().to_vec();
        (self.received, self.used) = (Vec::new(), 0);
        self.stream.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// The connection ends, with nothing unread.
    pub(crate) fn assert_end(&mut self) {
        let rest = self.rest().expect("the end is no reset");
        assert!(rest.is_empty(), "{}", rest.escape_ascii());
    }

    pub(crate) fn end_writing(&mut self) {
        self.stream.shutdown(Shutdown::Write).expect("the connection is open");
    }

    /// Fails when bytes come within this time.
    pub(crate) fn assert_silent(&mut self, time: Duration) {
        self.stream.set_read_timeout(Some(time)).expect("the time is not zero");
        let result = self.stream.read(&mut [0; 1]);
        self.stream.set_read_timeout(Some(PATIENCE)).expect("the time is not zero");
        assert!(result.is_err(), "{result:?}");
    }
}
