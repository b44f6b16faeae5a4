//! The inside of strings: escapes, and the places where an interpolation may start.
//!
//! Both are decided in one pass, so that an escaped `$` or `{` can never start an interpolation.

use super::{Lexer, is_word_start, span};
use crate::error::{Findings, Problem, SyntaxError};
use crate::token::TokenKind;
use source::Span;

/// The three forms of strings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StringForm {
    /// `"…"`: escapes and interpolation.
    Double,
    /// `'…'`: escapes only.
    Single,
    /// `` `…` ``: interpolation only.
    Backtick,
}

/// How a piece of a string ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Piece {
    /// At the closing quote, which is passed.
    End,
    /// At a `{` that may start an interpolation, which is not passed.
    Brace,
}

impl StringForm {
    /// The form that an opening quote starts.
    pub(crate) fn of(quote: TokenKind) -> Option<Self> {
        match quote {
            TokenKind::DoubleQuote => Some(Self::Double),
            TokenKind::SingleQuote => Some(Self::Single),
            TokenKind::Backtick => Some(Self::Backtick),
            _ => None,
        }
    }

    /// The byte that ends it.
    pub(crate) fn quote(self) -> u8 {
        match self {
            Self::Double => b'"',
            Self::Single => b'\'',
            Self::Backtick => b'`',
        }
    }

    fn has_escapes(self) -> bool {
        self != Self::Backtick
    }

    fn interpolates(self) -> bool {
        self != Self::Single
    }

    /// `text` as this form of string means it, with nothing interpolated.
    pub(crate) fn unescape(self, text: &str) -> Vec<u8> {
        let mut out = Vec::with_capacity(text.len());
        let mut rest = text.as_bytes();
        while let Some((first, tail)) = rest.split_first() {
            if *first == b'\\' && self.has_escapes() {
                rest = rest.get(unescape_one(rest, self, &mut out)..).unwrap_or_default();
            } else {
                out.push(*first);
                rest = tail;
            }
        }
        out
    }
}

impl Lexer<'_> {
    /// Appends the text of a string to `out`, up to its end or to the next possible interpolation. `open` is the opening
    /// quote; none is returned, and an error found, when the string has no end.
    pub(crate) fn string_piece(
        &mut self,
        form: StringForm,
        open: Span,
        out: &mut Vec<u8>,
        findings: &mut Findings,
    ) -> Option<Piece> {
        loop {
            let is_plain = |byte| {
                byte != form.quote() && !(byte == b'\\' && form.has_escapes()) && !(byte == b'{' && form.interpolates())
            };
            let start = self.at;
            self.skip_while(is_plain);
            out.extend_from_slice(self.text.as_bytes().get(start..self.at).unwrap_or_default());
            match self.peek(0) {
                None => {
                    let line = self.line_of(open.start as usize);
                    let problem = match form {
                        StringForm::Backtick => Problem::UnterminatedRawString { line },
                        _ => Problem::UnterminatedString { line },
                    };
                    findings.add_last(SyntaxError::new(open, problem));
                    return None;
                }
                Some(b'\\') if form.has_escapes() => self.at += unescape_one(self.rest(), form, out),
                Some(b'{') if form.interpolates() => {
                    if self.peek(1).is_some_and(|byte| byte == b'$' || is_word_start(byte)) {
                        return Some(Piece::Brace);
                    }
                    self.pass_brace(out);
                }
                Some(_) => {
                    self.at += 1;
                    return Some(Piece::End);
                }
            }
        }
    }

    /// Takes the `{` of a piece as text.
    pub(crate) fn pass_brace(&mut self, out: &mut Vec<u8>) {
        self.at += 1;
        out.push(b'{');
    }

    /// Goes from the `{` of a piece into the expression behind it.
    pub(crate) fn enter_interpolation(&mut self) {
        self.at += 1;
        self.brackets.push(super::Bracket::Interpolation);
        self.last = TokenKind::LeftBrace;
        self.last_can_end = false;
    }

    /// Goes on with the text of a string at `at`, just behind the `}` of an interpolation.
    pub(crate) fn leave_interpolation(&mut self, at: u32) {
        self.at = at as usize;
    }

    /// Takes note that a string that began at `open` has ended here, and returns its span.
    pub(crate) fn end_string(&mut self, open: Span) -> Span {
        self.last = TokenKind::DoubleQuote;
        self.last_end = self.at;
        self.last_can_end = true;
        self.starts_line = false;
        Span::new(open.start, span(self.at, self.at).end)
    }
}

/// Appends what the escape at the start of `bytes` stands for and returns its length. An unknown escape stays as it is.
fn unescape_one(bytes: &[u8], form: StringForm, out: &mut Vec<u8>) -> usize {
    let byte = match bytes.get(1) {
        Some(b'n') => b'\n',
        Some(b't') => b'\t',
        Some(b'r') => b'\r',
        Some(b'b') => 0x08,
        Some(b'f') => 0x0c,
        Some(b'0') => 0x00,
        Some(c @ (b'\\' | b'"' | b'\'' | b'$')) => *c,
        Some(b'{') if form.interpolates() => b'{',
        Some(b'u') => {
            if let Some((c, length)) = unescape_unicode(bytes) {
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                return length;
            }
            b'\\'
        }
        _ => b'\\',
    };
    out.push(byte);
    let is_known = byte != b'\\' || bytes.get(1) == Some(&b'\\');
    if is_known { 2 } else { 1 }
}

/// The character of `\uXXXX`, or of a pair of surrogates so written, and its length. A lone surrogate is U+FFFD.
fn unescape_unicode(bytes: &[u8]) -> Option<(char, usize)> {
    const LENGTH: usize = "\\uXXXX".len();
    let unit = hex_unit(bytes)?;
    if let Some(c) = char::from_u32(unit) {
        return Some((c, LENGTH));
    }
    let second = bytes.get(LENGTH..).and_then(hex_unit).filter(|second| (0xdc00..0xe000).contains(second));
    match second {
        Some(second) if unit < 0xdc00 => {
            let code = 0x10000 + ((unit - 0xd800) << 10) + (second - 0xdc00);
            Some((char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 2 * LENGTH))
        }
        _ => Some((char::REPLACEMENT_CHARACTER, LENGTH)),
    }
}

/// The number in `\uXXXX`.
fn hex_unit(bytes: &[u8]) -> Option<u32> {
    let digits = bytes.strip_prefix(b"\\u")?.get(..4)?;
    digits.iter().try_fold(0, |value, digit| Some(value << 4 | char::from(*digit).to_digit(16)?))
}
