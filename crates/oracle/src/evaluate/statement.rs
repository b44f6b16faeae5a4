//! Statements and how control leaves them.

use super::Evaluator;
use super::call::ScriptFunction;
use crate::compare;
use crate::environment::Scope;
use std::rc::Rc;
use syntax::tree::{Block, Case, Catch, Expr, Function, Ident, Stmt, StmtKind};
use vm::{Thrown, ThrownKind, Value, View};

/// How a statement ended, when it did not throw.
pub(super) enum Flow {
    /// The next one follows.
    Next,
    /// `break` is on its way to its loop or switch.
    Break,
    /// `continue` is on its way to its loop.
    Continue,
    /// `return` is on its way to its function.
    Return(Value),
}

type Ended = Result<Flow, Thrown>;

impl Evaluator<'_, '_> {
    pub(super) fn statements(&mut self, statements: &[Stmt]) -> Ended {
        for statement in statements {
            match self.statement(statement)? {
                Flow::Next => {}
                left => return Ok(left),
            }
        }
        Ok(Flow::Next)
    }

    /// Opens a block with some variables for the duration of `run`.
    fn in_block<R>(&mut self, variables: Scope, run: impl FnOnce(&mut Self) -> R) -> R {
        self.environment.blocks.push(variables);
        let result = run(self);
        self.environment.blocks.pop();
        result
    }

    fn block(&mut self, block: &Block) -> Ended {
        self.in_block(Scope::new(), |this| this.statements(&block.statements))
    }

    fn is_true(&mut self, cond: &Expr) -> Result<bool, Thrown> {
        Ok(compare::is_true(&self.expr(cond)?))
    }

    fn statement(&mut self, statement: &Stmt) -> Ended {
        match &statement.kind {
            StmtKind::Expr(expr) => self.expr(expr).map(|_| Flow::Next),
            StmtKind::If { branches, otherwise } => self.if_else(branches, otherwise.as_ref()),
            StmtKind::While { cond, body } => {
                while self.is_true(cond)? {
                    match self.block(body)? {
                        Flow::Next | Flow::Continue => {}
                        Flow::Break => break,
                        Flow::Return(value) => return Ok(Flow::Return(value)),
                    }
                }
                Ok(Flow::Next)
            }
            StmtKind::For { init, cond, step, body } => {
                self.in_block(Scope::new(), |this| this.for_loop(init, cond.as_ref(), step, body))
            }
            StmtKind::Foreach { subject, key, value, body } => self.foreach(subject, key.as_ref(), value, body),
            StmtKind::Switch { subject, cases } => self.switch(subject, cases),
            StmtKind::Try { body, catch, finally } => self.try_catch_finally(body, catch.as_ref(), finally.as_ref()),
            StmtKind::Throw(value) => Err(Thrown::value(self.expr(value)?)),
            StmtKind::Return(value) => {
                Ok(Flow::Return(value.as_ref().map_or(Ok(Value::NULL), |value| self.expr(value))?))
            }
            StmtKind::Break => Ok(Flow::Break),
            StmtKind::Continue => Ok(Flow::Continue),
            StmtKind::Block(block) => self.block(block),
            StmtKind::Function(function) => {
                self.inner_function(function);
                Ok(Flow::Next)
            }
            StmtKind::UseFile(_) => {
                let file = self.state.program.files.get(self.file);
                let used = file.and_then(|file| file.uses.get(&statement.span.start));
                used.map_or(Ok(()), |used| self.state.file(self.cx, *used))?;
                Ok(Flow::Next)
            }
            StmtKind::Struct(_)
            | StmtKind::Const(_)
            | StmtKind::UseModule { .. }
            | StmtKind::Empty
            | StmtKind::Error => Ok(Flow::Next),
        }
    }

    fn if_else(&mut self, branches: &[(Expr, Block)], otherwise: Option<&Block>) -> Ended {
        for (at, (cond, block)) in branches.iter().enumerate() {
            if self.is_true(cond)? {
                branches.iter().skip(at + 1).for_each(|(cond, _)| self.pass_over(cond));
                return self.block(block);
            }
        }
        otherwise.map_or(Ok(Flow::Next), |block| self.block(block))
    }

    fn for_loop(&mut self, init: &[Expr], cond: Option<&Expr>, step: &[Expr], body: &Block) -> Ended {
        for expr in init {
            self.expr(expr)?;
        }
        // The body stands behind the step and sees its variables, in the first round unassigned.
        step.iter().for_each(|expr| self.pass_over(expr));
        while cond.map_or(Ok(true), |cond| self.is_true(cond))? {
            match self.block(body)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => break,
                Flow::Return(value) => return Ok(Flow::Return(value)),
            }
            for expr in step {
                self.expr(expr)?;
            }
        }
        Ok(Flow::Next)
    }

    /// Walks the value that the subject has now, whatever the body does to variables.
    fn foreach(&mut self, subject: &Expr, key: Option<&Ident>, value: &Ident, body: &Block) -> Ended {
        let subject = self.expr(subject)?;
        let entries: Vec<(Value, Value)> = match subject.view() {
            View::List(list) => {
                list.iter().enumerate().map(|(at, item)| (Value::int(at as i64), item.clone())).collect()
            }
            View::Map(map) => map.iter().map(|(key, item)| (Value::from(key.clone()), item.clone())).collect(),
            View::Struct(instance) => instance.iter().map(|(name, item)| (Value::str(name), item.clone())).collect(),
            _ => return Err(Thrown::error("foreach requires an array")),
        };
        for (entry_key, entry) in entries {
            let mut variables = variable(value, entry);
            variables.extend(key.map(|key| variable(key, entry_key)).unwrap_or_default());
            match self.in_block(variables, |this| this.block(body))? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => break,
                Flow::Return(value) => return Ok(Flow::Return(value)),
            }
        }
        Ok(Flow::Next)
    }

    fn switch(&mut self, subject: &Expr, cases: &[Case]) -> Ended {
        let subject = self.expr(subject)?;
        let mut chosen = None;
        for case in cases {
            for value in &case.values {
                if chosen.is_some() {
                    self.pass_over(value);
                    continue;
                }
                let value = self.expr(value)?;
                if compare::equals(&subject, &value)? {
                    chosen = Some(case);
                }
            }
        }
        let Some(case) = chosen.or_else(|| cases.iter().find(|case| case.is_default)) else { return Ok(Flow::Next) };
        match self.in_block(Scope::new(), |this| this.statements(&case.body))? {
            Flow::Break => Ok(Flow::Next),
            other => Ok(other),
        }
    }

    fn try_catch_finally(&mut self, body: &Block, catch: Option<&Catch>, finally: Option<&Block>) -> Ended {
        let mut ended = self.block(body);
        if let Some(catch) = catch {
            ended = ended.or_else(|thrown| match thrown.into_kind() {
                ThrownKind::Value { value, .. } => {
                    self.in_block(variable(&catch.variable, value), |this| this.block(&catch.body))
                }
                end => Err(Thrown::from(end)),
            });
        }
        let Some(finally) = finally else { return ended };
        match (self.block(finally), ended) {
            (Ok(Flow::Next), ended) => ended,
            // The end of the program goes on, whatever the block does.
            (_, Err(thrown)) if is_end(&thrown) => Err(thrown),
            (left, _) => left,
        }
    }

    /// A named function in a block or function is a value of that block. At the top of a file it is known already.
    fn inner_function(&mut self, function: &Rc<Function>) {
        let Some(name) = function.name.as_ref().filter(|_| !self.at_top()) else { return };
        let captured = Rc::new(self.environment.snapshot(function.span.start));
        let name = inner_name(&name.name);
        let value = ScriptFunction::value(self.state, self.file, function, captured, Some(Rc::clone(&name)));
        self.environment.make(&name, function.span.start, Some(value));
    }
}

/// Under which name a function that is declared in a block stands among the block's variables.
pub(super) fn inner_name(name: &str) -> Rc<str> {
    Rc::from(format!("{name}()"))
}

fn variable(name: &Ident, value: Value) -> Scope {
    let variable = crate::environment::Variable { from: 0, value: Some(value) };
    Scope::from([(Rc::clone(&name.name), variable)])
}

fn is_end(thrown: &Thrown) -> bool {
    !matches!(thrown.kind(), ThrownKind::Value { .. })
}
