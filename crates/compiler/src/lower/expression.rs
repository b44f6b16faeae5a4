//! Expressions: where their value goes, and the operators.

use super::{Lowerer, Operand};
use crate::builder::Reg;
use bytecode::op::{DIES_B, DIES_C, WHEN_TRUE};
use bytecode::{Constant, Op, Site};
use source::Span;
use std::sync::Arc;
use syntax::tree::{BinaryOp, Expr, ExprKind, LogicalOp, UnaryOp};

/// The operation of an operator, and the one with a constant on the right.
fn binary_ops(op: BinaryOp) -> (Op, Option<Op>) {
    match op {
        BinaryOp::Add => (Op::Add, Some(Op::AddK)),
        BinaryOp::Sub => (Op::Sub, Some(Op::SubK)),
        BinaryOp::Mul => (Op::Mul, Some(Op::MulK)),
        BinaryOp::Div => (Op::Div, Some(Op::DivK)),
        BinaryOp::Mod => (Op::Mod, Some(Op::ModK)),
        BinaryOp::Pow => (Op::Pow, None),
        BinaryOp::Concat => (Op::Concat, None),
        BinaryOp::BitAnd => (Op::BitAnd, None),
        BinaryOp::BitOr => (Op::BitOr, None),
        BinaryOp::BitXor => (Op::BitXor, None),
        BinaryOp::Shl => (Op::Shl, None),
        BinaryOp::Shr => (Op::Shr, None),
        BinaryOp::Eq => (Op::Eq, None),
        BinaryOp::Ne => (Op::Ne, None),
        BinaryOp::Lt => (Op::Lt, None),
        BinaryOp::Le => (Op::Le, None),
        BinaryOp::Gt => (Op::Gt, None),
        BinaryOp::Ge => (Op::Ge, None),
        BinaryOp::Compare => (Op::Compare, None),
    }
}

/// Flags for operands in `b` and `c`; one that is also the destination is overwritten and need not be dropped.
pub(super) fn dying(dst: Reg, b: Operand, c: Option<Operand>) -> u8 {
    let dies = |operand: Operand| operand.temp && operand.reg != dst;
    (if dies(b) { DIES_B } else { 0 }) | (if c.is_some_and(dies) { DIES_C } else { 0 })
}

impl<'a> Lowerer<'_, 'a> {
    /// Evaluates for the effect alone.
    pub(crate) fn effect(&mut self, expr: &'a Expr) {
        let top = self.b.top();
        match &expr.kind {
            ExprKind::Paren(inner) => self.effect(inner),
            ExprKind::Assign { target, op, value } => self.assign(expr.span, target, *op, value, None),
            ExprKind::Step { target, delta, .. } => self.step(expr.span, target, *delta, true, None),
            ExprKind::Call { .. } if self.push_statement(expr) => {}
            _ => {
                let operand = self.value(expr);
                // A result nobody wants must not stay in its register.
                if operand.temp && !matches!(expr.kind, ExprKind::Binary { .. } | ExprKind::Unary { .. }) {
                    self.b.emit(Op::Drop, 0, [operand.reg, 1, 0]);
                }
            }
        }
        self.b.release_to(top);
    }

    /// Evaluates; gives a variable's own register where that is possible, else a temporary.
    pub(crate) fn value(&mut self, expr: &'a Expr) -> Operand {
        match &expr.kind {
            ExprKind::Paren(inner) => self.value(inner),
            ExprKind::Var(name) => {
                self.b.span = expr.span;
                self.variable(name, self.access(expr.span))
            }
            _ => {
                if let Some(kept) = self.kept_call(expr) {
                    return kept;
                }
                let temp = self.temp();
                self.evaluate_into(expr, temp.reg);
                temp
            }
        }
    }

    /// Evaluates an operand whose partner `after` is evaluated later and may change variables.
    pub(crate) fn left_value(&mut self, expr: &'a Expr, after: &Expr) -> Operand {
        let operand = self.value(expr);
        if !operand.temp && self.disturbs(after) {
            return Operand { reg: self.owned(operand), temp: true };
        }
        operand
    }

    /// Evaluates into a register. The register is written once, at the end, so that a throw on the way leaves it alone.
    pub(crate) fn evaluate_into(&mut self, expr: &'a Expr, dst: Reg) {
        let top = self.b.top();
        self.b.span = expr.span;
        if let Some(value) = self.folded(expr) {
            self.load(dst, value);
        } else {
            self.evaluate_unfolded(expr, dst);
        }
        self.b.release_to(top);
    }

    fn evaluate_unfolded(&mut self, expr: &'a Expr, dst: Reg) {
        match &expr.kind {
            ExprKind::Paren(inner) => self.evaluate_into(inner, dst),
            ExprKind::Var(name) => {
                let operand = self.variable(name, self.access(expr.span));
                self.transfer(operand, dst);
            }
            ExprKind::Name(name) => self.bare_name(name, expr.span, dst),
            ExprKind::Path { module, name } => self.path_value(module, name, dst),
            ExprKind::Interpolation(parts) => self.interpolation(parts, dst),
            ExprKind::List(items) => self.list(items, dst),
            ExprKind::Map(entries) => self.map(entries, dst),
            ExprKind::StructLit { name, fields } => self.struct_literal(name, fields, dst),
            ExprKind::Unary { op, operand } => self.unary(expr.span, *op, operand, dst),
            ExprKind::Binary { op: BinaryOp::Concat, .. } => self.concat(expr, dst),
            ExprKind::Binary { op, left, right } => self.binary(expr.span, *op, [left, right], dst),
            ExprKind::Logical { op, left, right } => self.logical(*op, left, right, dst),
            ExprKind::Ternary { cond, then, otherwise } => {
                let (no, end) = (self.b.label(), self.b.label());
                self.condition(cond, no, false);
                self.evaluate_into(then, dst);
                self.b.jump(end);
                self.b.bind(no);
                self.evaluate_into(otherwise, dst);
                self.b.bind(end);
            }
            ExprKind::Assign { target, op, value } => self.assign(expr.span, target, *op, value, Some(dst)),
            ExprKind::Step { target, delta, prefix } => self.step(expr.span, target, *delta, *prefix, Some(dst)),
            ExprKind::Index { base, index } => self.index(expr.span, base, index, dst),
            ExprKind::Field { base, name } => {
                let container = self.value(base);
                let site = self.b.site(Site::Key { key: Arc::from(name.name.as_bytes()), dotted: true });
                self.b.span = expr.span;
                self.b.emit(Op::GetField, dying(dst, container, None), [dst, container.reg, site]);
            }
            ExprKind::Call { callee, args } => match self.kept_call(expr) {
                Some(kept) => self.transfer(kept, dst),
                None => self.call(expr, callee, args, dst),
            },
            ExprKind::Closure(function) => self.closure(function, dst),
            ExprKind::Iota => self.throw_message("Undefined variable: iota"),
            // Literals are folded; a tree with errors is not lowered.
            ExprKind::Null
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::Error => self.b.emit(Op::LoadNull, 0, [dst, 0, 0]),
        }
    }

    fn index(&mut self, span: Span, base: &'a Expr, index: &'a Expr, dst: Reg) {
        let container = self.left_value(base, index);
        if let Some(Constant::Str(key)) = self.folded(index) {
            let site = self.b.site(Site::Key { key, dotted: false });
            self.b.span = span;
            return self.b.emit(Op::GetField, dying(dst, container, None), [dst, container.reg, site]);
        }
        let key = self.value(index);
        self.b.span = span;
        self.b.emit(Op::GetIndex, dying(dst, container, Some(key)), [dst, container.reg, key.reg]);
    }

    fn unary(&mut self, span: Span, op: UnaryOp, operand: &'a Expr, dst: Reg) {
        let operand = self.value(operand);
        let op = match op {
            UnaryOp::Neg => Op::Neg,
            UnaryOp::BitNot => Op::BitNot,
            UnaryOp::Not => Op::Not,
        };
        self.b.span = span;
        self.b.emit(op, dying(dst, operand, None), [dst, operand.reg, 0]);
    }

    /// A chain of operators is as deep as it is long, so its left side is walked, not recursed into.
    fn binary(&mut self, span: Span, op: BinaryOp, sides: [&'a Expr; 2], dst: Reg) {
        let mut chain = vec![(span, op, sides[1])];
        let mut first = sides[0];
        while let ExprKind::Binary { op, left, right } = &first.kind
            && *op != BinaryOp::Concat
            && self.folded(first).is_none()
        {
            chain.push((first.span, *op, right));
            first = left;
        }
        let mut left = match chain.last() {
            Some((_, _, right)) => self.left_value(first, right),
            None => self.value(first),
        };
        while let Some((span, op, right)) = chain.pop() {
            let last = chain.is_empty();
            // Inner results stay in a temporary, where the next operand cannot disturb them.
            let target = match (last, left.temp) {
                (true, _) => dst,
                (false, true) => left.reg,
                (false, false) => self.b.alloc(1),
            };
            let top = self.b.top();
            self.operate(span, op, left, right, target);
            self.b.release_to(top);
            left = Operand { reg: target, temp: true };
        }
    }

    pub(super) fn operate(&mut self, span: Span, op: BinaryOp, left: Operand, right: &'a Expr, dst: Reg) {
        let (plain, with_constant) = binary_ops(op);
        let constant = match (with_constant, self.folded(right)) {
            (Some(op), Some(value)) if suits(op, &value) => self.b.short_constant(value).map(|index| (op, index)),
            _ => None,
        };
        if let Some((op, index)) = constant {
            self.b.span = span;
            return self.b.emit(op, dying(dst, left, None), [dst, left.reg, index]);
        }
        let right = self.value(right);
        self.b.span = span;
        self.b.emit(plain, dying(dst, left, Some(right)), [dst, left.reg, right.reg]);
    }

    fn logical(&mut self, op: LogicalOp, left: &'a Expr, right: &'a Expr, dst: Reg) {
        let end = self.b.label();
        // The right side may read the variable that `dst` belongs to, so both sides meet in a temporary.
        let result = self.temp();
        self.evaluate_into(left, result.reg);
        match op {
            LogicalOp::Coalesce => {
                self.b.jump_on(Op::JumpIfNull, 0, result.reg, end);
                self.evaluate_into(right, result.reg);
                self.b.bind(end);
                self.transfer(result, dst);
            }
            LogicalOp::And | LogicalOp::Or => {
                let flags = if op == LogicalOp::Or { WHEN_TRUE } else { 0 };
                self.b.jump_on(Op::JumpIf, flags, result.reg, end);
                self.evaluate_into(right, result.reg);
                self.b.bind(end);
                self.b.emit(Op::ToBool, dying(dst, result, None), [dst, result.reg, 0]);
            }
        }
    }

    pub(super) fn list(&mut self, items: &'a [Expr], dst: Reg) {
        const CHUNK: usize = 64;
        if items.len() <= CHUNK {
            let first = self.window(items);
            return self.b.emit(Op::NewList, 0, [dst, first, items.len() as u32]);
        }
        let list = self.b.alloc(1);
        self.b.emit(Op::NewList, 0, [list, list, 0]);
        for chunk in items.chunks(CHUNK) {
            let first = self.window(chunk);
            self.b.emit(Op::ListExtend, 0, [list, first, chunk.len() as u32]);
            self.b.release_to(first);
        }
        self.b.emit(Op::Move, 0, [dst, list, 0]);
    }

    /// Evaluates into neighbouring temporaries.
    pub(crate) fn window(&mut self, items: impl IntoIterator<Item = &'a Expr>) -> Reg {
        let span = self.b.span;
        let first = self.b.top();
        for item in items {
            let reg = self.b.alloc(1);
            self.evaluate_into(item, reg);
        }
        self.b.span = span;
        first
    }

    fn map(&mut self, entries: &'a [(Expr, Expr)], dst: Reg) {
        const MAX_SHAPED: usize = 64;
        let keys: Option<Vec<Arc<[u8]>>> = entries
            .iter()
            .map(|(key, _)| crate::fold::literal_key(key, &self.program.declarations.known, self.iota))
            .collect();
        if let Some(keys) = keys
            && keys.len() <= MAX_SHAPED
            && keys.iter().enumerate().all(|(at, key)| !keys.iter().take(at).any(|known| known == key))
        {
            let first = self.window(entries.iter().map(|(_, value)| value));
            let site = self.b.site(Site::Keys(keys));
            return self.b.emit(Op::NewMap, 0, [dst, first, site]);
        }
        let map = self.b.alloc(1);
        let site = self.b.site(Site::Keys(Vec::new()));
        self.b.emit(Op::NewMap, 0, [map, map, site]);
        for (key, value) in entries {
            let top = self.b.top();
            let key_operand = self.left_value(key, value);
            let reg = self.b.alloc(1);
            self.evaluate_into(value, reg);
            self.b.span = key.span;
            let flags = if key_operand.temp { DIES_B } else { 0 };
            self.b.emit(Op::MapInsert, flags, [map, key_operand.reg, reg]);
            self.b.release_to(top);
        }
        self.b.emit(Op::Move, 0, [dst, map, 0]);
    }
}

/// True when an operation takes this constant on its right.
fn suits(op: Op, value: &Constant) -> bool {
    match (op, value) {
        (Op::ModK, Constant::Int(divisor)) => *divisor > 1,
        (Op::ModK, _) => false,
        (Op::DivK, Constant::Int(divisor)) => *divisor != 0,
        (_, Constant::Int(_) | Constant::Float(_)) => true,
        _ => false,
    }
}
