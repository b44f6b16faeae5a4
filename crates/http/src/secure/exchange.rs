//! A request inside of TLS, from its head to its response.

use super::activity::{Activity, Busy, Flow};
use super::incoming::{self, Received};
use super::outgoing::{self, Form, Outgoing};
use crate::field::Fields;
use crate::head::{self, BodyLength, Parsed, Refusal};
use crate::request::Request;
use crate::response::Response;
use crate::status::Status;
use hyper::body::{Body, Incoming};
use hyper::header::{CONTENT_LENGTH, COOKIE, HOST, TRANSFER_ENCODING};
use hyper::http::request::Parts;
use hyper::{Method, Version};
use std::net::SocketAddr;
use std::rc::Rc;

/// Answers the requests of connections inside of TLS, on their thread. A function from request to future is one.
pub trait Dispatch: 'static {
    /// A request has arrived. When its client goes, or takes the request back, the future is dropped.
    fn answer(&self, request: Request) -> impl Future<Output = Response>;

    /// A request was refused before it got here.
    fn refused(&self, peer: SocketAddr, status: Status, reason: &'static str) {
        let _ = (peer, status, reason);
    }
}

impl<D, F> Dispatch for D
where
    D: Fn(Request) -> F + 'static,
    F: Future<Output = Response>,
{
    fn answer(&self, request: Request) -> impl Future<Output = Response> {
        self(request)
    }
}

impl<D: Dispatch> Dispatch for Rc<D> {
    fn answer(&self, request: Request) -> impl Future<Output = Response> {
        (**self).answer(request)
    }

    fn refused(&self, peer: SocketAddr, status: Status, reason: &'static str) {
        (**self).refused(peer, status, reason);
    }
}

/// What the requests of one connection have in common.
pub(super) struct Exchange<D> {
    pub(super) dispatch: D,
    pub(super) activity: Rc<Activity>,
    pub(super) peer: SocketAddr,
}

impl<D: Dispatch> Exchange<D> {
    /// Reads the body and has the request answered.
    pub(super) async fn run(
        &self,
        request: hyper::Request<Incoming>,
        flow: Rc<Flow>,
        mut busy: Busy,
    ) -> hyper::Response<Outgoing> {
        let form = Form { is_head: request.method() == Method::HEAD, version: request.version() };
        let response = match self.receive(request).await {
            Ok(request) => self.dispatch.answer(request).await,
            // Only HTTP/1.1 needs the rest of a request to find the next one.
            Err(refusal) => Response { close: form.version < Version::HTTP_2, ..self.refuse(refusal) },
        };
        if response.close {
            self.activity.want_end();
        }
        busy.answered();
        outgoing::encode(response, form, flow, busy)
    }

    async fn receive(&self, request: hyper::Request<Incoming>) -> Result<Request, Refusal> {
        let (parts, body) = request.into_parts();
        let shared = self.activity.shared();
        let text = head_text(&parts)?;
        let mut request = Request::lend();
        let framing = match head::parse(&text, &shared.limits, request.head_mut()) {
            Parsed::Complete(framing) if framing.head_bytes == text.len() => framing,
            Parsed::Refused(refusal) => return Err(refusal),
            Parsed::Complete(_) | Parsed::Incomplete => return Err(Refusal::bad("the request head is malformed")),
        };
        request.fill(&text, text.len(), self.peer);
        drop((parts, text));
        if matches!(framing.body, BodyLength::Exactly(length) if length > shared.limits.body_bytes) {
            return Err(crate::body::TOO_LARGE);
        }
        if !body.is_end_stream() {
            match incoming::receive(body, shared).await? {
                Received::Memory(bytes) => request.set_body(bytes),
                Received::File(file, bytes) => request.set_file(file, bytes),
            }
        }
        Ok(request)
    }

    /// The reason as text. What is still to come of the request is not read.
    fn refuse(&self, refusal: Refusal) -> Response {
        let Refusal { status, reason } = refusal;
        self.dispatch.refused(self.peer, status, reason);
        let mut fields = Fields::new();
        // A constant name and value; without them the text would still be right.
        let _ = fields.add("Content-Type", b"text/plain; charset=utf-8");
        let body = format!("{} {}: {reason}\n", status.code(), status.reason());
        Response { fields, ..Response::new(status, body) }
    }
}

/// A head in the form of HTTP/1.1, whatever it came in: so one parser has the rules for all of them.
fn head_text(parts: &Parts) -> Result<Vec<u8>, Refusal> {
    let Parts { method, uri, version, headers, .. } = parts;
    let is_http2 = *version == Version::HTTP_2;
    let mut text = Vec::with_capacity(512);
    text.extend_from_slice(method.as_str().as_bytes());
    text.push(b' ');
    match uri.path_and_query() {
        Some(path) if is_http2 && *method != Method::CONNECT => text.extend_from_slice(path.as_str().as_bytes()),
        _ => text.extend_from_slice(uri.to_string().as_bytes()),
    }
    text.extend_from_slice(if *version == Version::HTTP_10 { b" HTTP/1.0\r\n" } else { b" HTTP/1.1\r\n" });
    let mut line = |name: &[u8], value: &[u8]| {
        text.extend_from_slice(name);
        text.extend_from_slice(b": ");
        text.extend_from_slice(value);
        text.extend_from_slice(b"\r\n");
    };
    if is_http2 {
        // The name of the server stands before the fields (RFC 9113, section 8.3.1).
        if let Some(authority) = uri.authority() {
            let authority = authority.as_str().as_bytes();
            if headers.get_all(HOST).iter().any(|host| !host.as_bytes().eq_ignore_ascii_case(authority)) {
                return Err(Refusal::bad("the Host header and the authority of the request contradict each other"));
            }
            line(b"host", authority);
        }
        // Length and end of a message are a matter of frames.
        if headers.contains_key(TRANSFER_ENCODING) {
            return Err(Refusal::bad("HTTP/2 has no Transfer-Encoding"));
        }
        // One field may come in pieces (RFC 9113, section 8.2.3).
        let cookies: Vec<&[u8]> = headers.get_all(COOKIE).iter().map(|value| value.as_bytes()).collect();
        if !cookies.is_empty() {
            line(b"cookie", &cookies.join(&b"; "[..]));
        }
    }
    for (name, value) in headers {
        let is_said = is_http2 && (*name == COOKIE || (*name == HOST && uri.authority().is_some()));
        // A length that is repeated was found to be the same.
        if !is_said && *name != CONTENT_LENGTH {
            line(name.as_str().as_bytes(), value.as_bytes());
        }
    }
    if let Some(length) = headers.get(CONTENT_LENGTH) {
        line(CONTENT_LENGTH.as_str().as_bytes(), length.as_bytes());
    }
    text.extend_from_slice(b"\r\n");
    Ok(text)
}
