//! Fibers that may go on: what their wakers leave for the worker.

use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Wake, Waker};
use tokio::sync::Notify;

/// A fiber, for as long as it is the one at its place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Ticket {
    pub(crate) slot: usize,
    pub(crate) serial: u64,
}

/// The fibers of one worker that have been woken.
#[derive(Default, Debug)]
pub(crate) struct Ready {
    woken: Mutex<Vec<Ticket>>,
    notify: Notify,
}

impl Ready {
    /// Takes those that have been woken; `empty` is what remains inside.
    pub(crate) fn take(&self, empty: Vec<Ticket>) -> Vec<Ticket> {
        std::mem::replace(&mut *self.woken.lock().unwrap_or_else(PoisonError::into_inner), empty)
    }

    /// Is one waiting to go on?
    pub(crate) fn is_empty(&self) -> bool {
        self.woken.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// Waits until [`Ready::wake`] has been called since the last wait.
    pub(crate) async fn notified(&self) {
        self.notify.notified().await;
    }

    /// Wakes the worker.
    pub(crate) fn wake(&self) {
        self.notify.notify_one();
    }

    /// A waker for a fiber of this worker.
    pub(crate) fn waker(self: &Arc<Self>, ticket: Ticket) -> Waker {
        Waker::from(Arc::new(Bell { ticket, ready: self.clone() }))
    }
}

/// Wakes one fiber.
struct Bell {
    ticket: Ticket,
    ready: Arc<Ready>,
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.ready.woken.lock().unwrap_or_else(PoisonError::into_inner).push(self.ticket);
        self.ready.wake();
    }
}
