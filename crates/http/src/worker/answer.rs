//! Answers that come later than their request, whole or in pieces.

use super::{SendError, Worker};
use crate::clock::Date;
use crate::connection::{Connection, Phase};
use crate::field::Fields;
use crate::response::{Payload, Response};
use crate::service::RequestId;
use crate::status::Status;

impl Worker {
    /// Answers a request that was pending.
    ///
    /// # Errors
    /// [`SendError::Gone`].
    pub fn respond(&mut self, id: RequestId, response: Response) -> Result<(), SendError> {
        self.write(id, |machine, date, out| match machine.phase() {
            Phase::Busy => Ok(machine.respond(response, date, out)),
            _ => Err(SendError::Gone),
        })
    }

    /// Begins the answer to a request that was pending; its body follows with [`Worker::write_chunk`]. With a `length`, the body
    /// must have so many bytes.
    ///
    /// # Errors
    /// [`SendError::Gone`].
    pub fn respond_head(
        &mut self,
        id: RequestId,
        status: Status,
        fields: &Fields,
        length: Option<u64>,
    ) -> Result<(), SendError> {
        self.write(id, |machine, date, out| match machine.phase() {
            Phase::Busy => {
                machine.begin_stream(status, fields, length, date, out);
                Ok(None)
            }
            _ => Err(SendError::Gone),
        })
    }

    /// Writes a piece of a body.
    ///
    /// # Errors
    /// [`SendError::Full`]: nothing was taken, since the client does not read;
    /// [`Service::writable`](crate::Service::writable) tells when it does. [`SendError::WrongLength`]: the body is longer than
    /// announced, and the connection is closed. [`SendError::Gone`].
    pub fn write_chunk(&mut self, id: RequestId, bytes: &[u8]) -> Result<(), SendError> {
        let limit = self.shared.limits.stream_bytes;
        let client = self.connections.get_mut(id.slot).filter(|client| client.serial == id.serial);
        if let Some(client) = client
            && client.output.as_ref().is_some_and(|output| output.bytes() >= limit)
        {
            client.is_full = true;
            return Err(SendError::Full);
        }
        self.write(id, |machine, _, out| match machine.phase() {
            Phase::Streaming(_) => machine.stream(bytes, out).map(|()| None).map_err(|_| SendError::WrongLength),
            _ => Err(SendError::Gone),
        })
    }

    /// Ends a body.
    ///
    /// # Errors
    /// [`SendError::WrongLength`]: the body is shorter than announced, and the connection is closed. [`SendError::Gone`].
    pub fn finish(&mut self, id: RequestId) -> Result<(), SendError> {
        self.write(id, |machine, _, out| match machine.phase() {
            Phase::Streaming(_) => machine.finish_stream(out).map(|()| None).map_err(|_| SendError::WrongLength),
            _ => Err(SendError::Gone),
        })
    }

    /// Gives an answer up: the connection is closed, and the client sees that the response is not complete.
    pub fn abandon(&mut self, id: RequestId) {
        let client = self.connections.get(id.slot);
        if client.is_some_and(|client| client.serial == id.serial && client.machine.is_busy()) {
            self.close(id.slot);
        }
    }

    /// Lets `encode` write for the request `id`, and sends it.
    fn write(
        &mut self,
        id: RequestId,
        encode: impl FnOnce(&mut Connection, &Date, &mut Vec<u8>) -> Result<Option<Payload>, SendError>,
    ) -> Result<(), SendError> {
        let client = self.connections.get_mut(id.slot).filter(|client| client.serial == id.serial);
        let client = client.ok_or(SendError::Gone)?;
        if self.is_stopping && client.machine.phase() == Phase::Busy {
            client.machine.forbid_keep_alive();
        }
        let body = match encode(&mut client.machine, self.clock.date(), &mut self.out) {
            Ok(body) => body,
            Err(error) => {
                if error == SendError::WrongLength {
                    self.close(id.slot);
                }
                return Err(error);
            }
        };
        if client.send(&mut self.out, body) {
            self.settle(id.slot);
            Ok(())
        } else {
            self.close(id.slot);
            Err(SendError::Gone)
        }
    }
}
