//! Evaluation: what a program is while it runs, and how it is started.

mod call;
mod expression;
mod place;
mod statement;
mod variable;

use crate::environment::{Environment, Scope};
use crate::load::Program;
use crate::written;
use call::ScriptFunction;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;
use syntax::tree::Stmt;
use vm::{Cx, Isolate, Registry, Thrown, Value};

/// How far a program may go.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Calls may nest this deep.
    pub call_depth: usize,
    /// Calls may use this many bytes of the native stack. The thread must have a few megabytes more.
    pub stack_bytes: usize,
}

impl Default for Limits {
    /// The limits of the language. The stack suits a thread with 4 GiB; only what is used of it is ever real.
    fn default() -> Self {
        Self { call_depth: vm::DEFAULT_CALL_DEPTH, stack_bytes: 3 << 30 }
    }
}

/// Runs a program: its constants, then the top level of the main file. The isolate offers builtins and output; flushing
/// the output is the caller's.
///
/// # Errors
/// What the program throws and does not catch, and its end by `exit`.
pub fn run(program: Program, isolate: &mut Isolate, limits: Limits) -> Result<(), Thrown> {
    let names = |file: &crate::load::File| written::globals(&file.tree.statements).into_iter().collect();
    let state = Rc::new(State {
        global_names: program.files.iter().map(names).collect(),
        globals: RefCell::new(program.files.iter().map(|_| Scope::new()).collect()),
        registry: Arc::clone(isolate.registry()),
        constants: RefCell::default(),
        functions: RefCell::default(),
        started: RefCell::default(),
        depth: Cell::new(0),
        stack_start: stack_position(),
        limits,
        program,
    });
    let mut cx = Cx::new(isolate);
    let result = state.constants(&mut cx).and_then(|()| state.file(&mut cx, 0));
    // Functions in variables hold the state, which holds the variables.
    let values = (state.globals.take(), state.constants.take(), state.functions.take());
    drop(values);
    result
}

/// What all running code of a program shares.
struct State {
    program: Program,
    registry: Arc<Registry>,
    limits: Limits,
    /// By file: the names its top level writes outside of blocks.
    global_names: Vec<HashSet<Rc<str>>>,
    globals: RefCell<Vec<Scope>>,
    /// Those that have been evaluated.
    constants: RefCell<HashMap<Rc<str>, Value>>,
    /// The program's functions that have been used as values, so that each is one value.
    functions: RefCell<HashMap<Rc<str>, Value>>,
    /// Files whose top level has been started.
    started: RefCell<HashSet<usize>>,
    depth: Cell<usize>,
    stack_start: usize,
}

/// About where the native stack is.
fn stack_position() -> usize {
    let here = 0_u8;
    std::ptr::from_ref(&here).addr()
}

impl State {
    /// Evaluates the constants in load order.
    fn constants(self: &Rc<Self>, cx: &mut Cx<'_>) -> Result<(), Thrown> {
        for constant in &self.program.declarations.constants {
            let value = match &constant.value {
                Some(expr) => {
                    let mut evaluator = Evaluator::new(self, cx, constant.file);
                    evaluator.iota = Some(constant.iota);
                    evaluator.expr(expr)?
                }
                None => Value::int(constant.iota),
            };
            self.constants.borrow_mut().insert(Rc::clone(&constant.name), value);
        }
        Ok(())
    }

    /// Runs the top level of a file, unless that has been started before.
    fn file(self: &Rc<Self>, cx: &mut Cx<'_>, at: usize) -> Result<(), Thrown> {
        let Some(file) = self.program.files.get(at) else { return Ok(()) };
        if !self.started.borrow_mut().insert(at) {
            return Ok(());
        }
        let mut evaluator = Evaluator::new(self, cx, at);
        evaluator.is_top = true;
        evaluator.environment.blocks.clear();
        let statements: &[Stmt] = &file.tree.statements;
        evaluator.statements(statements).map(drop)
    }

    /// A function of the program as a value.
    fn function(self: &Rc<Self>, name: &Rc<str>) -> Option<Value> {
        let declared = self.program.declarations.functions.get(name)?;
        let mut made = self.functions.borrow_mut();
        let make = || ScriptFunction::value(self, declared.file, &declared.tree, Rc::default(), None);
        Some(made.entry(Rc::clone(name)).or_insert_with(make).clone())
    }
}

/// Code that is running: a function, or the top level of a file.
struct Evaluator<'a, 'c> {
    state: &'a Rc<State>,
    cx: &'a mut Cx<'c>,
    file: usize,
    /// True for the top level of a file, whose variables outside of blocks are the file's globals.
    is_top: bool,
    environment: Environment,
    /// Inside of constants.
    iota: Option<i64>,
}

impl<'a, 'c> Evaluator<'a, 'c> {
    /// Code of a file with one open block.
    fn new(state: &'a Rc<State>, cx: &'a mut Cx<'c>, file: usize) -> Self {
        let environment = Environment { blocks: vec![Scope::new()], captured: Rc::default() };
        Self { state, cx, file, is_top: false, environment, iota: None }
    }
}

#[cfg(test)]
mod tests;
