//! Text: which of it is a page, a picture, a document or data.
//!
//! A page is found as browsers find one (MIME Sniffing standard, section 7.1), so that what a browser would show as a page never
//! counts as plain text. In front of the first element may stand what XML allows there: a declaration, comments, a document type.

use super::kind::{Kind, found};
use std::borrow::Cow;

/// The type of pictures that can hold scripts.
pub(super) const SVG_MIME: &str = "image/svg+xml";

/// The type of text of no other kind.
pub(super) const TEXT_MIME: &str = "text/plain";

static SVG: Kind = found(SVG_MIME, "svg", &[]);
static HTML: Kind = found("text/html", "html", &["application/xhtml+xml"]);
static XML: Kind = found("application/xml", "xml", &["text/xml"]);
static JSON: Kind = found("application/json", "json", &["text/json"]);

/// The other types are those that are plain text to anybody who looks at the bytes.
static TEXT: Kind = found(
    TEXT_MIME,
    "txt",
    &[
        "text/csv",
        "application/csv",
        "text/tab-separated-values",
        "text/markdown",
        "text/css",
        "text/calendar",
        "text/vcard",
        "text/yaml",
        "application/yaml",
        "application/toml",
        "application/sql",
    ],
);

/// Elements that begin a page for a browser.
const PAGE_TAGS: [&str; 16] = [
    "html", "head", "script", "iframe", "h1", "div", "font", "table", "a", "style", "title", "b", "body", "br", "p",
    "meta",
];

/// The kind of a text that begins with `head` and ends with `last`. None if it is no text.
pub(super) fn kind_of(head: &[u8], last: &[u8]) -> Option<&'static Kind> {
    let text = to_utf8(head);
    if !is_text(&text) {
        return None;
    }
    let start = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text).trim_ascii_start();
    let kind = match start {
        [b'<', ..] => markup_kind(start),
        [open @ (b'{' | b'['), behind @ ..] => is_json(*open, behind.trim_ascii_start(), last).then_some(&JSON),
        _ => None,
    };
    Some(kind.unwrap_or(&TEXT))
}

/// Has it none of the bytes that make browsers take a file for binary (MIME Sniffing standard, section 3)?
pub(super) fn is_text(bytes: &[u8]) -> bool {
    !bytes.iter().any(|byte| matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f))
}

/// UTF-16 as UTF-8 if a byte order mark says so. What cannot be decoded is replaced.
fn to_utf8(head: &[u8]) -> Cow<'_, [u8]> {
    let unit: fn([u8; 2]) -> u16 = match head {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return Cow::Borrowed(head),
    };
    let (pairs, _) = head.as_chunks::<2>();
    let text: String = char::decode_utf16(pairs.iter().skip(1).map(|pair| unit(*pair)))
        .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect();
    Cow::Owned(text.into_bytes())
}

/// An object or list that also ends so. The middle is the reader's business.
fn is_json(open: u8, behind: &[u8], last: &[u8]) -> bool {
    let close = if open == b'{' { b'}' } else { b']' };
    let begins = match behind.first() {
        Some(b'"') => true,
        Some(b'{' | b'[' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => open == b'[',
        Some(byte) => *byte == close,
        None => false,
    };
    begins && last.trim_ascii_end().last() == Some(&close)
}

/// The kind of what begins with `<`. None if it is only text that does.
fn markup_kind(start: &[u8]) -> Option<&'static Kind> {
    let is_declared = start.starts_with(b"<?xml");
    let mut rest = start;
    let mut doctype = None;
    let mut has_comment = false;
    loop {
        rest = rest.trim_ascii_start();
        let behind = if let Some(comment) = rest.strip_prefix(b"<!--") {
            has_comment = true;
            behind(comment, b"-->")
        } else if let Some(instruction) = rest.strip_prefix(b"<?") {
            behind(instruction, b"?>")
        } else if rest.get(..9).is_some_and(|word| word.eq_ignore_ascii_case(b"<!doctype")) {
            let declared = rest.get(9..).unwrap_or_default();
            doctype = Some(name(declared.trim_ascii_start()));
            behind_doctype(declared)
        } else {
            break;
        };
        rest = behind.unwrap_or_default();
    }
    let root = rest.strip_prefix(b"<").map(name).unwrap_or_default();
    let local = root.rsplit(|byte| *byte == b':').next().unwrap_or_default();
    let is_doctype = |wanted: &str| doctype.is_some_and(|name| name.eq_ignore_ascii_case(wanted.as_bytes()));
    if local == b"svg" || (is_doctype("svg") && root.is_empty()) {
        return Some(&SVG);
    }
    let is_page_tag = PAGE_TAGS.iter().any(|tag| local.eq_ignore_ascii_case(tag.as_bytes()));
    if is_doctype("html") || local.eq_ignore_ascii_case(b"html") || (is_page_tag && !is_declared) {
        return Some(&HTML);
    }
    if is_declared || doctype.is_some() {
        return Some(&XML);
    }
    has_comment.then_some(&HTML)
}

/// What stands behind the first `end`.
fn behind<'a>(text: &'a [u8], end: &[u8]) -> Option<&'a [u8]> {
    text.windows(end.len()).position(|window| window == end).and_then(|at| text.get(at + end.len()..))
}

/// What stands behind a document type, which may hold quotes and a list of declarations in brackets.
fn behind_doctype(text: &[u8]) -> Option<&[u8]> {
    let (mut quote, mut is_list) = (None, false);
    for (at, byte) in text.iter().enumerate() {
        match (quote, byte) {
            (Some(open), _) if open == *byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(*byte),
            (None, b'[') => is_list = true,
            (None, b']') => is_list = false,
            (None, b'>') if !is_list => return text.get(at + 1..),
            _ => {}
        }
    }
    None
}

/// The name at the start.
fn name(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|byte| !(byte.is_ascii_alphanumeric() || b":_-.".contains(byte) || *byte >= 0x80));
    text.get(..end.unwrap_or(text.len())).unwrap_or_default()
}
