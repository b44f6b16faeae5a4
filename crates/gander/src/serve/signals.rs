//! What the operator asks for by signals.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::sync::mpsc::{Receiver, channel};

/// What a signal asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wish {
    /// SIGTERM or SIGINT: answer what has been asked, then end.
    Stop,
    /// SIGHUP: read program and certificate again.
    Reload,
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
            if send.send(wish).is_err() {
                return;
            }
        }
    })?;
    Ok(receive)
}
