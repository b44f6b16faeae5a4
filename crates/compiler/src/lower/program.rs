//! Lowering whole programs: files, functions, constants; then the addresses that only the whole program knows.

use super::{Kind, Lowerer, Lowering};
use crate::builder::Overflow;
use crate::resolve::{FunctionNames, Target};
use bytecode::op::GLOBAL_ROOT;
use bytecode::{File, Function, Instr, Op, Operand, Program};
use source::{Diagnostic, Span};
use std::rc::Rc;
use std::sync::Arc;
use syntax::tree::{Function as Tree, FunctionBody, Stmt, StmtKind};

/// Lowers all files.
pub(crate) fn lower_program(lowering: &mut Lowering<'_>) -> Program {
    for (file, resolved) in lowering.resolved.iter().enumerate() {
        lowering.bases.push(lowering.functions.len() as u32);
        for _ in 0..resolved.function_count {
            lowering.reserve(file);
        }
    }
    lowering.makers = vec![None; lowering.declarations.structs.len()];
    lowering.lower_makers();
    let mut files = Vec::new();
    for file in 0..lowering.loaded.files.len() {
        lowering.lower_named_functions(file);
        let top = lowering.lower_top(file);
        files.push(top);
    }
    let prelude = lowering.lower_prelude();
    let functions = lowering.functions.drain(..).map(|function| function.unwrap_or_else(empty_function)).collect();
    let mut structs = lowering.declarations.struct_types();
    for (ty, maker) in structs.iter_mut().zip(&lowering.makers) {
        ty.maker = *maker;
    }
    let mut program = Program { functions, structs, files: Vec::new(), globals: 0, prelude: None };
    place_globals(&mut program, &files, prelude, lowering);
    program
}

fn empty_function() -> Function {
    Function {
        name: Arc::from(""),
        source: source::SourceId(0),
        span: Span::default(),
        params: 0,
        param_names: Vec::new(),
        required: 0,
        has_rest: false,
        entries: vec![0],
        captures: Vec::new(),
        own: None,
        registers: 1,
        code: vec![Instr::new(Op::ReturnNull, 0, 0, 0, 0)],
        spans: vec![Span::default()],
        constants: Vec::new(),
        sites: Vec::new(),
        handlers: Vec::new(),
        names: Vec::new(),
    }
}

/// Lays out the globals of all files and writes their addresses into the instructions.
fn place_globals(program: &mut Program, tops: &[u32], prelude: Option<u32>, lowering: &mut Lowering<'_>) {
    let mut next = 0;
    let registers = |program: &Program, id: u32| {
        program.functions.get(id as usize).map_or(0, |function| u32::from(function.registers))
    };
    for (file, top) in tops.iter().enumerate() {
        let source = lowering.loaded.files.get(file).map_or(source::SourceId(0), |file| file.source);
        program.files.push(File { source, top: *top, globals: next });
        next += registers(program, *top);
    }
    let prelude_base = next;
    if let Some(top) = prelude {
        program.prelude = Some(File { source: source::SourceId(0), top, globals: next });
        next += registers(program, top);
    }
    program.globals = next;
    let bases: Vec<u32> = program.files.iter().map(|file| file.globals).collect();
    for (function, file) in program.functions.iter_mut().zip(&lowering.function_files) {
        let base = bases.get(*file).copied().unwrap_or(0);
        for (instr, span) in function.code.iter_mut().zip(&function.spans) {
            if instr.op == Op::GetGlobal {
                // Constants are counted from the end, so that they are told from globals of the file.
                let slot = instr.bc();
                let place = if slot >= CONSTANT_BASE { slot - CONSTANT_BASE + prelude_base } else { slot + base };
                *instr = Instr::wide(Op::GetGlobal, instr.x, instr.a, place);
            } else if instr.op.operands().first() == Some(&Operand::Root) && instr.has(GLOBAL_ROOT) {
                let Ok(place) = u16::try_from(u32::from(instr.a) + base) else {
                    let message = "the program has too many top-level variables (more than 65,535)";
                    lowering.diagnostics.push(Diagnostic::parse_error(function.source, *span, message));
                    return;
                };
                instr.a = place;
            }
        }
    }
}

/// Slots from here on are constants that the prelude computes.
pub(super) const CONSTANT_BASE: u32 = 1 << 31;

impl<'a> Lowering<'a> {
    fn names(&self, file: usize, key: u32) -> Option<&'a FunctionNames> {
        self.resolved.get(file).and_then(|resolved| resolved.functions.get(&key))
    }

    fn lower_named_functions(&mut self, file: usize) {
        let Some(tree) = self.loaded.files.get(file) else { return };
        for statement in &tree.program.statements {
            if let StmtKind::Function(function) = &statement.kind {
                self.lower_function(file, function);
            }
        }
    }

    /// The place of a function in the table.
    pub(super) fn function_id(&self, file: usize, tree: &Tree) -> u32 {
        let order = self.names(file, tree.span.start).map_or(0, |names| names.order);
        self.bases.get(file).copied().unwrap_or(0) + order
    }

    /// Lowers a function into its place.
    pub(super) fn lower_function(&mut self, file: usize, tree: &'a Rc<Tree>) -> u32 {
        let place = self.function_id(file, tree);
        let names = self.names(file, tree.span.start);
        self.fill(place, tree.span, |lowering, far| {
            let mut lowerer = Lowerer::new(lowering, file, Kind::Function, names, far);
            lowerer.function(tree)
        });
        place
    }

    pub(super) fn reserve(&mut self, file: usize) -> u32 {
        self.functions.push(None);
        self.function_files.push(file);
        self.functions.len() as u32 - 1
    }

    /// Lowers with short jumps, and again with far ones when the function turns out to be long.
    fn fill(&mut self, place: u32, span: Span, mut lower: impl FnMut(&mut Self, bool) -> Result<Function, Overflow>) {
        let diagnostics = self.diagnostics.len();
        let mut result = lower(self, false);
        if matches!(result, Err(Overflow::FarJump)) {
            self.diagnostics.truncate(diagnostics);
            result = lower(self, true);
        }
        match result {
            Ok(function) => {
                if let Some(slot) = self.functions.get_mut(place as usize) {
                    *slot = Some(function);
                }
            }
            Err(Overflow::Limit(message)) => self.limit_error(place, span, message),
            Err(Overflow::FarJump) => self.limit_error(place, span, "a jump is too long".into()),
        }
    }

    fn limit_error(&mut self, place: u32, span: Span, message: String) {
        let file = self.function_files.get(place as usize).copied().unwrap_or(0);
        let source = self.loaded.files.get(file).map_or(source::SourceId(0), |file| file.source);
        self.diagnostics.push(Diagnostic::parse_error(source, span, message));
    }

    fn lower_top(&mut self, file: usize) -> u32 {
        let place = self.reserve(file);
        let names = self.names(file, u32::MAX);
        let Some(tree) = self.loaded.files.get(file) else { return place };
        let statements: &'a [Stmt] = &tree.program.statements;
        let globals = self.resolved.get(file).map_or(0, |resolved| resolved.globals.len() as u32);
        let end = statements.last().map_or(0, |statement| statement.span.end);
        self.fill(place, Span::new(0, end), |lowering, far| {
            let mut lowerer = Lowerer::new(lowering, file, Kind::Top, names, far);
            for slot in 0..globals {
                lowerer.place_variable(crate::resolve::VarId(slot));
            }
            lowerer.open_block(u32::MAX);
            lowerer.statements(statements);
            lowerer.finish("", Span::new(0, end))
        });
        place
    }

    fn lower_prelude(&mut self) -> Option<u32> {
        let values = &self.declarations.dynamic_values;
        if values.is_empty() {
            return None;
        }
        let place = self.reserve(0);
        self.fill(place, Span::default(), |lowering, far| {
            let mut lowerer = Lowerer::new(lowering, 0, Kind::Bare, None, far);
            let first = lowerer.b.alloc(values.len() as u32);
            for (name, at) in &lowerer.program.declarations.dynamic {
                lowerer.register_names.push((*at as u16, Arc::from(&**name)));
            }
            for (at, constant) in values.iter().enumerate() {
                lowerer.file = constant.file;
                lowerer.iota = Some(constant.iota);
                lowerer.evaluate_into(&constant.value, first + at as u32);
            }
            lowerer.file = 0;
            lowerer.finish("", Span::default())
        });
        Some(place)
    }
}

impl<'a> Lowerer<'_, 'a> {
    /// The code before the body: defaults of the parameters that were not given. Gives where to begin with `required`,
    /// `required + 1`, … arguments.
    fn entries(&mut self, tree: &'a Tree, required: usize) -> Vec<u32> {
        let optional: Vec<_> =
            tree.params.iter().enumerate().skip(required).filter(|(_, param)| !param.is_rest).collect();
        let labels: Vec<_> = (0..=optional.len()).map(|_| self.b.label()).collect();
        let mut entries = Vec::new();
        if optional.is_empty() {
            entries.push(self.b.position());
            self.mark_unassigned(tree.span.start);
        } else if self.has_marks(tree.span.start) {
            for label in &labels {
                entries.push(self.b.position());
                self.mark_unassigned(tree.span.start);
                self.b.jump(*label);
            }
        }
        let marked = !entries.is_empty();
        for (label, (at, param)) in labels.iter().zip(&optional) {
            if !marked {
                entries.push(self.b.position());
            }
            self.b.bind(*label);
            if let Some(default) = &param.default {
                self.evaluate_into(default, *at as u32);
            }
        }
        if !marked {
            entries.push(self.b.position());
        }
        if let Some(body) = labels.last() {
            self.b.bind(*body);
        }
        entries
    }

    /// Parameters, captured values, defaults, body.
    fn function(&mut self, tree: &'a Tree) -> Result<Function, Overflow> {
        let params = tree.params.len() as u32;
        self.b.span = tree.span;
        self.b.alloc(params);
        for (at, param) in tree.params.iter().enumerate() {
            if let Target::Local(id) = self.access(param.name.span).target {
                self.place_variable_at(id, at as u32);
            }
        }
        let names = self.names;
        let captures: Vec<u16> = names
            .map(|names| names.captures.iter().map(|(_, id)| self.place_variable(*id) as u16).collect())
            .unwrap_or_default();
        let own = names.and_then(|names| names.own).map(|id| self.place_variable(id) as u16);
        self.place_block(tree.span.start);
        let required = tree.required();
        let entries = self.entries(tree, required);
        match &tree.body {
            FunctionBody::Block(block) => self.statements(&block.statements),
            FunctionBody::Expr(expr) => self.return_value(Some(expr)),
        }
        let name = tree.name.as_ref().map_or("__anonymous__", |name| &*name.name);
        let function = self.finish(name, tree.span)?;
        Ok(Function {
            params: params as u16,
            param_names: tree.params.iter().map(|param| Arc::from(&*param.name.name)).collect(),
            required: required as u16,
            has_rest: tree.has_rest(),
            entries,
            captures,
            own,
            ..function
        })
    }
}
