//! Reading and writing variables.

use super::Evaluator;
use crate::environment::{Scope, Variable};
use crate::written::{Written, for_each_written};
use std::rc::Rc;
use syntax::tree::Expr;
use vm::{Thrown, Value};

/// What a write to an element begins at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Root {
    /// A variable of an open block.
    Own,
    /// A global of the file.
    Global,
    /// Nothing yet: the write makes a variable.
    Missing,
}

/// The error for a variable that has no value.
fn undefined(name: &str) -> Thrown {
    Thrown::error(format!("Undefined variable: ${name}"))
}

impl Evaluator<'_, '_> {
    /// True outside of all blocks of a file.
    pub(super) fn at_top(&self) -> bool {
        self.is_top && self.environment.blocks.is_empty()
    }

    /// The value of a variable that is named at `at`. One that is unassigned leaves the view to the file's global.
    pub(super) fn read(&mut self, name: &Rc<str>, at: u32) -> Result<Value, Thrown> {
        let own = self.environment.find(name, at).and_then(|variable| variable.value.clone());
        own.or_else(|| self.global(name)).ok_or_else(|| undefined(name))
    }

    fn global(&self, name: &str) -> Option<Value> {
        self.state.globals.borrow().get(self.file)?.get(name)?.value.clone()
    }

    /// Works on the globals of the file. No script code may run meanwhile.
    fn with_globals<R>(&self, work: impl FnOnce(&mut Scope) -> R) -> Option<R> {
        self.state.globals.borrow_mut().get_mut(self.file).map(work)
    }

    /// True for a global that an assignment at `at` in a block of the top level writes.
    fn has_global(&self, name: &str, at: u32) -> bool {
        let there = |globals: &mut Scope| globals.get(name).is_some_and(|variable| variable.from <= at);
        self.is_top && self.with_globals(there).unwrap_or(false)
    }

    /// `$name = value`, for an assignment that ends at `end`: the variable of an open block, at the top level the global,
    /// else a new variable of the innermost block. A function never assigns a global.
    pub(super) fn assign(&mut self, name: &Rc<str>, end: u32, value: Value) {
        if let Some(variable) = self.environment.own(name, end) {
            variable.value = Some(value);
        } else if self.at_top() || self.has_global(name, end) {
            self.with_globals(|globals| declared(globals, name, end).value = Some(value));
        } else {
            self.environment.make(name, end, Some(value));
        }
    }

    /// Makes the variables of an expression that was not evaluated, or not to its end.
    pub(super) fn pass_over(&mut self, expr: &Expr) {
        for_each_written(expr, &mut |written| self.pass(&written));
    }

    fn pass(&mut self, written: &Written<'_>) {
        let Written { name, end, element } = *written;
        let is_there = self.environment.own(name, end).is_some()
            || self.has_global(name, end)
            || (element && self.root(name, end) != Root::Missing);
        if self.at_top() {
            self.with_globals(|globals| declared(globals, name, end).from);
        } else if !is_there {
            self.environment.make(name, end, None);
        }
    }

    /// Where a write to an element of `$name` begins, for an expression that ends at `end`.
    pub(super) fn root(&mut self, name: &str, end: u32) -> Root {
        let is_global = || self.state.global_names.get(self.file).is_some_and(|names| names.contains(name));
        if self.environment.own(name, end).is_some() {
            Root::Own
        } else if is_global() {
            Root::Global
        } else {
            Root::Missing
        }
    }

    /// The value that a write to an element finds; null where there is none yet.
    pub(super) fn root_value(&mut self, root: Root, name: &Rc<str>, end: u32) -> Value {
        let value = match root {
            Root::Own => self.environment.own(name, end).and_then(|variable| variable.value.clone()),
            Root::Global => self.global(name),
            Root::Missing => None,
        };
        value.unwrap_or(Value::NULL)
    }

    /// Changes a variable in place. A variable that is not there begins as null, and is made when the change succeeds.
    pub(super) fn change<R>(
        &mut self,
        root: Root,
        name: &Rc<str>,
        end: u32,
        change: impl FnOnce(&mut Value) -> Result<R, Thrown>,
    ) -> Result<R, Thrown> {
        let at_top = self.at_top();
        if root == Root::Global {
            let work = |globals: &mut Scope| {
                let from = if at_top { end } else { u32::MAX };
                change_variable(declared(globals, name, from), change)
            };
            return self.with_globals(work).unwrap_or_else(|| Err(undefined(name)));
        }
        if self.environment.own(name, end).is_none() {
            self.environment.make(name, end, None);
        }
        match self.environment.own(name, end) {
            Some(variable) => change_variable(variable, change),
            None => Err(undefined(name)),
        }
    }
}

/// The global of this name, which is there from `from` on at the latest.
fn declared<'s>(globals: &'s mut Scope, name: &Rc<str>, from: u32) -> &'s mut Variable {
    let variable = globals.entry(Rc::clone(name)).or_insert(Variable { from, value: None });
    variable.from = variable.from.min(from);
    variable
}

fn change_variable<R>(
    variable: &mut Variable,
    change: impl FnOnce(&mut Value) -> Result<R, Thrown>,
) -> Result<R, Thrown> {
    match &mut variable.value {
        Some(value) => change(value),
        None => {
            let mut made = Value::NULL;
            let result = change(&mut made)?;
            variable.value = Some(made);
            Ok(result)
        }
    }
}
