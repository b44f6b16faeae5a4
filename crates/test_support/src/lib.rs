//! What the tests of several crates share: conformance cases and how they are judged, examples, and servers as processes.

#![forbid(unsafe_code)]

mod case;
mod example;
mod server;

pub use case::{Case, Outcome, find_cases};
pub use example::run_example;
pub use rustix::process::Signal;
pub use server::{Client, PATIENCE, Reply, Server, raise_file_limit, send_signal};
