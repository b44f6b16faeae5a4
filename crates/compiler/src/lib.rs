//! Source files → trees → names → bytecode.
//!
//! [`load`] reads and parses the files of a program, [`compile`] turns them into a [`bytecode::Program`]: declarations of
//! all files first, then names, then instructions. Warnings for the checker come from the same passes.

#![forbid(unsafe_code)]

mod builder;
mod declare;
mod fold;
mod load;
mod lower;
mod resolve;

pub use load::{Loaded, LoadedFile, Reader, load};

use bytecode::{Program, Signatures};
use source::Diagnostic;
use std::rc::Rc;

/// The outcome of a compilation.
#[derive(Debug)]
pub struct Compiled {
    /// The program; none when there are errors.
    pub program: Option<Program>,
    /// Errors and warnings, those of loading included, by file and position.
    pub diagnostics: Vec<Diagnostic>,
    /// Names of the main file's globals; the position is the slot.
    pub globals: Vec<Rc<str>>,
}

/// Compiles a loaded program.
pub fn compile(loaded: &Loaded, signatures: &Signatures) -> Compiled {
    let mut diagnostics = loaded.diagnostics.clone();
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Compiled { program: None, diagnostics, globals: Vec::new() };
    }
    let declarations = declare::declare(loaded, signatures);
    diagnostics.extend(declarations.diagnostics.iter().cloned());
    let is_constant = |name: &str| declarations.is_constant(name);
    let is_builtin = |name: &str| signatures.find("", name).is_some();
    let mut resolved = Vec::new();
    for file in &loaded.files {
        let (names, found) = resolve::resolve(file.source, &file.program, &is_constant, &is_builtin);
        resolved.push(names);
        diagnostics.extend(found);
    }
    let mut lowering = lower::Lowering {
        loaded,
        declarations: &declarations,
        signatures,
        resolved: &resolved,
        bases: Vec::new(),
        functions: Vec::new(),
        function_files: Vec::new(),
        diagnostics: Vec::new(),
        makers: Vec::new(),
    };
    let program = lower::lower_program(&mut lowering);
    diagnostics.append(&mut lowering.diagnostics);
    diagnostics.sort_by_key(|diagnostic| diagnostic.labels.first().map(|label| (label.source, label.span.start)));
    let failed = diagnostics.iter().any(Diagnostic::is_error);
    let globals = resolved.first().map(resolve::Resolved::global_names).unwrap_or_default();
    Compiled { program: (!failed).then_some(program), diagnostics, globals }
}

/// The instruction of the main file's top level where the text from byte `at` on begins. Text that is added at the end of a
/// file changes no function's place and no global's, so a session can go on from there.
pub fn top_level_start(program: &Program, at: u32) -> u32 {
    let top = program.files.first().and_then(|file| program.functions.get(file.top as usize));
    let start = top.and_then(|top| top.spans.iter().position(|span| span.start >= at));
    start.or(top.map(|top| top.code.len().saturating_sub(1))).unwrap_or(0) as u32
}
