//! Concatenation and appending.

use crate::heap::string::{MAX_STRING, Str};
use crate::memory;
use crate::text::{push_text, to_text};
use crate::throw::Thrown;
use crate::value::{Value, View, ViewMut};

/// Room for an int in decimal.
type IntBuffer = itoa::Buffer;

#[cold]
fn too_long() -> Thrown {
    Thrown::error(format!("String too long (max {MAX_STRING} bytes)"))
}

/// Asks for a string of `bytes`.
#[inline(always)]
fn ask(bytes: usize) -> Result<(), Thrown> {
    if bytes > MAX_STRING {
        return Err(too_long());
    }
    memory::ask(bytes)
}

/// A value's text without an allocation where that is possible.
enum Text<'a> {
    Bytes(&'a [u8]),
    Int(IntBuffer, i64),
    Made(Str),
}

impl<'a> Text<'a> {
    #[inline(always)]
    fn of(value: &'a Value) -> Self {
        match value.view() {
            View::Str(text) => Self::Bytes(text.as_bytes()),
            View::Int(value) => Self::Int(IntBuffer::new(), value),
            _ => Self::Made(to_text(value)),
        }
    }

    #[inline(always)]
    fn bytes(&mut self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Int(buffer, value) => buffer.format(*value).as_bytes(),
            Self::Made(text) => text.as_bytes(),
        }
    }
}

/// `left . right`
#[inline(never)]
pub(super) fn concat(left: &Value, right: &Value) -> Result<Value, Thrown> {
    let (mut left, mut right) = (Text::of(left), Text::of(right));
    let (left, right) = (left.bytes(), right.bytes());
    ask(left.len() + right.len())?;
    Ok(Value::from(Str::concat(&[left, right])))
}

/// Joins the texts of all parts.
#[inline(never)]
pub(super) fn concat_many(parts: &[Value]) -> Result<Value, Thrown> {
    // One pass to turn other values into text, one to copy; a part is at most `MAX_STRING` long, so sums do not overflow.
    let mut made: Vec<u8> = Vec::new();
    let total: usize = parts.iter().map(|part| part.as_str().map_or(24, Str::len)).sum();
    ask(total.saturating_sub(24 * parts.len()))?;
    if parts.iter().all(|part| part.as_str().is_some()) {
        let mut text = Str::with_capacity(total);
        for part in parts.iter().filter_map(Value::as_str) {
            text.append(part.as_bytes());
        }
        return Ok(Value::from(text));
    }
    made.reserve(total);
    for part in parts {
        push_text(&mut made, part);
    }
    if made.len() > MAX_STRING {
        return Err(too_long());
    }
    Ok(Value::from(Str::from(made)))
}

/// `place .= value`: in place when nobody else holds the string.
#[inline(never)]
pub(super) fn append(place: &mut Value, value: &Value) -> Result<(), Thrown> {
    if std::ptr::eq(place, value) {
        let doubled = concat(place, value)?;
        *place = doubled;
        return Ok(());
    }
    if !matches!(place.view(), View::Str(_)) {
        *place = Value::from(to_text(place));
    }
    let mut text = Text::of(value);
    let bytes = text.bytes();
    if let ViewMut::Str(string) = place.view_mut() {
        if string.len() + bytes.len() > MAX_STRING {
            return Err(too_long());
        }
        memory::ask(bytes.len())?;
        string.append(bytes);
    }
    Ok(())
}
