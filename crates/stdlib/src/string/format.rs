//! `string::format`: `%s %d %f %x %X %o %%` with the flags `0`, `-` and `+`, a width and a precision.

use crate::text::{MAX_PADDED, check_length};
use vm::number::operand;
use vm::text::{char_count, chars, describe, push_text};
use vm::{Thrown, Value};

/// More decimals than any float has.
const MAX_PRECISION: usize = 1100;

/// What stands between `%` and the letter.
#[derive(Default)]
struct Spec {
    left: bool,
    zero: bool,
    plus: bool,
    width: usize,
    precision: Option<usize>,
}

/// The format with its places filled in.
pub(crate) fn format(format: &[u8], args: &[Value]) -> Result<Vec<u8>, Thrown> {
    let mut out = Vec::with_capacity(format.len());
    let mut args = args.iter();
    let mut rest = format;
    while let Some(at) = memchr::memchr(b'%', rest) {
        let (plain, place) = rest.split_at(at);
        out.extend_from_slice(plain);
        let (spec, letter, end) = parse(place)?;
        let shown = place.get(..end).unwrap_or(place);
        rest = place.get(end..).unwrap_or_default();
        match letter {
            Some(b'%') => out.push(b'%'),
            Some(letter @ (b's' | b'd' | b'f' | b'x' | b'X' | b'o')) => {
                let shown = String::from_utf8_lossy(shown);
                let Some(value) = args.next() else {
                    return Err(Thrown::error(format!("string::format(): '{shown}' has no argument left")));
                };
                push_field(&mut out, &spec, letter, value, &shown)?;
            }
            // Not one of ours: text that happens to hold a percent sign.
            Some(_) | None => out.extend_from_slice(shown),
        }
    }
    out.extend_from_slice(rest);
    Ok(out)
}

/// Reads `%…x`: what it says, its letter and its length.
fn parse(place: &[u8]) -> Result<(Spec, Option<u8>, usize), Thrown> {
    let mut spec = Spec::default();
    let mut at = 1;
    while let Some(flag) = place.get(at) {
        match flag {
            b'-' => spec.left = true,
            b'0' => spec.zero = true,
            b'+' => spec.plus = true,
            _ => break,
        }
        at += 1;
    }
    spec.width = number(place, &mut at);
    if place.get(at) == Some(&b'.') {
        at += 1;
        spec.precision = Some(number(place, &mut at));
    }
    if spec.precision.is_some_and(|precision| precision > MAX_PRECISION) {
        return Err(Thrown::error(format!("string::format(): a precision above {MAX_PRECISION}")));
    }
    let letter = place.get(at).copied();
    // A letter of several bytes is no letter of ours; its bytes follow as text.
    Ok((spec, letter, (at + usize::from(letter.is_some_and(|letter| letter.is_ascii()))).min(place.len())))
}

fn number(place: &[u8], at: &mut usize) -> usize {
    let mut number = 0_usize;
    while let Some(digit) = place.get(*at).filter(|byte| byte.is_ascii_digit()) {
        number = number.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
        *at += 1;
    }
    number
}

fn push_field(out: &mut Vec<u8>, spec: &Spec, letter: u8, value: &Value, shown: &str) -> Result<(), Thrown> {
    let mut sign: &[u8] = b"";
    let mut body = Vec::new();
    if letter == b's' {
        push_text(&mut body, value);
        if let Some(precision) = spec.precision {
            let len = chars(&body).take(precision).map(<[u8]>::len).sum();
            body.truncate(len);
        }
    } else {
        let number = operand(value).map_err(|_| {
            Thrown::error(format!("string::format(): '{shown}' needs a number, got {}", describe(value)))
        })?;
        let negative = if letter == b'f' { number.to_float() < 0.0 } else { number.to_int() < 0 };
        if matches!(letter, b'd' | b'f') {
            sign = if negative { b"-" } else { b"" };
            if spec.plus && !negative {
                sign = b"+";
            }
        }
        let text = match letter {
            b'd' => number.to_int().unsigned_abs().to_string(),
            b'x' => format!("{:x}", number.to_int()),
            b'X' => format!("{:X}", number.to_int()),
            b'o' => format!("{:o}", number.to_int()),
            _ => fixed(number.to_float().abs(), spec.precision.unwrap_or(6)),
        };
        body = text.into_bytes();
    }
    let fill = spec.width.saturating_sub(char_count(&body) + sign.len());
    let total = out.len().checked_add(fill).and_then(|len| len.checked_add(body.len() + sign.len()));
    check_length("string::format", total, MAX_PADDED.max(out.len() + body.len() + sign.len()))?;
    let zeros = spec.zero && !spec.left && letter != b's' && body.first().is_some_and(u8::is_ascii_hexdigit);
    if !spec.left && !zeros {
        out.resize(out.len() + fill, b' ');
    }
    out.extend_from_slice(sign);
    if zeros {
        out.resize(out.len() + fill, b'0');
    }
    out.extend_from_slice(&body);
    if spec.left {
        out.resize(out.len() + fill, b' ');
    }
    Ok(())
}

fn fixed(value: f64, precision: usize) -> String {
    if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        "Infinity".to_owned()
    } else {
        format!("{value:.precision$}")
    }
}
