//! One connection as a state machine: bytes go in, requests come out; a response goes in, bytes come out.
//!
//! No socket, no clock: the same bytes give the same requests however they were cut. One request is out at a time, and what
//! follows it waits inside, in order. Without a request in progress it owns no memory but itself.

use crate::admission::Peer;
use crate::body::{Decoder, TOO_LARGE};
use crate::clock::Date;
use crate::encode::{self, Exchange, Framing, LAST_CHUNK};
use crate::field::Fields;
use crate::head::{self, BodyLength, Parsed, Refusal};
use crate::limits::Limits;
use crate::request::Request;
use crate::response::{Payload, Response};
use crate::status::Status;
use std::fs::File;

/// Bytes of line ends that are let pass in front of a request: some clients send one after a body.
const MAX_BLANK: u8 = 16;

/// A body up to this size is copied behind its head; a larger one is written from where it is.
const SMALL_BODY: usize = 8 * 1024;

/// What has come out of the bytes.
#[derive(Debug)]
pub(crate) enum Event {
    /// A complete request, to be answered before the next one comes out.
    Request(Request),
    /// The client waits to be told to send the body: [`encode::CONTINUE`].
    Continue,
    /// No request that can be taken: [`Connection::refuse`] is next.
    Refuse(Refusal),
    /// A part of a large body, for the file; [`Connection::spooled`] is next.
    Spool(Part),
}

/// A part of a body on its way to a temporary file.
#[derive(Debug)]
pub(crate) struct Part {
    /// None for the first one: the file is to be made.
    pub(crate) file: Option<File>,
    pub(crate) bytes: Vec<u8>,
    pub(crate) is_last: bool,
}

/// Where a connection stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    /// Between requests.
    Idle,
    /// Part of a head has arrived.
    Head,
    /// Part of a body is missing.
    Body,
    /// A part of the body is on its way to the file.
    Spooling,
    /// All of the body is in the file.
    Spooled,
    /// A request is out and not yet answered.
    Busy,
    /// The head of its response has been given, not yet all of the body.
    Streaming(Stream),
    /// Nothing more is read.
    Closing,
}

/// How the body of a streamed response is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stream {
    /// So many bytes are missing.
    Counted(u64),
    Chunked,
    /// To the end of the connection.
    Raw,
    /// Not at all: the request or the status allows none.
    Discarded,
}

/// A streamed body that does not fit its announced length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct WrongLength;

/// What a request in progress needs.
#[derive(Default)]
struct Work {
    /// Bytes that have arrived and are not yet used, from `start`.
    kept: Vec<u8>,
    start: usize,
    /// How much of the current head was there when it was last tried.
    tried: usize,
    /// How much of it was searched for line ends.
    searched: usize,
    incoming: Option<Incoming>,
}

/// A request whose body is arriving.
struct Incoming {
    request: Request,
    decoder: Decoder,
    body: Vec<u8>,
    file: Option<File>,
    filed: u64,
    /// How much had arrived when the speed was last measured.
    measured: u64,
}

/// The state of one connection.
pub(crate) struct Connection {
    phase: Phase,
    exchange: Exchange,
    is_clients_last: bool,
    /// Bytes of line ends since the last request.
    blank: u8,
    /// Is it known that the kept bytes alone lead to nothing?
    is_hungry: bool,
    work: Option<Box<Work>>,
}

impl Connection {
    pub(crate) fn new() -> Self {
        Self {
            phase: Phase::Idle,
            exchange: Exchange::default(),
            is_clients_last: false,
            blank: 0,
            is_hungry: true,
            work: None,
        }
    }

    pub(crate) fn phase(&self) -> Phase {
        self.phase
    }

    /// Is a request out whose response is not complete?
    pub(crate) fn is_busy(&self) -> bool {
        matches!(self.phase, Phase::Busy | Phase::Streaming(_))
    }

    /// Would more bytes lead on?
    pub(crate) fn wants_input(&self) -> bool {
        matches!(self.phase, Phase::Idle | Phase::Head | Phase::Body)
    }

    /// Can [`Connection::advance`] lead on without more bytes?
    pub(crate) fn has_more(&self) -> bool {
        match self.phase {
            Phase::Idle | Phase::Head | Phase::Body => !self.is_hungry && self.has_kept(),
            Phase::Spooled => true,
            Phase::Spooling | Phase::Busy | Phase::Streaming(_) | Phase::Closing => false,
        }
    }

    pub(crate) fn has_kept(&self) -> bool {
        self.work.as_ref().is_some_and(|work| work.start < work.kept.len())
    }

    /// Has the client said that this is its last request, so that it sends nothing more?
    pub(crate) fn is_clients_last(&self) -> bool {
        self.is_clients_last
    }

    /// Bytes of the body that have arrived since this was last asked: a measure of speed.
    pub(crate) fn body_progress(&mut self) -> u64 {
        let Some(incoming) = self.work.as_mut().and_then(|work| work.incoming.as_mut()) else { return 0 };
        let arrived = incoming.filed + incoming.body.len() as u64;
        arrived - std::mem::replace(&mut incoming.measured, arrived)
    }

    /// Goes on with the kept bytes and those at the front of `fresh`, to the next event; what it leaves in `fresh` is for the
    /// next call or for [`Connection::keep`]. None: all of it has been taken, and only more bytes lead on.
    pub(crate) fn advance(&mut self, fresh: &mut &[u8], peer: &Peer, limits: &Limits) -> Option<Event> {
        if self.phase == Phase::Spooled {
            return self.complete();
        }
        let event = if self.has_kept() {
            self.keep(fresh);
            *fresh = &[];
            let (kept, start) = self.work.as_mut().map(|work| (std::mem::take(&mut work.kept), work.start))?;
            let (used, event) = self.step(kept.get(start..).unwrap_or_default(), peer, limits);
            self.restore(kept, start + used);
            event
        } else {
            let (used, event) = self.step(fresh, peer, limits);
            *fresh = fresh.get(used..).unwrap_or_default();
            if event.is_none() {
                self.keep(fresh);
                *fresh = &[];
            }
            event
        };
        self.is_hungry = event.is_none();
        event
    }

    /// Keeps bytes for later.
    pub(crate) fn keep(&mut self, fresh: &[u8]) {
        if fresh.is_empty() || self.phase == Phase::Closing {
            return;
        }
        let work = self.work.get_or_insert_default();
        if work.start > 0 {
            work.kept.drain(..work.start.min(work.kept.len()));
            work.start = 0;
        }
        work.kept.extend_from_slice(fresh);
    }

    /// Puts kept bytes back of which those before `start` are used.
    fn restore(&mut self, kept: Vec<u8>, start: usize) {
        if start < kept.len() {
            let work = self.work.get_or_insert_default();
            (work.kept, work.start) = (kept, start);
        } else if let Some(work) = &mut self.work {
            work.start = 0;
            self.work.take_if(|work| work.incoming.is_none());
        }
    }

    /// Goes on from `source` alone: number of bytes used, and what came of them.
    fn step(&mut self, source: &[u8], peer: &Peer, limits: &Limits) -> (usize, Option<Event>) {
        match self.phase {
            Phase::Idle | Phase::Head => self.step_head(source, peer, limits),
            Phase::Body => self.step_body(source, limits),
            Phase::Spooling | Phase::Spooled | Phase::Busy | Phase::Streaming(_) | Phase::Closing => (0, None),
        }
    }

    fn step_head(&mut self, source: &[u8], peer: &Peer, limits: &Limits) -> (usize, Option<Event>) {
        let blank = source.chunks_exact(2).take_while(|pair| *pair == b"\r\n").count() * 2;
        self.blank = self.blank.saturating_add(u8::try_from(blank).unwrap_or(u8::MAX));
        if self.blank > MAX_BLANK {
            return (blank, Some(Event::Refuse(Refusal::bad("there are only blank lines"))));
        }
        let source = source.get(blank..).unwrap_or_default();
        if source.is_empty() {
            self.phase = Phase::Idle;
            return (blank, None);
        }
        if source == b"\r" || !self.is_worth_parsing(source, limits) {
            self.phase = Phase::Head;
            return (blank, None);
        }
        if source.first() == Some(&b'\r') || source.first() == Some(&b'\n') {
            return (blank, Some(Event::Refuse(Refusal::bad("a line does not end with CR LF"))));
        }
        let mut request = Request::lend();
        match head::parse(source, limits, request.head_mut()) {
            Parsed::Incomplete => {
                self.phase = Phase::Head;
                let work = self.work.get_or_insert_default();
                (work.tried, work.searched) = (source.len(), source.len());
                (blank, None)
            }
            Parsed::Refused(refusal) => (blank, Some(Event::Refuse(refusal))),
            Parsed::Complete(framing) => {
                self.blank = 0;
                let (used, event) = self.begin(request, source, framing, peer, limits);
                (blank + used, event)
            }
        }
    }

    /// Trying at each byte of a slow head would cost the square of its length. A try is worth it when a line has ended, when a
    /// limit is passed, and when the head has doubled.
    fn is_worth_parsing(&mut self, source: &[u8], limits: &Limits) -> bool {
        let Some(work) = self.work.as_mut().filter(|work| work.tried > 0) else { return true };
        let fresh = source.get(work.searched..).unwrap_or_default();
        work.searched = source.len();
        let crosses = |limit: usize| work.tried < limit && source.len() >= limit;
        memchr::memchr(b'\n', fresh).is_some()
            || source.len() >= 2 * work.tried
            || crosses(limits.request_line_bytes + 2)
            || crosses(limits.head_window())
    }

    /// A head is complete: `source` begins with it.
    fn begin(
        &mut self,
        mut request: Request,
        source: &[u8],
        framing: head::Framing,
        peer: &Peer,
        limits: &Limits,
    ) -> (usize, Option<Event>) {
        let head_bytes = framing.head_bytes;
        if let Some(work) = &mut self.work {
            (work.tried, work.searched) = (0, 0);
        }
        let arrived = source.len() - head_bytes;
        let inline = match framing.body {
            BodyLength::Exactly(length) if length > limits.body_bytes => {
                return (head_bytes, Some(Event::Refuse(TOO_LARGE)));
            }
            BodyLength::Exactly(length) if !framing.expects_continue => usize::try_from(length).ok(),
            BodyLength::Exactly(_) | BodyLength::Chunked => None,
        };
        let inline = inline.filter(|length| *length <= arrived && *length <= limits.body_memory_bytes);
        let used = head_bytes + inline.unwrap_or(0);
        request.fill(source.get(..used).unwrap_or(source), head_bytes, peer.address());
        self.exchange = Exchange {
            is_http10: request.is_http10(),
            is_head: request.method() == "HEAD",
            keep_alive: framing.keep_alive,
        };
        self.is_clients_last = !framing.keep_alive;
        if inline.is_some() {
            self.phase = Phase::Busy;
            return (used, Some(Event::Request(request)));
        }
        self.phase = Phase::Body;
        let decoder = Decoder::new(framing.body);
        self.work.get_or_insert_default().incoming =
            Some(Incoming { request, decoder, body: Vec::new(), file: None, filed: 0, measured: 0 });
        if framing.expects_continue {
            return (head_bytes, Some(Event::Continue));
        }
        let (more, event) = self.step_body(source.get(head_bytes..).unwrap_or_default(), limits);
        (head_bytes + more, event)
    }

    fn step_body(&mut self, source: &[u8], limits: &Limits) -> (usize, Option<Event>) {
        let Some(incoming) = self.work.as_mut().and_then(|work| work.incoming.as_mut()) else {
            return (0, Some(Event::Refuse(Refusal::bad("the request body is lost"))));
        };
        let room = limits.body_memory_bytes.max(1).saturating_sub(incoming.body.len());
        let progress = match incoming.decoder.decode(source, &mut incoming.body, room, limits) {
            Ok(progress) => progress,
            Err(refusal) => return (0, Some(Event::Refuse(refusal))),
        };
        let is_full = incoming.body.len() >= limits.body_memory_bytes.max(1);
        let event = if progress.is_done && incoming.file.is_none() && incoming.filed == 0 {
            self.complete()
        } else if progress.is_done || is_full {
            self.phase = Phase::Spooling;
            let bytes = std::mem::take(&mut incoming.body);
            incoming.filed += bytes.len() as u64;
            Some(Event::Spool(Part { file: incoming.file.take(), bytes, is_last: progress.is_done }))
        } else {
            None
        };
        (progress.used, event)
    }

    /// The last part of a body is there.
    fn complete(&mut self) -> Option<Event> {
        let work = self.work.as_mut()?;
        let mut incoming = work.incoming.take()?;
        match incoming.file {
            Some(file) => incoming.request.set_file(file, incoming.filed),
            None => incoming.request.set_body(incoming.body),
        }
        if work.start >= work.kept.len() {
            self.work = None;
        }
        self.phase = Phase::Busy;
        self.is_hungry = false;
        Some(Event::Request(incoming.request))
    }

    /// The part has been written to `file`; its buffer comes back.
    pub(crate) fn spooled(&mut self, file: File, mut buffer: Vec<u8>, was_last: bool) {
        if self.phase != Phase::Spooling {
            return;
        }
        buffer.clear();
        if let Some(incoming) = self.work.as_mut().and_then(|work| work.incoming.as_mut()) {
            incoming.file = Some(file);
            incoming.body = buffer;
        }
        self.phase = if was_last { Phase::Spooled } else { Phase::Body };
        self.is_hungry = false;
    }

    /// Answers instead of a request, with the reason as text, and ends.
    pub(crate) fn refuse(&mut self, refusal: Refusal, date: &Date, out: &mut Vec<u8>) {
        self.exchange = Exchange::default();
        self.is_clients_last = false;
        self.end();
        let Refusal { status, reason } = refusal;
        let text = format!("{} {}: {reason}\n", status.code(), status.reason());
        let mut fields = Fields::new();
        // A constant name and value; without them the text would still be right.
        let _ = fields.add("Content-Type", b"text/plain; charset=utf-8");
        encode::head(out, status, &fields, Framing::Length(text.len() as u64), self.exchange, date);
        out.extend_from_slice(text.as_bytes());
    }

    /// Answers the request that is out. A large body is given back, to be written after `out`.
    pub(crate) fn respond(&mut self, response: Response, date: &Date, out: &mut Vec<u8>) -> Option<Payload> {
        let Response { status, fields, body, close } = response;
        self.exchange.keep_alive &= !close;
        encode::head(out, status, &fields, Framing::Length(body.length()), self.exchange, date);
        let is_sent = !self.exchange.is_head && !status.is_bodyless();
        let is_small = body.bytes().len() <= SMALL_BODY && !matches!(body, Payload::File(_));
        if is_sent && is_small {
            out.extend_from_slice(body.bytes());
        }
        self.answered();
        (is_sent && !is_small).then_some(body)
    }

    /// Writes the head of a response whose body follows in pieces.
    pub(crate) fn begin_stream(
        &mut self,
        status: Status,
        fields: &Fields,
        length: Option<u64>,
        date: &Date,
        out: &mut Vec<u8>,
    ) {
        let (framing, stream) = match length {
            Some(bytes) => (Framing::Length(bytes), Stream::Counted(bytes)),
            None if self.exchange.is_http10 => (Framing::UntilClose, Stream::Raw),
            None => (Framing::Chunked, Stream::Chunked),
        };
        let has_body = !self.exchange.is_head && !status.is_bodyless();
        if has_body && framing == Framing::UntilClose {
            self.exchange.keep_alive = false;
        }
        encode::head(out, status, fields, framing, self.exchange, date);
        self.phase = Phase::Streaming(if has_body { stream } else { Stream::Discarded });
    }

    /// Writes a piece of a streamed body.
    pub(crate) fn stream(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), WrongLength> {
        let Phase::Streaming(stream) = &mut self.phase else { return Err(WrongLength) };
        match stream {
            Stream::Counted(left) => {
                *left = left.checked_sub(bytes.len() as u64).ok_or(WrongLength)?;
                out.extend_from_slice(bytes);
            }
            Stream::Chunked => encode::chunk(out, bytes),
            Stream::Raw => out.extend_from_slice(bytes),
            Stream::Discarded => {}
        }
        Ok(())
    }

    /// Ends a streamed body. One that is too short can only be told by ending the connection.
    pub(crate) fn finish_stream(&mut self, out: &mut Vec<u8>) -> Result<(), WrongLength> {
        match self.phase {
            Phase::Streaming(Stream::Counted(left)) if left > 0 => return Err(WrongLength),
            Phase::Streaming(Stream::Chunked) => out.extend_from_slice(LAST_CHUNK),
            Phase::Streaming(_) => {}
            _ => return Err(WrongLength),
        }
        self.answered();
        Ok(())
    }

    fn answered(&mut self) {
        if self.exchange.keep_alive {
            self.phase = Phase::Idle;
            self.is_hungry = false;
        } else {
            self.end();
        }
    }

    /// Nothing more is read.
    pub(crate) fn end(&mut self) {
        self.phase = Phase::Closing;
        self.work = None;
    }

    /// The response of the current request is its last.
    pub(crate) fn forbid_keep_alive(&mut self) {
        self.exchange.keep_alive = false;
    }
}

#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod replay;
#[cfg(test)]
mod tests;
