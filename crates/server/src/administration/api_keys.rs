//! API keys for commands: made, listed and revoked, by the running server or in a data directory that none uses.

use std::time::Duration;

use identity::api_key::{ApiKey, ApiKeyError, ApiKeys, NewApiKey};
use identity::scope::Scope;
use model::timestamp::Timestamp;
use time::format_description::well_known::Rfc3339;

use super::{Answer, ApiKeyRow, NewKey, Refusal, RefusalKind};
use crate::serve::prepare::now;

impl ApiKeyRow {
    fn of(key: &ApiKey) -> Self {
        let texts = |names: &mut dyn Iterator<Item = &str>| names.map(str::to_owned).collect();
        Self {
            id: key.id.clone(),
            name: key.name.clone(),
            user: key.user.clone(),
            queues: texts(&mut key.scope.queues()),
            topics: texts(&mut key.scope.topics()),
            may: texts(&mut key.scope.operations().names()),
            created_at: written(key.created),
            expires_at: key.expires.map(written),
            last_used_at: key.last_used().map(written),
        }
    }
}

/// To the millisecond.
fn written(time: Timestamp) -> String {
    let whole = Timestamp::from_millis(time.as_millis());
    whole.date_time().format(&Rfc3339).unwrap_or_default()
}

/// The answer's body is the key.
///
/// # Errors
/// The user, the name or the scope means nothing; the file cannot be written.
pub(crate) fn create(keys: &ApiKeys, new: &NewKey) -> Result<(Answer, Vec<u8>), Refusal> {
    let now = now();
    let scope = Scope::parse(&new.queues, &new.topics, &new.may).map_err(|error| refused(&error.into()))?;
    let expires = new.expires_after_seconds.map(|seconds| now.saturating_add(Duration::from_secs(seconds)));
    let new = NewApiKey { name: new.name.clone(), user: new.user.clone(), expires, scope };
    let (key, text) = keys.create(new, now).map_err(|error| refused(&error))?;
    tracing::info!(id = key.id, user = key.user, "an API key was created");
    Ok((Answer::ApiKeyCreated(ApiKeyRow::of(&key)), text.into_bytes()))
}

/// A JSON array of rows.
pub(crate) fn list(keys: &ApiKeys) -> Vec<u8> {
    let rows: Vec<_> = keys.list().iter().map(|key| ApiKeyRow::of(key)).collect();
    serde_json::to_vec(&rows).expect("texts")
}

/// # Errors
/// There is no such key; the file cannot be written.
pub(crate) fn revoke(keys: &ApiKeys, id: &str) -> Result<(), Refusal> {
    match keys.revoke(id) {
        Ok(true) => {
            tracing::info!(id, "an API key was revoked");
            Ok(())
        }
        Ok(false) => {
            let sentence = format!("there is no API key {id}: `quaymaster apikey list` shows their ids");
            Err(Refusal::new(RefusalKind::Failed, sentence))
        }
        Err(error) => {
            let sentence = format!("{error}. The key is refused until the next restart: revoke it again");
            Err(Refusal::new(RefusalKind::Failed, sentence))
        }
    }
}

fn refused(error: &ApiKeyError) -> Refusal {
    let kind = match error {
        ApiKeyError::Scope(_) | ApiKeyError::Name(_) | ApiKeyError::Expired => RefusalKind::Invalid,
        ApiKeyError::Read { .. } | ApiKeyError::Damaged { .. } | ApiKeyError::Write { .. } | ApiKeyError::TooMany => {
            RefusalKind::Failed
        }
    };
    Refusal::new(kind, error.to_string())
}
