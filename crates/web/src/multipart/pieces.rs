//! A body in pieces, handed to the parser one at a time and only when it has nothing left to read.
//!
//! The parser takes from its stream whatever is ready before it looks at a byte: a body that is always ready would be in memory
//! as a whole. So the stream is not ready unless the tap was opened, and the tap opens once each time the parser waits.

use futures_core::Stream;
use http::Body;
use std::io;
use std::os::unix::fs::FileExt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};

/// Bytes of a piece.
pub(super) const BYTES: usize = 64 * 1024;

/// The stream that the parser reads.
pub(super) struct Pieces<'a> {
    body: Body<'a>,
    /// Bytes of the body that were handed out.
    offset: u64,
    is_open: Arc<AtomicBool>,
}

/// Lets the parser have pieces.
pub(super) struct Tap {
    is_open: Arc<AtomicBool>,
}

/// Why driving ended without a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// The parser waits although it has seen the end of the body.
    Ended,
    /// It wants more pieces than it may have.
    Exhausted,
}

impl<'a> Pieces<'a> {
    pub(super) fn new(body: Body<'a>) -> (Self, Tap) {
        let is_open = Arc::new(AtomicBool::new(false));
        (Self { body, offset: 0, is_open: is_open.clone() }, Tap { is_open })
    }

    /// The next piece, empty at the end.
    fn read(&self) -> io::Result<Vec<u8>> {
        match &self.body {
            Body::Memory(bytes) => {
                let rest = usize::try_from(self.offset).ok().and_then(|offset| bytes.get(offset..)).unwrap_or_default();
                Ok(rest.get(..BYTES).unwrap_or(rest).to_vec())
            }
            Body::File(file, bytes) => {
                let rest = usize::try_from(bytes.saturating_sub(self.offset)).unwrap_or(usize::MAX);
                let mut piece = vec![0; rest.min(BYTES)];
                loop {
                    match file.read_at(&mut piece, self.offset) {
                        Ok(read) => {
                            piece.truncate(read);
                            return Ok(piece);
                        }
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        Err(error) => return Err(error),
                    }
                }
            }
        }
    }
}

impl Stream for Pieces<'_> {
    type Item = io::Result<Vec<u8>>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        // The tap asks again by itself: nobody has to be woken.
        if !self.is_open.swap(false, Ordering::Relaxed) {
            return Poll::Pending;
        }
        let piece = self.read();
        if let Ok(piece) = &piece {
            self.offset += piece.len() as u64;
        }
        let is_end = piece.as_ref().is_ok_and(Vec::is_empty);
        Poll::Ready((!is_end).then_some(piece))
    }
}

impl Tap {
    /// Polls until there is a result, with a piece more each time, at most `most`.
    pub(super) fn drive<T>(&self, most: usize, mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>) -> Result<T, Stop> {
        let mut context = Context::from_waker(Waker::noop());
        let mut given = 0;
        loop {
            if let Poll::Ready(result) = poll(&mut context) {
                return Ok(result);
            }
            if given == most {
                return Err(Stop::Exhausted);
            }
            given += 1;
            // Nobody came for the last piece: the parser knows that there is none.
            if self.is_open.swap(true, Ordering::Relaxed) {
                return Err(Stop::Ended);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(pieces: &mut Pieces<'_>, tap: &Tap) -> Result<Option<Vec<u8>>, Stop> {
        let piece = tap.drive(1, |context| Pin::new(&mut *pieces).poll_next(context))?;
        Ok(piece.transpose().unwrap_or_default())
    }

    #[test]
    fn a_body_is_cut_in_pieces_and_ends() {
        let body = vec![7; BYTES + 1];
        let (mut pieces, tap) = Pieces::new(Body::Memory(&body));
        let lengths: Vec<_> =
            std::iter::from_fn(|| next(&mut pieces, &tap).ok().flatten()).map(|piece| piece.len()).collect();
        assert_eq!(lengths, [BYTES, 1]);
        assert_eq!(next(&mut pieces, &tap), Ok(None));
    }

    #[test]
    fn no_piece_comes_unasked() {
        let (mut pieces, tap) = Pieces::new(Body::Memory(b"ab"));
        let mut context = Context::from_waker(Waker::noop());
        assert!(Pin::new(&mut pieces).poll_next(&mut context).is_pending());
        assert_eq!(next(&mut pieces, &tap), Ok(Some(b"ab".to_vec())));
        assert!(Pin::new(&mut pieces).poll_next(&mut context).is_pending());
    }

    #[test]
    fn driving_ends_when_nobody_reads_or_too_much_is_read() {
        let (mut pieces, tap) = Pieces::new(Body::Memory(b"ab"));
        assert_eq!(tap.drive(5, |_| Poll::<()>::Pending), Err(Stop::Ended));
        let greedy = tap.drive(1, |context| {
            let _ = Pin::new(&mut pieces).poll_next(context);
            Poll::<()>::Pending
        });
        assert_eq!(greedy, Err(Stop::Exhausted));
    }
}
