//! Variables of functions and the blocks they live in.

use source::Span;
use std::collections::HashMap;
use std::rc::Rc;

/// A variable of one function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct VarId(pub(crate) u32);

impl VarId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What is known of a variable.
#[derive(Clone, Debug, Default)]
pub(crate) struct Variable {
    /// The name without `$`; named inner functions are variables called `name()`.
    pub(crate) name: Rc<str>,
    /// True while the variable may be read before it is assigned.
    pub(crate) maybe: bool,
    /// True for values captured from outside, which cannot be written.
    pub(crate) is_captured: bool,
    /// True for parameters.
    pub(crate) is_param: bool,
    /// True once some closure has captured it.
    pub(crate) captured: bool,
    /// True when it must be marked unassigned where its block begins.
    pub(crate) needs_mark: bool,
    /// True when it is ever given a value that may be on the heap, so that it is dropped where its block ends.
    pub(crate) may_hold_heap: bool,
}

/// What an occurrence of a name refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Target {
    /// A variable of the running function. The file's globals are variables of its top level, with the slot as number.
    Local(VarId),
    /// A global of the file, seen from inside a function.
    Global(u32),
    /// Nothing that was ever assigned.
    #[default]
    Unknown,
}

/// One occurrence of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Access {
    /// What it refers to.
    pub(crate) target: Target,
    /// True when it may be unassigned here, so that reading it needs a check.
    pub(crate) maybe: bool,
    /// For a compound assignment that makes a local: the global whose value it starts from.
    pub(crate) seed: Option<u32>,
    /// True when this occurrence makes the variable.
    pub(crate) fresh: bool,
}

/// The variables of one function, for lowering.
#[derive(Debug, Default)]
pub(crate) struct FunctionNames {
    /// Its number among the functions of the file, in source order.
    pub(crate) order: u32,
    /// All variables; the position is the id.
    pub(crate) variables: Vec<Variable>,
    /// What is captured: where it is in the function around, and the variable it becomes inside.
    pub(crate) captures: Vec<(Access, VarId)>,
    /// How many of the first captures stand in an explicit `use` list.
    pub(crate) uses: usize,
    /// The variable that holds a named inner function itself.
    pub(crate) own: Option<VarId>,
}

/// Everything lowering asks about names of one file.
#[derive(Debug, Default)]
pub(crate) struct Resolved {
    /// Globals by name.
    pub(crate) globals: HashMap<Rc<str>, u32>,
    /// Occurrences by the position of their first byte.
    pub(crate) accesses: HashMap<u32, Access>,
    /// Variables declared in a block, by the block's position.
    pub(crate) blocks: HashMap<u32, Vec<VarId>>,
    /// Functions by position; the top level stands under `u32::MAX` and is not counted.
    pub(crate) functions: HashMap<u32, FunctionNames>,
    /// Number of functions. Their order depends only on what stands before them, so that text added at the end of a file
    /// changes no function's place.
    pub(crate) function_count: u32,
}

impl Resolved {
    /// The globals in the order of their slots.
    pub(crate) fn global_names(&self) -> Vec<Rc<str>> {
        let mut names: Vec<(&Rc<str>, u32)> = self.globals.iter().map(|(name, slot)| (name, *slot)).collect();
        names.sort_by_key(|(_, slot)| *slot);
        names.into_iter().map(|(name, _)| name.clone()).collect()
    }
}

/// An open block.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) key: u32,
    names: HashMap<Rc<str>, VarId>,
    pub(super) declared: Vec<VarId>,
}

impl Block {
    pub(super) fn new(key: u32) -> Self {
        Self { key, names: HashMap::new(), declared: Vec::new() }
    }
}

/// An open function.
#[derive(Debug)]
pub(super) struct FunctionScope {
    pub(super) is_top: bool,
    pub(super) order: u32,
    /// How many of the first variables are globals; 0 except at the top level.
    pub(super) slots: usize,
    pub(super) variables: Vec<Variable>,
    pub(super) blocks: Vec<Block>,
    /// Captured names; they belong to no block and live as long as the function.
    captured: HashMap<Rc<str>, VarId>,
    pub(super) captures: Vec<(Access, VarId)>,
    pub(super) uses: usize,
    pub(super) own: Option<VarId>,
    /// Parameters whose elements are written, with the first such place; for the checker.
    pub(super) param_writes: Vec<(VarId, Span)>,
    /// True when some `return` of this function gives a value.
    pub(super) returns_value: bool,
}

impl FunctionScope {
    pub(super) fn new(is_top: bool, order: u32) -> Self {
        Self {
            is_top,
            order,
            slots: 0,
            variables: Vec::new(),
            blocks: Vec::new(),
            captured: HashMap::new(),
            captures: Vec::new(),
            uses: 0,
            own: None,
            param_writes: Vec::new(),
            returns_value: false,
        }
    }

    /// The variable that a name means here, without looking outside the function.
    pub(super) fn visible(&self, name: &str) -> Option<VarId> {
        self.blocks.iter().rev().find_map(|block| block.names.get(name)).or_else(|| self.captured.get(name)).copied()
    }

    /// Declares a variable in the innermost block.
    pub(super) fn declare(&mut self, name: Rc<str>, maybe: bool) -> VarId {
        let id = VarId(self.variables.len() as u32);
        self.variables.push(Variable { name: name.clone(), maybe, needs_mark: maybe, ..Variable::default() });
        if let Some(block) = self.blocks.last_mut() {
            block.names.insert(name, id);
            block.declared.push(id);
        }
        id
    }

    /// Makes a global visible: its first assignment has been passed.
    pub(super) fn declare_global(&mut self, name: Rc<str>, slot: u32) {
        if let Some(block) = self.blocks.first_mut() {
            block.names.insert(name, VarId(slot));
        }
    }

    pub(super) fn declare_captured(&mut self, name: Rc<str>, maybe: bool) -> VarId {
        let id = VarId(self.variables.len() as u32);
        let variable = Variable { name: name.clone(), maybe, is_captured: true, ..Variable::default() };
        self.variables.push(variable);
        self.captured.insert(name, id);
        id
    }

    /// True at the top level outside all blocks.
    pub(super) fn at_top(&self) -> bool {
        self.is_top && self.blocks.len() == 1
    }

    /// True for variables of the top level that are globals.
    pub(super) fn is_global(&self, id: VarId) -> bool {
        id.index() < self.slots
    }

    /// True when the innermost block is the one that declared the variable.
    pub(super) fn declared_here(&self, id: VarId) -> bool {
        self.blocks.last().is_some_and(|block| block.declared.contains(&id)) || (self.at_top() && self.is_global(id))
    }

    pub(super) fn into_names(self) -> FunctionNames {
        FunctionNames {
            order: self.order,
            variables: self.variables,
            captures: self.captures,
            uses: self.uses,
            own: self.own,
        }
    }
}
