//! A program after its setup: frozen, and read by any number of threads.

use crate::builtin::Registry;
use crate::freeze::Frozen;
use crate::isolate::{Host, Isolate};
use crate::link::Image;
use crate::value::Value;
use std::sync::Arc;

/// A program whose top level has run. Everything its globals and handlers lead to is frozen: code that runs in it reads it
/// without locks, and what it writes is its own.
#[derive(Debug)]
pub struct App {
    pub(crate) globals: Vec<Value>,
    kept: Vec<Value>,
    pub(crate) registry: Arc<Registry>,
    pub(crate) host: Arc<Host>,
    pub(crate) image: Arc<Image>,
    /// Declared last: it frees what the values above refer to.
    _frozen: Frozen,
}

// SAFETY: nothing in an app is written after it was made, and its values are frozen: counting skips them.
unsafe impl Send for App {}
// SAFETY: as above.
unsafe impl Sync for App {}

impl App {
    /// Ends the setup that an isolate has run. `kept` are values that the app needs besides its globals, such as the
    /// handlers of its routes; [`App::kept`] gives them back, frozen.
    pub fn freeze(mut setup: Isolate, kept: Vec<Value>) -> Arc<Self> {
        let mut frozen = Frozen::default();
        let globals = setup.take_globals();
        globals.iter().chain(&kept).for_each(|value| frozen.freeze(value));
        let (image, registry, host) = setup.parts();
        Arc::new(Self { globals, kept, registry, host, image, _frozen: frozen })
    }

    /// The values that were handed to [`App::freeze`].
    pub fn kept(&self) -> &[Value] {
        &self.kept
    }
}
