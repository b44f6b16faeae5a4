//! What the tests of several crates share: conformance cases and how they are judged.

#![forbid(unsafe_code)]

mod case;

pub use case::{Case, Outcome, find_cases};
