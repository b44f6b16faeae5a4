//! `gander repl`: reads, runs and prints, line by line.
//!
//! A session is one growing program. Each input is added to its text, the whole is compiled again, and only the new part
//! runs: functions and variables keep their places because both are numbered in the order of the text.

use crate::program::prepare_text;
use crate::registry;
use crate::report::{print_diagnostics, runtime_error, stderr_style};
use rustyline::error::ReadlineError;
use rustyline::{Config, DefaultEditor};
use source::{Diagnostic, Source, SourceMap};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use syntax::tree::StmtKind;
use vm::{Host, Image, Isolate, Output, Registry, ThrownKind, Value, View, text};

/// The variable that holds the value of the last expression.
const LAST: &str = "_";

/// Tries things out: reads input, runs it, prints its value.
///
/// An input that is not finished goes on in the next line; an empty line ends it. `$_` is the last value. Ctrl-D leaves.
#[derive(Debug, clap::Args)]
pub(crate) struct Repl {}

impl Repl {
    pub(crate) fn execute(self) -> ExitCode {
        let mut session = Session::new();
        let interactive = std::io::stdin().is_terminal();
        if interactive {
            println!("Gander {} — Ctrl-D leaves, `gander doc` lists the library", env!("CARGO_PKG_VERSION"));
        }
        let config = Config::builder().auto_add_history(true).build();
        let Ok(mut editor) = DefaultEditor::with_config(config) else {
            eprintln!("error: the terminal cannot be read");
            return ExitCode::FAILURE;
        };
        let history = history_file().filter(|_| interactive);
        if let Some(file) = &history {
            // No history yet is fine.
            let _missing = editor.load_history(file);
        }
        let code = session.read_all(&mut editor);
        if let Some(file) = &history
            && let Err(error) = editor.save_history(file)
        {
            eprintln!("warning: the history was not saved in {}: {error}", file.display());
        }
        ExitCode::from(code)
    }
}

fn history_file() -> Option<PathBuf> {
    let folder = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from);
    let folder = folder.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/state")))?.join("gander");
    std::fs::create_dir_all(&folder).ok()?;
    Some(folder.join("history"))
}

/// What has been entered so far.
struct Session {
    registry: Arc<Registry>,
    isolate: Isolate,
    text: String,
    globals: usize,
}

impl Session {
    fn new() -> Self {
        let registry = registry();
        let root = std::env::current_dir().unwrap_or_default();
        let check_syntax = Some(super::run::check_syntax as fn(&str) -> _);
        let host = Host { root, args: Vec::new(), script: "repl".into(), check_syntax };
        let output = Output::to(Box::new(std::io::stdout()));
        let isolate = Isolate::new(registry.clone(), Arc::new(host), output);
        Self { registry, isolate, text: String::new(), globals: 0 }
    }

    /// Reads until the end of the input or `exit()`. Gives the exit code.
    fn read_all(&mut self, editor: &mut DefaultEditor) -> u8 {
        let mut input = String::new();
        loop {
            match editor.readline(if input.is_empty() { "> " } else { ". " }) {
                Ok(line) => {
                    let ended = line.trim().is_empty();
                    input.push_str(&line);
                    input.push('\n');
                    if !ended && is_unfinished(&input) {
                        continue;
                    }
                    if let Some(code) = self.enter(&std::mem::take(&mut input)) {
                        return code;
                    }
                }
                Err(ReadlineError::Interrupted) => input.clear(),
                Err(ReadlineError::Eof) => return self.enter(&input).unwrap_or(0),
                Err(error) => {
                    eprintln!("error: {error}");
                    return 1;
                }
            }
        }
    }

    /// Runs one input. Gives the exit code when it ends the session.
    fn enter(&mut self, input: &str) -> Option<u8> {
        if input.trim().is_empty() {
            return None;
        }
        let is_expression = is_expression(input);
        let start = self.text.len() as u32;
        let prefix = if is_expression { format!("${LAST} = ") } else { String::new() };
        let text = format!("{}{prefix}{}\n", self.text, input.trim_end());
        let prepared = prepare_text(Path::new("repl"), &text, &self.registry);
        let is_new = |diagnostic: &&Diagnostic| {
            let at = diagnostic.labels.first().map_or(start, |label| label.span.start);
            at >= start && (diagnostic.is_error() || diagnostic.code != "undefined-variable")
        };
        print_diagnostics(prepared.diagnostics.iter().filter(is_new), &prepared.loaded.sources);
        let program = prepared.program?;
        let first = compiler::top_level_start(&program, start);
        let image = match Image::link(program, &self.registry) {
            Ok(image) => image,
            Err(fault) => {
                eprintln!("error: internal fault of the compiler, please report it: {fault}");
                return None;
            }
        };
        let result = self.isolate.run_more(image, first, self.globals);
        self.isolate.output().flush();
        self.text = text;
        self.globals = prepared.globals.len();
        match result.map_err(vm::Thrown::into_kind) {
            Ok(()) | Err(ThrownKind::Stop) => {}
            Err(ThrownKind::Exit(code)) => return Some(code as u8),
            Err(ThrownKind::Value { value, trace }) => {
                let report =
                    runtime_error(&value, &trace, &prepared.loaded.sources, &prepared.diagnostics, stderr_style());
                eprint!("{report}");
                return None;
            }
        }
        if is_expression
            && let Some(slot) = prepared.globals.iter().position(|name| &**name == LAST)
            && let Some(value) = self.isolate.global(slot)
            && !value.is_null()
        {
            println!("{}", shown(value));
        }
        None
    }
}

/// A value as the session shows it: strings in quotes.
fn shown(value: &Value) -> String {
    match value.view() {
        View::Str(text) => format!("\"{}\"", text.to_str_lossy().escape_debug()),
        _ => text::to_text(value).to_str_lossy().into_owned(),
    }
}

/// True when the parser ran out of text.
fn is_unfinished(input: &str) -> bool {
    let mut sources = SourceMap::new();
    let id = sources.add(Source::new("repl", input));
    let end = input.trim_end().len() as u32;
    let parsed = syntax::parse(id, input);
    let first = parsed.diagnostics.iter().find(|diagnostic| diagnostic.is_error());
    let at = first.and_then(|error| error.labels.first()).map(|label| label.span.start);
    at.is_some_and(|at| at >= end) || first.is_some_and(|error| error.message.starts_with("Unterminated"))
}

/// True for a single expression, whose value is worth showing.
fn is_expression(input: &str) -> bool {
    let mut sources = SourceMap::new();
    let id = sources.add(Source::new("repl", input));
    let parsed = syntax::parse(id, input);
    match parsed.program.statements.as_slice() {
        [only] => !parsed.has_errors() && matches!(only.kind, StmtKind::Expr(_)),
        _ => false,
    }
}
