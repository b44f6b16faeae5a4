//! Requests for a file under a condition (RFC 9110, section 13).

use std::time::{SystemTime, UNIX_EPOCH};

/// What tells one edition of a file from another.
#[derive(Debug)]
pub(super) struct Tags {
    entity: String,
    date: String,
    /// Seconds; a date in a header has no more.
    modified: u64,
}

impl Tags {
    /// Of a file with this time and length, in this form.
    pub(super) fn new(modified: SystemTime, length: u64, form: &str) -> Self {
        let since = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
        let dash = if form.is_empty() { "" } else { "-" };
        let entity = format!("\"{:x}-{length:x}{dash}{form}\"", since.as_nanos());
        Self { entity, date: httpdate::fmt_http_date(modified.max(UNIX_EPOCH)), modified: since.as_secs() }
    }

    /// The entity tag, with its quotes.
    pub(super) fn entity(&self) -> &str {
        &self.entity
    }

    /// The time of the last change.
    pub(super) fn date(&self) -> &str {
        &self.date
    }

    /// Does a list of tags name this one? For a `weak` comparison tags may say that they are weak.
    pub(super) fn is_named(&self, list: &[u8], weak: bool) -> bool {
        list.split(|byte| *byte == b',').map(<[u8]>::trim_ascii).any(|tag| {
            let tag = if weak { tag.strip_prefix(b"W/").unwrap_or(tag) } else { tag };
            tag == b"*" || tag == self.entity.as_bytes()
        })
    }

    /// Has it not changed since the date of a header? None if that is no date.
    pub(super) fn is_unchanged_since(&self, date: &[u8]) -> Option<bool> {
        let date = httpdate::parse_http_date(str::from_utf8(date).ok()?).ok()?;
        Some(self.modified <= date.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs())
    }
}

/// What becomes of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    Send,
    /// The client has it already.
    NotModified,
    /// It is not what the client thinks.
    Failed,
}

/// Checks the conditions in the order of section 13.2.2.
pub(super) fn check<'a>(header: impl Fn(&str) -> Option<&'a [u8]>, tags: &Tags) -> Verdict {
    let is_expected = match (header("if-match"), header("if-unmodified-since")) {
        (Some(list), _) => tags.is_named(list, false),
        (None, Some(date)) => tags.is_unchanged_since(date).unwrap_or(true),
        (None, None) => true,
    };
    if !is_expected {
        return Verdict::Failed;
    }
    let is_known = match (header("if-none-match"), header("if-modified-since")) {
        (Some(list), _) => tags.is_named(list, true),
        (None, Some(date)) => tags.is_unchanged_since(date).unwrap_or(false),
        (None, None) => false,
    };
    if is_known { Verdict::NotModified } else { Verdict::Send }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn tags() -> Tags {
        Tags::new(UNIX_EPOCH + Duration::from_millis(1_000_000_000_500), 255, "")
    }

    fn verdict(name: &str, value: &str) -> Verdict {
        check(|asked| (asked == name).then_some(value.as_bytes()), &tags())
    }

    #[test]
    fn a_client_that_has_the_edition_gets_nothing() {
        let tag = tags().entity().to_owned();
        let day = tags().date().to_owned();
        for (name, value, expected) in [
            ("if-none-match", tag.as_str(), Verdict::NotModified),
            ("if-none-match", &format!("\"x\", W/{tag}"), Verdict::NotModified),
            ("if-none-match", "*", Verdict::NotModified),
            ("if-none-match", "\"x\"", Verdict::Send),
            ("if-modified-since", &day, Verdict::NotModified),
            ("if-modified-since", "Sat, 01 Jan 2000 00:00:00 GMT", Verdict::Send),
            ("if-modified-since", "yesterday", Verdict::Send),
            ("if-match", &tag, Verdict::Send),
            ("if-match", &format!("W/{tag}"), Verdict::Failed),
            ("if-match", "\"x\"", Verdict::Failed),
            ("if-unmodified-since", &day, Verdict::Send),
            ("if-unmodified-since", "Sat, 01 Jan 2000 00:00:00 GMT", Verdict::Failed),
        ] {
            assert_eq!(verdict(name, value), expected, "{name}: {value}");
        }
    }

    #[test]
    fn a_tag_counts_more_than_a_date() {
        let day = tags().date().to_owned();
        let header = |name: &str| match name {
            "if-none-match" => Some(&b"\"x\""[..]),
            "if-modified-since" => Some(day.as_bytes()),
            _ => None,
        };
        assert_eq!(check(header, &tags()), Verdict::Send);
    }
}
