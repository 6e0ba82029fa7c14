//! An entry of `[identity.oidc]`, checked once. Every error names its key.

use std::time::Duration;

use jsonwebtoken::{Algorithm, AlgorithmFamily};

use super::client::Client;
use super::url::may_be_fetched;
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
