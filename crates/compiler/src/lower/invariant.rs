//! Calls that give the same result in every round of a loop: computed when they are first reached, then kept.
//!
//! Such a call has no effect, and its arguments cannot change while the loop runs. It gets a register that is marked
//! unassigned before the loop and filled by the first round that reaches the call, so that the program means what it meant:
//! a call that is never reached is not made, and one that throws keeps nothing and throws again the next time.

use super::{Kind, Lowerer, Operand};
use crate::builder::Reg;
use crate::resolve::{Resolved, Target, VarId, written_argument};
use bytecode::{Effect, Op};
use source::Span;
use std::collections::HashSet;
use std::ops::Range;
use syntax::tree::{Block, Expr, ExprKind, Function, Ident, Stmt, StmtKind};
use syntax::visit::{Visitor, walk_expr, walk_stmt};

/// Results kept for one loop. More would only make the frames of functions large.
const MAX_KEPT: usize = 16;

impl<'a> Lowerer<'_, 'a> {
    /// Finds the calls of a loop whose results stay the same, in its body and in what else runs with every round, and takes
    /// registers for them. `bound` are the variables that a `foreach` gives a value in every round. Loops are opened from
    /// the outside in, so that a result is kept as long as it can be. Returns the registers, for [`Self::drop_kept`].
    pub(crate) fn keep_invariant(&mut self, bound: &[&Ident], around: &[&'a Expr], body: &'a Block) -> Range<Reg> {
        // The top level's variables are globals, which any call may change.
        let Some(resolved) = self.resolved().filter(|_| self.kind == Kind::Function) else {
            return 0..0;
        };
        let mut assigned = Assigned { resolved, variables: HashSet::new() };
        assigned.note(bound.iter().copied());
        visit_loop(&mut assigned, around, body);
        let mut calls = InvariantCalls { lowerer: self, assigned: &assigned.variables, found: Vec::new() };
        visit_loop(&mut calls, around, body);
        let found = calls.found;
        let first = self.b.alloc(found.len() as u32);
        for (reg, position) in (first..).zip(&found) {
            self.b.emit(Op::LoadUndef, 0, [reg, 0, 0]);
            self.kept.insert(*position, reg);
        }
        first..self.b.top()
    }

    /// Drops what a loop that ends here has kept.
    pub(crate) fn drop_kept(&mut self, kept: Range<Reg>) {
        if !kept.is_empty() {
            self.b.emit(Op::Drop, 0, [kept.start, kept.end - kept.start, 0]);
            self.b.release_to(kept.start);
        }
    }

    /// The register with the result of a call that is kept, and the code that fills it; none for other expressions.
    pub(crate) fn kept_call(&mut self, expr: &'a Expr) -> Option<Operand> {
        let ExprKind::Call { callee, args } = &expr.kind else { return None };
        let reg = *self.kept.get(&expr.span.start)?;
        let (top, done) = (self.b.top(), self.b.label());
        self.b.span = expr.span;
        self.b.jump_on(Op::JumpIfDefined, 0, reg, done);
        self.call(expr, callee, args, reg);
        self.b.release_to(top);
        self.b.bind(done);
        Some(Operand { reg, temp: false })
    }

    /// True for a call without effect whose arguments are known, or variables that are none of `assigned`, or such calls.
    fn is_invariant(&self, call: &Expr, assigned: &HashSet<VarId>) -> bool {
        let ExprKind::Call { callee, args } = &call.kind else { return false };
        let Some((_, signature)) = self.known_builtin(callee) else { return false };
        let stays = |arg: &Expr| {
            let arg = arg.peeled();
            self.definite_variable(arg).is_some_and(|id| !assigned.contains(&id))
                || self.is_invariant(arg, assigned)
                || self.folded(arg).is_some()
        };
        signature.effect == Effect::Pure && signature.intrinsic.is_none() && args.iter().all(stays)
    }
}

fn visit_loop(visitor: &mut impl Visitor, around: &[&Expr], body: &Block) {
    around.iter().for_each(|expr| visitor.visit_expr(expr));
    visitor.visit_block(body);
}

/// The variables that a loop gives a value, or changes an element of.
struct Assigned<'r> {
    resolved: &'r Resolved,
    variables: HashSet<VarId>,
}

impl Assigned<'_> {
    fn note_at(&mut self, span: Span) {
        if let Some(Target::Local(id)) = self.resolved.accesses.get(&span.start).map(|access| access.target) {
            self.variables.insert(id);
        }
    }

    fn note<'n>(&mut self, names: impl IntoIterator<Item = &'n Ident>) {
        names.into_iter().for_each(|name| self.note_at(name.span));
    }
}

impl Visitor for Assigned<'_> {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Foreach { key, value, .. } => self.note(key.iter().chain([value])),
            StmtKind::Try { catch: Some(catch), .. } => self.note([&catch.variable]),
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &Expr) {
        let place = match &expr.kind {
            ExprKind::Assign { target, .. } | ExprKind::Step { target, .. } => Some(&**target),
            _ => written_argument(expr),
        };
        if let Some((_, span)) = place.and_then(Expr::root_variable) {
            self.note_at(span);
        }
        walk_expr(self, expr);
    }

    /// A closure has variables of its own and cannot write those around it.
    fn visit_function(&mut self, _: &Function) {}
}

/// The positions of the outermost calls that give the same in every round.
struct InvariantCalls<'l, 'p, 'a> {
    lowerer: &'l Lowerer<'p, 'a>,
    assigned: &'l HashSet<VarId>,
    found: Vec<u32>,
}

impl Visitor for InvariantCalls<'_, '_, '_> {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        // The defaults of a struct are evaluated elsewhere.
        if !matches!(stmt.kind, StmtKind::Struct(_)) {
            walk_stmt(self, stmt);
        }
    }

    fn visit_expr(&mut self, expr: &Expr) {
        let is_call = matches!(expr.kind, ExprKind::Call { .. });
        // What a loop around this one keeps is kept already.
        if is_call && self.lowerer.kept.contains_key(&expr.span.start) {
            return;
        }
        if is_call && self.lowerer.is_invariant(expr, self.assigned) {
            if self.found.len() < MAX_KEPT {
                self.found.push(expr.span.start);
            }
            return;
        }
        walk_expr(self, expr);
    }

    fn visit_function(&mut self, _: &Function) {}
}
