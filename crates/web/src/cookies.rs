//! Cookies: what a `Cookie` header holds, and the value of a `Set-Cookie` header.
//!
//! Both are written as RFC 6265 has them, names and values percent-encoded, so that no text can end a value or add an attribute.
//! A name that was sent is compared with the encoded form of the wanted name instead of being decoded: else `__%48ost-id` would
//! pass for `__Host-id`, and the promise that browsers give about that prefix would be void.

use crate::form;
use std::borrow::Cow;
use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Bytes of a whole `Set-Cookie` value that every browser takes (RFC 6265, section 6.1).
pub(crate) const MAX_BYTES: usize = 4_096;

/// The last second that an HTTP date can name: Fri, 31 Dec 9999 23:59:59 GMT.
const LAST_SECOND: u64 = 253_402_300_799;

/// The value of cookie `name`, the first one if there are several: browsers send the one of the longest path first.
pub(crate) fn find<'a>(header: &'a [u8], name: &[u8]) -> Option<Cow<'a, [u8]>> {
    let encoded = encode_name(name);
    let (_, value) = pieces(header).find(|(sent, _)| *sent == name || *sent == encoded.as_ref())?;
    Some(decode_value(value))
}

/// Each cookie once, in the order they were sent.
pub(crate) fn all(header: &[u8]) -> Vec<form::Pair<'_>> {
    let decoded = pieces(header).map(|(name, value)| (decode_name(name), decode_value(value)));
    form::unique(decoded, |_, _| {})
}

/// When a cookie goes along with a request that another site caused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SameSite {
    /// Only when the user follows a link.
    Lax,
    /// Never.
    Strict,
    /// Always; browsers want [`Options::secure`] with it.
    None,
}

impl SameSite {
    /// The mode with this name, in upper or lower case.
    ///
    /// # Errors
    /// There is no such mode.
    pub(crate) fn from_name(name: &[u8]) -> Result<Self, InvalidCookie> {
        let all = [Self::Lax, Self::Strict, Self::None];
        let found = all.into_iter().find(|mode| mode.name().as_bytes().eq_ignore_ascii_case(name));
        found.ok_or_else(|| InvalidCookie::SameSite(shown(name)))
    }

    fn name(self) -> &'static str {
        match self {
            Self::Lax => "Lax",
            Self::Strict => "Strict",
            Self::None => "None",
        }
    }
}

/// For whom and for how long a cookie is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options<'a> {
    /// Seconds that the browser keeps it; zero or less means until the browser is closed.
    pub(crate) seconds: i64,
    /// Paths it is sent to begin with this one.
    pub(crate) path: &'a [u8],
    /// It is sent to this host and those below it; without, only to the host that set it.
    pub(crate) domain: Option<&'a [u8]>,
    /// Is it hidden from the scripts of the page?
    pub(crate) http_only: bool,
    /// Is it sent over HTTPS only?
    pub(crate) secure: bool,
    /// Without, the attribute is left out and the browser decides.
    pub(crate) same_site: Option<SameSite>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self { seconds: 0, path: b"/", domain: None, http_only: true, secure: false, same_site: Some(SameSite::Lax) }
    }
}

/// Why there can be no such cookie.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum InvalidCookie {
    NoName,
    Path(String),
    Domain(String),
    SameSite(String),
    /// `SameSite=None` without `Secure`.
    NoneIsNotSecure,
    /// The name begins with this prefix, and browsers would drop the cookie for the reason behind it.
    Prefix(&'static str, &'static str),
    /// The name, and how many bytes the whole cookie has.
    TooLarge(String, usize),
}

impl fmt::Display for InvalidCookie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoName => f.write_str("a cookie needs a name, this one is empty"),
            Self::Path(path) => {
                write!(
                    f,
                    "the cookie path \"{path}\" must begin with / and have only visible ASCII characters without ;"
                )
            }
            Self::Domain(domain) => {
                write!(f, "the cookie domain \"{domain}\" must be a host name of letters, digits, - and .")
            }
            Self::SameSite(mode) => write!(f, "samesite is \"{mode}\", it must be Lax, Strict or None"),
            Self::NoneIsNotSecure => {
                f.write_str("browsers drop a cookie with samesite None that is not secure: set secure to true as well")
            }
            Self::Prefix(prefix, rule) => write!(f, "browsers drop a cookie named {prefix}… {rule}"),
            Self::TooLarge(name, bytes) => write!(
                f,
                "the cookie \"{name}\" has {bytes} bytes with its attributes, browsers take {MAX_BYTES}: store the data \
                 in the session and only a key in the cookie"
            ),
        }
    }
}

impl std::error::Error for InvalidCookie {}

/// The value of the `Set-Cookie` header that makes a browser keep a cookie.
///
/// # Errors
/// Browsers would not keep it, or not as it was meant; see [`InvalidCookie`].
pub(crate) fn set(name: &[u8], value: &[u8], options: &Options<'_>, now: SystemTime) -> Result<Vec<u8>, InvalidCookie> {
    let lifetime = match u64::try_from(options.seconds) {
        Ok(seconds @ 1..) => {
            let now = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
            let seconds = seconds.min(LAST_SECOND.saturating_sub(now));
            let expires = UNIX_EPOCH + Duration::from_secs(now.saturating_add(seconds).min(LAST_SECOND));
            format!("; Expires={}; Max-Age={seconds}", httpdate::fmt_http_date(expires))
        }
        _ => String::new(),
    };
    build(name, value, &lifetime, options)
}

/// The value of the `Set-Cookie` header that makes a browser forget a cookie. Path and domain must be those it was set with.
///
/// # Errors
/// Browsers would ignore it; see [`InvalidCookie`].
pub(crate) fn delete(name: &[u8], options: &Options<'_>) -> Result<Vec<u8>, InvalidCookie> {
    build(name, b"", "; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0", options)
}

fn build(name: &[u8], value: &[u8], lifetime: &str, options: &Options<'_>) -> Result<Vec<u8>, InvalidCookie> {
    check(name, options)?;
    let mut cookie = Vec::with_capacity(name.len() + value.len() + 64);
    cookie.extend_from_slice(&encode_name(name));
    cookie.push(b'=');
    cookie.extend_from_slice(&form::encode_component(value, is_value_byte));
    cookie.extend_from_slice(b"; Path=");
    cookie.extend_from_slice(options.path);
    if let Some(domain) = options.domain {
        cookie.extend_from_slice(b"; Domain=");
        cookie.extend_from_slice(domain);
    }
    cookie.extend_from_slice(lifetime.as_bytes());
    if options.http_only {
        cookie.extend_from_slice(b"; HttpOnly");
    }
    if options.secure {
        cookie.extend_from_slice(b"; Secure");
    }
    if let Some(mode) = options.same_site {
        cookie.extend_from_slice(b"; SameSite=");
        cookie.extend_from_slice(mode.name().as_bytes());
    }
    if cookie.len() > MAX_BYTES {
        return Err(InvalidCookie::TooLarge(shown(name), cookie.len()));
    }
    Ok(cookie)
}

fn check(name: &[u8], options: &Options<'_>) -> Result<(), InvalidCookie> {
    if name.is_empty() {
        return Err(InvalidCookie::NoName);
    }
    let is_path_byte = |byte: &u8| matches!(*byte, b' '..=b'~') && *byte != b';';
    // Browsers take white space at the end away.
    if !options.path.starts_with(b"/") || !options.path.iter().all(is_path_byte) || options.path.ends_with(b" ") {
        return Err(InvalidCookie::Path(shown(options.path)));
    }
    if let Some(domain) = options.domain.filter(|domain| !is_host(domain)) {
        return Err(InvalidCookie::Domain(shown(domain)));
    }
    if options.same_site == Some(SameSite::None) && !options.secure {
        return Err(InvalidCookie::NoneIsNotSecure);
    }
    // RFC 6265bis, section 4.1.3; browsers compare without case.
    let has_prefix = |prefix: &str| name.get(..prefix.len()).is_some_and(|p| p.eq_ignore_ascii_case(prefix.as_bytes()));
    if has_prefix("__Secure-") && !options.secure {
        return Err(InvalidCookie::Prefix("__Secure-", "that is not secure: set secure to true"));
    }
    if has_prefix("__Host-") && (!options.secure || options.path != b"/" || options.domain.is_some()) {
        return Err(InvalidCookie::Prefix("__Host-", "unless secure is true, the path is / and no domain is given"));
    }
    Ok(())
}

/// A host name as RFC 1123 has it, with the leading dot that older programs write.
fn is_host(domain: &[u8]) -> bool {
    let domain = domain.strip_prefix(b".").unwrap_or(domain);
    let is_label = |label: &[u8]| {
        (1..=63).contains(&label.len())
            && label.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
            && !label.starts_with(b"-")
            && !label.ends_with(b"-")
    };
    domain.len() <= 253 && domain.split(|byte| *byte == b'.').all(is_label)
}

/// The characters of a token (RFC 9110, section 5.6.2).
fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$&'*+-.^_`|~".contains(&byte)
}

/// The characters of a cookie value (RFC 6265, section 4.1.1): visible ASCII without `"`, `,`, `;` and `\`.
fn is_value_byte(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"\",;\\".contains(&byte)
}

fn encode_name(name: &[u8]) -> Cow<'_, [u8]> {
    form::encode_component(name, is_name_byte)
}

/// A name as the program gave it; left as sent if no call of [`set`] would have written it so.
fn decode_name(sent: &[u8]) -> Cow<'_, [u8]> {
    let decoded = form::decode_component(sent, false);
    if encode_name(&decoded).as_ref() == sent { decoded } else { Cow::Borrowed(sent) }
}

fn decode_value(sent: &[u8]) -> Cow<'_, [u8]> {
    let inner = sent.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""));
    form::decode_component(inner.unwrap_or(sent), false)
}

/// The cookies as they were sent; what has no `=` is none.
fn pieces(header: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    header.split(|byte| *byte == b';').filter_map(|piece| {
        let equals = piece.iter().position(|byte| *byte == b'=')?;
        let name = piece.get(..equals)?.trim_ascii();
        let value = piece.get(equals + 1..)?.trim_ascii();
        (!name.is_empty()).then_some((name, value))
    })
}

/// For a message: one line, not too long.
fn shown(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    text.chars().take(60).flat_map(char::escape_debug).collect()
}

#[cfg(test)]
mod tests;
