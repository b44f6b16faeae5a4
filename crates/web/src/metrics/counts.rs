//! Counts with one writer and any number of readers.

use std::sync::atomic::{AtomicU16, AtomicU64, Ordering};

/// A number that one thread changes.
#[derive(Debug, Default)]
pub(super) struct Count(AtomicU64);

impl Count {
    pub(super) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    pub(super) fn set(&self, value: u64) {
        self.0.store(value, Ordering::Relaxed);
    }

    /// Only for the one writer: another one's change in between would be lost.
    pub(super) fn add(&self, more: u64) {
        self.set(self.get().wrapping_add(more));
    }
}

/// Upper bounds of the histogram's classes, in microseconds; one more class is above them.
pub(super) const BOUNDS: [u64; 16] = [
    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
    5_000_000, 10_000_000,
];

/// How long requests took.
#[derive(Debug, Default)]
pub(crate) struct Histogram {
    classes: [Count; BOUNDS.len() + 1],
    microseconds: Count,
}

impl Histogram {
    pub(crate) fn record(&self, microseconds: u64) {
        let class = BOUNDS.partition_point(|bound| *bound < microseconds);
        if let Some(class) = self.classes.get(class) {
            class.add(1);
        }
        self.microseconds.add(microseconds);
    }

    /// Requests of each class.
    pub(super) fn classes(&self) -> impl Iterator<Item = u64> {
        self.classes.iter().map(Count::get)
    }

    pub(super) fn total(&self) -> u64 {
        self.classes().sum()
    }

    pub(super) fn microseconds(&self) -> u64 {
        self.microseconds.get()
    }
}

/// Different statuses of one route that are told apart; the rest is counted as the last.
const STATUSES: usize = 12;

/// The counts of one route.
#[derive(Debug)]
pub(super) struct RouteCounts {
    pub(super) method: Box<str>,
    pub(super) pattern: Box<str>,
    statuses: [(AtomicU16, Count); STATUSES],
    pub(super) histogram: Histogram,
}

impl RouteCounts {
    pub(super) fn new(method: &str, pattern: &str) -> Self {
        let (statuses, histogram) = Default::default();
        Self { method: method.into(), pattern: pattern.into(), statuses, histogram }
    }

    pub(super) fn is_for(&self, method: &str, pattern: &str) -> bool {
        *self.method == *method && *self.pattern == *pattern
    }

    pub(super) fn record(&self, status: u16, microseconds: u64) {
        self.histogram.record(microseconds);
        for (at, (code, count)) in self.statuses.iter().enumerate() {
            let known = code.load(Ordering::Relaxed);
            if known == 0 {
                code.store(status, Ordering::Relaxed);
            }
            if known == 0 || known == status || at == STATUSES - 1 {
                return count.add(1);
            }
        }
    }

    /// Each status with its number of requests.
    pub(super) fn statuses(&self) -> impl Iterator<Item = (u16, u64)> {
        let pairs = self.statuses.iter().map(|(code, count)| (code.load(Ordering::Relaxed), count.get()));
        pairs.take_while(|(code, _)| *code != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_belongs_to_the_first_class_that_holds_it() {
        let histogram = Histogram::default();
        for time in [0, 100, 101, 10_000_000, 10_000_001] {
            histogram.record(time);
        }
        let classes: Vec<u64> = histogram.classes().collect();
        assert_eq!(classes.iter().filter(|count| **count > 0).count(), 4);
        assert!(classes.starts_with(&[2, 1, 0]) && classes.ends_with(&[0, 1, 1]), "{classes:?}");
        assert_eq!(histogram.total(), 5);
    }

    #[test]
    fn more_statuses_than_there_is_room_for_lose_no_request() {
        let route = RouteCounts::new("GET", "/");
        for status in 200..230 {
            route.record(status, 1);
            route.record(status, 1);
        }
        let counts: Vec<(u16, u64)> = route.statuses().collect();
        assert_eq!((counts.len(), counts.first()), (STATUSES, Some(&(200, 2))));
        assert_eq!(counts.iter().map(|(_, count)| count).sum::<u64>(), 60);
    }
}
