//! Text arguments: a string as it is, a number or bool as it prints, and nothing else.
//!
//! `null` and arrays are refused, since what they print is hardly ever what was meant.

use bytecode::Ty;
use std::ops::Deref;
use vm::text::to_text;
use vm::{FromValue, Str, Thrown, Value, View};

/// The longest padded, repeated or formatted text that can only come from a mistaken number, in bytes.
pub(crate) const MAX_PADDED: usize = 10 << 20;

/// A text argument.
pub(crate) enum Text<'a> {
    /// The string that was passed.
    Given(&'a Str),
    /// The text of a number or bool.
    Made(Str),
}

impl Text<'_> {
    /// The string for keeping; shares the one that was passed.
    pub(crate) fn to_str(&self) -> Str {
        Str::clone(self)
    }
}

impl Deref for Text<'_> {
    type Target = Str;

    #[inline(always)]
    fn deref(&self) -> &Str {
        match self {
            Self::Given(text) => text,
            Self::Made(text) => text,
        }
    }
}

impl<'a> FromValue<'a> for Text<'a> {
    const TY: Ty = Ty::Str;

    #[inline(always)]
    fn from_value(value: &'a mut Value) -> Option<Self> {
        match value.view() {
            View::Str(text) => Some(Text::Given(text)),
            View::Int(_) | View::Float(_) | View::Bool(_) => Some(Text::Made(to_text(value))),
            View::Null | View::List(_) | View::Map(_) | View::Struct(_) | View::Function(_) | View::Handle(_) => None,
        }
    }
}

/// A result of `len` bytes, if a string may be that long.
///
/// # Errors
/// Names the function and the limit.
pub(crate) fn check_length(function: &str, len: Option<usize>, limit: usize) -> Result<usize, Thrown> {
    match len {
        Some(len) if len <= limit => vm::memory::ask(len).map(|()| len),
        _ => Err(Thrown::error(format!("{function}(): the result would be longer than {limit} bytes"))),
    }
}
