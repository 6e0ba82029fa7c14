//! Single sign-on with LTPA version 2: key files, tokens, and what was verified lately.
//!
//! A verified token is kept until it expires, or for as long as what a directory said about its user counts, so that a
//! request with a token costs one keyed hash and one comparison.
//! The whole token is compared: a hit means the very bytes that were verified.

pub mod key_file;
pub mod keys;
mod revocation;
pub mod token;

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use model::timestamp::Timestamp;

use self::keys::LtpaKeys;
use self::revocation::Revocations;
use self::token::Claims;
use super::cache::{Ends, VerifiedCache};
use super::identity::{Identity, MintedToken};
use super::ldap::Subject;
use super::users::{Lookup, Users};

/// Verified tokens kept at most, as in Liberty's authentication cache.
const CACHE_CAPACITY: usize = 25_000;
/// A minted token is handed out again to requests of the same identity for this long at most.
const REUSE_AT_MOST: Duration = Duration::from_secs(60);
/// Tokens of one request that are looked at; a browser sends one.
pub const MOST_TOKENS: usize = 4;

/// Everything about tokens in one configuration.
pub(super) struct SingleSignOn {
    keys: LtpaKeys,
    realm: String,
    cookie_name: String,
    lifetime: Duration,
    /// Tokens neither travel to nor come from plain HTTP.
    secure: bool,
    verified: VerifiedCache<VerifiedToken>,
    /// Keys the cache's hash, so that nobody outside can choose tokens that collide.
    hasher: RandomState,
    revoked: Arc<Revocations>,
}

/// What of the configuration concerns tokens.
pub(super) struct Settings {
    pub(super) realm: String,
    pub(super) cookie_name: String,
    pub(super) lifetime: Duration,
    pub(super) secure: bool,
}

struct VerifiedToken {
    token: Box<str>,
    /// The token's expiry, or the end of what the directory said about its user, whichever comes first.
    ends_ms: u64,
    identity: Arc<Identity>,
}

impl Ends for VerifiedToken {
    fn ends_ms(&self) -> u64 {
        self.ends_ms
    }
}

/// What the tokens of a request are worth.
pub(super) enum TokenVerdict {
    Good(Arc<Identity>),
    Bad,
    Absent,
    /// The token is genuine, and the directory has to be asked about its user.
    Ask(Subject),
}

impl SingleSignOn {
    pub(super) fn new(keys: LtpaKeys, settings: Settings, revoked: Arc<Revocations>) -> Self {
        Self {
            keys,
            realm: settings.realm,
            cookie_name: settings.cookie_name,
            lifetime: settings.lifetime,
            secure: settings.secure,
            verified: VerifiedCache::new(CACHE_CAPACITY),
            hasher: RandomState::new(),
            revoked,
        }
    }

    pub(super) fn keys(&self) -> &LtpaKeys {
        &self.keys
    }

    /// To be shared with what replaces this after a reload.
    pub(super) fn revocations(&self) -> Arc<Revocations> {
        Arc::clone(&self.revoked)
    }

    pub(super) fn cookie_name(&self) -> &str {
        &self.cookie_name
    }

    /// For how long a token counts.
    pub(super) fn lifetime(&self) -> Duration {
        self.lifetime
    }

    pub(super) fn is_secure(&self) -> bool {
        self.secure
    }

    /// Looks at the tokens of a request; the first good one decides.
    pub(super) fn look(&self, tokens: &[&str], over_tls: bool, users: &Users, now: Timestamp) -> TokenVerdict {
        let mut verdict = TokenVerdict::Absent;
        for token in tokens.iter().take(MOST_TOKENS) {
            let found = if self.may_travel(over_tls) { self.verify(token, users, now) } else { Lookup::Unknown };
            match found {
                Lookup::Known(identity) => return TokenVerdict::Good(identity),
                Lookup::Ask(subject) => verdict = TokenVerdict::Ask(subject),
                Lookup::Unknown if matches!(verdict, TokenVerdict::Absent) => verdict = TokenVerdict::Bad,
                Lookup::Unknown => {}
            }
        }
        verdict
    }

    /// Whether tokens are sent over, and taken from, such a connection.
    pub(super) fn may_travel(&self, over_tls: bool) -> bool {
        over_tls || !self.secure
    }

    fn verify(&self, token: &str, users: &Users, now: Timestamp) -> Lookup {
        let hash = self.hasher.hash_one(token);
        let now_ms = now.as_millis();
        let good = |entry: &VerifiedToken| *entry.token == *token && now_ms <= entry.ends_ms;
        match self.verified.find(hash, |entry| good(entry).then(|| Arc::clone(&entry.identity))) {
            Some(identity) => Lookup::Known(identity),
            None => self.verify_anew(token, hash, users, now),
        }
    }

    fn verify_anew(&self, token: &str, hash: u64, users: &Users, now: Timestamp) -> Lookup {
        let now_ms = now.as_millis();
        let Ok(claims) = token::open(token, &self.keys, &self.realm, now_ms) else { return Lookup::Unknown };
        // Asked first too, so that a token that was logged out costs the directory nothing.
        if self.revoked.contains(token) {
            return Lookup::Unknown;
        }
        let identity = match users.of_token(&claims.user, now) {
            Lookup::Known(identity) => identity,
            other => return other,
        };
        if !self.has_password_of(&claims, &identity) {
            return Lookup::Unknown;
        }
        let counts_until = identity.counts_until.map_or(u64::MAX, Timestamp::as_millis);
        let ends_ms = claims.expires_ms.min(counts_until);
        let entry = VerifiedToken { token: token.into(), ends_ms, identity: Arc::clone(&identity) };
        self.verified.insert(hash, entry, now_ms);
        // Asked after inserting: a logout adds to the list before it removes from the cache, so one of the two sees it.
        if self.revoked.contains(token) {
            self.verified.remove(hash);
            return Lookup::Unknown;
        }
        Lookup::Known(identity)
    }

    /// Whether the token was made for the password that the user has now. One of another server says nothing of that: then it
    /// has to be of after the change, with the life that tokens have here.
    fn has_password_of(&self, claims: &Claims, identity: &Identity) -> bool {
        let Some(current) = &identity.password_mark else { return true };
        match (&claims.password_mark, identity.password_changed) {
            (Some(mark), _) => mark == current,
            (None, Some(changed)) => Timestamp::from_millis(claims.expires_ms) >= changed.saturating_add(self.lifetime),
            (None, None) => true,
        }
    }

    /// Until when the first good token of a request counts.
    pub(super) fn end_of(&self, tokens: &[&str], now: Timestamp) -> Option<Timestamp> {
        let opened = tokens.iter().take(MOST_TOKENS).find_map(|token| {
            let claims = token::open(token, &self.keys, &self.realm, now.as_millis()).ok()?;
            (!self.revoked.contains(token)).then_some(claims.expires_ms)
        });
        opened.map(Timestamp::from_millis)
    }

    pub(super) fn revoke(&self, token: &str, now: Timestamp) {
        let now_ms = now.as_millis();
        if let Ok(claims) = token::open(token, &self.keys, &self.realm, now_ms) {
            self.revoked.add(token, claims.expires_ms, now_ms);
            self.verified.remove(self.hasher.hash_one(token));
        }
    }

    /// A token for `identity`, minted now or, for an identity that many requests share, a moment ago.
    pub(super) fn token(&self, identity: &Identity, now: Timestamp, over_tls: bool) -> Option<Arc<MintedToken>> {
        if !self.may_travel(over_tls) {
            return None;
        }
        let mut minted = identity.minted.lock();
        if let Some(minted) = minted.as_ref().filter(|minted| self.is_reusable(minted, now)) {
            return Some(Arc::clone(minted));
        }
        let fresh = Arc::new(MintedToken::new(self.mint(identity, now)?, now));
        *minted = Some(Arc::clone(&fresh));
        Some(fresh)
    }

    fn is_reusable(&self, minted: &MintedToken, now: Timestamp) -> bool {
        let window = REUSE_AT_MOST.min(self.lifetime / 8);
        now >= minted.minted_at && now.since(minted.minted_at) < window && !self.revoked.contains(&minted.token)
    }

    /// A token that is not among the revoked ones: two logins within a millisecond would else get the same text.
    fn mint(&self, identity: &Identity, now: Timestamp) -> Option<String> {
        let expires_ms = now.saturating_add(self.lifetime).as_millis();
        let (user, mark) = (&identity.token_name, identity.password_mark.as_deref());
        (0..16)
            .filter_map(|later_ms| token::mint(&self.keys, &self.realm, user, expires_ms + later_ms, mark).ok())
            .find(|token| !self.revoked.contains(token))
    }
}
