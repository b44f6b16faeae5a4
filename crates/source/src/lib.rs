//! Where text comes from and how we talk about places in it.
//!
//! Every later stage points into source text with a [`Span`] and reports what is wrong as a [`Diagnostic`]; one renderer
//! turns that into colour, plain text or JSON.

#![forbid(unsafe_code)]

mod diagnostic;
mod file;
mod render;
mod span;
mod suggest;

pub use diagnostic::{Diagnostic, Label, Severity};
pub use file::{Location, Source, SourceId, SourceMap};
pub use render::{Style, render, render_json};
pub use span::Span;
pub use suggest::did_you_mean;
