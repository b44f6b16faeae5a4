//! The letters of `date::format` and `date::parse`, in both directions.

use super::moment::Moment;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use std::io::Write;

const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Letters of a short name.
const SHORT: usize = 3;

fn name(names: &[&'static str], number: i8) -> &'static str {
    usize::try_from(number - 1).ok().and_then(|index| names.get(index)).copied().unwrap_or("")
}

fn short(name: &str) -> &str {
    name.get(..SHORT).unwrap_or(name)
}

/// Writes a date by the letters of `format`; a backslash takes the meaning of the next letter away.
pub(super) fn format(moment: &Moment, format: &[u8], zone: &TimeZone) -> Vec<u8> {
    let mut out = Vec::with_capacity(format.len() * 2);
    let mut letters = format.iter();
    while let Some(letter) = letters.next() {
        match letter {
            b'\\' => out.extend(letters.next()),
            letter => push_letter(&mut out, *letter, moment, zone),
        }
    }
    out
}

fn push_letter(out: &mut Vec<u8>, letter: u8, moment: &Moment, zone: &TimeZone) {
    let at = moment.at;
    let weekday = at.weekday().to_monday_one_offset();
    let written = match letter {
        b'd' => write!(out, "{:02}", at.day()),
        b'j' => write!(out, "{}", at.day()),
        b'm' => write!(out, "{:02}", at.month()),
        b'n' => write!(out, "{}", at.month()),
        b'Y' => write!(out, "{:04}", at.year()),
        b'y' => write!(out, "{:02}", at.year().rem_euclid(100)),
        b'H' => write!(out, "{:02}", at.hour()),
        b'G' => write!(out, "{}", at.hour()),
        b'i' => write!(out, "{:02}", at.minute()),
        b's' => write!(out, "{:02}", at.second()),
        b'D' => write!(out, "{}", short(name(&DAYS, weekday))),
        b'l' => write!(out, "{}", name(&DAYS, weekday)),
        b'M' => write!(out, "{}", short(name(&MONTHS, at.month()))),
        b'F' => write!(out, "{}", name(&MONTHS, at.month())),
        b'N' => write!(out, "{weekday}"),
        b't' => write!(out, "{}", at.days_in_month()),
        b'U' => write!(out, "{}", moment.instant(zone).map_or(0, |instant| instant.as_second())),
        other => out.write_all(&[other]),
    };
    debug_assert!(written.is_ok(), "writing to memory does not fail");
}

/// Reads a date by the letters of `format`, to the end of `text`. It has a time when the format has an hour.
///
/// # Errors
/// What is missing or wrong.
pub(super) fn read(text: &[u8], format: &[u8], zone: &TimeZone) -> Result<Moment, String> {
    let mut reader = Reader { text, rest: text };
    let mut fields = Fields::default();
    let mut letters = format.iter();
    while let Some(letter) = letters.next() {
        match letter {
            b'\\' => {
                if let Some(literal) = letters.next() {
                    reader.literal(*literal)?;
                }
            }
            letter => reader.letter(*letter, &mut fields)?,
        }
    }
    if !reader.rest.is_empty() {
        return Err(reader.problem("the text goes on where the format ends"));
    }
    fields.moment(zone)
}

#[derive(Default)]
struct Fields {
    year: Option<i16>,
    month: Option<i8>,
    day: Option<i8>,
    hour: Option<i8>,
    minute: i8,
    second: i8,
    unix_time: Option<i64>,
}

impl Fields {
    fn moment(&self, zone: &TimeZone) -> Result<Moment, String> {
        if let Some(seconds) = self.unix_time {
            return Moment::from_unix_time(seconds, zone)
                .ok_or("the time is outside the years -9999 to 9999".to_owned());
        }
        let year = self.year.ok_or("the format has no year (Y or y)")?;
        let (month, day) = (self.month.unwrap_or(1), self.day.unwrap_or(1));
        let date = Date::new(year, month, day).map_err(|_no_such_day| "there is no such day")?;
        let time = Time::new(self.hour.unwrap_or(0), self.minute, self.second, 0)
            .map_err(|_no_such_time| "there is no such time of day")?;
        Ok(Moment::new(DateTime::from_parts(date, time), self.hour.is_some()))
    }
}

struct Reader<'a> {
    text: &'a [u8],
    rest: &'a [u8],
}

impl Reader<'_> {
    fn letter(&mut self, letter: u8, fields: &mut Fields) -> Result<(), String> {
        match letter {
            b'd' | b'j' => fields.day = Some(self.small(letter)?),
            b'm' | b'n' => fields.month = Some(self.small(letter)?),
            b'Y' => fields.year = Some(self.year(4)?),
            b'y' => {
                let year = self.year(2)?;
                fields.year = Some(if year >= 70 { 1900 } else { 2000 } + year);
            }
            b'H' | b'G' => fields.hour = Some(self.small(letter)?),
            b'i' => fields.minute = self.small(letter)?,
            b's' => fields.second = self.small(letter)?,
            b'M' => fields.month = Some(self.name(&MONTHS, true)?),
            b'F' => fields.month = Some(self.name(&MONTHS, false)?),
            b'D' => drop(self.name(&DAYS, true)?),
            b'l' => drop(self.name(&DAYS, false)?),
            b'N' | b't' => drop(self.small(letter)?),
            b'U' => fields.unix_time = Some(self.unix_time()?),
            literal => self.literal(literal)?,
        }
        Ok(())
    }

    fn problem(&self, what: &str) -> String {
        format!("{what} (character {})", 1 + vm::text::char_count(self.text) - vm::text::char_count(self.rest))
    }

    fn literal(&mut self, literal: u8) -> Result<(), String> {
        match self.rest.split_first() {
            Some((byte, rest)) if *byte == literal => self.rest = rest,
            _ => return Err(self.problem(&format!("'{}' expected", char::from(literal).escape_debug()))),
        }
        Ok(())
    }

    /// The next digits, at most `most` of them.
    fn digits(&mut self, most: usize) -> &[u8] {
        let len = self.rest.iter().take(most).take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = self.rest.split_at_checked(len).unwrap_or_default();
        self.rest = rest;
        digits
    }

    /// One or two digits.
    fn small(&mut self, letter: u8) -> Result<i8, String> {
        let problem = self.problem(&format!("one or two digits expected for {}", char::from(letter)));
        vm::text::parse_int(self.digits(2)).and_then(|value| i8::try_from(value).ok()).ok_or(problem)
    }

    fn year(&mut self, len: usize) -> Result<i16, String> {
        let problem = self.problem(&format!("a year of {len} digits expected"));
        let digits = self.digits(len);
        let whole = digits.len() == len;
        vm::text::parse_int(digits).filter(|_| whole).and_then(|value| i16::try_from(value).ok()).ok_or(problem)
    }

    fn unix_time(&mut self) -> Result<i64, String> {
        let problem = self.problem("seconds since 1970 expected for U");
        let negative = self.rest.first() == Some(&b'-');
        self.rest = self.rest.get(usize::from(negative)..).unwrap_or(&[]);
        let value = vm::text::parse_int(self.digits(18)).ok_or(problem)?;
        Ok(if negative { -value } else { value })
    }

    /// A name in any case; its number from 1.
    fn name(&mut self, names: &[&str], is_short: bool) -> Result<i8, String> {
        for (name, number) in names.iter().zip(1..) {
            let name = if is_short { short(name) } else { name };
            if let Some((start, rest)) = self.rest.split_at_checked(name.len())
                && start.eq_ignore_ascii_case(name.as_bytes())
            {
                self.rest = rest;
                return Ok(number);
            }
        }
        let example = names.first().copied().unwrap_or_default();
        let example = if is_short { short(example) } else { example };
        Err(self.problem(&format!("an English name like {example} expected")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone() -> TimeZone {
        TimeZone::get("America/New_York").expect("the table is built in")
    }

    fn formatted(text: &str, letters: &str) -> String {
        let moment = Moment::read(text.as_bytes(), &zone()).expect("a date");
        String::from_utf8(format(&moment, letters.as_bytes(), &zone())).expect("UTF-8 stays UTF-8")
    }

    fn parsed(text: &str, letters: &str) -> Result<String, String> {
        read(text.as_bytes(), letters.as_bytes(), &zone()).map(|moment| moment.text())
    }

    #[test]
    fn every_letter_is_written() {
        let text = "2026-06-09 04:05:06";
        assert_eq!(formatted(text, "d j m n Y y H G i s"), "09 9 06 6 2026 26 04 4 05 06");
        assert_eq!(formatted(text, "D l M F N t U"), "Tue Tuesday Jun June 2 30 1780992306");
        assert_eq!(formatted(text, "\\Y\\\\d ç \\"), "Y\\09 ç ");
        assert_eq!(formatted("2026-01-02", "d.m.Y H:i"), "02.01.2026 00:00");
        assert_eq!(formatted("0007-01-02", "Y y"), "0007 07");
        assert_eq!(formatted("2024-02-01", "l, d F Y t"), "Thursday, 01 February 2024 29");
    }

    #[test]
    fn the_second_of_two_equal_hours_keeps_its_unix_time() {
        // 01:30 came twice on 3 November 2024; this is the later one.
        let later = Moment::from_unix_time(1_730_615_400, &zone()).expect("in range");
        assert_eq!(format(&later, b"H:i U", &zone()), b"01:30 1730615400");
    }

    #[test]
    fn dates_are_read_by_letters() {
        for (text, letters, expected) in [
            ("29.02.2024", "d.m.Y", "2024-02-29"),
            ("09/06/26", "d/m/y", "2026-06-09"),
            ("1/2/70", "j/n/y", "1970-02-01"),
            ("31.12.69", "d.m.y", "2069-12-31"),
            ("2026-06-09 14:32", "Y-m-d H:i", "2026-06-09 14:32:00"),
            ("Tuesday, 9 june 2026", "l, j F Y", "2026-06-09"),
            ("Tue 09 Jun 2026 7:01:02", "D d M Y G:i:s", "2026-06-09 07:01:02"),
            ("2026", "Y", "2026-01-01"),
            ("20260609", "Ymd", "2026-06-09"),
            ("year 2026", "\\y\\ear Y", "2026-01-01"),
            ("1780992306", "U", "2026-06-09 04:05:06"),
        ] {
            assert_eq!(parsed(text, letters).as_deref(), Ok(expected), "{text} by {letters}");
        }
    }

    #[test]
    fn wrong_dates_say_why() {
        for (text, letters, expected) in [
            ("2024-04-31", "Y-m-d", "there is no such day"),
            ("2023-02-29", "Y-m-d", "there is no such day"),
            ("2023-02-28 24:00", "Y-m-d H:i", "there is no such time of day"),
            ("2024-04", "Y-m-d", "'-' expected (character 8)"),
            ("2024-04-01x", "Y-m-d", "the text goes on where the format ends (character 11)"),
            ("24-04-01", "Y-m-d", "a year of 4 digits expected (character 1)"),
            ("2024-xx-01", "Y-m-d", "one or two digits expected for m (character 6)"),
            ("12:30", "H:i", "the format has no year (Y or y)"),
            ("9 Juni 2026", "j F Y", "an English name like January expected (character 3)"),
            ("ç", "d", "one or two digits expected for d (character 1)"),
            ("", "Y", "a year of 4 digits expected (character 1)"),
            ("-", "U", "seconds since 1970 expected for U (character 1)"),
            ("999999999999999999", "U", "the time is outside the years -9999 to 9999"),
        ] {
            assert_eq!(parsed(text, letters), Err(expected.to_owned()), "{text} by {letters}");
        }
    }
}
