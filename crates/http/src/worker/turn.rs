//! A connection's turn: what it may do in one round.
//!
//! At most one read, and one request unless several are there and the turn is still short; then the others have their turn.
//! The responses of a turn are written at once.

use super::Worker;
use crate::connection::{Event, Phase};
use crate::encode::CONTINUE;
use crate::head::Refusal;
use crate::service::{Answer, RequestId, Service};
use crate::spool::{Job, Owner};
use crate::status::Status;
use crate::sys::{self, Read};
use crate::timers::Wait;
use std::time::Instant;

const NO_SPOOL: Refusal = Refusal::new(Status::SERVICE_UNAVAILABLE, "the request body cannot be stored now");

impl Worker {
    pub(super) fn turn(&mut self, slot: u32, service: &mut impl Service) {
        let Self { connections, input, out, clock, shared, counters, serial, mailbox, is_stopping, .. } = self;
        let limits = &shared.limits;
        let Some(client) = connections.get_mut(slot) else { return };
        if client.is_draining {
            self.discard(slot);
            return;
        }
        if client.output.is_some() {
            return;
        }
        let mut fresh: &[u8] = &[];
        let mut body = None;
        let mut has_read = false;
        let mut has_failed = false;
        let mut answered = 0;
        let mut began = None;
        loop {
            match client.machine.advance(&mut fresh, &client.peer, limits) {
                Some(Event::Request(request)) => {
                    *serial += 1;
                    client.serial = *serial;
                    counters.requests += 1;
                    if *is_stopping {
                        client.machine.forbid_keep_alive();
                    }
                    let has_more = !fresh.is_empty() || client.machine.has_kept();
                    if has_more && began.is_none() {
                        began = Some(Instant::now());
                    }
                    match service.request(RequestId { slot, serial: *serial }, request) {
                        Answer::Respond(response) => body = client.machine.respond(response, clock.date(), out),
                        Answer::Pending => break,
                    }
                    answered += 1;
                    let is_over = began.is_some_and(|began: Instant| began.elapsed() >= limits.turn_time);
                    if body.is_some() || answered >= limits.turn_requests || is_over {
                        break;
                    }
                }
                Some(Event::Continue) => out.extend_from_slice(CONTINUE),
                Some(Event::Refuse(refusal)) => {
                    counters.refusals += 1;
                    client.machine.refuse(refusal, clock.date(), out);
                    break;
                }
                Some(Event::Spool(part)) => {
                    let owner = Owner { slot, serial: client.serial };
                    if !shared.spool.submit(Job { owner, part, reply_to: mailbox.clone() }) {
                        counters.refusals += 1;
                        client.machine.refuse(NO_SPOOL, clock.date(), out);
                    }
                    break;
                }
                None if has_read || !client.is_readable || !client.machine.wants_input() => break,
                None => {
                    has_read = true;
                    match sys::read(&client.socket, input) {
                        Read::Bytes(bytes) => {
                            fresh = input.get(..bytes).unwrap_or_default();
                            // A short read has emptied the socket. Behind it can only be the end, if it was told of.
                            client.is_readable = bytes == input.len() || client.is_ended;
                        }
                        Read::Later => client.is_readable = false,
                        Read::End => {
                            client.is_readable = false;
                            client.is_read_out = true;
                            client.machine.end();
                            break;
                        }
                        Read::Failed => {
                            has_failed = true;
                            break;
                        }
                    }
                }
            }
        }
        client.machine.keep(fresh);
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
            && (client.machine.has_more() || (client.is_readable && (client.machine.wants_input() || client.is_draining)));
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
