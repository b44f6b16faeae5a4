//! From when until when a certificate holds: the one thing that must be read inside of it before clients do.
//!
//! A certificate is nested elements of tag, length and content (DER, ITU-T X.690); the dates stand at a fixed place in it
//! (RFC 5280, section 4.1).

use std::time::{Duration, SystemTime};

const INTEGER: u8 = 0x02;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
const SEQUENCE: u8 = 0x30;
/// The version of the certificate, which may be missing.
const VERSION: u8 = 0xa0;

/// The time in which a certificate holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Validity {
    pub(super) from: SystemTime,
    pub(super) until: SystemTime,
}

impl Validity {
    /// Reads it from a certificate; None if this is none.
    pub(super) fn of(certificate: &[u8]) -> Option<Self> {
        let mut outer = Reader(certificate);
        let mut certificate = Reader(outer.take(SEQUENCE)?);
        let mut signed = Reader(certificate.take(SEQUENCE)?);
        let _ = signed.take(VERSION);
        signed.take(INTEGER)?;
        // Algorithm and issuer.
        signed.take(SEQUENCE)?;
        signed.take(SEQUENCE)?;
        let mut dates = Reader(signed.take(SEQUENCE)?);
        Some(Self { from: dates.time()?, until: dates.time()? })
    }
}

/// What is left of a row of elements.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// The content of the next element if it has this tag; else nothing is taken.
    fn take(&mut self, tag: u8) -> Option<&'a [u8]> {
        let (first, rest) = self.0.split_first()?;
        let (length, rest) = length(rest)?;
        let (content, rest) = rest.split_at_checked(length)?;
        if *first != tag {
            return None;
        }
        self.0 = rest;
        Some(content)
    }

    fn time(&mut self) -> Option<SystemTime> {
        match self.take(GENERALIZED_TIME) {
            Some(text) => {
                let (year, rest) = text.split_at_checked(4)?;
                moment(number(year)?, rest)
            }
            None => {
                let (year, rest) = self.take(UTC_TIME)?.split_at_checked(2)?;
                let year = number(year)?;
                moment(if year < 50 { 2000 + year } else { 1900 + year }, rest)
            }
        }
    }
}

/// A length of one byte, or of as many as the first one says.
fn length(input: &[u8]) -> Option<(usize, &[u8])> {
    let (first, rest) = input.split_first()?;
    if *first < 0x80 {
        return Some((usize::from(*first), rest));
    }
    let count = usize::from(first & 0x7f);
    if !(1..=4).contains(&count) {
        return None;
    }
    let (bytes, rest) = rest.split_at_checked(count)?;
    let length = bytes.iter().fold(0_u32, |sum, byte| sum << 8 | u32::from(*byte));
    Some((usize::try_from(length).ok()?, rest))
}

fn number(digits: &[u8]) -> Option<u64> {
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(digits.iter().fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0')))
}

/// `rest` is `MMDDHHMMSSZ`. What lies before 1970 is 1970.
fn moment(year: u64, rest: &[u8]) -> Option<SystemTime> {
    let digits = rest.strip_suffix(b"Z").filter(|digits| digits.len() == 10)?;
    let mut parts = digits.chunks_exact(2).map(number);
    let mut next = || parts.next().flatten();
    let (month, day, hour, minute, second) = (next()?, next()?, next()?, next()?, next()?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let days = days(year, month, day).saturating_sub(days(1970, 1, 1));
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second;
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}

/// Days since the first of March of the year 0, in the Gregorian calendar. A year that begins in March has its leap day at its
/// end, so the days before a month are a straight line, rounded.
fn days(year: u64, month: u64, day: u64) -> u64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year.saturating_sub(1), month + 9) };
    year * 365 + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(tag: u8, content: &[u8]) -> Vec<u8> {
        let length = u8::try_from(content.len()).expect("a test certificate is short");
        let mut bytes = if length < 0x80 { vec![tag, length] } else { vec![tag, 0x81, length] };
        bytes.extend_from_slice(content);
        bytes
    }

    fn certificate(from: (u8, &str), until: (u8, &str), has_version: bool) -> Vec<u8> {
        let dates = [element(from.0, from.1.as_bytes()), element(until.0, until.1.as_bytes())].concat();
        let version = if has_version { element(VERSION, &element(INTEGER, &[2])) } else { Vec::new() };
        let parts = [
            version,
            element(INTEGER, &[7; 20]),
            element(SEQUENCE, &[]),
            element(SEQUENCE, &[0; 60]),
            element(SEQUENCE, &dates),
            element(SEQUENCE, &[]),
        ];
        element(SEQUENCE, &element(SEQUENCE, &parts.concat()))
    }

    fn seconds(time: SystemTime) -> u64 {
        time.duration_since(SystemTime::UNIX_EPOCH).expect("no time is before 1970").as_secs()
    }

    #[test]
    fn both_forms_of_dates_are_read() {
        let cases = [
            ((UTC_TIME, "700101000000Z"), (UTC_TIME, "491231235959Z"), (0, 2_524_607_999)),
            ((UTC_TIME, "000229120000Z"), (GENERALIZED_TIME, "20500101000000Z"), (951_825_600, 2_524_608_000)),
            ((UTC_TIME, "500101000000Z"), (GENERALIZED_TIME, "99991231235959Z"), (0, 253_402_300_799)),
            ((UTC_TIME, "260301000000Z"), (UTC_TIME, "260228235959Z"), (1_772_323_200, 1_772_323_199)),
        ];
        for (from, until, expected) in cases {
            for has_version in [true, false] {
                let validity = Validity::of(&certificate(from, until, has_version)).expect("it is a certificate");
                assert_eq!((seconds(validity.from), seconds(validity.until)), expected, "{from:?} {until:?}");
            }
        }
    }

    #[test]
    fn what_is_no_certificate_has_no_dates() {
        let good = certificate((UTC_TIME, "260301000000Z"), (UTC_TIME, "270301000000Z"), true);
        for end in 0..good.len() {
            assert_eq!(Validity::of(good.get(..end).unwrap_or_default()), None, "cut at {end}");
        }
        for position in 0..good.len() {
            for byte in [0, 0x30, 0x7f, 0x80, 0x81, 0x84, 0xff] {
                let mut bytes = good.clone();
                bytes.splice(position..=position, [byte]);
                // It may be read or not, but it ends.
                let _ = Validity::of(&bytes);
            }
        }
        for date in ["2603010000Z", "260301000000", "261301000000Z", "260332000000Z", "26030100000xZ", "260301240000Z"]
        {
            assert_eq!(Validity::of(&certificate((UTC_TIME, date), (UTC_TIME, date), true)), None, "{date}");
        }
    }
}
