//! The interrupt word: how something outside gets the attention of running code.
//!
//! Every jump backwards and every call looks at one word. While it is zero nothing happens; any bit makes the code stop at
//! an exact position and ask what is wanted.

use crate::throw::Thrown;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// The code should end as soon as possible, with its `finally` blocks run.
const CANCEL: u32 = 1;

/// A handle that can interrupt an isolate from any thread.
#[derive(Clone, Debug)]
pub struct Interrupter(pub(crate) Arc<AtomicU32>);

impl Interrupter {
    /// Ends the running code; `catch` does not stop it.
    pub fn cancel(&self) {
        self.0.fetch_or(CANCEL, Ordering::Relaxed);
    }
}

/// What the word asks for.
///
/// # Errors
/// The end of the running code, when that is what it asks for.
#[cold]
pub(crate) fn answer(word: &AtomicU32) -> Result<(), Thrown> {
    let asked = word.swap(0, Ordering::Relaxed);
    if asked & CANCEL != 0 { Err(Thrown::stop()) } else { Ok(()) }
}
