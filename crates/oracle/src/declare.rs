//! What a program declares at the top of its files: functions, constants, structs, names of modules.
//!
//! Declarations are known everywhere from the start. They are gathered in load order: what a file uses comes where it is
//! used.

use crate::load::File;
use crate::structure;
use bytecode::Signatures;
use source::{Diagnostic, SourceId, SourceMap, Span};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;
use syntax::tree::{ConstItem, Expr, Function, Ident, StmtKind, StructDecl};
use vm::StructDef;

/// A function that the whole program sees.
#[derive(Debug)]
pub(crate) struct NamedFunction {
    pub(crate) file: usize,
    pub(crate) tree: Rc<Function>,
}

/// A struct of the program.
#[derive(Debug)]
pub(crate) struct NamedStruct {
    pub(crate) file: usize,
    pub(crate) tree: StructDecl,
    pub(crate) def: Arc<StructDef>,
}

/// A constant.
#[derive(Debug)]
pub(crate) struct Constant {
    pub(crate) file: usize,
    pub(crate) name: Rc<str>,
    /// None for an item that has no value and none to repeat: it is its own `iota`.
    pub(crate) value: Option<Expr>,
    pub(crate) iota: i64,
}

/// All declarations of a program.
#[derive(Debug, Default)]
pub(crate) struct Declarations {
    /// By name; the last definition in load order.
    pub(crate) functions: HashMap<Rc<str>, NamedFunction>,
    pub(crate) structs: HashMap<Rc<str>, NamedStruct>,
    /// In load order.
    pub(crate) constants: Vec<Constant>,
    pub(crate) constant_names: HashSet<Rc<str>>,
    /// By file and written name: what `use … as …` makes of module names.
    aliases: HashMap<(usize, Rc<str>), Rc<str>>,
}

impl Declarations {
    /// The module that a name in front of `::` means in a file.
    pub(crate) fn module(&self, file: usize, written: &Rc<str>) -> Rc<str> {
        self.aliases.get(&(file, Rc::clone(written))).unwrap_or(written).clone()
    }
}

/// Gathers the declarations of all files.
pub(crate) fn declare(
    sources: &SourceMap,
    files: &[File],
    signatures: &Signatures,
    errors: &mut Vec<Diagnostic>,
) -> Declarations {
    let mut gathering = Gathering {
        sources,
        files,
        signatures,
        errors,
        seen: HashSet::new(),
        structs: Vec::new(),
        found: Declarations::default(),
    };
    gathering.file(0);
    let Gathering { structs, mut found, .. } = gathering;
    let names: HashSet<Rc<str>> = structs.iter().map(|(_, decl)| decl.name.name.clone()).collect();
    for (file, decl) in structs {
        let def = structure::definition(&decl, &|name| names.contains(name));
        found.structs.insert(decl.name.name.clone(), NamedStruct { file, tree: decl, def });
    }
    found
}

/// A field's name, whether it may be null, its type, and its default as it is written.
type FieldParts = (Rc<str>, bool, Rc<str>, Option<String>);

struct Gathering<'a> {
    sources: &'a SourceMap,
    files: &'a [File],
    signatures: &'a Signatures,
    errors: &'a mut Vec<Diagnostic>,
    seen: HashSet<usize>,
    structs: Vec<(usize, StructDecl)>,
    found: Declarations,
}

impl Gathering<'_> {
    /// Files nest at most as deep as there are files, and their number is limited.
    fn file(&mut self, at: usize) {
        let Some(file) = self.files.get(at).filter(|_| self.seen.insert(at)) else { return };
        for statement in &file.tree.statements {
            match &statement.kind {
                StmtKind::UseFile(_) => {
                    if let Some(used) = file.uses.get(&statement.span.start) {
                        self.file(*used);
                    }
                }
                StmtKind::UseModule { module, alias } => self.module(at, file.source, module, alias.as_ref()),
                StmtKind::Function(tree) => self.function(at, file.source, tree),
                StmtKind::Const(items) => self.constants(at, file.source, items),
                StmtKind::Struct(decl) => self.structure(at, file.source, decl),
                _ => {}
            }
        }
    }

    fn error(&mut self, source: SourceId, span: Span, message: String) {
        self.errors.push(Diagnostic::parse_error(source, span, message));
    }

    fn module(&mut self, file: usize, source: SourceId, module: &Ident, alias: Option<&Ident>) {
        let name = &module.name;
        if matches!(&**name, "timer" | "ws" | "sse") {
            let message = format!(
                "'{name}' is built in and is not a module: remove the 'use {name}' line and call {name}:: directly."
            );
            return self.error(source, module.span, message);
        }
        if !self.signatures.has_module(name) {
            let message =
                format!("Unknown module: '{name}'. If it is a package, install it with: lk module install {name}");
            return self.error(source, module.span, message);
        }
        if let Some(alias) = alias {
            self.found.aliases.insert((file, alias.name.clone()), name.clone());
        }
    }

    fn function(&mut self, file: usize, source: SourceId, tree: &Rc<Function>) {
        let Some(name) = &tree.name else { return };
        if self.signatures.find("", &name.name).is_some() {
            let message = format!("'{}' is a builtin — cannot be redefined", name.name);
            return self.error(source, name.span, message);
        }
        self.found.functions.insert(name.name.clone(), NamedFunction { file, tree: Rc::clone(tree) });
    }

    fn constants(&mut self, file: usize, source: SourceId, items: &[ConstItem]) {
        let mut repeated = None;
        for (iota, item) in items.iter().enumerate() {
            let name = &item.name.name;
            if !self.found.constant_names.insert(name.clone()) {
                let message = format!("constant '{name}' is already defined and cannot be changed");
                self.error(source, item.name.span, message);
            }
            repeated = item.value.as_ref().or(repeated);
            let constant = Constant { file, name: name.clone(), value: repeated.cloned(), iota: iota as i64 };
            self.found.constants.push(constant);
        }
    }

    fn structure(&mut self, file: usize, source: SourceId, decl: &StructDecl) {
        let name = &decl.name.name;
        let known = self.structs.iter().find(|(_, known)| known.name.name == *name);
        if let Some((known_file, known)) = known {
            let Some(known_source) = self.files.get(*known_file).map(|file| file.source) else { return };
            if self.fields(known_source, known) != self.fields(source, decl) {
                let text = self.sources.get(known_source);
                let line = text.location(known.span.start).line;
                let place =
                    if *known_file == file { format!("line {line}") } else { format!("{}:{line}", text.name()) };
                let message = format!("struct '{name}' is already declared at {place} with different fields");
                self.error(source, decl.name.span, message);
            }
            return;
        }
        for (at, field) in decl.fields.iter().enumerate() {
            if decl.fields.iter().take(at).any(|before| before.name.name == field.name.name) {
                let message = format!("struct '{name}' declares field '{}' twice", field.name.name);
                self.error(source, field.name.span, message);
            }
        }
        self.structs.push((file, decl.clone()));
    }

    /// What makes two declarations of one struct the same.
    fn fields(&self, source: SourceId, decl: &StructDecl) -> Vec<FieldParts> {
        let text = self.sources.get(source);
        let fields = decl.fields.iter().map(|field| {
            let default = field.default.as_ref().map(|default| text.slice(default.span).to_owned());
            (field.name.name.clone(), field.nullable, field.ty.name.clone(), default)
        });
        fields.collect()
    }
}
