//! One file a command: its flags and what it does.

pub(crate) mod check;
pub(crate) mod doc;
pub(crate) mod repl;
pub(crate) mod run;
pub(crate) mod serve;

use std::process::ExitCode;

/// Wrong use of the command line, or an input that cannot be read.
pub(crate) fn usage_error(message: &str) -> ExitCode {
    eprintln!("error: {message}");
    ExitCode::from(2)
}
