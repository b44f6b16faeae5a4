//! A worker: one thread with its connections, its handlers and its runtime for what they wait for.
//!
//! While nothing but connections of the own layer can bring work, the thread sleeps in that layer's poller. Otherwise that
//! poller is nested in the runtime's, and both are looked at in turn.

use crate::common::Common;
use crate::dispatcher::Dispatcher;
use crate::handlers::Handlers;
use crate::metrics::Meter;
use crate::pulse::Pulse;
use crate::ready::Ready;
use crate::remote::Remote;
use http::{Listener, Mailbox, Shared};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::io::unix::AsyncFd;

/// Threads of one worker that read and write the files of connections inside of TLS.
const FILE_THREADS: usize = 2;

/// After this time without work such a thread ends.
const FILE_THREAD_TIME: Duration = Duration::from_secs(10);

/// A worker that is ready to run.
pub(crate) struct Worker {
    http: http::Worker,
    common: Arc<Common>,
    pulse: Arc<Pulse>,
    number: usize,
}

impl Worker {
    /// A worker that accepts from `listeners`, besides what is left for it.
    ///
    /// # Errors
    /// The system has no more files.
    pub(crate) fn new(
        shared: Arc<Shared>,
        common: Arc<Common>,
        pulse: Arc<Pulse>,
        listeners: Vec<Listener>,
        number: usize,
    ) -> io::Result<Self> {
        let mut http = http::Worker::new(shared)?;
        for listener in listeners {
            http.listen(listener)?;
        }
        Ok(Self { http, common, pulse, number })
    }

    /// Where connections are left for it.
    pub(crate) fn mailbox(&self) -> Arc<Mailbox> {
        self.http.mailbox()
    }

    /// Serves until it has been told to stop and all is answered.
    ///
    /// # Errors
    /// The system gives no poller.
    pub(crate) fn run(self) -> io::Result<()> {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_all().max_blocking_threads(FILE_THREADS).thread_keep_alive(FILE_THREAD_TIME);
        let runtime = builder.build()?;
        let local = tokio::task::LocalSet::new();
        local.block_on(&runtime, self.serve())
    }

    async fn serve(self) -> io::Result<()> {
        let Self { mut http, common, pulse, number } = self;
        let ready = Arc::new(Ready::default());
        let application = Rc::new(common.current.get());
        let mut meter = Meter::new(&common.rules.metrics, number);
        meter.set_application(&application);
        let version = common.current.version();
        let handlers = Handlers::new(
            application,
            common.bounds.clone(),
            Rc::new(common.rules.clone()),
            pulse,
            ready.clone(),
            meter.counts(),
        );
        let mailbox = http.mailbox();
        let mut dispatcher = Dispatcher::new(common.clone(), handlers, version, Remote::new(ready.clone()), meter);
        #[expect(deprecated, reason = "the deprecation is for types that do not own their descriptor; this one does")]
        let poller: AsyncFd<OwnedFd> = AsyncFd::new(http.as_fd().try_clone_to_owned()?)?;
        loop {
            let wait = if dispatcher.has_work() {
                Some(Duration::ZERO)
            } else {
                let now = Instant::now();
                dispatcher.next_deadline().map(|at| at.saturating_duration_since(now))
            };
            if dispatcher.is_waiting() || mailbox.secure_connections() > 0 {
                let wait = [wait, http.next_wait()].into_iter().flatten().min();
                pause(&poller, &ready, wait).await;
                http.run_once(&mut dispatcher, Some(Duration::ZERO))?;
            } else {
                http.run_once(&mut dispatcher, wait)?;
            }
            dispatcher.work(&mut http);
            if http.is_stopping() {
                dispatcher.stop();
                if http.is_empty() && mailbox.secure_connections() == 0 && dispatcher.is_idle() {
                    return Ok(());
                }
            }
            if common.is_over.load(Ordering::Relaxed) {
                http.close_all(&mut dispatcher);
                return Ok(());
            }
        }
    }
}

/// Waits until a connection has something to do, a handler may go on, or the time is over.
async fn pause(poller: &AsyncFd<OwnedFd>, ready: &Ready, wait: Option<Duration>) {
    if wait == Some(Duration::ZERO) {
        return tokio::task::yield_now().await;
    }
    let time = async {
        match wait {
            Some(wait) => tokio::time::sleep(wait).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        biased;
        () = ready.notified() => {}
        guard = poller.readable() => {
            if let Ok(mut guard) = guard {
                guard.clear_ready();
            }
        }
        () = time => {}
    }
}
