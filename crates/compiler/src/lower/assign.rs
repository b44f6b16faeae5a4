//! Assignments, steps, and the paths they write through.

use super::expression::dying;
use super::{Lowerer, Operand};
use crate::builder::Reg;
use crate::resolve::{Access, Target};
use bytecode::op::{DIES_B, DIES_C, GLOBAL_ROOT, OR_NULL, WANTED};
use bytecode::{Constant, Op, Site};
use source::Span;
use std::rc::Rc;
use std::sync::Arc;
use syntax::tree::{BinaryOp, Expr, ExprKind, StrPart};

/// Where a path begins.
#[derive(Clone, Copy, Debug)]
pub(super) enum Root {
    Register(Reg),
    Global(u32),
}

impl Root {
    fn flag(self) -> u8 {
        match self {
            Self::Register(_) => 0,
            Self::Global(_) => GLOBAL_ROOT,
        }
    }

    fn operand(self) -> u32 {
        match self {
            Self::Register(reg) => reg,
            Self::Global(slot) => slot,
        }
    }
}

/// One key of a path.
#[derive(Clone, Copy, Debug)]
pub(super) enum Key<'a> {
    Index(&'a Expr),
    Field(&'a Rc<str>),
}

/// The keys of a place, from its root.
pub(super) fn path_keys(place: &Expr) -> Vec<Key<'_>> {
    let mut keys = Vec::new();
    let mut rest = place;
    loop {
        match &rest.kind {
            ExprKind::Index { base, index } => {
                keys.push(Key::Index(index));
                rest = base;
            }
            ExprKind::Field { base, name } => {
                keys.push(Key::Field(&name.name));
                rest = base;
            }
            ExprKind::Paren(inner) => rest = inner,
            _ => break,
        }
    }
    keys.reverse();
    keys
}

impl<'a> Lowerer<'_, 'a> {
    /// `target = value`, `target op= value`. `result` gets the stored value, if it is wanted.
    pub(crate) fn assign(
        &mut self,
        span: Span,
        target: &'a Expr,
        op: Option<BinaryOp>,
        value: &'a Expr,
        result: Option<Reg>,
    ) {
        let target = target.peeled();
        if let ExprKind::Var(name) = &target.kind {
            let access = self.access(target.span);
            let Target::Local(id) = access.target else { return };
            let reg = self.register(id);
            match op {
                None => self.assign_local(reg, value),
                Some(op) => self.compound_local(span, name, access, reg, op, value),
            }
            if let Some(dst) = result {
                self.transfer(Operand { reg, temp: false }, dst);
            }
            return;
        }
        match op {
            None => self.assign_element(span, target, value, result),
            Some(BinaryOp::Concat) => self.append_element(span, target, value, result),
            Some(op) => self.compound_element(span, target, op, Right::Expr(value), true, result),
        }
    }

    fn assign_local(&mut self, reg: Reg, value: &'a Expr) {
        if self.folded(value).is_none() && self.append_to_itself(reg, value) {
            return;
        }
        self.evaluate_into(value, reg);
    }

    fn compound_local(&mut self, span: Span, name: &str, access: Access, reg: Reg, op: BinaryOp, value: &'a Expr) {
        self.seed_local(name, access, reg);
        let top = self.b.top();
        if op == BinaryOp::Concat && !self.disturbs(value) {
            let value = self.value(value);
            self.b.span = span;
            self.b.emit(Op::Append, dying(reg, value, None), [reg, value.reg, 0]);
        } else {
            let old = Operand { reg, temp: false };
            let old = if self.disturbs(value) { Operand { reg: self.owned(old), temp: true } } else { old };
            self.operate(span, op, old, value, reg);
        }
        self.b.release_to(top);
    }

    /// Gives a new local the value that a compound assignment starts from.
    fn seed_local(&mut self, name: &str, access: Access, reg: Reg) {
        if let Some(slot) = access.seed {
            self.b.emit_wide(Op::GetGlobal, 0, reg, slot);
        } else if access.fresh {
            self.throw_message(&format!("Undefined variable: ${name}"));
        } else if access.maybe {
            self.make_defined(reg, name);
        }
    }

    /// The root of a place.
    pub(super) fn root(&mut self, place: &Expr) -> Root {
        let Some((_, span)) = place.root_variable() else { return Root::Register(0) };
        let access = self.access(span);
        match access.target {
            Target::Local(id) if self.kind == super::Kind::Bare => Root::Global(id.0),
            Target::Local(id) => Root::Register(self.register(id)),
            Target::Global(slot) => Root::Global(slot),
            Target::Unknown => Root::Register(self.b.alloc(1)),
        }
    }

    /// Begins a variable that this write makes as null; what is evaluated before does not see it yet.
    pub(super) fn begin_root(&mut self, place: &Expr) {
        let Some((_, span)) = place.root_variable() else { return };
        let access = self.access(span);
        if let Target::Local(id) = access.target
            && access.fresh
        {
            let reg = self.register(id);
            self.b.emit(Op::LoadNull, 0, [reg, 0, 0]);
        }
    }

    /// Evaluates keys into neighbouring temporaries and leaves one register after them for the value.
    pub(super) fn key_window(&mut self, keys: &[Key<'a>]) -> Reg {
        let first = self.b.top();
        for key in keys {
            let reg = self.b.alloc(1);
            match key {
                Key::Index(expr) => self.evaluate_into(expr, reg),
                Key::Field(name) => self.load(reg, Constant::Field(Arc::from(name.as_bytes()))),
            }
        }
        self.b.alloc(1);
        first
    }

    fn assign_element(&mut self, span: Span, target: &'a Expr, value: &'a Expr, result: Option<Reg>) {
        let keys = path_keys(target);
        let root = self.root(target);
        let wanted = if result.is_some() { WANTED } else { 0 };
        if let (Root::Register(reg), [key]) = (root, keys.as_slice()) {
            return self.assign_one_level(span, target, reg, *key, value, result);
        }
        let first = self.key_window(&keys);
        let count = keys.len() as u32;
        self.evaluate_into(value, first + count);
        self.begin_root(target);
        self.b.span = span;
        self.b.emit(Op::SetPath, root.flag() | wanted, [root.operand(), first, count]);
        if let Some(dst) = result {
            self.transfer(Operand { reg: first + count, temp: true }, dst);
        }
    }

    fn assign_one_level(
        &mut self,
        span: Span,
        target: &'a Expr,
        root: Reg,
        key: Key<'a>,
        value: &'a Expr,
        result: Option<Reg>,
    ) {
        let site = match key {
            Key::Field(name) => Some(Site::Key { key: Arc::from(name.as_bytes()), dotted: true }),
            Key::Index(index) => match self.folded(index) {
                Some(Constant::Str(key)) => Some(Site::Key { key, dotted: false }),
                _ => None,
            },
        };
        let wanted = if result.is_some() { WANTED } else { 0 };
        let stored = match (site, key) {
            (Some(site), _) => {
                let value = self.stored_value(value, root, result);
                self.begin_root(target);
                let site = self.b.site(site);
                self.b.span = span;
                self.b.emit(Op::SetField, wanted | if value.temp { DIES_B } else { 0 }, [root, value.reg, site]);
                value
            }
            (None, Key::Index(index)) => {
                let key = self.left_value(index, value);
                let value = self.stored_value(value, root, result);
                self.begin_root(target);
                self.b.span = span;
                let flags = wanted | if key.temp { DIES_B } else { 0 } | if value.temp { DIES_C } else { 0 };
                self.b.emit(Op::SetIndex, flags, [root, key.reg, value.reg]);
                value
            }
            (None, Key::Field(_)) => return,
        };
        if let Some(dst) = result {
            self.transfer(stored, dst);
        }
    }

    /// The value of an element assignment. It needs a register of its own when the stored value is wanted (it may differ)
    /// and when it is the container itself (`$a[1] = $a` stores a copy).
    fn stored_value(&mut self, value: &'a Expr, root: Reg, result: Option<Reg>) -> Operand {
        let operand = self.value(value);
        if operand.temp || (result.is_none() && operand.reg != root) {
            return operand;
        }
        Operand { reg: self.owned(operand), temp: true }
    }

    fn append_element(&mut self, span: Span, target: &'a Expr, value: &'a Expr, result: Option<Reg>) {
        let keys = path_keys(target);
        let root = self.root(target);
        if self.disturbs(value) || (matches!(root, Root::Global(_)) && calls(value)) {
            // The value may change the element, whose old text comes first.
            return self.compound_element(span, target, BinaryOp::Concat, Right::Expr(value), true, result);
        }
        let first = self.key_window(&keys);
        let count = keys.len() as u32;
        self.begin_root(target);
        if !self.is_plain_text(value) {
            // The element is read before the value is evaluated: if it cannot be, that is the error.
            let read = self.temp();
            self.read_path(span, root, first, count, read.reg);
            self.b.emit(Op::Drop, 0, [read.reg, 1, 0]);
            self.b.release_to(read.reg);
        }
        self.evaluate_into(value, first + count);
        let wanted = if result.is_some() { WANTED } else { 0 };
        self.b.span = span;
        self.b.emit(Op::AppendPath, root.flag() | wanted, [root.operand(), first, count]);
        if let Some(dst) = result {
            self.transfer(Operand { reg: first + count, temp: true }, dst);
        }
    }

    /// `place op= value` and `place++` for elements: load, calculate, store, with the keys evaluated once.
    fn compound_element(
        &mut self,
        span: Span,
        target: &'a Expr,
        op: BinaryOp,
        right: Right<'a>,
        new_value: bool,
        result: Option<Reg>,
    ) {
        let keys = path_keys(target);
        let root = self.root(target);
        let first = self.key_window(&keys);
        let count = keys.len() as u32;
        let current = first + count;
        self.begin_root(target);
        self.read_path(span, root, first, count, current);
        let old = Operand { reg: current, temp: true };
        // The old value waits in a temporary: the store may fail, and the result may go to the root itself.
        let kept = (!new_value && result.is_some()).then(|| self.temp());
        if let Some(kept) = kept {
            self.transfer(Operand { temp: false, ..old }, kept.reg);
        }
        match right {
            Right::Expr(value) => self.operate(span, op, old, value, current),
            Right::Step(delta) => self.add_constant(span, old, delta, current),
        }
        self.b.span = span;
        let wanted = if new_value && result.is_some() { WANTED } else { 0 };
        self.b.emit(Op::SetPath, root.flag() | wanted, [root.operand(), first, count]);
        if let Some(dst) = result {
            self.transfer(kept.unwrap_or(old), dst);
        }
    }

    /// Reads what stands at the end of a path. A global that is unassigned counts as null.
    fn read_path(&mut self, span: Span, root: Root, first: Reg, count: u32, dst: Reg) {
        self.b.span = span;
        let mut container = match root {
            Root::Register(reg) => reg,
            Root::Global(slot) => {
                self.b.emit_wide(Op::GetGlobal, OR_NULL, dst, slot);
                dst
            }
        };
        for key in first..first + count {
            self.b.emit(Op::GetIndex, 0, [dst, container, key]);
            container = dst;
        }
    }

    /// True for values that are evaluated without calls and cannot throw.
    fn is_plain_text(&mut self, value: &Expr) -> bool {
        match &value.peeled().kind {
            ExprKind::Binary { op: BinaryOp::Concat, left, right } => {
                self.is_plain_text(left) && self.is_plain_text(right)
            }
            ExprKind::Interpolation(parts) => parts.iter().all(|part| match part {
                StrPart::Text(_) => true,
                StrPart::Expr { expr, .. } => self.is_plain_text(expr),
            }),
            ExprKind::Var(_) => self.definite_local(value).is_some(),
            _ => self.folded(value).is_some(),
        }
    }

    fn add_constant(&mut self, span: Span, old: Operand, delta: i64, dst: Reg) {
        self.b.span = span;
        let index = self.b.constant(Constant::Int(delta.abs()));
        let op = if delta < 0 { Op::SubK } else { Op::AddK };
        self.b.emit(op, dying(dst, old, None), [dst, old.reg, index]);
    }

    /// `++place`, `place--`. With `prefix` the result is the new value.
    pub(crate) fn step(&mut self, span: Span, target: &'a Expr, delta: i64, prefix: bool, result: Option<Reg>) {
        let target = target.peeled();
        let ExprKind::Var(name) = &target.kind else {
            return self.compound_element(span, target, BinaryOp::Add, Right::Step(delta), prefix, result);
        };
        let access = self.access(target.span);
        let Target::Local(id) = access.target else { return };
        let reg = self.register(id);
        self.seed_local(name, access, reg);
        let place = Operand { reg, temp: false };
        match result {
            Some(dst) if !prefix => {
                // The old value waits in a temporary: the step may fail, and the result may go to the variable itself.
                let kept = self.temp();
                self.transfer(place, kept.reg);
                self.add_constant(span, place, delta, reg);
                self.transfer(kept, dst);
            }
            _ => {
                self.add_constant(span, place, delta, reg);
                if let Some(dst) = result {
                    self.transfer(place, dst);
                }
            }
        }
    }
}

/// True when evaluating calls something.
fn calls(expr: &Expr) -> bool {
    let mut found = matches!(expr.kind, ExprKind::Call { .. });
    expr.for_each_child(&mut |child| found = found || calls(child));
    found
}

/// The right side of a compound assignment.
#[derive(Clone, Copy, Debug)]
enum Right<'a> {
    Expr(&'a Expr),
    Step(i64),
}
