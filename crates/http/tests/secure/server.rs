//! A server for clients that speak TLS: workers on threads of their own, with a runtime each.

use http::{
    Acceptor, Answer, Body, Certificates, Limits, Listener, Mailbox, Request, RequestId, Response, Service, Shared,
    Status, Worker,
};
use rcgen::{CertificateParams, KeyPair};
use std::net::SocketAddr;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::io::unix::AsyncFd;
use tokio::sync::{Notify, watch};

/// No test waits longer than this for anything.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// Waits until something holds.
pub(crate) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// What the dispatch was told.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) requests: AtomicUsize,
    /// Futures that were dropped before they had an answer.
    pub(crate) dropped: AtomicUsize,
    pub(crate) refused: Mutex<Vec<(u16, &'static str)>>,
    /// Has connections dropped by their embedder.
    pub(crate) over: Notify,
}

struct Unanswered<'a>(&'a Seen);

impl Drop for Unanswered<'_> {
    fn drop(&mut self) {
        self.0.dropped.fetch_add(1, Ordering::SeqCst);
    }
}

/// Answers by path.
struct Toy(Arc<Seen>);

impl http::Dispatch for Toy {
    async fn answer(&self, request: Request) -> Response {
        self.0.requests.fetch_add(1, Ordering::SeqCst);
        let path = request.path().to_owned();
        let text = |text: String| Response::new(Status::OK, text);
        match path.split('/').collect::<Vec<_>>().as_slice() {
            ["", ""] => text("hello".to_owned()),
            ["", "echo"] => Response::new(Status::OK, body(&request)),
            ["", "size"] => text(match request.body() {
                Body::Memory(bytes) => format!("memory {}", bytes.len()),
                Body::File(_, length) => format!("file {length}"),
            }),
            ["", "big", length] => Response::new(Status::OK, pattern(length.parse().expect("the path has a number"))),
            ["", "shared", length] => {
                let bytes: Arc<[u8]> = pattern(length.parse().expect("the path has a number")).into();
                Response::new(Status::OK, bytes)
            }
            ["", "slow", milliseconds] => {
                let time = Duration::from_millis(milliseconds.parse().expect("the path has a number"));
                tokio::time::sleep(time).await;
                text(format!("after {milliseconds}"))
            }
            ["", "never"] => {
                let _guard = Unanswered(&self.0);
                std::future::pending().await
            }
            ["", "head"] => {
                let lines = request.headers().map(|(name, value)| format!("{name}: {}\n", value.escape_ascii()));
                let (method, target, host) = (request.method(), request.target(), request.host().unwrap_or("none"));
                text(format!("{method} {target} {host} {}\n{}", request.peer(), lines.collect::<String>()))
            }
            ["", "fields"] => {
                let mut response = Response::new(Status::CREATED, "made");
                for (name, value) in [("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"), ("X-Note", "Grüße")] {
                    response.fields.add(name, value.as_bytes()).expect("the field is valid");
                }
                response
            }
            ["", "status", code] => {
                let code = code.parse().expect("the path has a number");
                Response::new(Status::new(code).expect("it is a status"), "never seen")
            }
            ["", "close"] => Response { close: true, ..text("bye".to_owned()) },
            _ => Response::new(Status::NOT_FOUND, path),
        }
    }

    fn refused(&self, _: SocketAddr, status: Status, reason: &'static str) {
        self.0.refused.lock().expect("no test panics with it").push((status.code(), reason));
    }
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

pub(crate) fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|at| b'a' + u8::try_from(at % 23).unwrap_or(0)).collect()
}

/// A folder with a certificate and a key, removed at the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("secure-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::SeqCst));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a folder can be made");
        Self(path)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes `cert.pem` and `key.pem`; gives the certificate's bytes.
    pub(crate) fn certify(&self, change: impl FnOnce(&mut CertificateParams)) -> Vec<u8> {
        certify(&self.path("cert.pem"), &self.path("key.pem"), change)
    }

    pub(crate) fn load(&self) -> Result<Certificates, http::CertificateError> {
        Certificates::load(self.path("cert.pem"), self.path("key.pem"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn certify(certificate: &Path, key: &Path, change: impl FnOnce(&mut CertificateParams)) -> Vec<u8> {
    let mut parameters = CertificateParams::new(vec!["localhost".to_owned()]).expect("the name is valid");
    change(&mut parameters);
    let pair = KeyPair::generate().expect("there is randomness");
    let made = parameters.self_signed(&pair).expect("the certificate can be made");
    std::fs::write(certificate, made.pem()).expect("the folder is writable");
    std::fs::write(key, pair.serialize_pem()).expect("the folder is writable");
    made.der().to_vec()
}

struct Embedder {
    certificates: Arc<Certificates>,
    stop: watch::Receiver<bool>,
    seen: Arc<Seen>,
}

impl Service for Embedder {
    fn request(&mut self, _: RequestId, _: Request) -> Answer {
        Answer::Respond(Response::new(Status::OK, "plain"))
    }

    fn cancelled(&mut self, _: RequestId) {}

    fn secure(&mut self, socket: OwnedFd, admitted: http::Admitted) {
        let mut stop = self.stop.clone();
        let stop = async move {
            let _ = stop.wait_for(|stop| *stop).await;
        };
        let dispatch = Rc::new(Toy(self.seen.clone()));
        let connection = http::serve_secure(socket, admitted, self.certificates.clone(), dispatch, stop);
        let seen = self.seen.clone();
        tokio::task::spawn_local(async move {
            tokio::select! {
                () = connection => {}
                () = seen.over.notified() => {}
            }
        });
    }
}

async fn run(mut worker: Worker, certificates: Arc<Certificates>, seen: Arc<Seen>) {
    let (stop, stopped) = watch::channel(false);
    let mut embedder = Embedder { certificates, stop: stopped, seen };
    let poller = worker.as_fd().try_clone_to_owned().expect("there are files left");
    #[expect(deprecated, reason = "the deprecation is for types that do not own their descriptor; this one does")]
    let poller: AsyncFd<OwnedFd> = AsyncFd::new(poller).expect("it can be watched");
    loop {
        let wait = worker.next_wait().unwrap_or(PATIENCE);
        tokio::select! {
            guard = poller.readable() => guard.expect("it can be watched").clear_ready(),
            () = tokio::time::sleep(wait) => {}
        }
        worker.run_once(&mut embedder, Some(Duration::ZERO)).expect("the poller works");
        if worker.is_stopping() {
            let _ = stop.send(true);
            if worker.is_empty() {
                return;
            }
        }
    }
}

/// A server with some workers and a listener of each kind.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) plain_address: SocketAddr,
    pub(crate) folder: Folder,
    /// What clients trust.
    pub(crate) certificate: Vec<u8>,
    pub(crate) certificates: Arc<Certificates>,
    pub(crate) seen: Arc<Seen>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) mailboxes: Vec<Arc<Mailbox>>,
    acceptor: Option<Acceptor>,
    threads: Vec<JoinHandle<()>>,
}

impl Server {
    pub(crate) fn start(limits: Limits) -> Self {
        Self::with_workers(limits, 1)
    }

    pub(crate) fn with_workers(mut limits: Limits, workers: usize) -> Self {
        if limits.drain_time == Limits::default().drain_time {
            // At the end of a test there are clients that will never close.
            limits.drain_time = Duration::from_millis(50);
        }
        let folder = Folder::new();
        let certificate = folder.certify(|_| {});
        let certificates = Arc::new(folder.load().expect("the files are good"));
        let shared = Shared::new(limits);
        let seen = Arc::new(Seen::default());
        let (mut mailboxes, mut threads) = (Vec::new(), Vec::new());
        for _ in 0..workers {
            let (shared, seen, certificates) = (shared.clone(), seen.clone(), certificates.clone());
            let (sender, receiver) = std::sync::mpsc::channel();
            threads.push(std::thread::spawn(move || {
                let worker = Worker::new(shared).expect("a worker can be made");
                sender.send(worker.mailbox()).expect("the test waits for it");
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                let runtime = runtime.expect("a runtime can be made");
                tokio::task::LocalSet::new().block_on(&runtime, run(worker, certificates, seen));
            }));
            mailboxes.push(receiver.recv().expect("the worker has begun"));
        }
        let anywhere = SocketAddr::from(([127, 0, 0, 1], 0));
        let secure = Listener::bind_secure(anywhere).expect("a port is free");
        let plain = Listener::bind(anywhere).expect("a port is free");
        let (address, plain_address) = (secure.address(), plain.address());
        let acceptor = Acceptor::start(vec![secure, plain], mailboxes.clone(), shared.clone());
        let acceptor = Some(acceptor.expect("a thread can be made"));
        Self { address, plain_address, folder, certificate, certificates, seen, shared, mailboxes, acceptor, threads }
    }

    /// Waits until the server has so many connections.
    pub(crate) fn wait_for_connections(&self, wanted: usize) {
        wait_until("the server has the wanted number of connections", || self.shared.open_connections() == wanted);
    }

    pub(crate) fn requests(&self) -> usize {
        self.seen.requests.load(Ordering::SeqCst)
    }

    pub(crate) fn dropped(&self) -> usize {
        self.seen.dropped.load(Ordering::SeqCst)
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
        assert_eq!(self.shared.open_connections(), 0);
        assert_eq!(self.mailboxes.iter().map(|mailbox| mailbox.secure_connections()).sum::<usize>(), 0);
    }
}
