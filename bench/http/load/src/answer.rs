//! An answer as it arrives: finds its head and body in the bytes of a connection, and checks the body.

/// What every answer must be.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expected {
    /// The body, byte for byte.
    pub(crate) body: Option<Vec<u8>>,
    /// The status; any 2xx without it.
    pub(crate) status: Option<u16>,
    /// No body follows any head, as after HEAD.
    pub(crate) bodiless: bool,
}

/// One whole answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// The status is the expected one.
    pub(crate) status_fits: bool,
    /// The body is the expected one.
    pub(crate) body_fits: bool,
    /// The server will close the connection after it.
    pub(crate) closes: bool,
}

/// The bytes are no HTTP/1 answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

/// The state between two reads.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    state: State,
    /// The beginning of a head that came in pieces.
    head: Vec<u8>,
    status: u16,
    closes: bool,
    /// Bytes of body so far.
    received: usize,
    differs: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Head,
    Body(u64),
    ChunkSize {
        size: u64,
        digits: u8,
        extension: bool,
    },
    Chunk(u64),
    /// The line end after a chunk.
    ChunkEnd,
    /// After the last chunk, with the length of the current line.
    Trailer(u32),
    UntilClose,
}

const MOST_HEAD: usize = 65_536;
const MOST_FIELDS: usize = 64;

impl Reader {
    /// Takes bytes up to the end of one answer. Returns how many were used, and the answer if it is complete.
    ///
    /// # Errors
    /// When this cannot be an answer.
    pub(crate) fn feed(&mut self, input: &[u8], expected: &Expected) -> Result<(usize, Option<Answer>), Malformed> {
        let mut rest = input;
        loop {
            if self.state == State::Head {
                let Some(length) = self.read_head(rest, expected)? else { return Ok((input.len(), None)) };
                rest = rest.get(length..).unwrap_or_default();
            }
            let (used, complete) = self.read_body(rest, expected)?;
            rest = rest.get(used..).unwrap_or_default();
            if complete {
                // An interim answer only announces the real one (RFC 9110, 15.2).
                if (100..200).contains(&self.status) && self.status != 101 {
                    *self = Self::default();
                    continue;
                }
                return Ok((input.len() - rest.len(), Some(self.finish(expected))));
            }
            return Ok((input.len(), None));
        }
    }

    /// The server closed the connection. An answer whose body ends there is complete.
    pub(crate) fn end(&mut self, expected: &Expected) -> Option<Answer> {
        (self.state == State::UntilClose).then(|| self.finish(expected))
    }

    fn finish(&mut self, expected: &Expected) -> Answer {
        let answer = Answer {
            status_fits: expected.status.map_or((200..300).contains(&self.status), |status| status == self.status),
            body_fits: !self.differs && expected.body.as_ref().is_none_or(|body| body.len() == self.received),
            closes: self.closes,
        };
        *self = Self::default();
        answer
    }

    /// Returns the bytes of `input` that belong to the head once it is complete.
    fn read_head(&mut self, input: &[u8], expected: &Expected) -> Result<Option<usize>, Malformed> {
        let before = self.head.len();
        let whole = if before == 0 {
            input
        } else {
            self.head.extend_from_slice(input);
            &self.head
        };
        let mut fields = [httparse::EMPTY_HEADER; MOST_FIELDS];
        let mut response = httparse::Response::new(&mut fields);
        match response.parse(whole) {
            Ok(httparse::Status::Complete(length)) => {
                let head = Head::new(&response, expected.bodiless)?;
                self.status = head.status;
                self.closes = head.closes;
                self.state = head.body;
                self.head = Vec::new();
                Ok(Some(length.saturating_sub(before)))
            }
            Ok(httparse::Status::Partial) if whole.len() < MOST_HEAD => {
                if before == 0 {
                    self.head.extend_from_slice(input);
                }
                Ok(None)
            }
            _ => Err(Malformed),
        }
    }

    /// Returns the bytes used, and whether the body ended with them.
    fn read_body(&mut self, input: &[u8], expected: &Expected) -> Result<(usize, bool), Malformed> {
        let mut rest = input;
        loop {
            match self.state {
                State::Head => return Ok((0, false)),
                State::Body(0) => return Ok((input.len() - rest.len(), true)),
                State::UntilClose => {
                    self.compare(rest, expected);
                    return Ok((input.len(), false));
                }
                _ if rest.is_empty() => return Ok((input.len(), false)),
                State::Body(left) => {
                    let taken = self.take(&mut rest, left, expected);
                    self.state = State::Body(left - taken);
                }
                State::Chunk(left) => {
                    let taken = self.take(&mut rest, left, expected);
                    self.state = if taken == left { State::ChunkEnd } else { State::Chunk(left - taken) };
                }
                State::ChunkSize { .. } | State::ChunkEnd | State::Trailer(_) => {
                    if let Some((byte, after)) = rest.split_first() {
                        rest = after;
                        self.state = framing(self.state, *byte)?;
                    }
                }
            }
        }
    }

    fn take(&mut self, rest: &mut &[u8], left: u64, expected: &Expected) -> u64 {
        let length = usize::try_from(left).unwrap_or(usize::MAX).min(rest.len());
        let (taken, after) = rest.split_at_checked(length).unwrap_or((rest, &[]));
        self.compare(taken, expected);
        *rest = after;
        taken.len() as u64
    }

    fn compare(&mut self, piece: &[u8], expected: &Expected) {
        let end = self.received.saturating_add(piece.len());
        if let Some(body) = &expected.body {
            self.differs |= body.get(self.received..end) != Some(piece);
        }
        self.received = end;
    }
}

/// The next state after a byte between the pieces of a chunked body (RFC 9112, 7.1).
fn framing(state: State, byte: u8) -> Result<State, Malformed> {
    Ok(match (state, byte) {
        (State::ChunkSize { size, digits: 1.., .. }, b'\n') if size > 0 => State::Chunk(size),
        (State::ChunkSize { digits: 1.., .. }, b'\n') => State::Trailer(0),
        (State::ChunkSize { size, digits: digits @ 1.., extension }, b'\r' | b';' | b' ' | b'\t') => {
            State::ChunkSize { size, digits, extension: extension || byte != b'\r' }
        }
        (State::ChunkSize { extension: true, .. }, _) => state,
        (State::ChunkSize { size, digits: digits @ ..16, extension: false }, _) => {
            let digit = char::from(byte).to_digit(16).ok_or(Malformed)?;
            State::ChunkSize { size: size << 4 | u64::from(digit), digits: digits + 1, extension: false }
        }
        (State::ChunkEnd, b'\r') => State::ChunkEnd,
        (State::ChunkEnd, b'\n') => State::ChunkSize { size: 0, digits: 0, extension: false },
        (State::Trailer(0), b'\n') => State::Body(0),
        (State::Trailer(_), b'\n') => State::Trailer(0),
        (State::Trailer(length), b'\r') => State::Trailer(length),
        (State::Trailer(length), _) if (length as usize) < MOST_HEAD => State::Trailer(length + 1),
        _ => return Err(Malformed),
    })
}

/// What the head says of the rest.
struct Head {
    status: u16,
    closes: bool,
    body: State,
}

impl Head {
    fn new(response: &httparse::Response<'_, '_>, bodiless: bool) -> Result<Self, Malformed> {
        let status = response.code.ok_or(Malformed)?;
        // HTTP/1.0 closes unless it says otherwise.
        let mut closes = response.version == Some(0);
        let mut length = None;
        let mut chunked = false;
        for field in response.headers.iter() {
            if field.name.eq_ignore_ascii_case("content-length") {
                let text = std::str::from_utf8(field.value).map_err(|_| Malformed)?;
                length = Some(text.trim().parse().map_err(|_| Malformed)?);
            } else if field.name.eq_ignore_ascii_case("transfer-encoding") {
                chunked = field.value.to_ascii_lowercase().ends_with(b"chunked");
            } else if field.name.eq_ignore_ascii_case("connection") {
                closes = !field.value.eq_ignore_ascii_case(b"keep-alive")
                    && (closes || field.value.eq_ignore_ascii_case(b"close"));
            }
        }
        let body = if bodiless || matches!(status, 100..200 | 204 | 304) {
            State::Body(0)
        } else if chunked {
            State::ChunkSize { size: 0, digits: 0, extension: false }
        } else {
            length.map_or(State::UntilClose, State::Body)
        };
        Ok(Self { status, closes: closes || body == State::UntilClose, body })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expecting(body: &str) -> Expected {
        Expected { body: Some(body.as_bytes().to_vec()), ..Expected::default() }
    }

    /// Feeds `text` in pieces of `size` bytes; returns all answers.
    fn answers(text: &str, size: usize, expected: &Expected) -> Result<Vec<Answer>, Malformed> {
        let mut reader = Reader::default();
        let mut found = Vec::new();
        for mut piece in text.as_bytes().chunks(size) {
            while !piece.is_empty() {
                let (used, answer) = reader.feed(piece, expected)?;
                assert!(used > 0, "no progress");
                piece = &piece[used..];
                found.extend(answer);
            }
        }
        found.extend(reader.end(expected));
        Ok(found)
    }

    const GOOD: Answer = Answer { status_fits: true, body_fits: true, closes: false };

    #[test]
    fn every_framing_is_read_however_it_is_cut() {
        let sized = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
        let chunked =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nhel\r\n2\r\nlo\r\n0\r\nA: b\r\n\r\n";
        let interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
        for text in [sized, chunked, interim] {
            for size in 1..=text.len() {
                assert_eq!(answers(text, size, &expecting("hello")), Ok(vec![GOOD]), "{text} in {size}");
            }
        }
    }

    #[test]
    fn pipelined_answers_are_told_apart() {
        let text =
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naHTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n".repeat(3);
        for size in [1, 7, 40, text.len()] {
            let found = answers(&text, size, &Expected::default()).expect("well-formed");
            assert_eq!(found.iter().map(|answer| answer.status_fits).collect::<Vec<_>>(), [true, false].repeat(3));
        }
    }

    #[test]
    fn a_body_without_length_ends_with_the_connection() {
        let found = answers("HTTP/1.0 200 OK\r\n\r\nhello", 6, &expecting("hello"));
        assert_eq!(found, Ok(vec![Answer { closes: true, ..GOOD }]));
    }

    #[test]
    fn a_wrong_body_is_seen_wherever_it_differs() {
        for body in ["hellO", "hell", "hello!", "Hello"] {
            let text = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
            let found = answers(&text, 3, &expecting("hello")).expect("well-formed");
            assert!(found.iter().all(|answer| !answer.body_fits), "{body}");
        }
    }

    #[test]
    fn an_answer_without_body_does_not_wait_for_one() {
        let text = "HTTP/1.1 204 No Content\r\n\r\n";
        assert_eq!(answers(text, 100, &Expected::default()), Ok(vec![GOOD]));
        let head = Expected { bodiless: true, ..Expected::default() };
        assert_eq!(answers("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", 9, &head), Ok(vec![GOOD]));
    }

    #[test]
    fn connection_close_is_noticed() {
        let text = "HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 0\r\n\r\n";
        assert!(answers(text, 100, &Expected::default()).expect("well-formed")[0].closes);
    }

    #[test]
    fn what_is_no_answer_is_refused() {
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        for text in [
            "SSH-2.0-OpenSSH\r\n".to_owned(),
            "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n".to_owned(),
            format!("{chunked}xyz\r\n"),
            format!("{chunked}\r\n"),
            format!("{chunked}11111111111111111\r\n"),
            format!("{chunked}1\r\nab"),
            format!("HTTP/1.1 200 OK\r\nA: {}", "x".repeat(MOST_HEAD)),
        ] {
            assert_eq!(answers(&text, 1000, &Expected::default()), Err(Malformed), "{text:.80}");
        }
    }
}
