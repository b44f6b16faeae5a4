//! JSON text to values, strictly as RFC 8259 has it, in one pass and without recursion.
//!
//! Finished values lie on one stack, open lists and maps on another; closing one moves its values off the first.
//! Objects mostly repeat: the parser remembers the shape last seen at each depth and compares keys with it where they
//! stand.

use super::error::{Cause, Failure, JsonError};
use super::scan::plain_run;
use vm::{List, Map, Shape, Str, Value};

/// Lists and maps may nest this deep.
pub const MAX_DEPTH: usize = 256;

/// Buffers above this many elements are given back after use.
const KEPT: usize = 1 << 16;

/// Parses a JSON text.
///
/// Numbers beyond 64 bits become strings of their digits, a repeated key keeps its first place and its last value, half
/// a surrogate pair becomes U+FFFD.
///
/// # Errors
/// The first place where the text is not JSON, not UTF-8, or nested deeper than [`MAX_DEPTH`].
pub fn parse(bytes: &[u8]) -> Result<Value, JsonError> {
    Parser::default().parse(bytes)
}

/// A parser that keeps its buffers, and what it knows of shapes, for the next text.
#[derive(Debug, Default)]
pub struct Parser {
    values: Vec<Value>,
    open: Vec<Open>,
    /// The shape last seen at each depth.
    shapes: Vec<Shape>,
    /// The string that is being unescaped.
    text: Vec<u8>,
}

/// A list or map that is not closed yet.
#[derive(Debug)]
struct Open {
    /// Where its values start on the stack.
    start: usize,
    keys: Keys,
    /// Where the next value belongs.
    place: Place,
}

#[derive(Debug)]
enum Keys {
    /// It is a list.
    List,
    /// So far as the first keys of the shape last seen at this depth; this many.
    Expected(usize),
    /// These.
    Known(Shape),
    /// More or odder keys than shapes are shared for: the map itself, which grows in place.
    Own(Map),
}

#[derive(Debug)]
enum Place {
    /// After the others.
    End,
    /// Over the value of a key that was there before.
    Over(usize),
    /// Under a key of [`Keys::Own`].
    Key(Str),
}

impl Parser {
    /// Parses a JSON text.
    ///
    /// # Errors
    /// As [`parse`].
    pub fn parse(&mut self, bytes: &[u8]) -> Result<Value, JsonError> {
        let mut scanner = Scanner { bytes, at: 0 };
        let result = self.run(&mut scanner).map_err(|cause| Failure { offset: scanner.at, cause }.locate(bytes));
        self.values.clear();
        self.open.clear();
        self.values.shrink_to(KEPT);
        self.text.shrink_to(KEPT);
        result
    }

    fn run(&mut self, scanner: &mut Scanner<'_>) -> Result<Value, Cause> {
        loop {
            let mut value = match scanner.token() {
                Some(b'"') => {
                    scanner.at += 1;
                    let (text, ascii) = scanner.string(&mut self.text)?;
                    let mut text = Str::new(text);
                    if ascii {
                        text.mark_ascii();
                    }
                    Value::from(text)
                }
                Some(b'-' | b'0'..=b'9') => scanner.number()?,
                Some(b'{') => {
                    self.enter(scanner, Keys::Expected(0))?;
                    if scanner.token() != Some(b'}') {
                        self.key(scanner, "a key in double quotes or '}'")?;
                        continue;
                    }
                    scanner.at += 1;
                    self.close()
                }
                Some(b'[') => {
                    self.enter(scanner, Keys::List)?;
                    if scanner.token() != Some(b']') {
                        continue;
                    }
                    scanner.at += 1;
                    self.close()
                }
                Some(b't') => scanner.word(b"true", Value::TRUE)?,
                Some(b'f') => scanner.word(b"false", Value::FALSE)?,
                Some(b'n') => scanner.word(b"null", Value::NULL)?,
                _ => return Err(Cause::Expected("a value")),
            };
            // A finished value may finish the list or map around it, and so on outwards.
            loop {
                let Some(open) = self.open.last_mut() else {
                    return match scanner.token() {
                        None => Ok(value),
                        Some(_) => Err(Cause::Expected("the end of the text")),
                    };
                };
                let is_list = matches!(open.keys, Keys::List);
                open.store(&mut self.values, value);
                match (scanner.token(), is_list) {
                    (Some(b','), true) => {
                        scanner.at += 1;
                        break;
                    }
                    (Some(b','), false) => {
                        scanner.at += 1;
                        scanner.token();
                        self.key(scanner, "a key in double quotes")?;
                        break;
                    }
                    (Some(b']'), true) | (Some(b'}'), false) => {
                        scanner.at += 1;
                        value = self.close();
                    }
                    (_, true) => return Err(Cause::Expected("',' or ']'")),
                    (_, false) => return Err(Cause::Expected("',' or '}'")),
                }
            }
        }
    }

    #[inline]
    fn enter(&mut self, scanner: &mut Scanner<'_>, keys: Keys) -> Result<(), Cause> {
        if self.open.len() >= MAX_DEPTH {
            return Err(Cause::Because("nested deeper than 256 levels"));
        }
        scanner.at += 1;
        self.open.push(Open { start: self.values.len(), keys, place: Place::End });
        if self.shapes.len() < self.open.len() {
            self.shapes.push(Shape::empty());
        }
        Ok(())
    }

    /// Reads a key and its colon.
    #[inline]
    fn key(&mut self, scanner: &mut Scanner<'_>, expected: &'static str) -> Result<(), Cause> {
        if scanner.peek() != Some(b'"') {
            return Err(Cause::Expected(expected));
        }
        scanner.at += 1;
        let depth = self.open.len().saturating_sub(1);
        let (key, _) = scanner.string(&mut self.text)?;
        if let (Some(open), Some(shape)) = (self.open.last_mut(), self.shapes.get(depth)) {
            open.choose(key, shape, &mut self.values);
        }
        if scanner.token() != Some(b':') {
            return Err(Cause::Expected("':'"));
        }
        scanner.at += 1;
        Ok(())
    }

    /// Closes the innermost list or map.
    #[inline]
    fn close(&mut self) -> Value {
        let depth = self.open.len().saturating_sub(1);
        let (Some(open), Some(last_shape)) = (self.open.pop(), self.shapes.get_mut(depth)) else {
            return Value::NULL;
        };
        let mut values = Vec::with_capacity(self.values.len() - open.start);
        values.extend(self.values.drain(open.start..));
        let shape = match open.keys {
            Keys::List => return Value::from(List::from(values)),
            Keys::Own(map) => return Value::from(map),
            Keys::Expected(len) if len == last_shape.len() => last_shape.clone(),
            Keys::Expected(len) => Shape::of(last_shape.keys().iter().take(len)),
            Keys::Known(shape) => {
                *last_shape = shape.clone();
                shape
            }
        };
        Value::from(Map::from_parts(shape, values))
    }
}

impl Open {
    /// Stores a finished value.
    #[inline(always)]
    fn store(&mut self, values: &mut Vec<Value>, value: Value) {
        if matches!(self.place, Place::End) {
            values.push(value);
        } else {
            self.store_in_place(values, value);
        }
    }

    #[cold]
    fn store_in_place(&mut self, values: &mut Vec<Value>, value: Value) {
        match (std::mem::replace(&mut self.place, Place::End), &mut self.keys) {
            (Place::Over(at), _) => {
                if let Some(old) = values.get_mut(self.start + at) {
                    *old = value;
                }
            }
            (Place::Key(key), Keys::Own(map)) => map.insert(key, value),
            _ => values.push(value),
        }
    }

    /// Finds the place of the value under `key`, which is read next.
    #[inline(always)]
    fn choose(&mut self, key: &[u8], last_shape: &Shape, values: &mut Vec<Value>) {
        if let Keys::Expected(len) = &mut self.keys
            && last_shape.keys().get(*len).is_some_and(|expected| expected.as_bytes() == key)
        {
            *len += 1;
        } else {
            self.choose_anew(key, last_shape, values);
        }
    }

    fn choose_anew(&mut self, key: &[u8], last_shape: &Shape, values: &mut Vec<Value>) {
        if let Keys::Expected(len) = self.keys {
            self.keys = Keys::Known(Shape::of(last_shape.keys().iter().take(len)));
        }
        match &mut self.keys {
            Keys::List | Keys::Expected(_) => {}
            Keys::Own(_) => self.place = Place::Key(Str::new(key)),
            Keys::Known(shape) => {
                if let Some(next) = shape.predicted(key) {
                    *shape = next;
                } else if let Some(at) = shape.find(key) {
                    self.place = Place::Over(at);
                } else {
                    let key = Str::new(key);
                    let next = shape.with(&key);
                    if next.is_interned() {
                        *shape = next;
                    } else {
                        self.keys = Keys::Own(Map::from_parts(shape.clone(), values.drain(self.start..).collect()));
                        self.place = Place::Key(key);
                    }
                }
            }
        }
    }
}

/// A place in the text.
struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Scanner<'a> {
    #[inline(always)]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Skips white space and shows the byte after it.
    #[inline(always)]
    fn token(&mut self) -> Option<u8> {
        loop {
            match self.peek() {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                other => return other,
            }
        }
    }

    /// The text from `start` to here.
    fn since(&self, start: usize) -> &str {
        self.bytes.get(start..self.at).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or("")
    }

    fn word(&mut self, word: &[u8], value: Value) -> Result<Value, Cause> {
        if self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(word)) {
            self.at += word.len();
            Ok(value)
        } else {
            Err(Cause::Expected("a value"))
        }
    }

    #[inline]
    fn number(&mut self) -> Result<Value, Cause> {
        let start = self.at;
        let negative = self.peek() == Some(b'-');
        self.at += usize::from(negative);
        let first = self.at;
        let mut value = 0_i64;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            value = value.wrapping_mul(10).wrapping_add(i64::from(digit - b'0'));
            self.at += 1;
        }
        let digits = self.at - first;
        if digits == 0 {
            return Err(Cause::Expected("a digit"));
        }
        if digits > 1 && self.bytes.get(first) == Some(&b'0') {
            self.at = first;
            return Err(Cause::Because("a number must not start with a needless 0"));
        }
        match self.peek() {
            Some(b'.' | b'e' | b'E') => self.float(start),
            // 18 digits cannot overflow.
            _ if digits <= 18 => Ok(Value::int(if negative { -value } else { value })),
            _ => {
                let text = self.since(start);
                Ok(text.parse().map_or_else(|_too_large| Value::str(text), Value::int))
            }
        }
    }

    /// The rest of a number that has a fraction or an exponent.
    fn float(&mut self, start: usize) -> Result<Value, Cause> {
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        let text = self.since(start);
        let value: f64 = text.parse().map_err(|_unexpected| Cause::Because("not a number"))?;
        Ok(if value.is_finite() { Value::float(value) } else { Value::str(text) })
    }

    fn digits(&mut self) -> Result<(), Cause> {
        if !self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            return Err(Cause::Expected("a digit"));
        }
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        Ok(())
    }

    /// A string after its opening quote, and whether it is ASCII. `text` holds it when it has escapes.
    #[inline]
    fn string<'b>(&mut self, text: &'b mut Vec<u8>) -> Result<(&'b [u8], bool), Cause>
    where
        'a: 'b,
    {
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        let run = plain_run(rest);
        match rest.split_at_checked(run.len) {
            Some((plain, [b'"', ..])) => {
                if !run.ascii {
                    self.check_utf8(plain)?;
                }
                self.at += run.len + 1;
                Ok((plain, run.ascii))
            }
            _ => self.escaped_string(text),
        }
    }

    fn escaped_string<'b>(&mut self, text: &'b mut Vec<u8>) -> Result<(&'b [u8], bool), Cause> {
        text.clear();
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or(&[]);
            let run = plain_run(rest);
            let plain = rest.get(..run.len).unwrap_or(rest);
            if !run.ascii {
                self.check_utf8(plain)?;
            }
            text.extend_from_slice(plain);
            self.at += run.len;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok((text, text.is_ascii()));
                }
                Some(b'\\') => {
                    self.at += 1;
                    self.escape(text)?;
                }
                Some(_) => return Err(Cause::Because("a control character in a string must be written as an escape")),
                None => return Err(Cause::Because("the string is not closed")),
            }
        }
    }

    fn check_utf8(&mut self, plain: &[u8]) -> Result<(), Cause> {
        std::str::from_utf8(plain).map(|_| ()).map_err(|error| {
            self.at += error.valid_up_to();
            Cause::Because("the text is not UTF-8")
        })
    }

    /// What follows a backslash.
    fn escape(&mut self, text: &mut Vec<u8>) -> Result<(), Cause> {
        let byte = match self.peek() {
            Some(byte @ (b'"' | b'\\' | b'/')) => byte,
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'r') => b'\r',
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b'u') => {
                self.at += 1;
                let c = self.code_point()?;
                text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                return Ok(());
            }
            _ => return Err(Cause::Expected("one of \"\\/bfnrtu after a backslash")),
        };
        self.at += 1;
        text.push(byte);
        Ok(())
    }

    /// The digits after `\\u`, with the second half of a surrogate pair if there is one.
    fn code_point(&mut self) -> Result<char, Cause> {
        let first = self.hex().ok_or(Cause::Expected("four hexadecimal digits"))?;
        if !(0xD800..0xDC00).contains(&first) {
            return Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        let after_first = self.at;
        if self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(b"\\u")) {
            self.at += 2;
            if let Some(second @ 0xDC00..0xE000) = self.hex() {
                let joined = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
                return Ok(char::from_u32(joined).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
        }
        self.at = after_first;
        Ok(char::REPLACEMENT_CHARACTER)
    }

    /// Four hexadecimal digits, skipped when they are there.
    fn hex(&mut self) -> Option<u32> {
        let digits = self.bytes.get(self.at..)?.first_chunk::<4>()?;
        let value = digits.iter().try_fold(0, |value, digit| Some(value * 16 + char::from(*digit).to_digit(16)?))?;
        self.at += 4;
        Some(value)
    }
}

#[cfg(test)]
mod tests;
