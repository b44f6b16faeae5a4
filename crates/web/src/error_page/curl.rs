//! The command line that sends a request again.
//!
//! It is for the shells that people paste into (bash, zsh, ksh): plain words stand in single quotes, and only bytes that
//! could not be seen or would not survive a paste are written in `$'…'`. Secrets are left for the person to fill in.

use super::RequestShown;
use super::secret;
use super::visible;

/// Fields that belong to the connection (RFC 9110, 7.6.1) or that curl works out itself.
const LEFT_OUT: [&str; 13] = [
    "accept-encoding",
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// The file that the person has to make if the body is only known in part.
const BODY_FILE: &str = "body.bin";

/// The command line, without a line end at its end.
pub(crate) fn curl(request: &RequestShown) -> String {
    let mut words = Vec::new();
    let body = secret::body(request);
    let has_body = request.body_bytes > 0 || !body.is_empty();
    words.extend(method(request, has_body));
    words.extend(address(request));
    words.extend(headers(request, has_body));
    let mut before = String::new();
    // After a HEAD request curl would wait for a body of the response, unless it makes the request itself, without a body.
    if has_body && request.method != "HEAD" {
        if request.is_cut() {
            before = format!("# The request had {} bytes: put them into {BODY_FILE}.\n", request.body_bytes);
            words.push(format!("--data-binary @{BODY_FILE}"));
        } else if body.contains(&0) {
            // An argument cannot hold a zero byte.
            before = format!("printf {} | ", quote_format(&body));
            words.push("--data-binary @-".to_owned());
        } else if body.starts_with(b"@") {
            // To --data-binary this would be the name of a file.
            words.push(format!("--data-raw {}", quote(&body)));
        } else {
            words.push(format!("--data-binary {}", quote(&body)));
        }
    }
    format!("{before}curl {}", words.join(" \\\n  "))
}

/// The option that makes curl use the method, unless it would anyway.
fn method(request: &RequestShown, has_body: bool) -> Option<String> {
    match (request.method.as_str(), has_body) {
        ("HEAD", _) => Some("--head".to_owned()),
        ("GET", false) | ("POST", true) => None,
        (method, _) => Some(format!("-X {}", quote(method.as_bytes()))),
    }
}

/// The address and what keeps curl from changing it.
fn address(request: &RequestShown) -> Vec<String> {
    let scheme = if request.is_tls { "https" } else { "http" };
    let origin = format!("{scheme}://{}", host(request).unwrap_or(&request.server));
    let target = secret::target(request);
    let is_plain = target.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#' && byte != b'\\');
    if !target.starts_with('/') || !is_plain {
        // `*`, a whole address, or bytes that curl would refuse or change.
        let target = format!("--request-target {}", quote(target.as_bytes()));
        return vec![quote(format!("{origin}/").as_bytes()), target];
    }
    let mut words = vec![quote(format!("{origin}{target}").as_bytes())];
    if target.contains(['[', ']', '{', '}']) {
        words.push("--globoff".to_owned());
    }
    if target.contains("/.") {
        words.push("--path-as-is".to_owned());
    }
    words
}

/// The host that the request names, if it can stand in an address.
fn host(request: &RequestShown) -> Option<&str> {
    let host = str::from_utf8(request.header("host")?).ok()?;
    let is_host = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte);
    (!host.is_empty() && host.bytes().all(is_host)).then_some(host)
}

/// The fields of the request, and those taken away that curl would add.
fn headers(request: &RequestShown, has_body: bool) -> Vec<String> {
    let connection = String::from_utf8_lossy(request.header("connection").unwrap_or_default()).into_owned();
    let is_left_out = |name: &str| {
        LEFT_OUT.iter().any(|other| other.eq_ignore_ascii_case(name))
            || connection.split(',').any(|option| option.trim().eq_ignore_ascii_case(name))
    };
    let mut words = Vec::new();
    if request.header("host").is_some_and(|_| host(request).is_none()) {
        words.extend(request.header("host").map(|value| header("Host", value)));
    }
    let kept = request.headers.iter().filter(|(name, _)| !is_left_out(name));
    words.extend(kept.map(|(name, value)| header(name, &secret::header(name, value))));
    let added = ["Accept", "User-Agent", "Content-Type"].into_iter().take(if has_body { 3 } else { 2 });
    words.extend(added.filter(|name| request.header(name).is_none()).map(|name| format!("-H '{name}:'")));
    // What the browser can decode, curl may not: let it ask for what it can.
    if request.header("accept-encoding").is_some() {
        words.push("--compressed".to_owned());
    }
    words
}

/// The option for a field. No value: curl wants a semicolon, a colon would take the field away.
fn header(name: &str, value: &[u8]) -> String {
    let line =
        if value.is_empty() { format!("{name};").into_bytes() } else { [name.as_bytes(), b": ", value].concat() };
    // A line end would begin another field, and an argument cannot hold a zero byte.
    let line: Vec<u8> = line.into_iter().filter(|byte| !matches!(byte, b'\r' | b'\n' | 0)).collect();
    format!("-H {}", quote(&line))
}

/// Bytes as one word of the shell; zero bytes, which no word can hold, are left out.
fn quote(bytes: &[u8]) -> String {
    let text = str::from_utf8(bytes).ok().filter(|text| text.chars().all(is_plain));
    if let Some(text) = text {
        return format!("'{}'", text.replace('\'', "'\\''"));
    }
    let mut out = String::from("$'");
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\0' => {}
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                '\\' => out.push_str("\\\\"),
                // History expansion does not know this kind of quotes everywhere.
                '\'' | '!' => push_octal(&mut out, c),
                c if is_plain(c) => out.push(c),
                c => push_octal(&mut out, c),
            }
        }
        chunk.invalid().iter().for_each(|byte| out.push_str(&octal(*byte)));
    }
    out.push('\'');
    out
}

/// Bytes as a format of `printf`, which can write any of them.
fn quote_format(bytes: &[u8]) -> String {
    let mut out = String::from("'");
    for byte in bytes {
        match byte {
            b'\n' => out.push_str("\\n"),
            b'\\' => out.push_str("\\\\"),
            b'%' => out.push_str("%%"),
            // A leading `-` would be an option.
            b'\'' | b'!' | b'-' => out.push_str(&octal(*byte)),
            b' '..=b'~' => out.push(char::from(*byte)),
            byte => out.push_str(&octal(*byte)),
        }
    }
    out.push('\'');
    out
}

/// Can this character be seen, and does a paste keep it?
fn is_plain(c: char) -> bool {
    matches!(c, ' '..='~') || (!c.is_ascii() && c.is_alphanumeric() && !visible::is_hidden(c))
}

fn push_octal(out: &mut String, c: char) {
    c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| out.push_str(&octal(byte)));
}

/// Three digits always: a digit that follows is then not part of it.
fn octal(byte: u8) -> String {
    format!("\\{byte:03o}")
}

#[cfg(test)]
mod tests;
