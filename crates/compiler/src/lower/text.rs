//! Concatenation and interpolated strings.

use super::Lowerer;
use super::expression::dying;
use crate::builder::Reg;
use bytecode::{Constant, Op};
use std::rc::Rc;
use std::sync::Arc;
use syntax::tree::{BinaryOp, Expr, ExprKind, StrPart};

impl<'a> Lowerer<'_, 'a> {
    /// `a . b . c`: one instruction for the whole chain.
    pub(crate) fn concat(&mut self, expr: &'a Expr, dst: Reg) {
        let parts = concat_parts(expr);
        let span = expr.span;
        if let [left, right] = parts.as_slice() {
            let left = self.left_value(left, right);
            let right = self.value(right);
            self.b.span = span;
            return self.b.emit(Op::Concat, dying(dst, left, Some(right)), [dst, left.reg, right.reg]);
        }
        let first = self.window(parts.iter().copied());
        self.b.span = span;
        self.b.emit(Op::ConcatMany, 0, [dst, first, parts.len() as u32]);
    }

    /// `$s = $s . …` for a local: an append in place. False when it is something else.
    pub(crate) fn append_to_itself(&mut self, reg: Reg, value: &'a Expr) -> bool {
        let parts = concat_parts(value.peeled());
        let Some((first, rest)) = parts.split_first() else { return false };
        if rest.is_empty() || self.definite_local(first) != Some(reg) || rest.iter().any(|part| self.disturbs(part)) {
            return false;
        }
        for part in rest {
            if self.definite_local(part) == Some(reg) {
                return false;
            }
        }
        let top = self.b.top();
        let appended = match rest {
            [only] => self.value(only),
            _ => {
                let first = self.window(rest.iter().copied());
                self.b.emit(Op::ConcatMany, 0, [first, first, rest.len() as u32]);
                super::Operand { reg: first, temp: true }
            }
        };
        self.b.span = value.span;
        self.b.emit(Op::Append, dying(reg, appended, None), [reg, appended.reg, 0]);
        self.b.release_to(top);
        true
    }

    /// `"text {$expr} text"`. A part that cannot be evaluated is printed as it is written.
    pub(crate) fn interpolation(&mut self, parts: &'a [StrPart], dst: Reg) {
        let span = self.b.span;
        let first = self.b.top();
        for part in parts {
            let reg = self.b.alloc(1);
            match part {
                StrPart::Text(text) => self.load(reg, Constant::Str(Arc::from(&**text))),
                StrPart::Expr { expr, literal } => self.interpolated(expr, literal, reg),
            }
        }
        self.b.span = span;
        self.b.emit(Op::ConcatMany, 0, [dst, first, parts.len() as u32]);
    }

    fn interpolated(&mut self, expr: &'a Expr, literal: &Rc<[u8]>, reg: Reg) {
        // Neither functions nor `module::name` are interpolated, only what they give when they are called.
        let is_text = match &expr.kind {
            ExprKind::Name(name) => !self.program.declarations.is_constant(name),
            ExprKind::Path { .. } => true,
            _ => false,
        };
        if is_text {
            return self.load(reg, Constant::Str(Arc::from(&**literal)));
        }
        let start = self.b.position();
        self.evaluate_into(expr, reg);
        if self.folded(expr).is_none() && self.definite_local(expr).is_none() {
            self.guard_with_literal(start, reg, literal, expr.span);
        }
    }
}

/// The operands of a chain of `.`, left to right. The chain is as deep as it is long, so it is walked.
fn concat_parts(expr: &Expr) -> Vec<&Expr> {
    let mut parts = Vec::new();
    let mut rest = expr;
    while let ExprKind::Binary { op: BinaryOp::Concat, left, right } = &rest.kind {
        parts.push(&**right);
        rest = left;
    }
    parts.push(rest);
    parts.reverse();
    parts
}
