//! Resolving expressions: reads, writes, closures.

use super::statement::written_argument;
use super::{Access, Resolver, Target, VarId};
use source::{Span, did_you_mean};
use std::rc::Rc;
use syntax::tree::{BinaryOp, Expr, ExprKind, Ident, StrPart};

/// True for expressions whose value is never on the heap.
fn is_scalar(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::Null | ExprKind::Unary { .. } => true,
        ExprKind::Binary { op, .. } => *op != BinaryOp::Concat,
        ExprKind::Paren(inner) => is_scalar(inner),
        ExprKind::Ternary { then, otherwise, .. } => is_scalar(then) && is_scalar(otherwise),
        _ => false,
    }
}

impl Resolver<'_> {
    pub(super) fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Var(name) => self.read(name, expr.span),
            ExprKind::Name(name) => self.bare_name(name, expr.span),
            ExprKind::Logical { left, right, .. } => {
                self.expr(left);
                self.conditionally(true, |this| this.expr(right));
            }
            ExprKind::Ternary { cond, then, otherwise } => {
                self.expr(cond);
                self.conditionally(true, |this| this.expr(then));
                self.conditionally(true, |this| this.expr(otherwise));
            }
            ExprKind::Interpolation(parts) => {
                for part in parts {
                    // A part that fails is printed as text, so what it assigns may stay unassigned.
                    if let StrPart::Expr { expr, .. } = part {
                        self.conditionally(true, |this| this.expr(expr));
                    }
                }
            }
            ExprKind::Assign { target, op, value } => {
                self.assignment(target, op.is_some(), value);
                let heap = match op {
                    None => !is_scalar(value),
                    Some(op) => *op == BinaryOp::Concat,
                };
                if heap && let Some((_, span)) = target.root_variable() {
                    self.may_hold_heap(span);
                }
            }
            ExprKind::Step { target, .. } => self.write(target, true),
            ExprKind::Closure(function) => self.function(function, None),
            _ => {
                if let Some(place) = written_argument(expr) {
                    self.call_that_writes(expr, place);
                } else {
                    expr.for_each_child(&mut |child| self.expr(child));
                }
            }
        }
    }

    /// Notes that the variable written at `span`, or what an element write makes of it, may be on the heap.
    fn may_hold_heap(&mut self, span: Span) {
        if let Some(Access { target: Target::Local(id), .. }) = self.resolved.accesses.get(&span.start).copied()
            && let Some(variable) = self.current().variables.get_mut(id.index())
        {
            variable.may_hold_heap = true;
        }
    }

    /// Walks what runs again in every round of a loop. A variable that is made there is made once.
    pub(super) fn repeatedly(&mut self, walk: impl FnOnce(&mut Self)) {
        self.repeated += 1;
        walk(self);
        self.repeated -= 1;
    }

    pub(super) fn conditionally(&mut self, conditional: bool, walk: impl FnOnce(&mut Self)) {
        self.conditional += usize::from(conditional);
        walk(self);
        self.conditional -= usize::from(conditional);
    }

    fn read(&mut self, name: &Rc<str>, span: Span) {
        let access = self.find(name);
        if access.target == Target::Unknown {
            self.unknown(name, span);
        }
        self.record(span, access);
    }

    fn unknown(&mut self, name: &Rc<str>, span: Span) {
        if self.assigning.as_deref() == Some(name) {
            let message =
                format!("the closure captures ${name} before it is assigned and cannot call itself through it");
            let hint = "declare a named function instead: it sees its own name";
            self.warn("capture-self", span, message, hint);
            return;
        }
        let scopes = self.functions.iter().flat_map(|function| &function.variables);
        let names: Vec<Rc<str>> = scopes.map(|variable| variable.name.clone()).collect();
        let known = names.iter().chain(self.resolved.globals.keys()).map(|name| &**name);
        let hint = did_you_mean(name, known).map(|near| format!("did you mean ${near}?")).unwrap_or_default();
        self.warn("undefined-variable", span, format!("Undefined variable: ${name}"), &hint);
    }

    /// A bare name is a variable only when it names a function declared inside a function or block.
    fn bare_name(&mut self, name: &Rc<str>, span: Span) {
        if (self.is_constant)(name) {
            return;
        }
        let access = self.find(&format!("{name}()"));
        if access.target != Target::Unknown {
            self.record(span, access);
        }
    }

    fn assignment(&mut self, target: &Expr, compound: bool, value: &Expr) {
        let target = target.peeled();
        let ExprKind::Var(name) = &target.kind else {
            // Keys come first, then what a compound assignment reads, then the value.
            self.keys(target);
            let root = target.root_variable();
            if let Some((name, span)) = root.filter(|_| compound) {
                self.write_element(name, span);
            }
            self.expr(value);
            if let Some((name, span)) = root.filter(|_| !compound) {
                self.write_element(name, span);
            }
            return;
        };
        let is_closure = matches!(value.peeled().kind, ExprKind::Closure(_));
        let outer = std::mem::replace(&mut self.assigning, is_closure.then(|| name.clone()));
        if compound {
            // `$x .= …` reads `$x` before the value.
            self.write(target, compound);
            self.expr(value);
        } else {
            self.expr(value);
            self.write(target, compound);
        }
        self.assigning = outer;
    }

    /// A write to a place. `reads` when its old value is used.
    fn write(&mut self, target: &Expr, reads: bool) {
        let target = target.peeled();
        if let ExprKind::Var(name) = &target.kind {
            self.assign(name, target.span, reads);
        } else {
            self.keys(target);
            if let Some((name, span)) = target.root_variable() {
                self.write_element(name, span);
            }
        }
    }

    /// The keys on the way to a place, outermost last.
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

    fn call_that_writes(&mut self, call: &Expr, place: &Expr) {
        self.keys(place);
        if let ExprKind::Call { args, .. } = &call.kind {
            args.iter().skip(1).for_each(|arg| self.expr(arg));
        }
        if let Some((name, span)) = place.root_variable() {
            self.write_element(name, span);
        }
    }

    fn captured_write(&mut self, name: &str, span: Span) {
        let message = format!("${name} comes from outside: a closure captures the value and cannot change it");
        let hint = "return the new value instead, or assign the name before reading it to make a variable of its own";
        self.error(span, message, hint);
    }

    /// `$name = …`, `$name += …`, `$name++`.
    fn assign(&mut self, name: &Rc<str>, span: Span, reads: bool) {
        if reads {
            // May capture, which the next lines then see.
            self.find(name);
        }
        let conditional = self.conditional > 0;
        let function = self.current();
        if let Some(id) = function.visible(name) {
            let here = function.declared_here(id);
            let Some(variable) = function.variables.get_mut(id.index()) else { return };
            if variable.is_captured {
                return self.captured_write(name, span);
            }
            let maybe = variable.maybe;
            variable.maybe &= conditional || !here;
            let stale = std::mem::take(&mut variable.captured);
            let access = Access { target: Target::Local(id), maybe: reads && maybe, ..Access::default() };
            if stale && !self.current().is_global(id) {
                let message =
                    format!("${name} changes after a closure has captured its value; the closure keeps the old one");
                self.warn("capture-stale", span, message, "create the closure after the last change");
            }
            return self.record(span, access);
        }
        if function.at_top() {
            let Some(slot) = self.resolved.globals.get(name).copied() else { return };
            let function = self.current();
            function.declare_global(name.clone(), slot);
            if let Some(variable) = function.variables.get_mut(slot as usize) {
                variable.maybe = conditional;
            }
            let access = Access { target: Target::Local(VarId(slot)), maybe: reads, ..Access::default() };
            return self.record(span, access);
        }
        let old = if reads { self.find(name) } else { Access::default() };
        let id = self.declare(name);
        if reads && self.repeated > 0 {
            // Only the first round begins with the global; later ones go on with the variable.
            let variable = self.current().variables.get_mut(id.index());
            if let Some(variable) = variable {
                (variable.needs_mark, variable.may_hold_heap) = (true, true);
            }
            return self.record(span, Access { target: Target::Local(id), maybe: true, ..Access::default() });
        }
        let seed = match old.target {
            // A block at the top level sees the file's globals as variables of the same function.
            Target::Global(slot) | Target::Local(VarId(slot)) => Some(slot),
            Target::Unknown => None,
        };
        if reads && old.target == Target::Unknown {
            self.unknown(name, span);
        }
        if let Some(variable) = self.current().variables.get_mut(id.index()) {
            variable.may_hold_heap = seed.is_some();
        }
        self.record(span, Access { target: Target::Local(id), maybe: reads, seed, fresh: true });
    }

    /// `$name[…] = …`, `push($name, …)` and the like: the variable keeps its identity, only an element changes.
    fn write_element(&mut self, name: &Rc<str>, span: Span) {
        let access = self.find(name);
        match access.target {
            Target::Local(id) => {
                let function = self.current();
                let Some(variable) = function.variables.get(id.index()) else { return };
                if variable.is_captured {
                    return self.captured_write(name, span);
                }
                if variable.is_param {
                    function.param_writes.push((id, span));
                }
                if function.at_top() && function.is_global(id) && function.visible(name).is_none() {
                    function.declare_global(name.clone(), id.0);
                }
                self.record(span, Access { maybe: false, ..access });
            }
            Target::Global(_) => {
                let message = format!("this changes an element of the global ${name}, not of a local variable");
                let hint = "a function may do that; to change a copy, assign it first: $copy = $name";
                self.warn("global-write", span, message, &hint.replace("$name", &format!("${name}")));
                self.record(span, access);
            }
            Target::Unknown => {
                let id = self.declare(name);
                let again = self.repeated > 0;
                if let Some(variable) = self.current().variables.get_mut(id.index()) {
                    variable.needs_mark |= again;
                }
                self.record(span, Access { target: Target::Local(id), fresh: !again, ..Access::default() });
            }
        }
        self.may_hold_heap(span);
    }

    /// A name that is assigned by its construct: `foreach`, `catch`, a parameter.
    pub(super) fn bind(&mut self, name: &Rc<str>, span: Span) -> VarId {
        let id = self.declare(name);
        self.record(span, Access { target: Target::Local(id), fresh: true, ..Access::default() });
        self.may_hold_heap(span);
        id
    }

    /// A name in `use (…)`: captured by value even when it is a global.
    pub(super) fn explicit_capture(&mut self, level: usize, name: &Ident) {
        let access = self.find_from(level - 1, &name.name);
        if access.target == Target::Unknown {
            self.unknown(&name.name, name.span);
        }
        self.capture(level, &name.name, access);
        self.current().uses += 1;
    }
}
