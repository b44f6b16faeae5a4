//! Adding to dates and taking their difference. Days, weeks, months and years are steps on the calendar; hours, minutes
//! and seconds are real time, so they see changes of clocks.

use super::moment::Moment;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span};

const SECONDS_OF_DAY: i64 = 86_400;
const MONTHS_OF_YEAR: i64 = 12;

/// A unit of time, as so many of the step it counts in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unit {
    /// Seconds of real time.
    Seconds(i64),
    /// Days on the calendar.
    Days(i64),
    /// Months on the calendar.
    Months(i64),
}

impl Unit {
    /// A unit by its name, singular or plural.
    pub(super) fn read(name: &[u8]) -> Option<Self> {
        Some(match name.strip_suffix(b"s").unwrap_or(name) {
            b"second" => Self::Seconds(1),
            b"minute" => Self::Seconds(60),
            b"hour" => Self::Seconds(3600),
            b"day" => Self::Days(1),
            b"week" => Self::Days(7),
            b"month" => Self::Months(1),
            b"year" => Self::Months(MONTHS_OF_YEAR),
            _ => return None,
        })
    }
}

/// `count` units later; none when that is outside the years -9999 to 9999. A day that the month reached does not have
/// runs over into the next one: a month after 31 January is 2 or 3 March.
pub(super) fn add(moment: &Moment, count: i64, unit: Unit, zone: &TimeZone) -> Option<Moment> {
    match unit {
        Unit::Seconds(seconds) => {
            let step = SignedDuration::from_secs(count.checked_mul(seconds)?);
            let later = Moment::from_instant(moment.instant(zone)?.checked_add(step).ok()?, zone);
            Some(Moment { has_time: moment.has_time, ..later })
        }
        Unit::Days(days) => {
            let date = add_days(moment.at.date(), count.checked_mul(days)?)?;
            Some(Moment::new(DateTime::from_parts(date, moment.at.time()), moment.has_time))
        }
        Unit::Months(months) => {
            let date = add_months(moment.at.date(), count.checked_mul(months)?)?;
            Some(Moment::new(DateTime::from_parts(date, moment.at.time()), moment.has_time))
        }
    }
}

fn add_days(date: Date, days: i64) -> Option<Date> {
    date.checked_add(Span::new().try_days(days).ok()?).ok()
}

fn add_months(date: Date, months: i64) -> Option<Date> {
    let months = month_number(date).checked_add(months)?;
    let year = i16::try_from(months.div_euclid(MONTHS_OF_YEAR)).ok()?;
    let month = i8::try_from(months.rem_euclid(MONTHS_OF_YEAR)).ok()? + 1;
    add_days(Date::new(year, month, 1).ok()?, i64::from(date.day()) - 1)
}

/// Months since the start of year 0.
fn month_number(date: Date) -> i64 {
    i64::from(date.year()) * MONTHS_OF_YEAR + i64::from(date.month()) - 1
}

/// Whole units from `earlier` to `later`, negative when they stand the other way round.
pub(super) fn difference(later: &Moment, earlier: &Moment, unit: Unit, zone: &TimeZone) -> Option<i64> {
    Some(match unit {
        Unit::Seconds(seconds) => (later.instant(zone)?.as_second() - earlier.instant(zone)?.as_second()) / seconds,
        Unit::Days(days) => later.at.duration_since(earlier.at).as_secs() / (days * SECONDS_OF_DAY),
        Unit::Months(months) => {
            let steps = month_number(later.at.date()) - month_number(earlier.at.date());
            let in_month = |moment: &Moment| (moment.at.day(), moment.at.time());
            let unfinished = match steps {
                1.. if in_month(later) < in_month(earlier) => 1,
                ..=-1 if in_month(later) > in_month(earlier) => -1,
                _ => 0,
            };
            (steps - unfinished) / months
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new_york() -> TimeZone {
        TimeZone::get("America/New_York").expect("the table is built in")
    }

    fn moment(text: &str) -> Moment {
        Moment::read(text.as_bytes(), &new_york()).unwrap_or_else(|| panic!("{text} is a date"))
    }

    fn added(text: &str, count: i64, unit: &str) -> Option<String> {
        let unit = Unit::read(unit.as_bytes()).expect("a unit");
        add(&moment(text), count, unit, &new_york()).map(|later| later.text())
    }

    #[test]
    fn steps_on_the_calendar_and_in_real_time() {
        for (text, count, unit, expected) in [
            // Clocks went back on 3 November 2024 and forward on 10 March.
            ("2024-11-03", 1, "day", "2024-11-04"),
            ("2024-11-02 12:00:00", 1, "days", "2024-11-03 12:00:00"),
            ("2024-11-02 12:00:00", 24, "hours", "2024-11-03 11:00:00"),
            ("2024-03-09 12:00:00", 24, "hour", "2024-03-10 13:00:00"),
            ("2024-03-09", -1, "week", "2024-03-02"),
            ("2024-01-31", 1, "month", "2024-03-02"),
            ("2023-01-31", 1, "month", "2023-03-03"),
            ("2024-03-31", -1, "month", "2024-03-02"),
            ("2024-02-29", 1, "year", "2025-03-01"),
            ("2024-01-15", -13, "month", "2022-12-15"),
            ("2026-01-01", 36, "hour", "2026-01-02"),
            ("2026-01-01 00:00:30", 90, "seconds", "2026-01-01 00:02:00"),
            ("2026-06-09", 0, "minute", "2026-06-09"),
        ] {
            assert_eq!(added(text, count, unit).as_deref(), Some(expected), "{text} {count} {unit}");
        }
    }

    #[test]
    fn what_leaves_the_calendar_is_none() {
        for unit in ["second", "minute", "hour", "day", "week", "month", "year"] {
            for count in [i64::MAX, i64::MIN, 1 << 40, -(1 << 40)] {
                let beyond = added("2024-01-31 10:00:00", count, unit);
                assert_eq!(beyond, None, "{count} {unit}");
            }
        }
        assert_eq!(added("9999-12-31", 1, "day"), None);
    }

    #[test]
    fn differences_are_whole_units() {
        for (later, earlier, unit, expected) in [
            ("2024-03-12", "2024-03-09", "day", 3),
            ("2024-03-09", "2024-03-12", "day", -3),
            ("2026-12-31", "2026-06-09", "day", 205),
            ("2026-01-02 09:00:00", "2026-01-01 10:00:00", "day", 0),
            ("2026-01-02 10:00:00", "2026-01-01 10:00:00", "day", 1),
            ("2024-03-10 12:00:00", "2024-03-09 12:00:00", "hour", 23),
            ("2024-03-10 12:00:00", "2024-03-09 12:00:00", "day", 1),
            ("2026-01-15", "2026-01-01", "weeks", 2),
            ("2026-03-14", "2026-01-15", "month", 1),
            ("2026-03-15", "2026-01-15", "month", 2),
            ("2026-01-15", "2026-03-14", "month", -1),
            ("2026-06-08", "2000-06-09", "year", 25),
            ("2026-06-09", "2000-06-09", "year", 26),
            ("2026-01-01 00:01:59", "2026-01-01", "minute", 1),
        ] {
            let unit = Unit::read(unit.as_bytes()).expect("a unit");
            let found = difference(&moment(later), &moment(earlier), unit, &new_york());
            assert_eq!(found, Some(expected), "{later} - {earlier} in {unit:?}");
        }
    }

    #[test]
    fn units_have_names() {
        for name in ["", "s", "fortnight", "DAY", "dayss", "seconds "] {
            assert_eq!(Unit::read(name.as_bytes()), None, "{name}");
        }
    }
}
