//! What other threads have for a worker.

use crate::admission::Peer;
use crate::secure::IdleList;
use crate::spool::{Loaded, Spooled};
use crate::sys;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// One thing for a worker.
pub(crate) enum Mail {
    /// A connection, already counted.
    Socket(OwnedFd, Peer),
    /// A connection that speaks TLS, already counted.
    Secure(OwnedFd, Peer),
    /// A part of a body is written.
    Spooled(Spooled),
    /// A piece of a file is read.
    Loaded(Loaded),
    /// Room is needed: give up this many idle connections.
    GiveUp(usize),
    /// Finish what is begun and take nothing new.
    Stop,
}

/// Where other threads leave things for one worker, and wake it.
pub struct Mailbox {
    mail: Mutex<Vec<Mail>>,
    signal: OwnedFd,
    /// Connections that the worker has or is about to get.
    load: AtomicUsize,
    /// Those of them that speak TLS and have reached the worker.
    secure: AtomicUsize,
    /// Those of these that have no request.
    idle: IdleList,
}

impl Mailbox {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            mail: Mutex::default(),
            signal: sys::signal()?,
            load: AtomicUsize::new(0),
            secure: AtomicUsize::new(0),
            idle: IdleList::default(),
        })
    }

    /// Makes the worker's `run_once` return, now or at once when it is next called.
    pub fn wake(&self) {
        sys::raise(&self.signal);
    }

    /// Asks the worker to stop gracefully: see [`Worker::stop`](crate::Worker::stop).
    pub fn stop(&self) {
        self.post([Mail::Stop]);
    }

    /// Leaves all of it at once, and wakes the worker if it may be asleep.
    pub(crate) fn post(&self, mail: impl IntoIterator<Item = Mail>) {
        let was_empty = {
            let mut held = self.mail.lock().unwrap_or_else(PoisonError::into_inner);
            let was_empty = held.is_empty();
            held.extend(mail);
            was_empty
        };
        if was_empty {
            self.wake();
        }
    }

    /// Takes everything; `empty` is what remains inside.
    pub(crate) fn take(&self, empty: Vec<Mail>) -> Vec<Mail> {
        std::mem::replace(&mut *self.mail.lock().unwrap_or_else(PoisonError::into_inner), empty)
    }

    pub(crate) fn signal(&self) -> &OwnedFd {
        &self.signal
    }

    /// Number of connections of the worker.
    #[must_use]
    pub fn load(&self) -> usize {
        self.load.load(Ordering::Relaxed)
    }

    pub(crate) fn add_load(&self) {
        self.load.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn remove_load(&self) {
        self.load.fetch_sub(1, Ordering::Relaxed);
    }

    /// Connections of the worker that speak TLS: those that it has handed to its service.
    #[must_use]
    pub fn secure_connections(&self) -> usize {
        self.secure.load(Ordering::Relaxed)
    }

    /// Its load contains it already.
    pub(crate) fn add_secure(&self) {
        self.secure.fetch_add(1, Ordering::Relaxed);
    }

    /// Takes it off the load too. The worker may have waited for the last one.
    pub(crate) fn remove_secure(&self) {
        self.secure.fetch_sub(1, Ordering::Relaxed);
        if self.load.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.wake();
        }
    }

    pub(crate) fn idle(&self) -> &IdleList {
        &self.idle
    }
}
