//! `gander check`: finds mistakes without running a program.

use crate::commands::usage_error;
use crate::program::prepare;
use crate::registry;
use source::{Style, render, render_json};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

/// Finds mistakes without running the program.
///
/// Reports syntax errors, calls and variables that do not exist, writes to captured variables, writes to parameters that
/// have no effect, closures that keep an old value, and wrong numbers of arguments. Exits with 1 when something was found.
#[derive(Debug, clap::Args)]
pub(crate) struct Check {
    /// One JSON object a line, for editors.
    #[arg(long)]
    json: bool,
    /// Main files of programs.
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

impl Check {
    pub(crate) fn execute(self) -> ExitCode {
        let registry = registry();
        let colour = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let style = if colour { Style::Colour } else { Style::Plain };
        let mut clean = true;
        for file in &self.files {
            let prepared = match prepare(file, &registry) {
                Ok(prepared) => prepared,
                Err(problem) => return usage_error(&problem.to_string()),
            };
            clean &= prepared.diagnostics.is_empty();
            for diagnostic in &prepared.diagnostics {
                if self.json {
                    println!("{}", render_json(diagnostic, &prepared.loaded.sources));
                } else {
                    print!("{}", render(diagnostic, &prepared.loaded.sources, style));
                }
            }
            if prepared.diagnostics.is_empty() && !self.json {
                println!("{}: OK", file.display());
            }
        }
        if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}
