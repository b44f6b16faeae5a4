//! Accepted connections on their way to the workers.
//!
//! Each goes to the worker with the fewest. Hashing by the kernel or a listener shared by the workers would leave some with a
//! multiple of the others' connections.

use crate::admission::{Peer, Refused};
use crate::listen::Listener;
use crate::mailbox::{Mail, Mailbox};
use crate::shared::Shared;
use crate::sys::{self, Accepted, Read};
use std::collections::VecDeque;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Connections that are accepted before others have their turn.
const BATCH: usize = 64;

/// How long a refused connection stays open, so that its client can read why.
const REFUSED_TIME: Duration = Duration::from_millis(500);

/// Refused connections that stay open; a further one closes the oldest.
const MAX_REFUSED: usize = 128;

/// Idle connections that each worker gives up when the process has no more files.
const GIVE_UP: usize = 8;

/// How long accepting rests when the process has no more files: only others' closing helps.
pub(crate) const REST: Duration = Duration::from_millis(50);

const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 58\r\n\
    Retry-After: 1\r\nConnection: close\r\n\r\n503 Service Unavailable: the server has no connection left";

const TOO_MANY: &[u8] =
    b"HTTP/1.1 429 Too Many Requests\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 58\r\n\
    Retry-After: 1\r\nConnection: close\r\n\r\n429 Too Many Requests: too many connections of one address";

/// How accepting a batch ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Batch {
    /// Nothing more is there.
    All,
    /// There may be more.
    Some,
    /// The process has no more files.
    NoRoom,
}

/// Where connections go.
pub(crate) struct Spread {
    workers: Vec<Arc<Mailbox>>,
    shared: Arc<Shared>,
    /// What each worker gets next.
    batches: Vec<Vec<Mail>>,
    /// The worker that is looked at first, so that equals take turns.
    next: usize,
    refused: VecDeque<(Instant, OwnedFd)>,
}

impl Spread {
    pub(crate) fn new(workers: Vec<Arc<Mailbox>>, shared: Arc<Shared>) -> Self {
        let batches = workers.iter().map(|_| Vec::new()).collect();
        Self { workers, shared, batches, next: 0, refused: VecDeque::new() }
    }

    /// Accepts some connections. What they come to waits for [`Spread::deliver`] or [`Spread::take_first`].
    pub(crate) fn accept(&mut self, listener: &Listener) -> Batch {
        for _ in 0..BATCH {
            match sys::accept(listener.socket()) {
                Accepted::Socket(socket, address) => self.place(socket, Peer::new(address), listener.is_secure()),
                Accepted::Gone => {}
                Accepted::Later => return Batch::All,
                Accepted::Full => {
                    self.refused.clear();
                    self.make_room(GIVE_UP);
                    return Batch::NoRoom;
                }
            }
        }
        Batch::Some
    }

    /// Gives a connection to the worker with the fewest.
    fn place(&mut self, socket: OwnedFd, peer: Peer, is_secure: bool) {
        if let Err(refused) = self.shared.admission.enter(&peer) {
            self.refuse(socket, refused, is_secure);
            return;
        }
        let count = self.workers.len();
        let order = (0..count).map(|step| (self.next + step) % count);
        let chosen = order.min_by_key(|worker| self.workers.get(*worker).map_or(usize::MAX, |mailbox| mailbox.load()));
        let place = chosen.and_then(|chosen| Some((chosen, self.workers.get(chosen)?, self.batches.get_mut(chosen)?)));
        match place {
            Some((chosen, mailbox, batch)) => {
                mailbox.add_load();
                batch.push(if is_secure { Mail::Secure(socket, peer) } else { Mail::Socket(socket, peer) });
                self.next = chosen + 1;
            }
            None => self.shared.admission.leave(&peer),
        }
    }

    /// Leaves the batches in the workers' mailboxes.
    pub(crate) fn deliver(&mut self) {
        for (mailbox, batch) in self.workers.iter().zip(&mut self.batches) {
            if !batch.is_empty() {
                mailbox.post(batch.drain(..));
            }
        }
    }

    /// The batch of the first worker, for one that accepts for itself alone.
    pub(crate) fn take_first(&mut self) -> Vec<Mail> {
        self.batches.first_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Has each worker close so many idle connections, so that the next clients find room.
    fn make_room(&mut self, idle: usize) {
        for batch in &mut self.batches {
            batch.push(Mail::GiveUp(idle));
        }
    }

    /// Says why in a response, whatever the request will be. Inside of TLS that would take a handshake, which is what there is
    /// no room for: the client sees the close.
    #[cold]
    fn refuse(&mut self, socket: OwnedFd, refused: Refused, is_secure: bool) {
        let answer = match refused {
            Refused::Full => {
                self.make_room(1);
                FULL
            }
            Refused::Address => TOO_MANY,
        };
        if is_secure {
            return;
        }
        // If the client does not take it, it sees the close.
        sys::write(&socket, answer);
        sys::end_writing(&socket);
        if self.refused.len() >= MAX_REFUSED {
            self.refused.pop_front();
        }
        self.refused.push_back((Instant::now() + REFUSED_TIME, socket));
    }

    /// When [`Spread::close_refused`] has something to do.
    pub(crate) fn time_to_close(&self) -> Option<Duration> {
        self.refused.front().map(|(until, _)| until.saturating_duration_since(Instant::now()))
    }

    /// Closes refused connections whose clients had time to read why.
    pub(crate) fn close_refused(&mut self) {
        if self.refused.is_empty() {
            return;
        }
        let now = Instant::now();
        while let Some((_, socket)) = self.refused.pop_front_if(|(until, _)| *until <= now) {
            // Bytes left unread would make the close a reset. Who goes on sending gets one.
            let mut dropped = [0; 4096];
            for _ in 0..4 {
                if !matches!(sys::read(&socket, &mut dropped), Read::Bytes(_)) {
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_of_refusals_have_their_length() {
        for answer in [FULL, TOO_MANY] {
            let text = String::from_utf8_lossy(answer);
            let (head, body) = text.split_once("\r\n\r\n").expect("a response has a head");
            assert!(head.contains(&format!("Content-Length: {}\r\n", body.len())), "{text}");
        }
    }
}
