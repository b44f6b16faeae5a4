//! What belongs to one run of code: calls, registers, globals, output.
//!
//! Code that waits keeps its isolate; what runs meanwhile has another one.

use crate::machine::{Frame, Position};
use crate::output::Output;
use crate::stack::Stack;
use crate::value::Value;
use std::any::Any;

/// One run of code.
#[derive(Debug, Default)]
pub(crate) struct Running {
    pub(crate) frames: Vec<Frame>,
    pub(crate) stack: Stack,
    /// Where the innermost running code stands; none while nothing runs.
    pub(crate) position: Option<Position>,
    /// How many builtins are calling back into the program.
    pub(crate) native_depth: usize,
    pub(crate) globals: Globals,
    pub(crate) output: Output,
    /// What the run is for, if it is for something: a request and its response.
    pub(crate) purpose: Option<Box<dyn Any>>,
}

/// The globals that code sees: its own, or a frozen program's until the first of them is written.
#[derive(Debug)]
pub(crate) struct Globals {
    base: *mut Value,
    len: usize,
    /// Empty while the frozen ones are read.
    own: Vec<Value>,
}

impl Default for Globals {
    fn default() -> Self {
        Self::own(0)
    }
}

impl Globals {
    /// Globals of its own, all unassigned.
    pub(crate) fn own(len: usize) -> Self {
        let mut own = Vec::new();
        own.resize_with(len, || Value::UNDEF);
        Self { base: own.as_mut_ptr(), len, own }
    }

    /// The globals of a frozen program, which must outlive these.
    pub(crate) fn frozen(globals: &[Value]) -> Self {
        Self { base: globals.as_ptr().cast_mut(), len: globals.len(), own: Vec::new() }
    }

    /// Has something been written?
    pub(crate) fn is_own(&self) -> bool {
        !self.own.is_empty()
    }

    /// For reading.
    #[inline(always)]
    pub(crate) fn base(&self) -> *const Value {
        self.base
    }

    /// For writing: frozen globals are copied first, which copies no object.
    #[inline(always)]
    pub(crate) fn base_mut(&mut self) -> *mut Value {
        if self.own.is_empty() {
            self.make_own();
        }
        self.base
    }

    #[cold]
    fn make_own(&mut self) {
        // SAFETY: `base` points to `len` frozen values that outlive these.
        let frozen = unsafe { std::slice::from_raw_parts(self.base, self.len) };
        self.own = frozen.to_vec();
        self.base = self.own.as_mut_ptr();
    }

    /// Takes the values; frozen ones are copied.
    pub(crate) fn take(&mut self) -> Vec<Value> {
        if self.own.is_empty() && self.len > 0 {
            self.make_own();
        }
        let taken = std::mem::take(&mut self.own);
        *self = Self::default();
        taken
    }

    pub(crate) fn get(&self, at: usize) -> Option<&Value> {
        // SAFETY: inside the array.
        (at < self.len).then(|| unsafe { &*self.base.add(at) })
    }
}
