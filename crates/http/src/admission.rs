//! Who may connect: counts of connections, of all and of each address.
//!
//! A connection is counted when it is accepted and counted off when it is closed, wherever that happens.

use crate::limits::Limits;
use crate::sys;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Files that a process needs besides its connections.
const RESERVED_FILES: usize = 64;

/// Address of a client in 18 bytes: an IPv4 address is held in its IPv6 form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Peer {
    address: Ipv6Addr,
    port: u16,
}

impl Peer {
    pub(crate) fn new(address: SocketAddr) -> Self {
        let port = address.port();
        match address.ip() {
            IpAddr::V4(address) => Self { address: address.to_ipv6_mapped(), port },
            IpAddr::V6(address) => Self { address, port },
        }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        SocketAddr::new(self.address.to_canonical(), self.port)
    }

    fn is_loopback(&self) -> bool {
        self.address.to_canonical().is_loopback()
    }

    /// What counts as one client: an IPv4 address, or an IPv6 network, since whoever has one address there has 2^64.
    fn client(&self) -> u128 {
        let bits = self.address.to_bits();
        if self.address.to_ipv4_mapped().is_some() { bits } else { bits >> 64 << 64 }
    }
}

/// Why a connection was not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Refused {
    /// The server has as many as it can hold.
    Full,
    /// The address has as many as it may.
    Address,
}

/// The counts of one server.
#[derive(Debug)]
pub(crate) struct Admission {
    limit: usize,
    limit_per_client: usize,
    count_loopback: bool,
    open: AtomicUsize,
    refused: AtomicU64,
    /// Empty without a limit per client.
    clients: Mutex<HashMap<u128, usize>>,
}

impl Admission {
    pub(crate) fn new(limits: &Limits) -> Self {
        let limit = match limits.connections {
            0 => sys::open_file_limit().saturating_sub(RESERVED_FILES).max(1),
            limit => limit,
        };
        Self {
            limit,
            limit_per_client: limits.connections_per_address,
            count_loopback: limits.count_loopback,
            open: AtomicUsize::new(0),
            refused: AtomicU64::new(0),
            clients: Mutex::default(),
        }
    }

    fn counts(&self, peer: &Peer) -> bool {
        self.limit_per_client > 0 && (self.count_loopback || !peer.is_loopback())
    }

    /// Counts a connection, if there is room for it.
    pub(crate) fn enter(&self, peer: &Peer) -> Result<(), Refused> {
        let refuse = |why| {
            self.refused.fetch_add(1, Ordering::Relaxed);
            Err(why)
        };
        if self.open.load(Ordering::Relaxed) >= self.limit {
            return refuse(Refused::Full);
        }
        if self.counts(peer) {
            let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
            let held = clients.entry(peer.client()).or_default();
            if *held >= self.limit_per_client {
                return refuse(Refused::Address);
            }
            *held += 1;
        }
        self.open.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Counts off a connection that had entered.
    pub(crate) fn leave(&self, peer: &Peer) {
        self.open.fetch_sub(1, Ordering::Relaxed);
        if self.counts(peer) {
            let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
            let client = peer.client();
            if let Some(held) = clients.get_mut(&client) {
                *held -= 1;
                if *held == 0 {
                    clients.remove(&client);
                    // Many clients once must not cost memory for ever.
                    if clients.capacity() > 1024 && clients.len() < clients.capacity() / 8 {
                        clients.shrink_to_fit();
                    }
                }
            }
        }
    }

    pub(crate) fn open(&self) -> usize {
        self.open.load(Ordering::Relaxed)
    }

    pub(crate) fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(text: &str) -> Peer {
        Peer::new(text.parse().expect("a test names an address"))
    }

    #[test]
    fn peers_keep_their_address() {
        for text in ["192.0.2.7:80", "[2001:db8::1]:443"] {
            assert_eq!(peer(text).address().to_string(), text);
        }
        assert_eq!(peer("[::ffff:192.0.2.7]:80"), peer("192.0.2.7:80"));
    }

    #[test]
    fn limits_hold_for_all_and_for_each() {
        let limits = Limits { connections: 3, connections_per_address: 2, ..Limits::default() };
        let admission = Admission::new(&limits);
        assert_eq!(admission.enter(&peer("192.0.2.7:1")), Ok(()));
        assert_eq!(admission.enter(&peer("192.0.2.7:2")), Ok(()));
        assert_eq!(admission.enter(&peer("192.0.2.7:3")), Err(Refused::Address));
        assert_eq!(admission.enter(&peer("192.0.2.8:1")), Ok(()));
        assert_eq!(admission.enter(&peer("192.0.2.9:1")), Err(Refused::Full));
        admission.leave(&peer("192.0.2.7:1"));
        assert_eq!(admission.enter(&peer("192.0.2.7:4")), Ok(()));
        assert_eq!((admission.open(), admission.refused()), (3, 2));
    }

    #[test]
    fn an_ipv6_network_is_one_client_and_this_machine_is_not_counted() {
        let limits = Limits { connections_per_address: 1, ..Limits::default() };
        let admission = Admission::new(&limits);
        assert_eq!(admission.enter(&peer("[2001:db8::1]:1")), Ok(()));
        assert_eq!(admission.enter(&peer("[2001:db8::2]:1")), Err(Refused::Address));
        assert_eq!(admission.enter(&peer("[2001:db8:0:1::1]:1")), Ok(()));
        assert_eq!(admission.enter(&peer("127.0.0.1:1")), Ok(()));
        assert_eq!(admission.enter(&peer("127.0.0.1:2")), Ok(()));
    }
}
