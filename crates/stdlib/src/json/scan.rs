//! Finding the end of plain text in a JSON string, eight bytes at a time.

/// How far a text goes on without anything that JSON escapes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Run {
    /// Bytes before the first quote, backslash or control character.
    pub(super) len: usize,
    /// True when all of them are ASCII.
    pub(super) ascii: bool,
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = ONES << 7;

/// True for the bytes that end a run.
fn ends_run(byte: u8) -> bool {
    byte == b'"' || byte == b'\\' || byte < 0x20
}

/// The high bit of each zero byte; exact up to and including the lowest one, which is all that is used.
fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word & HIGH
}

/// Measures the plain text at the start of `bytes`.
#[inline]
pub(super) fn plain_run(bytes: &[u8]) -> Run {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut seen = 0;
    for (index, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let quotes = zero_bytes(word ^ (ONES * u64::from(b'"')));
        let backslashes = zero_bytes(word ^ (ONES * u64::from(b'\\')));
        let controls = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
        let ends = quotes | backslashes | controls;
        if ends != 0 {
            let before = ends.trailing_zeros() / 8;
            seen |= word & ((1 << (before * 8)) - 1);
            return Run { len: index * 8 + before as usize, ascii: seen & HIGH == 0 };
        }
        seen |= word;
    }
    let tail = rest.iter().position(|byte| ends_run(*byte)).unwrap_or(rest.len());
    let ascii = seen & HIGH == 0 && rest.iter().take(tail).all(u8::is_ascii);
    Run { len: words.len() * 8 + tail, ascii }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_a_walk_over_the_bytes() {
        // Every byte at every place of a text that fills words and leaves a tail, beside bytes that could borrow from
        // it.
        for byte in 0..=u8::MAX {
            for neighbour in [b'a', 0x80, b'!', b'#', b'[', b']', 0x21, 0xff] {
                for at in 0..19 {
                    let mut text = [neighbour; 19];
                    if let Some(place) = text.get_mut(at) {
                        *place = byte;
                    }
                    let len = text.iter().position(|byte| ends_run(*byte)).unwrap_or(text.len());
                    let ascii = text.iter().take(len).all(u8::is_ascii);
                    assert_eq!(plain_run(&text), Run { len, ascii }, "byte {byte} at {at} in {neighbour}");
                }
            }
        }
        assert_eq!(plain_run(b""), Run { len: 0, ascii: true });
    }
}
