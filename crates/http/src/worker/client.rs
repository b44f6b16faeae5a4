//! One connection in its worker: the socket around the state machine.
//!
//! This is all that an idle connection costs, so its size is pinned.

use crate::admission::Peer;
use crate::connection::Connection;
use crate::output::{Flushed, Output};
use crate::response::Payload;
use crate::sys::{self, Written};
use crate::timers::{Linked, Links};
use std::io::IoSlice;
use std::os::fd::OwnedFd;

pub(super) struct Client {
    pub(super) socket: OwnedFd,
    pub(super) machine: Connection,
    /// Present while the socket is full.
    pub(super) output: Option<Box<Output>>,
    pub(super) links: Links,
    /// Changes with each request; the worker never uses a number twice.
    pub(super) serial: u64,
    pub(super) peer: Peer,
    /// May a read bring something? Edge-triggered: to be remembered until a read comes back short.
    pub(super) is_readable: bool,
    /// The kernel has told that the client ended its side; what it sent before may still be unread.
    pub(super) is_ended: bool,
    /// Everything that the client sent is read.
    pub(super) is_read_out: bool,
    /// Is it in the queue of those that go on in the next round?
    pub(super) is_queued: bool,
    /// Our side is ended; only what is on its way is still read, and dropped.
    pub(super) is_draining: bool,
    /// A write to its stream was refused, and the embedder is to be told when it can go on.
    pub(super) is_full: bool,
}

const _: () = assert!(size_of::<Client>() <= 120, "an idle connection costs about a hundred bytes");

impl Linked for Client {
    fn links(&mut self) -> &mut Links {
        &mut self.links
    }
}

impl Client {
    pub(super) fn new(socket: OwnedFd, peer: Peer, serial: u64) -> Self {
        Self {
            socket,
            machine: Connection::new(),
            output: None,
            links: Links::NEW,
            serial,
            peer,
            is_readable: true,
            is_ended: false,
            is_read_out: false,
            is_queued: false,
            is_draining: false,
            is_full: false,
        }
    }

    /// Writes `out` and then `body`, as far as the client takes it; keeps the rest. `out` is empty afterwards. False: the client
    /// has gone.
    pub(super) fn send(&mut self, out: &mut Vec<u8>, body: Option<Payload>) -> bool {
        if out.is_empty() && body.is_none() {
            return true;
        }
        let mut written = 0;
        if self.output.is_none() {
            let result = match &body {
                None => sys::write(&self.socket, out),
                Some(body) => sys::write_vectored(&self.socket, &[IoSlice::new(out), IoSlice::new(body.bytes())]),
            };
            match result {
                Written::Bytes(bytes) => written = bytes,
                Written::Later => {}
                Written::Failed => {
                    out.clear();
                    return false;
                }
            }
            if body.is_none() && written == out.len() {
                out.clear();
                return true;
            }
        }
        self.keep(out, body, written)
    }

    #[cold]
    fn keep(&mut self, out: &mut Vec<u8>, body: Option<Payload>, written: usize) -> bool {
        let mut output = self.output.take().unwrap_or_default();
        if let Some(rest) = out.get(written..).filter(|rest| !rest.is_empty()) {
            output.push(Payload::Owned(rest.to_vec()), 0);
        }
        if let Some(body) = body {
            output.push(body, written.saturating_sub(out.len()));
        }
        out.clear();
        // The kernel tells of room only after it has said that there is none.
        match output.flush(&self.socket) {
            Flushed::Empty => true,
            Flushed::Waiting(_) => {
                self.output = Some(output);
                true
            }
            Flushed::Failed => false,
        }
    }
}
