//! From a path to a program that is ready to run.

use bytecode::Program;
use compiler::{Loaded, Reader};
use source::Diagnostic;
use std::path::Path;
use std::rc::Rc;
use vm::Registry;

/// The largest source file, in bytes.
const MAX_SOURCE: u64 = syntax::MAX_SOURCE_BYTES as u64;

/// Reads source files from disk.
#[derive(Debug)]
pub struct Files;

impl Reader for Files {
    fn read(&self, path: &Path) -> Result<String, String> {
        let size = std::fs::metadata(path).map_err(|error| reason(&error))?;
        if size.is_dir() {
            return Err("it is a folder".into());
        }
        if size.len() > MAX_SOURCE {
            return Err(format!("it has {} bytes, the limit is {MAX_SOURCE}", size.len()));
        }
        let bytes = std::fs::read(path).map_err(|error| reason(&error))?;
        if bytes.contains(&0) {
            return Err("it is not text: it holds a zero byte".into());
        }
        String::from_utf8(bytes).map_err(|error| {
            let line = error.as_bytes().iter().take(error.utf8_error().valid_up_to()).filter(|byte| **byte == b'\n');
            format!("it is not valid UTF-8 (line {})", line.count() + 1)
        })
    }
}

/// Why a file cannot be read, in words.
fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file".into(),
        std::io::ErrorKind::PermissionDenied => "permission denied".into(),
        _ => error.to_string(),
    }
}

/// A program that has been read and compiled.
#[derive(Debug)]
pub struct Prepared {
    /// Its files.
    pub loaded: Loaded,
    /// Its code; none when there are errors.
    pub program: Option<Program>,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// Names of the main file's globals; the position is the slot.
    pub globals: Vec<Rc<str>>,
}

/// Why there is nothing to run.
#[derive(Debug)]
pub enum Problem {
    /// The main file cannot be read: one line that says why.
    Unreadable(String),
    /// The main file is empty.
    Empty(String),
    /// The compiler has made a program that does not hold together.
    Internal(String),
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unreadable(message) | Self::Empty(message) => f.write_str(message),
            Self::Internal(fault) => write!(f, "internal fault of the compiler, please report it: {fault}"),
        }
    }
}

/// Reads and compiles the program whose main file is at `path`.
///
/// # Errors
/// A main file that cannot be read or is empty. Errors in the text are in the diagnostics.
pub fn prepare(path: &Path, registry: &Registry) -> Result<Prepared, Problem> {
    prepare_from(path, &Files, registry)
}

/// As [`prepare`], with files from elsewhere.
///
/// # Errors
/// As [`prepare`].
pub(crate) fn prepare_from(path: &Path, reader: &dyn Reader, registry: &Registry) -> Result<Prepared, Problem> {
    let text =
        reader.read(path).map_err(|why| Problem::Unreadable(format!("cannot read '{}': {why}", path.display())))?;
    if text.is_empty() {
        return Err(Problem::Empty(format!("'{}' is empty: there is nothing to run", path.display())));
    }
    Ok(prepare_loaded(compiler::load(path, &text, reader), registry))
}

/// Compiles a program whose main file has this text.
pub fn prepare_text(path: &Path, text: &str, registry: &Registry) -> Prepared {
    prepare_loaded(compiler::load(path, text, &Files), registry)
}

fn prepare_loaded(loaded: Loaded, registry: &Registry) -> Prepared {
    let compiled = compiler::compile(&loaded, registry.signatures());
    Prepared { loaded, program: compiled.program, diagnostics: compiled.diagnostics, globals: compiled.globals }
}
