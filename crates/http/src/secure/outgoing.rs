//! A response on its way to a client inside of TLS.

use super::activity::{Busy, Flow};
use super::pieces::Pieces;
use crate::response::{FilePart, Payload, Response};
use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::ext::ReasonPhrase;
use hyper::header::{CONNECTION, CONTENT_LENGTH, HeaderMap, HeaderName, HeaderValue};
use hyper::{StatusCode, Version};
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

/// Bytes of a body that are handed over at a time.
const PIECE: usize = 64 * 1024;

/// What the request says about the form of its response.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub(super) is_head: bool,
    pub(super) version: Version,
}

/// The body of a response. As long as it is there, its request is not done.
pub(super) struct Outgoing {
    content: Content,
    flow: Rc<Flow>,
    _busy: Busy,
}

/// What is left of a body.
enum Content {
    Memory(Bytes),
    File(Pieces),
}

impl Content {
    fn left(&self) -> u64 {
        match self {
            Self::Memory(bytes) => bytes.len() as u64,
            Self::File(pieces) => pieces.left(),
        }
    }
}

/// Puts a response into the form of the wire.
pub(super) fn encode(response: Response, form: Form, flow: Rc<Flow>, busy: Busy) -> hyper::Response<Outgoing> {
    let Response { status, fields, body, close } = response;
    let mut headers = HeaderMap::new();
    for (name, value) in fields.iter() {
        // Whatever `Fields` takes is valid here as well.
        if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name), HeaderValue::from_bytes(value)) {
            headers.append(name, value);
        }
    }
    let content = content(body);
    if !status.is_bodyless() {
        headers.insert(CONTENT_LENGTH, HeaderValue::from(content.left()));
    }
    // HTTP/2 has frames for what this field says.
    if close && form.version < Version::HTTP_2 {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    let is_sent = !form.is_head && !status.is_bodyless();
    let content = if is_sent { content } else { Content::Memory(Bytes::new()) };
    if content.left() > 0 {
        flow.wait_for_client();
    }
    let mut response = hyper::Response::new(Outgoing { content, flow, _busy: busy });
    *response.status_mut() = StatusCode::from_u16(status.code()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    *response.headers_mut() = headers;
    // The names of some codes have changed, and the older ones are what `hyper` would write.
    if form.version < Version::HTTP_2
        && response.status().canonical_reason() != Some(status.reason())
        && let Ok(reason) = ReasonPhrase::try_from(status.reason().as_bytes())
    {
        response.extensions_mut().insert(reason);
    }
    response
}

fn content(body: Payload) -> Content {
    Content::Memory(match body {
        Payload::File(FilePart { file, offset, bytes }) => return Content::File(Pieces::new(file, offset, bytes)),
        Payload::Static(bytes) => Bytes::from_static(bytes),
        Payload::Owned(bytes) => Bytes::from(bytes),
        Payload::Shared(bytes) => Bytes::from_owner(bytes),
    })
}

impl Body for Outgoing {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        // To be asked means that the client has taken what came before.
        self.flow.wait_for_nobody();
        let piece = match &mut self.content {
            Content::Memory(bytes) if bytes.is_empty() => None,
            Content::Memory(bytes) => Some(Ok(bytes.split_to(bytes.len().min(PIECE)))),
            Content::File(pieces) => ready!(pieces.poll_next(cx)),
        };
        self.flow.wait_for_client();
        Poll::Ready(piece.map(|piece| piece.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        self.content.left() == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.content.left())
    }
}
