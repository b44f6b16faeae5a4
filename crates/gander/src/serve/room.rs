//! Gives memory back to the system once a burst is over.

use std::time::{Duration, Instant};

/// What has to be more than after the last time before it is tried again.
const WORTH: u64 = 1 << 20;

/// Between two tries. Longer after one that has brought nothing.
const SHORTEST: Duration = Duration::from_secs(2);
const LONGEST: Duration = Duration::from_secs(60);

/// Decides when to give back.
#[derive(Debug)]
pub(crate) struct Room {
    /// Bytes that were resident after the last try.
    resident: u64,
    next: Instant,
    pause: Duration,
}

impl Room {
    pub(crate) fn new() -> Self {
        Self { resident: resident(), next: Instant::now() + SHORTEST, pause: SHORTEST }
    }

    /// Gives back what is free, if it is time and there may be enough.
    pub(crate) fn look(&mut self) {
        let now = Instant::now();
        if now < self.next {
            return;
        }
        let before = resident();
        if before < self.resident.saturating_add(WORTH) {
            self.resident = self.resident.min(before);
            return;
        }
        vm::memory::give_back();
        self.resident = resident();
        let is_worth_it = before.saturating_sub(self.resident) >= WORTH;
        self.pause = if is_worth_it { SHORTEST } else { (self.pause * 2).min(LONGEST) };
        self.next = now + self.pause;
    }
}

/// Bytes of the process that are in memory; zero where the system does not say.
fn resident() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").ok();
    let pages = pages.and_then(|text| text.split_whitespace().nth(1)?.parse::<u64>().ok());
    pages.unwrap_or(0).saturating_mul(4096)
}
