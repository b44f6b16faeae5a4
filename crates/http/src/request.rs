//! A request as the embedder sees it.
//!
//! It owns one buffer, with the head and a small body, and positions in it; no field is copied out. The buffers of ended
//! requests wait for the next one on their thread, so a request costs no allocation.

use crate::head::{Field, Head};
use std::cell::RefCell;
use std::fmt;
use std::fs::File;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Buffers that a thread keeps for its next requests.
const MAX_LENT: usize = 32;

/// A larger buffer is given back to the allocator: one large request must not cost memory for ever.
const MAX_LENT_BYTES: usize = 8 * 1024;

const NO_PEER: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0);

/// The body of a request, complete.
#[derive(Debug)]
pub enum Body<'a> {
    /// In memory.
    Memory(&'a [u8]),
    /// In a temporary file without a name, positioned at its start, of this many bytes. Reading may wait for the disk.
    File(&'a File, u64),
}

/// Where the body is.
#[derive(Debug)]
enum Stored {
    /// Behind the head in its buffer.
    Inline,
    Memory(Vec<u8>),
    File(File, u64),
}

#[derive(Debug)]
struct Data {
    head: Head,
    /// Head, then an inline body.
    bytes: Vec<u8>,
    head_bytes: usize,
    body: Stored,
    peer: SocketAddr,
}

impl Data {
    const EMPTY: Self =
        Self { head: Head::empty(), bytes: Vec::new(), head_bytes: 0, body: Stored::Inline, peer: NO_PEER };
}

static NOTHING: Data = Data::EMPTY;

thread_local! {
    #[expect(clippy::vec_box, reason = "the boxes are what is lent, moving their contents would cost more")]
    static LENT: RefCell<Vec<Box<Data>>> = const { RefCell::new(Vec::new()) };
}

/// A complete request: head and body have arrived.
pub struct Request {
    /// None only while it is dropped.
    data: Option<Box<Data>>,
}

impl Request {
    /// A request to be filled.
    pub(crate) fn lend() -> Self {
        let lent = LENT.try_with(|lent| lent.try_borrow_mut().ok().and_then(|mut lent| lent.pop())).ok().flatten();
        Self { data: Some(lent.unwrap_or_else(|| Box::new(Data::EMPTY))) }
    }

    fn data(&self) -> &Data {
        self.data.as_deref().unwrap_or(&NOTHING)
    }

    fn data_mut(&mut self) -> &mut Data {
        self.data.get_or_insert_with(|| Box::new(Data::EMPTY))
    }

    pub(crate) fn head_mut(&mut self) -> &mut Head {
        &mut self.data_mut().head
    }

    /// Takes over the bytes of a head of which [`Request::head_mut`] has the positions, and of a body behind it.
    pub(crate) fn fill(&mut self, bytes: &[u8], head_bytes: usize, peer: SocketAddr) {
        let data = self.data_mut();
        data.bytes.clear();
        data.bytes.extend_from_slice(bytes);
        data.head_bytes = head_bytes;
        data.peer = peer;
    }

    pub(crate) fn set_body(&mut self, body: Vec<u8>) {
        self.data_mut().body = Stored::Memory(body);
    }

    pub(crate) fn set_file(&mut self, file: File, bytes: u64) {
        self.data_mut().body = Stored::File(file, bytes);
    }

    /// The method, as sent: `GET`, `POST`, … or any other word.
    #[must_use]
    pub fn method(&self) -> &str {
        let data = self.data();
        data.head.method.of_text(&data.bytes)
    }

    /// The whole target, as sent.
    #[must_use]
    pub fn target(&self) -> &str {
        let data = self.data();
        data.head.target.of_text(&data.bytes)
    }

    /// The path of the target, not decoded: begins with `/`, or is `*` for an `OPTIONS` request to the server itself.
    #[must_use]
    pub fn path(&self) -> &str {
        let data = self.data();
        if data.head.path.is_empty() { "/" } else { data.head.path.of_text(&data.bytes) }
    }

    /// What follows the first `?` of the target, not decoded.
    #[must_use]
    pub fn query(&self) -> Option<&str> {
        let data = self.data();
        data.head.query.map(|span| span.of_text(&data.bytes))
    }

    /// Host and port that the client means: those of an absolute target, else of the Host header.
    #[must_use]
    pub fn host(&self) -> Option<&str> {
        let data = self.data();
        if !data.head.authority.is_empty() {
            return Some(data.head.authority.of_text(&data.bytes));
        }
        self.header("host").and_then(|value| str::from_utf8(value).ok())
    }

    /// Is it HTTP/1.0? Else it is HTTP/1.1.
    #[must_use]
    pub fn is_http10(&self) -> bool {
        self.data().head.is_http10
    }

    /// The value of the first field of this name, in whatever case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&[u8]> {
        self.headers().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// All fields, names as sent.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let Data { head, bytes, .. } = self.data();
        head.fields.iter().map(|Field { name, value }| (name.of_text(bytes), value.of_bytes(bytes)))
    }

    /// The body, empty if the request has none.
    #[must_use]
    pub fn body(&self) -> Body<'_> {
        let data = self.data();
        match &data.body {
            Stored::Inline => Body::Memory(data.bytes.get(data.head_bytes..).unwrap_or_default()),
            Stored::Memory(bytes) => Body::Memory(bytes),
            Stored::File(file, bytes) => Body::File(file, *bytes),
        }
    }

    /// Address of the other end of the connection.
    #[must_use]
    pub fn peer(&self) -> SocketAddr {
        self.data().peer
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        let Some(mut data) = self.data.take() else { return };
        data.body = Stored::Inline;
        data.head.fields.clear();
        if data.bytes.capacity() > MAX_LENT_BYTES {
            return;
        }
        // Without a pool, as when the thread ends, the buffer is simply freed.
        let _ = LENT.try_with(|lent| {
            if let Ok(mut lent) = lent.try_borrow_mut()
                && lent.len() < MAX_LENT
            {
                lent.push(data);
            }
        });
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Request");
        shown.field("method", &self.method()).field("target", &self.target()).field("is_http10", &self.is_http10());
        for (name, value) in self.headers() {
            shown.field(name, &value.escape_ascii().to_string());
        }
        match self.body() {
            Body::Memory(bytes) => shown.field("body", &bytes.escape_ascii().to_string()),
            Body::File(_, bytes) => shown.field("body", &format_args!("{bytes} bytes in a file")),
        };
        shown.finish()
    }
}
