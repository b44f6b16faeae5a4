//! The time of a worker: read once a round, so that nothing in the round asks again.

use std::time::{Duration, Instant, SystemTime};

/// A date as it stands in a response head.
pub(crate) type Date = [u8; 29];

/// Milliseconds since the worker began, and the date.
pub(crate) struct Clock {
    start: Instant,
    now: Instant,
    date: Date,
    /// When the date is no longer true.
    date_until: Instant,
}

impl Clock {
    pub(crate) fn new() -> Self {
        let now = Instant::now();
        let mut clock = Self { start: now, now, date: *b"Thu, 01 Jan 1970 00:00:00 GMT", date_until: now };
        clock.tick();
        clock
    }

    /// Looks at the time.
    pub(crate) fn tick(&mut self) {
        self.now = Instant::now();
        if self.now >= self.date_until {
            self.renew_date();
        }
    }

    #[cold]
    fn renew_date(&mut self) {
        let now = SystemTime::now();
        if let Ok(date) = Date::try_from(httpdate::fmt_http_date(now).as_bytes()) {
            self.date = date;
        }
        let past = now.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.subsec_nanos());
        self.date_until = self.now + Duration::from_nanos(1_000_000_000 - u64::from(past));
    }

    /// Wraps after 49 days: only differences have a meaning.
    pub(crate) fn milliseconds(&self) -> u32 {
        (self.now - self.start).as_millis() as u32
    }

    pub(crate) fn date(&self) -> &Date {
        &self.date
    }
}
