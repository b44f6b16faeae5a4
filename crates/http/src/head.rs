//! The head of a request: where its parts are, and what it says about the message around it.
//!
//! All decisions about where a message ends stand in [`Facts`]. What two readers of one connection could understand
//! differently is refused, never repaired (RFC 9112, sections 2.2, 5 and 6).

use crate::limits::{Limits, MAX_HEADER_COUNT};
use crate::status::Status;
use memchr::{memchr, memchr_iter, memchr2};
use std::mem::MaybeUninit;

/// Why a request is not taken; the connection ends with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Refusal {
    pub(crate) status: Status,
    pub(crate) reason: &'static str,
}

impl Refusal {
    pub(crate) const fn new(status: Status, reason: &'static str) -> Self {
        Self { status, reason }
    }

    pub(crate) const fn bad(reason: &'static str) -> Self {
        Self::new(Status::BAD_REQUEST, reason)
    }
}

/// A part of a head, as positions in it.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Span {
    start: u16,
    end: u16,
}

impl Span {
    /// Where `part` lies in `whole`; None if it does not.
    fn of(whole: &[u8], part: &[u8]) -> Option<Self> {
        if part.is_empty() {
            return Some(Self::default());
        }
        let start = part.as_ptr().addr().checked_sub(whole.as_ptr().addr())?;
        let end = start + part.len();
        (end <= whole.len()).then_some(())?;
        Some(Self { start: u16::try_from(start).ok()?, end: u16::try_from(end).ok()? })
    }

    /// The part of `whole` that it names.
    pub(crate) fn of_bytes(self, whole: &[u8]) -> &[u8] {
        whole.get(usize::from(self.start)..usize::from(self.end)).unwrap_or_default()
    }

    /// As text; a head's method, target and names are checked to be text when it is read.
    pub(crate) fn of_text(self, whole: &[u8]) -> &str {
        str::from_utf8(self.of_bytes(whole)).unwrap_or_default()
    }

    pub(crate) fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// Name and value of one field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub(crate) name: Span,
    pub(crate) value: Span,
}

/// The parts of a head.
#[derive(Default, Debug)]
pub(crate) struct Head {
    pub(crate) method: Span,
    pub(crate) target: Span,
    /// Host and port of a target in absolute form.
    pub(crate) authority: Span,
    /// Empty for a target in absolute form without one.
    pub(crate) path: Span,
    pub(crate) query: Option<Span>,
    pub(crate) is_http10: bool,
    pub(crate) fields: Vec<Field>,
}

impl Head {
    /// A head of nothing.
    pub(crate) const fn empty() -> Self {
        const NOWHERE: Span = Span { start: 0, end: 0 };
        Self {
            method: NOWHERE,
            target: NOWHERE,
            authority: NOWHERE,
            path: NOWHERE,
            query: None,
            is_http10: false,
            fields: Vec::new(),
        }
    }
}

/// How much body follows a head.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BodyLength {
    Exactly(u64),
    Chunked,
}

/// What a head says about the message and the connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Framing {
    /// Bytes of the head, blank line included.
    pub(crate) head_bytes: usize,
    pub(crate) body: BodyLength,
    /// May another request follow?
    pub(crate) keep_alive: bool,
    /// Does the client wait for a word before it sends the body?
    pub(crate) expects_continue: bool,
}

/// What the bytes so far are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Parsed {
    /// The beginning of a head.
    Incomplete,
    Complete(Framing),
    Refused(Refusal),
}

/// Reads a head from the front of `bytes`. The result for a complete or refused head does not depend on how much of it was
/// there at earlier tries.
pub(crate) fn parse(bytes: &[u8], limits: &Limits, head: &mut Head) -> Parsed {
    let longest = limits.request_line_bytes.min(limits.head_window());
    let line_window = bytes.get(..longest + 2).unwrap_or(bytes);
    let first_end = memchr(b'\n', line_window);
    if first_end.is_none() && bytes.len() > longest + 1 {
        return parse_overlong_line(bytes.get(..longest).unwrap_or(bytes));
    }
    let window = bytes.get(..limits.head_window()).unwrap_or(bytes);
    let mut storage = [const { MaybeUninit::uninit() }; MAX_HEADER_COUNT];
    let slots = storage.get_mut(..limits.header_window()).unwrap_or_default();
    let mut request = httparse::Request::new(&mut []);
    match request.parse_with_uninit_headers(window, slots) {
        Ok(httparse::Status::Complete(length)) => {
            let whole = window.get(..length).unwrap_or(window);
            understand(whole, &request, head).map_or_else(Parsed::Refused, Parsed::Complete)
        }
        Ok(httparse::Status::Partial) if bytes.len() >= limits.head_window() => {
            Parsed::Refused(Refusal::new(Status::HEADER_FIELDS_TOO_LARGE, "the request head is too long"))
        }
        Ok(httparse::Status::Partial) => Parsed::Incomplete,
        Err(httparse::Error::Version) => match first_end {
            Some(end) => Parsed::Refused(refuse_version(bytes.get(..end).unwrap_or(bytes))),
            None => Parsed::Incomplete,
        },
        Err(error) => Parsed::Refused(refuse_syntax(error)),
    }
}

/// A first line that is too long is refused for that, unless it is no request at all.
#[cold]
fn parse_overlong_line(line: &[u8]) -> Parsed {
    let mut request = httparse::Request::new(&mut []);
    match request.parse_with_uninit_headers(line, &mut []) {
        Err(error) if error != httparse::Error::Version => Parsed::Refused(refuse_syntax(error)),
        Ok(_) | Err(_) => Parsed::Refused(Refusal::new(Status::URI_TOO_LONG, "the request line is too long")),
    }
}

#[cold]
fn refuse_version(line: &[u8]) -> Refusal {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let word = line.rsplit(|byte| *byte == b' ').next().unwrap_or_default();
    match word.strip_prefix(b"HTTP/") {
        // These two are spoken here: something else is wrong with the line.
        Some(b"1.0" | b"1.1") => Refusal::bad("the request line is malformed"),
        Some([major, b'.', minor]) if major.is_ascii_digit() && minor.is_ascii_digit() => {
            Refusal::new(Status::VERSION_NOT_SUPPORTED, "this server speaks HTTP/1.1 and HTTP/1.0")
        }
        _ => Refusal::bad("the request line is malformed"),
    }
}

#[cold]
fn refuse_syntax(error: httparse::Error) -> Refusal {
    match error {
        httparse::Error::TooManyHeaders => {
            Refusal::new(Status::HEADER_FIELDS_TOO_LARGE, "the request has too many header fields")
        }
        httparse::Error::HeaderName => Refusal::bad("a header name is malformed"),
        httparse::Error::HeaderValue => Refusal::bad("a header value is malformed"),
        httparse::Error::NewLine => Refusal::bad("a line end is malformed"),
        httparse::Error::Status | httparse::Error::Token | httparse::Error::Version => {
            Refusal::bad("the request line is malformed")
        }
    }
}

/// From the parts that the parser has found to positions and rules.
fn understand(whole: &[u8], request: &httparse::Request<'_, '_>, head: &mut Head) -> Result<Framing, Refusal> {
    refuse_bare_line_feeds(whole)?;
    let lost = Refusal::new(Status::HEADER_FIELDS_TOO_LARGE, "the request head is too long");
    let span = |part: &[u8]| Span::of(whole, part).ok_or(lost);
    let method = request.method.unwrap_or_default();
    head.method = span(method.as_bytes())?;
    head.is_http10 = request.version == Some(0);
    split_target(whole, method, request.path.unwrap_or_default(), head)?;

    let mut facts = Facts::default();
    head.fields.clear();
    for header in request.headers.iter() {
        head.fields.push(Field { name: span(header.name.as_bytes())?, value: span(header.value)? });
        facts.note(header.name, header.value)?;
    }
    facts.framing(whole.len(), head.is_http10)
}

/// A line ends with CR LF. The parser takes a bare LF too, other servers do not: two readers, two messages.
fn refuse_bare_line_feeds(whole: &[u8]) -> Result<(), Refusal> {
    for at in memchr_iter(b'\n', whole) {
        if at == 0 || whole.get(at - 1) != Some(&b'\r') {
            return Err(Refusal::bad("a line does not end with CR LF"));
        }
    }
    Ok(())
}

/// Finds path, query and authority in a target (RFC 9112, section 3.2).
fn split_target(whole: &[u8], method: &str, target: &str, head: &mut Head) -> Result<(), Refusal> {
    let malformed = Refusal::bad("the request target is malformed");
    let span = |part: &str| Span::of(whole, part.as_bytes()).ok_or(malformed);
    head.target = span(target)?;
    head.authority = Span::default();
    let rest = if target.starts_with('/') || (target == "*" && method == "OPTIONS") {
        target
    } else if method == "CONNECT" {
        return Err(Refusal::new(Status::NOT_IMPLEMENTED, "this server is not a proxy"));
    } else {
        let rest = strip_scheme(target).ok_or(malformed)?;
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, rest) = rest.split_at(end);
        if authority.is_empty() || !is_host(authority.as_bytes()) {
            return Err(malformed);
        }
        head.authority = span(authority)?;
        rest
    };
    match memchr2(b'?', b'#', rest.as_bytes()).map(|at| rest.split_at(at)) {
        None => {
            head.path = span(rest)?;
            head.query = None;
        }
        Some((path, query)) => {
            let query = query.strip_prefix('?').ok_or(malformed)?;
            if memchr(b'#', query.as_bytes()).is_some() {
                return Err(malformed);
            }
            head.path = span(path)?;
            head.query = Some(span(query)?);
        }
    }
    Ok(())
}

fn strip_scheme(target: &str) -> Option<&str> {
    ["http://", "https://"].iter().find_map(|scheme| {
        let (start, rest) = target.split_at_checked(scheme.len())?;
        start.eq_ignore_ascii_case(scheme).then_some(rest)
    })
}

/// Can this be `host` or `host:port`? Empty is possible: a client may have no name for the server.
fn is_host(value: &[u8]) -> bool {
    value.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-._~%!$&'()*+;=[]:".contains(byte))
}

/// What the fields of a head say about its message, gathered in one pass.
#[derive(Default)]
struct Facts {
    hosts: usize,
    length: Option<u64>,
    is_chunked: bool,
    says_close: bool,
    says_keep_alive: bool,
    expects_continue: bool,
    expects_other: bool,
}

impl Facts {
    fn note(&mut self, name: &str, value: &[u8]) -> Result<(), Refusal> {
        match name.len() {
            4 if name.eq_ignore_ascii_case("host") => {
                self.hosts += 1;
                if !is_host(value) {
                    return Err(Refusal::bad("the Host header is malformed"));
                }
            }
            6 if name.eq_ignore_ascii_case("expect") => {
                let is_continue = value.eq_ignore_ascii_case(b"100-continue");
                self.expects_continue |= is_continue;
                self.expects_other |= !is_continue;
            }
            10 if name.eq_ignore_ascii_case("connection") => {
                for word in value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
                    self.says_close |= word.eq_ignore_ascii_case(b"close");
                    self.says_keep_alive |= word.eq_ignore_ascii_case(b"keep-alive");
                }
            }
            14 if name.eq_ignore_ascii_case("content-length") => {
                if self.length.is_some() {
                    return Err(Refusal::bad("Content-Length stands twice"));
                }
                self.length = Some(parse_length(value)?);
            }
            17 if name.eq_ignore_ascii_case("transfer-encoding") => {
                if self.is_chunked || !value.eq_ignore_ascii_case(b"chunked") {
                    return Err(Refusal::bad("Transfer-Encoding can only be chunked, once"));
                }
                self.is_chunked = true;
            }
            _ => {}
        }
        Ok(())
    }

    fn framing(&self, head_bytes: usize, is_http10: bool) -> Result<Framing, Refusal> {
        if self.hosts > 1 || (self.hosts == 0 && !is_http10) {
            return Err(Refusal::bad("there must be one Host header"));
        }
        let body = match (self.length, self.is_chunked) {
            (Some(_), true) => return Err(Refusal::bad("Content-Length and Transfer-Encoding contradict each other")),
            (None, true) if is_http10 => return Err(Refusal::bad("HTTP/1.0 has no Transfer-Encoding")),
            (None, true) => BodyLength::Chunked,
            (length, false) => BodyLength::Exactly(length.unwrap_or(0)),
        };
        if self.expects_other && !is_http10 {
            return Err(Refusal::new(Status::EXPECTATION_FAILED, "the only expectation met here is 100-continue"));
        }
        Ok(Framing {
            head_bytes,
            body,
            keep_alive: !self.says_close && (!is_http10 || self.says_keep_alive),
            expects_continue: self.expects_continue && !is_http10 && body != BodyLength::Exactly(0),
        })
    }
}

/// Digits and nothing else. A number beyond 64 bits is a length beyond every limit.
fn parse_length(value: &[u8]) -> Result<u64, Refusal> {
    if value.is_empty() || !value.iter().all(u8::is_ascii_digit) {
        return Err(Refusal::bad("Content-Length is malformed"));
    }
    let add = |sum: u64, digit: &u8| sum.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
    Ok(value.iter().fold(0, add))
}

#[cfg(test)]
mod tests;
