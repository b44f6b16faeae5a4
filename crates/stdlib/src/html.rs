//! Text and HTML: one escape for element content and quoted attributes, one for attributes of any kind.

use crate::text::check_length;
use vm::{MAX_STRING, Str, Thrown};

/// The entity for a byte that means something in HTML.
fn entity(byte: u8) -> Option<&'static str> {
    Some(match byte {
        b'&' => "&amp;",
        b'<' => "&lt;",
        b'>' => "&gt;",
        b'"' => "&quot;",
        b'\'' => "&#39;",
        b'`' => "&#96;",
        _ => return None,
    })
}

/// Appends text as element content or as the value of a quoted attribute.
pub fn push_escaped(out: &mut Vec<u8>, text: &[u8]) {
    for byte in text {
        match entity(*byte) {
            Some(entity) => out.extend_from_slice(entity.as_bytes()),
            None => out.push(*byte),
        }
    }
}

fn escape(text: &Str) -> Result<Str, Thrown> {
    if !text.as_bytes().iter().any(|byte| entity(*byte).is_some()) {
        return Ok(text.clone());
    }
    let mut out = Vec::with_capacity(text.len() + text.len() / 8 + 16);
    push_escaped(&mut out, text.as_bytes());
    check_length("html::escape", Some(out.len()), MAX_STRING)?;
    Ok(Str::from(out))
}

/// Where the tag or comment at the start of the text ends; none when it is only a `<`.
fn tag_len(text: &[u8]) -> Option<usize> {
    let end = |end: &[u8], from: usize| {
        let found = text.get(from..).and_then(|rest| memchr::memmem::find(rest, end));
        found.map_or(text.len(), |at| from + at + end.len())
    };
    if text.starts_with(b"<!--") {
        return Some(end(b"-->", 4));
    }
    let is_tag = text.get(1).is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, b'/' | b'!' | b'?'));
    is_tag.then(|| end(b">", 1))
}

fn strip(text: &Str) -> Str {
    let mut rest = text.as_bytes();
    if memchr::memchr(b'<', rest).is_none() {
        return text.clone();
    }
    let mut out = Vec::with_capacity(rest.len());
    while let Some(at) = memchr::memchr(b'<', rest) {
        let (plain, tag) = rest.split_at(at);
        out.extend_from_slice(plain);
        let len = tag_len(tag).unwrap_or_else(|| {
            out.push(b'<');
            1
        });
        rest = tag.get(len..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    Str::from(out)
}

/// Text in HTML.
#[macros::module(name = "html")]
pub mod builtins {
    use crate::text::{Text, check_length};
    use vm::{MAX_STRING, Str, Thrown};

    /// Text that shows as it is inside an element or a quoted attribute.
    ///
    /// ```look
    /// print(html::escape("<b> & \"q\""))   // &lt;b&gt; &amp; &quot;q&quot;
    /// ```
    #[builtin(pure)]
    fn escape(text: Text<'_>) -> Result<Str, Thrown> {
        super::escape(&text)
    }

    /// Text for an attribute, quoted or not: every ASCII character that is no letter or digit becomes `&#xHH;`.
    ///
    /// ```look
    /// print(html::attr("a b=c"))   // a&#x20;b&#x3D;c
    /// ```
    #[builtin(pure)]
    fn attr(text: Text<'_>) -> Result<Vec<u8>, Thrown> {
        let mut out = Vec::with_capacity(text.len() * 2);
        for byte in text.as_bytes() {
            if byte.is_ascii_alphanumeric() || !byte.is_ascii() {
                out.push(*byte);
            } else {
                out.extend_from_slice(format!("&#x{byte:02X};").as_bytes());
            }
        }
        check_length("html::attr", Some(out.len()), MAX_STRING)?;
        Ok(out)
    }

    /// The text without tags and comments; a `<` that begins no tag stays.
    ///
    /// ```look
    /// print(html::strip("<p>1 < 2 <!-- > --> <b>ok</b></p>"))   // 1 < 2  ok
    /// ```
    #[builtin(pure)]
    fn strip(text: Text<'_>) -> Str {
        super::strip(&text)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{call, text};
    use vm::{Str, Value};

    #[test]
    fn escapes_what_means_something() {
        let escaped = text("html", "escape", vec![Value::str("é<>&\"'`x")]);
        assert_eq!(escaped, "é&lt;&gt;&amp;&quot;&#39;&#96;x");
        assert_eq!(text("html", "escape", vec![Value::int(5)]), "5");
        assert_eq!(text("html", "attr", vec![Value::str("é\n\"a0\0")]), "é&#x0A;&#x22;a0&#x00;");
        let broken = call("html", "escape", vec![Value::str(b"\xff<")]).expect("escapes");
        assert_eq!(broken.as_str().map(Str::as_bytes), Some(&b"\xff&lt;"[..]));
    }

    #[test]
    fn strip_knows_tags_from_text() {
        for (given, stripped) in [
            ("<a href='x'>link</a>", "link"),
            ("a < b > c", "a < b > c"),
            ("x<!-- <b> -->y", "xy"),
            ("x<!-- open", "x"),
            ("x<b", "x"),
            ("<", "<"),
            ("<!DOCTYPE html>x<?php y ?>", "x"),
            ("<<b>>", "<>"),
            ("", ""),
        ] {
            assert_eq!(text("html", "strip", vec![Value::str(given)]), stripped);
        }
    }
}
