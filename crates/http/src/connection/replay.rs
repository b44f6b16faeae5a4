//! Feeding a connection with bytes and answering at once: for tests and for fuzzing.

use super::{Connection, Event, Part, Phase};
use crate::admission::Peer;
use crate::clock::Date;
use crate::encode::CONTINUE;
use crate::limits::Limits;
use crate::request::{Body, Request};
use crate::response::Response;
use crate::status::Status;
use std::io::Read;

pub(crate) const DATE: &Date = b"Thu, 01 Jan 1970 00:00:00 GMT";

pub(crate) fn peer() -> Peer {
    Peer::new(std::net::SocketAddr::from(([192, 0, 2, 1], 5000)))
}

fn shown(request: &Request) -> String {
    let mut text = format!("{} {}", request.method(), request.target());
    for (name, value) in request.headers() {
        text += &format!("|{name}={}", value.escape_ascii());
    }
    match request.body() {
        Body::Memory(bytes) => text + &format!("|{} bytes: {}", bytes.len(), bytes.escape_ascii()),
        Body::File(mut file, length) => {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).expect("the file can be read");
            assert_eq!(bytes.len() as u64, length);
            text + &format!("|{length} bytes: {}", bytes.escape_ascii())
        }
    }
}

/// Feeds the pieces and answers each request at once. What came out, in order, and what was written.
pub(crate) fn run(pieces: &[&[u8]], limits: &Limits) -> (Vec<String>, Vec<u8>) {
    let mut machine = Connection::new();
    let (mut events, mut out) = (Vec::new(), Vec::new());
    for piece in pieces {
        let mut fresh = *piece;
        while let Some(event) = machine.advance(&mut fresh, &peer(), limits) {
            match event {
                Event::Request(request) => {
                    events.push(shown(&request));
                    assert!(machine.is_busy(), "a request is out");
                    machine.respond(Response::new(Status::OK, "ok"), DATE, &mut out);
                }
                Event::Continue => {
                    events.push("continue".to_owned());
                    out.extend_from_slice(CONTINUE);
                }
                Event::Refuse(refusal) => {
                    events.push(format!("refused {}", refusal.status.code()));
                    machine.refuse(refusal, DATE, &mut out);
                }
                Event::Spool(Part { file, bytes, is_last }) => {
                    machine.keep(fresh);
                    fresh = &[];
                    let file = crate::spool::write(file, &bytes, is_last, &limits.spool_folder);
                    machine.spooled(file.expect("the part can be written"), bytes, is_last);
                }
            }
        }
        assert!(fresh.is_empty(), "all bytes are taken");
    }
    if machine.phase() == Phase::Idle {
        assert!(machine.work.is_none(), "an idle connection owns nothing");
    }
    (events, out)
}

/// Input that ends within a malformed head may be refused later when it comes in pieces, since a line is looked at when it is
/// complete. That is the only difference that cuts may make.
pub(crate) fn is_late_refusal(whole: &[String], cut: &[String]) -> bool {
    let Some((last, before)) = whole.split_last() else { return false };
    last.starts_with("refused") && before == cut
}

/// Any bytes in any pieces are understood as they are in one piece. The first bytes of `data` say how it is cut.
///
/// # Panics
/// When they are not: for fuzzing.
#[cfg(feature = "fuzzing")]
pub fn check_cuts(data: &[u8]) {
    let Some((cuts, input)) = data.split_at_checked(8) else { return };
    let limits = Limits { body_memory_bytes: 32, body_bytes: 4096, ..Limits::default() };
    let mut pieces = Vec::new();
    let mut rest = input;
    for size in cuts.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (piece, after) = rest.split_at(usize::from(*size).clamp(1, rest.len()));
        pieces.push(piece);
        rest = after;
    }
    let (whole, cut) = (run(&[input], &limits), run(&pieces, &limits));
    assert!(whole == cut || is_late_refusal(&whole.0, &cut.0), "{:?} or {:?}", whole.0, cut.0);
}
