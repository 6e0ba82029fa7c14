//! HTTP Basic: reading the header, and remembering headers whose password was verified.
//!
//! A hit costs one keyed hash, not a password hash. The header itself is never kept (`keyed_digest.rs`). Failures are not
//! kept.
//! A verified header is good for a minute after its last use, and for ten minutes in all; that of a directory's user for
//! no longer than what the directory says counts.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use model::timestamp::Timestamp;

use super::cache::{Ends, VerifiedCache};
use super::identity::Identity;
use super::keyed_digest::{Digester, KeyedDigest};

/// Longest header value that is looked at, in bytes.
const MAXIMUM_BYTES: usize = 8192;
/// Verified headers kept at most.
const CACHE_CAPACITY: usize = 10_000;
/// Good for this long after the last use.
const SLIDING: Duration = Duration::from_secs(60);
/// Good for this long after the password was checked.
const AT_MOST: Duration = Duration::from_secs(600);
/// The time of last use is noted this often, so that hits seldom write.
const NOTE_EVERY_MS: u64 = 1000;

/// Some clients leave the padding out.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// User name and password of a header.
#[derive(Clone, PartialEq, Eq)]
pub struct BasicCredentials {
    pub user: String,
    pub password: String,
}

/// Leaves the password out: it is never printed.
impl fmt::Debug for BasicCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BasicCredentials").field("user", &self.user).finish_non_exhaustive()
    }
}

/// The value of an `Authorization` header, if its scheme is Basic.
pub(super) fn header(value: &[u8]) -> Option<&[u8]> {
    is_basic(value).then_some(value)
}

fn is_basic(value: &[u8]) -> bool {
    value.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"basic"))
        && value.get(5).is_none_or(|&byte| byte == b' ')
}

/// Takes a header value `Basic BASE64` apart; user and password are UTF-8, split at the first colon.
///
/// `None` when it is not such a value.
pub fn parse(value: &[u8]) -> Option<BasicCredentials> {
    if !is_basic(value) || value.len() > MAXIMUM_BYTES {
        return None;
    }
    let decoded = LENIENT.decode(value.get(5..)?.trim_ascii()).ok()?;
    let text = String::from_utf8(decoded).ok()?;
    let (user, password) = text.split_once(':')?;
    Some(BasicCredentials { user: user.to_owned(), password: password.to_owned() })
}

/// Headers verified lately.
pub(super) struct VerifiedHeaders {
    digester: Digester,
    headers: VerifiedCache<VerifiedHeader>,
}

struct VerifiedHeader {
    digest: KeyedDigest,
    identity: Arc<Identity>,
    verified_at: Timestamp,
    /// Good until then at most.
    ends_at: Timestamp,
    used_at_ms: AtomicU64,
}

impl Ends for VerifiedHeader {
    fn ends_ms(&self) -> u64 {
        let sliding = Timestamp::from_millis(self.used_at_ms.load(Ordering::Relaxed)).saturating_add(SLIDING);
        sliding.min(self.ends_at).as_millis()
    }
}

impl VerifiedHeaders {
    pub(super) fn new() -> Self {
        Self { digester: Digester::new(), headers: VerifiedCache::new(CACHE_CAPACITY) }
    }

    pub(super) fn digest(&self, value: &[u8]) -> KeyedDigest {
        self.digester.digest(value)
    }

    /// As `digest`, of the header value that brings a user name and password; `None` where it would not bring back the same
    /// two, or is too long to be looked at.
    pub(super) fn digest_of(&self, user: &str, password: &str) -> Option<KeyedDigest> {
        let value = format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(format!("{user}:{password}")));
        (!user.contains(':') && value.len() <= MAXIMUM_BYTES).then(|| self.digest(value.as_bytes()))
    }

    pub(super) fn find(&self, digest: &KeyedDigest, now: Timestamp) -> Option<Arc<Identity>> {
        let now_ms = now.as_millis();
        self.headers.find(digest.hash(), |header| {
            let good = header.digest == *digest && now >= header.verified_at && now_ms < header.ends_ms();
            if good && now_ms >= header.used_at_ms.load(Ordering::Relaxed) + NOTE_EVERY_MS {
                header.used_at_ms.fetch_max(now_ms, Ordering::Relaxed);
            }
            good.then(|| Arc::clone(&header.identity))
        })
    }

    pub(super) fn insert(&self, digest: &KeyedDigest, identity: &Arc<Identity>, now: Timestamp) {
        let (now_ms, at_most) = (now.as_millis(), now.saturating_add(AT_MOST));
        let header = VerifiedHeader {
            digest: *digest,
            identity: Arc::clone(identity),
            verified_at: now,
            ends_at: identity.counts_until.map_or(at_most, |counts_until| counts_until.min(at_most)),
            used_at_ms: AtomicU64::new(now_ms),
        };
        self.headers.insert(digest.hash(), header, now_ms);
    }
}

#[cfg(test)]
mod tests;
