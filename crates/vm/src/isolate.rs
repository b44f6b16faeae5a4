//! One isolate per thread: everything that running code changes.

use crate::builtin::Registry;
use crate::interrupt::Interrupter;
use crate::link::Image;
use crate::machine::Machine;
use crate::value::Value;
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// A syntax error as `look::check` reports it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyntaxIssue {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// What is wrong.
    pub message: String,
}

/// What surrounds a program. Filled in by the command line or the server; the engine itself asks the system for nothing.
#[derive(Debug, Default)]
pub struct Host {
    /// Folder of the main script; file access stays below it.
    pub root: PathBuf,
    /// Command-line arguments after the script's name.
    pub args: Vec<String>,
    /// Path of the main script as given.
    pub script: String,
    /// Checks the syntax of a text; offered by whoever owns a parser.
    pub check_syntax: Option<fn(&str) -> Option<SyntaxIssue>>,
}

/// Where a program's output goes, through a buffer.
pub struct Output {
    buffer: Vec<u8>,
    sink: Box<dyn std::io::Write>,
}

/// Bytes gathered before they are handed on.
const OUTPUT_BUFFER: usize = 8 * 1024;

impl Output {
    /// Output that goes to `sink`.
    pub fn to(sink: Box<dyn std::io::Write>) -> Self {
        Self { buffer: Vec::new(), sink }
    }

    /// Adds bytes.
    pub fn write(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= OUTPUT_BUFFER {
            self.flush();
        }
    }

    /// Hands everything on. A sink that takes no more (a closed pipe) loses it: output is not worth an error in the
    /// script, and whoever owns the sink knows.
    pub fn flush(&mut self) {
        let _lost_when_closed = self.sink.write_all(&self.buffer).and_then(|()| self.sink.flush());
        self.buffer.clear();
    }
}

impl std::fmt::Debug for Output {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "output with {} bytes waiting", self.buffer.len())
    }
}

/// The state of one thread's running code.
#[derive(Debug)]
pub struct Isolate {
    /// Declared before the machine: what modules keep may hold constants of its image.
    states: HashMap<TypeId, Box<dyn Any>, foldhash::fast::FixedState>,
    pub(crate) registry: Arc<Registry>,
    pub(crate) host: Arc<Host>,
    pub(crate) output: Output,
    pub(crate) native_depth: usize,
    /// End of the current stack segment.
    pub(crate) stack_end: *mut Value,
    pub(crate) machine: Machine,
    /// Images whose constants variables may still hold. Declared after the machine, which goes first.
    pub(crate) retired: Vec<Arc<Image>>,
}

impl Isolate {
    /// An isolate for builtins alone, without a program.
    pub fn new(registry: Arc<Registry>, host: Arc<Host>, output: Output) -> Self {
        Self::with_image(Image::empty(), registry, host, output)
    }

    /// An isolate that is ready to run a program.
    pub fn with_image(image: Arc<Image>, registry: Arc<Registry>, host: Arc<Host>, output: Output) -> Self {
        let machine = Machine::new(image);
        Self {
            registry,
            host,
            output,
            native_depth: 0,
            stack_end: std::ptr::null_mut(),
            machine,
            retired: Vec::new(),
            states: HashMap::default(),
        }
    }

    /// A handle to interrupt the running code from any thread.
    pub fn interrupter(&self) -> Interrupter {
        Interrupter(self.machine.interrupt.clone())
    }

    /// Limits how deep calls may nest.
    pub fn set_max_depth(&mut self, depth: usize) {
        self.machine.max_depth = depth;
    }

    /// The builtins.
    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// The program's output.
    pub fn output(&mut self) -> &mut Output {
        &mut self.output
    }

    /// A module's own state in this isolate, made when first asked for.
    pub fn state<T: Default + 'static>(&mut self) -> &mut T {
        let state = self.states.entry(TypeId::of::<T>()).or_insert_with(|| Box::new(T::default()));
        state.downcast_mut().expect("the entry was made from this type")
    }
}
