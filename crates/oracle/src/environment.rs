//! Where variables live while a function runs.
//!
//! A name means the variable of the innermost open block that has it, then a captured value, then the file's global. A
//! variable is there for what stands behind the place that makes it, never for what stands before: that keeps its meaning
//! when a loop comes round to it.

use std::collections::HashMap;
use std::rc::Rc;
use vm::Value;

/// A variable.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    /// It is there for occurrences from this position on.
    pub(crate) from: u32,
    /// None while it is unassigned: the place that makes it was passed without being reached.
    pub(crate) value: Option<Value>,
}

/// Variables by name. Named functions that are declared in a block stand under `name()`.
pub(crate) type Scope = HashMap<Rc<str>, Variable>;

/// The variables of one running function, or of the top level of a file.
#[derive(Debug, Default)]
pub(crate) struct Environment {
    /// Open blocks, innermost last. At the top level of a file the globals stand outside of them, elsewhere.
    pub(crate) blocks: Vec<Scope>,
    /// What a closure has captured. Never written.
    pub(crate) captured: Rc<Scope>,
}

impl Environment {
    /// The variable of an open block that a name at `at` means.
    pub(crate) fn own(&mut self, name: &str, at: u32) -> Option<&mut Variable> {
        self.blocks.iter_mut().rev().find_map(|block| block.get_mut(name).filter(|variable| variable.from <= at))
    }

    /// The variable of an open block, or the captured one, that a name at `at` means.
    pub(crate) fn find(&mut self, name: &str, at: u32) -> Option<&Variable> {
        let own = self.blocks.iter().rev().find_map(|block| block.get(name).filter(|variable| variable.from <= at));
        own.or_else(|| self.captured.get(name).filter(|variable| variable.from <= at))
    }

    /// Makes a variable in the innermost block.
    pub(crate) fn make(&mut self, name: &Rc<str>, from: u32, value: Option<Value>) {
        if let Some(block) = self.blocks.last_mut() {
            block.insert(Rc::clone(name), Variable { from, value });
        }
    }

    /// What a closure at `at` captures: the values of everything that is there.
    pub(crate) fn snapshot(&self, at: u32) -> Scope {
        let mut all = Scope::new();
        for block in std::iter::once(&*self.captured).chain(&self.blocks) {
            let there = block.iter().filter(|(_, variable)| variable.from <= at);
            all.extend(there.map(|(name, variable)| (Rc::clone(name), variable.clone())));
        }
        all
    }
}
