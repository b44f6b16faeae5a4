//! What the server does that no program says.

use crate::files::Folder;
use crate::metrics::Metrics;
use crate::proxies::{self, Network};
use http::Request;
use std::net::IpAddr;
use std::sync::Arc;

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
    /// Files that are served where no route answers.
    pub(crate) files: Option<Folder>,
    /// Compress responses?
    pub(crate) compression: bool,
    /// What has been counted.
    pub(crate) metrics: Arc<Metrics>,
}

impl Rules {
    /// Address of the client behind the proxies that are trusted.
    pub(crate) fn client_address(&self, request: &Request) -> IpAddr {
        let forwarded = request.headers().filter(|(name, _)| name.eq_ignore_ascii_case("x-forwarded-for"));
        proxies::client(request.peer().ip(), &self.trusted_proxies, forwarded.map(|(_, value)| value))
    }
}
