//! A worker: the connections of one thread, and the loop that serves them.
//!
//! A round is: what is due, then a turn for each connection that has something to do, then the mail of other threads. Nothing
//! in it waits, and no connection gets more than its turn, so the length of a round is bounded by the number of ready ones.

mod accept;
mod answer;
mod client;
mod turn;

use crate::admission::Peer;
use crate::clock::Clock;
use crate::connection::Phase;
use crate::head::Refusal;
use crate::limits::READ_BYTES;
use crate::mailbox::{Mail, Mailbox};
use crate::output::{Flushed, Need};
use crate::poller::{Event, Poller};
use crate::secure::Admitted;
use crate::service::{RequestId, Service};
use crate::shared::Shared;
use crate::slab::Slab;
use crate::spool::{Job, Loaded, Owner, Spooled, Work};
use crate::status::Status;
use crate::timers::{Timers, WAITS, Wait};
use accept::Listening;
use client::Client;
use std::fmt;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::sync::Arc;
use std::time::Duration;

/// The poller's token of the mailbox; connections have smaller ones.
const MAIL: u32 = u32::MAX;

/// The poller's token of all listeners.
const LISTEN: u32 = u32::MAX - 1;

/// Connections of each kind whose time is over that are looked at in one round.
const MAX_DUE: usize = 64;

/// Milliseconds that a connection must have been idle to be given up when room is needed.
const MIN_IDLE: u32 = 1000;

/// A larger buffer of responses is given back after its round.
const MAX_OUT_BYTES: usize = 64 * 1024;

const SLOW_HEAD: Refusal = Refusal::new(Status::REQUEST_TIMEOUT, "the request head took too long");
pub(crate) const SLOW_BODY: Refusal = Refusal::new(Status::REQUEST_TIMEOUT, "the request body took too long");
pub(crate) const NOT_STORED: Refusal = Refusal::new(Status::INSUFFICIENT_STORAGE, "the request body cannot be stored");

/// Why an answer was not sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SendError {
    /// The client has gone, or the request is answered already.
    Gone,
    /// The client does not read what waits for it.
    Full,
    /// The body does not have the length that was announced.
    WrongLength,
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gone => "the client has gone",
            Self::Full => "the client does not read its response",
            Self::WrongLength => "the response body does not have the announced length",
        })
    }
}

impl std::error::Error for SendError {}

/// What a worker has done since it began.
#[derive(Clone, Copy, Default, Debug)]
pub struct Counters {
    /// Connections it was given.
    pub connections: u64,
    /// Requests handed to the service.
    pub requests: u64,
    /// Requests refused before that.
    pub refusals: u64,
}

/// The connections of one thread.
pub struct Worker {
    poller: Poller,
    mailbox: Arc<Mailbox>,
    shared: Arc<Shared>,
    /// Present if it accepts for itself.
    listening: Option<Box<Listening>>,
    connections: Slab<Client>,
    timers: Timers,
    clock: Clock,
    /// Connections that go on in the next round without being told by the kernel.
    queue: Vec<u32>,
    /// What all reads go to. Whoever needs bytes longer than his turn keeps a copy.
    input: Vec<u8>,
    /// What all responses are written to.
    out: Vec<u8>,
    /// The last number given to a request.
    serial: u64,
    counters: Counters,
    is_stopping: bool,
}

impl Worker {
    /// A worker without connections.
    ///
    /// # Errors
    /// The system has no more files.
    pub fn new(shared: Arc<Shared>) -> io::Result<Self> {
        let poller = Poller::new()?;
        let mailbox = Arc::new(Mailbox::new()?);
        poller.add(mailbox.signal(), MAIL)?;
        let timers = Timers::new(&shared.limits);
        Ok(Self {
            poller,
            mailbox,
            shared,
            listening: None,
            connections: Slab::new(),
            timers,
            clock: Clock::new(),
            queue: Vec::new(),
            input: vec![0; READ_BYTES],
            out: Vec::new(),
            serial: 0,
            counters: Counters::default(),
            is_stopping: false,
        })
    }

    /// Where an acceptor leaves connections for it, and others can wake and stop it.
    #[must_use]
    pub fn mailbox(&self) -> Arc<Mailbox> {
        self.mailbox.clone()
    }

    /// One round. Waits for something to do, at most `timeout` and at most as long as [`Worker::next_wait`] says.
    ///
    /// # Errors
    /// The poller fails, which means that the worker is unusable.
    pub fn run_once(&mut self, service: &mut impl Service, timeout: Option<Duration>) -> io::Result<()> {
        let wait = match (self.next_wait(), timeout) {
            (Some(next), Some(timeout)) => Some(next.min(timeout)),
            (next, timeout) => next.or(timeout),
        };
        let count = self.poller.wait(wait)?;
        self.clock.tick();
        self.expire(service);
        self.tend_listening();
        let mut queue = std::mem::take(&mut self.queue);
        for slot in queue.drain(..) {
            if let Some(client) = self.connections.get_mut(slot)
                && client.is_queued
            {
                client.is_queued = false;
                self.turn(slot, service);
            }
        }
        if self.queue.is_empty() {
            self.queue = queue;
        }
        let (mut has_mail, mut has_callers) = (false, false);
        for position in 0..count {
            match self.poller.event(position) {
                Some(event) if event.token == MAIL => has_mail = true,
                Some(event) if event.token == LISTEN => has_callers = true,
                Some(event) => self.handle(event, service),
                None => {}
            }
        }
        // Last, so that a place is not taken anew while there are events of the one who left it.
        if has_mail {
            self.read_mail(service);
        }
        if has_callers {
            self.accept(service);
        }
        if self.out.capacity() > MAX_OUT_BYTES {
            self.out = Vec::new();
        }
        Ok(())
    }

    /// How long [`Worker::run_once`] may be put off when the poller has no events: zero if there is something to do now, None if
    /// nothing will be.
    pub fn next_wait(&mut self) -> Option<Duration> {
        if !self.queue.is_empty() || self.poller.has_backlog() {
            return Some(Duration::ZERO);
        }
        let timer = self.timers.next(&mut self.connections, self.clock.milliseconds());
        let listening = self.listening.as_ref().and_then(|listening| listening.next_wait());
        [timer, listening].into_iter().flatten().min()
    }

    /// Finishes gracefully: requests are answered and their connections then closed, and a connection without a request is
    /// closed when it has brought none for [`Limits::drain_time`](crate::Limits::drain_time). Its own listeners are closed; an
    /// acceptor must be stopped first, since what it brings is still taken. [`Worker::is_empty`] tells the end.
    pub fn stop(&mut self) {
        if self.is_stopping {
            return;
        }
        self.is_stopping = true;
        self.end_listening();
        self.clock.tick();
        let limits = &self.shared.limits;
        self.timers.set_duration(Wait::Idle, limits.drain_time);
        self.timers.set_duration(Wait::Linger, limits.linger_time.min(limits.drain_time));
        self.timers.restart(&mut self.connections, Wait::Idle, self.clock.milliseconds());
    }

    /// Closes all connections at once; requests not yet answered are cancelled. Connections that were handed to
    /// [`Service::secure`] are the embedder's to close.
    pub fn close_all(&mut self, service: &mut impl Service) {
        self.read_mail(service);
        for slot in self.connections.slots() {
            self.abort(slot, service);
        }
    }

    /// Has it no connection, and is none on its way to it?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.mailbox.load() == 0
    }

    /// Is it finishing?
    #[must_use]
    pub fn is_stopping(&self) -> bool {
        self.is_stopping
    }

    /// Number of its connections, without those that it has handed to [`Service::secure`].
    #[must_use]
    pub fn connections(&self) -> usize {
        self.connections.len()
    }

    /// What it has done.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Does what the kernel's news make possible.
    fn handle(&mut self, event: Event, service: &mut impl Service) {
        let slot = event.token;
        let Some(client) = self.connections.get_mut(slot) else { return };
        if event.broken {
            self.abort(slot, service);
            return;
        }
        client.is_readable |= event.readable || event.ended;
        if event.ended && !client.is_ended {
            client.is_ended = true;
            if client.machine.is_busy() {
                service.half_closed(RequestId { slot, serial: client.serial });
            }
        }
        if event.writable && client.output.is_some() {
            self.flush(slot, service);
        }
        let Some(client) = self.connections.get_mut(slot) else { return };
        // Whoever is queued has had a turn in this round.
        if client.is_readable && !client.is_queued && (client.machine.wants_input() || client.is_draining) {
            self.turn(slot, service);
        }
    }

    /// Writes what waits, now that there is room.
    fn flush(&mut self, slot: u32, service: &mut impl Service) {
        let Some(client) = self.connections.get_mut(slot) else { return };
        let Some(output) = &mut client.output else { return };
        match output.flush(&client.socket) {
            Flushed::Empty => {
                client.output = None;
                let is_told = std::mem::take(&mut client.is_full) && client.machine.is_busy();
                let id = RequestId { slot, serial: client.serial };
                self.settle(slot);
                if is_told {
                    service.writable(id);
                }
            }
            Flushed::Waiting(has_moved) => {
                if has_moved {
                    let now = self.clock.milliseconds();
                    self.timers.arm(&mut self.connections, slot, Wait::Write, now);
                }
                self.feed(slot);
            }
            Flushed::Failed => self.abort(slot, service),
        }
    }

    /// Gets what the output of a connection needs to go on, besides a client that reads.
    fn feed(&mut self, slot: u32) {
        let Some(client) = self.connections.get_mut(slot) else { return };
        let owner = Owner { slot, serial: client.serial };
        match client.output.as_mut().and_then(|output| output.take_need()) {
            None => {}
            Some(Need::Turn) if client.is_queued => {}
            Some(Need::Turn) => {
                client.is_queued = true;
                self.queue.push(slot);
            }
            Some(Need::Piece(part)) => {
                let job = Job { owner, work: Work::Read(part), reply_to: self.mailbox.clone() };
                if !self.shared.spool.submit(job) {
                    self.close(slot);
                }
            }
        }
    }

    /// Goes on with a file of which a piece was read.
    fn loaded(&mut self, loaded: Loaded, service: &mut impl Service) {
        let Loaded { owner: Owner { slot, serial }, piece } = loaded;
        let client = self.connections.get_mut(slot).filter(|client| client.serial == serial);
        let Some(output) = client.and_then(|client| client.output.as_mut()) else { return };
        match piece {
            Ok(piece) => {
                output.loaded(piece);
                self.flush(slot, service);
            }
            // The client sees that the response is not complete.
            Err(_) => self.close(slot),
        }
    }

    fn expire(&mut self, service: &mut impl Service) {
        let now = self.clock.milliseconds();
        for wait in WAITS {
            for _ in 0..MAX_DUE {
                let Some(slot) = self.timers.due(&mut self.connections, wait, now) else { break };
                self.timers.disarm(&mut self.connections, slot);
                self.expire_one(slot, wait, service);
            }
        }
    }

    fn expire_one(&mut self, slot: u32, wait: Wait, service: &mut impl Service) {
        let limits = &self.shared.limits;
        let Some(client) = self.connections.get_mut(slot) else { return };
        match wait {
            Wait::Idle => {
                // A request that has just arrived is answered.
                let serial = client.serial;
                client.is_readable = true;
                self.turn(slot, service);
                if let Some(client) = self.connections.get_mut(slot)
                    && client.serial == serial
                    && client.machine.phase() == Phase::Idle
                {
                    client.machine.end();
                    self.settle(slot);
                }
            }
            Wait::Head => self.refuse(slot, SLOW_HEAD, service),
            Wait::Body => {
                let is_waiting = client.machine.phase() == Phase::Body;
                let wanted = limits.body_time.as_millis().saturating_mul(limits.body_rate.into()) / 1000;
                if is_waiting && u128::from(client.machine.body_progress()) < wanted.max(1) {
                    self.refuse(slot, SLOW_BODY, service);
                } else {
                    self.timers.arm(&mut self.connections, slot, Wait::Body, self.clock.milliseconds());
                }
            }
            Wait::Write => self.abort(slot, service),
            Wait::Linger => self.close(slot),
        }
    }

    fn read_mail(&mut self, service: &mut impl Service) {
        for mail in self.mailbox.take(Vec::new()) {
            self.receive(mail, service);
        }
    }

    fn receive(&mut self, mail: Mail, service: &mut impl Service) {
        match mail {
            Mail::Socket(socket, peer) => self.adopt(socket, peer, service),
            Mail::Secure(socket, peer) => {
                self.counters.connections += 1;
                service.secure(socket, Admitted::new(self.shared.clone(), self.mailbox.clone(), peer));
            }
            Mail::Spooled(spooled) => self.spooled(spooled),
            Mail::Loaded(loaded) => self.loaded(loaded, service),
            Mail::GiveUp(count) => self.give_up(count),
            Mail::Stop => self.stop(),
        }
    }

    /// Takes a connection and gives it its first turn: the request is often there already, and a client that wants only one is
    /// served without being watched.
    fn adopt(&mut self, socket: OwnedFd, peer: Peer, service: &mut impl Service) {
        self.counters.connections += 1;
        self.serial += 1;
        let Some(slot) = self.connections.insert(Client::new(socket, peer, self.serial)) else {
            self.shared.admission.leave(&peer);
            self.mailbox.remove_load();
            return;
        };
        self.turn(slot, service);
        // What came since that turn is told of at once.
        if let Some(client) = self.connections.get(slot)
            && self.poller.add(&client.socket, slot).is_err()
        {
            self.abort(slot, service);
        }
    }

    fn spooled(&mut self, spooled: Spooled) {
        let Spooled { owner, file, buffer, was_last } = spooled;
        let Some(client) = self.connections.get_mut(owner.slot).filter(|client| client.serial == owner.serial) else {
            return;
        };
        match file {
            Ok(file) => {
                client.machine.spooled(file, buffer, was_last);
                self.settle(owner.slot);
            }
            Err(_) => {
                self.counters.refusals += 1;
                client.machine.refuse(NOT_STORED, self.clock.date(), &mut self.out);
                if client.send(&mut self.out, None) { self.settle(owner.slot) } else { self.close(owner.slot) }
            }
        }
    }

    /// Closes the connections that have been idle for the longest. Not those whose first request may still be on its way.
    fn give_up(&mut self, count: usize) {
        let now = self.clock.milliseconds();
        for given in 0..count {
            let oldest = self.timers.oldest(&mut self.connections, Wait::Idle, now, MIN_IDLE);
            let Some(slot) = oldest else {
                self.mailbox.idle().give_up(count - given, Duration::from_millis(MIN_IDLE.into()));
                break;
            };
            self.close(slot);
        }
    }
}

impl AsFd for Worker {
    /// Becomes readable when there is something to do; to be nested in another poller.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.poller.as_fd()
    }
}

impl AsRawFd for Worker {
    fn as_raw_fd(&self) -> RawFd {
        self.as_fd().as_raw_fd()
    }
}
