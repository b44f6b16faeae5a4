//! Text: parts, search, case, padding. Positions and lengths count code points; a byte that is not part of valid UTF-8
//! counts as one and is kept.
//!
//! ASCII strings know that they are, which makes positions in them plain byte offsets.

mod case;
mod format;
mod search;
#[cfg(test)]
mod tests;

use crate::random;
use crate::text::check_length;
use std::ops::Range;
use vm::text::{byte_offset, char_count, chars, push_text};
use vm::{MAX_STRING, Str, Thrown, Value, View};

pub(crate) use search::find;

/// Part of a text as a string that knows whether it is ASCII when the whole does.
pub(crate) fn part(text: &Str, range: Range<usize>) -> Str {
    if range == (0..text.len()) {
        return text.clone();
    }
    let mut part = Str::new(text.as_bytes().get(range).unwrap_or_default());
    if text.is_ascii() {
        part.mark_ascii();
    }
    part
}

/// Number of code points before a byte offset.
fn chars_before(text: &Str, offset: usize) -> usize {
    if text.is_ascii() { offset } else { char_count(text.as_bytes().get(..offset).unwrap_or_default()) }
}

/// Byte offset of a code point, or the length.
fn offset_of(text: &Str, index: usize) -> usize {
    if text.is_ascii() { index.min(text.len()) } else { byte_offset(text.as_bytes(), index) }
}

/// Appends within the limit for strings.
pub(crate) fn append(out: &mut Str, bytes: &[u8], function: &str) -> Result<(), Thrown> {
    check_length(function, Some(out.len() + bytes.len()), MAX_STRING)?;
    out.append(bytes);
    Ok(())
}

fn replace(text: &Str, search: &[u8], with: &[u8]) -> Result<Str, Thrown> {
    const NAME: &str = "string::replace";
    let bytes = text.as_bytes();
    if search.is_empty() {
        let mut out = Str::with_capacity(text.len());
        append(&mut out, with, NAME)?;
        for c in chars(bytes) {
            append(&mut out, c, NAME)?;
            append(&mut out, with, NAME)?;
        }
        return Ok(out);
    }
    let Some(first) = find(bytes, search) else { return Ok(text.clone()) };
    let mut out = Str::with_capacity(text.len());
    let mut done = 0;
    let finder = memchr::memmem::Finder::new(search);
    let mut next = Some(first);
    while let Some(at) = next {
        append(&mut out, bytes.get(done..at).unwrap_or_default(), NAME)?;
        append(&mut out, with, NAME)?;
        done = at + search.len();
        next = bytes.get(done..).and_then(|rest| finder.find(rest)).map(|at| done + at);
    }
    append(&mut out, bytes.get(done..).unwrap_or_default(), NAME)?;
    Ok(out)
}

/// The parts between separators; the last of at most `limit` parts is the whole rest.
fn split(text: &Str, separator: &[u8], limit: usize) -> Vec<Str> {
    let bytes = text.as_bytes();
    let mut parts = Vec::new();
    let mut done = 0;
    match separator {
        [] => {
            for c in chars(bytes).take(limit - 1) {
                parts.push(part(text, done..done + c.len()));
                done += c.len();
            }
            if done == bytes.len() {
                return parts;
            }
        }
        [byte] => {
            for at in memchr::memchr_iter(*byte, bytes).take(limit - 1) {
                parts.push(part(text, done..at));
                done = at + 1;
            }
        }
        _ => {
            for at in memchr::memmem::find_iter(bytes, separator).take(limit - 1) {
                parts.push(part(text, done..at));
                done = at + separator.len();
            }
        }
    }
    parts.push(part(text, done..bytes.len()));
    parts
}

/// `width` code points: the text and as much of the repeated `pad` as is missing.
fn padding(function: &str, text: &Str, width: i64, pad: &[u8]) -> Result<Vec<u8>, Thrown> {
    let pad = if pad.is_empty() { b" " } else { pad };
    let missing = usize::try_from(width).unwrap_or(0).saturating_sub(text.char_count());
    let (times, rest) = match char_count(pad) {
        0 => (0, 0),
        count => (missing / count, missing % count),
    };
    let len = pad.len().checked_mul(times).and_then(|len| len.checked_add(text.len() + pad.len()));
    check_length(function, len, crate::text::MAX_PADDED.max(text.len() + pad.len()))?;
    let mut padding = pad.repeat(times);
    padding.extend_from_slice(pad.get(..byte_offset(pad, rest)).unwrap_or_default());
    Ok(padding)
}

/// The kinds of space that trimming takes away.
fn is_space(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn trim(text: &Str, left: bool, right: bool) -> Str {
    let bytes = text.as_bytes();
    let spaces_left = if left { bytes.iter().take_while(|byte| is_space(byte)).count() } else { 0 };
    let rest = bytes.get(spaces_left..).unwrap_or_default();
    let spaces_right = if right { rest.iter().rev().take_while(|byte| is_space(byte)).count() } else { 0 };
    part(text, spaces_left..bytes.len() - spaces_right)
}

/// Letters and digits from the randomness of the operating system, each equally likely.
fn random_text(len: usize) -> Result<Vec<u8>, Thrown> {
    const LETTERS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let mut text = Vec::with_capacity(len);
    let mut bytes = [0; 64];
    while text.len() < len {
        random::fill("string::random", &mut bytes)?;
        // Bytes from 248 on would favour the first letters.
        let usable = bytes.iter().filter(|byte| **byte < 248);
        text.extend(usable.filter_map(|byte| LETTERS.get(usize::from(byte % 62))).take(len - text.len()));
    }
    Ok(text)
}

/// Text. Positions and lengths count characters (code points).
#[macros::module(name = "string")]
pub mod builtins {
    use super::{case, chars_before, check_length, find, format, join_values, offset_of, part};
    use crate::text::{MAX_PADDED, Text};
    use vm::text::chars;
    use vm::{Array, List, MAX_STRING, Str, Thrown, Value};

    /// The text in upper case, the same in every locale.
    ///
    /// ```look
    /// print(string::upper("istanbul"), string::upper("çay"))   // ISTANBUL ÇAY
    /// ```
    #[builtin(pure, alias = "::strtoupper")]
    fn upper(text: Text<'_>) -> Str {
        case::upper(&text)
    }

    /// The text in lower case, the same in every locale.
    ///
    /// ```look
    /// print(string::lower("ÇAY İ"))   // çay i
    /// ```
    #[builtin(pure, alias = "::strtolower")]
    fn lower(text: Text<'_>) -> Str {
        case::lower(&text)
    }

    /// The text without spaces, tabs and line ends at both ends.
    ///
    /// ```look
    /// print("[" . string::trim("  a b \n") . "]")   // [a b]
    /// ```
    #[builtin(pure)]
    fn trim(text: Text<'_>) -> Str {
        super::trim(&text, true, true)
    }

    /// The text without spaces, tabs and line ends at its start.
    ///
    /// ```look
    /// print("[" . string::ltrim("  a ") . "]")   // [a ]
    /// ```
    #[builtin(pure)]
    fn ltrim(text: Text<'_>) -> Str {
        super::trim(&text, true, false)
    }

    /// The text without spaces, tabs and line ends at its end.
    ///
    /// ```look
    /// print("[" . string::rtrim("  a ") . "]")   // [  a]
    /// ```
    #[builtin(pure)]
    fn rtrim(text: Text<'_>) -> Str {
        super::trim(&text, false, true)
    }

    /// The characters in reverse order.
    ///
    /// ```look
    /// print(string::reverse("abç"))   // çba
    /// ```
    #[builtin(pure)]
    fn reverse(text: Text<'_>) -> Vec<u8> {
        if text.is_ascii() {
            return text.as_bytes().iter().rev().copied().collect();
        }
        let characters: Vec<&[u8]> = chars(text.as_bytes()).collect();
        characters.into_iter().rev().flatten().copied().collect()
    }

    /// The text as part of a URL: lower case ASCII letters and digits with single dashes between words.
    ///
    /// ```look
    /// print(string::slugify("Merhaba Dünya! Işık & Ğ"))   // merhaba-dunya-isik-g
    /// ```
    #[builtin(pure)]
    fn slugify(text: Text<'_>) -> String {
        case::slugify(text.as_bytes())
    }

    /// The text with every occurrence of `search` replaced; an empty `search` stands between all characters.
    ///
    /// ```look
    /// print(string::replace("a-b-c", "-", "+"), string::replace("abc", "", "X"))   // a+b+c XaXbXcX
    /// ```
    #[builtin(pure)]
    fn replace(text: Text<'_>, search: Text<'_>, with: Text<'_>) -> Result<Str, Thrown> {
        super::replace(&text, search.as_bytes(), with.as_bytes())
    }

    /// True when `part` occurs in the text.
    ///
    /// ```look
    /// print(string::contains("haystack", "st"), string::contains("haystack", "x"))   // true false
    /// ```
    #[builtin(pure)]
    fn contains(text: Text<'_>, part: Text<'_>) -> bool {
        find(text.as_bytes(), part.as_bytes()).is_some()
    }

    /// True when the text begins with `part`.
    ///
    /// ```look
    /// print(string::starts_with("/admin/users", "/admin"))   // true
    /// ```
    #[builtin(pure)]
    fn starts_with(text: Text<'_>, part: Text<'_>) -> bool {
        text.as_bytes().starts_with(part.as_bytes())
    }

    /// True when the text ends with `part`.
    ///
    /// ```look
    /// print(string::ends_with("photo.jpg", ".jpg"))   // true
    /// ```
    #[builtin(pure)]
    fn ends_with(text: Text<'_>, part: Text<'_>) -> bool {
        text.as_bytes().ends_with(part.as_bytes())
    }

    /// `length` characters from `start` on, or all of them; a negative `start` counts from the end.
    ///
    /// ```look
    /// print(string::substr("çğüş", 1, 2), string::substr("abc", -2), string::substr("abc", 9) == "")   // ğü bc true
    /// ```
    #[builtin(pure)]
    fn substr(text: Text<'_>, start: i64, length: Option<i64>) -> Str {
        let start = match usize::try_from(start) {
            Ok(start) => start,
            Err(_) => text.char_count().saturating_sub(usize::try_from(start.unsigned_abs()).unwrap_or(usize::MAX)),
        };
        let from = offset_of(&text, start);
        let rest = text.len() - from;
        let length = length.map(|length| usize::try_from(length).unwrap_or(0));
        let taken = match length {
            None => rest,
            Some(length) if text.is_ascii() => length.min(rest),
            Some(length) => vm::text::byte_offset(text.as_bytes().get(from..).unwrap_or_default(), length),
        };
        part(&text, from..from + taken)
    }

    /// The parts between separators, at most `limit` of them; an empty separator splits into characters.
    ///
    /// ```look
    /// print(string::split("a,b,c", ","), string::split("a,b,c", ",", 2), string::split("çay", ""))   // [a, b, c] [a, b,c] [ç, a, y]
    /// ```
    #[builtin(pure)]
    fn split(text: Text<'_>, separator: Text<'_>, limit: Option<i64>) -> List {
        let limit = limit.filter(|limit| *limit > 0).and_then(|limit| usize::try_from(limit).ok());
        let parts = super::split(&text, separator.as_bytes(), limit.unwrap_or(usize::MAX));
        parts.into_iter().map(Value::from).collect()
    }

    /// The values of an array as one text with a separator between them.
    ///
    /// ```look
    /// print(string::join([1, "b", true], "-"))   // 1-b-true
    /// ```
    #[builtin(pure)]
    fn join(list: Array<'_>, separator: &[u8]) -> Result<Str, Thrown> {
        join_values(list.values(), separator)
    }

    /// The text `times` times in a row.
    ///
    /// ```look
    /// print(string::repeat("ab", 3))   // ababab
    /// ```
    #[builtin(pure)]
    fn repeat(text: Text<'_>, times: i64) -> Result<Vec<u8>, Thrown> {
        let Ok(times) = usize::try_from(times) else {
            return Err(Thrown::error(format!("string::repeat(): the count must not be negative, got {times}")));
        };
        check_length("string::repeat", text.len().checked_mul(times), MAX_STRING)?;
        Ok(text.as_bytes().repeat(if text.is_empty() { 0 } else { times }))
    }

    /// Position of the first occurrence of `part` in characters; -1 when there is none.
    ///
    /// ```look
    /// print(string::index_of("çab", "b"), string::index_of("abc", "z"))   // 2 -1
    /// ```
    #[builtin(pure)]
    fn index_of(text: Text<'_>, part: Text<'_>) -> i64 {
        find(text.as_bytes(), part.as_bytes()).map_or(-1, |at| chars_before(&text, at) as i64)
    }

    /// The number of characters.
    ///
    /// ```look
    /// print(string::len("çay"), string::length("abc"))   // 3 3
    /// ```
    #[builtin(pure, alias = "length")]
    fn len(text: Text<'_>) -> i64 {
        text.char_count() as i64
    }

    /// Bytes in a named character set as text in UTF-8; a set that is not known leaves them as they are.
    ///
    /// ```look
    /// print(string::decode("caf\u0065", "iso-8859-9"))   // cafe
    /// ```
    #[builtin(pure)]
    fn decode(bytes: &Str, charset: &Str) -> Result<Str, Thrown> {
        match encoding_rs::Encoding::for_label(charset.as_bytes()) {
            Some(encoding) if encoding != encoding_rs::UTF_8 => {
                check_length("string::decode", bytes.len().checked_mul(3), u32::MAX as usize)?;
                let (text, _) = encoding.decode_without_bom_handling(bytes.as_bytes());
                check_length("string::decode", Some(text.len()), MAX_STRING)?;
                Ok(Str::from(&*text))
            }
            _ => Ok(bytes.clone()),
        }
    }

    /// The text, filled on the left to `width` characters; never shortened.
    ///
    /// ```look
    /// print(string::pad_left("7", 3, "0"), string::pad_left("abcdef", 3))   // 007 abcdef
    /// ```
    #[builtin(pure)]
    fn pad_left(text: Text<'_>, width: i64, #[default = b" "] pad: &[u8]) -> Result<Str, Thrown> {
        let padding = super::padding("string::pad_left", &text, width, pad)?;
        Ok(Str::concat(&[&padding, text.as_bytes()]))
    }

    /// The text, filled on the right to `width` characters; never shortened.
    ///
    /// ```look
    /// print(string::pad_right("7", 3, "0") . "|")   // 700|
    /// ```
    #[builtin(pure)]
    fn pad_right(text: Text<'_>, width: i64, #[default = b" "] pad: &[u8]) -> Result<Str, Thrown> {
        let padding = super::padding("string::pad_right", &text, width, pad)?;
        Ok(Str::concat(&[text.as_bytes(), &padding]))
    }

    /// `length` random letters and digits that nobody can guess.
    ///
    /// ```look
    /// print(string::len(string::random(12)))   // 12
    /// ```
    #[builtin(reads)]
    fn random(#[default = 8] length: i64) -> Result<Vec<u8>, Thrown> {
        match usize::try_from(length) {
            Ok(length) => super::random_text(check_length("string::random", Some(length), MAX_PADDED)?),
            Err(_) => Err(Thrown::error(format!("string::random(): the length must not be negative, got {length}"))),
        }
    }

    /// Fills the places of a format: `%s` text, `%d` int, `%f` decimals, `%x` `%X` hex, `%o` octal, `%%` a percent sign.
    ///
    /// Between `%` and the letter may stand `0` (fill with zeros), `-` (fill on the right), `+` (always a sign), a width
    /// and a precision.
    ///
    /// ```look
    /// print(string::format("%s: %.2f (%05d, 0x%x)", "sum", 45.678, 42, 255))   // sum: 45.68 (00042, 0xff)
    /// ```
    #[builtin(pure)]
    fn format(format: Text<'_>, values: &mut [Value]) -> Result<Vec<u8>, Thrown> {
        let text = format::format(format.as_bytes(), values)?;
        check_length("string::format", Some(text.len()), MAX_STRING)?;
        Ok(text)
    }
}

/// Texts of values with a separator between them.
fn join_values(values: &[Value], separator: &[u8]) -> Result<Str, Thrown> {
    const NAME: &str = "string::join";
    let len = values.iter().map(|value| separator.len() + value.as_str().map_or(8, Str::len)).sum();
    check_length(NAME, Some(len), MAX_STRING)?;
    let mut out = Str::with_capacity(len);
    let mut buffer = Vec::new();
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            append(&mut out, separator, NAME)?;
        }
        if let View::Str(text) = value.view() {
            append(&mut out, text.as_bytes(), NAME)?;
        } else {
            buffer.clear();
            push_text(&mut buffer, value);
            append(&mut out, &buffer, NAME)?;
        }
    }
    Ok(out)
}

/// The one that needs no module.
#[macros::module(name = "")]
pub mod bare {
    use super::join_values;
    use vm::{Array, Str, Thrown};

    /// The values of an array as one text, with a separator between them if one is given.
    ///
    /// ```look
    /// print(join(["a", "b"]), join([1, 2], ", "))   // ab 1, 2
    /// ```
    #[builtin(pure)]
    fn join(list: Array<'_>, #[default = b""] separator: &[u8]) -> Result<Str, Thrown> {
        join_values(list.values(), separator)
    }
}
