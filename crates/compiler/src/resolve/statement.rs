//! Resolving statements: blocks, loops, handlers, declarations.

use super::Resolver;
use std::rc::Rc;
use syntax::tree::{Block, Expr, ExprKind, Function, FunctionBody, Stmt, StmtKind};

/// Names that the top level of a file assigns outside all blocks, in order: its globals.
pub(super) fn top_level_names(statements: &[Stmt]) -> Vec<Rc<str>> {
    let mut names = Vec::new();
    for statement in statements {
        match &statement.kind {
            StmtKind::Expr(expr) | StmtKind::Throw(expr) | StmtKind::Return(Some(expr)) => assigned(expr, &mut names),
            StmtKind::If { branches, .. } => branches.iter().for_each(|(cond, _)| assigned(cond, &mut names)),
            StmtKind::While { cond, .. } => assigned(cond, &mut names),
            StmtKind::Foreach { subject, .. } => assigned(subject, &mut names),
            StmtKind::Switch { subject, cases } => {
                assigned(subject, &mut names);
                cases.iter().flat_map(|case| &case.values).for_each(|value| assigned(value, &mut names));
            }
            _ => {}
        }
    }
    names
}

fn assigned(expr: &Expr, names: &mut Vec<Rc<str>>) {
    expr.for_each_child(&mut |child| assigned(child, names));
    let target = match &expr.kind {
        ExprKind::Assign { target, .. } | ExprKind::Step { target, .. } => target.root_variable(),
        _ => written_argument(expr).and_then(Expr::root_variable),
    };
    if let Some((name, _)) = target
        && !names.contains(name)
    {
        names.push(name.clone());
    }
}

/// The place that a call of `push` or `pop` changes.
pub(crate) fn written_argument(expr: &Expr) -> Option<&Expr> {
    let ExprKind::Call { callee, args } = &expr.kind else { return None };
    let ExprKind::Name(name) = &callee.kind else { return None };
    let first = args.first().filter(|_| matches!(&**name, "push" | "pop"))?;
    first.root_variable().is_some().then_some(first)
}

impl Resolver<'_> {
    pub(super) fn statements(&mut self, statements: &[Stmt]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    pub(super) fn block(&mut self, block: &Block) {
        self.open_block(block.span.start);
        self.statements(&block.statements);
        self.close_block();
    }

    fn statement(&mut self, statement: &Stmt) {
        match &statement.kind {
            StmtKind::Expr(expr) | StmtKind::Throw(expr) => self.expr(expr),
            StmtKind::If { branches, otherwise } => {
                for (at, (cond, block)) in branches.iter().enumerate() {
                    self.conditionally(at > 0, |this| this.expr(cond));
                    self.block(block);
                }
                if let Some(block) = otherwise {
                    self.block(block);
                }
            }
            StmtKind::While { cond, body } => {
                self.repeatedly(|this| this.expr(cond));
                self.block(body);
            }
            StmtKind::For { init, cond, step, body } => {
                self.open_block(statement.span.start);
                init.iter().for_each(|expr| self.expr(expr));
                self.repeatedly(|this| cond.iter().for_each(|expr| this.expr(expr)));
                // What only the step assigns is unassigned in the first round.
                self.conditionally(true, |this| this.repeatedly(|this| step.iter().for_each(|expr| this.expr(expr))));
                self.block(body);
                self.close_block();
            }
            StmtKind::Foreach { subject, key, value, body } => {
                self.expr(subject);
                self.open_block(statement.span.start);
                for name in [Some(value), key.as_ref()].into_iter().flatten() {
                    self.bind(&name.name, name.span);
                }
                self.block(body);
                self.close_block();
            }
            StmtKind::Switch { subject, cases } => {
                self.expr(subject);
                for case in cases {
                    self.conditionally(true, |this| case.values.iter().for_each(|value| this.expr(value)));
                    self.open_block(case.span.start);
                    self.statements(&case.body);
                    self.close_block();
                }
            }
            StmtKind::Try { body, catch, finally } => {
                self.block(body);
                if let Some(catch) = catch {
                    self.open_block(catch.variable.span.start);
                    self.bind(&catch.variable.name, catch.variable.span);
                    self.block(&catch.body);
                    self.close_block();
                }
                if let Some(block) = finally {
                    self.block(block);
                }
            }
            StmtKind::Return(value) => {
                if let Some(value) = value {
                    self.expr(value);
                    self.current().returns_value = true;
                }
            }
            StmtKind::Block(block) => self.block(block),
            StmtKind::Function(function) => self.function_statement(function),
            StmtKind::Struct(decl) => {
                decl.fields.iter().filter_map(|field| field.default.as_ref()).for_each(|default| self.expr(default));
            }
            StmtKind::Const(_) if !self.current().at_top() => {
                let message = "constants must be declared at the top level of a file, not inside a function or a block";
                self.error(statement.span, message.to_owned(), "move the const group to the top of the file");
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

    /// A named function. At the top of a file its name is known everywhere; elsewhere it is a variable of its block.
    fn function_statement(&mut self, function: &Rc<Function>) {
        let Some(name) = &function.name else { return };
        if self.current().at_top() {
            self.function(function, None);
            return;
        }
        if (self.is_builtin)(&name.name) {
            let message = format!("'{}' is a builtin — cannot be redefined", name.name);
            self.error(name.span, message, "give the function another name");
        }
        let inner_name: Rc<str> = Rc::from(format!("{}()", name.name));
        self.function(function, Some(&inner_name));
        self.bind(&inner_name, name.span);
    }

    /// Walks a function's parameters and body. `own` is the name under which it sees itself.
    pub(super) fn function(&mut self, function: &Function, own: Option<&Rc<str>>) {
        let level = self.functions.len();
        let order = self.resolved.function_count;
        self.resolved.function_count += 1;
        self.functions.push(super::FunctionScope::new(false, order));
        let outside = (std::mem::take(&mut self.conditional), std::mem::take(&mut self.repeated));
        for name in function.uses.iter().flatten() {
            self.explicit_capture(level, name);
        }
        self.open_block(function.span.start);
        let mut params = Vec::new();
        for param in &function.params {
            if let Some(default) = &param.default {
                self.conditionally(true, |this| this.expr(default));
            }
            if function
                .params
                .iter()
                .take_while(|other| !std::ptr::eq(*other, param))
                .any(|o| o.name.name == param.name.name)
            {
                let message = format!("parameter ${} stands twice in one list", param.name.name);
                self.error(param.name.span, message, "give each parameter a name of its own");
            }
            let id = self.bind(&param.name.name, param.name.span);
            if let Some(variable) = self.current().variables.get_mut(id.index()) {
                variable.is_param = true;
            }
            params.push(id);
        }
        if let Some(own) = own {
            let id = self.declare(own);
            self.current().own = Some(id);
        }
        match &function.body {
            FunctionBody::Block(block) => {
                // One scope with the parameters: a variable of the body may not hide one of them.
                self.statements(&block.statements);
            }
            FunctionBody::Expr(expr) => {
                self.expr(expr);
                self.current().returns_value = true;
            }
        }
        self.close_block();
        (self.conditional, self.repeated) = outside;
        let Some(scope) = self.functions.pop() else { return };
        if !scope.returns_value
            && let Some((id, span)) = scope.param_writes.first()
        {
            let name = scope.variables.get(id.index()).map_or("", |variable| &*variable.name);
            let message = format!("${name} is a copy: writing its elements changes nothing outside this function");
            let hint = "return the changed value and assign it where the function is called";
            self.warn("param-write", *span, message, hint);
        }
        self.resolved.functions.insert(function.span.start, scope.into_names());
    }
}
