//! Bodies of the type `multipart/form-data`: text fields and uploaded files (RFC 7578).
//!
//! The body is read in pieces, a file of more than [`content::MAX_IN_MEMORY`] bytes goes to a temporary file as it is read, and
//! what has to be held in memory has a limit. [`parse`] may wait for the disk: it runs off the workers' threads unless
//! [`is_small`] says that it needs none.

mod disposition;
mod pieces;

use crate::form;
use crate::upload::Upload;
use crate::upload::content::{self, Collector};
use futures_core::Stream;
use http::{Body, Status};
use multer::{Field, Multipart};
use pieces::{Pieces, Tap};
use std::fmt;
use std::io;
use std::path::Path;
use std::pin::Pin;

/// How much a form may have. What goes beyond is an error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Text fields and files together.
    pub(crate) parts: usize,
    /// Bytes of one file.
    pub(crate) file_bytes: u64,
    /// Bytes of all text fields together, with their names: they are held in memory.
    pub(crate) text_bytes: usize,
    /// Bytes of the header of one part.
    pub(crate) header_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { parts: 256, file_bytes: u64::MAX, text_bytes: 8 << 20, header_bytes: 16 << 10 }
    }
}

/// What a form contained.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    /// Name and text; each name once, at the place of its first and with the value of its last occurrence.
    pub(crate) fields: Vec<(Vec<u8>, Vec<u8>)>,
    /// All files as they were sent; one name may stand for several. Where the user chose none, there is none.
    pub(crate) files: Vec<Upload>,
}

#[cfg(test)]
impl Parts {
    /// The text of field `name`.
    pub(crate) fn field(&self, name: &[u8]) -> Option<&[u8]> {
        self.fields.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_slice())
    }

    /// The file of field `name`, the last one if it was sent several times.
    pub(crate) fn file(&self, name: &[u8]) -> Option<&Upload> {
        self.files.iter().rev().find(|file| file.name == name)
    }
}

/// Why a body is no form, or none that we take.
#[derive(Debug)]
pub(crate) enum Error {
    /// The header says something else than `multipart/form-data`, or is malformed.
    ContentType,
    /// The header names no boundary, or one that RFC 2046 does not allow.
    Boundary,
    /// The body ends before the last boundary, or a boundary line is malformed.
    Incomplete,
    /// The header of the part with this number, counted from 1, is malformed.
    Header(usize),
    /// The part with this number has no `Content-Disposition: form-data; name="…"`.
    NoName(usize),
    /// More parts than this.
    TooManyParts(usize),
    /// The header of the part with this number has more bytes than the limit behind it.
    HeaderTooLarge(usize, usize),
    /// The file of the field with this name has more bytes than the limit behind it.
    FileTooLarge(String, u64),
    /// The text fields together have more bytes than this.
    TextTooLarge(usize),
    /// The body could not be read from its temporary file.
    Read(io::Error),
    /// A file could not be written to a temporary file.
    Write(io::Error),
}

impl Error {
    /// What to answer: whose fault it is.
    pub(crate) fn status(&self) -> Status {
        match self {
            Self::ContentType => Status::UNSUPPORTED_MEDIA_TYPE,
            Self::Boundary | Self::Incomplete | Self::Header(_) | Self::NoName(_) => Status::BAD_REQUEST,
            Self::TooManyParts(_) | Self::HeaderTooLarge(..) | Self::FileTooLarge(..) | Self::TextTooLarge(_) => {
                Status::CONTENT_TOO_LARGE
            }
            Self::Read(_) | Self::Write(_) => Status::INTERNAL_SERVER_ERROR,
        }
    }

    fn of_parser(error: multer::Error, part: usize) -> Self {
        match error {
            multer::Error::NoMultipart | multer::Error::DecodeContentType(_) => Self::ContentType,
            multer::Error::NoBoundary => Self::Boundary,
            multer::Error::ReadHeaderFailed(_)
            | multer::Error::IncompleteHeaders
            | multer::Error::DecodeHeaderName { .. }
            | multer::Error::DecodeHeaderValue { .. } => Self::Header(part),
            multer::Error::StreamReadFailed(cause) => Self::Read(match cause.downcast::<io::Error>() {
                Ok(cause) => *cause,
                Err(cause) => io::Error::other(cause),
            }),
            _ => Self::Incomplete,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ContentType => f.write_str("the content type is not multipart/form-data"),
            Self::Boundary => f.write_str("the content type needs a boundary of 1 to 70 visible ASCII characters"),
            Self::Incomplete => f.write_str("the form data ends before its last boundary, or a boundary is malformed"),
            Self::Header(part) => write!(f, "the header of part {part} of the form data is malformed"),
            Self::NoName(part) => {
                write!(f, "part {part} of the form data has no line Content-Disposition: form-data; name=\"…\"")
            }
            Self::TooManyParts(limit) => write!(f, "the form data has more than {limit} parts"),
            Self::HeaderTooLarge(part, limit) => {
                write!(f, "the header of part {part} of the form data has more than {limit} bytes")
            }
            Self::FileTooLarge(name, limit) => write!(f, "the file of field \"{name}\" has more than {limit} bytes"),
            Self::TextTooLarge(limit) => write!(f, "the text fields of the form data have more than {limit} bytes"),
            Self::Read(error) => write!(f, "the temporary file of the request body cannot be read: {error}"),
            Self::Write(error) => write!(f, "the uploaded file cannot be written to a temporary file: {error}"),
        }
    }
}

impl std::error::Error for Error {}

/// Is parsing this body a matter of memory and microseconds, so that a worker may do it itself?
pub(crate) fn is_small(body: &Body<'_>) -> bool {
    matches!(body, Body::Memory(bytes) if bytes.len() <= content::MAX_IN_MEMORY)
}

/// Reads a form. `content_type` is the value of that header; large files go to temporary files without a name in `folder`.
///
/// May wait for the disk unless [`is_small`].
///
/// # Errors
/// The body is malformed, exceeds a limit, or a temporary file fails.
pub(crate) fn parse(content_type: &[u8], body: Body<'_>, folder: &Path, limits: &Limits) -> Result<Parts, Error> {
    let content_type = str::from_utf8(content_type).map_err(|_| Error::ContentType)?;
    let boundary = multer::parse_boundary(content_type).map_err(|error| Error::of_parser(error, 0))?;
    // RFC 2046, section 5.1.1. An empty one would make every line that begins with two hyphens a boundary.
    if !(1..=70).contains(&boundary.len()) || !boundary.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Err(Error::Boundary);
    }
    let (pieces, tap) = Pieces::new(body);
    let mut form = Form {
        parser: Multipart::new(pieces, boundary),
        tap,
        folder,
        limits,
        part: 0,
        text_bytes: 0,
        fields: Vec::new(),
        files: Vec::new(),
    };
    while form.read_part()? {}
    let fields = form::unique(form.fields.into_iter(), |kept, later| *kept = later);
    Ok(Parts { fields, files: form.files })
}

/// A form that is being read.
struct Form<'a> {
    parser: Multipart<'a>,
    tap: Tap,
    folder: &'a Path,
    limits: &'a Limits,
    /// Number of the current part, counted from 1.
    part: usize,
    /// Bytes of all text fields so far.
    text_bytes: usize,
    fields: Vec<(Vec<u8>, Vec<u8>)>,
    files: Vec<Upload>,
}

impl<'a> Form<'a> {
    /// Reads the next part. False if there is none.
    fn read_part(&mut self) -> Result<bool, Error> {
        self.part += 1;
        let Some(mut field) = self.next_field()? else { return Ok(false) };
        if self.part > self.limits.parts {
            return Err(Error::TooManyParts(self.limits.parts));
        }
        let header_bytes: usize =
            field.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
        if header_bytes > self.limits.header_bytes {
            return Err(Error::HeaderTooLarge(self.part, self.limits.header_bytes));
        }
        let header = field.headers().get("content-disposition").map(|value| value.as_bytes()).unwrap_or_default();
        let disposition = disposition::parse(header).ok_or(Error::NoName(self.part))?;
        match disposition.filename {
            Some(filename) => {
                self.read_file(&mut field, disposition.name, filename)?;
            }
            None => self.read_text(&mut field, disposition.name)?,
        }
        Ok(true)
    }

    /// Finds the next part. The parser would look for the end of a header as long as there are bytes, and keep them all.
    fn next_field(&mut self) -> Result<Option<Field<'a>>, Error> {
        let Self { parser, tap, part, limits, .. } = self;
        let most = limits.header_bytes.div_ceil(pieces::BYTES).saturating_add(1);
        match tap.drive(most, |context| parser.poll_next_field(context)) {
            Ok(field) => field.map_err(|error| Error::of_parser(error, *part)),
            Err(pieces::Stop::Ended) => Err(Error::Incomplete),
            Err(pieces::Stop::Exhausted) => Err(Error::HeaderTooLarge(*part, limits.header_bytes)),
        }
    }

    /// The next bytes of a part, not yet as many as it has; None behind its end.
    fn next_bytes(&self, field: &mut Field<'a>) -> Result<Option<impl AsRef<[u8]> + use<>>, Error> {
        match self.tap.drive(usize::MAX, |context| Pin::new(&mut *field).poll_next(context)) {
            Ok(bytes) => bytes.transpose().map_err(|error| Error::of_parser(error, self.part)),
            Err(pieces::Stop::Ended | pieces::Stop::Exhausted) => Err(Error::Incomplete),
        }
    }

    fn read_text(&mut self, field: &mut Field<'a>, name: Vec<u8>) -> Result<(), Error> {
        let mut text = Vec::new();
        self.text_bytes = self.text_bytes.saturating_add(name.len());
        while let Some(bytes) = self.next_bytes(field)? {
            let bytes = bytes.as_ref();
            self.text_bytes = self.text_bytes.saturating_add(bytes.len());
            if self.text_bytes > self.limits.text_bytes {
                return Err(Error::TextTooLarge(self.limits.text_bytes));
            }
            text.extend_from_slice(bytes);
        }
        self.fields.push((name, text));
        Ok(())
    }

    fn read_file(&mut self, field: &mut Field<'a>, name: Vec<u8>, filename: String) -> Result<(), Error> {
        let mut collector = Collector::new(self.folder);
        while let Some(bytes) = self.next_bytes(field)? {
            collector.add(bytes.as_ref()).map_err(Error::Write)?;
            if collector.size() > self.limits.file_bytes {
                let name = String::from_utf8_lossy(&name).chars().take(60).flat_map(char::escape_debug).collect();
                return Err(Error::FileTooLarge(name, self.limits.file_bytes));
            }
        }
        let content = collector.finish();
        // What a browser sends for a file field that was left empty.
        if !filename.is_empty() || content.size() > 0 {
            self.files.push(Upload { name, filename, content });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
