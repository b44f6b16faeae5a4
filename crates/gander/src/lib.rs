//! The command line: one file a command, the list of all builtins, and how a program gets from a path to running code.

#![forbid(unsafe_code)]

mod commands;
mod program;
mod registry;
mod report;
mod serve;
mod settings;

pub use commands::run::{execute, host, observe};
pub use program::{Files, Prepared, Problem, prepare, prepare_text};
pub use registry::registry;
pub use report::{error_message, exit_code, runtime_error};

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Runs programs in the LOOK language.
///
/// `gander FILE.lk` is short for `gander run FILE.lk`.
#[derive(Debug, Parser)]
#[command(name = "gander", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(commands::run::Run),
    Serve(commands::serve::Serve),
    Check(commands::check::Check),
    Repl(commands::repl::Repl),
    Doc(commands::doc::Doc),
}

/// Programs and the compiler run on a stack of this size. It is reserved, not used: what recurses has limits that fit.
const STACK_BYTES: usize = 256 * 1024 * 1024;

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let cli = Cli::parse_from(with_run(std::env::args_os().collect()));
    let work = move || match cli.command {
        Command::Run(run) => run.execute(),
        Command::Serve(serve) => serve.execute(),
        Command::Check(check) => check.execute(),
        Command::Repl(repl) => repl.execute(),
        Command::Doc(doc) => doc.execute(),
    };
    let thread = std::thread::Builder::new().name("main".into()).stack_size(STACK_BYTES).spawn(work);
    match thread.map(std::thread::JoinHandle::join) {
        Ok(Ok(code)) => code,
        // The panic message has been printed by the thread.
        Ok(Err(_)) => ExitCode::from(101),
        Err(error) => {
            eprintln!("error: cannot start a thread: {error}");
            ExitCode::FAILURE
        }
    }
}

/// `gander file.lk …` means `gander run file.lk …`: a first argument that is no command and no option is a file.
fn with_run(mut args: Vec<std::ffi::OsString>) -> Vec<std::ffi::OsString> {
    let names: Vec<String> = <Cli as clap::CommandFactory>::command()
        .get_subcommands()
        .map(|command| command.get_name().to_owned())
        .chain(["help".to_owned()])
        .collect();
    let is_file = args.get(1).is_some_and(|first| {
        let first = first.to_string_lossy();
        !first.starts_with('-') && !names.iter().any(|name| *name == first)
    });
    if is_file {
        args.insert(1, "run".into());
    }
    args
}
