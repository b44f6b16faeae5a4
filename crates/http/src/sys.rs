//! Every system call of this crate. None of them blocks, except where its comment says so.
#![expect(unsafe_code, reason = "one socket option that no library with a safe interface has")]

use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::{Errno, ReadWriteFlags};
use rustix::net::{
    AddressFamily, RecvFlags, SendAncillaryBuffer, SendFlags, Shutdown, SocketFlags, SocketType, ipproto, sockopt,
};
use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut};
use std::net::SocketAddr;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::time::Duration;

/// Connections that the kernel holds until they are accepted; it lowers this to its own limit.
const BACKLOG: i32 = 16 * 1024;

/// What came of reading from a socket.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Read {
    Bytes(usize),
    /// The client sends nothing more.
    End,
    /// Nothing is there now.
    Later,
    Failed,
}

/// What came of writing to a socket.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Written {
    Bytes(usize),
    /// The client must read first.
    Later,
    Failed,
}

pub(crate) fn read(socket: &OwnedFd, buffer: &mut [u8]) -> Read {
    loop {
        match rustix::net::recv(socket, &mut *buffer, RecvFlags::empty()) {
            Ok((0, _)) => return Read::End,
            Ok((bytes, _)) => return Read::Bytes(bytes),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => return Read::Later,
            Err(_) => return Read::Failed,
        }
    }
}

pub(crate) fn write(socket: &OwnedFd, bytes: &[u8]) -> Written {
    written(|| rustix::net::send(socket, bytes, SendFlags::NOSIGNAL))
}

pub(crate) fn write_vectored(socket: &OwnedFd, parts: &[IoSlice<'_>]) -> Written {
    written(|| rustix::net::sendmsg(socket, parts, &mut SendAncillaryBuffer::default(), SendFlags::NOSIGNAL))
}

fn written(mut call: impl FnMut() -> rustix::io::Result<usize>) -> Written {
    loop {
        match call() {
            Ok(bytes) => return Written::Bytes(bytes),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => return Written::Later,
            Err(_) => return Written::Failed,
        }
    }
}

/// Tells the client that nothing more comes. That it may have gone already is no error.
pub(crate) fn end_writing(socket: &OwnedFd) {
    let _ = rustix::net::shutdown(socket, Shutdown::Write);
}

/// A socket that accepts connections at `address`. Connections inherit its options.
pub(crate) fn listen(address: SocketAddr) -> io::Result<OwnedFd> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = rustix::net::socket_with(family, SocketType::STREAM, flags, Some(ipproto::TCP))?;
    sockopt::set_socket_reuseaddr(&socket, true)?;
    sockopt::set_tcp_nodelay(&socket, true)?;
    rustix::net::bind(&socket, &address)?;
    rustix::net::listen(&socket, BACKLOG)?;
    Ok(socket)
}

/// Lets a connection wait in the kernel until its client has said something, at most about `seconds`; 0 hands it over at
/// once. See TCP_DEFER_ACCEPT in tcp(7).
pub(crate) fn defer_accept(socket: &OwnedFd, seconds: libc::c_int) -> io::Result<()> {
    let length = size_of::<libc::c_int>() as libc::socklen_t;
    // SAFETY: the descriptor is open as long as `socket` is borrowed, and the kernel reads `length` bytes of an integer that
    // outlives the call.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_DEFER_ACCEPT,
            std::ptr::from_ref(&seconds).cast(),
            length,
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// The address that a socket listens at.
pub(crate) fn local_address(socket: &OwnedFd) -> io::Result<SocketAddr> {
    let address = rustix::net::getsockname(socket)?;
    SocketAddr::try_from(address).map_err(|_| io::Error::from(io::ErrorKind::AddrNotAvailable))
}

/// What came of accepting a connection.
pub(crate) enum Accepted {
    Socket(OwnedFd, SocketAddr),
    /// No more are there now.
    Later,
    /// This one has gone, the next may be there.
    Gone,
    /// The process or the system has no room for another one, or accepting fails altogether.
    Full,
}

pub(crate) fn accept(listener: &OwnedFd) -> Accepted {
    match rustix::net::acceptfrom_with(listener, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC) {
        Ok((socket, address)) => match address.and_then(|address| SocketAddr::try_from(address).ok()) {
            Some(address) => Accepted::Socket(socket, address),
            None => Accepted::Gone,
        },
        Err(Errno::AGAIN) => Accepted::Later,
        // Errors of the connection, not of the listener: accept(2), "Error handling".
        Err(
            Errno::INTR
            | Errno::CONNABORTED
            | Errno::PERM
            | Errno::PROTO
            | Errno::NETDOWN
            | Errno::NOPROTOOPT
            | Errno::HOSTDOWN
            | Errno::NONET
            | Errno::HOSTUNREACH
            | Errno::OPNOTSUPP
            | Errno::NETUNREACH,
        ) => Accepted::Gone,
        Err(_) => Accepted::Full,
    }
}

/// A counter whose change wakes a poller.
pub(crate) fn signal() -> io::Result<OwnedFd> {
    Ok(eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?)
}

/// Changes the counter. It cannot fail in a way that matters: a full counter has already woken its poller.
pub(crate) fn raise(signal: &OwnedFd) {
    let _ = rustix::io::write(signal, &1_u64.to_ne_bytes());
}

/// Blocks until one of `sources` can be read or the time is over. Tells which.
pub(crate) fn wait_readable(sources: &[BorrowedFd<'_>], timeout: Option<Duration>) -> Vec<bool> {
    let mut polled: Vec<PollFd<'_>> =
        sources.iter().map(|source| PollFd::from_borrowed_fd(*source, PollFlags::IN)).collect();
    let timeout = timeout.and_then(|timeout| timeout.try_into().ok());
    if poll(&mut polled, timeout.as_ref()).is_err() {
        return vec![false; sources.len()];
    }
    polled.iter().map(|source| !source.revents().is_empty()).collect()
}

/// How many files this process may open.
pub(crate) fn open_file_limit() -> usize {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX))
}

/// What came of reading from a file without waiting for the disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cached {
    Bytes(usize),
    /// The file has no more.
    End,
    /// The bytes are not in memory, or the file system does not say.
    Absent,
    Failed,
}

/// Reads what the system has in memory of a file.
pub(crate) fn read_cached(file: &File, buffer: &mut [u8], offset: u64) -> Cached {
    loop {
        let mut parts = [IoSliceMut::new(buffer)];
        match rustix::io::preadv2(file, &mut parts, offset, ReadWriteFlags::NOWAIT) {
            Ok(0) => return Cached::End,
            Ok(bytes) => return Cached::Bytes(bytes),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN | Errno::OPNOTSUPP | Errno::NOSYS) => return Cached::Absent,
            Err(_) => return Cached::Failed,
        }
    }
}

/// A file without a name in `folder`, to be written and read. May wait for the disk.
pub(crate) fn temporary_file(folder: &Path) -> io::Result<File> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    match rustix::fs::open(folder, flags, Mode::RUSR | Mode::WUSR) {
        Ok(file) => Ok(File::from(file)),
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::NOENT | Errno::INVAL) => named_then_removed(folder),
        Err(error) => Err(error.into()),
    }
}

/// For file systems that have no files without a name.
#[cold]
fn named_then_removed(folder: &Path) -> io::Result<File> {
    let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
    for attempt in 0..100 {
        let now =
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.subsec_nanos());
        let path = folder.join(format!("body-{}-{now}-{attempt}", std::process::id()));
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::RDWR | OFlags::CLOEXEC;
        match rustix::fs::open(&path, flags, Mode::RUSR | Mode::WUSR) {
            Ok(file) => {
                std::fs::remove_file(&path)?;
                return Ok(File::from(file));
            }
            Err(error) => last = error.into(),
        }
    }
    Err(last)
}
