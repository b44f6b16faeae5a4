//! The metrics at an address of their own, answered by a thread of their own: no client of the site sees them, and no worker
//! waits while they are written.

use super::Metrics;
use http::{Answer, Limits, Listener, Mailbox, Request, RequestId, Response, Service, Shared, Status, Worker};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;

struct Scrapes {
    metrics: Arc<Metrics>,
    path: String,
}

impl Service for Scrapes {
    fn request(&mut self, _: RequestId, request: Request) -> Answer {
        Answer::Respond(if request.path() == self.path && matches!(request.method(), "GET" | "HEAD") {
            self.metrics.response()
        } else {
            let mut response = Response::new(Status::NOT_FOUND, format!("the metrics are at {}\n", self.path));
            let _ = response.fields.add("Content-Type", b"text/plain; charset=utf-8");
            response
        })
    }

    fn cancelled(&mut self, _: RequestId) {}
}

/// The thread. Dropping it ends it.
pub(crate) struct Scraped {
    mailbox: Arc<Mailbox>,
    address: SocketAddr,
    thread: Option<JoinHandle<()>>,
}

impl Scraped {
    /// Answers at `listener`.
    ///
    /// # Errors
    /// The system has no more threads or files.
    pub(crate) fn start(listener: Listener, metrics: Arc<Metrics>, path: &str) -> io::Result<Self> {
        let address = listener.address();
        let mut scrapes = Scrapes { metrics, path: path.to_owned() };
        let (made, answer) = std::sync::mpsc::channel();
        let thread = std::thread::Builder::new().name("metrics".to_owned()).spawn(move || {
            let worker = Worker::new(Shared::new(Limits::default()));
            let worker = worker.and_then(|mut worker| worker.listen(listener).map(|()| worker));
            let mut worker = match worker {
                Ok(worker) => worker,
                Err(error) => {
                    // The starter waits for it.
                    let _ = made.send(Err(error));
                    return;
                }
            };
            let _ = made.send(Ok(worker.mailbox()));
            while !worker.is_stopping() && worker.run_once(&mut scrapes, None).is_ok() {}
            worker.close_all(&mut scrapes);
        })?;
        let mailbox = answer.recv().map_err(io::Error::other)??;
        Ok(Self { mailbox, address, thread: Some(thread) })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Scraped {
    fn drop(&mut self) {
        self.mailbox.stop();
        if let Some(thread) = self.thread.take() {
            // A panic there has been reported by the thread itself.
            let _ = thread.join();
        }
    }
}
