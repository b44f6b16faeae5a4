//! Loops, `switch`, `try`.

use super::{Exit, Lowerer, Way};
use crate::builder::{Label, Reg};
use crate::resolve::{Target, VarId};
use bytecode::op::{DIES_B, UNSTOPPABLE, WHEN_TRUE, WITH_KEY};
use bytecode::{Constant, HandlerKind, Op, exit};
use source::Span;
use syntax::tree::{BinaryOp, Block, Case, Catch, Expr, ExprKind, Ident};

impl<'a> Lowerer<'_, 'a> {
    pub(crate) fn while_loop(&mut self, cond: &'a Expr, body: &'a Block) {
        let (start, check, end) = (self.b.label(), self.b.label(), self.b.label());
        let kept = self.keep_invariant(&[], &[cond], body);
        self.b.jump(check);
        self.b.bind(start);
        self.loop_body(body, check, end);
        self.b.bind(check);
        self.condition(cond, start, true);
        self.b.bind(end);
        self.drop_kept(kept);
    }

    fn loop_body(&mut self, body: &'a Block, on_continue: Label, on_break: Label) {
        self.exits.push(Exit::Loop { on_break, on_continue });
        self.block(body);
        self.exits.pop();
    }

    pub(crate) fn for_loop(
        &mut self,
        span: Span,
        init: &'a [Expr],
        cond: Option<&'a Expr>,
        step: &'a [Expr],
        body: &'a Block,
    ) {
        let base = self.open_block(span.start);
        init.iter().for_each(|expr| self.effect(expr));
        let around: Vec<&Expr> = cond.into_iter().chain(step).collect();
        let kept = self.keep_invariant(&[], &around, body);
        let (start, next, check, end) = (self.b.label(), self.b.label(), self.b.label(), self.b.label());
        if let Some((counter, limit)) = self.counting_loop(cond, step) {
            if let Some(cond) = cond {
                self.condition(cond, end, false);
            }
            self.b.bind(start);
            self.loop_body(body, next, end);
            self.b.bind(next);
            self.b.span = span;
            match limit {
                Limit::Constant(index) => self.b.jump_short(Op::ForLoopK, 0, counter, index, start),
                Limit::Register(reg) => self.b.jump_short(Op::ForLoop, 0, counter, reg, start),
            }
        } else {
            self.b.jump(check);
            self.b.bind(start);
            self.loop_body(body, next, end);
            self.b.bind(next);
            step.iter().for_each(|expr| self.effect(expr));
            self.b.bind(check);
            match cond {
                Some(cond) => self.condition(cond, start, true),
                None => self.b.jump(start),
            }
        }
        self.b.bind(end);
        self.drop_kept(kept);
        self.close_block(span.start, base);
    }

    /// Recognises `…; $i < limit; $i++`, with a local counter and a limit that is a local or a constant.
    fn counting_loop(&mut self, cond: Option<&'a Expr>, step: &'a [Expr]) -> Option<(Reg, Limit)> {
        let [step] = step else { return None };
        let ExprKind::Binary { op: BinaryOp::Lt, left, right } = &cond?.peeled().kind else { return None };
        let counter = self.definite_local(left)?;
        let stepped = match &step.peeled().kind {
            ExprKind::Step { target, delta: 1, .. } => target,
            ExprKind::Assign { target, op: Some(BinaryOp::Add), value } if value.kind == ExprKind::Int(1) => target,
            ExprKind::Assign { target, op: None, value } => match &value.peeled().kind {
                ExprKind::Binary { op: BinaryOp::Add, left, right }
                    if right.kind == ExprKind::Int(1) && self.definite_local(left) == Some(counter) =>
                {
                    target
                }
                _ => return None,
            },
            _ => return None,
        };
        if self.definite_local(stepped) != Some(counter) {
            return None;
        }
        if let Some(reg) = self.definite_local(right) {
            return Some((counter, Limit::Register(reg)));
        }
        match self.folded(right)? {
            value @ (Constant::Int(_) | Constant::Float(_)) => {
                Some((counter, Limit::Constant(self.b.short_constant(value)?)))
            }
            _ => None,
        }
    }

    /// The register of a variable that is certainly assigned.
    pub(crate) fn definite_local(&mut self, expr: &Expr) -> Option<Reg> {
        self.definite_variable(expr).map(|id| self.register(id))
    }

    /// A variable that is certainly assigned.
    pub(crate) fn definite_variable(&self, expr: &Expr) -> Option<VarId> {
        let ExprKind::Var(_) = &expr.peeled().kind else { return None };
        let access = self.access(expr.peeled().span);
        match access.target {
            Target::Local(id) if !access.maybe && !access.fresh && self.kind != super::Kind::Bare => Some(id),
            _ => None,
        }
    }

    pub(crate) fn foreach(
        &mut self,
        span: Span,
        subject: &'a Expr,
        key: Option<&'a Ident>,
        value: &'a Ident,
        body: &'a Block,
    ) {
        let base = self.b.top();
        let iterator = self.b.alloc(2);
        let operand = self.value(subject);
        self.b.span = subject.span;
        self.b.emit(Op::IterStart, if operand.temp { DIES_B } else { 0 }, [iterator, operand.reg, 0]);
        self.b.release_to(iterator + 2);
        // Value and key stand side by side: first the value.
        let value_reg = self.b.alloc(if key.is_some() { 2 } else { 1 });
        for (name, reg) in [(Some(value), value_reg), (key, value_reg + 1)] {
            if let Some(name) = name
                && let Target::Local(id) = self.access(name.span).target
            {
                self.place_variable_at(id, reg);
            }
        }
        self.open_block(span.start);
        let bound: Vec<&Ident> = key.into_iter().chain([value]).collect();
        // Everything from `base` on is dropped at the end, what is kept included.
        self.keep_invariant(&bound, &[], body);
        let (start, next, end) = (self.b.label(), self.b.label(), self.b.label());
        self.b.jump(next);
        self.b.bind(start);
        self.loop_body(body, next, end);
        self.b.bind(next);
        self.b.span = span;
        let flags = if key.is_some() { WITH_KEY } else { 0 };
        self.b.jump_short(Op::IterNext, flags, iterator, value_reg, start);
        self.b.bind(end);
        let count = self.b.top() - base;
        self.b.emit(Op::Drop, 0, [base, count, 0]);
        self.b.release_to(base);
    }

    pub(crate) fn switch(&mut self, subject: &'a Expr, cases: &'a [Case]) {
        let base = self.b.top();
        let value = self.b.alloc(1);
        self.evaluate_into(subject, value);
        let end = self.b.label();
        let labels: Vec<Label> = cases.iter().map(|_| self.b.label()).collect();
        for (case, label) in cases.iter().zip(&labels) {
            for candidate in &case.values {
                let top = self.b.top();
                self.b.span = candidate.span;
                match self.short_folded(candidate) {
                    Some(index) => self.b.jump_short(Op::JumpEqK, WHEN_TRUE, value, index, *label),
                    None => {
                        let operand = self.value(candidate);
                        let dies = if operand.temp { bytecode::op::DIES_C } else { 0 };
                        self.b.jump_short(Op::JumpEq, WHEN_TRUE | dies, value, operand.reg, *label);
                    }
                }
                self.b.release_to(top);
            }
        }
        let default = cases.iter().zip(&labels).find(|(case, _)| case.is_default).map(|(_, label)| *label);
        self.b.jump(default.unwrap_or(end));
        self.exits.push(Exit::Switch { on_break: end });
        for (case, label) in cases.iter().zip(&labels) {
            self.b.bind(*label);
            self.keyed_block(case.span.start, &case.body);
            self.b.jump(end);
        }
        self.exits.pop();
        self.b.bind(end);
        self.b.emit(Op::Drop, 0, [base, 1, 0]);
        self.b.release_to(base);
    }

    pub(crate) fn try_statement(&mut self, body: &'a Block, catch: Option<&'a Catch>, finally: Option<&'a Block>) {
        let Some(finally) = finally else {
            return self.try_catch(body, catch);
        };
        let base = self.b.top();
        let state = self.b.alloc(2);
        let (entry, handler) = (self.b.label(), self.b.label());
        self.exits.push(Exit::Finally { state, entry, jumps: Vec::new(), returns: false });
        let start = self.b.position();
        self.try_catch(body, catch);
        self.b.guard(start, handler, state, state, HandlerKind::Finally);
        let Some(Exit::Finally { jumps, returns, .. }) = self.exits.pop() else { return };
        self.load(state, Constant::Int(i64::from(exit::NORMAL)));
        self.b.bind(entry);
        self.b.bind(handler);
        self.finally_block(finally, state);
        self.b.emit(Op::EndFinally, 0, [state, 0, 0]);
        if returns {
            self.when_left_by(state, exit::RETURN, |this| {
                let around = this.exits.iter().rposition(|exit| matches!(exit, Exit::Finally { .. }));
                this.return_from(around, state + 1);
            });
        }
        for (at, way) in jumps.into_iter().enumerate() {
            self.when_left_by(state, exit::JUMP + at as i32, |this| this.leave_again(way));
        }
        self.b.release_to(base);
    }

    /// The block of a `finally`. When it throws, that replaces what was thrown before, but not an `exit`.
    fn finally_block(&mut self, block: &'a Block, state: Reg) {
        let thrown = self.b.alloc(2);
        let (handler, end) = (self.b.label(), self.b.label());
        let start = self.b.position();
        self.exits.push(Exit::FinallyBlock { state });
        self.block(block);
        self.exits.pop();
        self.b.guard(start, handler, thrown, thrown, HandlerKind::Finally);
        self.b.jump(end);
        self.b.bind(handler);
        self.b.emit(Op::EndFinally, UNSTOPPABLE, [state, 0, 0]);
        self.b.emit(Op::EndFinally, 0, [thrown, 0, 0]);
        self.b.bind(end);
    }

    fn leave_again(&mut self, way: Way) {
        let span = self.b.span;
        self.leave(way, span);
    }

    /// Code for one way in which the block of a `finally` was left.
    fn when_left_by(&mut self, state: Reg, number: i32, then: impl FnOnce(&mut Self)) {
        let skip = self.b.label();
        let index = self.b.constant(Constant::Int(i64::from(number)));
        self.b.jump_short(Op::JumpEqK, 0, state, index, skip);
        then(self);
        self.b.bind(skip);
    }

    fn try_catch(&mut self, body: &'a Block, catch: Option<&'a Catch>) {
        let start = self.b.position();
        self.block(body);
        let Some(catch) = catch else { return };
        let (end, handler) = (self.b.label(), self.b.label());
        let base = self.b.top();
        let key = catch.variable.span.start;
        self.open_block(key);
        let register = match self.access(catch.variable.span).target {
            Target::Local(id) => self.register(id),
            Target::Global(_) | Target::Unknown => self.b.alloc(1),
        };
        self.b.guard(start, handler, register, base, HandlerKind::Catch);
        self.b.jump(end);
        self.b.bind(handler);
        self.block(&catch.body);
        self.close_block(key, base);
        self.b.bind(end);
    }
}

/// The limit of a counting loop.
enum Limit {
    Constant(u32),
    Register(Reg),
}
