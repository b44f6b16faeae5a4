//! Source text → tokens → tree.
//!
//! [`parse`] is the way in: it never fails and never panics, it returns a tree and what was found wrong with the text.

#![forbid(unsafe_code)]

mod dump;
mod error;
mod lexer;
mod parser;
mod precedence;
mod token;
pub mod tree;
pub mod visit;

pub use dump::dump;
pub use parser::{MAX_CHAIN, MAX_NESTING, MAX_SOURCE_BYTES, MAX_TREE_HEIGHT, Parsed, parse};
