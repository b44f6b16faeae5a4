//! `gander serve`: runs a program's top level once and answers requests with what it registered.

use crate::serve::serve;
use crate::settings::Flags;
use std::path::PathBuf;
use std::process::ExitCode;

/// Answers requests with the routes of a program.
///
/// Exit codes: 0 after a stop, 1 for an error in the program, 2 for wrong use or a server that cannot start.
#[derive(Debug, clap::Args)]
pub(crate) struct Serve {
    #[command(flatten)]
    flags: Flags,
    /// The program's main file.
    file: PathBuf,
}

impl Serve {
    pub(crate) fn execute(self) -> ExitCode {
        let code = self.flags.settle().map_or(2, |life| serve(&self.file, &life));
        ExitCode::from(code)
    }
}
