//! Accepting connections and spreading them.
//!
//! One thread accepts for all workers and gives each connection to the worker with the fewest. Hashing by the kernel or a
//! listener shared by the workers would leave some with a multiple of the others' connections.

use crate::admission::{Peer, Refused};
use crate::mailbox::{Mail, Mailbox};
use crate::shared::Shared;
use crate::sys::{self, Accepted, Read};
use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Connections that are accepted before they are given to the workers.
const BATCH: usize = 64;

/// How long a refused connection stays open, so that its client can read why.
const REFUSED_TIME: Duration = Duration::from_millis(500);

/// Refused connections that stay open; a further one closes the oldest.
const MAX_REFUSED: usize = 128;

/// Idle connections that each worker gives up when the process has no more files.
const GIVE_UP: usize = 8;

/// How long accepting rests when the process has no more files.
const REST: Duration = Duration::from_millis(50);

const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 58\r\n\
    Retry-After: 1\r\nConnection: close\r\n\r\n503 Service Unavailable: the server has no connection left";

const TOO_MANY: &[u8] = b"HTTP/1.1 429 Too Many Requests\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 58\r\n\
    Retry-After: 1\r\nConnection: close\r\n\r\n429 Too Many Requests: too many connections of one address";

/// A socket that accepts connections.
#[derive(Debug)]
pub struct Listener {
    socket: OwnedFd,
    address: SocketAddr,
}

impl Listener {
    /// Listens at `address`; from now on clients can connect.
    ///
    /// # Errors
    /// The address is in use, is not one of this machine, or needs more rights.
    pub fn bind(address: SocketAddr) -> io::Result<Self> {
        let socket = sys::listen(address)?;
        let address = sys::local_address(&socket)?;
        Ok(Self { socket, address })
    }

    /// Where it listens, with the port that the system chose if it was asked for any.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

/// The thread that accepts. Dropping it stops it.
pub struct Acceptor {
    stop: Arc<OwnedFd>,
    thread: Option<JoinHandle<()>>,
}

impl Acceptor {
    /// Accepts from `listeners` for `workers`.
    ///
    /// # Errors
    /// No thread or file can be made.
    pub fn start(listeners: Vec<Listener>, workers: Vec<Arc<Mailbox>>, shared: Arc<Shared>) -> io::Result<Self> {
        let stop = Arc::new(sys::signal()?);
        let mut accepting = Accepting {
            batches: workers.iter().map(|_| Vec::new()).collect(),
            workers,
            shared,
            next: 0,
            refused: VecDeque::new(),
        };
        let signal = stop.clone();
        let thread = std::thread::Builder::new().name("accept".to_owned());
        let thread = thread.spawn(move || accepting.run(&listeners, &signal))?;
        Ok(Self { stop, thread: Some(thread) })
    }

    /// Takes the connections that clients have completed, gives them to the workers, and closes the listeners.
    pub fn stop(self) {}
}

impl Drop for Acceptor {
    fn drop(&mut self) {
        sys::raise(&self.stop);
        if let Some(thread) = self.thread.take() {
            // A panic there has been reported by the thread itself.
            let _ = thread.join();
        }
    }
}

/// State of the accepting thread.
struct Accepting {
    workers: Vec<Arc<Mailbox>>,
    shared: Arc<Shared>,
    /// What each worker gets next.
    batches: Vec<Vec<Mail>>,
    /// The worker that is looked at first, so that equals take turns.
    next: usize,
    refused: VecDeque<(Instant, OwnedFd)>,
}

impl Accepting {
    fn run(&mut self, listeners: &[Listener], stop: &OwnedFd) {
        let mut sources: Vec<BorrowedFd<'_>> = vec![stop.as_fd()];
        sources.extend(listeners.iter().map(|listener| listener.socket.as_fd()));
        loop {
            let ready = sys::wait_readable(&sources, self.time_to_close());
            self.close_refused();
            let is_stopping = ready.first() == Some(&true);
            for (listener, is_ready) in listeners.iter().zip(ready.iter().skip(1)) {
                if (*is_ready || is_stopping) && !self.accept_all(listener) {
                    // No files: only others' closing helps. The stop signal is still seen.
                    sys::wait_readable(&[stop.as_fd()], Some(REST));
                }
            }
            if is_stopping {
                return;
            }
        }
    }

    /// Accepts until there is nothing to accept. False if there is no room.
    fn accept_all(&mut self, listener: &Listener) -> bool {
        loop {
            for _ in 0..BATCH {
                match sys::accept(&listener.socket) {
                    Accepted::Socket(socket, address) => self.place(socket, Peer::new(address)),
                    Accepted::Gone => {}
                    Accepted::Later => {
                        self.deliver();
                        return true;
                    }
                    Accepted::Full => {
                        self.refused.clear();
                        self.make_room(GIVE_UP);
                        self.deliver();
                        return false;
                    }
                }
            }
            self.deliver();
        }
    }

    /// Gives a connection to the worker with the fewest.
    fn place(&mut self, socket: OwnedFd, peer: Peer) {
        if let Err(refused) = self.shared.admission.enter(&peer) {
            self.refuse(socket, refused);
            return;
        }
        let count = self.workers.len();
        let order = (0..count).map(|step| (self.next + step) % count);
        let chosen = order.min_by_key(|worker| self.workers.get(*worker).map_or(usize::MAX, |mailbox| mailbox.load()));
        let place = chosen.and_then(|chosen| Some((chosen, self.workers.get(chosen)?, self.batches.get_mut(chosen)?)));
        match place {
            Some((chosen, mailbox, batch)) => {
                mailbox.add_load();
                batch.push(Mail::Socket(socket, peer));
                self.next = chosen + 1;
            }
            None => self.shared.admission.leave(&peer),
        }
    }

    fn deliver(&mut self) {
        for (mailbox, batch) in self.workers.iter().zip(&mut self.batches) {
            if !batch.is_empty() {
                mailbox.post(batch.drain(..));
            }
        }
    }

    /// Has each worker close so many idle connections, so that the next clients find room.
    fn make_room(&mut self, idle: usize) {
        for batch in &mut self.batches {
            batch.push(Mail::GiveUp(idle));
        }
    }

    /// Says why in a response, whatever the request will be.
    #[cold]
    fn refuse(&mut self, socket: OwnedFd, refused: Refused) {
        let answer = match refused {
            Refused::Full => {
                self.make_room(1);
                FULL
            }
            Refused::Address => TOO_MANY,
        };
        // If the client does not take it, it sees the close.
        sys::write(&socket, answer);
        sys::end_writing(&socket);
        if self.refused.len() >= MAX_REFUSED {
            self.refused.pop_front();
        }
        self.refused.push_back((Instant::now() + REFUSED_TIME, socket));
    }

    fn time_to_close(&self) -> Option<Duration> {
        self.refused.front().map(|(until, _)| until.saturating_duration_since(Instant::now()))
    }

    fn close_refused(&mut self) {
        let now = Instant::now();
        while let Some((_, socket)) = self.refused.pop_front_if(|(until, _)| *until <= now) {
            // Bytes left unread would make the close a reset.
            let mut dropped = [0; 4096];
            while let Read::Bytes(_) = sys::read(&socket, &mut dropped) {}
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
