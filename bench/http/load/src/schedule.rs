//! The clock of the open loop: when each request is due, known before any answer is.

use std::time::Duration;

/// Due times in nanoseconds since the start of the run, in ascending order.
#[derive(Debug)]
pub(crate) struct Schedule {
    /// The next due time, with its fraction so that rounding does not add up.
    next: f64,
    gap: f64,
    end: f64,
    random: Option<Random>,
}

impl Schedule {
    /// `rate` requests a second from `start` to `end`. With `poisson` the gaps are random with the same mean;
    /// `seed` makes them those of another thread.
    pub(crate) fn new(rate: f64, poisson: bool, start: Duration, end: Duration, seed: u64) -> Self {
        let nanoseconds = |time: Duration| time.as_secs_f64() * 1e9;
        Self {
            next: nanoseconds(start),
            gap: 1e9 / rate,
            end: nanoseconds(end),
            random: poisson.then(|| Random::new(seed)),
        }
    }

    /// When the next request is due; none after the end.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "nanoseconds of a day fit 53 bits")]
    pub(crate) fn due(&self) -> Option<u64> {
        (self.next < self.end).then_some(self.next as u64)
    }

    /// Goes on to the request after that.
    pub(crate) fn advance(&mut self) {
        self.next += match &mut self.random {
            // Gaps between independent events are distributed exponentially.
            Some(random) => -self.gap * random.open_unit().ln(),
            None => self.gap,
        };
    }
}

/// xorshift64* (Vigna 2016): plenty for gaps.
#[derive(Debug)]
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Above 0 and below 1.
    #[expect(clippy::cast_precision_loss, reason = "52 bits are left")]
    fn open_unit(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let bits = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 12;
        (bits as f64 + 0.5) / (1_u64 << 52) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(mut schedule: Schedule) -> Vec<u64> {
        std::iter::from_fn(|| {
            let due = schedule.due()?;
            schedule.advance();
            Some(due)
        })
        .collect()
    }

    #[test]
    fn even_requests_do_not_drift() {
        let due = all(Schedule::new(3.0, false, Duration::ZERO, Duration::from_secs(1000), 0));
        assert_eq!(due.len(), 3000);
        assert_eq!(due[2997], 999_000_000_000);
    }

    #[test]
    fn random_requests_have_the_mean_and_the_spread_of_a_poisson_process() {
        let due = all(Schedule::new(1000.0, true, Duration::ZERO, Duration::from_secs(100), 7));
        assert!((99_000..101_000).contains(&due.len()), "{}", due.len());
        assert!(due.is_sorted());
        // A share 1/e of exponential gaps is longer than their mean.
        let long = due.windows(2).filter(|pair| pair[1] - pair[0] > 1_000_000).count();
        assert!((36_000..37_600).contains(&long), "{long}");
    }

    #[test]
    fn nothing_is_due_after_the_end() {
        assert_eq!(all(Schedule::new(10.0, false, Duration::from_secs(2), Duration::from_secs(2), 0)), []);
    }
}
