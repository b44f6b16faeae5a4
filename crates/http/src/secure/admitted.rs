//! The place that a connection inside of TLS has in its worker's counts.

use crate::admission::Peer;
use crate::mailbox::Mailbox;
use crate::shared::Shared;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

/// Holds the place of one connection; dropping it gives the place back. Until then the worker is not
/// [empty](crate::Worker::is_empty).
pub struct Admitted {
    shared: Arc<Shared>,
    mailbox: Arc<Mailbox>,
    peer: Peer,
}

impl Admitted {
    /// Takes over what the acceptor has counted.
    pub(crate) fn new(shared: Arc<Shared>, mailbox: Arc<Mailbox>, peer: Peer) -> Self {
        mailbox.add_secure();
        Self { shared, mailbox, peer }
    }

    /// Address of the client.
    #[must_use]
    pub fn peer(&self) -> SocketAddr {
        self.peer.address()
    }

    pub(super) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    pub(super) fn mailbox(&self) -> &Arc<Mailbox> {
        &self.mailbox
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        self.shared.admission.leave(&self.peer);
        self.mailbox.remove_secure();
    }
}

impl fmt::Debug for Admitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Admitted").field(&self.peer()).finish()
    }
}
