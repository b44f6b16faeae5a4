//! What all workers and the acceptor of one server share.

use crate::admission::Admission;
use crate::limits::Limits;
use crate::spool::Spool;
use std::sync::Arc;

/// Limits, counts of connections, and the thread for large bodies.
pub struct Shared {
    pub(crate) limits: Limits,
    pub(crate) admission: Admission,
    pub(crate) spool: Spool,
}

impl Shared {
    /// For one server with these limits.
    #[must_use]
    pub fn new(limits: Limits) -> Arc<Self> {
        let admission = Admission::new(&limits);
        let spool = Spool::new(limits.spool_folder.clone());
        Arc::new(Self { limits, admission, spool })
    }

    /// Connections of all workers.
    #[must_use]
    pub fn open_connections(&self) -> usize {
        self.admission.open()
    }

    /// Connections that were refused since the start, for a full server or a full address.
    #[must_use]
    pub fn refused_connections(&self) -> u64 {
        self.admission.refused()
    }
}
