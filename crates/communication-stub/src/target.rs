//! Which server is called: scheme, host and port, read from BAQURI and BAQPORT or from BAQ-ZCON-SERVER-URI.

use std::fmt;
use std::net::Ipv6Addr;

const DEFAULT_HOST: &str = "127.0.0.1";
const PLAIN_PORT: u16 = 9080;
const TLS_PORT: u16 = 9443;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) is_tls: bool,
    /// Without the brackets of an IPv6 address.
    pub(crate) host: String,
    pub(crate) port: u16,
}

impl Target {
    /// `[http://|https://]HOST[:PORT][/]`; `port` where the text has none. `None` for anything else.
    pub(crate) fn parse(text: &str, port: Option<u16>) -> Option<Self> {
        let (is_tls, rest) = match text.split_once("://") {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => (false, rest),
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("https") => (true, rest),
            Some(_) => return None,
            None => (false, text),
        };
        let (host, own_port) = split_port(rest.strip_suffix('/').unwrap_or(rest))?;
        let port = own_port.or(port).unwrap_or(if is_tls { TLS_PORT } else { PLAIN_PORT });
        Some(Self { is_tls, host: host.to_owned(), port })
    }

    /// When nothing is set but perhaps the port.
    pub(crate) fn local(port: Option<u16>) -> Self {
        Self { is_tls: false, host: DEFAULT_HOST.to_owned(), port: port.unwrap_or(PLAIN_PORT) }
    }
}

/// As in a Host header.
impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(formatter, "[{}]:{}", self.host, self.port)
        } else {
            write!(formatter, "{}:{}", self.host, self.port)
        }
    }
}

fn split_port(text: &str) -> Option<(&str, Option<u16>)> {
    if let Some(bracketed) = text.strip_prefix('[') {
        let (host, after) = bracketed.split_once(']')?;
        host.parse::<Ipv6Addr>().ok()?;
        return match after.strip_prefix(':') {
            Some(port) => Some((host, Some(parse_port(port)?))),
            None => after.is_empty().then_some((host, None)),
        };
    }
    match text.split_once(':') {
        // More than one colon and no brackets: an IPv6 address alone.
        Some((_, rest)) if rest.contains(':') => text.parse::<Ipv6Addr>().ok().map(|_| (text, None)),
        Some((host, port)) => is_host(host).then_some((host, Some(parse_port(port)?))),
        None => is_host(text).then_some((text, None)),
    }
}

/// A decimal number from 1 to 65535.
pub(crate) fn parse_port(text: &str) -> Option<u16> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?.filter(|port| *port != 0)
}

fn is_host(host: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    !host.is_empty() && host.len() <= 253 && host.bytes().all(allowed)
}

#[cfg(test)]
mod tests;
