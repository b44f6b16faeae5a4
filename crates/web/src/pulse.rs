//! The end of time slices: a thread that looks at what the workers run, once a slice, while they run anything.
//!
//! A worker counts up when it begins to run a handler and when it stops, so an odd count that has not changed since the
//! last look is a handler that has used up its slice. When nothing has run for a while the thread sleeps until a worker
//! begins again: an idle server wakes nobody.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};
use std::thread::{JoinHandle, Thread};
use std::time::Duration;
use vm::Interrupter;

/// Looks without anything running before the thread sleeps.
const MAX_QUIET: u32 = 100;

/// Whether a worker runs a handler. Alone in its cache line: its worker writes it twice a request.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Pulse {
    count: AtomicU64,
    interrupter: Interrupter,
    watch: Arc<Watch>,
}

#[derive(Default, Debug)]
struct Watch {
    is_asleep: AtomicBool,
    is_over: AtomicBool,
    thread: std::sync::OnceLock<Thread>,
}

impl Pulse {
    /// A handler begins or goes on.
    #[inline]
    pub(crate) fn begin(&self) {
        self.count.store(self.count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        // Either the thread that is about to sleep sees the count, or this sees that it sleeps.
        fence(Ordering::SeqCst);
        if self.watch.is_asleep.load(Ordering::Relaxed) {
            self.wake();
        }
    }

    #[cold]
    fn wake(&self) {
        if let Some(thread) = self.watch.thread.get() {
            thread.unpark();
        }
    }

    /// It has ended or waits.
    #[inline]
    pub(crate) fn end(&self) {
        self.count.store(self.count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        self.interrupter.clear();
    }

    /// What interrupts the handlers of this worker.
    pub(crate) fn interrupter(&self) -> &Interrupter {
        &self.interrupter
    }
}

/// The thread. Dropping it ends it.
#[derive(Debug)]
pub(crate) struct Ticker {
    watch: Arc<Watch>,
    thread: Option<JoinHandle<()>>,
}

impl Ticker {
    /// Starts it for so many workers.
    ///
    /// # Errors
    /// No thread can be made.
    pub(crate) fn start(slice: Duration, workers: usize) -> std::io::Result<(Self, Vec<Arc<Pulse>>)> {
        let watch = Arc::new(Watch::default());
        let pulse =
            |_| Arc::new(Pulse { count: AtomicU64::new(0), interrupter: Interrupter::default(), watch: watch.clone() });
        let pulses: Vec<_> = (0..workers).map(pulse).collect();
        let (seen, watched) = (watch.clone(), pulses.clone());
        let thread = std::thread::Builder::new().name("ticker".to_owned()).stack_size(64 * 1024);
        let thread = thread.spawn(move || run(slice, &seen, &watched))?;
        let _ = watch.thread.set(thread.thread().clone());
        Ok((Self { watch, thread: Some(thread) }, pulses))
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.watch.is_over.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // A panic there has been reported by the thread itself.
            let _ = thread.join();
        }
    }
}

fn run(slice: Duration, watch: &Watch, pulses: &[Arc<Pulse>]) {
    let mut last: Vec<u64> = vec![0; pulses.len()];
    let mut quiet = 0;
    while !watch.is_over.load(Ordering::Relaxed) {
        std::thread::sleep(slice);
        quiet += 1;
        for (pulse, last) in pulses.iter().zip(&mut last) {
            let count = pulse.count.load(Ordering::Relaxed);
            if count != *last {
                quiet = 0;
                *last = count;
            } else if count % 2 == 1 {
                quiet = 0;
                pulse.interrupter.attend();
            }
        }
        if quiet > MAX_QUIET {
            watch.is_asleep.store(true, Ordering::SeqCst);
            let is_quiet = pulses.iter().zip(&last).all(|(pulse, last)| pulse.count.load(Ordering::SeqCst) == *last);
            if is_quiet && !watch.is_over.load(Ordering::SeqCst) {
                std::thread::park();
            }
            watch.is_asleep.store(false, Ordering::SeqCst);
            quiet = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    const PATIENCE: Duration = Duration::from_secs(20);

    fn wait_until(what: &str, is_so: impl Fn() -> bool) {
        let began = Instant::now();
        while !is_so() {
            assert!(began.elapsed() < PATIENCE, "{what}");
            std::thread::yield_now();
        }
    }

    #[test]
    fn only_what_runs_longer_than_a_slice_is_interrupted() {
        let (_ticker, pulses) = Ticker::start(Duration::from_millis(1), 2).expect("a thread can be made");
        let [busy, quick] = pulses.as_slice() else { panic!("two workers") };
        busy.begin();
        wait_until("the busy one is interrupted", || {
            // Each of these is shorter than a slice.
            quick.begin();
            quick.end();
            busy.interrupter().is_asked()
        });
        assert!(!quick.interrupter().is_asked());
        busy.end();
        assert!(!busy.interrupter().is_asked());
    }

    #[test]
    fn the_thread_sleeps_when_nothing_runs_and_wakes_when_something_does() {
        let (ticker, pulses) = Ticker::start(Duration::from_micros(100), 1).expect("a thread can be made");
        let pulse = pulses.first().expect("one worker");
        for _ in 0..3 {
            wait_until("it sleeps", || ticker.watch.is_asleep.load(Ordering::SeqCst));
            pulse.begin();
            wait_until("it looks", || pulse.interrupter().is_asked());
            pulse.end();
        }
    }
}
