//! Substring search with little set-up: when the needle has a byte that is rare in text, a vectorised scan for that byte
//! and a comparison; otherwise `memmem`, which prepares itself for any needle.

use memchr::{memchr, memmem};

/// True for a byte that most texts hold seldom.
const fn is_rare(byte: u8) -> bool {
    !matches!(byte, b'a'..=b'z' | b' ' | b'0' | b'1' | b'\n' | b'"' | b',' | b'.' | 0x80..=0xbf | 0xc2..=0xc5)
}

/// False candidates that are tolerated before the scan gives up, and bytes of the needle that are looked at.
const MAX_MISSES: usize = 4;
const MAX_INSPECTED: usize = 16;

/// Byte offset of the first occurrence. Linear also for hostile texts.
pub(crate) fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    let mut from = 0;
    if let [byte] = needle {
        return memchr(*byte, haystack);
    }
    if let Some((offset, rare)) = needle.iter().enumerate().take(MAX_INSPECTED).find(|(_, byte)| is_rare(**byte)) {
        for _ in 0..MAX_MISSES {
            let start = from + memchr(*rare, haystack.get(from + offset..)?)?;
            if haystack.get(start..)?.starts_with(needle) {
                return Some(start);
            }
            from = start + 1;
        }
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
