//! JSON: `json::encode` and `json::decode`, and the parser and writer behind them for the other crates.

mod error;
mod parse;
mod scan;
mod write;

pub use error::JsonError;
pub use parse::{MAX_DEPTH, Parser, parse};
pub use write::{TooLong, write};
