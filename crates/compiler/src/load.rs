//! The files of a program: the main file and all that it `use`s, parsed before anything runs.

use source::{Diagnostic, Source, SourceId, SourceMap};
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use syntax::tree::{Program, StmtKind};

/// Reads source files; the compiler itself touches no file system.
pub trait Reader {
    /// The text of a file.
    ///
    /// # Errors
    /// A sentence that says why it cannot be read.
    fn read(&self, path: &Path) -> Result<String, String>;
}

/// A parsed file.
#[derive(Debug)]
pub struct LoadedFile {
    /// Its source.
    pub source: SourceId,
    /// Its tree.
    pub program: Program,
    /// Files it uses, by the position of the statement.
    pub(crate) uses: HashMap<u32, usize>,
    path: PathBuf,
}

/// All files of a program. The first one is the main file.
#[derive(Debug, Default)]
pub struct Loaded {
    /// Their text.
    pub sources: SourceMap,
    /// The files in load order.
    pub files: Vec<LoadedFile>,
    /// What was found wrong while reading and parsing.
    pub diagnostics: Vec<Diagnostic>,
}

/// Files of one program; a program that needs more has gone wrong.
const MAX_FILES: usize = 10_000;

/// Loads a program from its main file, whose text is given.
pub fn load(main: &Path, text: &str, reader: &dyn Reader) -> Loaded {
    let mut loaded = Loaded::default();
    let root = main.parent().map(normalize).unwrap_or_default();
    add_file(&mut loaded, main.to_path_buf(), text);
    let mut next = 0;
    while next < loaded.files.len() && loaded.files.len() < MAX_FILES {
        load_uses(&mut loaded, next, &root, reader);
        next += 1;
    }
    loaded
}

fn add_file(loaded: &mut Loaded, path: PathBuf, text: &str) -> usize {
    let source = loaded.sources.add(Source::new(path.display().to_string(), text));
    let parsed = syntax::parse(source, text);
    loaded.diagnostics.extend(parsed.diagnostics);
    loaded.files.push(LoadedFile { source, program: parsed.program, uses: HashMap::new(), path });
    loaded.files.len() - 1
}

/// Follows the `use "file"` statements of one file.
fn load_uses(loaded: &mut Loaded, index: usize, root: &Path, reader: &dyn Reader) {
    let Some(file) = loaded.files.get(index) else { return };
    let folder = file.path.parent().map(Path::to_path_buf).unwrap_or_default();
    let source = file.source;
    let statements = file.program.statements.iter();
    let uses: Vec<_> = statements
        .filter_map(|statement| match &statement.kind {
            StmtKind::UseFile(path) => Some((statement.span, path.clone())),
            _ => None,
        })
        .collect();
    for (span, written) in uses {
        let path = normalize(&folder.join(&*written));
        if Path::new(&*written).is_absolute() || !is_below(&path, root) {
            let message = format!("file module cannot escape the project directory: \"{written}\"");
            loaded.diagnostics.push(Diagnostic::parse_error(source, span, message));
            continue;
        }
        let known = loaded.files.iter().position(|file| normalize(&file.path) == path);
        let target = match known {
            Some(target) => target,
            None => match reader.read(&path) {
                Ok(text) => add_file(loaded, path, &text),
                Err(why) => {
                    let message = format!("cannot read \"{written}\": {why}");
                    loaded.diagnostics.push(Diagnostic::parse_error(source, span, message));
                    continue;
                }
            },
        };
        if let Some(file) = loaded.files.get_mut(index) {
            file.uses.insert(span.start, target);
        }
    }
}

/// Resolves `.` and `..` by name; what leads above the first folder stays as it is.
fn normalize(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if matches!(out.components().next_back(), Some(Component::Normal(_))) => {
                out.pop();
            }
            Component::ParentDir | Component::Normal(_) | Component::RootDir | Component::Prefix(_) => {
                out.push(component);
            }
        }
    }
    out
}

/// True for a normalized path that stays below a normalized folder.
fn is_below(path: &Path, folder: &Path) -> bool {
    let rest = path.strip_prefix(folder);
    rest.is_ok_and(|rest| matches!(rest.components().next(), Some(Component::Normal(_))))
}
