//! The fields of a response, held in the form they have on the wire.
//!
//! A name or value is checked when it is set, so nothing that a program says can end a line: a response cannot be split.

use std::fmt;

/// Fields that say where a message ends or belong to the connection: the connection layer alone writes them.
const RESERVED: [&str; 9] = [
    "connection",
    "content-length",
    "date",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Why a field was not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InvalidField {
    /// The name is empty or has a character that a name cannot have.
    Name,
    /// The value has a control character, such as the end of a line.
    Value,
    /// The server itself sets this field.
    Reserved,
}

impl fmt::Display for InvalidField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Name => "a header name consists of letters, digits and !#$%&'*+-.^_`|~",
            Self::Value => "a header value cannot contain line breaks or other control characters",
            Self::Reserved => "this header is set by the server itself",
        })
    }
}

impl std::error::Error for InvalidField {}

/// Header fields in the order they were added.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Fields {
    /// `Name: value\r\n` for each.
    lines: Vec<u8>,
}

impl Fields {
    /// No fields.
    #[must_use]
    pub const fn new() -> Self {
        Self { lines: Vec::new() }
    }

    /// Adds a field beside those of the same name. White space around the value is left out.
    ///
    /// # Errors
    /// Name or value cannot stand in a header, or the field is one the server sets.
    pub fn add(&mut self, name: &str, value: &[u8]) -> Result<(), InvalidField> {
        if name.is_empty() || !name.bytes().all(is_name_byte) {
            return Err(InvalidField::Name);
        }
        if RESERVED.iter().any(|reserved| reserved.eq_ignore_ascii_case(name)) {
            return Err(InvalidField::Reserved);
        }
        if !value.iter().copied().all(is_value_byte) {
            return Err(InvalidField::Value);
        }
        self.lines.extend_from_slice(name.as_bytes());
        self.lines.extend_from_slice(b": ");
        self.lines.extend_from_slice(value.trim_ascii());
        self.lines.extend_from_slice(b"\r\n");
        Ok(())
    }

    /// Adds a field in place of all of the same name.
    ///
    /// # Errors
    /// As [`Fields::add`]; then the old ones stay.
    pub fn set(&mut self, name: &str, value: &[u8]) -> Result<(), InvalidField> {
        let end = self.lines.len();
        self.add(name, value)?;
        let added = self.lines.split_off(end);
        self.remove(name);
        self.lines.extend_from_slice(&added);
        Ok(())
    }

    /// Adds all fields of another list.
    pub fn append(&mut self, other: &Self) {
        self.lines.extend_from_slice(&other.lines);
    }

    /// Takes out all fields of this name; false if there were none.
    pub fn remove(&mut self, name: &str) -> bool {
        if self.get(name).is_none() {
            return false;
        }
        let mut kept = Self::new();
        for (other, value) in self.iter().filter(|(other, _)| !other.eq_ignore_ascii_case(name.as_bytes())) {
            kept.lines.extend_from_slice(other);
            kept.lines.extend_from_slice(b": ");
            kept.lines.extend_from_slice(value);
            kept.lines.extend_from_slice(b"\r\n");
        }
        *self = kept;
        true
    }

    /// The value of the first field of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.iter().find(|(other, _)| other.eq_ignore_ascii_case(name.as_bytes())).map(|(_, value)| value)
    }

    /// Names and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let lines = self.lines.split(|byte| *byte == b'\n');
        lines.filter_map(|line| {
            let line = line.strip_suffix(b"\r")?;
            let colon = memchr::memchr(b':', line)?;
            Some((line.get(..colon)?, line.get(colon + 2..)?))
        })
    }

    /// The fields as they stand in a response.
    pub(crate) fn lines(&self) -> &[u8] {
        &self.lines
    }
}

impl fmt::Debug for Fields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map()
            .entries(self.iter().map(|(n, v)| (n.escape_ascii().to_string(), v.escape_ascii().to_string())))
            .finish()
    }
}

/// May this byte stand in a field name (RFC 9110, token)?
pub(crate) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// May this byte stand in a field value?
pub(crate) fn is_value_byte(byte: u8) -> bool {
    byte == b'\t' || (byte >= b' ' && byte != 0x7f)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_line_is_refused() {
        let mut fields = Fields::new();
        for value in ["a\r\nSet-Cookie: b", "a\nb", "a\rb", "a\0b", "\r\n"] {
            assert_eq!(fields.add("X-Test", value.as_bytes()), Err(InvalidField::Value), "{value:?}");
        }
        for name in ["", "X Y", "X:", "X\r\n", "X\n", "é"] {
            assert_eq!(fields.add(name, b"v"), Err(InvalidField::Name), "{name:?}");
        }
        for name in ["Content-Length", "transfer-encoding", "CONNECTION", "Date"] {
            assert_eq!(fields.add(name, b"1"), Err(InvalidField::Reserved), "{name:?}");
        }
        assert_eq!(fields, Fields::new());
    }

    #[test]
    fn fields_keep_their_order_and_may_repeat() -> Result<(), InvalidField> {
        let mut fields = Fields::new();
        fields.add("Set-Cookie", b"a=1")?;
        fields.add("X-A", b" \t x \t")?;
        fields.add("set-cookie", b"b=2")?;
        assert_eq!(fields.lines(), b"Set-Cookie: a=1\r\nX-A: x\r\nset-cookie: b=2\r\n");
        assert_eq!(fields.get("x-a"), Some(&b"x"[..]));
        fields.set("SET-COOKIE", b"c=3")?;
        assert_eq!(fields.lines(), b"X-A: x\r\nSET-COOKIE: c=3\r\n");
        assert!(fields.remove("x-A"));
        assert!(!fields.remove("x-A"));
        assert_eq!(fields.iter().count(), 1);
        fields.set("X-Empty", b"")?;
        assert_eq!(fields.get("x-empty"), Some(&b""[..]));
        Ok(())
    }
}
