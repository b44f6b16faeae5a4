//! A response as the embedder makes it. What frames it on the wire is added when it is written.

use crate::field::Fields;
use crate::status::Status;
use std::fs::File;
use std::sync::Arc;

/// Bytes of a body, owned or shared.
#[derive(Clone, Debug)]
pub enum Payload {
    /// Part of the program.
    Static(&'static [u8]),
    /// Belongs to this response alone.
    Owned(Vec<u8>),
    /// Held by others too, such as a cached file.
    Shared(Arc<[u8]>),
    /// Part of a file, read while the client takes it.
    File(FilePart),
}

/// Bytes of a file. The file must have them: a response whose file has become shorter is cut off.
#[derive(Clone, Debug)]
pub struct FilePart {
    /// The file.
    pub file: Arc<File>,
    /// Where the part begins.
    pub offset: u64,
    /// Its length.
    pub bytes: u64,
}

impl Payload {
    /// Its length in bytes.
    #[must_use]
    pub fn length(&self) -> u64 {
        match self {
            Self::File(part) => part.bytes,
            memory => memory.bytes().len() as u64,
        }
    }

    /// The bytes that are in memory: all of them, or none of a file.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Static(bytes) => bytes,
            Self::Owned(bytes) => bytes,
            Self::Shared(bytes) => bytes,
            Self::File(_) => &[],
        }
    }
}

impl From<&'static str> for Payload {
    fn from(text: &'static str) -> Self {
        Self::Static(text.as_bytes())
    }
}

impl From<&'static [u8]> for Payload {
    fn from(bytes: &'static [u8]) -> Self {
        Self::Static(bytes)
    }
}

impl From<String> for Payload {
    fn from(text: String) -> Self {
        Self::Owned(text.into_bytes())
    }
}

impl From<Vec<u8>> for Payload {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Owned(bytes)
    }
}

impl From<Arc<[u8]>> for Payload {
    fn from(bytes: Arc<[u8]>) -> Self {
        Self::Shared(bytes)
    }
}

/// Status, fields and body. For a `HEAD` request the body is given as for `GET`: its length is told, its bytes are not sent.
#[derive(Clone, Debug)]
pub struct Response {
    /// The status.
    pub status: Status,
    /// Fields besides those of the connection layer (length, date, connection).
    pub fields: Fields,
    /// The body; left out where the status allows none.
    pub body: Payload,
    /// Close the connection after it?
    pub close: bool,
}

impl Response {
    /// A response without fields.
    #[must_use]
    pub fn new(status: Status, body: impl Into<Payload>) -> Self {
        Self { status, fields: Fields::new(), body: body.into(), close: false }
    }
}
