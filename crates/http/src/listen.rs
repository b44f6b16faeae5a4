//! Listening, and the thread that accepts for several workers.
//!
//! A worker that is alone accepts for itself ([`Worker::listen`](crate::Worker::listen)): a thread between would cost two
//! switches a connection.

use crate::mailbox::Mailbox;
use crate::shared::Shared;
use crate::spread::{Batch, REST, Spread};
use crate::sys;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;

/// The least that the kernel knows.
const DEFERRAL_SECONDS: i32 = 1;

/// A socket that accepts connections.
#[derive(Debug)]
pub struct Listener {
    socket: Arc<OwnedFd>,
    address: SocketAddr,
    is_secure: bool,
}

impl Listener {
    /// Listens at `address`; from now on clients can connect.
    ///
    /// # Errors
    /// The address is in use, is not one of this machine, or needs more rights.
    pub fn bind(address: SocketAddr) -> io::Result<Self> {
        let socket = Arc::new(sys::listen(address)?);
        let address = sys::local_address(&socket)?;
        Ok(Self { socket, address, is_secure: false })
    }

    /// As [`Listener::bind`], for clients that speak TLS: workers hand their connections to
    /// [`Service::secure`](crate::Service::secure).
    ///
    /// # Errors
    /// As [`Listener::bind`].
    pub fn bind_secure(address: SocketAddr) -> io::Result<Self> {
        Ok(Self { is_secure: true, ..Self::bind(address)? })
    }

    /// Where it listens, with the port that the system chose if it was asked for any.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Do its clients speak TLS?
    #[must_use]
    pub fn is_secure(&self) -> bool {
        self.is_secure
    }

    /// Leaves new connections to the kernel until their clients have said something, or for about a second: a worker then
    /// wakes once for a connection and its first request, not twice.
    ///
    /// # Errors
    /// The system cannot; everything else goes on as it would.
    pub fn defer(&self) -> io::Result<Deferral> {
        sys::defer_accept(&self.socket, DEFERRAL_SECONDS)?;
        Ok(Deferral { socket: Arc::downgrade(&self.socket) })
    }

    pub(crate) fn socket(&self) -> &OwnedFd {
        &self.socket
    }
}

/// What [`Listener::defer`] has begun.
#[derive(Debug)]
pub struct Deferral {
    socket: Weak<OwnedFd>,
}

impl Deferral {
    /// Ends it: connections are handed over at once again. To be called a moment before the listener closes, since those that
    /// the kernel holds back then are lost, with requests that are on their way.
    pub fn end(&self) {
        if let Some(socket) = self.socket.upgrade() {
            // An option that could be set can be unset.
            let _ = sys::defer_accept(&socket, 0);
        }
    }
}

/// The thread that accepts. Dropping it stops it.
pub struct Acceptor {
    stop: Arc<OwnedFd>,
    thread: Option<JoinHandle<()>>,
}

impl Acceptor {
    /// Accepts from `listeners` for `workers`.
    ///
    /// # Errors
    /// No thread or file can be made.
    pub fn start(listeners: Vec<Listener>, workers: Vec<Arc<Mailbox>>, shared: Arc<Shared>) -> io::Result<Self> {
        let stop = Arc::new(sys::signal()?);
        let mut spread = Spread::new(workers, shared);
        let signal = stop.clone();
        let thread = std::thread::Builder::new().name("accept".to_owned());
        let thread = thread.spawn(move || run(&mut spread, &listeners, &signal))?;
        Ok(Self { stop, thread: Some(thread) })
    }

    /// Takes the connections that clients have completed, gives them to the workers, and closes the listeners.
    pub fn stop(self) {}
}

impl Drop for Acceptor {
    fn drop(&mut self) {
        sys::raise(&self.stop);
        if let Some(thread) = self.thread.take() {
            // A panic there has been reported by the thread itself.
            let _ = thread.join();
        }
    }
}

fn run(spread: &mut Spread, listeners: &[Listener], stop: &OwnedFd) {
    let mut sources: Vec<BorrowedFd<'_>> = vec![stop.as_fd()];
    sources.extend(listeners.iter().map(|listener| listener.socket.as_fd()));
    loop {
        let ready = sys::wait_readable(&sources, spread.time_to_close());
        spread.close_refused();
        let is_stopping = ready.first() == Some(&true);
        for (listener, is_ready) in listeners.iter().zip(ready.iter().skip(1)) {
            if (*is_ready || is_stopping) && !accept_all(spread, listener) {
                // The stop signal is still seen.
                sys::wait_readable(&[stop.as_fd()], Some(REST));
            }
        }
        if is_stopping {
            return;
        }
    }
}

/// False if there is no room.
fn accept_all(spread: &mut Spread, listener: &Listener) -> bool {
    loop {
        let batch = spread.accept(listener);
        spread.deliver();
        match batch {
            Batch::Some => {}
            Batch::All => return true,
            Batch::NoRoom => return false,
        }
    }
}
