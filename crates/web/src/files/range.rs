//! Requests for a part of a file (RFC 9110, section 14).

use super::condition::Tags;
use std::ops::Range;

/// What a client wants of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Wanted {
    All,
    Part(Range<u64>),
    /// A part that there is not.
    Nothing,
}

/// The part that a request names. Several parts in one request are answered with the whole, which is allowed and keeps a
/// client from asking for the same bytes a thousand times.
pub(super) fn wanted<'a>(header: impl Fn(&str) -> Option<&'a [u8]>, length: u64, tags: &Tags) -> Wanted {
    let Some(range) = header("range").and_then(|value| str::from_utf8(value).ok()) else { return Wanted::All };
    // A part of another edition is of no use.
    let is_current = header("if-range").is_none_or(|condition| {
        tags.is_named(condition, false) && condition != b"*" || condition == tags.date().as_bytes()
    });
    let unit = range.get(..6).is_some_and(|unit| unit.eq_ignore_ascii_case("bytes="));
    match range.get(6..).filter(|_| is_current && unit) {
        Some(part) => read(part.trim(), length),
        None => Wanted::All,
    }
}

fn read(part: &str, length: u64) -> Wanted {
    let Some((first, last)) = part.split_once('-') else { return Wanted::All };
    let number = |text: &str| -> Option<u64> {
        (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().unwrap_or(u64::MAX))
    };
    match (number(first), number(last), first.is_empty(), last.is_empty()) {
        (None, Some(0), true, false) => Wanted::Nothing,
        (None, Some(count), true, false) if length > 0 => Wanted::Part(length.saturating_sub(count)..length),
        (None, Some(_), true, false) => Wanted::Nothing,
        (Some(first), None, false, true) if first < length => Wanted::Part(first..length),
        (Some(first), Some(last), false, false) if first > last => Wanted::All,
        (Some(first), Some(last), false, false) if first < length => {
            Wanted::Part(first..last.saturating_add(1).min(length))
        }
        (Some(_), _, false, _) if number(last).is_some() || last.is_empty() => Wanted::Nothing,
        _ => Wanted::All,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::UNIX_EPOCH;

    #[test]
    fn parts_are_cut_to_the_file() {
        for (part, expected) in [
            ("0-0", Wanted::Part(0..1)),
            ("2-5", Wanted::Part(2..6)),
            ("5-", Wanted::Part(5..10)),
            ("-3", Wanted::Part(7..10)),
            ("-99", Wanted::Part(0..10)),
            ("5-99999999999999999999999", Wanted::Part(5..10)),
            ("10-", Wanted::Nothing),
            ("10-11", Wanted::Nothing),
            ("-0", Wanted::Nothing),
            ("5-2", Wanted::All),
            ("0-1,3-4", Wanted::All),
            ("-", Wanted::All),
            ("+1-2", Wanted::All),
            ("a-b", Wanted::All),
            ("5", Wanted::All),
        ] {
            assert_eq!(read(part, 10), expected, "{part}");
        }
        assert_eq!(read("-5", 0), Wanted::Nothing);
    }

    #[test]
    fn a_part_of_another_edition_is_not_sent() {
        let tags = Tags::new(UNIX_EPOCH, 10, "");
        let ask = |condition: Option<&str>| {
            let condition = condition.map(str::to_owned);
            let header = |name: &str| match name {
                "range" => Some(&b"bytes=2-3"[..]),
                "if-range" => condition.as_deref().map(str::as_bytes),
                _ => None,
            };
            wanted(header, 10, &tags)
        };
        for condition in [None, Some(tags.entity()), Some(tags.date())] {
            assert_eq!(ask(condition), Wanted::Part(2..4), "{condition:?}");
        }
        for condition in ["\"x\"", "*", "Sat, 01 Jan 2000 00:00:00 GMT"] {
            assert_eq!(ask(Some(condition)), Wanted::All, "{condition}");
        }
    }
}
