//! Requests of connections inside of TLS: their tasks leave them here for the worker, and wait for the answers.

use crate::ready::Ready;
use http::{Dispatch, Request, Response, Status};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use tokio::sync::oneshot;

/// A request that its connection has read.
pub(crate) struct Arrival {
    pub(crate) id: u64,
    pub(crate) request: Request,
    pub(crate) answer: oneshot::Sender<Response>,
}

/// Where connections inside of TLS and their worker meet.
pub(crate) struct Remote {
    arrived: RefCell<Vec<Arrival>>,
    /// Requests whose clients have gone.
    gone: RefCell<Vec<u64>>,
    next: Cell<u64>,
    ready: Arc<Ready>,
}

impl Remote {
    pub(crate) fn new(ready: Arc<Ready>) -> Rc<Self> {
        Rc::new(Self { arrived: RefCell::default(), gone: RefCell::default(), next: Cell::new(0), ready })
    }

    /// Takes what has arrived.
    pub(crate) fn arrived(&self) -> Vec<Arrival> {
        self.arrived.take()
    }

    /// Takes the numbers of requests that nobody waits for any more.
    pub(crate) fn gone(&self) -> Vec<u64> {
        self.gone.take()
    }

    /// Does the worker have something to take?
    pub(crate) fn is_empty(&self) -> bool {
        self.arrived.borrow().is_empty() && self.gone.borrow().is_empty()
    }
}

/// A connection's end of it.
#[derive(Clone)]
pub(crate) struct Sender(pub(crate) Rc<Remote>);

impl Dispatch for Sender {
    async fn answer(&self, request: Request) -> Response {
        let remote = &self.0;
        let id = remote.next.get();
        remote.next.set(id + 1);
        let (answer, answered) = oneshot::channel();
        remote.arrived.borrow_mut().push(Arrival { id, request, answer });
        remote.ready.wake();
        let mut waiting = Waiting { remote, id, is_answered: false };
        let response = answered.await;
        waiting.is_answered = true;
        // Without an answer the worker is ending.
        response.unwrap_or_else(|_| Response::new(Status::SERVICE_UNAVAILABLE, "503 Service Unavailable\n"))
    }
}

/// Tells the worker when the client does not wait for the answer any more.
struct Waiting<'r> {
    remote: &'r Remote,
    id: u64,
    is_answered: bool,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if !self.is_answered {
            self.remote.gone.borrow_mut().push(self.id);
            self.remote.ready.wake();
        }
    }
}
