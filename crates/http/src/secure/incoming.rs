//! The body of a request inside of TLS on its way in: to memory, and beyond that to a temporary file.

use crate::body::TOO_LARGE;
use crate::head::Refusal;
use crate::shared::Shared;
use crate::spool;
use crate::worker::{NOT_STORED, SLOW_BODY};
use hyper::body::{Body, Bytes, Incoming};
use std::fs::File;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use tokio::time::{Instant, timeout_at};

const INCOMPLETE: Refusal = Refusal::bad("the request body is not complete");

/// A complete body.
#[derive(Debug)]
pub(super) enum Received {
    Memory(Vec<u8>),
    File(File, u64),
}

/// Waits for the whole body. Trailer fields are dropped: nothing here may be said after the head.
pub(super) async fn receive(mut body: Incoming, shared: &Arc<Shared>) -> Result<Received, Refusal> {
    let limits = &shared.limits;
    let announced = body.size_hint().lower();
    if announced > limits.body_bytes {
        return Err(TOO_LARGE);
    }
    let expected = usize::try_from(announced).unwrap_or(usize::MAX).min(limits.body_memory_bytes);
    let mut bytes = Vec::with_capacity(expected);
    let mut total = 0_u64;
    let mut file = None;
    let wanted = u128::from(limits.body_rate).saturating_mul(limits.body_time.as_millis()) / 1000;
    let mut measured = 0_u64;
    let mut window_end = Instant::now() + limits.body_time;
    loop {
        match timeout_at(window_end, next(&mut body)).await {
            Err(_) if u128::from(total - measured) < wanted.max(1) => return Err(SLOW_BODY),
            Err(_) => {
                measured = total;
                window_end = Instant::now() + limits.body_time;
            }
            Ok(None) => break,
            Ok(Some(Err(_))) => return Err(INCOMPLETE),
            Ok(Some(Ok(piece))) => {
                total += piece.len() as u64;
                if total > limits.body_bytes {
                    return Err(TOO_LARGE);
                }
                bytes.extend_from_slice(&piece);
                if bytes.len() > limits.body_memory_bytes {
                    let began = Instant::now();
                    (file, bytes) = write(file, bytes, false, shared).await?;
                    // The disk is not the client's fault.
                    window_end += began.elapsed();
                }
            }
        }
    }
    if file.is_none() {
        return Ok(Received::Memory(bytes));
    }
    match write(file, bytes, true, shared).await?.0 {
        Some(file) => Ok(Received::File(file, total)),
        None => Err(NOT_STORED),
    }
}

/// The next piece; None at the end.
async fn next(body: &mut Incoming) -> Option<hyper::Result<Bytes>> {
    loop {
        match poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx)).await? {
            Ok(frame) => {
                if let Ok(piece) = frame.into_data() {
                    return Some(Ok(piece));
                }
            }
            Err(error) => return Some(Err(error)),
        }
    }
}

/// Writes to the end of `file` off this thread. The buffer comes back, empty.
async fn write(
    file: Option<File>,
    mut bytes: Vec<u8>,
    is_last: bool,
    shared: &Arc<Shared>,
) -> Result<(Option<File>, Vec<u8>), Refusal> {
    let shared = shared.clone();
    let written = tokio::task::spawn_blocking(move || -> io::Result<_> {
        let file = spool::write(file, &bytes, is_last, &shared.limits.spool_folder)?;
        bytes.clear();
        Ok((Some(file), bytes))
    });
    match written.await {
        Ok(Ok(written)) => Ok(written),
        Ok(Err(_)) | Err(_) => Err(NOT_STORED),
    }
}
