//! The answer to a request while the program is still making it.

use crate::error_page::Page;
use http::{Fields, InvalidField, Payload, Response, Status};
use vm::Thrown;

/// What goes with a page of the server's own.
pub(crate) const PAGE_FIELDS: [(&str, &[u8]); 2] =
    [("Cache-Control", b"no-store"), ("X-Content-Type-Options", b"nosniff")];

/// What a body is, if the program has not said so itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Html,
    Json,
    Text,
}

impl Kind {
    pub(crate) fn content_type(self) -> &'static str {
        match self {
            Self::Html => "text/html; charset=utf-8",
            Self::Json => "application/json; charset=utf-8",
            Self::Text => "text/plain; charset=utf-8",
        }
    }
}

/// Status, fields and body so far.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: Status,
    /// Without `Content-Type`.
    fields: Fields,
    kind: Kind,
    /// The type that the program has set as a header.
    own_type: Option<Vec<u8>>,
    /// What `response::` was given; else the body is the program's output.
    pub(crate) body: Option<Payload>,
    close: bool,
}

/// The fields as they stood at some time.
#[derive(Debug)]
pub(crate) struct Mark {
    fields: Fields,
    own_type: Option<Vec<u8>>,
}

impl Reply {
    pub(crate) fn new() -> Self {
        Self { status: Status::OK, fields: Fields::new(), kind: Kind::Html, own_type: None, body: None, close: false }
    }

    /// Sets the body.
    pub(crate) fn set_body(&mut self, kind: Kind, body: impl Into<Payload>) {
        self.kind = kind;
        self.own_type = None;
        self.body = Some(body.into());
    }

    /// Sets the body; a type that was set before stays.
    pub(crate) fn set_plain_body(&mut self, body: impl Into<Payload>) {
        self.body = Some(body.into());
    }

    /// Sets the body to a page of the server's own, which no cache may keep.
    pub(crate) fn set_page(&mut self, page: Page) {
        self.set_body(Kind::Html, page.body);
        self.own_type = Some(page.content_type.as_bytes().to_vec());
        for (name, value) in PAGE_FIELDS {
            // They are right: they are ours.
            let _ = self.fields.set(name, value);
        }
    }

    /// Sets the status.
    ///
    /// # Errors
    /// No response can have this code.
    pub(crate) fn set_status(&mut self, function: &str, code: i64) -> Result<(), Thrown> {
        let status = u16::try_from(code).ok().and_then(Status::new);
        self.status = status.ok_or_else(|| {
            Thrown::error(format!("{function}(): {code} is not the status of a response; use a code from 200 to 599"))
        })?;
        Ok(())
    }

    /// Sets a header in place of those of the same name. A value ends where a line would; what the server itself sets is
    /// left out.
    ///
    /// # Errors
    /// A name or value that cannot stand in a header.
    pub(crate) fn set_header(&mut self, function: &str, name: &[u8], value: &[u8]) -> Result<(), Thrown> {
        let value = one_line(value);
        let text = str::from_utf8(name).unwrap_or_default();
        if text.eq_ignore_ascii_case("content-type") {
            Fields::new().add(text, value).map_err(|error| invalid(function, name, error))?;
            self.own_type = Some(value.trim_ascii().to_vec());
            return Ok(());
        }
        match self.fields.set(text, value) {
            Ok(()) => {}
            Err(InvalidField::Reserved) => {
                self.close |= text.eq_ignore_ascii_case("connection") && value.eq_ignore_ascii_case(b"close");
            }
            Err(error) => return Err(invalid(function, name, error)),
        }
        Ok(())
    }

    /// Adds a header beside those of the same name.
    ///
    /// # Errors
    /// As [`Reply::set_header`].
    pub(crate) fn add_header(&mut self, function: &str, name: &str, value: &[u8]) -> Result<(), Thrown> {
        self.fields.add(name, value).map_err(|error| invalid(function, name.as_bytes(), error))
    }

    /// Has the program set this header?
    pub(crate) fn has_header(&self, name: &str) -> bool {
        self.header(name).is_some()
    }

    fn header(&self, name: &str) -> Option<&[u8]> {
        self.fields.iter().find(|(known, _)| known.eq_ignore_ascii_case(name.as_bytes())).map(|(_, value)| value)
    }

    /// Says that the answer depends on a header of the request.
    pub(crate) fn vary(&mut self, name: &str) {
        let value = match self.header("vary") {
            Some(known) if names(known).any(|known| known == b"*" || known.eq_ignore_ascii_case(name.as_bytes())) => {
                return;
            }
            Some(known) => [known, b", ", name.as_bytes()].concat(),
            None => name.as_bytes().to_vec(),
        };
        // Names of headers are right.
        let _ = self.fields.set("Vary", &value);
    }

    /// Must nobody on the way change the body?
    pub(crate) fn forbids_change(&self) -> bool {
        self.header("cache-control")
            .is_some_and(|value| names(value).any(|name| name.eq_ignore_ascii_case(b"no-transform")))
    }

    /// Says that the body is coded. A tag then names the content, no longer its bytes.
    pub(crate) fn set_coding(&mut self, coding: &str) {
        // Both are right: one is ours, the other was checked.
        let _ = self.fields.set("Content-Encoding", coding.as_bytes());
        if let Some(tag) = self.header("etag").filter(|tag| !tag.starts_with(b"W/")) {
            let weak = [b"W/", tag].concat();
            let _ = self.fields.set("ETag", &weak);
        }
    }

    /// Remembers the headers.
    pub(crate) fn mark(&self) -> Mark {
        Mark { fields: self.fields.clone(), own_type: self.own_type.clone() }
    }

    /// Forgets body and headers since a mark.
    pub(crate) fn go_back(&mut self, mark: Option<Mark>) {
        let Mark { fields, own_type } = mark.unwrap_or(Mark { fields: Fields::new(), own_type: None });
        self.fields = fields;
        self.own_type = own_type;
        self.body = None;
        self.kind = Kind::Html;
    }

    /// The type of the body.
    pub(crate) fn content_type(&self) -> &[u8] {
        self.own_type.as_deref().unwrap_or(self.kind.content_type().as_bytes())
    }

    /// Takes the body; `output` is it if none was set.
    pub(crate) fn take_body(&mut self, output: impl FnOnce() -> Vec<u8>) -> Payload {
        self.body.take().unwrap_or_else(|| Payload::Owned(output()))
    }

    /// The finished response.
    pub(crate) fn finish(self, body: Payload) -> Response {
        let mut fields = Fields::new();
        // The type is right: it is ours or was checked.
        let _ = fields.add("Content-Type", self.content_type());
        fields.append(&self.fields);
        let mut response = Response::new(self.status, body);
        response.fields = fields;
        response.close = self.close;
        response
    }
}

/// The names in a list.
fn names(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    list.split(|byte| *byte == b',').map(<[u8]>::trim_ascii)
}

/// The part of a value before the first line break.
fn one_line(value: &[u8]) -> &[u8] {
    let end = value.iter().position(|byte| matches!(byte, b'\r' | b'\n')).unwrap_or(value.len());
    value.get(..end).unwrap_or_default()
}

#[cold]
fn invalid(function: &str, name: &[u8], error: InvalidField) -> Thrown {
    Thrown::error(format!("{function}(): header '{}': {error}", name.escape_ascii()))
}
