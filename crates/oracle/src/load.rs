//! From a main file to a program: all files it uses are read, parsed, declared and checked before anything runs.

use crate::check;
use crate::declare::{Declarations, declare};
use bytecode::Signatures;
use source::{Diagnostic, Source, SourceId, SourceMap};
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;
use syntax::tree::{self, StmtKind};

/// Reads source files; the oracle itself touches no file system.
pub trait Reader {
    /// The text of a file.
    ///
    /// # Errors
    /// A sentence that says why it cannot be read.
    fn read(&self, path: &Path) -> Result<String, String>;
}

impl<F: Fn(&Path) -> Result<String, String>> Reader for F {
    fn read(&self, path: &Path) -> Result<String, String> {
        self(path)
    }
}

/// A file of a program.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) source: SourceId,
    pub(crate) tree: Rc<tree::Program>,
    /// The files it uses, by the position of the statement.
    pub(crate) uses: HashMap<u32, usize>,
    /// Its path below the folder of the main file.
    inside: PathBuf,
}

/// A program that may run. The first file is the main file.
#[derive(Debug)]
pub struct Program {
    pub(crate) sources: SourceMap,
    pub(crate) files: Vec<File>,
    pub(crate) declarations: Declarations,
}

/// Why a program does not start.
#[derive(Debug)]
pub struct Refused {
    /// Its files.
    pub sources: SourceMap,
    /// What is wrong with them.
    pub errors: Vec<Diagnostic>,
}

/// A program that needs more files has gone wrong.
const MAX_FILES: usize = 10_000;

/// Loads the program whose main file has this path and text.
///
/// # Errors
/// Everything for which the language does not start a program.
pub fn load(main: &Path, text: &str, reader: &dyn Reader, signatures: &Signatures) -> Result<Program, Refused> {
    let root = main.parent().map(Path::to_path_buf).unwrap_or_default();
    let mut loader = Loader { root, sources: SourceMap::new(), files: Vec::new(), errors: Vec::new() };
    loader.add(main.file_name().map(PathBuf::from).unwrap_or_default(), text);
    let mut next = 0;
    while next < loader.files.len() && next < MAX_FILES {
        loader.follow_uses(next, reader);
        next += 1;
    }
    let Loader { sources, files, mut errors, .. } = loader;
    if !errors.is_empty() {
        return Err(Refused { sources, errors });
    }
    let declarations = declare(&sources, &files, signatures, &mut errors);
    for (at, file) in files.iter().enumerate() {
        check::check(at, file, &declarations, signatures, &mut errors);
    }
    if errors.is_empty() { Ok(Program { sources, files, declarations }) } else { Err(Refused { sources, errors }) }
}

struct Loader {
    /// The folder of the main file.
    root: PathBuf,
    sources: SourceMap,
    files: Vec<File>,
    errors: Vec<Diagnostic>,
}

impl Loader {
    fn add(&mut self, inside: PathBuf, text: &str) -> usize {
        let source = self.sources.add(Source::new(self.root.join(&inside).display().to_string(), text));
        let parsed = syntax::parse(source, text);
        self.errors.extend(parsed.diagnostics.into_iter().filter(Diagnostic::is_error));
        self.files.push(File { source, tree: Rc::new(parsed.program), uses: HashMap::new(), inside });
        self.files.len() - 1
    }

    fn follow_uses(&mut self, at: usize, reader: &dyn Reader) {
        let Some(file) = self.files.get(at) else { return };
        let (tree, source) = (Rc::clone(&file.tree), file.source);
        let folder = file.inside.parent().map(Path::to_path_buf).unwrap_or_default();
        for statement in &tree.statements {
            let StmtKind::UseFile(written) = &statement.kind else { continue };
            match self.find(&folder.join(&**written), written, reader) {
                Ok(target) => {
                    if let Some(file) = self.files.get_mut(at) {
                        file.uses.insert(statement.span.start, target);
                    }
                }
                Err(message) => self.errors.push(Diagnostic::parse_error(source, statement.span, message)),
            }
        }
    }

    /// The file at a path below the folder of the main file, read now unless that has been done.
    fn find(&mut self, path: &Path, written: &str, reader: &dyn Reader) -> Result<usize, String> {
        let inside = without_dots(path)
            .ok_or_else(|| format!("file module cannot escape the project directory: \"{written}\""))?;
        if let Some(known) = self.files.iter().position(|file| file.inside == inside) {
            return Ok(known);
        }
        let text = reader.read(&self.root.join(&inside)).map_err(|why| format!("cannot read \"{written}\": {why}"))?;
        Ok(self.add(inside, &text))
    }
}

/// A path below some folder without `.` and `..`; none for one that leads out of it.
fn without_dots(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::Normal(_) => plain.push(part),
            Component::ParentDir if plain.pop() => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(plain)
}

#[cfg(test)]
mod tests;
