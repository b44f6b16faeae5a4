//! Conditions: expressions lowered to jumps, without making a bool.

use super::Lowerer;
use crate::builder::Label;
use bytecode::op::{DIES_B, DIES_C, WHEN_TRUE};
use bytecode::{Constant, Op};
use syntax::tree::{BinaryOp, Expr, ExprKind, LogicalOp, UnaryOp};

/// The jump that compares, and the one that compares with a constant.
fn comparing_jump(op: BinaryOp) -> Option<(Op, Op)> {
    Some(match op {
        BinaryOp::Eq | BinaryOp::Ne => (Op::JumpEq, Op::JumpEqK),
        BinaryOp::Lt => (Op::JumpLt, Op::JumpLtK),
        BinaryOp::Le => (Op::JumpLe, Op::JumpLeK),
        BinaryOp::Gt => (Op::JumpGt, Op::JumpGtK),
        BinaryOp::Ge => (Op::JumpGe, Op::JumpGeK),
        _ => return None,
    })
}

impl<'a> Lowerer<'_, 'a> {
    /// Jumps to `target` when the truth of `expr` is `when`; otherwise goes on.
    pub(crate) fn condition(&mut self, expr: &'a Expr, target: Label, when: bool) {
        let top = self.b.top();
        match &expr.kind {
            ExprKind::Paren(inner) => self.condition(inner, target, when),
            ExprKind::Bool(value) => {
                if *value == when {
                    self.b.jump(target);
                }
            }
            ExprKind::Unary { op: UnaryOp::Not, operand } => self.condition(operand, target, !when),
            ExprKind::Logical { op: op @ (LogicalOp::And | LogicalOp::Or), left, right } => {
                // `a && b` is false as soon as `a` is; `a || b` true as soon as `a` is.
                let decides = *op == LogicalOp::Or;
                if decides == when {
                    self.condition(left, target, when);
                    self.condition(right, target, when);
                } else {
                    let skip = self.b.label();
                    self.condition(left, skip, decides);
                    self.condition(right, target, when);
                    self.b.bind(skip);
                }
            }
            ExprKind::Binary { op, left, right } if comparing_jump(*op).is_some() => {
                self.comparison(expr, *op, [left, right], target, when);
            }
            _ => {
                let operand = self.value(expr);
                self.b.span = expr.span;
                let flags = if operand.temp { DIES_B } else { 0 } | if when { WHEN_TRUE } else { 0 };
                self.b.jump_on(Op::JumpIf, flags, operand.reg, target);
            }
        }
        self.b.release_to(top);
    }

    fn comparison(&mut self, expr: &Expr, op: BinaryOp, [left, right]: [&'a Expr; 2], target: Label, when: bool) {
        let Some((jump, jump_constant)) = comparing_jump(op) else { return };
        let when = when != (op == BinaryOp::Ne);
        let flags = if when { WHEN_TRUE } else { 0 };
        let a = self.left_value(left, right);
        let dies_a = if a.temp { DIES_B } else { 0 };
        if let Some(index) = self.short_folded(right) {
            self.b.span = expr.span;
            return self.b.jump_short(jump_constant, flags | dies_a, a.reg, index, target);
        }
        let b = self.value(right);
        let dies_b = if b.temp { DIES_C } else { 0 };
        self.b.span = expr.span;
        self.b.jump_short(jump, flags | dies_a | dies_b, a.reg, b.reg, target);
    }

    /// The index of a constant expression that fits in an operand.
    pub(crate) fn short_folded(&mut self, expr: &Expr) -> Option<u32> {
        match self.folded(expr)? {
            value @ (Constant::Null
            | Constant::Bool(_)
            | Constant::Int(_)
            | Constant::Float(_)
            | Constant::Str(_)
            | Constant::List(_)
            | Constant::Map(_)) => self.b.short_constant(value),
            Constant::Field(_) | Constant::Function(_) | Constant::Builtin(_) => None,
        }
    }
}
