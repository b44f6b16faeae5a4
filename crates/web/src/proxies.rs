//! Who the client is when proxies stand in between: only the word of those that are trusted counts.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

/// Addresses that begin with the same bits: `10.0.0.0/8`, `::1`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Network {
    /// IPv4 addresses as the IPv6 addresses they are mapped to.
    first: u128,
    /// Number of bits that count, of 128.
    bits: u32,
}

/// A text that names no network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvalidNetwork(String);

impl fmt::Display for InvalidNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}' is no address and no network; write 10.0.0.1 or 10.0.0.0/8", self.0)
    }
}

impl std::error::Error for InvalidNetwork {}

fn number(address: IpAddr) -> u128 {
    let address: Ipv6Addr = match address {
        IpAddr::V4(address) => address.to_ipv6_mapped(),
        IpAddr::V6(address) => address,
    };
    address.to_bits()
}

/// The bits that count.
fn mask(bits: u32) -> u128 {
    if bits == 0 { 0 } else { u128::MAX << (128 - bits.min(128)) }
}

impl Network {
    /// Is the address one of the network's?
    pub(crate) fn contains(&self, address: IpAddr) -> bool {
        number(address) & mask(self.bits) == self.first
    }
}

impl FromStr for Network {
    type Err = InvalidNetwork;

    fn from_str(text: &str) -> Result<Self, InvalidNetwork> {
        let invalid = || InvalidNetwork(text.to_owned());
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits.parse::<u32>().map_err(|_| invalid())?)),
            None => (text, None),
        };
        let address: IpAddr = address.trim().parse().map_err(|_| invalid())?;
        let width = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.unwrap_or(width);
        if bits > width {
            return Err(invalid());
        }
        let bits = bits + 128 - width;
        Ok(Self { first: number(address) & mask(bits), bits })
    }
}

/// The client's address: the connection's, or, if that is a trusted proxy's, the last one of `X-Forwarded-For` that is not.
///
/// Each proxy appends whom it got the request from, so what stands in front of the first untrusted address, counted from the end,
/// can be anything the client wrote.
pub(crate) fn client<'v>(peer: IpAddr, trusted: &[Network], forwarded: impl Iterator<Item = &'v [u8]>) -> IpAddr {
    let peer = peer.to_canonical();
    let is_trusted = |address: IpAddr| trusted.iter().any(|network| network.contains(address));
    if trusted.is_empty() || !is_trusted(peer) {
        return peer;
    }
    let mut hops: Vec<&[u8]> = forwarded.flat_map(|value| value.split(|byte| *byte == b',')).collect();
    let mut client = peer;
    while let Some(hop) = hops.pop() {
        let Some(address) = parse(hop) else { break };
        client = address;
        if !is_trusted(client) {
            break;
        }
    }
    client
}

/// An address as proxies write it: with or without port, IPv6 with or without brackets.
fn parse(hop: &[u8]) -> Option<IpAddr> {
    let text = str::from_utf8(hop).ok()?.trim();
    let address = text.parse().ok().or_else(|| {
        let socket = text.parse::<std::net::SocketAddr>().ok().map(|socket| socket.ip());
        socket.or_else(|| text.strip_prefix('[')?.strip_suffix(']')?.parse().ok())
    });
    address.map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client_of(peer: &str, trusted: &[&str], forwarded: &[&str]) -> String {
        let trusted: Vec<Network> = trusted.iter().map(|text| text.parse().expect("a network")).collect();
        let peer = peer.parse().expect("an address");
        client(peer, &trusted, forwarded.iter().map(|value| value.as_bytes())).to_string()
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        let chain = ["1.2.3.4, 5.6.7.8", "10.0.0.2"];
        assert_eq!(client_of("9.9.9.9", &["10.0.0.0/8"], &chain), "9.9.9.9");
        assert_eq!(client_of("10.0.0.1", &[], &chain), "10.0.0.1");
        assert_eq!(client_of("10.0.0.1", &["10.0.0.0/8"], &chain), "5.6.7.8");
        assert_eq!(client_of("10.0.0.1", &["0.0.0.0/0"], &chain), "1.2.3.4");
        assert_eq!(client_of("::ffff:10.0.0.1", &["10.0.0.1"], &["7.7.7.7"]), "7.7.7.7");
    }

    #[test]
    fn what_is_no_address_ends_the_search() {
        assert_eq!(client_of("10.0.0.1", &["10.0.0.0/8"], &["1.1.1.1, unknown"]), "10.0.0.1");
        assert_eq!(client_of("10.0.0.1", &["10.0.0.0/8"], &["1.1.1.1:80"]), "1.1.1.1");
        assert_eq!(client_of("10.0.0.1", &["10.0.0.0/8"], &["[2001:db8::1]:443"]), "2001:db8::1");
        assert_eq!(client_of("10.0.0.1", &["10.0.0.0/8"], &["[2001:db8::1]"]), "2001:db8::1");
        assert_eq!(client_of("10.0.0.1", &["10.0.0.0/8"], &[]), "10.0.0.1");
    }

    #[test]
    fn networks_are_checked() {
        for text in ["10.0.0.0/33", "10.0.0", "", "/8", "::/129", "x", "10.0.0.0/-1"] {
            assert!(text.parse::<Network>().is_err(), "{text}");
        }
        let network: Network = "10.1.2.3/16".parse().expect("a network");
        assert!(network.contains("10.1.255.255".parse().expect("an address")));
        assert!(!network.contains("10.2.0.0".parse().expect("an address")));
        let all: Network = "::/0".parse().expect("a network");
        assert!(all.contains("1.1.1.1".parse().expect("an address")));
    }
}
