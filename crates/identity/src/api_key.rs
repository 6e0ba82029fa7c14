//! API keys: made for a user and a scope, shown once, kept as hashes in one file, revoked at once.
//!
//! The caller passes the time. The file is written whole or not at all, and before a change is told to anybody.
//!
//! Invariants
//! - The secret is nowhere but in the answer to `create`: the file and memory hold its SHA-256, which suffices for 256 random bits.
//! - A key that was revoked is refused from that moment on, also when the file could not be written.
//! - Of keys there are `MOST` at most.

mod file;
mod text;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use model::timestamp::Timestamp;
use parking_lot::{Mutex, RwLock};
use subtle::ConstantTimeEq;

use self::text::{KeyText, hash, make};
pub use self::text::{PREFIX, is_api_key, parse};
use crate::scope::{Scope, ScopeError};

/// Keys at once.
pub const MOST: usize = 10_000;
/// Longest name of a key or of its user, in bytes.
pub const LONGEST_NAME: usize = 256;
/// Times of last use are written this often at most.
const WRITTEN_EVERY: Duration = Duration::from_secs(60);
/// A use is noted this often, so that requests seldom write to shared memory.
const NOTED_EVERY_MS: u64 = 1000;

/// One key, without its secret.
#[derive(Debug)]
pub struct ApiKey {
    pub id: String,
    /// What its maker calls it; may be empty.
    pub name: String,
    /// Whom requests with the key act as.
    pub user: String,
    pub created: Timestamp,
    /// `None`: it is good until it is revoked.
    pub expires: Option<Timestamp>,
    pub scope: Arc<Scope>,
    hash: [u8; 32],
    /// Milliseconds since 1970; 0: never.
    used_ms: AtomicU64,
}

/// A key to be made.
#[derive(Debug, Clone)]
pub struct NewApiKey {
    pub name: String,
    pub user: String,
    pub expires: Option<Timestamp>,
    pub scope: Scope,
}

/// Why there is no key, or no change.
#[derive(Debug, thiserror::Error)]
pub enum ApiKeyError {
    #[error("cannot read the file of API keys {path}: {source}")]
    Read { path: PathBuf, source: io::Error },
    #[error("the file of API keys {path} is damaged: {problem}; restore it, or remove it, which revokes all keys")]
    Damaged { path: PathBuf, problem: String },
    #[error("cannot write the file of API keys {path}: {source}")]
    Write { path: PathBuf, source: io::Error },
    #[error("there are {MOST} API keys already: revoke some that are not used")]
    TooMany,
    #[error("{0}")]
    Scope(#[from] ScopeError),
    #[error("the {0} of an API key has 1 to {LONGEST_NAME} bytes and no control characters")]
    Name(&'static str),
    #[error("the API key would have expired already")]
    Expired,
}

/// What a key that was sent is worth.
pub(crate) enum Found {
    Good(Arc<ApiKey>),
    Expired(Arc<ApiKey>),
    /// No such key, or another secret; with what it says its id is.
    Wrong(Option<String>),
}

/// All keys of one server.
pub struct ApiKeys {
    /// `None`: they are kept in memory alone.
    file: Option<PathBuf>,
    keys: RwLock<BTreeMap<String, Arc<ApiKey>>>,
    /// Held while the file is written; with the time at which uses were last written.
    writing: Mutex<Timestamp>,
    has_new_uses: AtomicBool,
}

impl ApiKey {
    /// When a request with the key was last admitted.
    pub fn last_used(&self) -> Option<Timestamp> {
        let used = self.used_ms.load(Ordering::Relaxed);
        (used > 0).then(|| Timestamp::from_millis(used))
    }
}

impl ApiKeys {
    /// None, and no file.
    pub fn in_memory() -> Self {
        Self {
            file: None,
            keys: RwLock::default(),
            writing: Mutex::new(Timestamp::default()),
            has_new_uses: AtomicBool::new(false),
        }
    }

    /// Those of a file, which need not exist.
    ///
    /// # Errors
    /// It cannot be read, or is damaged.
    pub fn open(path: &Path) -> Result<Self, ApiKeyError> {
        let keys = file::read(path)?;
        let keys = keys.into_iter().map(|key| (key.id.clone(), Arc::new(key))).collect();
        Ok(Self { file: Some(path.to_owned()), keys: RwLock::new(keys), ..Self::in_memory() })
    }

    /// Makes a key. The text is shown to nobody again.
    ///
    /// # Errors
    /// Its name or user is no name, there are too many keys, or the file cannot be written.
    pub fn create(&self, new: NewApiKey, now: Timestamp) -> Result<(Arc<ApiKey>, String), ApiKeyError> {
        let is_name = |text: &str| text.len() <= LONGEST_NAME && !text.chars().any(char::is_control);
        if new.user.trim().is_empty() || !is_name(&new.user) {
            return Err(ApiKeyError::Name("user"));
        }
        if !is_name(&new.name) {
            return Err(ApiKeyError::Name("name"));
        }
        if new.expires.is_some_and(|expires| expires <= now) {
            return Err(ApiKeyError::Expired);
        }
        let _writing = self.writing.lock();
        let mut keys = self.keys.read().clone();
        if keys.len() >= MOST {
            return Err(ApiKeyError::TooMany);
        }
        let made = std::iter::repeat_with(make).find(|made| !keys.contains_key(&made.id)).expect("ids without end");
        let key = Arc::new(ApiKey {
            id: made.id.clone(),
            name: new.name,
            user: new.user,
            created: now,
            expires: new.expires,
            scope: Arc::new(new.scope),
            hash: made.hash,
            used_ms: AtomicU64::new(0),
        });
        keys.insert(made.id, Arc::clone(&key));
        self.write(&keys)?;
        *self.keys.write() = keys;
        Ok((key, made.text))
    }

    /// By id.
    pub fn list(&self) -> Vec<Arc<ApiKey>> {
        self.keys.read().values().cloned().collect()
    }

    /// Whether there was such a key. It is refused from now on.
    ///
    /// # Errors
    /// The file cannot be written: the key would be good again after a restart.
    pub fn revoke(&self, id: &str) -> Result<bool, ApiKeyError> {
        let _writing = self.writing.lock();
        let was_there = self.keys.write().remove(id).is_some();
        // Written also when it was not there: an earlier attempt may have failed to write.
        let keys = self.keys.read().clone();
        self.write(&keys)?;
        Ok(was_there)
    }

    /// Writes times of last use, if there are new ones and a minute has gone by. It waits for the disk.
    ///
    /// # Errors
    /// The file cannot be written; it is tried again.
    pub fn write_uses(&self, now: Timestamp, at_once: bool) -> Result<(), ApiKeyError> {
        let mut written = self.writing.lock();
        let is_due = now.since(*written).max(written.since(now)) >= WRITTEN_EVERY;
        if !(is_due || at_once) || !self.has_new_uses.swap(false, Ordering::AcqRel) {
            return Ok(());
        }
        *written = now;
        let keys = self.keys.read().clone();
        self.write(&keys).inspect_err(|_| self.has_new_uses.store(true, Ordering::Release))
    }

    /// Looks up a key that was sent, and notes its use.
    pub(crate) fn find(&self, sent: &str, now: Timestamp) -> Found {
        let Some(KeyText { id, secret }) = parse(sent) else { return Found::Wrong(None) };
        let key = self.keys.read().get(id).cloned();
        let Some(key) = key.filter(|key| bool::from(key.hash.ct_eq(&hash(secret)))) else {
            return Found::Wrong(Some(id.to_owned()));
        };
        if key.expires.is_some_and(|expires| expires <= now) {
            return Found::Expired(key);
        }
        self.note_use(&key, now);
        Found::Good(key)
    }

    fn note_use(&self, key: &ApiKey, now: Timestamp) {
        let now_ms = now.as_millis();
        if now_ms >= key.used_ms.load(Ordering::Relaxed).saturating_add(NOTED_EVERY_MS) {
            key.used_ms.fetch_max(now_ms, Ordering::Relaxed);
            self.has_new_uses.store(true, Ordering::Release);
        }
    }

    fn write(&self, keys: &BTreeMap<String, Arc<ApiKey>>) -> Result<(), ApiKeyError> {
        match &self.file {
            Some(path) => file::write(path, keys.values().map(AsRef::as_ref)),
            None => Ok(()),
        }
    }
}

/// Leaves the keys out.
impl std::fmt::Debug for ApiKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ApiKeys").field("file", &self.file).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
