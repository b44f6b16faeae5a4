//! What the compiler has to say about a place.

use super::Place;
use source::{Diagnostic, SourceMap};

/// An error or a warning of the compiler.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    /// What kind: `Parse Error`, `Warning`.
    pub(crate) kind: String,
    /// What is wrong.
    pub(crate) message: String,
    /// Where.
    pub(crate) place: Option<Place>,
    /// What to do about it.
    pub(crate) hint: Option<String>,
}

impl Finding {
    /// A diagnostic at its primary place.
    pub(crate) fn of(diagnostic: &Diagnostic, sources: &SourceMap) -> Self {
        Self {
            kind: diagnostic.kind.to_owned(),
            message: diagnostic.message.clone(),
            place: diagnostic.labels.first().map(|label| Place::of(sources.get(label.source), label.span)),
            hint: diagnostic.hint.clone(),
        }
    }
}
