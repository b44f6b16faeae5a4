//! Calls of builtins for unit tests: through the registry, as programs make them.

use std::sync::{Arc, Mutex};
use vm::{Cx, Host, Isolate, Output, Registry, Thrown, ThrownKind, Value};

/// Takes what is written and keeps it for the test.
#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no test panics while writing").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// An isolate with all builtins of this crate.
pub(crate) fn isolate() -> Isolate {
    isolate_in(Host::default())
}

/// An isolate with all builtins of this crate and these surroundings.
pub(crate) fn isolate_in(host: Host) -> Isolate {
    isolate_writing_to(host, Sink::default())
}

fn isolate_writing_to(host: Host, sink: Sink) -> Isolate {
    let registry = Registry::new(crate::ALL.iter().copied());
    Isolate::new(registry, Arc::new(host), Output::to(Box::new(sink)))
}

/// Calls a builtin in this isolate.
pub(crate) fn call_in(isolate: &mut Isolate, module: &str, name: &str, mut args: Vec<Value>) -> Result<Value, Thrown> {
    let builtin = isolate.registry().find(module, name).expect("the builtin is registered");
    builtin.invoke(&mut Cx::new(isolate), &mut args)
}

/// Calls a builtin.
pub(crate) fn call(module: &str, name: &str, args: Vec<Value>) -> Result<Value, Thrown> {
    call_in(&mut isolate(), module, name, args)
}

/// The text of a builtin's result.
#[track_caller]
pub(crate) fn text(module: &str, name: &str, args: Vec<Value>) -> String {
    text_in(&mut isolate(), module, name, args)
}

/// The text of a builtin's result in this isolate.
#[track_caller]
pub(crate) fn text_in(isolate: &mut Isolate, module: &str, name: &str, args: Vec<Value>) -> String {
    match call_in(isolate, module, name, args) {
        Ok(value) => vm::text::to_text(&value).to_str_lossy().into_owned(),
        Err(thrown) => panic!("{module}::{name} threw {}", message(thrown)),
    }
}

/// The message that a builtin throws.
#[track_caller]
pub(crate) fn error(module: &str, name: &str, args: Vec<Value>) -> String {
    error_in(&mut isolate(), module, name, args)
}

/// The message that a builtin throws in this isolate.
#[track_caller]
pub(crate) fn error_in(isolate: &mut Isolate, module: &str, name: &str, args: Vec<Value>) -> String {
    match call_in(isolate, module, name, args) {
        Ok(value) => panic!("{module}::{name} gave {value:?}"),
        Err(thrown) => message(thrown),
    }
}

/// What a builtin writes, whether or not it ends the program.
pub(crate) fn output(module: &str, name: &str, args: Vec<Value>) -> Vec<u8> {
    let sink = Sink::default();
    let mut isolate = isolate_writing_to(Host::default(), sink.clone());
    let _ends = call_in(&mut isolate, module, name, args);
    isolate.output().flush();
    let written = sink.0.lock().expect("no test panics while writing");
    written.clone()
}

/// The thrown value as text.
pub(crate) fn message(thrown: Thrown) -> String {
    match thrown.into_kind() {
        ThrownKind::Value { value, .. } => vm::text::to_text(&value).to_str_lossy().into_owned(),
        other => format!("{other:?}"),
    }
}

/// A scratch folder, removed when the test ends.
pub(crate) struct Folder(std::path::PathBuf);

impl Folder {
    /// A new folder; `name` is the test's own.
    pub(crate) fn new(name: &str) -> Self {
        let base = std::env::temp_dir().canonicalize().expect("there is a folder for temporary files");
        let path = base.join(format!("gander-stdlib-{name}-{}", std::process::id()));
        std::fs::create_dir(&path).expect("the name is new");
        Self(path)
    }

    pub(crate) fn path(&self) -> &std::path::Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _leftovers_are_harmless = std::fs::remove_dir_all(&self.0);
    }
}
