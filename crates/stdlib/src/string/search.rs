//! Substring search with little set-up: a vectorised scan for the rarest byte of the needle and a comparison; when that
//! finds too many false candidates, `memmem`, which prepares itself for any needle.

use memchr::{memchr, memmem};

/// Bytes from the most common in text and markup downwards; all others are rarer.
const COMMON: &[u8] = b" etaoinsrhldcumfpgwybvk\n0123456789,.\"'=<>/-:;_()[]{}ETAOINSRHLDCUMFPGWYBVK";

/// How common each byte is; 0 for those that are not listed.
#[expect(clippy::indexing_slicing, reason = "evaluated at compile time, where an index out of range does not compile")]
const FREQUENCY: [u8; 256] = {
    let mut table = [0; 256];
    let mut at = 0;
    while at < COMMON.len() {
        table[COMMON[at] as usize] = (COMMON.len() - at) as u8;
        at += 1;
    }
    table
};

/// Bytes of the needle that are looked at.
const MAX_INSPECTED: usize = 16;
/// False candidates that are tolerated from the start, and one more for so many bytes that were passed.
const FREE_MISSES: usize = 4;
const BYTES_PER_MISS: usize = 64;

/// Byte offset of the first occurrence. Linear also for hostile texts.
pub(crate) fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    let Some(first) = needle.first() else { return Some(0) };
    let frequency = |byte: u8| FREQUENCY.get(byte as usize).copied().unwrap_or(0);
    let (mut offset, mut rare, mut least) = (0, *first, frequency(*first));
    for (at, byte) in needle.iter().enumerate().take(MAX_INSPECTED).skip(1) {
        if frequency(*byte) < least {
            (offset, rare, least) = (at, *byte, frequency(*byte));
        }
    }
    let (mut from, mut misses) = (0, 0);
    while misses <= FREE_MISSES + from / BYTES_PER_MISS {
        let start = from + memchr(rare, haystack.get(from + offset..)?)?;
        if haystack.get(start..)?.starts_with(needle) {
            return Some(start);
        }
        from = start + 1;
        misses += 1;
    }
    memmem::find(haystack.get(from..)?, needle).map(|at| from + at)
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn agrees_with_the_plain_definition() {
        let texts: [&[u8]; 9] = [
            b"",
            b"a",
            b"aaab",
            b"abcabcabd",
            b"xyz xyz xyw",
            b"\xff\xfe\xff",
            "çağ çay".as_bytes(),
            &[b'z'; 200],
            b"zq",
        ];
        for haystack in texts {
            for needle in texts {
                let plain = (0..=haystack.len())
                    .find(|at| haystack.iter().skip(*at).zip(needle).filter(|(a, b)| a == b).count() == needle.len());
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
