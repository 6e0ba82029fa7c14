//! Which URLs of an issuer are asked, and which pages of it people are sent to.

use std::net::{IpAddr, Ipv6Addr};

/// HTTPS, or a loopback address: keys that anybody on the way could replace are worth nothing.
pub(super) fn may_be_fetched(url: &str) -> bool {
    let (is_tls, rest) = match (url.strip_prefix("https://"), url.strip_prefix("http://")) {
        (Some(rest), _) => (true, rest),
        (_, Some(rest)) => (false, rest),
        _ => return false,
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_plain =
        !authority.is_empty() && rest.bytes().all(|byte| byte.is_ascii_graphic()) && !authority.contains('@');
    is_plain && (is_tls || is_loopback(authority))
}

/// `HOST`, `HOST:PORT` or `[ADDRESS]:PORT`.
fn is_loopback(authority: &str) -> bool {
    let host = match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => return address.parse::<Ipv6Addr>().is_ok_and(|address| address.is_loopback()),
        None => authority.split(':').next().unwrap_or_default(),
    };
    host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_by_https_or_from_this_machine() {
        for (url, expected) in [
            ("https://login.example.com/realms/mq", true),
            ("https://login.example.com:8443", true),
            ("http://127.0.0.1:5556/dex", true),
            ("http://localhost/dex", true),
            ("http://[::1]:5556", true),
            ("http://login.example.com", false),
            ("http://localhost.example.com", false),
            ("http://127.0.0.1@example.com/", false),
            ("http://127.0.0.1.example.com/", false),
            ("ftp://localhost", false),
            ("https://", false),
            ("https://a b", false),
            ("", false),
        ] {
            assert_eq!(may_be_fetched(url), expected, "{url}");
        }
    }
}
