//! Work that takes long or may stall, away from the thread that serves others.

use std::future::Future;
use vm::Thrown;

/// Runs work that may take long. On a fiber it runs on a helper thread, and the fiber waits; elsewhere it runs here.
///
/// # Errors
/// The running code is told to end meanwhile. The work goes on to its end, and its result is dropped.
pub fn run<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Thrown> {
    if fiber::is_inside() { wait(blocking::unblock(work)) } else { Ok(work()) }
}

/// Drops something on a helper thread, where that may wait for the disk.
pub fn let_go<T: Send + 'static>(value: T) {
    blocking::unblock(move || drop(value)).detach();
}

/// Waits for a future; on a fiber only.
///
/// # Errors
/// The running code is told to end.
pub fn wait<F: Future>(future: F) -> Result<F::Output, Thrown> {
    fiber::wait(future).map_err(|_| Thrown::stop())
}
