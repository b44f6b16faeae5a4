//! Source text → tokens → tree.

#![forbid(unsafe_code)]

pub mod tree;
