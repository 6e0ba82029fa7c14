//! Credentials that a client sends on purpose with every request: an API key, or a token of an issuer.
//!
//! `X-API-Key: qm_...`, `Authorization: Bearer qm_...` and `Authorization: Bearer TOKEN`. A value of `X-API-Key` that is no key of ours,
//! such as one for a gateway, is passed over; so is a token where no issuer is configured.

use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::Arc;

use model::authority::Principal;
use model::timestamp::Timestamp;
use parking_lot::Mutex;
use tokio::runtime::Handle;

use crate::api_key::{ApiKey, ApiKeys, is_api_key};
use crate::authenticator::Credentials;
use crate::bindings::Bindings;
use crate::cache::{Ends, VerifiedCache};
use crate::error::IdentityError;
use crate::identity::Identity;
use crate::log_lines::Lines;
use crate::oidc::sign_in::SignInRefusal;
use crate::oidc::{Issuers, Refusal};
use crate::options::Identities;
use crate::users::{Lookup, Users};

/// Identities of keys remembered at most.
const CACHE_CAPACITY: usize = 10_000;

/// Issuers and API keys of one configuration.
pub(super) struct Bearers {
    issuers: Issuers,
    api_keys: Arc<ApiKeys>,
    /// Identities of keys, whose users were looked up.
    known: VerifiedCache<KnownKey>,
    hasher: RandomState,
    lines: Mutex<Lines>,
}

struct KnownKey {
    key: Arc<ApiKey>,
    identity: Arc<Identity>,
    ends_ms: u64,
}

impl Ends for KnownKey {
    fn ends_ms(&self) -> u64 {
        self.ends_ms
    }
}

/// What a request presents.
#[derive(Clone, Copy)]
pub(super) enum Presented<'a> {
    ApiKey(&'a str),
    Token(&'a str),
}

impl Bearers {
    /// # Errors
    /// Names the key of the configuration that cannot be used.
    pub(super) fn new(
        options: &Identities<'_>,
        bindings: Arc<Bindings>,
        before: Option<&Self>,
        runtime: Option<Handle>,
    ) -> Result<Self, IdentityError> {
        Ok(Self {
            issuers: Issuers::new(options, bindings, before.map(|before| &before.issuers), runtime)?,
            api_keys: match options.bearers {
                Some(bearers) => Arc::clone(bearers.api_keys),
                None => Arc::new(ApiKeys::in_memory()),
            },
            known: VerifiedCache::new(CACHE_CAPACITY),
            hasher: RandomState::new(),
            lines: Mutex::default(),
        })
    }

    pub(super) fn issuers(&self) -> &Issuers {
        &self.issuers
    }

    pub(super) fn api_keys(&self) -> &Arc<ApiKeys> {
        &self.api_keys
    }

    /// What the headers of a request present, if anything that counts here.
    pub(super) fn presented<'a>(&self, credentials: &Credentials<'a>) -> Option<Presented<'a>> {
        let text = |value: &'a [u8]| std::str::from_utf8(value).ok().map(str::trim);
        if let Some(key) = credentials.api_key.and_then(text).filter(|key| is_api_key(key)) {
            return Some(Presented::ApiKey(key));
        }
        let token = credentials.authorization.and_then(token)?;
        match is_api_key(token) {
            true => Some(Presented::ApiKey(token)),
            false => (!self.issuers.is_empty()).then_some(Presented::Token(token)),
        }
    }

    /// Whom a key acts as: its user with that user's groups, for messaging. A user that is known nowhere has none.
    pub(super) fn identity_of_key(&self, key: &Arc<ApiKey>, users: &Users, now: Timestamp) -> Lookup {
        let (hash, now_ms) = (self.hasher.hash_one(&key.id), now.as_millis());
        let known = self.known.find(hash, |known| {
            (Arc::ptr_eq(&known.key, key) && now_ms < known.ends_ms).then(|| Arc::clone(&known.identity))
        });
        if let Some(identity) = known {
            return Lookup::Known(identity);
        }
        let (principal, counts_until) = match users.of_name(&key.user, now) {
            Lookup::Known(user) => (user.principal.clone(), user.counts_until),
            Lookup::Unknown => (Principal::user(&key.user), None),
            ask @ Lookup::Ask(_) => return ask,
        };
        let identity = Arc::new(Identity::of_api_key(principal, &key.user, counts_until, Arc::clone(&key.scope)));
        let ends_ms = counts_until.map_or(u64::MAX, Timestamp::as_millis);
        let entry = KnownKey { key: Arc::clone(key), identity: Arc::clone(&identity), ends_ms };
        self.known.insert(hash, entry, now_ms);
        Lookup::Known(identity)
    }

    /// Writes why a token is refused, unless many lines have said so lately.
    pub(super) fn tell(&self, refusal: &Refusal, address: IpAddr, now: Timestamp) {
        if let Some(lines_left_out) = self.lines.lock().take(now) {
            tracing::warn!(%address, lines_left_out, "bearer token refused: {refusal}");
        }
    }

    /// As `tell`, of a sign-in by browser.
    pub(super) fn tell_of_sign_in(&self, issuer: &str, why: &SignInRefusal, address: IpAddr, now: Timestamp) {
        if let Some(lines_left_out) = self.lines.lock().take(now) {
            let issuer: String = issuer.chars().take(64).flat_map(char::escape_debug).collect();
            tracing::warn!(issuer, %address, lines_left_out, "sign-in at an issuer refused: {why}");
        }
    }

    /// As `tell`, of an API key.
    pub(super) fn tell_of_expired(&self, key: &ApiKey, address: IpAddr, now: Timestamp) {
        if let Some(lines_left_out) = self.lines.lock().take(now) {
            let (id, user) = (&key.id, &key.user);
            tracing::warn!(id, user, %address, lines_left_out, "API key refused: it has expired");
        }
    }
}

/// The token of a header value `Bearer TOKEN`.
fn token(value: &[u8]) -> Option<&str> {
    let (scheme, rest) = value.split_at_checked(7)?;
    let token = std::str::from_utf8(rest).ok()?.trim();
    (scheme.eq_ignore_ascii_case(b"bearer ") && !token.is_empty()).then_some(token)
}
