//! One isolate per thread: everything that running code changes.

use crate::app::App;
use crate::builtin::Cx;
use crate::builtin::Registry;
use crate::heap::function::{Function, FunctionKind};
use crate::interrupt::{Attention, Interrupter};
use crate::link::Image;
use crate::machine::{Frame, Machine};
use crate::output::Output;
use crate::running::{Globals, Running};
use crate::throw::{MAX_TRACE, Thrown, TraceEntry};
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

/// The state of one thread's running code.
#[derive(Debug)]
pub struct Isolate {
    /// Declared before the machine: what modules keep may hold constants of its image.
    states: HashMap<TypeId, Box<dyn Any>, foldhash::fast::FixedState>,
    pub(crate) registry: Arc<Registry>,
    pub(crate) host: Arc<Host>,
    pub(crate) running: Running,
    pub(crate) machine: Machine,
    /// Images whose constants variables may still hold. Declared after the machine, which goes first.
    pub(crate) retired: Vec<Arc<Image>>,
    /// The frozen program, whose globals the run reads.
    app: Option<Arc<App>>,
    /// Asked when somebody wants the attention of the running code.
    pub(crate) attention: Option<Attention>,
}

impl Isolate {
    /// An isolate for builtins alone, without a program.
    pub fn new(registry: Arc<Registry>, host: Arc<Host>, output: Output) -> Self {
        Self::with_image(Image::empty(), registry, host, output)
    }

    /// An isolate that is ready to run a program's setup.
    pub fn with_image(image: Arc<Image>, registry: Arc<Registry>, host: Arc<Host>, output: Output) -> Self {
        let globals = Globals::own(image.program.globals as usize);
        let running = Running { globals, output, ..Running::default() };
        let machine = Machine::new(image);
        Self {
            states: HashMap::default(),
            registry,
            host,
            running,
            machine,
            retired: Vec::new(),
            app: None,
            attention: None,
        }
    }

    /// An isolate that runs functions of an app whose setup has ended, on any thread. `interrupter` may be shared by all
    /// isolates of a thread: it reaches the one that runs.
    pub fn for_app(app: Arc<App>, interrupter: &Interrupter) -> Self {
        let (registry, host) = (app.registry.clone(), app.host.clone());
        let mut isolate = Self::with_image(app.image.clone(), registry, host, Output::kept());
        isolate.machine.interrupt = interrupter.clone();
        isolate.running.globals = Globals::frozen(&app.globals);
        isolate.app = Some(app);
        isolate
    }

    /// Makes ready for the next run of an app's function: globals as the setup left them, no output, nothing on the stack.
    /// What the run is for stays.
    pub fn begin_run(&mut self) {
        let running = &mut self.running;
        match &self.app {
            Some(app) if running.globals.is_own() => running.globals = Globals::frozen(&app.globals),
            _ => {}
        }
        running.frames.clear();
        running.position = None;
        running.native_depth = 0;
        running.output.clear();
    }

    /// Says who is asked when somebody wants the attention of the running code.
    pub fn set_attention(&mut self, attention: Option<Attention>) {
        self.attention = attention;
    }

    /// What a function of the program declares; none for a builtin.
    pub fn declaration(&self, function: &Function) -> Option<&bytecode::Function> {
        match function.kind() {
            FunctionKind::Script { function, .. } => self.machine.image.program.functions.get(*function as usize),
            FunctionKind::Builtin(_) | FunctionKind::Foreign(_) => None,
        }
    }

    /// Where the running code stands: the innermost call first.
    pub fn trace(&self) -> Vec<TraceEntry> {
        let calls = self.running.frames.iter().rev().map(Frame::position);
        let places = self.running.position.into_iter().chain(calls).filter(|at| !at.code.is_null());
        places.take(MAX_TRACE).map(|at| self.machine.trace_entry(at)).collect()
    }

    /// Calls a function value from outside of all running code.
    ///
    /// # Errors
    /// What the function throws, a wrong number of arguments.
    pub fn call(&mut self, function: &Function, args: Vec<Value>) -> Result<Value, Thrown> {
        Cx::new(self).call(function, args)
    }

    /// What the current run is for.
    pub fn purpose<T: 'static>(&mut self) -> Option<&mut T> {
        self.running.purpose.as_mut()?.downcast_mut()
    }

    /// Says what the current run is for; gives back what it was for before.
    pub fn set_purpose(&mut self, purpose: Option<Box<dyn Any>>) -> Option<Box<dyn Any>> {
        std::mem::replace(&mut self.running.purpose, purpose)
    }

    /// The app it runs functions of, if it does.
    pub fn app(&self) -> Option<&Arc<App>> {
        self.app.as_ref()
    }

    pub(crate) fn take_globals(&mut self) -> Vec<Value> {
        self.running.globals.take()
    }

    pub(crate) fn parts(&self) -> (Arc<Image>, Arc<Registry>, Arc<Host>) {
        (self.machine.image.clone(), self.registry.clone(), self.host.clone())
    }

    /// A handle to interrupt the running code from any thread.
    pub fn interrupter(&self) -> Interrupter {
        self.machine.interrupt.clone()
    }

    /// Limits how deep calls may nest.
    pub fn set_max_depth(&mut self, depth: usize) {
        self.machine.max_depth = depth;
    }

    /// Lets traces hold the arguments of calls. They cost time, and may be secrets: for development.
    pub fn set_trace_arguments(&mut self, is_wanted: bool) {
        self.machine.trace_arguments = is_wanted;
    }

    /// The builtins.
    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// The program's output.
    pub fn output(&mut self) -> &mut Output {
        &mut self.running.output
    }

    /// A module's own state in this isolate, made when first asked for.
    pub fn state<T: Default + 'static>(&mut self) -> &mut T {
        let state = self.states.entry(TypeId::of::<T>()).or_insert_with(|| Box::new(T::default()));
        state.downcast_mut().expect("the entry was made from this type")
    }
}
