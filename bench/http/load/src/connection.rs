//! One connection: a non-blocking socket, what it still has to send, and the requests that wait for answers.

use crate::answer::{Answer, Expected, Malformed, Reader};
use rustix::event::epoll;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, ipproto, sockopt};
use std::collections::VecDeque;
use std::net::SocketAddr;

/// What became of reading.
#[derive(Debug)]
pub(crate) enum Received {
    /// So many bytes, in the buffer given.
    Bytes(usize),
    /// Nothing yet.
    Nothing,
    /// The server closed, in order or not.
    End,
}

#[derive(Debug)]
pub(crate) struct Connection {
    socket: OwnedFd,
    connected: bool,
    reader: Reader,
    /// When each request that has no answer yet was due, oldest first; nanoseconds since the start.
    pub(crate) outstanding: VecDeque<u64>,
    /// Bytes of requests not yet written.
    owed: usize,
    /// The poll watches for room to write.
    watches_room: bool,
}

impl Connection {
    /// Begins to connect, and has `poll` report under `key`.
    pub(crate) fn open(target: SocketAddr, poll: &OwnedFd, key: u64) -> Result<Self, Errno> {
        let family = if target.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = rustix::net::socket_with(family, SocketType::STREAM, flags, Some(ipproto::TCP))?;
        sockopt::set_tcp_nodelay(&socket, true)?;
        match rustix::net::connect(&socket, &target) {
            Ok(()) | Err(Errno::INPROGRESS) => {}
            Err(error) => return Err(error),
        }
        let flags = epoll::EventFlags::IN | epoll::EventFlags::OUT;
        epoll::add(poll, &socket, epoll::EventData::new_u64(key), flags)?;
        Ok(Self {
            socket,
            connected: false,
            reader: Reader::default(),
            outstanding: VecDeque::new(),
            owed: 0,
            watches_room: true,
        })
    }

    pub(crate) fn is_connected(&self) -> bool {
        self.connected
    }

    /// After the poll reported something: has the attempt to connect succeeded?
    pub(crate) fn check_connected(&mut self) -> Result<bool, Errno> {
        if !self.connected {
            sockopt::socket_error(&self.socket)??;
            self.connected = rustix::net::getpeername(&self.socket).is_ok();
        }
        Ok(self.connected)
    }

    /// One more request, due at `due`; `flush` sends it.
    pub(crate) fn ask(&mut self, due: u64, length: usize) {
        self.outstanding.push_back(due);
        self.owed += length;
    }

    /// Writes what is owed, as far as the socket takes it. `wire` is the request of `length` bytes, several times over.
    pub(crate) fn flush(&mut self, wire: &[u8], length: usize, poll: &OwnedFd, key: u64) -> Result<(), Errno> {
        while self.connected && self.owed > 0 {
            let from = (length - self.owed % length) % length;
            let piece = wire.get(from..wire.len().min(from + self.owed)).unwrap_or_default();
            match rustix::net::send(&self.socket, piece, rustix::net::SendFlags::NOSIGNAL) {
                Ok(sent) => self.owed -= sent,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                Err(error) => return Err(error),
            }
        }
        let wants_room = self.owed > 0 || !self.connected;
        if wants_room != self.watches_room {
            let flags = if wants_room { epoll::EventFlags::IN | epoll::EventFlags::OUT } else { epoll::EventFlags::IN };
            epoll::modify(poll, &self.socket, epoll::EventData::new_u64(key), flags)?;
            self.watches_room = wants_room;
        }
        Ok(())
    }

    pub(crate) fn receive(&mut self, buffer: &mut [u8]) -> Received {
        match rustix::io::read(&self.socket, buffer) {
            Ok(0) => Received::End,
            Ok(length) => Received::Bytes(length),
            Err(Errno::AGAIN | Errno::INTR) => Received::Nothing,
            Err(_) => Received::End,
        }
    }

    /// Reads answers; see [`Reader::feed`].
    pub(crate) fn feed(&mut self, input: &[u8], expected: &Expected) -> Result<(usize, Option<Answer>), Malformed> {
        if self.outstanding.is_empty() {
            return Err(Malformed);
        }
        self.reader.feed(input, expected)
    }

    /// The answer that the end of the connection completes.
    pub(crate) fn end(&mut self, expected: &Expected) -> Option<Answer> {
        self.reader.end(expected)
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
