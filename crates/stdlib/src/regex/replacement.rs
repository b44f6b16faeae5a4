//! Replacement texts: `$1`, `$&`, `` $` ``, `$'`, `$$` and `$<name>`.

use super::pattern::{Groups, Pattern};

/// A part of a replacement.
enum Piece<'a> {
    Text(&'a [u8]),
    Group(usize),
    /// What stands before the match.
    Before,
    /// What stands behind it.
    Behind,
}

/// A replacement, taken apart.
pub(super) struct Replacement<'a>(Vec<Piece<'a>>);

impl<'a> Replacement<'a> {
    /// Takes a text apart; what refers to nothing in the pattern stays as it is.
    pub(super) fn new(text: &'a [u8], pattern: &Pattern) -> Self {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some(at) = memchr::memchr(b'$', rest) {
            let (plain, reference) = rest.split_at(at);
            pieces.push(Piece::Text(plain));
            let (piece, len) = parse(reference, pattern);
            pieces.push(piece);
            rest = reference.get(len..).unwrap_or_default();
        }
        pieces.push(Piece::Text(rest));
        pieces.retain(|piece| !matches!(piece, Piece::Text(b"")));
        Self(pieces)
    }

    /// True when it refers to groups other than the whole match.
    pub(super) fn needs_groups(&self) -> bool {
        self.0.iter().any(|piece| matches!(piece, Piece::Group(group) if *group > 0))
    }

    /// The parts of the text that replaces a match.
    pub(super) fn parts(&self, haystack: &'a [u8], groups: &Groups) -> impl Iterator<Item = &[u8]> {
        let whole = groups.first().cloned().flatten().unwrap_or_default();
        self.0.iter().map(move |piece| match piece {
            Piece::Text(text) => text,
            Piece::Group(group) => {
                let range = groups.get(*group).cloned().flatten();
                range.and_then(|range| haystack.get(range)).unwrap_or_default()
            }
            Piece::Before => haystack.get(..whole.start).unwrap_or_default(),
            Piece::Behind => haystack.get(whole.end..).unwrap_or_default(),
        })
    }
}

/// The piece that begins with a `$`, and its length.
fn parse<'a>(reference: &'a [u8], pattern: &Pattern) -> (Piece<'a>, usize) {
    let text = |len: usize| (Piece::Text(reference.get(..len).unwrap_or_default()), len);
    match reference.get(1) {
        Some(b'$') => (Piece::Text(b"$"), 2),
        Some(b'&') => (Piece::Group(0), 2),
        Some(b'`') => (Piece::Before, 2),
        Some(b'\'') => (Piece::Behind, 2),
        Some(b'<') if pattern.has_names() => {
            let name = reference.get(2..).unwrap_or_default();
            let Some(len) = memchr::memchr(b'>', name) else { return text(1) };
            let name = name.get(..len).and_then(|name| std::str::from_utf8(name).ok());
            match name.and_then(|name| pattern.group_named(name)) {
                Some(group) => (Piece::Group(group), len + 3),
                None => (Piece::Text(b""), len + 3),
            }
        }
        Some(first) if first.is_ascii_digit() => {
            let digit =
                |at: usize| reference.get(at).filter(|byte| byte.is_ascii_digit()).map(|byte| usize::from(byte - b'0'));
            let one = digit(1).unwrap_or(0);
            let exists = |group: &usize| (1..pattern.groups()).contains(group);
            if let Some(two) = digit(2).map(|second| one * 10 + second).filter(exists) {
                (Piece::Group(two), 3)
            } else if exists(&one) {
                (Piece::Group(one), 2)
            } else {
                text(1)
            }
        }
        _ => text(1),
    }
}
