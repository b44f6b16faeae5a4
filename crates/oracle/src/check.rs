//! What is refused before a program runs, apart from syntax and declarations: writes to captured variables, `break` outside
//! of a loop, functions of modules that do not exist.
//!
//! A walk over the tree in the order of evaluation that knows, for each open function, which names its blocks have made so
//! far and which it has taken from outside.

use crate::declare::Declarations;
use crate::load::File;
use crate::written::{globals, pushed_place};
use bytecode::Signatures;
use source::{Diagnostic, Span};
use std::collections::HashSet;
use std::rc::Rc;
use syntax::tree::{Block, Case, Expr, ExprKind, Function, FunctionBody, Ident, Stmt, StmtKind, StrPart};

type Names = HashSet<Rc<str>>;

/// A function whose body is being walked, or the top level of the file.
#[derive(Default)]
struct Open {
    /// Names that its open blocks have made. Those of the first block of the top level are globals.
    blocks: Vec<Names>,
    captured: Names,
    /// Loops around the place, and switches, which only `break` can leave.
    loops: usize,
    switches: usize,
}

struct Checker<'a> {
    at: usize,
    file: &'a File,
    declarations: &'a Declarations,
    signatures: &'a Signatures,
    errors: &'a mut Vec<Diagnostic>,
    globals: Names,
    /// Innermost last; the first is the top level.
    open: Vec<Open>,
    /// Above zero inside of `{…}` in a string, where what does not exist is printed as it is written.
    interpolated: usize,
}

/// Checks file number `at` of a program.
pub(crate) fn check(
    at: usize,
    file: &File,
    declarations: &Declarations,
    signatures: &Signatures,
    errors: &mut Vec<Diagnostic>,
) {
    let top = Open { blocks: vec![Names::new()], ..Open::default() };
    let globals = globals(&file.tree.statements).into_iter().collect();
    let mut checker = Checker { at, file, declarations, signatures, errors, globals, open: vec![top], interpolated: 0 };
    checker.statements(&file.tree.statements);
}

impl Checker<'_> {
    fn error(&mut self, span: Span, message: String) {
        self.errors.push(Diagnostic::parse_error(self.file.source, span, message));
    }

    fn current(&mut self) -> &mut Open {
        self.open.last_mut().expect("the top level is open during the whole walk")
    }

    fn statements(&mut self, statements: &[Stmt]) {
        statements.iter().for_each(|statement| self.statement(statement));
    }

    fn in_block(&mut self, walk: impl FnOnce(&mut Self)) {
        self.current().blocks.push(Names::new());
        walk(self);
        self.current().blocks.pop();
    }

    fn block(&mut self, block: &Block) {
        self.in_block(|this| this.statements(&block.statements));
    }

    fn loop_body(&mut self, body: &Block) {
        self.current().loops += 1;
        self.block(body);
        self.current().loops -= 1;
    }

    fn statement(&mut self, statement: &Stmt) {
        match &statement.kind {
            StmtKind::Expr(expr) | StmtKind::Throw(expr) => self.expr(expr),
            StmtKind::Return(value) => value.iter().for_each(|expr| self.expr(expr)),
            StmtKind::If { branches, otherwise } => {
                for (cond, block) in branches {
                    self.expr(cond);
                    self.block(block);
                }
                otherwise.iter().for_each(|block| self.block(block));
            }
            StmtKind::While { cond, body } => {
                self.expr(cond);
                self.loop_body(body);
            }
            StmtKind::For { init, cond, step, body } => self.in_block(|this| {
                init.iter().chain(cond).chain(step).for_each(|expr| this.expr(expr));
                this.loop_body(body);
            }),
            StmtKind::Foreach { subject, key, value, body } => {
                self.expr(subject);
                self.in_block(|this| {
                    std::iter::once(value).chain(key).for_each(|name| this.make(&name.name));
                    this.loop_body(body);
                });
            }
            StmtKind::Switch { subject, cases } => self.switch(subject, cases),
            StmtKind::Try { body, catch, finally } => {
                self.block(body);
                if let Some(catch) = catch {
                    self.in_block(|this| {
                        this.make(&catch.variable.name);
                        this.block(&catch.body);
                    });
                }
                finally.iter().for_each(|block| self.block(block));
            }
            StmtKind::Break if self.current().loops + self.current().switches == 0 => {
                self.error(statement.span, "'break' outside a loop".to_owned());
            }
            StmtKind::Continue if self.current().loops == 0 => {
                self.error(statement.span, "'continue' outside a loop".to_owned());
            }
            StmtKind::Block(block) => self.block(block),
            StmtKind::Function(function) => self.named_function(function),
            StmtKind::Struct(decl) => {
                decl.fields.iter().filter_map(|field| field.default.as_ref()).for_each(|value| self.expr(value));
            }
            StmtKind::Const(items) => {
                items.iter().filter_map(|item| item.value.as_ref()).for_each(|value| self.expr(value));
            }
            StmtKind::Break
            | StmtKind::Continue
            | StmtKind::UseModule { .. }
            | StmtKind::UseFile(_)
            | StmtKind::Empty
            | StmtKind::Error => {}
        }
    }

    fn switch(&mut self, subject: &Expr, cases: &[Case]) {
        self.expr(subject);
        for case in cases {
            case.values.iter().for_each(|value| self.expr(value));
            self.current().switches += 1;
            self.in_block(|this| this.statements(&case.body));
            self.current().switches -= 1;
        }
    }

    fn named_function(&mut self, function: &Function) {
        let is_inner = self.open.len() > 1 || self.current().blocks.len() > 1;
        if let Some(name) = function.name.as_ref().filter(|_| is_inner)
            && self.signatures.find("", &name.name).is_some()
        {
            self.error(name.span, format!("'{}' is a builtin — cannot be redefined", name.name));
        }
        self.function(function);
    }

    fn function(&mut self, function: &Function) {
        let captured = function.uses.iter().flatten().map(|name| {
            // A function around this one has to capture it too.
            self.read(&name.name);
            Rc::clone(&name.name)
        });
        let captured = captured.collect();
        self.open.push(Open { blocks: vec![Names::new()], captured, ..Open::default() });
        for param in &function.params {
            param.default.iter().for_each(|default| self.expr(default));
            self.make(&param.name.name);
        }
        match &function.body {
            FunctionBody::Block(block) => self.statements(&block.statements),
            FunctionBody::Expr(expr) => self.expr(expr),
        }
        self.open.pop();
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Var(name) => self.read(name),
            ExprKind::Path { module, name } => self.path(module, name),
            ExprKind::Closure(function) => self.function(function),
            ExprKind::Interpolation(parts) => {
                self.interpolated += 1;
                for part in parts {
                    if let StrPart::Expr { expr, .. } = part {
                        self.expr(expr);
                    }
                }
                self.interpolated -= 1;
            }
            ExprKind::Assign { target, op, value } => match &target.peeled().kind {
                ExprKind::Var(name) => {
                    if op.is_some() {
                        self.read(name);
                    }
                    self.expr(value);
                    self.assign(name, target.span);
                }
                _ => {
                    self.keys(target);
                    if op.is_some() {
                        self.write_element(target);
                    }
                    self.expr(value);
                    self.write_element(target);
                }
            },
            ExprKind::Step { target, .. } => match &target.peeled().kind {
                ExprKind::Var(name) => {
                    self.read(name);
                    self.assign(name, target.span);
                }
                _ => {
                    self.keys(target);
                    self.write_element(target);
                }
            },
            // Short for `app::get("NAME")` where no builtin has the name.
            ExprKind::Call { callee, args }
                if args.is_empty()
                    && matches!(&callee.kind, ExprKind::Path { module, .. }
                        if &*self.declarations.module(self.at, &module.name) == "app")
                    && self.signatures.find("app", "get").is_some() => {}
            ExprKind::Call { args, .. } if pushed_place(expr).is_some() => {
                if let Some((place, values)) = args.split_first() {
                    self.keys(place);
                    values.iter().for_each(|value| self.expr(value));
                    self.write_element(place);
                }
            }
            _ => expr.for_each_child(&mut |child| self.expr(child)),
        }
    }

    /// The keys in a place, from its root on.
    fn keys(&mut self, place: &Expr) {
        match &place.kind {
            ExprKind::Index { base, index } => {
                self.keys(base);
                self.expr(index);
            }
            ExprKind::Field { base, .. } => self.keys(base),
            ExprKind::Paren(inner) => self.keys(inner),
            _ => {}
        }
    }

    /// `module::name` exists.
    fn path(&mut self, module: &Ident, name: &Ident) {
        let real = self.declarations.module(self.at, &module.name);
        if self.interpolated > 0 || self.signatures.find(&real, &name.name).is_some() {
            return;
        }
        if self.signatures.has_module(&real) {
            self.error(name.span, format!("'{real}' has no function '{}'", name.name));
        } else {
            self.error(module.span, format!("Unknown module: '{real}'"));
        }
    }

    fn make(&mut self, name: &Rc<str>) {
        if let Some(block) = self.current().blocks.last_mut() {
            block.insert(Rc::clone(name));
        }
    }

    /// True when the function at `level` has made the name itself.
    fn is_own(&self, level: usize, name: &str) -> bool {
        self.open.get(level).is_some_and(|open| open.blocks.iter().any(|block| block.contains(name)))
    }

    /// Captures the name, in every function between here and the one that has it.
    fn read(&mut self, name: &Rc<str>) {
        let has = |level: usize, open: &Open| {
            // Globals are not captured: the first block of the top level is left out.
            let globals = usize::from(level == 0);
            open.captured.contains(name) || open.blocks.iter().skip(globals).any(|block| block.contains(name))
        };
        let Some(owner) = self.open.iter().enumerate().rposition(|(level, open)| has(level, open)) else { return };
        for open in self.open.iter_mut().skip(owner + 1) {
            open.captured.insert(Rc::clone(name));
        }
    }

    fn assign(&mut self, name: &Rc<str>, span: Span) {
        let level = self.open.len() - 1;
        if self.is_own(level, name) {
            return;
        }
        if self.current().captured.contains(name) {
            return self.captured_write(name, span);
        }
        self.make(name);
    }

    /// A write to an element, `push` or `pop`: of what is there, wherever it is.
    fn write_element(&mut self, place: &Expr) {
        let Some((name, span)) = place.root_variable() else { return };
        self.read(name);
        let level = self.open.len() - 1;
        let at_top = level == 0 && self.current().blocks.len() == 1;
        if self.is_own(level, name) {
            return;
        }
        if self.current().captured.contains(name) {
            self.captured_write(name, span);
        } else if at_top || !self.globals.contains(name) {
            self.make(name);
        }
    }

    fn captured_write(&mut self, name: &str, span: Span) {
        let message = format!("${name} comes from outside: a closure captures the value and cannot change it");
        self.error(span, message);
    }
}

#[cfg(test)]
mod tests;
