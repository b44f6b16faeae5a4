//! What a program declares at the top of its files: functions, constants, structs, module names.

use crate::fold::{Known, fold};
use crate::load::{Loaded, LoadedFile};
use bytecode::{Constant, Signatures, StructField, StructType};
use source::{Diagnostic, Source, SourceId, Span, did_you_mean};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use syntax::tree::{ConstItem, Expr, Function, Ident, StmtKind, StructDecl};

/// A function that the whole program sees.
#[derive(Clone, Debug)]
pub(crate) struct NamedFunction {
    /// The file that declares it.
    pub(crate) file: usize,
    /// Its declaration.
    pub(crate) tree: Rc<Function>,
}

/// A constant whose value is computed when the program starts.
#[derive(Debug)]
pub(crate) struct DynamicConstant {
    /// The file that declares it.
    pub(crate) file: usize,
    /// Its value.
    pub(crate) value: Expr,
    /// The value of `iota` in it.
    pub(crate) iota: i64,
}

/// A struct of the program.
#[derive(Debug)]
pub(crate) struct NamedStruct {
    /// Its place in the program's struct table.
    pub(crate) id: u32,
    /// The file that declares it.
    pub(crate) file: usize,
    /// Its declaration.
    pub(crate) tree: StructDecl,
}

/// All declarations of a program.
#[derive(Debug, Default)]
pub(crate) struct Declarations {
    /// Functions by name: the last definition in load order.
    pub(crate) functions: HashMap<Rc<str>, NamedFunction>,
    /// Constants that are known.
    pub(crate) known: Known,
    /// Constants that are computed at the start, by name; the number is their order.
    pub(crate) dynamic: HashMap<Rc<str>, u32>,
    /// The same in order.
    pub(crate) dynamic_values: Vec<DynamicConstant>,
    /// Structs by name.
    pub(crate) structs: HashMap<Rc<str>, NamedStruct>,
    /// Module names by file: what `use … as …` makes of them.
    pub(crate) aliases: Vec<HashMap<Rc<str>, Rc<str>>>,
    constant_places: HashMap<Rc<str>, (SourceId, Span)>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Collects the declarations of all files in load order: what a file uses comes where it is used.
pub(crate) fn declare(loaded: &Loaded, signatures: &Signatures) -> Declarations {
    let mut declarations = Declarations { aliases: vec![HashMap::new(); loaded.files.len()], ..Default::default() };
    let mut visited = vec![false; loaded.files.len()];
    // An explicit stack: a chain of files may be long.
    let mut open: Vec<(usize, usize)> = vec![(0, 0)];
    while let Some((file, at)) = open.pop() {
        if let Some(seen) = visited.get_mut(file)
            && at == 0
            && std::mem::replace(seen, true)
        {
            continue;
        }
        let Some(tree) = loaded.files.get(file) else { continue };
        let Some(statement) = tree.program.statements.get(at) else { continue };
        open.push((file, at + 1));
        match &statement.kind {
            StmtKind::UseFile(_) => {
                if let Some(target) = tree.uses.get(&statement.span.start)
                    && visited.get(*target) == Some(&false)
                {
                    open.push((*target, 0));
                }
            }
            StmtKind::UseModule { module, alias } => {
                declarations.use_module(tree, file, module, alias.as_ref(), signatures);
            }
            StmtKind::Function(function) => declarations.function(tree, file, function, signatures),
            StmtKind::Const(items) => declarations.constants(tree, file, items),
            StmtKind::Struct(decl) => declarations.structure(loaded, tree, file, decl),
            _ => {}
        }
    }
    declarations
}

impl Declarations {
    fn error(&mut self, source: SourceId, span: Span, message: String) {
        self.diagnostics.push(Diagnostic::parse_error(source, span, message));
    }

    fn use_module(
        &mut self,
        tree: &LoadedFile,
        file: usize,
        module: &Ident,
        alias: Option<&Ident>,
        signatures: &Signatures,
    ) {
        let name = &module.name;
        if matches!(&**name, "timer" | "ws" | "sse") {
            let message = format!(
                "'{name}' is built in and is not a module: remove the 'use {name}' line and call {name}:: directly."
            );
            return self.error(tree.source, module.span, message);
        }
        if !signatures.has_module(name) {
            let message =
                format!("Unknown module: '{name}'. If it is a package, install it with: lk module install {name}");
            let hint = did_you_mean(name, signatures.modules()).map(|near| format!("did you mean '{near}'?"));
            let mut diagnostic = Diagnostic::parse_error(tree.source, module.span, message);
            diagnostic.hint = hint;
            return self.diagnostics.push(diagnostic);
        }
        if let (Some(alias), Some(aliases)) = (alias, self.aliases.get_mut(file)) {
            aliases.insert(alias.name.clone(), name.clone());
        }
    }

    fn function(&mut self, tree: &LoadedFile, file: usize, function: &Rc<Function>, signatures: &Signatures) {
        let Some(name) = &function.name else { return };
        if signatures.find("", &name.name).is_some() {
            let message = format!("'{}' is a builtin — cannot be redefined", name.name);
            return self.error(tree.source, name.span, message);
        }
        let known = self.functions.insert(name.name.clone(), NamedFunction { file, tree: function.clone() });
        let in_this_file = known.is_some_and(|known| known.file == file);
        if in_this_file {
            let message = format!("function '{}' is defined twice in this file: the later one is used", name.name);
            self.diagnostics.push(Diagnostic::warning("duplicate-function", tree.source, name.span, message));
        }
    }

    fn constants(&mut self, tree: &LoadedFile, file: usize, items: &[ConstItem]) {
        let mut last: Option<&Expr> = None;
        for (iota, item) in items.iter().enumerate() {
            let iota = iota as i64;
            let name = item.name.name.clone();
            let place = (tree.source, item.name.span);
            if let Some((source, span)) = self.constant_places.insert(name.clone(), place) {
                let message = format!("constant '{name}' is already defined and cannot be changed");
                let diagnostic = Diagnostic::parse_error(tree.source, item.name.span, message);
                self.diagnostics.push(diagnostic.with_label(source, span, "first defined here"));
                continue;
            }
            last = item.value.as_ref().or(last);
            let folded = last.map_or(Some(Constant::Int(iota)), |value| fold(value, &self.known, Some(iota)));
            match (folded, last) {
                (Some(value), _) => {
                    self.known.insert(name, value);
                }
                (None, Some(value)) => {
                    self.dynamic.insert(name, self.dynamic_values.len() as u32);
                    self.dynamic_values.push(DynamicConstant { file, value: value.clone(), iota });
                }
                (None, None) => {}
            }
        }
    }

    fn structure(&mut self, loaded: &Loaded, tree: &LoadedFile, file: usize, decl: &StructDecl) {
        let name = &decl.name.name;
        if let Some(known) = self.structs.get(name) {
            let Some(first) = loaded.files.get(known.file) else { return };
            let text = loaded.sources.get(first.source);
            if same_fields((&known.tree, text), (decl, loaded.sources.get(tree.source))) {
                return;
            }
            let line = text.location(known.tree.span.start).line;
            let place = if known.file == file { format!("line {line}") } else { format!("{}:{line}", text.name()) };
            let message = format!("struct '{name}' is already declared at {place} with different fields");
            return self.error(tree.source, decl.name.span, message);
        }
        let mut names: Vec<&str> = Vec::new();
        for field in &decl.fields {
            if names.contains(&&*field.name.name) {
                let message = format!("struct '{name}' declares field '{}' twice", field.name.name);
                self.error(tree.source, field.name.span, message);
            }
            names.push(&field.name.name);
        }
        let id = self.structs.len() as u32;
        self.structs.insert(name.clone(), NamedStruct { id, file, tree: decl.clone() });
    }

    /// True for a name that is a constant of the program.
    pub(crate) fn is_constant(&self, name: &str) -> bool {
        self.known.contains_key(name) || self.dynamic.contains_key(name)
    }

    /// The struct table; makers are filled in by lowering.
    pub(crate) fn struct_types(&self) -> Vec<StructType> {
        let mut all: Vec<&NamedStruct> = self.structs.values().collect();
        all.sort_by_key(|named| named.id);
        let field = |field: &syntax::tree::StructField| StructField {
            name: Arc::from(&*field.name.name),
            ty: Arc::from(&*field.ty.name),
            nullable: field.nullable,
            default: field.default.as_ref().and_then(|value| fold(value, &self.known, None)),
        };
        all.iter()
            .map(|named| StructType {
                name: Arc::from(&*named.tree.name.name),
                fields: named.tree.fields.iter().map(field).collect(),
                maker: None,
            })
            .collect()
    }
}

/// True when two declarations of a struct say the same: fields, types and the text of defaults.
fn same_fields((a, a_text): (&StructDecl, &Source), (b, b_text): (&StructDecl, &Source)) -> bool {
    let same = |a: &syntax::tree::StructField, b: &syntax::tree::StructField| {
        let text = |field: &syntax::tree::StructField, source: &Source| {
            field.default.as_ref().map(|default| source.slice(default.span).to_owned())
        };
        (&a.name.name, a.nullable, &a.ty.name) == (&b.name.name, b.nullable, &b.ty.name)
            && text(a, a_text) == text(b, b_text)
    };
    a.fields.len() == b.fields.len() && a.fields.iter().zip(&b.fields).all(|(a, b)| same(a, b))
}
