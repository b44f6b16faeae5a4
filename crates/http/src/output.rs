//! What a client has not taken yet of its responses.
//!
//! Made when the socket is full and gone when it is empty; a connection that writes without waiting has none.

use crate::response::Payload;
use crate::sys::{self, Written};
use std::collections::VecDeque;
use std::io::IoSlice;
use std::os::fd::OwnedFd;

/// Parts that one call writes.
const GATHERED: usize = 16;

struct Part {
    payload: Payload,
    /// Bytes at its front that are written.
    written: usize,
}

impl Part {
    fn rest(&self) -> &[u8] {
        self.payload.bytes().get(self.written..).unwrap_or_default()
    }
}

/// Parts that wait, in order.
#[derive(Default)]
pub(crate) struct Output {
    parts: VecDeque<Part>,
    bytes: usize,
}

/// What came of writing the parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flushed {
    Empty,
    /// The client must read first. Has it read anything?
    Waiting(bool),
    Failed,
}

impl Output {
    /// Adds what is left of `payload` after its first bytes.
    pub(crate) fn push(&mut self, payload: Payload, written: usize) {
        let part = Part { payload, written };
        self.bytes += part.rest().len();
        if !part.rest().is_empty() {
            self.parts.push_back(part);
        }
    }

    /// Bytes that wait.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn flush(&mut self, socket: &OwnedFd) -> Flushed {
        let mut moved = false;
        while !self.parts.is_empty() {
            let mut slices = [IoSlice::new(&[]); GATHERED];
            for (slice, part) in slices.iter_mut().zip(&self.parts) {
                *slice = IoSlice::new(part.rest());
            }
            let used = slices.get(..self.parts.len().min(GATHERED)).unwrap_or_default();
            match sys::write_vectored(socket, used) {
                Written::Bytes(bytes) => self.advance(bytes),
                Written::Later => return Flushed::Waiting(moved),
                Written::Failed => return Flushed::Failed,
            }
            moved = true;
        }
        Flushed::Empty
    }

    fn advance(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_sub(bytes);
        let mut left = bytes;
        while let Some(part) = self.parts.front_mut() {
            let rest = part.rest().len();
            if left < rest {
                part.written += left;
                return;
            }
            left -= rest;
            self.parts.pop_front();
        }
    }
}
