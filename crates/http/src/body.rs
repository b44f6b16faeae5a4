//! Bodies: counted and chunked bytes to the bytes that were meant.
//!
//! A decoder is fed with whatever has arrived and stops exactly at the end of the message: what follows is the next request.
//! The chunked form is read strictly (RFC 9112, section 7.1): line ends are CR LF, a size is hexadecimal digits.

use crate::field::{is_name_byte, is_value_byte};
use crate::head::{BodyLength, Refusal};
use crate::limits::Limits;
use crate::status::Status;

/// A body on its way in.
#[derive(Debug)]
pub(crate) enum Decoder {
    /// So many bytes are missing.
    Counted(u64),
    Chunked(Chunked),
}

/// How far decoding came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Progress {
    /// Bytes of the input that are done with.
    pub(crate) used: usize,
    /// Was the last of them the end of the message?
    pub(crate) is_done: bool,
}

pub(crate) const TOO_LARGE: Refusal = Refusal::new(Status::CONTENT_TOO_LARGE, "the request body is too large");

impl Decoder {
    pub(crate) fn new(length: BodyLength) -> Self {
        match length {
            BodyLength::Exactly(bytes) => Self::Counted(bytes),
            BodyLength::Chunked => Self::Chunked(Chunked::default()),
        }
    }

    /// Decodes from `input` to the end of `output`, at most `room` bytes.
    pub(crate) fn decode(
        &mut self,
        input: &[u8],
        output: &mut Vec<u8>,
        room: usize,
        limits: &Limits,
    ) -> Result<Progress, Refusal> {
        match self {
            Self::Counted(left) => {
                let used = copy(input, output, room, left);
                Ok(Progress { used, is_done: *left == 0 })
            }
            Self::Chunked(chunked) => chunked.decode(input, output, room, limits),
        }
    }
}

/// Moves what is there, what has room and what belongs to it; counts it off `left`.
fn copy(input: &[u8], output: &mut Vec<u8>, room: usize, left: &mut u64) -> usize {
    let wanted = usize::try_from(*left).unwrap_or(usize::MAX).min(room);
    let taken = input.get(..wanted).unwrap_or(input);
    output.extend_from_slice(taken);
    *left -= taken.len() as u64;
    taken.len()
}

/// Where in the chunked form the next byte stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// In the digits of a size; true if there was one.
    Size(bool),
    /// Behind the `;` of a size, whose text means nothing to us.
    Extension,
    SizeLineFeed,
    Data,
    DataReturn,
    DataLineFeed,
    /// At the start of a trailer field or of the last line.
    TrailerStart,
    TrailerName,
    TrailerValue,
    TrailerLineFeed,
    LastLineFeed,
    Done,
}

/// A body in the chunked form.
#[derive(Debug)]
pub(crate) struct Chunked {
    place: Place,
    /// Bytes of the current chunk that are missing; while its size is read, the size so far.
    left: u64,
    /// Bytes of all chunks that were announced.
    total: u64,
    /// Bytes of the current size line, or of all trailers.
    line: usize,
}

impl Default for Chunked {
    fn default() -> Self {
        Self { place: Place::Size(false), left: 0, total: 0, line: 0 }
    }
}

const BAD_SIZE: Refusal = Refusal::bad("a chunk size is malformed");
const BAD_END: Refusal = Refusal::bad("a chunk does not end with CR LF");
const BAD_TRAILER: Refusal = Refusal::bad("the trailer is malformed");

impl Chunked {
    fn decode(
        &mut self,
        input: &[u8],
        output: &mut Vec<u8>,
        room: usize,
        limits: &Limits,
    ) -> Result<Progress, Refusal> {
        let mut used = 0;
        let mut room = room;
        while self.place != Place::Done {
            let rest = input.get(used..).unwrap_or_default();
            if self.place == Place::Data {
                let copied = copy(rest, output, room, &mut self.left);
                used += copied;
                room -= copied;
                if self.left > 0 {
                    break;
                }
                self.place = Place::DataReturn;
                continue;
            }
            let Some(byte) = rest.first() else { break };
            self.place = self.step(*byte, limits)?;
            used += 1;
        }
        Ok(Progress { used, is_done: self.place == Place::Done })
    }

    /// Reads one byte that is not data.
    fn step(&mut self, byte: u8, limits: &Limits) -> Result<Place, Refusal> {
        self.line += 1;
        match self.place {
            Place::Size(_) | Place::Extension | Place::SizeLineFeed => self.step_size(byte, limits),
            Place::DataReturn if byte == b'\r' => Ok(Place::DataLineFeed),
            Place::DataLineFeed if byte == b'\n' => {
                self.line = 0;
                self.left = 0;
                Ok(Place::Size(false))
            }
            Place::DataReturn | Place::DataLineFeed => Err(BAD_END),
            Place::TrailerStart
            | Place::TrailerName
            | Place::TrailerValue
            | Place::TrailerLineFeed
            | Place::LastLineFeed => self.step_trailer(byte, limits),
            Place::Data | Place::Done => Ok(self.place),
        }
    }

    fn step_size(&mut self, byte: u8, limits: &Limits) -> Result<Place, Refusal> {
        if self.line > limits.chunk_line_bytes {
            return Err(Refusal::bad("a chunk size line is too long"));
        }
        match (self.place, byte) {
            (Place::Size(_), b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => {
                let digit = u64::from((byte as char).to_digit(16).unwrap_or(0));
                self.left = self.left.checked_mul(16).ok_or(BAD_SIZE)? | digit;
                Ok(Place::Size(true))
            }
            (Place::Size(true), b';') => Ok(Place::Extension),
            (Place::Size(true) | Place::Extension, b'\r') => Ok(Place::SizeLineFeed),
            (Place::Extension, _) if is_value_byte(byte) => Ok(Place::Extension),
            (Place::SizeLineFeed, b'\n') if self.left == 0 => {
                self.line = 0;
                Ok(Place::TrailerStart)
            }
            (Place::SizeLineFeed, b'\n') => {
                self.total = self.total.checked_add(self.left).ok_or(TOO_LARGE)?;
                if self.total > limits.body_bytes { Err(TOO_LARGE) } else { Ok(Place::Data) }
            }
            _ => Err(BAD_SIZE),
        }
    }

    /// Trailer fields are checked and dropped: nothing here may be said after the head.
    fn step_trailer(&mut self, byte: u8, limits: &Limits) -> Result<Place, Refusal> {
        if self.line > limits.trailer_bytes {
            return Err(Refusal::bad("the trailer is too long"));
        }
        match (self.place, byte) {
            (Place::TrailerStart, b'\r') => Ok(Place::LastLineFeed),
            (Place::LastLineFeed, b'\n') => Ok(Place::Done),
            (Place::TrailerStart | Place::TrailerName, _) if is_name_byte(byte) => Ok(Place::TrailerName),
            (Place::TrailerName, b':') => Ok(Place::TrailerValue),
            (Place::TrailerValue, b'\r') => Ok(Place::TrailerLineFeed),
            (Place::TrailerValue, _) if is_value_byte(byte) => Ok(Place::TrailerValue),
            (Place::TrailerLineFeed, b'\n') => Ok(Place::TrailerStart),
            _ => Err(BAD_TRAILER),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decodes `input` in pieces of `piece` bytes: body and number of bytes used, None if it is not complete.
    fn decode(input: &[u8], piece: usize) -> Result<Option<(Vec<u8>, usize)>, Refusal> {
        let limits = Limits { body_bytes: 1000, ..Limits::default() };
        let mut decoder = Decoder::new(BodyLength::Chunked);
        let (mut body, mut total) = (Vec::new(), 0);
        for part in input.chunks(piece) {
            let progress = decoder.decode(part, &mut body, usize::MAX, &limits)?;
            total += progress.used;
            if progress.is_done {
                return Ok(Some((body, total)));
            }
            assert_eq!(progress.used, part.len());
        }
        Ok(None)
    }

    #[test]
    fn chunks_are_joined_and_what_follows_is_left() {
        let input = b"3\r\nabc\r\n00A;name=\"v\"\r\n0123456789\r\n0\r\nX-Sum: 1\r\nY:\r\n\r\nGET /";
        for piece in 1..input.len() {
            let expected = (b"abc0123456789".to_vec(), input.len() - 5);
            assert_eq!(decode(input, piece), Ok(Some(expected)), "in pieces of {piece}");
        }
    }

    #[test]
    fn malformed_chunks_are_refused() {
        let cases: &[(&[u8], Refusal)] = &[
            (b"\r\n", BAD_SIZE),
            (b"g\r\n", BAD_SIZE),
            (b"-1\r\n", BAD_SIZE),
            (b"+1\r\n", BAD_SIZE),
            (b"0x1\r\n", BAD_SIZE),
            (b" 1\r\n", BAD_SIZE),
            (b"1 \r\n", BAD_SIZE),
            (b"1\n", BAD_SIZE),
            (b"1\rx", BAD_SIZE),
            (b";a\r\n", BAD_SIZE),
            (b"1;a\n", BAD_SIZE),
            (b"1;\0\r\n", BAD_SIZE),
            (b"10000000000000000\r\n", BAD_SIZE),
            (b"ffffffffffffffff\r\n", TOO_LARGE),
            (b"3e9\r\n", TOO_LARGE),
            (b"1\r\nab\r\n", BAD_END),
            (b"1\r\na\n", BAD_END),
            (b"1\r\na\r\r", BAD_END),
            (b"0\r\n\n", BAD_TRAILER),
            (b"0\r\n folded\r\n", BAD_TRAILER),
            (b"0\r\n: v\r\n", BAD_TRAILER),
            (b"0\r\nA : v\r\n", BAD_TRAILER),
            (b"0\r\nA: v\n", BAD_TRAILER),
            (b"0\r\nA: \0\r\n", BAD_TRAILER),
        ];
        for (input, refusal) in cases {
            for piece in [1, input.len()] {
                assert_eq!(decode(input, piece), Err(*refusal), "{}", input.escape_ascii());
            }
        }
        let long = [b"1;".as_slice(), &[b'x'; 300], b"\r\n"].concat();
        assert!(decode(&long, 7).is_err_and(|refusal| refusal.reason.contains("too long")));
        let many = [b"0\r\n".as_slice(), &b"A: b\r\n".repeat(2000)].concat();
        assert!(decode(&many, 11).is_err_and(|refusal| refusal.reason.contains("too long")));
    }

    #[test]
    fn decoding_stops_where_there_is_no_room() -> Result<(), Refusal> {
        let limits = Limits::default();
        for (length, input) in
            [(BodyLength::Exactly(6), &b"abcdefX"[..]), (BodyLength::Chunked, b"6\r\nabcdef\r\n0\r\n\r\n")]
        {
            let mut decoder = Decoder::new(length);
            let mut body = Vec::new();
            let first = decoder.decode(input, &mut body, 4, &limits)?;
            assert_eq!((body.as_slice(), first.is_done), (&b"abcd"[..], false));
            let second = decoder.decode(input.get(first.used..).unwrap_or_default(), &mut body, 4, &limits)?;
            assert_eq!((body.as_slice(), second.is_done), (&b"abcdef"[..], true));
        }
        Ok(())
    }
}
