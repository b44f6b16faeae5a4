//! A connection's turn: what it may do in one round.
//!
//! At most one read, and one request unless several are there and the turn is still short; then the others have their turn.
//! The responses of a turn are written at once.

use super::client::Client;
use super::{Counters, Worker};
use crate::clock::Date;
use crate::connection::{Event, Phase};
use crate::encode::CONTINUE;
use crate::head::Refusal;
use crate::mailbox::Mailbox;
use crate::request::Request;
use crate::response::Payload;
use crate::service::{Answer, RequestId, Service};
use crate::shared::Shared;
use crate::spool::{Job, Owner, Work};
use crate::status::Status;
use crate::sys::{self, Read};
use crate::timers::Wait;
use std::sync::Arc;
use std::time::Instant;

const NO_SPOOL: Refusal = Refusal::new(Status::SERVICE_UNAVAILABLE, "the request body cannot be stored now");

/// What a turn has brought so far.
struct Turn<'a, S> {
    slot: u32,
    service: &'a mut S,
    worker: Parts<'a>,
    /// A large body, to be written after the responses.
    body: Option<Payload>,
    answered: usize,
    /// When it began, if several requests were there.
    began: Option<Instant>,
}

/// What a turn needs of its worker, besides the connection.
struct Parts<'a> {
    out: &'a mut Vec<u8>,
    date: &'a Date,
    shared: &'a Shared,
    mailbox: &'a Arc<Mailbox>,
    counters: &'a mut Counters,
    serial: &'a mut u64,
    is_stopping: bool,
}

impl<S: Service> Turn<'_, S> {
    /// Serves the requests in the kept bytes and in `fresh`. True: more bytes would lead on.
    fn serve(&mut self, client: &mut Client, mut fresh: &[u8]) -> bool {
        let limits = &self.worker.shared.limits;
        while let Some(event) = client.machine.advance(&mut fresh, &client.peer, limits) {
            let goes_on = match event {
                Event::Request(request) => {
                    let has_more = !fresh.is_empty() || client.machine.has_kept();
                    self.answer(client, request, has_more)
                }
                Event::Continue => {
                    self.worker.out.extend_from_slice(CONTINUE);
                    true
                }
                Event::Refuse(refusal) => {
                    self.refuse(client, refusal);
                    false
                }
                Event::Spool(part) => {
                    let owner = Owner { slot: self.slot, serial: client.serial };
                    let job = Job { owner, work: Work::Write(part), reply_to: self.worker.mailbox.clone() };
                    if !self.worker.shared.spool.submit(job) {
                        self.refuse(client, NO_SPOOL);
                    }
                    false
                }
            };
            if !goes_on {
                client.machine.keep(fresh);
                return false;
            }
        }
        client.machine.wants_input()
    }

    /// Has a request answered. True: the turn goes on.
    fn answer(&mut self, client: &mut Client, request: Request, has_more: bool) -> bool {
        let worker = &mut self.worker;
        *worker.serial += 1;
        client.serial = *worker.serial;
        worker.counters.requests += 1;
        if worker.is_stopping {
            client.machine.forbid_keep_alive();
        }
        if has_more && self.began.is_none() {
            self.began = Some(Instant::now());
        }
        let id = RequestId { slot: self.slot, serial: client.serial };
        match self.service.request(id, request) {
            Answer::Respond(response) => self.body = client.machine.respond(response, worker.date, worker.out),
            Answer::Pending => {
                if client.is_ended {
                    self.service.half_closed(id);
                }
                return false;
            }
        }
        self.answered += 1;
        let limits = &worker.shared.limits;
        let is_over = self.began.is_some_and(|began| began.elapsed() >= limits.turn_time);
        self.body.is_none() && self.answered < limits.turn_requests && !is_over
    }

    fn refuse(&mut self, client: &mut Client, refusal: Refusal) {
        self.worker.counters.refusals += 1;
        client.machine.refuse(refusal, self.worker.date, self.worker.out);
    }
}

impl Worker {
    pub(super) fn turn(&mut self, slot: u32, service: &mut impl Service) {
        let Self { connections, input, out, clock, shared, counters, serial, mailbox, is_stopping, .. } = self;
        let Some(client) = connections.get_mut(slot) else { return };
        if client.is_draining {
            self.discard(slot);
            return;
        }
        if client.output.is_some() {
            self.flush(slot, service);
            return;
        }
        let worker = Parts { out, date: clock.date(), shared, mailbox, counters, serial, is_stopping: *is_stopping };
        let mut turn = Turn { slot, service, worker, body: None, answered: 0, began: None };
        let is_hungry = if client.machine.has_more() { turn.serve(client, &[]) } else { client.machine.wants_input() };
        let mut has_failed = false;
        if is_hungry && client.is_readable {
            match sys::read(&client.socket, input) {
                Read::Bytes(bytes) => {
                    // A short read has emptied the socket. Behind it can only be the end, if it was told of.
                    client.is_readable = bytes == input.len() || client.is_ended;
                    turn.serve(client, input.get(..bytes).unwrap_or_default());
                }
                Read::Later => client.is_readable = false,
                Read::End => {
                    client.is_readable = false;
                    client.is_read_out = true;
                    client.machine.end();
                }
                Read::Failed => has_failed = true,
            }
        }
        let Turn { body, answered, .. } = turn;
        if has_failed || !client.send(out, body) {
            out.clear();
            self.abort(slot, service);
            return;
        }
        if answered > 0 && !matches!(client.links.wait(), None | Some(Wait::Idle)) {
            // The times of the next request begin with it.
            self.timers.disarm(&mut self.connections, slot);
        }
        self.settle(slot);
    }

    /// After anything has happened to a connection: what it waits for now.
    pub(super) fn settle(&mut self, slot: u32) {
        self.feed(slot);
        let Some(client) = self.connections.get_mut(slot) else { return };
        let waits_for = client.links.wait();
        let wanted = match client.machine.phase() {
            _ if client.is_draining => Some(Wait::Linger),
            _ if client.output.is_some() => Some(Wait::Write),
            Phase::Closing => {
                self.close_politely(slot);
                return;
            }
            Phase::Idle => Some(Wait::Idle),
            Phase::Head => Some(Wait::Head),
            Phase::Body => Some(Wait::Body),
            // The disk is not the client's fault, but parts that come too slowly are.
            Phase::Spooling | Phase::Spooled => waits_for,
            Phase::Busy | Phase::Streaming(_) => None,
        };
        let goes_on = client.output.is_none()
            && (client.machine.has_more()
                || (client.is_readable && (client.machine.wants_input() || client.is_draining)));
        if goes_on && !client.is_queued {
            client.is_queued = true;
            self.queue.push(slot);
        }
        match wanted {
            Some(wait) if wait == Wait::Idle || waits_for != Some(wait) => {
                let now = self.clock.milliseconds();
                self.timers.arm(&mut self.connections, slot, wait, now);
            }
            Some(_) => {}
            None => self.timers.disarm(&mut self.connections, slot),
        }
    }

    /// Reads and drops what a client sends after its last response.
    fn discard(&mut self, slot: u32) {
        let Some(client) = self.connections.get_mut(slot) else { return };
        match sys::read(&client.socket, &mut self.input) {
            Read::Bytes(bytes) => {
                client.is_readable = bytes == self.input.len() || client.is_ended;
                self.settle(slot);
            }
            Read::Later => client.is_readable = false,
            Read::End | Read::Failed => self.close(slot),
        }
    }

    /// Ends a connection so that the client can read its last response: a close with bytes unread would reset it.
    fn close_politely(&mut self, slot: u32) {
        let Some(client) = self.connections.get_mut(slot) else { return };
        if client.is_read_out || (client.machine.is_clients_last() && !client.is_readable) {
            self.close(slot);
            return;
        }
        sys::end_writing(&client.socket);
        client.is_draining = true;
        self.settle(slot);
    }

    /// Ends a connection whose client has gone.
    pub(super) fn abort(&mut self, slot: u32, service: &mut impl Service) {
        let Some(client) = self.connections.get_mut(slot) else { return };
        if client.machine.is_busy() {
            let id = RequestId { slot, serial: client.serial };
            self.close(slot);
            service.cancelled(id);
        } else {
            self.close(slot);
        }
    }

    pub(super) fn close(&mut self, slot: u32) {
        self.timers.disarm(&mut self.connections, slot);
        if let Some(client) = self.connections.remove(slot) {
            self.shared.admission.leave(&client.peer);
            self.mailbox.remove_load();
        }
    }

    /// Answers in place of a request and ends the connection.
    pub(super) fn refuse(&mut self, slot: u32, refusal: Refusal, service: &mut impl Service) {
        let Some(client) = self.connections.get_mut(slot) else { return };
        self.counters.refusals += 1;
        client.machine.refuse(refusal, self.clock.date(), &mut self.out);
        if client.send(&mut self.out, None) {
            self.settle(slot);
        } else {
            self.abort(slot, service);
        }
    }
}
