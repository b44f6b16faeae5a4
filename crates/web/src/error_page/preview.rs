//! A look into a body: text as text, anything else as bytes in hexadecimal.

use super::visible;

/// Bytes that are shown of a body that is no text.
const DUMPED: usize = 256;

/// The beginning of a body.
pub(super) enum Preview<'b> {
    /// There is none.
    Empty,
    /// It is text.
    Text(&'b str),
    /// It is not.
    Binary(&'b [u8]),
}

impl<'b> Preview<'b> {
    /// What these bytes are. The last character may be cut, since the bytes may be.
    pub(super) fn of(bytes: &'b [u8]) -> Self {
        if bytes.is_empty() {
            return Self::Empty;
        }
        let text = match str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) if error.error_len().is_none() && error.valid_up_to() > 0 => {
                bytes.get(..error.valid_up_to()).and_then(|valid| str::from_utf8(valid).ok()).unwrap_or_default()
            }
            Err(_) => return Self::Binary(bytes),
        };
        if text.contains('\0') { Self::Binary(bytes) } else { Self::Text(text) }
    }

    /// What to show.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Empty => String::new(),
            Self::Text(text) => visible::shorten(text).replace("\r\n", "\n"),
            Self::Binary(bytes) => dump(bytes),
        }
    }
}

/// Lines of sixteen bytes: offset, hexadecimal, ASCII.
fn dump(bytes: &[u8]) -> String {
    let lines = bytes.get(..DUMPED).unwrap_or(bytes).chunks(16).enumerate().map(|(index, line)| {
        let hexadecimal: String = line.iter().map(|byte| format!("{byte:02x} ")).collect();
        let ascii: String =
            line.iter().map(|byte| if matches!(byte, b' '..=b'~') { char::from(*byte) } else { '.' }).collect();
        format!("{:08x}  {hexadecimal:<48} {ascii}\n", index * 16)
    });
    let mut out: String = lines.collect();
    if bytes.len() > DUMPED {
        out.push_str("…\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_shown_as_text_even_if_its_last_character_is_cut() {
        assert_eq!(Preview::of(b"a\r\nb").text(), "a\nb");
        assert_eq!(Preview::of(b"caf\xc3").text(), "caf");
        assert_eq!(Preview::of(b"").text(), "");
    }

    #[test]
    fn other_bytes_are_dumped() {
        assert_eq!(
            Preview::of(b"\x89PNG\r\n\x1a\n\0").text(),
            "00000000  89 50 4e 47 0d 0a 1a 0a 00                       .PNG.....\n"
        );
        assert!(matches!(Preview::of(b"\xc3"), Preview::Binary(_)));
        assert!(matches!(Preview::of(b"a\xff"), Preview::Binary(_)));
        let long = Preview::of(&[0xff; 1000]).text();
        assert_eq!(long.lines().count(), DUMPED / 16 + 1);
    }
}
