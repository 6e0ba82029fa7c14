//! Where a client comes from, for everything that limits clients by address.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

/// An IPv4 address, or a network of 64 bits of IPv6, which one subscriber has as a whole.
///
/// An IPv4 address inside an IPv6 address is an IPv4 address. The loopback address of IPv6 stays itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientAddress(IpAddr);

/// Bits of an IPv6 address that name the network.
const NETWORK_BITS: u32 = 64;

impl From<IpAddr> for ClientAddress {
    fn from(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(address) if !address.is_loopback() => {
                IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> NETWORK_BITS << NETWORK_BITS))
            }
            other => other,
        })
    }
}

impl fmt::Display for ClientAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            IpAddr::V6(network) if !network.is_loopback() => write!(formatter, "{network}/{NETWORK_BITS}"),
            address => address.fmt(formatter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> ClientAddress {
        text.parse::<IpAddr>().expect("an address").into()
    }

    #[test]
    fn a_network_of_ipv6_is_one_address() {
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:1"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_eq!(of("2001:db8::1").to_string(), "2001:db8::/64");
    }

    #[test]
    fn an_ipv4_address_is_itself_also_inside_an_ipv6_address() {
        assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
        assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
        assert_eq!(of("::ffff:192.0.2.1").to_string(), "192.0.2.1");
    }

    #[test]
    fn loopback_of_ipv6_is_no_network() {
        assert_eq!(of("::1").to_string(), "::1");
        assert_ne!(of("::1"), of("::2"));
    }
}
