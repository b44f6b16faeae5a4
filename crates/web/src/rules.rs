//! What the server does that no program says.

use crate::proxies::Network;

/// How requests are answered beside what the program says; the same for all workers.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    /// Answer `HEAD` with the `GET` route.
    pub(crate) head: bool,
    /// Answer `OPTIONS` with the methods of a path.
    pub(crate) options: bool,
    /// Tell a path without the method (405) from one without any route (404).
    pub(crate) not_allowed: bool,
    /// Show errors to the client.
    pub(crate) dev: bool,
    /// Whose word about the client's address counts.
    pub(crate) trusted_proxies: Vec<Network>,
}
