//! Which addresses may be reached by URLs that users name: those of the public internet, and the networks that the configuration
//! allows.
//!
//! Pure: an address comes in, a decision goes out. `connect.rs` asks for each address that a name was resolved to, just before it
//! connects to that address, so a name that resolves otherwise a moment later reaches nothing else.
//!
//! An address that carries one of IPv4 (mapped, compatible, NAT64, 6to4) is judged by that one.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A network, such as `10.0.0.0/8` or `fd00::/8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Network {
    /// Of IPv4 as mapped to IPv6.
    address: u128,
    /// Of the 128 bits.
    prefix: u32,
}

/// The networks that are allowed beside the public internet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Networks(Vec<Network>);

/// What is no network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no network: expected an address with the length of its prefix, such as 10.1.0.0/16 or fd00::/8")]
pub struct NotANetwork(String);

impl Networks {
    /// An address alone is a network of one.
    ///
    /// # Errors
    /// The first text that is no network.
    pub fn parse<T: AsRef<str>>(texts: &[T]) -> Result<Self, NotANetwork> {
        let network = |text: &T| Network::parse(text.as_ref()).ok_or_else(|| NotANetwork(text.as_ref().to_owned()));
        texts.iter().map(network).collect::<Result<_, _>>().map(Self)
    }

    pub fn allows(&self, address: IpAddr) -> bool {
        self.names(address) || is_public(address) || carried(address).is_some_and(|inner| self.names(inner.into()))
    }

    fn names(&self, address: IpAddr) -> bool {
        let bits = bits_of(address);
        self.0.iter().any(|network| network.holds(bits))
    }
}

impl Network {
    fn parse(text: &str) -> Option<Self> {
        let (address, length) = match text.trim().split_once('/') {
            Some((address, length)) => (address, Some(length.parse::<u32>().ok()?)),
            None => (text.trim(), None),
        };
        let address: IpAddr = address.parse().ok()?;
        let (whole, before) = if address.is_ipv4() { (32, 96) } else { (128, 0) };
        let length = length.unwrap_or(whole);
        (length <= whole).then(|| Self { address: bits_of(address), prefix: before + length })
    }

    fn holds(&self, address: u128) -> bool {
        let shift = 128 - self.prefix;
        let first = |bits: u128| bits.checked_shr(shift).unwrap_or(0);
        first(self.address) == first(address)
    }
}

fn bits_of(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
        IpAddr::V6(address) => address.to_bits(),
    }
}

/// The IPv4 address that an IPv6 address stands for.
fn carried(address: IpAddr) -> Option<Ipv4Addr> {
    let IpAddr::V6(address) = address else { return None };
    let of = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match address.segments() {
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(of(high, low)),
        [0x2002, high, low, ..] => Some(of(high, low)),
        _ => None,
    }
}

/// Global unicast, by the registries of special-purpose addresses (RFC 6890 and its updates).
fn is_public(address: IpAddr) -> bool {
    match (address, carried(address)) {
        (IpAddr::V4(address), _) | (_, Some(address)) => is_public_v4(address),
        (IpAddr::V6(address), None) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    !matches!(
        address.octets(),
        [0 | 10 | 127 | 224..=255, ..]
            | [100, 64..=127, ..]
            | [169, 254, ..]
            | [172, 16..=31, ..]
            | [192, 0, 0 | 2, _]
            | [192, 88, 99, _]
            | [192, 168, ..]
            | [198, 18 | 19, ..]
            | [198, 51, 100, _]
            | [203, 0, 113, _]
    )
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    // Only 2000::/3 is global unicast; of it, 2001::/23 is for protocols and 2001:db8::/32 and 3fff::/20 for documentation.
    match address.segments() {
        [0x2001, 0..=0x1ff | 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => false,
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(networks: &[&str], address: &str) -> bool {
        Networks::parse(networks).expect("networks").allows(address.parse().expect("an address"))
    }

    #[test]
    fn addresses_that_are_not_of_the_public_internet_are_refused() {
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "127.0.0.1",
            "127.9.9.9",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.168.1.1",
            "198.18.0.1",
            "224.0.0.1",
            "239.1.1.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::10.0.0.1",
            "64:ff9b::a00:1",
            "64:ff9b:1::1",
            "2002:a00:1::1",
            "2001::1",
            "2001:db8::1",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "100::1",
        ] {
            assert!(!allows(&[], address), "{address}");
        }
        for address in [
            "1.1.1.1",
            "9.255.255.255",
            "11.0.0.1",
            "100.63.0.1",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "192.167.1.1",
            "223.255.255.255",
            "2606:4700::1111",
            "::ffff:1.1.1.1",
            "64:ff9b::101:101",
            "2002:101:101::1",
        ] {
            assert!(allows(&[], address), "{address}");
        }
    }

    #[test]
    fn an_allowed_network_is_allowed_in_each_form_of_its_addresses_and_no_further() {
        for (networks, address, expected) in [
            (&["127.0.0.0/8"][..], "127.0.0.1", true),
            (&["127.0.0.0/8"], "::ffff:127.0.0.1", true),
            (&["127.0.0.0/8"], "64:ff9b::7f00:1", true),
            (&["127.0.0.0/8"], "::1", false),
            (&["127.0.0.1"], "127.0.0.2", false),
            (&["10.1.0.0/16"], "10.1.2.3", true),
            (&["10.1.0.0/16"], "10.2.0.1", false),
            (&["::1", "fd00::/8"], "fd12:3456::1", true),
            (&["::1", "fd00::/8"], "fc00::1", false),
            (&["0.0.0.0/0"], "192.168.7.7", true),
            (&["0.0.0.0/0"], "fd00::1", false),
            (&["::/0"], "10.0.0.1", true),
        ] {
            assert_eq!(allows(networks, address), expected, "{networks:?} {address}");
        }
    }

    #[test]
    fn what_is_no_network_is_named() {
        for text in ["", "localhost", "10.0.0.0/33", "fd00::/129", "10.0.0/8", "10.0.0.0/", "10.0.0.0/-1"] {
            assert_eq!(Networks::parse(&[text]), Err(NotANetwork(text.to_owned())));
        }
    }
}
