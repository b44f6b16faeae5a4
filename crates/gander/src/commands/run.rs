//! `gander run`: runs a program.

use crate::commands::usage_error;
use crate::program::{Prepared, Problem, prepare, prepare_text};
use crate::registry;
use crate::report::print_diagnostics;
use crate::serve;
use crate::serve::load::{Attempt, Started, load};
use crate::settings::Flags;
use bytecode::Program;
use compiler::Loaded;
use source::Diagnostic;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;
use vm::{Host, Image, Isolate, Output, Registry, SyntaxIssue, ThrownKind};

/// Warnings that are shown when a program is run; `gander check` shows all.
const SHOWN_WARNINGS: [&str; 2] = ["int-literal", "param-write"];

/// Runs a program. One that registers routes answers requests, as with gander serve and the settings of the environment.
///
/// Exit codes: 0, 1 for an error in the program, 2 for wrong use, or what the program's exit(n) says.
#[derive(Debug, clap::Args)]
pub(crate) struct Run {
    /// Prints the bytecode instead of running it.
    #[arg(long)]
    disassemble: bool,
    /// How deep calls may nest before `Stack overflow`, an error like others. Without it as gander serve --help says.
    #[arg(long, value_name = "CALLS")]
    max_depth: Option<usize>,
    /// The program's main file.
    file: PathBuf,
    /// Arguments for the program: what args() gives.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<String>,
}

impl Run {
    pub(crate) fn execute(self) -> ExitCode {
        let result =
            if self.disassemble { disassemble(&self.file) } else { run_file(&self.file, self.args, self.max_depth) };
        match result {
            Ok(code) => ExitCode::from(code),
            Err(problem @ Problem::Unreadable(_)) => usage_error(&problem.to_string()),
            Err(problem) => {
                eprintln!("error: {problem}");
                ExitCode::FAILURE
            }
        }
    }
}

/// Reads, compiles, and prints what the author has to know.
fn compile(file: &Path, registry: &Registry) -> Result<(Loaded, Option<Program>, Vec<Diagnostic>), Problem> {
    let Prepared { loaded, program, diagnostics, .. } = prepare(file, registry)?;
    print_findings(&loaded, &diagnostics);
    Ok((loaded, program, diagnostics))
}

/// Prints what the author has to know before the program runs.
pub(crate) fn print_findings(loaded: &Loaded, diagnostics: &[Diagnostic]) {
    let shown = |diagnostic: &&Diagnostic| diagnostic.is_error() || SHOWN_WARNINGS.contains(&diagnostic.code);
    print_diagnostics(diagnostics.iter().filter(shown), &loaded.sources);
}

fn disassemble(file: &Path) -> Result<u8, Problem> {
    let registry = registry();
    let (loaded, program, _) = compile(file, &registry)?;
    let Some(program) = program else { return Ok(1) };
    print!("{}", bytecode::disassemble(&program, &loaded.sources, registry.signatures()));
    Ok(0)
}

/// What surrounds a program that is run from the command line.
pub fn host(file: &Path, args: Vec<String>) -> Host {
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let root = parent.canonicalize().unwrap_or_else(|_| parent.to_path_buf());
    Host { root, args, script: file.display().to_string(), check_syntax: Some(check_syntax) }
}

/// Runs the program whose main file is `file` and gives its exit code. What it prints goes to standard output, errors to
/// standard error. A program that registers routes serves until it is stopped.
///
/// # Errors
/// A main file that cannot be read or is empty.
pub fn execute(file: &Path, args: Vec<String>) -> Result<u8, Problem> {
    run_file(file, args, None)
}

fn run_file(file: &Path, args: Vec<String>, max_depth: Option<usize>) -> Result<u8, Problem> {
    let began = Instant::now();
    let Attempt { result, files } = load(file, args.clone(), max_depth.unwrap_or(vm::DEFAULT_CALL_DEPTH), false);
    Ok(match result? {
        Started::Ended(code) => code,
        Started::NoRoutes => 0,
        Started::Application(application) => Flags::default().settle().map_or(2, |mut life| {
            life.args = args;
            life.options.max_depth = max_depth.unwrap_or(life.options.max_depth);
            serve::run(file, &life, application, files, began)
        }),
    })
}

/// Runs a program whose main file has this text, without files or arguments, and gives what it printed and how it ended:
/// empty for its normal end, `exit N`, `stop`, `threw: ` and the text of what it threw, or `refused: ` and the first message
/// for a program that does not start. For comparing engines.
pub fn observe(path: &Path, text: &str) -> (String, String) {
    let registry = registry();
    let prepared = prepare_text(path, text, &registry);
    let Some(program) = prepared.program else {
        let errors = prepared.diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
        let first = errors.min_by_key(|error| error.labels.first().map(|label| label.span.start));
        return (String::new(), format!("refused: {}", first.map_or("", |error| &error.message)));
    };
    let image = match Image::link(program, &registry) {
        Ok(image) => image,
        Err(fault) => return (String::new(), fault),
    };
    let mut isolate = Isolate::with_image(image, registry, Arc::new(Host::default()), Output::kept());
    let result = isolate.run_main();
    let end = match result.map_err(vm::Thrown::into_kind) {
        Ok(()) => String::new(),
        Err(ThrownKind::Exit(code)) => format!("exit {code}"),
        Err(ThrownKind::Stop) => "stop".to_owned(),
        Err(ThrownKind::Value { value, .. }) => format!("threw: {}", vm::text::to_text(&value).to_str_lossy()),
    };
    (String::from_utf8_lossy(&isolate.output().take()).into_owned(), end)
}

/// Checks a text for `look::check`: errors, and calls of functions that do not exist.
pub(crate) fn check_syntax(text: &str) -> Option<SyntaxIssue> {
    let prepared = prepare_text(Path::new("text"), text, &registry());
    let is_issue = |diagnostic: &&Diagnostic| diagnostic.is_error() || diagnostic.code == "undefined-function";
    let issue = prepared.diagnostics.iter().find(is_issue)?;
    let label = issue.labels.first()?;
    let at = prepared.loaded.sources.get(label.source).location(label.span.start);
    Some(SyntaxIssue { line: at.line, column: at.column, message: issue.message.clone() })
}
