//! Writes: assignments, steps, `push` and `pop`.
//!
//! The order is always the same: keys from left to right, the old value where it is needed, the right side, the write. The
//! variable is looked for where it is first needed, so that a plain write finds what its right side has made.

use super::Evaluator;
use super::variable::Root;
use crate::arithmetic;
use crate::element::{self, Key};
use source::Span;
use std::rc::Rc;
use syntax::tree::{BinaryOp, Expr, ExprKind};
use vm::{Str, Thrown, Value};

/// A place that is going to be written, its keys evaluated.
struct Place {
    name: Rc<str>,
    /// Where the writing expression ends.
    end: u32,
    path: Vec<Key>,
}

/// The values of a place before and after a change.
struct Change {
    before: Value,
    after: Value,
}

impl Evaluator<'_, '_> {
    /// `target = value`, `target op= value`; gives the stored value.
    pub(super) fn assignment(
        &mut self,
        span: Span,
        target: &Expr,
        op: Option<BinaryOp>,
        value: &Expr,
    ) -> Result<Value, Thrown> {
        if let Some(op) = op {
            return self.compound(span, target, op, |this| this.expr(value)).map(|change| change.after);
        }
        if let ExprKind::Var(name) = &target.peeled().kind {
            let value = self.expr(value)?;
            self.assign(name, span.end, value.clone());
            return Ok(value);
        }
        let place = self.place(span, target)?;
        let value = self.expr(value)?;
        let root = self.root(&place.name, place.end);
        self.store(root, &place, &value)
    }

    /// `++place`, `place--` and so on.
    pub(super) fn step(&mut self, span: Span, target: &Expr, delta: i64, prefix: bool) -> Result<Value, Thrown> {
        let op = if delta < 0 { BinaryOp::Sub } else { BinaryOp::Add };
        let change = self.compound(span, target, op, |_| Ok(Value::int(1)))?;
        Ok(if prefix { change.after } else { change.before })
    }

    fn compound(
        &mut self,
        span: Span,
        target: &Expr,
        op: BinaryOp,
        right: impl FnOnce(&mut Self) -> Result<Value, Thrown>,
    ) -> Result<Change, Thrown> {
        if let ExprKind::Var(name) = &target.peeled().kind {
            let before = self.read(name, span.end)?;
            let right = right(self)?;
            let after = arithmetic::binary(op, &before, &right)?;
            self.assign(name, span.end, after.clone());
            return Ok(Change { before, after });
        }
        let place = self.place(span, target)?;
        let root = self.root(&place.name, place.end);
        let before = self.stored(root, &place)?;
        let right = right(self)?;
        let after = arithmetic::binary(op, &before, &right)?;
        let after = self.store(root, &place, &after)?;
        Ok(Change { before, after })
    }

    /// `push(target, value)`: the new length.
    pub(super) fn push(&mut self, span: Span, target: &Expr, value: &Expr) -> Result<Value, Thrown> {
        let place = self.place(span, target)?;
        let value = self.expr(value)?;
        let root = self.root(&place.name, place.end);
        self.change_place(root, &place, &mut |slot| element::push(slot, value.clone()).map(Value::int))
    }

    /// `pop(target)`: the last value.
    pub(super) fn pop(&mut self, span: Span, target: &Expr) -> Result<Value, Thrown> {
        let place = self.place(span, target)?;
        let root = self.root(&place.name, place.end);
        self.change_place(root, &place, &mut element::pop)
    }

    fn place(&mut self, span: Span, target: &Expr) -> Result<Place, Thrown> {
        let Some((name, _)) = target.root_variable() else {
            return Err(Thrown::error("only a variable, an element or a field can be written"));
        };
        let mut path = Vec::new();
        self.keys(target, &mut path)?;
        Ok(Place { name: Rc::clone(name), end: span.end, path })
    }

    fn keys(&mut self, place: &Expr, path: &mut Vec<Key>) -> Result<(), Thrown> {
        match &place.kind {
            ExprKind::Index { base, index } => {
                self.keys(base, path)?;
                path.push(Key::Index(self.expr(index)?));
            }
            ExprKind::Field { base, name } => {
                self.keys(base, path)?;
                path.push(Key::Field(Str::from(&*name.name)));
            }
            ExprKind::Paren(inner) => self.keys(inner, path)?,
            _ => {}
        }
        Ok(())
    }

    /// What stands in the place.
    fn stored(&mut self, root: Root, place: &Place) -> Result<Value, Thrown> {
        let mut value = self.root_value(root, &place.name, place.end);
        for key in &place.path {
            value = element::read(&value, key)?;
        }
        Ok(value)
    }

    /// Writes the place and gives what it holds then, which may differ: a float field makes an int a float.
    fn store(&mut self, root: Root, place: &Place, value: &Value) -> Result<Value, Thrown> {
        self.change_place(root, place, &mut |slot| {
            *slot = value.clone();
            Ok(())
        })?;
        let written = if root == Root::Missing { Root::Own } else { root };
        self.stored(written, place)
    }

    fn change_place<R>(
        &mut self,
        root: Root,
        place: &Place,
        change: &mut dyn FnMut(&mut Value) -> Result<R, Thrown>,
    ) -> Result<R, Thrown> {
        self.change(root, &place.name, place.end, |value| element::write(value, &place.path, change))
    }
}
