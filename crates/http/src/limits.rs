//! Every limit and every time a peer is given, with its default. The only place where these numbers stand.

use std::path::PathBuf;
use std::time::Duration;

/// Fields of a request that are looked at in any case; [`Limits::header_count`] can only be lower.
pub(crate) const MAX_HEADER_COUNT: usize = 128;

/// The largest request head there can be: positions inside of it have 16 bits.
pub(crate) const MAX_HEAD_BYTES: usize = u16::MAX as usize;

/// Bytes that one read takes from a socket at most, and so what a connection may bring in one turn.
pub(crate) const READ_BYTES: usize = 64 * 1024;

/// What a client may ask of the server.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes of the first line of a request, without its end. Beyond: 414.
    pub request_line_bytes: usize,
    /// Bytes of a request head, blank line included; 65,535 at most. Beyond: 431.
    pub head_bytes: usize,
    /// Fields of a request head; 128 at most. Beyond: 431.
    pub header_count: usize,
    /// Bytes of a request body. Beyond: 413, before it is read where its length is announced.
    pub body_bytes: u64,
    /// Bytes of a body that are held in memory; a longer one goes to a temporary file.
    pub body_memory_bytes: usize,
    /// Bytes of the line in front of a chunk. Beyond: 400.
    pub chunk_line_bytes: usize,
    /// Bytes of the fields after the last chunk. Beyond: 400.
    pub trailer_bytes: usize,
    /// Bytes of a streamed response that may wait for the client before the writer is told to wait.
    pub stream_bytes: usize,

    /// From the first byte of a head to its last. Beyond: 408.
    pub head_time: Duration,
    /// Time in which [`Limits::body_rate`] is measured: a body, or the next part of one, that is slower gets 408.
    pub body_time: Duration,
    /// Bytes a second that a body must bring to be given another [`Limits::body_time`].
    pub body_rate: u64,
    /// Without a request. Longer than the 60 s of common proxies, so that it is they who close first.
    pub idle_time: Duration,
    /// Without the client taking a byte of a response that waits for it.
    pub write_time: Duration,
    /// For reading what is still on its way after the last response, so that the response is not lost by a reset.
    pub linger_time: Duration,
    /// During a graceful stop: how long a connection without a request may still bring one, and at most lingers.
    pub drain_time: Duration,

    /// Connections of the whole server. Beyond: 503. Zero: as many as the process may open files, less a reserve.
    pub connections: usize,
    /// Connections of one address (IPv6: of one /64 network). Beyond: 429. Zero: no limit.
    pub connections_per_address: usize,
    /// Do connections from this machine count as connections of an address? Not by default: a local proxy holds many.
    pub count_loopback: bool,

    /// Requests that a connection may have answered in one turn, if it has sent several at once.
    pub turn_requests: usize,
    /// Time after which a turn ends in spite of [`Limits::turn_requests`].
    pub turn_time: Duration,

    /// Folder of the temporary files of large bodies; they have no name in it.
    pub spool_folder: PathBuf,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            request_line_bytes: 8 * 1024,
            head_bytes: 32 * 1024,
            header_count: 100,
            body_bytes: 10 * 1024 * 1024,
            body_memory_bytes: 64 * 1024,
            chunk_line_bytes: 256,
            trailer_bytes: 8 * 1024,
            stream_bytes: 256 * 1024,
            head_time: Duration::from_secs(15),
            body_time: Duration::from_secs(30),
            body_rate: 16 * 1024,
            idle_time: Duration::from_secs(75),
            write_time: Duration::from_secs(30),
            linger_time: Duration::from_secs(5),
            drain_time: Duration::from_secs(1),
            connections: 0,
            connections_per_address: 1024,
            count_loopback: false,
            turn_requests: 16,
            turn_time: Duration::from_micros(100),
            spool_folder: std::env::temp_dir(),
        }
    }
}

impl Limits {
    /// Bytes of a head, bounded by what positions can express.
    pub(crate) fn head_window(&self) -> usize {
        self.head_bytes.min(MAX_HEAD_BYTES)
    }

    /// Fields of a head, bounded by the space for them.
    pub(crate) fn header_window(&self) -> usize {
        self.header_count.min(MAX_HEADER_COUNT)
    }
}
