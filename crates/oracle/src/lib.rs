//! The definition of the language that can be run: a plain tree-walking evaluator, for tests only.
//!
//! [`load`] reads a program and refuses what the language refuses before anything runs; [`run`] evaluates it. Values, text
//! conversion and builtins are those of the machine; arithmetic, comparison, elements, scopes and control flow are written
//! here once more, for clarity and never for speed. [`generate`] makes random programs to compare engines with, and
//! [`shrink`] makes a program smaller that shows a difference.

#![forbid(unsafe_code)]

mod arithmetic;
mod check;
mod compare;
mod declare;
mod element;
mod environment;
mod evaluate;
mod generate;
mod load;
mod observe;
mod shrink;
mod structure;
mod written;

pub use evaluate::{Limits, run};
pub use generate::{generate, generate_with};
pub use load::{Program, Reader, Refused, load};
pub use observe::{end_of, observe};
pub use shrink::shrink;
