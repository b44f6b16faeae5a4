//! Dates and times, as text in local time.

mod arithmetic;
mod letters;
mod moment;

use crate::nullable::Nullable;
use arithmetic::Unit;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use macros::module;
use moment::Moment;
use std::sync::OnceLock;
use std::time::Instant;
use vm::{Str, Thrown, Value, View};

/// Date and time now, on the local clock.
pub(crate) fn now() -> DateTime {
    now_here().at
}

fn now_here() -> Moment {
    Moment::from_instant(Timestamp::now(), &TimeZone::system())
}

/// The date that an argument names.
fn moment(function: &str, text: &[u8], zone: &TimeZone) -> Result<Moment, Thrown> {
    Moment::read(text, zone).ok_or_else(|| no_date(function, &Value::str(text)))
}

#[cold]
fn no_date(function: &str, given: &Value) -> Thrown {
    let given = vm::text::describe(given);
    let form = "dates are written YYYY-MM-DD or YYYY-MM-DD HH:MM:SS";
    Thrown::error(format!("date::{function}(): {given} is not a date; {form}"))
}

fn unit(function: &str, name: &[u8]) -> Result<Unit, Thrown> {
    Unit::read(name).ok_or_else(|| {
        let name = vm::text::describe(&Value::str(name));
        let units = "second, minute, hour, day, week, month or year";
        Thrown::error(format!("date::{function}(): {name} is not a unit of time; use {units}"))
    })
}

#[cold]
fn out_of_range(function: &str) -> Thrown {
    Thrown::error(format!("date::{function}(): the result is outside the years -9999 to 9999"))
}

fn shift(function: &str, date: &[u8], count: Option<i64>, unit_name: &[u8]) -> Result<String, Thrown> {
    let zone = TimeZone::system();
    let (moment, unit) = (moment(function, date, &zone)?, unit(function, unit_name)?);
    let later = count.and_then(|count| arithmetic::add(&moment, count, unit, &zone));
    later.map(|later| later.text()).ok_or_else(|| out_of_range(function))
}

#[module(name = "date")]
pub mod builtins {
    //! Dates and times.
    //!
    //! A date is text: `YYYY-MM-DD`, or `YYYY-MM-DD HH:MM:SS` in the local time zone (the environment variable `TZ`,
    //! else that of the machine). Text with `T` between date and time, with a fraction of a second, or with `Z` or an
    //! offset from UTC is read too; the latter is turned into local time.

    use super::*;

    /// Date and time now.
    ///
    /// ```look
    /// print(strlen(date::now()))   // 19
    /// ```
    #[builtin(reads)]
    fn now() -> String {
        now_here().text()
    }

    /// The date today.
    ///
    /// ```look
    /// print(date::diff(date::today(), date::now(), "day"))   // 0
    /// ```
    #[builtin(reads)]
    fn today() -> String {
        Moment { has_time: false, ..now_here() }.text()
    }

    /// Seconds since 1 January 1970, 00:00 UTC.
    ///
    /// ```look
    /// print(date::timestamp() > 1700000000)   // true
    /// ```
    #[builtin(reads)]
    fn timestamp() -> i64 {
        Timestamp::now().as_second()
    }

    /// Microseconds on a clock that never goes back, for measuring how long something takes.
    ///
    /// ```look
    /// $start = date::mono_us()
    /// print(date::mono_us() - $start >= 0)   // true
    /// ```
    #[builtin(reads)]
    fn mono_us() -> i64 {
        static START: OnceLock<Instant> = OnceLock::new();
        i64::try_from(START.get_or_init(Instant::now).elapsed().as_micros()).unwrap_or(i64::MAX)
    }

    /// A date written by letters: `d j` day, `m n` month, `Y y` year, `H G` hour, `i` minute, `s` second, `D l` name of
    /// the day, `M F` name of the month, `N` day of the week from 1, `t` days in the month, `U` Unix time.
    ///
    /// The first of two gives leading zeros or is short. A backslash before a letter takes its meaning away; anything
    /// else stands for itself. An int is taken as seconds since 1970.
    ///
    /// ```look
    /// print(date::format("2026-06-09 14:32:00", "l, d F Y H:i"))   // Tuesday, 09 June 2026 14:32
    /// print(date::format("2026-06-09", "j.n.y \\d\\a\\y"))         // 9.6.26 day
    /// ```
    #[builtin(reads)]
    fn format(date: &Value, letters: &[u8]) -> Result<Str, Thrown> {
        let zone = TimeZone::system();
        let moment = match date.view() {
            View::Str(text) => Moment::read(text.as_bytes(), &zone),
            View::Int(seconds) => Moment::from_unix_time(seconds, &zone),
            _ => None,
        };
        let moment = moment.ok_or_else(|| no_date("format", date))?;
        Ok(Str::from(super::letters::format(&moment, letters, &zone)))
    }

    /// Reads a date written by `letters` (those of `date::format`) and gives it in the usual form, with the time when
    /// the letters have an hour.
    ///
    /// Names are read in any case, days and months also with one digit. Two-digit years from 70 are 19xx. Fails when
    /// the text does not fit to its end or names a day that does not exist.
    ///
    /// ```look
    /// print(date::parse("29.02.2024", "d.m.Y"))            // 2024-02-29
    /// print(date::parse("9 Jun 26, 7:05", "j M y, G:i"))   // 2026-06-09 07:05:00
    /// ```
    #[builtin(reads)]
    fn parse(text: &[u8], letters: &[u8]) -> Result<String, Thrown> {
        match super::letters::read(text, letters, &TimeZone::system()) {
            Ok(moment) => Ok(moment.text()),
            Err(problem) => {
                let (text, letters) = (vm::text::describe(&Value::str(text)), String::from_utf8_lossy(letters));
                Err(Thrown::error(format!("date::parse(): {text} is not a date in the form \"{letters}\": {problem}")))
            }
        }
    }

    /// The date `count` units later: `second`, `minute`, `hour`, `day`, `week`, `month` or `year`.
    ///
    /// Days and longer units are steps on the calendar, shorter ones real time. A day that the month reached does not
    /// have runs over into the next month.
    ///
    /// ```look
    /// print(date::add("2026-12-30", 3, "days"))              // 2027-01-02
    /// print(date::add("2026-01-31", 1, "month"))             // 2026-03-03
    /// print(date::add("2026-06-09 23:59:30", 1, "minute"))   // 2026-06-10 00:00:30
    /// ```
    #[builtin(reads)]
    fn add(date: &[u8], count: i64, unit: &[u8]) -> Result<String, Thrown> {
        shift("add", date, Some(count), unit)
    }

    /// The date `count` units earlier; see `date::add`.
    ///
    /// ```look
    /// print(date::sub("2026-03-01", 1, "day"))   // 2026-02-28
    /// ```
    #[builtin(reads)]
    fn sub(date: &[u8], count: i64, unit: &[u8]) -> Result<String, Thrown> {
        shift("sub", date, count.checked_neg(), unit)
    }

    /// How many whole units `later` is after `earlier`; negative when it is before.
    ///
    /// ```look
    /// print(date::diff("2026-12-31", "2026-06-09", "day"))             // 205
    /// print(date::diff("2026-06-09", "2026-06-09 10:30:00", "hour"))   // -10
    /// ```
    #[builtin(reads)]
    fn diff(later: &[u8], earlier: &[u8], unit: &[u8]) -> Result<i64, Thrown> {
        let zone = TimeZone::system();
        let (later, earlier) = (moment("diff", later, &zone)?, moment("diff", earlier, &zone)?);
        let unit = super::unit("diff", unit)?;
        arithmetic::difference(&later, &earlier, unit, &zone).ok_or_else(|| out_of_range("diff"))
    }

    /// The day of the week: 1 is Monday, 7 is Sunday.
    ///
    /// ```look
    /// print(date::weekday("2026-06-09"))   // 2
    /// ```
    #[builtin(reads)]
    fn weekday(date: &[u8]) -> Result<i64, Thrown> {
        let moment = moment("weekday", date, &TimeZone::system())?;
        Ok(i64::from(moment.at.weekday().to_monday_one_offset()))
    }

    /// The number of the week by ISO 8601: weeks start on Monday, week 1 has the year's first Thursday.
    ///
    /// ```look
    /// print(date::week("2026-06-09"), date::week("2027-01-01"))   // 24 53
    /// ```
    #[builtin(reads)]
    fn week(date: &[u8]) -> Result<i64, Thrown> {
        let moment = moment("week", date, &TimeZone::system())?;
        Ok(i64::from(moment.at.date().iso_week_date().week()))
    }

    /// True for text that is a date which exists.
    ///
    /// ```look
    /// print(date::is_valid("2024-02-29"), date::is_valid("2023-02-29"), date::is_valid("soon"))   // true false false
    /// ```
    #[builtin(reads)]
    fn is_valid(text: Nullable<&[u8]>) -> bool {
        text.0.is_some_and(|text| Moment::read(text, &TimeZone::system()).is_some())
    }

    /// Date and time of a number of seconds since 1970.
    ///
    /// ```look
    /// print(date::diff(date::from_timestamp(86400), date::from_timestamp(0), "hour"))   // 24
    /// ```
    #[builtin(reads)]
    fn from_timestamp(seconds: i64) -> Result<String, Thrown> {
        let moment = Moment::from_unix_time(seconds, &TimeZone::system());
        moment.map(|moment| moment.text()).ok_or_else(|| out_of_range("from_timestamp"))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{call_in, error_in, isolate, text_in};
    use vm::Value;

    #[test]
    fn clocks_agree() {
        let mut isolate = isolate();
        let mut value = |name: &str, args: Vec<Value>| call_in(&mut isolate, "date", name, args).expect("no error");
        let unix = value("timestamp", vec![]);
        let text = value("from_timestamp", vec![unix]);
        let now = value("now", vec![]);
        let seconds = value("diff", vec![now.clone(), text, Value::str("second")]).as_int();
        assert!(seconds.is_some_and(|seconds| (0..5).contains(&seconds)));
        let today = value("today", vec![]);
        let days = value("diff", vec![today, now, Value::str("day")]).as_int();
        assert!(days.is_some_and(|days| (0..2).contains(&days)));
        let unix = value("format", vec![Value::int(1_700_000_000), Value::str("U")]);
        assert!(unix.as_str().is_some_and(|text| text.as_bytes() == b"1700000000"));
    }

    #[test]
    fn errors_name_the_value_and_the_way_out() {
        let mut isolate = isolate();
        let form = "dates are written YYYY-MM-DD or YYYY-MM-DD HH:MM:SS";
        let error = error_in(&mut isolate, "date", "format", vec![Value::str("2024-04-31"), Value::str("d")]);
        assert_eq!(error, format!("date::format(): string \"2024-04-31\" is not a date; {form}"));
        let error = error_in(&mut isolate, "date", "format", vec![Value::int(i64::MAX), Value::str("d")]);
        assert_eq!(error, format!("date::format(): int 9223372036854775807 is not a date; {form}"));
        let error = error_in(&mut isolate, "date", "weekday", vec![Value::str("now")]);
        assert_eq!(error, format!("date::weekday(): string \"now\" is not a date; {form}"));
        let error =
            error_in(&mut isolate, "date", "add", vec![Value::str("2024-04-30"), Value::int(1), Value::str("moon")]);
        let units = "second, minute, hour, day, week, month or year";
        assert_eq!(error, format!("date::add(): string \"moon\" is not a unit of time; use {units}"));
        for count in [i64::MIN, i64::MAX] {
            let error = error_in(
                &mut isolate,
                "date",
                "sub",
                vec![Value::str("2024-04-30"), Value::int(count), Value::str("year")],
            );
            assert_eq!(error, "date::sub(): the result is outside the years -9999 to 9999");
        }
        let error = error_in(&mut isolate, "date", "parse", vec![Value::str("2024-04-31"), Value::str("Y-m-d")]);
        let expected = "date::parse(): string \"2024-04-31\" is not a date in the form \"Y-m-d\": there is no such day";
        assert_eq!(error, expected);
        assert_eq!(text_in(&mut isolate, "date", "is_valid", vec![Value::NULL]), "false");
    }

    #[test]
    fn odd_text_is_never_a_panic() {
        let mut isolate = isolate();
        let odd: [&[u8]; 8] = [
            b"",
            b"\xff\xfe2026-01-01",
            b"9999-12-31 23:59:59",
            b"0000-01-01",
            b"2026-01-02 03:04:05+23:59",
            b"\\",
            b"-",
            b"9999-12-31T23:59:59-23:00",
        ];
        for text in odd {
            for other in odd {
                for name in ["format", "parse"] {
                    drop(call_in(&mut isolate, "date", name, vec![Value::str(text), Value::str(other)]));
                }
                for unit in ["second", "week", "year"] {
                    drop(call_in(
                        &mut isolate,
                        "date",
                        "diff",
                        vec![Value::str(text), Value::str(other), Value::str(unit)],
                    ));
                }
            }
            for seconds in [i64::MIN, -1, 0, 253_402_300_799, i64::MAX] {
                drop(call_in(&mut isolate, "date", "from_timestamp", vec![Value::int(seconds)]));
                drop(call_in(&mut isolate, "date", "format", vec![Value::int(seconds), Value::str(text)]));
                drop(call_in(
                    &mut isolate,
                    "date",
                    "add",
                    vec![Value::str(text), Value::int(seconds), Value::str("hour")],
                ));
            }
            drop(call_in(&mut isolate, "date", "week", vec![Value::str(text)]));
        }
    }
}
