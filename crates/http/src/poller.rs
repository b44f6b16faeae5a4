//! One epoll for the connections of a worker.
//!
//! Edge-triggered, and each descriptor is registered once for everything: waiting for a slow reader or holding a pipelining
//! client back costs no system call. So who is told that a socket is readable must remember it until a read comes back short.

use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

/// Events that are taken from the kernel at once.
const BATCH: usize = 256;

/// What has changed for one descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Event {
    /// As given to [`Poller::add`].
    pub(crate) token: u32,
    pub(crate) readable: bool,
    pub(crate) writable: bool,
    /// The client sends nothing more.
    pub(crate) ended: bool,
    /// Reset, or ended in both directions.
    pub(crate) broken: bool,
}

pub(crate) struct Poller {
    epoll: OwnedFd,
    events: Vec<epoll::Event>,
}

impl Poller {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { epoll: epoll::create(CreateFlags::CLOEXEC)?, events: Vec::with_capacity(BATCH) })
    }

    /// Watches `source` until it is closed.
    pub(crate) fn add(&self, source: &OwnedFd, token: u32) -> io::Result<()> {
        let flags = EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP | EventFlags::ET;
        Ok(epoll::add(&self.epoll, source, EventData::new_u64(token.into()), flags)?)
    }

    /// Watches a listener: its event comes for as long as there is something to accept.
    pub(crate) fn add_listener(&self, source: &OwnedFd, token: u32) -> io::Result<()> {
        Ok(epoll::add(&self.epoll, source, EventData::new_u64(token.into()), EventFlags::IN)?)
    }

    /// Watches no longer. That it was not watched is no error.
    pub(crate) fn remove(&self, source: &OwnedFd) {
        let _ = epoll::delete(&self.epoll, source);
    }

    /// Could the last wait have left events behind?
    pub(crate) fn has_backlog(&self) -> bool {
        self.events.len() == BATCH
    }

    /// Waits for events, without a timeout for as long as it takes. Their number.
    pub(crate) fn wait(&mut self, timeout: Option<Duration>) -> io::Result<usize> {
        // Rounded up: waking before the time has come would wait again.
        let rounded = timeout.map(|timeout| Duration::from_millis(timeout.as_nanos().div_ceil(1_000_000) as u64));
        let timeout = rounded.and_then(|timeout| timeout.try_into().ok());
        self.events.clear();
        match epoll::wait(&self.epoll, rustix::buffer::spare_capacity(&mut self.events), timeout.as_ref()) {
            Ok(count) => Ok(count),
            Err(rustix::io::Errno::INTR) => Ok(0),
            Err(error) => Err(error.into()),
        }
    }

    /// The events of the last wait, by position.
    pub(crate) fn event(&self, position: usize) -> Option<Event> {
        let event = self.events.get(position)?;
        let flags = event.flags;
        Some(Event {
            token: event.data.u64() as u32,
            readable: flags.contains(EventFlags::IN),
            writable: flags.contains(EventFlags::OUT),
            ended: flags.contains(EventFlags::RDHUP),
            broken: flags.intersects(EventFlags::ERR | EventFlags::HUP),
        })
    }
}

impl AsFd for Poller {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.epoll.as_fd()
    }
}
