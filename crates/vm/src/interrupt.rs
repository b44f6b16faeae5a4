//! The interrupt word: how something outside gets the attention of running code.
//!
//! Every jump backwards and every call looks at one word. While it is zero nothing happens; any bit makes the code stop at
//! an exact position and ask what is wanted.

use crate::builtin::Cx;
use crate::isolate::Isolate;
use crate::machine::Position;
use crate::throw::Thrown;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// The code should end as soon as possible, with its `finally` blocks run.
const CANCEL: u32 = 1;

/// Whoever runs the code wants to be asked whether it goes on.
pub(crate) const ATTEND: u32 = 2;

/// What whoever runs the code does when its attention is wanted: takes time for something else, or ends the code.
///
/// # Errors
/// How the code ends.
pub type Attention = fn(&mut Cx<'_>) -> Result<(), Thrown>;

/// A handle that can interrupt isolates from any thread.
#[derive(Clone, Default, Debug)]
pub struct Interrupter(pub(crate) Arc<AtomicU32>);

impl Interrupter {
    /// Ends the running code; `catch` does not stop it.
    pub fn cancel(&self) {
        self.0.fetch_or(CANCEL, Ordering::Relaxed);
    }

    /// Lets the running code ask its [`Attention`] as soon as possible.
    pub fn attend(&self) {
        self.0.fetch_or(ATTEND, Ordering::Relaxed);
    }

    /// Has something been asked that is not yet answered?
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    /// Takes back what was asked and not yet answered.
    pub fn clear(&self) {
        if self.0.load(Ordering::Relaxed) != 0 {
            self.0.store(0, Ordering::Relaxed);
        }
    }
}

/// Does what the word asks for, while the code stands at `position`.
///
/// # Errors
/// The end of the running code, when that is what it asks for.
#[cold]
#[inline(never)]
pub(crate) fn answer(isolate: &mut Isolate, position: Position) -> Result<(), Thrown> {
    isolate.running.position = Some(position);
    let asked = isolate.machine.interrupt.0.swap(0, Ordering::Relaxed);
    if asked & CANCEL != 0 {
        return Err(Thrown::stop());
    }
    match isolate.attention {
        Some(attention) if asked & ATTEND != 0 => attention(&mut Cx::new(isolate)),
        _ => Ok(()),
    }
}
