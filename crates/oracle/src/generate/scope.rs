//! What is known of the variables of a program while it is being made.

/// A type as far as making programs needs it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Type {
    Int,
    Float,
    Bool,
    Str,
    List,
    Map,
    /// The struct `P` of the head.
    Struct,
    Any,
}

impl Type {
    pub(super) const ALL: &'static [Self] =
        &[Self::Int, Self::Float, Self::Bool, Self::Str, Self::List, Self::Map, Self::Struct, Self::Any];
}

/// Something that can be called.
#[derive(Clone, Debug)]
pub(super) struct Callable {
    /// As it is written in front of `(`.
    pub(super) name: String,
    pub(super) params: Vec<Type>,
    /// How many may be left out at the end.
    pub(super) optional: usize,
    /// True when the first parameter counts down how often the function calls itself.
    pub(super) counts_down: bool,
    /// Statements that a call runs, about.
    pub(super) cost: u64,
}

#[derive(Clone, Debug)]
enum What {
    /// A variable of this type; those that control loops are only read.
    Value {
        ty: Type,
        writable: bool,
    },
    Function(Callable),
}

#[derive(Clone, Debug)]
struct Entry {
    name: String,
    what: What,
    /// How many functions are around its place.
    level: usize,
    is_global: bool,
}

/// The variables that can be seen, outermost first.
#[derive(Default)]
pub(super) struct Scopes {
    entries: Vec<Entry>,
    /// Where each open block begins.
    starts: Vec<usize>,
    level: usize,
}

impl Scopes {
    pub(super) fn open(&mut self) {
        self.starts.push(self.entries.len());
    }

    pub(super) fn close(&mut self) {
        let start = self.starts.pop().unwrap_or(0);
        self.entries.truncate(start);
    }

    pub(super) fn enter_function(&mut self) {
        self.open();
        self.level += 1;
    }

    pub(super) fn leave_function(&mut self) {
        self.level -= 1;
        self.close();
    }

    fn add(&mut self, name: String, what: What, is_global: bool) {
        self.entries.push(Entry { name, what, level: self.level, is_global });
    }

    pub(super) fn add_global(&mut self, name: String, ty: Type) {
        self.add(name, What::Value { ty, writable: true }, true);
    }

    pub(super) fn add_variable(&mut self, name: String, ty: Type) {
        let is_global = self.level == 0 && self.starts.is_empty();
        self.add(name, What::Value { ty, writable: true }, is_global);
    }

    pub(super) fn add_read_only(&mut self, name: String, ty: Type) {
        self.add(name, What::Value { ty, writable: false }, false);
    }

    pub(super) fn add_function(&mut self, function: Callable) {
        let name = function.name.clone();
        self.add(name, What::Function(function), false);
    }

    /// Entries that no later one of the same name hides.
    fn visible(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().enumerate().filter_map(|(at, entry)| {
            let hidden = self.entries.iter().skip(at + 1).any(|later| later.name == entry.name);
            (!hidden).then_some(entry)
        })
    }

    /// Variables of a type that can be read.
    pub(super) fn readable(&self, wanted: Type) -> Vec<String> {
        let suits = |entry: &&Entry| match entry.what {
            What::Value { ty, .. } => ty == wanted || wanted == Type::Any,
            What::Function(_) => false,
        };
        self.visible().filter(suits).map(|entry| entry.name.clone()).collect()
    }

    /// Variables of a type that a plain assignment may write: those of the running function.
    pub(super) fn assignable(&self, wanted: Type) -> Vec<String> {
        self.writable(wanted, |entry| entry.level == self.level)
    }

    /// Variables of a type of which an element may be written: also globals.
    pub(super) fn changeable(&self, wanted: Type) -> Vec<String> {
        self.writable(wanted, |entry| entry.level == self.level || entry.is_global)
    }

    fn writable(&self, wanted: Type, suits: impl Fn(&Entry) -> bool) -> Vec<String> {
        let of_type = |entry: &&Entry| match entry.what {
            What::Value { ty, writable } => writable && (ty == wanted || wanted == Type::Any),
            What::Function(_) => false,
        };
        self.visible().filter(of_type).filter(|entry| suits(entry)).map(|entry| entry.name.clone()).collect()
    }

    /// Globals that the running function sees as such, with their types.
    pub(super) fn globals(&self) -> Vec<(String, Type)> {
        let globals = self.visible().filter(|entry| entry.is_global);
        globals
            .filter_map(|entry| match entry.what {
                What::Value { ty, .. } => Some((entry.name.clone(), ty)),
                What::Function(_) => None,
            })
            .collect()
    }

    /// Variables of blocks and functions around, which a closure would capture.
    pub(super) fn capturable(&self) -> Vec<(String, Type)> {
        let locals = self.visible().filter(|entry| !entry.is_global);
        locals
            .filter_map(|entry| match entry.what {
                What::Value { ty, .. } => Some((entry.name.clone(), ty)),
                What::Function(_) => None,
            })
            .collect()
    }

    /// True for a name that the running function has made, got as a parameter, or listed in `use`.
    pub(super) fn is_own_or_listed(&self, name: &str) -> bool {
        self.entries.iter().any(|entry| entry.name == name && entry.level == self.level)
    }

    /// Functions in variables and inner functions.
    pub(super) fn functions(&self) -> Vec<Callable> {
        let functions = self.visible().filter_map(|entry| match &entry.what {
            What::Function(function) => Some(function.clone()),
            What::Value { .. } => None,
        });
        functions.collect()
    }
}
