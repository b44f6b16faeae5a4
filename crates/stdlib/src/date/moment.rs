//! A point in local time as scripts write it: `YYYY-MM-DD`, or `YYYY-MM-DD HH:MM:SS`.
//!
//! Calendar fields are the truth; the time zone is asked only where real time is meant.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{Offset, TimeZone};

/// A date, with a time of day if it was written with one.
#[derive(Clone, Debug)]
pub(super) struct Moment {
    pub(super) at: DateTime,
    pub(super) has_time: bool,
    /// The point in real time where it is known: an hour that a change of clocks repeats is two of them.
    pub(super) instant: Option<Timestamp>,
}

impl Moment {
    pub(super) fn new(at: DateTime, has_time: bool) -> Self {
        Self { at, has_time, instant: None }
    }

    /// A point in real time as the clocks of `zone` show it.
    pub(super) fn from_instant(instant: Timestamp, zone: &TimeZone) -> Self {
        Self { at: zone.to_datetime(instant), has_time: true, instant: Some(instant) }
    }

    /// Seconds since 1970; none outside the years -9999 to 9999.
    pub(super) fn from_unix_time(seconds: i64, zone: &TimeZone) -> Option<Self> {
        Some(Self::from_instant(Timestamp::from_second(seconds).ok()?, zone))
    }

    /// The point in real time. A time that a change of clocks skips is taken as if they had not been changed yet, one
    /// that it repeats is the first.
    pub(super) fn instant(&self, zone: &TimeZone) -> Option<Timestamp> {
        self.instant.or_else(|| zone.to_timestamp(self.at).ok())
    }

    /// Reads a date text: a date, then if wanted `T` or spaces, a time with or without seconds and fraction (which is
    /// dropped), and `Z` or an offset from UTC, which is turned into local time.
    pub(super) fn read(text: &[u8], zone: &TimeZone) -> Option<Self> {
        let mut reader = Reader { rest: text.trim_ascii() };
        let date = reader.date()?;
        if reader.rest.is_empty() {
            return Some(Self::new(DateTime::from_parts(date, Time::midnight()), false));
        }
        if !reader.skip(b'T') {
            let time = reader.rest.trim_ascii_start();
            if time.len() == reader.rest.len() {
                return None;
            }
            reader.rest = time;
        }
        let at = DateTime::from_parts(date, reader.time()?);
        match reader.offset()? {
            None => Some(Self::new(at, true)),
            Some(offset) => Some(Self::from_instant(offset.to_timestamp(at).ok()?, zone)),
        }
    }

    /// As scripts write it.
    pub(super) fn text(&self) -> String {
        let Self { at, has_time, .. } = self;
        let date = format!("{:04}-{:02}-{:02}", at.year(), at.month(), at.day());
        if *has_time { format!("{date} {:02}:{:02}:{:02}", at.hour(), at.minute(), at.second()) } else { date }
    }
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    fn skip(&mut self, byte: u8) -> bool {
        let found = self.rest.first() == Some(&byte);
        self.rest = self.rest.get(usize::from(found)..).unwrap_or(&[]);
        found
    }

    /// Exactly `N` digits.
    fn digits<const N: usize>(&mut self) -> Option<i16> {
        let (digits, rest) = self.rest.split_first_chunk::<N>()?;
        self.rest = rest;
        digits
            .iter()
            .try_fold(0_i16, |value, digit| digit.is_ascii_digit().then(|| value * 10 + i16::from(digit - b'0')))
    }

    fn two_digits(&mut self) -> Option<i8> {
        i8::try_from(self.digits::<2>()?).ok()
    }

    fn date(&mut self) -> Option<Date> {
        let year = self.digits::<4>()?;
        let month = self.skip(b'-').then(|| self.two_digits())??;
        let day = self.skip(b'-').then(|| self.two_digits())??;
        Date::new(year, month, day).ok()
    }

    fn time(&mut self) -> Option<Time> {
        let hour = self.two_digits()?;
        let minute = self.skip(b':').then(|| self.two_digits())??;
        let mut second = 0;
        if self.skip(b':') {
            second = self.two_digits()?;
            if self.skip(b'.') {
                let fraction = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                self.rest = self.rest.get(fraction..).filter(|_| fraction > 0)?;
            }
        }
        Time::new(hour, minute, second, 0).ok()
    }

    /// The rest of the text: nothing, `Z`, `+HH`, `+HHMM` or `+HH:MM`. The outer none says that it is neither.
    fn offset(&mut self) -> Option<Option<Offset>> {
        let sign = match self.rest {
            [] => return Some(None),
            [b'Z'] => return Some(Some(Offset::UTC)),
            [b'+', ..] => 1,
            [b'-', ..] => -1,
            _ => return None,
        };
        self.rest = self.rest.get(1..)?;
        let hours = i32::from(self.two_digits()?);
        self.skip(b':');
        let minutes = if self.rest.is_empty() { 0 } else { i32::from(self.two_digits()?) };
        let offset = Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok()?;
        (self.rest.is_empty() && minutes < 60).then_some(Some(offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn back(text: &str) -> Option<String> {
        let zone = TimeZone::get("Europe/Istanbul").expect("the table is built in");
        Moment::read(text.as_bytes(), &zone).map(|moment| moment.text())
    }

    #[test]
    fn dates_keep_their_shape() {
        for (text, expected) in [
            ("2026-01-02", "2026-01-02"),
            (" 2024-02-29 ", "2024-02-29"),
            ("0001-01-01", "0001-01-01"),
            ("2026-01-02 03:04:05", "2026-01-02 03:04:05"),
            ("2026-01-02T03:04:05", "2026-01-02 03:04:05"),
            ("2026-01-02 03:04", "2026-01-02 03:04:00"),
            ("2026-01-02 03:04:05.123456", "2026-01-02 03:04:05"),
            ("2026-01-02T23:04:05Z", "2026-01-03 02:04:05"),
            ("2026-01-02 03:04:05+00", "2026-01-02 06:04:05"),
            ("2026-01-02 03:04:05.5-0230", "2026-01-02 08:34:05"),
            ("2026-01-02 03:04:05+05:30", "2026-01-02 00:34:05"),
        ] {
            assert_eq!(back(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_date_is_not_read() {
        for text in [
            "",
            "2026",
            "2026-1-2",
            "2026-13-01",
            "2026-00-10",
            "2026-04-31",
            "2023-02-29",
            "0000-00-00",
            "20260102",
            "2026-01-02x",
            "2026-01-02 ",
            "2026-01-02 25:00:00",
            "2026-01-02 23:60",
            "2026-01-02 23:59:60",
            "2026-01-02 3:04",
            "2026-01-02 03:04:05.",
            "2026-01-02T",
            "2026-01-02 03:04:05+",
            "2026-01-02 03:04:05+99",
            "2026-01-02 03:04:05+01:75",
            "2026-01-02 03:04:05Zx",
            "2026/01/02",
            "-2026-01-02",
            "1700000000",
            "ççççç",
        ] {
            // Spaces at the end are trimmed, so that one is a date.
            assert_eq!(back(text).is_some(), text == "2026-01-02 ", "{text}");
        }
    }

    #[test]
    fn unix_time_has_limits() {
        let utc = TimeZone::UTC;
        let text = |seconds| Moment::from_unix_time(seconds, &utc).map(|moment| moment.text());
        assert_eq!(text(1_700_000_000).as_deref(), Some("2023-11-14 22:13:20"));
        assert_eq!(text(-1).as_deref(), Some("1969-12-31 23:59:59"));
        assert_eq!(text(i64::MAX), None);
        assert_eq!(text(i64::MIN), None);
    }
}
