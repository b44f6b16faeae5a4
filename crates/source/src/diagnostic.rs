//! What is wrong, where, and what to do about it.

use crate::{SourceId, Span};

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// The program does not run (or has stopped).
    Error,
    /// The program runs, but probably does not do what its author meant.
    Warning,
}

/// A place with a few words about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The file.
    pub source: SourceId,
    /// The range in the file.
    pub span: Span,
    /// What to say at the place; may be empty.
    pub text: String,
}

/// One finding of any stage. Every stage has its own error type and turns it into this for display.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// The words before the colon on the first line: `Parse Error`, `Runtime Error`, `Warning`.
    pub kind: &'static str,
    /// A stable short name such as `capture-stale`; empty where there is none.
    pub code: &'static str,
    /// One sentence without a final stop.
    pub message: String,
    /// Where; the first one is the primary place.
    pub labels: Vec<Label>,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// A parse error: the program does not start.
    pub fn parse_error(source: SourceId, span: Span, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            kind: "Parse Error",
            code: "",
            message: message.into(),
            labels: vec![Label { source, span, text: String::new() }],
            hint: None,
        }
    }

    /// A warning with a stable code.
    pub fn warning(code: &'static str, source: SourceId, span: Span, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            kind: "Warning",
            code,
            message: message.into(),
            labels: vec![Label { source, span, text: String::new() }],
            hint: None,
        }
    }

    /// Adds a hint.
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a second place.
    pub fn with_label(mut self, source: SourceId, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { source, span, text: text.into() });
        self
    }

    /// True for errors.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
