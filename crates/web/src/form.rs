//! Text of the form `name=value&name=value`, as queries and form bodies have it, and the percent encoding it is written in.
//!
//! The rules are those of `application/x-www-form-urlencoded` (URL standard, section 5.1) on bytes: nothing is malformed. A `%`
//! without two hexadecimal digits stays as written, a piece without `=` has an empty value, an empty piece is none. A name is
//! only a name: brackets in it mean nothing.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;

/// Pairs of one text that are read; those behind do not exist, so that a hostile client cannot make a map of millions.
pub(crate) const MAX_PAIRS: usize = 1_000;

/// A name and a value.
pub(crate) type Pair<'a> = (Cow<'a, [u8]>, Cow<'a, [u8]>);

/// Takes the percent encoding away. `plus_is_space` belongs to names and values of a form; in a path `+` is a plus.
///
/// Borrows where nothing was encoded.
pub(crate) fn decode_component(text: &[u8], plus_is_space: bool) -> Cow<'_, [u8]> {
    let is_plain = |byte: &u8| *byte != b'%' && (*byte != b'+' || !plus_is_space);
    if text.iter().all(is_plain) { Cow::Borrowed(text) } else { Cow::Owned(Decoded { text, plus_is_space }.collect()) }
}

/// Writes `text` with `%XX` for each byte that `keeps` does not want as it is; `%` itself is always written so.
pub(crate) fn encode_component(text: &[u8], keeps: impl Fn(u8) -> bool) -> Cow<'_, [u8]> {
    const DIGITS: [u8; 16] = *b"0123456789ABCDEF";
    let keeps = |byte: u8| byte != b'%' && keeps(byte);
    if text.iter().all(|byte| keeps(*byte)) {
        return Cow::Borrowed(text);
    }
    let mut encoded = Vec::with_capacity(text.len() * 2);
    for byte in text {
        if keeps(*byte) {
            encoded.push(*byte);
        } else {
            let digits = [byte >> 4, byte & 15].map(|digit| DIGITS.get(usize::from(digit)).copied().unwrap_or(b'0'));
            encoded.push(b'%');
            encoded.extend_from_slice(&digits);
        }
    }
    Cow::Owned(encoded)
}

/// The pairs in the order they were sent, duplicates included, at most [`MAX_PAIRS`].
pub(crate) fn pairs(text: &[u8]) -> impl Iterator<Item = Pair<'_>> {
    pieces(text).map(|(name, value)| (decode_component(name, true), decode_component(value, true)))
}

/// The value of `name`, the last one if it was sent several times.
pub(crate) fn find<'a>(text: &'a [u8], name: &[u8]) -> Option<Cow<'a, [u8]>> {
    let is_meant = |sent: &[u8]| Decoded { text: sent, plus_is_space: true }.eq(name.iter().copied());
    let (_, value) = pieces(text).filter(|(sent, _)| is_meant(sent)).last()?;
    Some(decode_component(value, true))
}

/// Each name once, at the place of its first and with the value of its last occurrence.
pub(crate) fn all(text: &[u8]) -> Vec<Pair<'_>> {
    unique(pairs(text), |kept, later| *kept = later)
}

/// Each name once, in the order of first occurrence; `merge` says what a later value does to the one that is there.
pub(crate) fn unique<N: Clone + Eq + Hash, V>(
    pairs: impl Iterator<Item = (N, V)>,
    merge: impl Fn(&mut V, V),
) -> Vec<(N, V)> {
    let mut list: Vec<(N, V)> = Vec::new();
    let mut positions = HashMap::new();
    for (name, value) in pairs {
        match positions.entry(name) {
            Entry::Vacant(vacant) => {
                list.push((vacant.key().clone(), value));
                vacant.insert(list.len() - 1);
            }
            Entry::Occupied(occupied) => {
                if let Some((_, kept)) = list.get_mut(*occupied.get()) {
                    merge(kept, value);
                }
            }
        }
    }
    list
}

/// The pairs as they were sent.
fn pieces(text: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    text.split(|byte| *byte == b'&').filter(|piece| !piece.is_empty()).take(MAX_PAIRS).map(|piece| {
        let equals = piece.iter().position(|byte| *byte == b'=');
        equals.and_then(|at| Some((piece.get(..at)?, piece.get(at + 1..)?))).unwrap_or((piece, b""))
    })
}

/// The bytes that an encoded text means.
struct Decoded<'a> {
    text: &'a [u8],
    plus_is_space: bool,
}

impl Iterator for Decoded<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.text.split_first()?;
        self.text = rest;
        match (*first, rest) {
            (b'+', _) if self.plus_is_space => Some(b' '),
            (b'%', [high, low, behind @ ..]) => match (digit(*high), digit(*low)) {
                (Some(high), Some(low)) => {
                    self.text = behind;
                    Some(high << 4 | low)
                }
                _ => Some(b'%'),
            },
            (byte, _) => Some(byte),
        }
    }
}

/// The value of a hexadecimal digit.
fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests;
