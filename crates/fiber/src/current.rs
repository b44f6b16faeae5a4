//! The fiber that runs on this thread, seen from inside: waiting, yielding, cancellation.

use crate::fiber::Parked;
use corosensei::Yielder;
use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::ptr;
use std::task::{Context, Poll, Waker};

/// What a fiber is resumed with.
#[derive(Debug)]
pub(crate) enum Resume {
    /// Go on; the waker, if there is one, wakes the fiber's owner.
    Run(Option<Waker>),
    /// End soon: waiting gives [`Cancelled`] from now on.
    Cancel,
}

/// The inside of a running or parked fiber. It stands on the fiber's own stack.
pub(crate) struct Inside {
    yielder: *const Yielder<Resume, Parked>,
    waker: RefCell<Option<Waker>>,
    cancelled: Cell<bool>,
}

thread_local! {
    static CURRENT: Cell<*const Inside> = const { Cell::new(ptr::null()) };
}

/// The fiber was told to end. Whoever waited gives up and lets go of what it holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cancelled;

impl std::fmt::Display for Cancelled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("cancelled")
    }
}

impl std::error::Error for Cancelled {}

impl Inside {
    pub(crate) fn new(yielder: &Yielder<Resume, Parked>, first: Resume) -> Self {
        let inside = Self { yielder, waker: RefCell::new(None), cancelled: Cell::new(false) };
        inside.resumed(first);
        inside
    }

    fn resumed(&self, resume: Resume) {
        match resume {
            Resume::Run(waker) => *self.waker.borrow_mut() = waker,
            Resume::Cancel => self.cancelled.set(true),
        }
    }

    /// Makes this the thread's current fiber; its owner's [`Outside`] puts the old one back.
    pub(crate) fn enter(&self) {
        CURRENT.set(self);
    }

    fn park(&self, why: Parked) {
        // SAFETY: the yielder lives as long as the fiber's body, which is running this.
        let resume = unsafe { (*self.yielder).suspend(why) };
        self.enter();
        self.resumed(resume);
    }
}

/// Remembers which fiber was current before another one is resumed.
pub(crate) struct Outside(*const Inside);

impl Outside {
    pub(crate) fn remember() -> Self {
        Self(CURRENT.get())
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        CURRENT.set(self.0);
    }
}

fn with_current<R>(inside: impl FnOnce(&Inside) -> R) -> Option<R> {
    let current = CURRENT.get();
    // SAFETY: set only while the fiber that owns it runs on this thread, and it outlives everything that runs in it.
    unsafe { current.as_ref() }.map(inside)
}

/// True when the calling code runs in a fiber.
pub fn is_inside() -> bool {
    !CURRENT.get().is_null()
}

/// True when the running fiber has been told to end.
pub fn is_cancelled() -> bool {
    with_current(|inside| inside.cancelled.get()).unwrap_or(false)
}

/// Waits for a future: parks the fiber until it is ready.
///
/// # Errors
/// The fiber has been told to end.
///
/// # Panics
/// Outside of a fiber, where nobody could be parked.
pub fn wait<F: Future>(future: F) -> Result<F::Output, Cancelled> {
    let mut future = pin!(future);
    let ready = with_current(|inside| {
        loop {
            if inside.cancelled.get() {
                return Err(Cancelled);
            }
            let waker = inside.waker.borrow().clone();
            let Some(waker) = waker else {
                inside.park(Parked::NeedsWaker);
                continue;
            };
            match future.as_mut().poll(&mut Context::from_waker(&waker)) {
                Poll::Ready(output) => return Ok(output),
                Poll::Pending => inside.park(Parked::Waiting),
            }
        }
    });
    ready.expect("fiber::wait is called in a fiber")
}

/// Lets others run. Does nothing outside of a fiber.
///
/// # Errors
/// The fiber has been told to end.
pub fn yield_now() -> Result<(), Cancelled> {
    let went_on = with_current(|inside| {
        if !inside.cancelled.get() {
            inside.park(Parked::Yielded);
        }
        if inside.cancelled.get() { Err(Cancelled) } else { Ok(()) }
    });
    went_on.unwrap_or(Ok(()))
}
