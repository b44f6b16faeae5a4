//! The server as a whole: listeners, workers, the exchange of the application, the end.

use crate::application::Application;
use crate::common::{Common, Current};
use crate::files::Folder;
use crate::handlers::Bounds;
use crate::metrics::{Metrics, Scraped};
use crate::proxies::Network;
use crate::pulse::Ticker;
use crate::rules::Rules;
use crate::worker::Worker;
use http::{Acceptor, CertificateError, Certificates, Deferral, Limits, Listener, Mailbox, Shared};
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Between the end of the deferral and that of the listeners: requests that follow their handshake arrive meanwhile.
const LAST_CALL: Duration = Duration::from_millis(50);
/// Where the metrics are at an address of their own, if nothing else is said.
const METRICS_PATH: &str = "/metrics";
/// Between two looks at whether the workers have ended.
const LOOK: Duration = Duration::from_millis(2);

/// What a server is started with.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where it listens for HTTP without TLS.
    pub addresses: Vec<SocketAddr>,
    /// Where it listens for HTTPS.
    pub secure_addresses: Vec<SocketAddr>,
    /// Files of the certificate and its key.
    pub certificate: Option<(PathBuf, PathBuf)>,
    /// Threads that answer.
    pub workers: usize,
    /// What clients may ask of it.
    pub limits: Limits,
    /// Time for a request, from its arrival to the end of its handler.
    pub request_time: Duration,
    /// Time for a request whose client sends nothing more: it may have gone, and it may wait.
    pub abandoned_time: Duration,
    /// Bytes of memory for a request.
    pub request_memory: u64,
    /// Time after which a handler makes way for others.
    pub slice: Duration,
    /// Handlers of one worker that may be begun at a time.
    pub max_handlers: usize,
    /// Requests of one worker that may wait for that.
    pub max_queue: usize,
    /// For this long.
    pub max_queue_time: Duration,
    /// How deep calls may nest.
    pub max_depth: usize,
    /// Path of the health check; empty for none.
    pub health_path: String,
    /// Where the metrics are to be had; nowhere without.
    pub metrics_address: Option<SocketAddr>,
    /// Path of the metrics, at that address or, without one, for all clients; empty for none.
    pub metrics_path: String,
    /// Write a log line for each request.
    pub access_log: bool,
    /// A folder whose files are served where no route answers.
    pub files: Option<PathBuf>,
    /// How long clients may keep such a file without asking again.
    pub files_max_age: Duration,
    /// Compress responses as clients allow.
    pub compression: bool,
    /// Show errors to the client.
    pub dev: bool,
    /// Answer `HEAD` with the `GET` route.
    pub auto_head: bool,
    /// Answer `OPTIONS` with the methods of a path.
    pub auto_options: bool,
    /// Answer 405 where a path has only other methods; else 404.
    pub auto_not_allowed: bool,
    /// Whose word about the client's address counts.
    pub trusted_proxies: Vec<Network>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            addresses: Vec::new(),
            secure_addresses: Vec::new(),
            certificate: None,
            workers: 1,
            limits: Limits::default(),
            request_time: Duration::from_secs(30),
            abandoned_time: Duration::from_secs(5),
            request_memory: 128 << 20,
            slice: Duration::from_millis(1),
            max_handlers: 512,
            max_queue: 8192,
            max_queue_time: Duration::from_secs(10),
            max_depth: vm::DEFAULT_CALL_DEPTH,
            health_path: "/health".to_owned(),
            metrics_address: None,
            metrics_path: String::new(),
            access_log: false,
            files: None,
            files_max_age: Duration::ZERO,
            compression: true,
            dev: false,
            auto_head: true,
            auto_options: true,
            auto_not_allowed: true,
            trusted_proxies: Vec::new(),
        }
    }
}

/// Why a server does not start.
#[derive(Debug)]
pub enum StartError {
    /// It cannot listen there.
    Listen(SocketAddr, io::Error),
    /// The certificate or its key does not fit.
    Certificate(CertificateError),
    /// The folder of files cannot be read.
    Files(PathBuf, io::Error),
    /// The system has no more threads or files.
    System(io::Error),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Listen(address, error) => match error.kind() {
                io::ErrorKind::AddrInUse => {
                    write!(
                        f,
                        "cannot listen on {address}: another program listens there; choose another port with --listen"
                    )
                }
                io::ErrorKind::PermissionDenied => {
                    write!(f, "cannot listen on {address}: permission denied; ports below 1024 need more rights")
                }
                io::ErrorKind::AddrNotAvailable => {
                    write!(f, "cannot listen on {address}: this machine does not have that address")
                }
                _ => write!(f, "cannot listen on {address}: {error}"),
            },
            Self::Certificate(error) => error.fmt(f),
            Self::Files(path, error) => {
                write!(f, "cannot serve the files in '{}' (--static): {error}", path.display())
            }
            Self::System(error) => write!(f, "cannot start the server: {error}"),
        }
    }
}

impl std::error::Error for StartError {}

impl From<io::Error> for StartError {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

/// A running server.
pub struct Server {
    common: Arc<Common>,
    mailboxes: Vec<Arc<Mailbox>>,
    /// None if the only worker accepts for itself.
    acceptor: Option<Acceptor>,
    threads: Vec<JoinHandle<io::Result<()>>>,
    addresses: Vec<SocketAddr>,
    /// How many of the addresses are for HTTP without TLS; they come first.
    plain: usize,
    deferrals: Vec<Deferral>,
    scraped: Option<Scraped>,
    _ticker: Ticker,
}

impl Server {
    /// Starts to listen and to answer.
    ///
    /// # Errors
    /// It cannot.
    pub fn start(application: Arc<Application>, options: &Options) -> Result<Self, StartError> {
        let certificates = match &options.certificate {
            Some((file, key)) => Some(Arc::new(Certificates::load(file, key).map_err(StartError::Certificate)?)),
            None => None,
        };
        let open = |path: &PathBuf| {
            Folder::open(path, options.files_max_age).map_err(|error| StartError::Files(path.clone(), error))
        };
        let files = options.files.as_ref().map(open).transpose()?;
        let mut listeners = Vec::new();
        for address in &options.addresses {
            listeners.push(Listener::bind(*address).map_err(|error| StartError::Listen(*address, error))?);
        }
        for address in &options.secure_addresses {
            listeners.push(Listener::bind_secure(*address).map_err(|error| StartError::Listen(*address, error))?);
        }
        let addresses = listeners.iter().map(Listener::address).collect();
        // A saving where the system knows it.
        let deferrals = listeners.iter().filter_map(|listener| listener.defer().ok()).collect();
        let workers = options.workers.max(1);
        let metrics = Metrics::new(workers);
        metrics.set_routes(application.route_count());
        let (ticker, pulses) = Ticker::start(options.slice, workers)?;
        let common = Arc::new(Common {
            current: Current::new(application),
            bounds: Bounds {
                memory: isize::try_from(options.request_memory).unwrap_or(isize::MAX),
                time: options.request_time,
                abandoned_time: options.abandoned_time,
                slice: options.slice,
                depth: options.max_depth,
            },
            rules: Rules {
                head: options.auto_head,
                options: options.auto_options,
                not_allowed: options.auto_not_allowed,
                dev: options.dev,
                trusted_proxies: options.trusted_proxies.clone(),
                files,
                compression: options.compression,
                metrics: metrics.clone(),
            },
            max_handlers: options.max_handlers.max(1),
            max_queue: options.max_queue,
            max_queue_time: options.max_queue_time,
            health_path: options.health_path.clone(),
            // With an address of its own it is not for clients.
            metrics_path: options.metrics_address.map_or_else(|| options.metrics_path.clone(), |_| String::new()),
            access_log: options.access_log,
            certificates,
            is_ready: AtomicBool::new(true),
            is_over: AtomicBool::new(false),
        });
        let shared = Shared::new(options.limits.clone());
        metrics.set_shared(shared.clone());
        let scraped = match options.metrics_address {
            Some(address) => {
                let listener = Listener::bind(address).map_err(|error| StartError::Listen(address, error))?;
                let path = if options.metrics_path.is_empty() { METRICS_PATH } else { &options.metrics_path };
                Some(Scraped::start(listener, metrics, path)?)
            }
            None => None,
        };
        let (mut mailboxes, mut threads) = (Vec::new(), Vec::new());
        for (number, pulse) in pulses.into_iter().enumerate() {
            // A worker that is alone accepts for itself.
            let own = if workers == 1 { std::mem::take(&mut listeners) } else { Vec::new() };
            let (shared, common) = (shared.clone(), common.clone());
            let (made, answer) = std::sync::mpsc::channel();
            let thread = std::thread::Builder::new().name(format!("worker {number}"));
            threads.push(thread.spawn(move || {
                let worker = match Worker::new(shared, common, pulse, own, number) {
                    Ok(worker) => worker,
                    Err(error) => {
                        let _ = made.send(Err(error));
                        return Ok(());
                    }
                };
                if made.send(Ok(worker.mailbox())).is_err() {
                    return Ok(());
                }
                drop(made);
                worker.run()
            })?);
            mailboxes.push(answer.recv().map_err(io::Error::other)??);
        }
        let acceptor = if workers == 1 { None } else { Some(Acceptor::start(listeners, mailboxes.clone(), shared)?) };
        let plain = options.addresses.len();
        Ok(Self { common, mailboxes, acceptor, threads, addresses, plain, deferrals, scraped, _ticker: ticker })
    }

    /// Where it listens, with the ports that the system chose.
    #[must_use]
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Where it can be reached.
    pub fn urls(&self) -> impl Iterator<Item = String> {
        self.addresses.iter().enumerate().map(|(at, address)| {
            let scheme = if at < self.plain { "http" } else { "https" };
            match address.ip() {
                ip if ip.is_unspecified() => format!("{scheme}://localhost:{}", address.port()),
                _ => format!("{scheme}://{address}"),
            }
        })
    }

    /// Where the metrics are, if they have an address of their own.
    #[must_use]
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        self.scraped.as_ref().map(Scraped::address)
    }

    /// Counts an attempt to load the program again.
    pub fn count_reload(&self, is_done: bool) {
        self.common.rules.metrics.count_reload(is_done);
    }

    /// Lets another application answer from now on. Requests that have begun end with the one they began with.
    pub fn set_application(&self, application: Arc<Application>) {
        self.common.rules.metrics.set_routes(application.route_count());
        self.common.current.set(application);
        self.wake();
    }

    /// Reads certificate and key again, if their files have changed. Gives whether they have.
    ///
    /// # Errors
    /// The new ones cannot be used; the old ones stay.
    pub fn reload_certificate(&self) -> Result<bool, CertificateError> {
        self.common.certificates.as_ref().map_or(Ok(false), |certificates| certificates.reload())
    }

    /// Has a worker ended although nobody asked it to?
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.threads.iter().any(JoinHandle::is_finished)
    }

    /// Tells health checks that it is about to stop, while it still answers.
    pub fn announce_stop(&self) {
        self.common.is_ready.store(false, Ordering::Relaxed);
        self.deferrals.iter().for_each(Deferral::end);
    }

    /// Stops: takes no new connections, answers what has been asked, and closes what is left after `grace`. Gives whether all
    /// was answered.
    ///
    /// # Errors
    /// What ended a worker.
    pub fn stop(mut self, grace: Duration) -> io::Result<bool> {
        self.announce_stop();
        std::thread::sleep(LAST_CALL);
        drop(self.acceptor.take());
        self.mailboxes.iter().for_each(|mailbox| mailbox.stop());
        let began = Instant::now();
        while !self.threads.iter().all(JoinHandle::is_finished) && began.elapsed() < grace {
            std::thread::sleep(LOOK);
        }
        let is_complete = self.threads.iter().all(JoinHandle::is_finished);
        self.common.is_over.store(true, Ordering::Relaxed);
        self.wake();
        for thread in self.threads {
            match thread.join() {
                Ok(result) => result?,
                Err(_) => return Err(io::Error::other("a worker has panicked")),
            }
        }
        Ok(is_complete)
    }

    fn wake(&self) {
        self.mailboxes.iter().for_each(|mailbox| mailbox.wake());
    }
}
