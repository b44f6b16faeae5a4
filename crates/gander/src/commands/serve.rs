//! `gander serve`: runs a program's top level once and answers requests with what it registered.

use crate::serve::{Life, serve};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Answers requests with the routes of a program.
#[derive(Debug, clap::Args)]
pub(crate) struct Serve {
    /// Where to listen.
    #[arg(long, default_value = "127.0.0.1:8080")]
    listen: Vec<std::net::SocketAddr>,
    /// Threads that answer; 0 for one a processor.
    #[arg(long, default_value_t = 0)]
    workers: usize,
    /// Show errors to clients, and load the program again when it changes.
    #[arg(long)]
    dev: bool,
    /// The program's main file.
    file: PathBuf,
}

impl Serve {
    pub(crate) fn execute(self) -> ExitCode {
        let workers = match self.workers {
            0 => std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            workers => workers,
        };
        let options = web::Options { addresses: self.listen, workers, dev: self.dev, ..web::Options::default() };
        let life = Life { options, watch: self.dev, drain_delay: Duration::ZERO, grace: Duration::from_secs(10) };
        ExitCode::from(serve(&self.file, &life))
    }
}
