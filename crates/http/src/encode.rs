//! Responses in the form of the wire.
//!
//! The only place that writes a response head. How a body is framed follows from the exchange, never from the embedder.

use crate::clock::Date;
use crate::field::Fields;
use crate::status::Status;

/// What the request says about the form of its response.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Exchange {
    pub(crate) is_http10: bool,
    /// Was it a `HEAD` request, whose response has no body?
    pub(crate) is_head: bool,
    /// Does another request follow?
    pub(crate) keep_alive: bool,
}

/// How the end of a response body is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Framing {
    /// After so many bytes.
    Length(u64),
    Chunked,
    /// When the connection ends.
    UntilClose,
}

/// The interim response that asks for a body.
pub(crate) const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// The chunk that ends a body.
pub(crate) const LAST_CHUNK: &[u8] = b"0\r\n\r\n";

/// Writes a response head.
pub(crate) fn head(
    out: &mut Vec<u8>,
    status: Status,
    fields: &Fields,
    framing: Framing,
    exchange: Exchange,
    date: &Date,
) {
    if status == Status::OK {
        out.extend_from_slice(b"HTTP/1.1 200 OK\r\n");
    } else {
        out.extend_from_slice(b"HTTP/1.1 ");
        decimal(out, u64::from(status.code()));
        out.push(b' ');
        out.extend_from_slice(status.reason().as_bytes());
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(fields.lines());
    match framing {
        _ if status.is_bodyless() => {}
        Framing::Length(bytes) => {
            out.extend_from_slice(b"Content-Length: ");
            decimal(out, bytes);
            out.extend_from_slice(b"\r\n");
        }
        Framing::Chunked => out.extend_from_slice(b"Transfer-Encoding: chunked\r\n"),
        Framing::UntilClose => {}
    }
    if !exchange.keep_alive {
        out.extend_from_slice(b"Connection: close\r\n");
    } else if exchange.is_http10 {
        out.extend_from_slice(b"Connection: keep-alive\r\n");
    }
    out.extend_from_slice(b"Date: ");
    out.extend_from_slice(date);
    out.extend_from_slice(b"\r\n\r\n");
}

/// Writes a chunk of a body; none for no bytes, since that would end it.
pub(crate) fn chunk(out: &mut Vec<u8>, bytes: &[u8]) {
    if bytes.is_empty() {
        return;
    }
    let length = bytes.len();
    let digits = (usize::BITS - length.leading_zeros()).div_ceil(4);
    for place in (0..digits).rev() {
        let digit = u32::try_from((length >> (4 * place)) & 0xf).unwrap_or(0);
        out.push(char::from_digit(digit, 16).map_or(b'0', |digit| digit as u8));
    }
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(bytes);
    out.extend_from_slice(b"\r\n");
}

fn decimal(out: &mut Vec<u8>, number: u64) {
    let mut digits = [b'0'; 20];
    let mut left = number;
    let mut used = 0;
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (left % 10) as u8;
        left /= 10;
        used += 1;
        if left == 0 {
            break;
        }
    }
    out.extend_from_slice(digits.get(digits.len() - used..).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATE: &Date = b"Thu, 01 Jan 1970 00:00:00 GMT";

    fn written(status: Status, framing: Framing, exchange: Exchange) -> String {
        let mut out = Vec::new();
        head(&mut out, status, &Fields::new(), framing, exchange, DATE);
        String::from_utf8_lossy(&out).replace("\r\n", "|")
    }

    #[test]
    fn heads_say_how_the_message_ends() {
        let modern = Exchange { is_http10: false, is_head: false, keep_alive: true };
        let cases = [
            (Status::OK, Framing::Length(120), modern, "HTTP/1.1 200 OK|Content-Length: 120|"),
            (Status::NOT_FOUND, Framing::Length(0), modern, "HTTP/1.1 404 Not Found|Content-Length: 0|"),
            (Status::OK, Framing::Chunked, modern, "HTTP/1.1 200 OK|Transfer-Encoding: chunked|"),
            (Status::NO_CONTENT, Framing::Length(0), modern, "HTTP/1.1 204 No Content|"),
            (Status::NOT_MODIFIED, Framing::Length(10), modern, "HTTP/1.1 304 Not Modified|"),
            (
                Status::OK,
                Framing::UntilClose,
                Exchange { is_http10: true, is_head: false, keep_alive: false },
                "HTTP/1.1 200 OK|Connection: close|",
            ),
            (
                Status::OK,
                Framing::Length(u64::MAX),
                Exchange { is_http10: true, is_head: true, keep_alive: true },
                "HTTP/1.1 200 OK|Content-Length: 18446744073709551615|Connection: keep-alive|",
            ),
        ];
        for (status, framing, exchange, expected) in cases {
            assert_eq!(written(status, framing, exchange), format!("{expected}Date: Thu, 01 Jan 1970 00:00:00 GMT||"));
        }
        let unnamed = Status::new(299).map(|status| written(status, Framing::Length(1), modern));
        assert!(unnamed.is_some_and(|text| text.starts_with("HTTP/1.1 299 |")));
    }

    #[test]
    fn chunks_have_their_length_in_front() {
        let mut out = Vec::new();
        for length in [1, 15, 16, 255, 256, 4096] {
            out.clear();
            chunk(&mut out, &vec![b'x'; length]);
            assert_eq!(out, format!("{length:x}\r\n{}\r\n", "x".repeat(length)).into_bytes());
        }
        out.clear();
        chunk(&mut out, b"");
        assert!(out.is_empty());
    }
}
