//! The file of API keys: JSON, which only its owner may open.
//!
//! ```text
//! {"version": 1, "keys": [{"id", "name", "user", "created", "expires", "sha256", "queues": [], "topics": [], "may": [], "lastUsed"}]}
//! ```
//! Times are milliseconds since 1970; `expires` and `lastUsed` may be absent. `sha256` is that of the secret's digits.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use model::timestamp::Timestamp;
use serde::{Deserialize, Serialize};
use whole_file::Content;

use super::text::{bytes, hexadecimal};
use super::{ApiKey, ApiKeyError, MOST};
use crate::scope::Scope;

const VERSION: u32 = 1;
/// Longest file that is read, in bytes: of many keys with long lists.
const MAXIMUM_BYTES: u64 = 64 << 20;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    version: u32,
    keys: Vec<Record>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Record {
    id: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    name: String,
    user: String,
    created: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires: Option<u64>,
    sha256: String,
    queues: Vec<String>,
    topics: Vec<String>,
    may: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_used: Option<u64>,
}

/// An absent file holds no keys.
pub(super) fn read(path: &Path) -> Result<Vec<ApiKey>, ApiKeyError> {
    let unread = |source| ApiKeyError::Read { path: path.to_owned(), source };
    let damaged = |problem: String| ApiKeyError::Damaged { path: path.to_owned(), problem };
    let bytes = match whole_file::read(path, MAXIMUM_BYTES).map_err(unread)? {
        Content::Absent => return Ok(Vec::new()),
        Content::TooLong => return Err(damaged(format!("it has more than {MAXIMUM_BYTES} bytes"))),
        Content::Whole(bytes) => bytes,
    };
    let contents: Contents = serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
    if contents.version != VERSION {
        return Err(damaged(format!("its version is {}, expected {VERSION}", contents.version)));
    }
    if contents.keys.len() > MOST {
        return Err(damaged(format!("it has more than {MOST} keys")));
    }
    contents.keys.into_iter().map(|record| record.into_key().map_err(damaged)).collect()
}

pub(super) fn write<'k>(path: &Path, keys: impl Iterator<Item = &'k ApiKey>) -> Result<(), ApiKeyError> {
    let contents = Contents { version: VERSION, keys: keys.map(Record::of).collect() };
    let mut bytes = serde_json::to_vec_pretty(&contents).expect("texts and numbers");
    bytes.push(b'\n');
    whole_file::replace(path, &bytes).map_err(|source| ApiKeyError::Write { path: path.to_owned(), source })
}

impl Record {
    fn of(key: &ApiKey) -> Self {
        let texts = |names: &mut dyn Iterator<Item = &str>| names.map(str::to_owned).collect();
        let used = key.used_ms.load(Ordering::Relaxed);
        Self {
            id: key.id.clone(),
            name: key.name.clone(),
            user: key.user.clone(),
            created: key.created.as_millis(),
            expires: key.expires.map(Timestamp::as_millis),
            sha256: hexadecimal(&key.hash),
            queues: texts(&mut key.scope.queues()),
            topics: texts(&mut key.scope.topics()),
            may: texts(&mut key.scope.operations().names()),
            last_used: (used > 0).then_some(used),
        }
    }

    fn into_key(self) -> Result<ApiKey, String> {
        let problem = |what: &str| format!("the key {} has {what}", self.id.escape_debug());
        let hash = bytes(&self.sha256).ok_or_else(|| problem("no SHA-256"))?;
        // An empty list says nothing here: what the maker left out was filled in when the key was made.
        let has_no_objects = self.queues.is_empty() && self.topics.is_empty();
        if self.may.is_empty() || has_no_objects {
            return Err(problem("no scope"));
        }
        let scope = Scope::parse(&self.queues, &self.topics, &self.may)
            .map_err(|error| problem(&format!("a wrong scope: {error}")))?;
        let time = |milliseconds: u64| Timestamp(milliseconds.saturating_mul(1000));
        Ok(ApiKey {
            created: time(self.created),
            expires: self.expires.map(time),
            scope: Arc::new(scope),
            hash,
            used_ms: AtomicU64::new(self.last_used.unwrap_or(0)),
            id: self.id,
            name: self.name,
            user: self.user,
        })
    }
}
