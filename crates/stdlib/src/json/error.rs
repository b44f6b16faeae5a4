//! What is wrong with a JSON text, and where.

use std::fmt;

/// Why a text is not JSON.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JsonError {
    /// Offset in bytes, from 0.
    pub offset: usize,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What was expected and what stands there.
    pub message: String,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for JsonError {}

/// An error on its way out of the parser: small, and not yet put into words.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) offset: usize,
    pub(super) cause: Cause,
}

/// What the parser ran into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cause {
    /// Something else should stand here.
    Expected(&'static str),
    /// The text itself is at fault; what stands here explains nothing.
    Because(&'static str),
}

impl Failure {
    /// The error as others see it.
    #[cold]
    pub(super) fn locate(&self, bytes: &[u8]) -> JsonError {
        let before = bytes.get(..self.offset).unwrap_or(bytes);
        let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let message = match self.cause {
            Cause::Because(message) => message.to_owned(),
            Cause::Expected(what) => {
                format!("expected {what}, found {}", found(bytes.get(self.offset..).unwrap_or(&[])))
            }
        };
        JsonError {
            offset: self.offset,
            line: 1 + before.iter().filter(|byte| **byte == b'\n').count(),
            column: 1 + vm::text::char_count(before.get(line_start..).unwrap_or(&[])),
            message,
        }
    }
}

fn found(rest: &[u8]) -> String {
    match vm::text::chars(rest).next().map(String::from_utf8_lossy) {
        None => "the end of the text".to_owned(),
        Some(c) => format!("'{}'", c.escape_debug().to_string().replace("\\\"", "\"")),
    }
}
