//! Connection names: `host(port)`, several separated by commas, tried in order.
//!
//! Source: MQ reference, "Connection name (CONNAME)", 9.3. `host:port` is ours, as `--mq` writes it.

use std::fmt;
use std::str::FromStr;

/// Where a queue manager listens when nothing else is said.
pub const DEFAULT_PORT: u16 = 1414;
/// Most characters of a connection name list.
const MOST_CHARACTERS: usize = 264;

/// One host and port. The host is a name or an address; it is resolved when connecting.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Address {
    pub host: String,
    pub port: u16,
}

/// At least one address, in the order in which they are tried.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ConnectionNames(Vec<Address>);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' is not a list of addresses such as host(1414),other.host(1415)")]
pub struct AddressError {
    text: String,
}

impl ConnectionNames {
    pub fn one(host: impl Into<String>, port: u16) -> Self {
        Self(vec![Address { host: host.into(), port }])
    }

    /// `None` of no addresses.
    pub fn new(addresses: Vec<Address>) -> Option<Self> {
        (!addresses.is_empty()).then_some(Self(addresses))
    }

    pub fn addresses(&self) -> &[Address] {
        &self.0
    }
}

impl FromStr for ConnectionNames {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let failed = || AddressError { text: text.chars().take(80).collect() };
        if text.len() > MOST_CHARACTERS {
            return Err(failed());
        }
        let addresses: Option<Vec<Address>> = text.split(',').map(|one| address(one.trim())).collect();
        addresses.and_then(Self::new).ok_or_else(failed)
    }
}

/// `host(port)`, `host:port`, `[v6]:port` or `host` alone.
fn address(text: &str) -> Option<Address> {
    let (host, port) = if let Some((host, rest)) = text.split_once('(') {
        (host.trim_end(), Some(rest.strip_suffix(')')?.trim()))
    } else if let Some(bracketed) = text.strip_prefix('[') {
        let (host, rest) = bracketed.split_once(']')?;
        (host, if rest.is_empty() { None } else { Some(rest.strip_prefix(':')?) })
    } else {
        match text.split_once(':') {
            // More than one colon: an address of version 6 without a port.
            Some((host, port)) if !port.contains(':') => (host, Some(port)),
            _ => (text, None),
        }
    };
    let port = port.map_or(Some(DEFAULT_PORT), |port| port.parse().ok().filter(|&port| port > 0))?;
    let fits = !host.is_empty() && !host.contains(['(', ')', '[', ']', ' ', '\0']);
    fits.then(|| Address { host: host.to_owned(), port })
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.host, self.port)
    }
}

impl fmt::Display for ConnectionNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, address) in self.0.iter().enumerate() {
            write!(f, "{}{address}", if index > 0 { "," } else { "" })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
