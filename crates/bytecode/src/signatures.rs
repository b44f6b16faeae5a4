//! All builtins by name, as the compiler and the checker see them.

use crate::Signature;
use std::collections::HashMap;

/// Position of a builtin in the registry. Only the registry makes these; no number is ever written by hand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BuiltinId(pub u16);

/// The signatures of all builtins.
#[derive(Debug, Default)]
pub struct Signatures {
    all: Vec<&'static Signature>,
    by_name: HashMap<(&'static str, &'static str), BuiltinId>,
}

impl Signatures {
    /// Takes the signatures in registry order; the first of two with one name wins.
    pub fn new(all: Vec<&'static Signature>) -> Self {
        let mut by_name = HashMap::new();
        for (at, signature) in all.iter().enumerate() {
            by_name.entry((signature.module, signature.name)).or_insert(BuiltinId(at as u16));
        }
        Self { all, by_name }
    }

    /// Finds `module::name`; the module is empty for names that need none.
    pub fn find(&self, module: &str, name: &str) -> Option<(BuiltinId, &'static Signature)> {
        let id = *self.by_name.get(&(module, name))?;
        Some((id, self.all.get(id.0 as usize)?))
    }

    /// The signature with this id.
    pub fn get(&self, id: BuiltinId) -> Option<&'static Signature> {
        self.all.get(id.0 as usize).copied()
    }

    /// True when some builtin stands in this module.
    pub fn has_module(&self, module: &str) -> bool {
        self.all.iter().any(|signature| signature.module == module)
    }

    /// Names in a module, for suggestions.
    pub fn names_in<'a>(&'a self, module: &'a str) -> impl Iterator<Item = &'static str> + 'a {
        self.all.iter().filter(move |signature| signature.module == module).map(|signature| signature.name)
    }

    /// Names of all modules, without repetition.
    pub fn modules(&self) -> Vec<&'static str> {
        let mut names: Vec<&str> = self.all.iter().map(|signature| signature.module).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// All signatures in registry order.
    pub fn iter(&self) -> impl Iterator<Item = &'static Signature> + '_ {
        self.all.iter().copied()
    }
}
