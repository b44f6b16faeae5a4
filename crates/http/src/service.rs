//! What the embedder gives: answers.

use crate::request::Request;
use crate::response::Response;
use crate::secure::Admitted;
use std::os::fd::OwnedFd;

/// Names a request until it is answered or cancelled. Never used twice by a worker.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RequestId {
    pub(crate) slot: u32,
    pub(crate) serial: u64,
}

/// The answer to a request.
#[derive(Debug)]
pub enum Answer {
    /// This response.
    Respond(Response),
    /// Not yet: [`Worker::respond`](crate::Worker::respond) or
    /// [`Worker::respond_head`](crate::Worker::respond_head) comes later.
    Pending,
}

/// Answers the requests of one worker, on its thread.
pub trait Service {
    /// A request has arrived. Until it is answered, its connection brings no other one.
    fn request(&mut self, id: RequestId, request: Request) -> Answer;

    /// The client of a request that is not yet answered has gone: nobody will read the answer, and `id` means nothing any more.
    /// Where a write to the client finds that out, the writer gets [`SendError::Gone`](crate::SendError::Gone) instead.
    fn cancelled(&mut self, id: RequestId);

    /// The client of a request that is not yet answered sends nothing more. It may have gone, and it may be waiting: only
    /// writing to it would tell.
    fn half_closed(&mut self, id: RequestId) {
        let _ = id;
    }

    /// The client has read what waited for it, after a write to its stream was refused as
    /// [`SendError::Full`](crate::SendError::Full).
    fn writable(&mut self, id: RequestId) {
        let _ = id;
    }

    /// A client has connected that speaks TLS, at a listener [for such](crate::Listener::bind_secure). From here on the
    /// connection is the embedder's, usually in the hands of [`serve_secure`](crate::serve_secure). Without this method it is closed.
    fn secure(&mut self, socket: OwnedFd, admitted: Admitted) {
        drop((socket, admitted));
    }
}
