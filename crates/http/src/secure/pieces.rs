//! A part of a file on its way out, read piece by piece off the worker's thread.

use hyper::body::Bytes;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::task::JoinHandle;

/// Bytes that are read at a time, and all that a response holds of its file.
const PIECE: u64 = 128 * 1024;

/// What is left of a part of a file.
pub(super) struct Pieces {
    file: Arc<File>,
    offset: u64,
    left: u64,
    reading: Option<JoinHandle<io::Result<Vec<u8>>>>,
}

impl Pieces {
    pub(super) fn new(file: Arc<File>, offset: u64, length: u64) -> Self {
        Self { file, offset, left: length, reading: None }
    }

    /// Bytes that have not been given out.
    pub(super) fn left(&self) -> u64 {
        self.left
    }

    /// The next piece; None at the end. A file that ends too early is an error.
    pub(super) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<io::Result<Bytes>>> {
        if self.left == 0 {
            return Poll::Ready(None);
        }
        let reading = self.reading.get_or_insert_with(|| {
            let (file, offset) = (self.file.clone(), self.offset);
            let length = usize::try_from(self.left.min(PIECE)).unwrap_or(0);
            tokio::task::spawn_blocking(move || {
                let mut bytes = vec![0; length];
                file.read_exact_at(&mut bytes, offset)?;
                Ok(bytes)
            })
        });
        let read = ready!(Pin::new(reading).poll(cx));
        self.reading = None;
        let read = read.unwrap_or_else(|error| Err(io::Error::other(error)));
        Poll::Ready(Some(read.map(|bytes| {
            let length = bytes.len() as u64;
            self.offset += length;
            self.left = self.left.saturating_sub(length);
            Bytes::from(bytes)
        })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;
    use std::io::Write;

    fn file(bytes: &[u8]) -> Arc<File> {
        let mut file = crate::sys::temporary_file(&std::env::temp_dir()).expect("a file can be made");
        file.write_all(bytes).expect("it can be written");
        Arc::new(file)
    }

    fn read(mut pieces: Pieces) -> io::Result<Vec<u8>> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime can be made");
        runtime.block_on(async {
            let mut all = Vec::new();
            while let Some(piece) = poll_fn(|cx| pieces.poll_next(cx)).await {
                let piece = piece?;
                assert!(!piece.is_empty() && piece.len() as u64 <= PIECE);
                all.extend_from_slice(&piece);
            }
            assert_eq!(pieces.left(), 0);
            Ok(all)
        })
    }

    #[test]
    fn a_part_of_a_file_is_read_to_its_end() {
        let bytes: Vec<u8> = (0..400_000_u32).map(|at| (at % 251) as u8).collect();
        let file = file(&bytes);
        for (offset, length) in [(0, 400_000), (7, 131_072), (399_999, 1), (100, 0), (5, 300_000)] {
            let pieces = Pieces::new(file.clone(), offset as u64, length as u64);
            assert!(read(pieces).is_ok_and(|read| read == bytes.get(offset..offset + length).unwrap_or_default()));
        }
    }

    #[test]
    fn a_file_that_ends_too_early_is_an_error() {
        let pieces = Pieces::new(file(b"short"), 2, 4);
        assert_eq!(read(pieces).expect_err("there are no such bytes").kind(), io::ErrorKind::UnexpectedEof);
    }
}
