//! What an isolate's interpreter works on, whatever it runs: the image, and what sites have seen.

use crate::heap::shape::Shape;
use crate::interrupt::Interrupter;
use crate::link::{Code, Image};
use crate::throw::TraceEntry;
use crate::value::Value;
use bytecode::Instr;
use std::sync::Arc;

/// Calls may nest this deep unless the host says otherwise.
pub const DEFAULT_CALL_DEPTH: usize = 10_000;

/// A call that waits for the one above it to return.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) code: *const Code,
    /// Where to go on.
    pub(crate) pc: *const Instr,
    pub(crate) base: *mut Value,
    /// Register for the result, or [`NO_RESULT`].
    pub(crate) dst: u32,
    pub(crate) kind: FrameKind,
}

impl Frame {
    /// Where its code stands.
    pub(crate) fn position(&self) -> Position {
        Position { code: self.code, pc: self.pc, base: self.base }
    }
}

/// What has to be undone when the call above a frame returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FrameKind {
    /// Nothing.
    Plain,
    /// The call went on in the next stack segment.
    NextSegment,
    /// The call was made by a builtin: the interpreter that runs it ends.
    Native,
    /// Both.
    NativeNextSegment,
}

/// The result is not wanted.
pub(crate) const NO_RESULT: u32 = u32::MAX;

/// What a site has seen: the shape of the last map and where its key stood.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Feedback {
    /// Address of an interned shape; 0 = none seen.
    pub(crate) shape: usize,
    /// Position of the key in it.
    pub(crate) slot: u32,
}

/// Where the running code stands, published before anything that may look at it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Position {
    pub(crate) code: *const Code,
    pub(crate) pc: *const Instr,
    pub(crate) base: *mut Value,
}

/// The state of the interpreter.
#[derive(Debug)]
pub(crate) struct Machine {
    pub(crate) feedback: Vec<Feedback>,
    /// Shapes of map literals, by site.
    pub(crate) shapes: Vec<Option<Shape>>,
    /// Files whose top level has been started.
    pub(crate) started: Vec<bool>,
    pub(crate) max_depth: usize,
    /// Do traces hold the arguments of calls?
    pub(crate) trace_arguments: bool,
    /// Not zero when somebody wants the running code to look up: see [`crate::interrupt`].
    pub(crate) interrupt: Interrupter,
    /// Declared last: values may hold its constants.
    pub(crate) image: Arc<Image>,
}

impl Machine {
    pub(crate) fn new(image: Arc<Image>) -> Self {
        let sites = image.sites.len();
        Self {
            feedback: vec![Feedback::default(); sites],
            shapes: vec![None; sites],
            started: vec![false; image.program.files.len()],
            max_depth: DEFAULT_CALL_DEPTH,
            trace_arguments: false,
            interrupt: Interrupter::default(),
            image,
        }
    }

    /// The trace entry of code that stands at a position and has not been left.
    pub(crate) fn trace_entry(&self, position: Position) -> TraceEntry {
        let Position { code, pc, base } = position;
        // SAFETY: codes belong to the image, and `pc` points into the instructions of its code.
        let (id, at) = unsafe { ((*code).id, pc.offset_from((*code).instructions)) };
        let function = &self.image.program.functions[id as usize];
        // The program counter stands after the instruction that is being executed.
        let span = function.spans.get((at as usize).saturating_sub(1)).copied().unwrap_or_default();
        let names = if self.trace_arguments { function.param_names.as_slice() } else { &[] };
        let arguments = names.iter().enumerate().map(|(at, name)| {
            // SAFETY: parameters are the first registers of a function, and registers hold values until it is left.
            (name.to_string(), unsafe { (*base.add(at)).clone() })
        });
        TraceEntry {
            function: function.name.to_string(),
            source: function.source,
            span,
            arguments: arguments.collect(),
        }
    }
}
