//! Access tokens: asked for, kept until they expire, given up when an API refuses them.
//!
//! One program asks for a token, others with the same credentials wait for it. A token belongs to what was configured and to
//! the credentials it was got with: no caller ever gets another caller's token.
//!
//! Invariants
//! - Each configuration has tokens of its own: what a call gets that began before a reload stays with the configuration it
//!   began with.
//! - No token and no credential is logged, or told in an error.
//! - Of the tokens that a configuration keeps there are `MOST` at most.

mod exchange;
mod jwt;
mod oauth;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use http::{HeaderName, HeaderValue};
use parking_lot::Mutex;
use queue_manager::clock::Clock;
use tokio::time::Instant;

use crate::endpoint::{Authentication, Oauth, Token};
use crate::error::RequesterError;

/// Tokens kept at once.
const MOST: usize = 10_000;

/// What a program said about itself for authorization servers; `None` where it said nothing.
#[derive(Default, Clone, PartialEq, Eq)]
pub struct Credentials {
    pub oauth_username: Option<String>,
    pub oauth_password: Option<String>,
    pub oauth_client_id: Option<String>,
    pub oauth_client_secret: Option<String>,
    pub oauth_scope: Option<String>,
    pub token_username: Option<String>,
    pub token_password: Option<String>,
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Credentials")
    }
}

/// All tokens of one configuration.
#[derive(Default)]
pub(crate) struct Tokens {
    slots: Mutex<HashMap<Key, Arc<Slot>>>,
}

impl std::fmt::Debug for Tokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tokens")
    }
}

/// Whose token it is.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    /// `oauth_configs.ID` or `auth_tokens.ID`.
    configuration: String,
    /// Everything that was said to get it.
    said: Vec<Option<String>>,
}

#[derive(Default)]
struct Slot {
    known: Mutex<Option<Known>>,
    /// Held by the call that asks the authorization server; the others wait for its answer.
    #[expect(clippy::disallowed_types, reason = "one call asks at a time, across an await")]
    asking: tokio::sync::Mutex<()>,
    /// How often it has been asked, and why it gave nothing the last time.
    asked: Mutex<(u64, Option<RequesterError>)>,
    /// The last token was good for one request: waiting for one another is of no use.
    is_for_one: AtomicBool,
}

#[derive(Clone)]
struct Known {
    value: HeaderValue,
    until: Instant,
}

/// A token as it came.
pub(crate) struct Granted {
    pub(crate) value: HeaderValue,
    /// `None`: it is good for one request.
    pub(crate) lifetime: Option<Duration>,
}

/// The header that carries a token, and where it is kept.
pub(crate) struct Authorized {
    pub(crate) name: HeaderName,
    pub(crate) value: HeaderValue,
    key: Option<Key>,
    was_kept: bool,
}

impl Tokens {
    /// The header by which a request says who it comes from.
    ///
    /// # Errors
    /// No token was given.
    pub(crate) async fn authorize(
        &self,
        authentication: &Authentication,
        credentials: &Credentials,
        clock: &dyn Clock,
    ) -> Result<Authorized, RequesterError> {
        match authentication {
            Authentication::Basic(value) => {
                Ok(Authorized { name: http::header::AUTHORIZATION, value: value.clone(), key: None, was_kept: false })
            }
            Authentication::Oauth(oauth) => self.oauth(oauth, credentials).await,
            Authentication::Token(token) => self.token(token, credentials, clock).await,
        }
    }

    /// The API refused a token: whether a new one is worth a try, for this one had been kept for some time.
    pub(crate) fn refused(&self, authorized: &Authorized) -> bool {
        let Some(key) = authorized.key.as_ref().filter(|_| authorized.was_kept) else { return false };
        if let Some(slot) = self.slots.lock().get(key) {
            let mut known = slot.known.lock();
            // Another request may have got a new one meanwhile.
            if known.as_ref().is_some_and(|known| known.value == authorized.value) {
                *known = None;
            }
        }
        true
    }

    async fn oauth(&self, oauth: &Arc<Oauth>, credentials: &Credentials) -> Result<Authorized, RequesterError> {
        let key = Key {
            configuration: format!("oauth_configs.{}", oauth.id),
            said: vec![
                credentials.oauth_username.clone(),
                credentials.oauth_password.clone(),
                credentials.oauth_client_id.clone(),
                credentials.oauth_client_secret.clone(),
                credentials.oauth_scope.clone(),
            ],
        };
        self.kept_or(key, http::header::AUTHORIZATION, || oauth::ask(oauth, credentials)).await
    }

    async fn token(
        &self,
        token: &Arc<Token>,
        credentials: &Credentials,
        clock: &dyn Clock,
    ) -> Result<Authorized, RequesterError> {
        let key = Key {
            configuration: format!("auth_tokens.{}", token.id),
            said: vec![credentials.token_username.clone(), credentials.token_password.clone()],
        };
        let name = HeaderName::try_from(token.config.header.as_str()).unwrap_or(http::header::AUTHORIZATION);
        self.kept_or(key, name, || jwt::ask(token, credentials, clock)).await
    }

    async fn kept_or<F>(
        &self,
        key: Key,
        name: HeaderName,
        ask: impl FnOnce() -> F,
    ) -> Result<Authorized, RequesterError>
    where
        F: Future<Output = Result<Granted, RequesterError>>,
    {
        let slot = self.slot(&key);
        if let Some(value) = slot.current() {
            return Ok(Authorized { name, value, key: Some(key), was_kept: true });
        }
        let before = slot.asked.lock().0;
        let asking = match slot.is_for_one.load(Relaxed) {
            true => None,
            false => Some(slot.asking.lock().await),
        };
        // It may have come while this request waited for its turn, or have been refused: that counts for all who waited.
        if let Some(value) = slot.current() {
            return Ok(Authorized { name, value, key: Some(key), was_kept: true });
        }
        if asking.is_some()
            && let (number, Some(error)) = &*slot.asked.lock()
            && *number != before
        {
            return Err(error.clone());
        }
        let outcome = ask().await;
        {
            let mut asked = slot.asked.lock();
            *asked = (asked.0 + 1, outcome.as_ref().err().cloned());
        }
        let granted = outcome?;
        slot.is_for_one.store(granted.lifetime.is_none_or(|lifetime| lifetime.is_zero()), Relaxed);
        if let Some(lifetime) = granted.lifetime.filter(|lifetime| !lifetime.is_zero()) {
            // Used a little less long than it is good for: it has to reach the API in time.
            let margin = (lifetime / 10).min(Duration::from_secs(10));
            let until = Instant::now() + (lifetime - margin).min(Duration::from_secs(86_400));
            *slot.known.lock() = Some(Known { value: granted.value.clone(), until });
        }
        drop(asking);
        Ok(Authorized { name, value: granted.value, key: Some(key), was_kept: false })
    }

    fn slot(&self, key: &Key) -> Arc<Slot> {
        let mut slots = self.slots.lock();
        if let Some(slot) = slots.get(key) {
            return Arc::clone(slot);
        }
        if slots.len() >= MOST {
            slots.retain(|_, slot| Arc::strong_count(slot) > 1 || slot.current().is_some());
        }
        if slots.len() >= MOST {
            slots.clear();
        }
        Arc::clone(slots.entry(key.clone()).or_default())
    }
}

impl Slot {
    fn current(&self) -> Option<HeaderValue> {
        let known = self.known.lock();
        known.as_ref().filter(|known| known.until > Instant::now()).map(|known| known.value.clone())
    }
}

/// The value of a header; it does not show in logs.
fn header_value(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::try_from(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}
