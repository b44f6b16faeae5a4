//! Substring search without set-up: a vectorised scan for the needle's rarest byte, then a comparison.
//!
//! Linear also for hostile texts: when the rare byte turns out to be common, the two-way search of `memmem` takes over.

use memchr::{memchr, memmem};

/// How common a byte is in text, roughly; fewer means rarer.
const fn commonness(byte: u8) -> u8 {
    match byte {
        b' ' | b'e' | b'a' | b't' | b'i' | b'n' | b'o' | b'r' | b's' | b'l' => 3,
        b'a'..=b'z' | 0xc2..=0xc5 | 0x80..=0xbf => 2,
        b'0'..=b'9' | b'\n' | b'"' | b',' | b'.' | b'/' | b'<' | b'>' | b'=' => 1,
        _ => 0,
    }
}

/// False candidates that are tolerated before the scan gives up.
const MAX_MISSES: usize = 24;

/// Byte offset of the first occurrence.
pub(crate) fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    let (&first, rest) = match needle.split_first() {
        Some(parts) => parts,
        None => return Some(0),
    };
    if rest.is_empty() {
        return memchr(first, haystack);
    }
    // One scan over the needle's start is enough to find a byte that is rare.
    let (offset, &rare) = needle.iter().enumerate().take(16).min_by_key(|(_, byte)| commonness(**byte))?;
    let mut from = 0;
    for _ in 0..MAX_MISSES {
        let start = from + memchr(rare, haystack.get(from + offset..)?)?;
        if haystack.get(start..)?.starts_with(needle) {
            return Some(start);
        }
        from = start + 1;
    }
    memmem::find(haystack.get(from..)?, needle).map(|at| from + at)
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn agrees_with_the_plain_definition() {
        let texts: [&[u8]; 9] =
            [b"", b"a", b"aaab", b"abcabcabd", b"xyz xyz xyw", b"\xff\xfe\xff", "çağ çay".as_bytes(), &[b'z'; 200], b"zq"];
        for haystack in texts {
            for needle in texts {
                let plain = (0..=haystack.len()).find(|at| haystack[*at..].starts_with(needle));
                assert_eq!(find(haystack, needle), plain, "{haystack:?} {needle:?}");
            }
        }
    }

    #[test]
    fn many_false_candidates_end_in_the_right_place() {
        let mut haystack = b"#x".repeat(500);
        haystack.extend_from_slice(b"#y!");
        assert_eq!(find(&haystack, b"#y"), Some(1000));
        assert_eq!(find(&haystack, b"#z"), None);
        assert_eq!(find(&haystack, b"!!"), None);
    }
}
