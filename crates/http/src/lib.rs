//! HTTP connections: sockets to requests, responses to sockets. Knows no script.
//!
//! The files in the order of a request: `listen` and `spread` accept a connection and give it to a worker, `poller` tells
//! that it is readable, `worker` reads, `connection` finds the request with `head` and `body` (`spool` for a large one), a
//! [`Service`] answers it, `encode` writes the answer down, `output` keeps what the client does not take at once. `timers` and
//! `limits` bound what a client may ask for. Connections inside of TLS, HTTP/2 among them, go their own way through `secure`.

#![deny(unsafe_code)]

mod admission;
mod body;
mod clock;
mod connection;
mod encode;
mod field;
mod head;
mod limits;
mod listen;
mod mailbox;
mod output;
mod poller;
mod request;
mod response;
mod secure;
mod service;
mod shared;
mod slab;
mod spool;
mod spread;
mod status;
mod sys;
mod timers;
mod worker;

#[cfg(feature = "fuzzing")]
pub use connection::replay::check_cuts;
pub use field::{Fields, InvalidField};
pub use limits::Limits;
pub use listen::{Acceptor, Deferral, Listener};
pub use mailbox::Mailbox;
pub use request::{Body, Request};
pub use response::{FilePart, Payload, Response};
pub use secure::{Admitted, CertificateError, Certificates, Dispatch, serve_secure};
pub use service::{Answer, RequestId, Service};
pub use shared::Shared;
pub use status::Status;
pub use worker::{Counters, SendError, Worker};
