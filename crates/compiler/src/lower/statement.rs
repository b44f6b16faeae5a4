//! Statements without loops and handlers.

use super::{Exit, Kind, Lowerer, Way};
use crate::builder::Reg;
use bytecode::op::UNSTOPPABLE;
use bytecode::{Constant, Op, exit};
use source::Span;
use syntax::tree::{Block, Expr, Stmt, StmtKind};

impl<'a> Lowerer<'_, 'a> {
    pub(crate) fn statements(&mut self, statements: &'a [Stmt]) {
        for statement in statements {
            let top = self.b.top();
            self.b.span = statement.span;
            self.statement(statement);
            self.b.release_to(top);
        }
    }

    pub(crate) fn block(&mut self, block: &'a Block) {
        self.keyed_block(block.span.start, &block.statements);
    }

    /// A block whose variables stand under another position than its own.
    pub(crate) fn keyed_block(&mut self, key: u32, statements: &'a [Stmt]) {
        let base = self.open_block(key);
        self.statements(statements);
        self.close_block(key, base);
    }

    fn statement(&mut self, statement: &'a Stmt) {
        match &statement.kind {
            StmtKind::Expr(expr) => self.effect(expr),
            StmtKind::If { branches, otherwise } => self.if_else(branches, otherwise.as_ref()),
            StmtKind::While { cond, body } => self.while_loop(cond, body),
            StmtKind::For { init, cond, step, body } => self.for_loop(statement.span, init, cond.as_ref(), step, body),
            StmtKind::Foreach { subject, key, value, body } => {
                self.foreach(statement.span, subject, key.as_ref(), value, body);
            }
            StmtKind::Switch { subject, cases } => self.switch(subject, cases),
            StmtKind::Try { body, catch, finally } => self.try_statement(body, catch.as_ref(), finally.as_ref()),
            StmtKind::Throw(value) => {
                let value = self.value(value);
                let value = self.owned(value);
                self.b.span = statement.span;
                self.b.emit(Op::Throw, 0, [value, 0, 0]);
            }
            StmtKind::Return(value) => self.return_value(value.as_ref()),
            StmtKind::Break => self.leave(Way::Break, statement.span),
            StmtKind::Continue => self.leave(Way::Continue, statement.span),
            StmtKind::Block(block) => self.block(block),
            StmtKind::Function(function) => {
                // At the top of a file the function is in the program's table; elsewhere it is a value made here.
                let name = function.name.as_ref().map(|name| self.access(name.span));
                if let Some(access) = name
                    && access.target != crate::resolve::Target::Unknown
                    && let crate::resolve::Target::Local(id) = access.target
                {
                    let register = self.register(id);
                    self.closure(function, register);
                }
            }
            StmtKind::UseFile(_) => {
                let uses = self.program.loaded.files.get(self.file).map(|file| &file.uses);
                if let Some(target) = uses.and_then(|uses| uses.get(&statement.span.start)) {
                    let target = *target as Reg;
                    self.b.emit(Op::RunFile, 0, [target, 0, 0]);
                }
            }
            StmtKind::Struct(_)
            | StmtKind::Const(_)
            | StmtKind::UseModule { .. }
            | StmtKind::Empty
            | StmtKind::Error => {}
        }
    }

    fn if_else(&mut self, branches: &'a [(Expr, Block)], otherwise: Option<&'a Block>) {
        let end = self.b.label();
        for (at, (cond, block)) in branches.iter().enumerate() {
            let next = self.b.label();
            self.condition(cond, next, false);
            self.block(block);
            if at + 1 < branches.len() || otherwise.is_some() {
                self.b.jump(end);
            }
            self.b.bind(next);
        }
        if let Some(block) = otherwise {
            self.block(block);
        }
        self.b.bind(end);
    }

    /// `return`: through the `finally` blocks around it, if there are any.
    pub(crate) fn return_value(&mut self, value: Option<&'a Expr>) {
        let span = self.b.span;
        let around = self.exits.iter().rposition(|exit| matches!(exit, Exit::Finally { .. }));
        let in_finally = self.exits.iter().any(|exit| matches!(exit, Exit::FinallyBlock { .. }));
        if around.is_none() && !in_finally {
            return self.emit_return(value);
        }
        let temp = self.temp();
        match value {
            Some(value) => self.evaluate_into(value, temp.reg),
            None => self.load(temp.reg, Constant::Null),
        }
        self.b.span = span;
        self.return_from(around, temp.reg);
    }

    /// Returns a value that is in a temporary, through the `finally` at this place of the exit stack if there is one.
    pub(crate) fn return_from(&mut self, around: Option<usize>, value: Reg) {
        self.leave_finally_blocks(around.map_or(0, |around| around + 1));
        match around {
            Some(around) => self.return_through(around, value),
            None => {
                let top = self.ending();
                self.b.emit(Op::Return, 0, [value, top, 0]);
            }
        }
    }

    /// Leaves the blocks of `finally` from this place of the exit stack on: what nothing may stop goes on.
    fn leave_finally_blocks(&mut self, from: usize) {
        let states: Vec<Reg> = self
            .exits
            .iter()
            .skip(from)
            .rev()
            .filter_map(|exit| match exit {
                Exit::FinallyBlock { state } => Some(*state),
                Exit::Loop { .. } | Exit::Switch { .. } | Exit::Finally { .. } => None,
            })
            .collect();
        for state in states {
            self.b.emit(Op::EndFinally, UNSTOPPABLE, [state, 0, 0]);
        }
    }

    fn emit_return(&mut self, value: Option<&'a Expr>) {
        let span = self.b.span;
        let Some(value) = value else {
            let top = self.ending();
            return self.b.emit(Op::ReturnNull, 0, [0, top, 0]);
        };
        let operand = self.value(value);
        // The top level's variables outlive it as globals, so a result is a copy there.
        let reg = if self.kind == Kind::Function { operand.reg } else { self.owned(operand) };
        let top = self.ending();
        self.b.span = span;
        self.b.emit(Op::Return, 0, [reg, top, 0]);
    }

    /// Hands a result to the `finally` at this place of the exit stack.
    pub(crate) fn return_through(&mut self, around: usize, value: Reg) {
        let Some(Exit::Finally { state, entry, returns, .. }) = self.exits.get_mut(around) else { return };
        *returns = true;
        let (state, entry) = (*state, *entry);
        self.b.emit(Op::Move, 0, [state + 1, value, 0]);
        self.b.emit_wide(Op::LoadInt, 0, state, exit::RETURN as u32);
        self.b.jump(entry);
    }

    /// `break` and `continue`.
    pub(crate) fn leave(&mut self, way: Way, span: Span) {
        let ends = |exit: &Exit| match exit {
            Exit::Loop { .. } | Exit::Finally { .. } => true,
            Exit::Switch { .. } => way == Way::Break,
            Exit::FinallyBlock { .. } => false,
        };
        let target = self.exits.iter().rposition(ends);
        self.leave_finally_blocks(target.map_or(0, |target| target + 1));
        if let Some(exit) = target.and_then(|target| self.exits.get_mut(target)) {
            match exit {
                Exit::Loop { on_break, on_continue } => {
                    let target = if way == Way::Break { *on_break } else { *on_continue };
                    return self.b.jump(target);
                }
                Exit::Switch { on_break } => {
                    let target = *on_break;
                    return self.b.jump(target);
                }
                Exit::FinallyBlock { .. } => {}
                Exit::Finally { state, entry, jumps, .. } => {
                    let number = jumps.iter().position(|known| *known == way).unwrap_or_else(|| {
                        jumps.push(way);
                        jumps.len() - 1
                    });
                    let (state, entry) = (*state, *entry);
                    self.b.emit_wide(Op::LoadInt, 0, state, exit::JUMP as u32 + number as u32);
                    return self.b.jump(entry);
                }
            }
        }
        let word = if way == Way::Break { "break" } else { "continue" };
        self.error(span, format!("'{word}' outside a loop"), None);
    }
}
