//! Work that takes long or may stall, away from the thread that serves others.

use async_lock::Semaphore;
use std::future::Future;
use std::num::NonZero;
use std::sync::LazyLock;
use vm::Thrown;

/// Runs work that may take long. On a fiber it runs on a helper thread, and the fiber waits; elsewhere it runs here.
///
/// # Errors
/// The running code is told to end meanwhile. The work goes on to its end, and its result is dropped.
pub fn run<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Thrown> {
    if fiber::is_inside() { wait(blocking::unblock(work)) } else { Ok(work()) }
}

/// As [`run`], for work that takes all of a processor and much memory: no more of it at a time than there are processors, and
/// the rest waits its turn.
///
/// # Errors
/// As [`run`].
pub fn run_heavy<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Thrown> {
    static TURNS: LazyLock<Semaphore> =
        LazyLock::new(|| Semaphore::new(std::thread::available_parallelism().map_or(1, NonZero::get)));
    if !fiber::is_inside() {
        return Ok(work());
    }
    wait(async {
        let _turn = TURNS.acquire().await;
        blocking::unblock(work).await
    })
}

/// Bytes of the stack for work that recurses far; only what is used of them takes memory.
const DEEP_STACK: usize = 256 << 20;

/// As [`run`], for work that needs a stack much larger than that of a fiber.
///
/// # Errors
/// As [`run`]; and when the system has no more threads.
pub fn run_deep<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Thrown> {
    if !fiber::is_inside() {
        return Ok(work());
    }
    let result = run(move || {
        let thread = std::thread::Builder::new().name("deep".to_owned()).stack_size(DEEP_STACK).spawn(work);
        thread.map(std::thread::JoinHandle::join)
    })?;
    match result {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        Err(error) => Err(Thrown::error(format!("cannot start a thread: {error}"))),
    }
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
