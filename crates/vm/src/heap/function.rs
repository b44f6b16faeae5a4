//! Function values: bytecode with its captures, a builtin, or a function of another engine.

use super::{Header, HeapKind};
use crate::builtin::{Builtin, Cx};
use crate::throw::Thrown;
use crate::value::Value;
use std::ptr::NonNull;
use std::rc::Rc;

/// A function that another engine evaluates (the oracle's closures).
pub trait ForeignFunction {
    /// The name in messages; `__anonymous__` for closures.
    fn name(&self) -> &str;

    /// Calls it.
    ///
    /// # Errors
    /// What the function throws.
    fn call(&self, cx: &mut Cx<'_>, args: Vec<Value>) -> Result<Value, Thrown>;
}

/// What a function value does when called.
pub enum FunctionKind {
    /// A function of the program: its index there, and the values it captured.
    Script {
        /// Index in the image's function table.
        function: u32,
        /// Captured values in the order the function expects.
        captures: Vec<Value>,
    },
    /// A builtin used as a value.
    Builtin(&'static Builtin),
    /// A function of another engine.
    Foreign(Rc<dyn ForeignFunction>),
}

impl std::fmt::Debug for FunctionKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Script { function, captures } => write!(f, "function {function} with {} captures", captures.len()),
            Self::Builtin(builtin) => write!(f, "builtin {}", builtin.signature.name),
            Self::Foreign(function) => write!(f, "foreign function {}", function.name()),
        }
    }
}

/// A function on the heap.
#[derive(Debug)]
#[repr(C)]
pub struct FunctionObject {
    pub(crate) header: Header,
    pub(crate) kind: FunctionKind,
}

super::counted! {
    /// A counted function value.
    Function => FunctionObject
}

impl Function {
    /// A function value.
    pub fn new(kind: FunctionKind) -> Self {
        let object = Box::new(FunctionObject { header: Header::new(HeapKind::Function), kind });
        Self(NonNull::from(Box::leak(object)))
    }

    /// What it does when called.
    #[inline(always)]
    pub fn kind(&self) -> &FunctionKind {
        &self.object().kind
    }
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.kind().fmt(f)
    }
}
