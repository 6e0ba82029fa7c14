//! One token: read, then verified with the issuer's keys, then held against what the issuer's tokens must be.
//!
//! Pure: the caller passes keys and the time. A token that cannot be used is refused with a reason for the log; a client is told no
//! more than that it is not valid.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::Algorithm;
use model::timestamp::Timestamp;
use serde_json::Value;

use super::claims::{find, seconds, texts};
use super::key_set::KeySet;
use super::settings::Settings;

/// Longest token that is looked at, in bytes.
const MAXIMUM_BYTES: usize = 16 << 10;
/// Longest name of a user, in bytes.
const LONGEST_USER: usize = 256;
/// Most groups that count.
const MOST_GROUPS: usize = 1000;
/// Characters of a value that a refusal quotes.
const QUOTED: usize = 80;

/// A token that was read and not verified.
pub(super) struct Token<'t> {
    algorithm: Algorithm,
    key: Option<String>,
    /// Header and claims as they were signed.
    signed: &'t str,
    signature: &'t str,
    claims: Value,
    /// RFC 9068 names it an access token.
    is_named_access_token: bool,
    /// What it says who issued it.
    pub(super) issuer: String,
}

/// Whom a verified token means.
pub(super) struct Subject {
    pub(super) user: String,
    pub(super) groups: Vec<String>,
}

/// Why a token is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("it is not a signed JSON Web Token: {0}")]
    Malformed(&'static str),
    #[error("its type '{0}' is not that of an access token")]
    Type(String),
    #[error("its type 'at+jwt' is not that of an ID token")]
    NotAnIdToken,
    #[error("its issuer '{0}' is not configured")]
    UnknownIssuer(String),
    #[error("its algorithm {0} is not among those configured for the issuer")]
    Algorithm(String),
    #[error("the issuer has no key '{0}' for its algorithm")]
    UnknownKey(String),
    #[error("its signature is wrong")]
    Signature,
    #[error("it is for the audience '{0}'")]
    Audience(String),
    #[error("it expired {} s ago", .0.as_secs())]
    Expired(Duration),
    #[error("it is good in {} s only", .0.as_secs())]
    NotYetValid(Duration),
    #[error("the claim '{0}' is missing or has a wrong type")]
    Claim(String),
    #[error("it is for another sign-in: its nonce is missing or another one")]
    Nonce,
    #[error("its user '{user}' is refused: {why}")]
    Taken { user: String, why: &'static str },
}

impl Refusal {
    pub(super) fn unknown_issuer(issuer: &str) -> Self {
        Self::UnknownIssuer(quoted(issuer))
    }

    pub(super) fn taken(user: &str, why: &'static str) -> Self {
        Self::Taken { user: quoted(user), why }
    }
}

/// What a token says, for the log.
pub(super) fn quoted(text: &str) -> String {
    text.chars().take(QUOTED).flat_map(char::escape_debug).collect()
}

impl<'t> Token<'t> {
    /// Reads header and claims; nothing of them is believed yet.
    pub(super) fn read(text: &'t str) -> Result<Self, Refusal> {
        if text.len() > MAXIMUM_BYTES {
            return Err(Refusal::Malformed("it has more than 16384 bytes"));
        }
        let parts = Refusal::Malformed("it has no three parts");
        let (signed, signature) = text.rsplit_once('.').ok_or_else(|| parts.clone())?;
        let (header, claims) = signed.split_once('.').filter(|(_, rest)| !rest.contains('.')).ok_or(parts)?;
        let header = json(header).ok_or(Refusal::Malformed("its header is no JSON object"))?;
        let claims = json(claims).ok_or(Refusal::Malformed("its claims are no JSON object"))?;
        let member = |name: &str| header.get(name).and_then(Value::as_str);
        let name = member("alg").ok_or(Refusal::Malformed("it names no algorithm"))?;
        // What is not known here, such as none, cannot be configured either.
        let algorithm = name.parse().map_err(|_| Refusal::Algorithm(quoted(name)))?;
        if header.get("crit").is_some() || header.get("b64").is_some() {
            return Err(Refusal::Malformed("it wants header members to be understood that are not"));
        }
        if let Some(kind) = member("typ").filter(|kind| !is_access_token(kind)) {
            return Err(Refusal::Type(quoted(kind)));
        }
        let key = match header.get("kid") {
            None => None,
            Some(Value::String(key)) => Some(key.clone()),
            Some(_) => return Err(Refusal::Malformed("its key id is no text")),
        };
        let issuer = claims.get("iss").and_then(Value::as_str).ok_or_else(|| Refusal::Claim("iss".to_owned()))?;
        let is_named_access_token = member("typ").is_some_and(|kind| plain_kind(kind) == "at+jwt");
        Ok(Self { algorithm, key, signed, signature, is_named_access_token, issuer: issuer.to_owned(), claims })
    }

    /// Whom it means as an access token, and when it stops being good.
    ///
    /// # Errors
    /// Why it is not accepted; `UnknownKey` may change when the issuer is asked for its keys.
    pub(super) fn verify(
        &self,
        keys: &KeySet,
        settings: &Settings,
        now: Timestamp,
    ) -> Result<(Subject, Timestamp), Refusal> {
        let ends = self.check(&settings.audiences, keys, settings, now)?;
        Ok((self.subject(settings)?, ends))
    }

    /// As an ID token for a client, of the sign-in with this nonce. Who the user is, is not looked at.
    ///
    /// # Errors
    /// As `verify`.
    pub(super) fn verify_sign_in(
        &self,
        client: &str,
        nonce: &str,
        keys: &KeySet,
        settings: &Settings,
        now: Timestamp,
    ) -> Result<(), Refusal> {
        if self.is_named_access_token {
            return Err(Refusal::NotAnIdToken);
        }
        self.check(&[client.to_owned()], keys, settings, now)?;
        if let Some(party) = self.claims.get("azp").filter(|party| party.as_str() != Some(client)) {
            return Err(Refusal::Audience(quoted(party.as_str().unwrap_or_default())));
        }
        match self.text("nonce") == Some(nonce) {
            false => Err(Refusal::Nonce),
            true => self.text("sub").map(drop).ok_or_else(|| Refusal::Claim("sub".to_owned())),
        }
    }

    /// What the issuer calls the user.
    pub(super) fn subject_id(&self) -> Option<&str> {
        self.text("sub")
    }

    fn text(&self, claim: &str) -> Option<&str> {
        self.claims.get(claim).and_then(Value::as_str)
    }

    /// Algorithm, signature, audience and times. Gives when the token stops being good.
    fn check(
        &self,
        accepted: &[String],
        keys: &KeySet,
        settings: &Settings,
        now: Timestamp,
    ) -> Result<Timestamp, Refusal> {
        if !settings.algorithms.contains(&self.algorithm) {
            return Err(Refusal::Algorithm(format!("{:?}", self.algorithm)));
        }
        let id = self.key.as_deref();
        let key = keys.find(id, self.algorithm).ok_or_else(|| Refusal::UnknownKey(quoted(id.unwrap_or_default())))?;
        let verified = jsonwebtoken::crypto::verify(self.signature, self.signed.as_bytes(), key, self.algorithm);
        if !verified.unwrap_or(false) {
            return Err(Refusal::Signature);
        }
        let audiences = self.claims.get("aud").map(audiences).unwrap_or_default();
        if !audiences.iter().any(|audience| accepted.contains(audience)) {
            return Err(Refusal::Audience(quoted(&audiences.join(" "))));
        }
        self.check_times(settings, now)
    }

    /// Whom it means, once it is verified.
    ///
    /// # Errors
    /// It names no user.
    pub(super) fn subject(&self, settings: &Settings) -> Result<Subject, Refusal> {
        let claim = |path: &str| find(&self.claims, path);
        let missing = || Refusal::Claim(quoted(&settings.user_claim));
        let user = claim(&settings.user_claim).and_then(Value::as_str).ok_or_else(missing)?;
        let is_name = (1..=LONGEST_USER).contains(&user.len()) && !user.chars().any(char::is_control);
        if !is_name || user.trim() != user {
            return Err(missing());
        }
        let mut groups = claim(&settings.groups_claim).map(texts).unwrap_or_default();
        groups.truncate(MOST_GROUPS);
        Ok(Subject { user: user.to_owned(), groups })
    }

    /// When the token stops being good.
    fn check_times(&self, settings: &Settings, now: Timestamp) -> Result<Timestamp, Refusal> {
        let time = |name: &str| match self.claims.get(name) {
            None => Ok(None),
            Some(value) => match seconds(value) {
                Some(seconds) => Ok(Some(Timestamp(seconds.saturating_mul(1_000_000)))),
                None => Err(Refusal::Claim(name.to_owned())),
            },
        };
        let expires = time("exp")?.ok_or_else(|| Refusal::Claim("exp".to_owned()))?;
        let ends = expires.saturating_add(settings.clock_skew);
        if now >= ends {
            return Err(Refusal::Expired(now.since(expires)));
        }
        for begins in [time("nbf")?, time("iat")?].into_iter().flatten() {
            if begins > now.saturating_add(settings.clock_skew) {
                return Err(Refusal::NotYetValid(begins.since(now)));
            }
        }
        Ok(ends)
    }
}

/// A list of texts or one text, which is not taken apart.
fn audiences(value: &Value) -> Vec<String> {
    match value {
        Value::String(one) => vec![one.clone()],
        other => texts(other),
    }
}

/// RFC 9068 names access tokens `at+jwt`; most issuers say `JWT`. A token for another purpose, such as a logout, is none.
fn is_access_token(kind: &str) -> bool {
    matches!(&*plain_kind(kind), "jwt" | "at+jwt")
}

fn plain_kind(kind: &str) -> String {
    let kind = kind.to_ascii_lowercase();
    kind.strip_prefix("application/").map(str::to_owned).unwrap_or(kind)
}

fn json(part: &str) -> Option<Value> {
    let bytes = URL_SAFE_NO_PAD.decode(part).ok()?;
    serde_json::from_slice(&bytes).ok().filter(Value::is_object)
}
