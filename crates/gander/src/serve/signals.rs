//! What the operator asks for by signals.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use vm::Interrupter;

/// What a signal asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wish {
    /// SIGTERM or SIGINT: answer what has been asked, then end.
    Stop,
    /// SIGHUP: read program and certificate again.
    Reload,
}

/// What runs the top level of a program while it is loaded. Whoever asks to stop ends it too.
static LOADING: Mutex<Option<Interrupter>> = Mutex::new(None);

fn loading() -> MutexGuard<'static, Option<Interrupter>> {
    LOADING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets signals end a top level as long as this is held.
#[derive(Debug)]
pub(crate) struct Endable(());

impl Endable {
    pub(crate) fn new(interrupter: Interrupter) -> Self {
        *loading() = Some(interrupter);
        Self(())
    }
}

impl Drop for Endable {
    fn drop(&mut self) {
        *loading() = None;
    }
}

/// Begins to take signals. The second one that asks to stop ends the process at once.
///
/// # Errors
/// The system refuses.
pub(crate) fn begin() -> std::io::Result<Receiver<Wish>> {
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP])?;
    let (send, receive) = channel();
    let thread = std::thread::Builder::new().name("signals".to_owned()).stack_size(64 * 1024);
    thread.spawn(move || {
        let mut is_stopping = false;
        for signal in signals.forever() {
            let wish = if signal == SIGHUP { Wish::Reload } else { Wish::Stop };
            if wish == Wish::Stop && std::mem::replace(&mut is_stopping, true) {
                // As a shell reports a process that a signal has ended.
                std::process::exit(128 + signal);
            }
            if wish == Wish::Stop
                && let Some(interrupter) = &*loading()
            {
                interrupter.cancel();
            }
            if send.send(wish).is_err() {
                return;
            }
        }
    })?;
    Ok(receive)
}
