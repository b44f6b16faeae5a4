//! What travels up when a program does not go on: a thrown value, or an end that no `catch` may stop.

use crate::value::Value;
use source::{SourceId, Span};

/// How many calls a trace keeps.
pub(crate) const MAX_TRACE: usize = 50;

/// A way out of the running code. One pointer, so that results stay small.
#[derive(Debug)]
pub struct Thrown(Box<ThrownKind>);

/// What is on its way.
#[derive(Debug)]
pub enum ThrownKind {
    /// A value for the nearest `catch`, with the calls it has left so far.
    Value {
        /// The thrown value; a runtime error is its message.
        value: Value,
        /// Innermost first. Filled in only where no handler was found yet.
        trace: Vec<TraceEntry>,
    },
    /// `exit(code)`: `finally` blocks run, `catch` does not.
    Exit(i32),
    /// The end of a request, not an error: `finally` blocks run, `catch` does not.
    Stop,
}

/// One call in a stack trace.
#[derive(Clone, Debug)]
pub struct TraceEntry {
    /// Name of the function; empty for the top level of a file.
    pub function: String,
    /// File.
    pub source: SourceId,
    /// The expression that was being evaluated.
    pub span: Span,
    /// Names of the parameters and what they hold; empty unless [asked for](crate::Isolate::set_trace_arguments).
    pub arguments: Vec<(String, Value)>,
}

impl Thrown {
    /// A thrown value.
    #[cold]
    pub fn value(value: Value) -> Self {
        Self(Box::new(ThrownKind::Value { value, trace: Vec::new() }))
    }

    /// A runtime error: its message is the value that `catch` sees.
    #[cold]
    pub fn error(message: impl AsRef<str>) -> Self {
        Self::value(Value::str(message.as_ref()))
    }

    /// `exit(code)`.
    #[cold]
    pub fn exit(code: i32) -> Self {
        Self(Box::new(ThrownKind::Exit(code)))
    }

    /// The end of a request.
    #[cold]
    pub fn stop() -> Self {
        Self(Box::new(ThrownKind::Stop))
    }

    /// What is on its way.
    pub fn kind(&self) -> &ThrownKind {
        &self.0
    }

    /// What is on its way, for keeping.
    pub fn into_kind(self) -> ThrownKind {
        *self.0
    }

    /// Adds the calls that are being left; of a thrown value only.
    pub(crate) fn extend_trace(&mut self, entries: impl IntoIterator<Item = TraceEntry>) {
        if let ThrownKind::Value { trace, .. } = &mut *self.0 {
            trace.extend(entries);
        }
    }
}

impl From<ThrownKind> for Thrown {
    fn from(kind: ThrownKind) -> Self {
        Self(Box::new(kind))
    }
}
