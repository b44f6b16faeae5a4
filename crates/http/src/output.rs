//! What a client has not taken yet of its responses.
//!
//! Made when the socket is full and gone when it is empty; a connection that writes without waiting has none. A file is read
//! from the system's memory just before it is written, so that a slow client costs no memory; what is not there is read by
//! another thread.

use crate::response::{FilePart, Payload};
use crate::sys::{self, Cached, Written};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::IoSlice;
use std::os::fd::OwnedFd;

/// Parts that one call writes.
const GATHERED: usize = 16;

/// Bytes of a file that are read at a time.
pub(crate) const PIECE: usize = 64 * 1024;

/// Pieces of a file that are written before others have their turn.
const MAX_PIECES: usize = 4;

thread_local! {
    /// Where pieces are read to; as small as possible while there are none.
    static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

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

/// Parts that wait, in order, and behind them what is left of a file.
#[derive(Default)]
pub(crate) struct Output {
    parts: VecDeque<Part>,
    bytes: usize,
    file: Option<FilePart>,
    need: Option<Need>,
    /// A piece of the file is on its way.
    is_loading: bool,
}

/// What is needed to go on, besides a client that reads.
#[derive(Debug)]
pub(crate) enum Need {
    /// Another turn: the client takes more than it may have in one.
    Turn,
    /// The first piece of this part.
    Piece(FilePart),
}

/// What came of writing the parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flushed {
    Empty,
    /// The client must read first, or there is a [`Need`]. Has it read anything?
    Waiting(bool),
    Failed,
}

impl Output {
    /// Adds what is left of `payload` after its first bytes. A file is the last there is.
    pub(crate) fn push(&mut self, payload: Payload, written: usize) {
        if let Payload::File(part) = payload {
            self.file = Some(part);
            return;
        }
        let part = Part { payload, written };
        self.bytes += part.rest().len();
        if !part.rest().is_empty() {
            self.parts.push_back(part);
        }
    }

    /// Bytes that wait, without those of a file.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes the need of the last flush; whoever does meets it.
    pub(crate) fn take_need(&mut self) -> Option<Need> {
        let need = self.need.take();
        self.is_loading |= matches!(need, Some(Need::Piece(_)));
        need
    }

    /// Takes the piece that was needed.
    pub(crate) fn loaded(&mut self, piece: Vec<u8>) {
        self.is_loading = false;
        if let Some(file) = &mut self.file {
            advance_file(file, piece.len());
            self.push(Payload::Owned(piece), 0);
        }
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
        match &mut self.file {
            None => Flushed::Empty,
            Some(_) if self.is_loading => Flushed::Waiting(moved),
            Some(file) => {
                let (flushed, need) = SCRATCH.with_borrow_mut(|scratch| flush_file(file, socket, scratch, moved));
                self.need = need;
                flushed
            }
        }
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

fn advance_file(file: &mut FilePart, bytes: usize) {
    file.offset += bytes as u64;
    file.bytes = file.bytes.saturating_sub(bytes as u64);
}

/// Writes as much of a file as the client takes and its turn allows.
fn flush_file(
    file: &mut FilePart,
    socket: &OwnedFd,
    scratch: &mut Vec<u8>,
    mut moved: bool,
) -> (Flushed, Option<Need>) {
    scratch.resize(PIECE, 0);
    for _ in 0..MAX_PIECES {
        if file.bytes == 0 {
            return (Flushed::Empty, None);
        }
        let wanted = usize::try_from(file.bytes).map_or(PIECE, |bytes| bytes.min(PIECE));
        let read = match sys::read_cached(&file.file, scratch.get_mut(..wanted).unwrap_or_default(), file.offset) {
            Cached::Bytes(read) => read,
            Cached::Absent => return (Flushed::Waiting(moved), Some(Need::Piece(file.clone()))),
            Cached::End | Cached::Failed => return (Flushed::Failed, None),
        };
        match sys::write(socket, scratch.get(..read).unwrap_or_default()) {
            Written::Bytes(bytes) => advance_file(file, bytes),
            Written::Later => return (Flushed::Waiting(moved), None),
            Written::Failed => return (Flushed::Failed, None),
        }
        moved = true;
    }
    let flushed = if file.bytes == 0 { Flushed::Empty } else { Flushed::Waiting(moved) };
    (flushed, (file.bytes > 0).then_some(Need::Turn))
}
