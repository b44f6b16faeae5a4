//! Idle connections inside of TLS, so that the longest idle ones can be given up when room is needed.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Waker;
use std::time::{Duration, Instant};

/// Wakes the task of a connection, with or without the wish that it end.
#[derive(Default)]
pub(crate) struct Nudge {
    is_unwanted: AtomicBool,
    waker: Mutex<Option<Waker>>,
}

impl Nudge {
    /// The task to be woken.
    pub(super) fn set_waker(&self, waker: &Waker) {
        let mut held = self.waker.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *held {
            Some(held) => held.clone_from(waker),
            none => *none = Some(waker.clone()),
        }
    }

    pub(super) fn wake(&self) {
        if let Some(waker) = &*self.waker.lock().unwrap_or_else(PoisonError::into_inner) {
            waker.wake_by_ref();
        }
    }

    /// Takes the wish that the connection end, if there is one.
    pub(super) fn take_unwanted(&self) -> bool {
        self.is_unwanted.swap(false, Ordering::Relaxed)
    }
}

/// The idle connections of one worker, the longest idle first.
#[derive(Default)]
pub(crate) struct IdleList {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    next: u64,
    entries: BTreeMap<u64, (Instant, Arc<Nudge>)>,
}

impl IdleList {
    /// Adds a connection as the youngest; the number takes it out again.
    pub(super) fn add(&self, nudge: Arc<Nudge>) -> u64 {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.next += 1;
        let number = inner.next;
        inner.entries.insert(number, (Instant::now(), nudge));
        number
    }

    pub(super) fn remove(&self, number: u64) {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).entries.remove(&number);
    }

    /// Asks so many connections to end, if they have been idle for this time.
    pub(crate) fn give_up(&self, count: usize, min_idle: Duration) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        for _ in 0..count {
            let Some(oldest) = inner.entries.first_entry().filter(|entry| entry.get().0.elapsed() >= min_idle) else {
                return;
            };
            let (_, nudge) = oldest.remove();
            nudge.is_unwanted.store(true, Ordering::Relaxed);
            nudge.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_idle_are_asked_to_end() {
        let list = IdleList::default();
        let nudges: [Arc<Nudge>; 4] = Default::default();
        let numbers: Vec<u64> = nudges.iter().map(|nudge| list.add(nudge.clone())).collect();
        let remove = |at: usize| list.remove(numbers.get(at).copied().expect("it has a number"));
        remove(0);
        list.give_up(3, Duration::from_secs(3600));
        assert!(!nudges.iter().any(|nudge| nudge.take_unwanted()));
        list.give_up(2, Duration::ZERO);
        assert_eq!(nudges.each_ref().map(|nudge| nudge.take_unwanted()), [false, true, true, false]);
        // The number of one that is out already means nothing.
        remove(1);
        list.give_up(7, Duration::ZERO);
        assert_eq!(nudges.each_ref().map(|nudge| nudge.take_unwanted()), [false, false, false, true]);
    }
}
