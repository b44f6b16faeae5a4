//! Which values are secret, by their names, and a request without them: a screenshot of the page, or the page in a chat,
//! must not give away a password.

use super::RequestShown;
use std::borrow::Cow;

/// Stands in the place of a secret.
pub(super) const HIDDEN: &str = "<hidden>";

/// Names that contain one of these, written without separators and in lower case, have secret values.
const PARTS: [&str; 22] = [
    "accesskey",
    "apikey",
    "assertion",
    "authoriz",
    "cardnumber",
    "cookie",
    "credential",
    "csrf",
    "parola",
    "passcode",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "pwd",
    "secret",
    "session",
    "sifre",
    "signature",
    "şifre",
    "token",
    "xsrf",
];

/// Names that have one of these as a whole word have secret values.
const WORDS: [&str; 13] = ["auth", "cvc", "cvv", "iban", "jwt", "otp", "pass", "pin", "pw", "sid", "sig", "ssn", "tan"];

/// Is the value of a header, parameter, field or variable of this name secret?
pub(crate) fn is_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    let letters: String = name.chars().filter(|c| c.is_alphanumeric()).collect();
    PARTS.iter().any(|part| letters.contains(part))
        || name.split(|c: char| !c.is_alphanumeric()).any(|word| WORDS.contains(&word))
}

/// A field of the request without what is secret in it. Of credentials the scheme stays, of cookies the names do.
pub(super) fn header<'v>(name: &str, value: &'v [u8]) -> Cow<'v, [u8]> {
    if name.eq_ignore_ascii_case("cookie") {
        return pairs(value, b';', |_| true);
    }
    if name.eq_ignore_ascii_case("referer") {
        return url(value);
    }
    if !is_secret(name) {
        return Cow::Borrowed(value);
    }
    let scheme = value.iter().position(|byte| *byte == b' ').and_then(|at| value.get(..at));
    let scheme = scheme.filter(|scheme| scheme.len() <= 12 && scheme.iter().all(u8::is_ascii_alphabetic));
    Cow::Owned(scheme.map_or_else(|| HIDDEN.into(), |scheme| [scheme, b" ", HIDDEN.as_bytes()].concat()))
}

/// A request target or address without secret parameters and without user and password.
pub(super) fn url(text: &[u8]) -> Cow<'_, [u8]> {
    let query = text.iter().position(|byte| *byte == b'?').map_or(text.len(), |at| at + 1);
    let (before, after) = text.split_at_checked(query).unwrap_or((text, b""));
    let host = find(before, b"://").map(|at| at + 3);
    let user = host.and_then(|host| {
        let end = before.iter().skip(host).position(|byte| *byte == b'/').map_or(before.len(), |at| host + at);
        let at = before.get(host..end)?.iter().rposition(|byte| *byte == b'@')?;
        Some(host..host + at)
    });
    let after = pairs(after, b'&', is_secret);
    match (user, after) {
        (None, Cow::Borrowed(_)) => Cow::Borrowed(text),
        (None, Cow::Owned(after)) => Cow::Owned([before, &after].concat()),
        (Some(user), after) => {
            let (head, tail) = (before.get(..user.start), before.get(user.end..));
            let parts = [head.unwrap_or_default(), HIDDEN.as_bytes(), tail.unwrap_or_default(), &after];
            Cow::Owned(parts.concat())
        }
    }
}

/// The request target without secret parameters.
pub(super) fn target(request: &RequestShown) -> String {
    String::from_utf8_lossy(&url(request.target.as_bytes())).into_owned()
}

/// The part of the body that is known, without secret fields of the formats that forms and programs send.
pub(super) fn body(request: &RequestShown) -> Cow<'_, [u8]> {
    let body = request.body.as_slice();
    let media = String::from_utf8_lossy(request.header("content-type").unwrap_or_default()).to_ascii_lowercase();
    let media = media.split(';').next().unwrap_or_default().trim();
    if media == "multipart/form-data" {
        return multipart(body);
    }
    if media == "application/x-www-form-urlencoded" {
        return pairs(body, b'&', is_secret);
    }
    // Whatever else: JSON is often sent without its media type, and what is no JSON has no such names.
    json(body)
}

/// `name=value` pairs with the values of those hidden that `hides`.
fn pairs(text: &[u8], separator: u8, hides: impl Fn(&str) -> bool) -> Cow<'_, [u8]> {
    let mut out = Vec::new();
    let mut is_changed = false;
    for (index, pair) in text.split(|byte| *byte == separator).enumerate() {
        if index > 0 {
            out.push(separator);
        }
        let name = pair.iter().position(|byte| *byte == b'=').and_then(|at| pair.get(..=at));
        match name {
            Some(name) if pair.len() > name.len() && hides(&decode(name)) => {
                out.extend_from_slice(name);
                out.extend_from_slice(HIDDEN.as_bytes());
                is_changed = true;
            }
            _ => out.extend_from_slice(pair),
        }
    }
    if is_changed { Cow::Owned(out) } else { Cow::Borrowed(text) }
}

/// A name with its `%xx` decoded.
fn decode(name: &[u8]) -> String {
    let mut out = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some((first, tail)) = rest.split_first() {
        let digits = (*first == b'%').then(|| tail.get(..2).and_then(|hex| str::from_utf8(hex).ok())).flatten();
        match digits.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => {
                out.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// JSON, or the beginning of it, with the values of secret keys hidden.
fn json(text: &[u8]) -> Cow<'_, [u8]> {
    let mut out = Vec::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        if *byte != b'"' {
            at += 1;
            continue;
        }
        let end = string_end(text, at);
        let name = text.get(at + 1..end.saturating_sub(1)).unwrap_or_default();
        let value = blanks_end(text, end);
        at = end;
        if text.get(value) == Some(&b':') && is_secret(&String::from_utf8_lossy(name)) {
            let start = blanks_end(text, value + 1);
            at = value_end(text, start);
            out.extend_from_slice(text.get(copied..start).unwrap_or_default());
            out.extend_from_slice(format!("\"{HIDDEN}\"").as_bytes());
            copied = at;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.extend_from_slice(text.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

/// One past the closing quote of the string that begins at `at`.
fn string_end(text: &[u8], at: usize) -> usize {
    let mut is_escaped = false;
    for (offset, byte) in text.iter().enumerate().skip(at + 1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return offset + 1,
            _ => {}
        }
    }
    text.len()
}

fn blanks_end(text: &[u8], at: usize) -> usize {
    let blanks = text.iter().skip(at).take_while(|byte| byte.is_ascii_whitespace()).count();
    (at + blanks).min(text.len())
}

/// One past the value that begins at `at`.
fn value_end(text: &[u8], at: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = at;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => {
                at = string_end(text, at);
                if depth == 0 {
                    return at;
                }
                continue;
            }
            b'[' | b'{' => depth += 1,
            b']' | b'}' if depth == 0 => return at,
            b']' | b'}' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            b',' if depth == 0 => return at,
            byte if byte.is_ascii_whitespace() && depth == 0 => return at,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// A multipart form with the contents of secret parts hidden. The delimiter is the first line of the body.
fn multipart(body: &[u8]) -> Cow<'_, [u8]> {
    let Some(delimiter) = find(body, b"\r\n").and_then(|end| body.get(..end)) else { return Cow::Borrowed(body) };
    if !delimiter.starts_with(b"--") {
        return Cow::Borrowed(body);
    }
    let delimiter = [b"\r\n", delimiter].concat();
    let mut out = Vec::with_capacity(body.len());
    let mut rest = body;
    loop {
        let part = rest.get(..find(rest, &delimiter).unwrap_or(rest.len())).unwrap_or_default();
        let content = find(part, b"\r\n\r\n").map(|at| at + 4);
        let (head, content) = content.and_then(|at| part.split_at_checked(at)).unwrap_or((part, b""));
        out.extend_from_slice(head);
        let is_hidden = !content.is_empty() && part_name(head).is_some_and(|name| is_secret(&name));
        out.extend_from_slice(if is_hidden { HIDDEN.as_bytes() } else { content });
        let Some(tail) = rest.get(part.len()..).filter(|tail| !tail.is_empty()) else { return Cow::Owned(out) };
        out.extend_from_slice(&delimiter);
        rest = tail.get(delimiter.len()..).unwrap_or_default();
    }
}

/// The `name` that a part's head gives it.
fn part_name(head: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(head);
    let lower = head.to_ascii_lowercase();
    // `filename=` also ends in `name=`.
    let (at, _) =
        lower.match_indices("name=").find(|(at, _)| !lower.get(..*at).is_some_and(|b| b.ends_with("file")))?;
    let value = head.get(at + "name=".len()..)?;
    let name = match value.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next()?,
        None => value.split([';', '\r', ' ']).next()?,
    };
    Some(name.to_owned())
}

/// Where `needle` first stands in `text`.
fn find(text: &[u8], needle: &[u8]) -> Option<usize> {
    text.windows(needle.len().max(1)).position(|window| window == needle)
}

#[cfg(test)]
mod tests;
