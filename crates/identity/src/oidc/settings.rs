//! An entry of `[identity.oidc]`, checked once. Every error names its key.

use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

use jsonwebtoken::{Algorithm, AlgorithmFamily};

use super::client::Client;
use crate::error::IdentityError;
use crate::options::{LocalUsers, OidcIssuer};
use crate::password::PasswordReader;

/// What tokens of an issuer must be, and how its keys are got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Settings {
    /// As tokens name it.
    pub(super) url: String,
    pub(super) audiences: Vec<String>,
    pub(super) algorithms: Vec<Algorithm>,
    pub(super) user_claim: String,
    pub(super) groups_claim: String,
    pub(super) clock_skew: Duration,
    pub(super) refresh_every: Duration,
    pub(super) unknown_key_every: Duration,
    pub(super) timeout: Duration,
    pub(super) local_users: LocalUsers,
    /// What this server is to the issuer when people sign in there by browser.
    pub(super) client: Option<Client>,
}

impl Settings {
    pub(super) fn read(name: &str, options: &OidcIssuer, passwords: &PasswordReader) -> Result<Self, IdentityError> {
        let error = |key: &str, problem: String| IdentityError::new(&format!("identity.oidc.{name}.{key}"), problem);
        if !may_be_fetched(&options.issuer) || options.issuer.contains(['?', '#']) {
            return Err(error("issuer", format!("'{}' is not {EXPECTED_URL}", options.issuer)));
        }
        if options.audiences.is_empty() || options.audiences.iter().any(String::is_empty) {
            return Err(error(
                "audiences",
                "name at least one audience: tokens for other programs are refused".to_owned(),
            ));
        }
        for (key, claim) in [("user_claim", &options.user_claim), ("groups_claim", &options.groups_claim)] {
            if claim.is_empty() {
                return Err(error(key, "the name of the claim is empty".to_owned()));
            }
        }
        let mut algorithms = Vec::new();
        for name in &options.algorithms {
            let known: Option<Algorithm> = name.parse().ok();
            let asymmetric = known.filter(|algorithm| algorithm.family() != AlgorithmFamily::Hmac);
            algorithms.push(asymmetric.ok_or_else(|| {
                error("algorithms", format!("'{name}' is not one of {}", OidcIssuer::ALGORITHMS.join(", ")))
            })?);
        }
        if algorithms.is_empty() {
            return Err(error("algorithms", "name at least one algorithm".to_owned()));
        }
        let seconds = |key: &str, seconds: u64, least: u64, most: u64| match (least..=most).contains(&seconds) {
            true => Ok(Duration::from_secs(seconds)),
            false => Err(error(key, format!("{seconds} is not a number of seconds from {least} to {most}"))),
        };
        Ok(Self {
            url: options.issuer.clone(),
            audiences: options.audiences.clone(),
            algorithms,
            user_claim: options.user_claim.clone(),
            groups_claim: options.groups_claim.clone(),
            clock_skew: seconds("clock_skew_seconds", options.clock_skew_seconds, 0, 600)?,
            refresh_every: seconds("refresh_seconds", options.refresh_seconds, 1, 86_400)?,
            unknown_key_every: seconds("unknown_key_seconds", options.unknown_key_seconds, 1, 3600)?,
            timeout: seconds("timeout_seconds", options.timeout_seconds, 1, 60)?,
            local_users: options.local_users,
            client: Client::read(name, options, passwords)?,
        })
    }

    /// Where the issuer describes itself.
    pub(super) fn discovery_url(&self) -> String {
        format!("{}/.well-known/openid-configuration", self.url.trim_end_matches('/'))
    }
}

const EXPECTED_URL: &str = "a URL with https://, or with http:// on this machine";

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
