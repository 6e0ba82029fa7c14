//! Access tokens of OpenID Connect issuers: JSON Web Tokens, sent as `Authorization: Bearer`; and people who sign in there by browser
//! (`sign_in.rs`).
//!
//! An issuer is known by its URL. Its keys are fetched in the background by a [`Fetch`] of the caller's, because nothing here opens a
//! connection (`issuer.rs`). A verified token is remembered by its keyed digest until it expires or the issuer's keys change.
//!
//! Invariants
//! - The algorithm is one of the issuer's list, and fits the kind of the key: never `none`, never HMAC.
//! - A user of a token is no administrator of queue managers, and a group `mqm` of a token is no group here. What the user
//!   administers, roles say.
//! - No token is logged, and what a log line quotes of a token is short and escaped.
//!
//! Source: RFC 7519, 7515, 7517, 8725, 9068; OpenID Connect Discovery 1.0.

mod claims;
mod client;
mod endpoints;
mod issuer;
mod key_set;
mod settings;
pub mod sign_in;
mod token;
mod url;

use std::fmt;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use model::authority::Principal;
use model::timestamp::Timestamp;
use tokio::runtime::Handle;

use self::issuer::Issuer;
use self::settings::Settings;
use self::sign_in::SignIns;
pub use self::token::Refusal;
use self::token::{Subject, Token};
use crate::bindings::Bindings;
use crate::cache::{Ends, VerifiedCache};
use crate::error::IdentityError;
use crate::identity::Identity;
use crate::keyed_digest::{Digester, KeyedDigest};
use crate::local_names::{ADMINISTRATORS, LocalNames};
use crate::options::{Identities, LocalUsers};
use crate::password::PasswordReader;

/// Verified tokens remembered at most.
const CACHE_CAPACITY: usize = 25_000;

/// A document of an issuer, or why there is none.
pub type Fetched = Pin<Box<dyn Future<Output = Result<Vec<u8>, String>> + Send>>;

/// Fetches documents of one issuer.
pub trait Fetch: Send + Sync {
    /// GET of a URL. It ends in a bounded time, follows no redirection, and takes documents of 1 MiB at most.
    fn get(&self, url: &str) -> Fetched;

    /// POST of a form to a URL, within the same bounds. Any status is an answer.
    fn post(&self, url: &str, form: Form) -> Answered;
}

/// What is posted to an issuer. It is never printed: it has secrets.
pub struct Form {
    /// `application/x-www-form-urlencoded`.
    pub body: String,
    /// Value of the header.
    pub authorization: Option<String>,
}

/// What an issuer answers to a form. It is never printed: it has tokens.
pub struct Posted {
    pub status: u16,
    pub body: Vec<u8>,
}

/// An answer of an issuer, or why there is none.
pub type Answered = Pin<Box<dyn Future<Output = Result<Posted, String>> + Send>>;

/// Makes what fetches documents of an issuer. It opens no connection.
pub trait Connect: fmt::Debug + Send + Sync {
    /// `ca_file` has the signers of the servers' certificates; `None`: those the system trusts.
    ///
    /// # Errors
    /// The file cannot be used.
    fn connect(&self, ca_file: Option<&Path>, within: Duration) -> Result<Arc<dyn Fetch>, String>;
}

/// All issuers of one configuration, and the tokens that were verified lately.
pub(super) struct Issuers {
    issuers: Vec<Arc<Issuer>>,
    verified: VerifiedCache<VerifiedToken>,
    digester: Digester,
    bindings: Arc<Bindings>,
    local_names: LocalNames,
    machine_names: LocalNames,
    /// Where documents are fetched.
    runtime: Option<Handle>,
    sign_ins: Arc<SignIns>,
    /// Tells this configuration from those before it.
    configuration: u64,
}

static CONFIGURATIONS: AtomicU64 = AtomicU64::new(0);

struct VerifiedToken {
    digest: KeyedDigest,
    identity: Arc<Identity>,
    issuer: Arc<Issuer>,
    /// Of the keys that the token was verified with.
    generation: u64,
    ends_ms: u64,
}

impl Ends for VerifiedToken {
    fn ends_ms(&self) -> u64 {
        self.ends_ms
    }
}

/// What a token is worth.
pub(super) enum TokenSight {
    Good(Arc<Identity>),
    Bad(Refusal),
    /// The issuer has to be asked for its keys.
    Ask(Arc<Issuer>),
    /// It was asked, and does not answer.
    Unavailable,
}

impl Issuers {
    /// One that replaces another keeps the keys of the issuers that stay as they are.
    ///
    /// # Errors
    /// Names the key of the configuration that cannot be used.
    pub(super) fn new(
        options: &Identities<'_>,
        bindings: Arc<Bindings>,
        before: Option<&Self>,
        runtime: Option<Handle>,
    ) -> Result<Self, IdentityError> {
        let passwords = PasswordReader::new(options.web.password_encryption_key.as_deref());
        let mut issuers: Vec<Arc<Issuer>> = Vec::new();
        let entries =
            options.bearers.iter().flat_map(|bearers| bearers.oidc.iter().map(|entry| (entry, bearers.connect)));
        for ((name, entry), connect) in entries {
            let settings = Settings::read(name, entry, &passwords)?;
            if issuers.iter().any(|other| other.settings.url == settings.url) {
                let key = format!("identity.oidc.{name}.issuer");
                return Err(IdentityError::new(&key, "another entry has the same issuer"));
            }
            let fetch = connect
                .connect(entry.ca_file.as_deref(), settings.timeout)
                .map_err(|problem| IdentityError::new(&format!("identity.oidc.{name}.ca_file"), problem))?;
            let known = before.and_then(|before| before.issuers.iter().find(|known| known.settings == settings));
            issuers.push(Arc::new(Issuer::new(settings, fetch, known.map(AsRef::as_ref))));
        }
        Ok(Self {
            issuers,
            verified: VerifiedCache::new(CACHE_CAPACITY),
            digester: Digester::new(),
            bindings,
            local_names: LocalNames::new(options.server_user, options.web),
            machine_names: LocalNames::of_machine(options.server_user),
            runtime,
            sign_ins: before.map_or_else(|| Arc::new(SignIns::new()), |before| Arc::clone(&before.sign_ins)),
            configuration: CONFIGURATIONS.fetch_add(1, Ordering::Relaxed),
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.issuers.is_empty()
    }

    /// Until when a token counts that was verified lately, and the URL of its issuer.
    pub(super) fn session_of(&self, text: &str) -> Option<(Timestamp, String)> {
        let digest = self.digester.digest(text.as_bytes());
        self.verified.find(digest.hash(), |entry| {
            let url = &entry.issuer.settings.url;
            (entry.digest == digest).then(|| (Timestamp::from_millis(entry.ends_ms), url.clone()))
        })
    }

    /// Decides without waiting.
    pub(super) fn look(&self, text: &str, now: Timestamp) -> TokenSight {
        let digest = self.digester.digest(text.as_bytes());
        let now_ms = now.as_millis();
        let known = self.verified.find(digest.hash(), |entry| {
            let good =
                entry.digest == digest && now_ms < entry.ends_ms && entry.issuer.generation() == entry.generation;
            good.then(|| Arc::clone(&entry.identity))
        });
        match known {
            Some(identity) => TokenSight::Good(identity),
            None => self.verify(text, digest, now),
        }
    }

    fn verify(&self, text: &str, digest: KeyedDigest, now: Timestamp) -> TokenSight {
        let token = match Token::read(text) {
            Ok(token) => token,
            Err(refusal) => return TokenSight::Bad(refusal),
        };
        let Some(issuer) = self.issuers.iter().find(|issuer| issuer.settings.url == token.issuer) else {
            return TokenSight::Bad(Refusal::unknown_issuer(&token.issuer));
        };
        let (keys, generation) = issuer.keys();
        match token.verify(&keys, &issuer.settings, now) {
            Ok((subject, ends)) => match self.identity(issuer, &subject) {
                Ok(identity) => {
                    let ends_ms = ends.as_millis();
                    let entry = VerifiedToken {
                        digest,
                        identity: Arc::clone(&identity),
                        issuer: Arc::clone(issuer),
                        generation,
                        ends_ms,
                    };
                    self.verified.insert(digest.hash(), entry, now.as_millis());
                    TokenSight::Good(identity)
                }
                Err(refusal) => TokenSight::Bad(refusal),
            },
            Err(refusal @ Refusal::UnknownKey(_)) => match issuer.may_be_asked(now) {
                issuer::Turn::Ask => TokenSight::Ask(Arc::clone(issuer)),
                issuer::Turn::Asked => TokenSight::Bad(refusal),
                issuer::Turn::Failed => TokenSight::Unavailable,
            },
            Err(refusal) => TokenSight::Bad(refusal),
        }
    }

    /// As `look`, after waiting for the keys of the issuer where they are needed.
    pub(super) async fn look_and_ask(&self, text: &str, now: Timestamp) -> TokenSight {
        let issuer = match self.look(text, now) {
            TokenSight::Ask(issuer) => issuer,
            decided => return decided,
        };
        if !issuer.ask(self.runtime.as_ref(), now).await {
            return TokenSight::Unavailable;
        }
        match self.look(text, now) {
            // Only when its keys were asked for a second time meanwhile.
            TokenSight::Ask(_) => TokenSight::Unavailable,
            decided => decided,
        }
    }

    /// Asks each issuer whose keys are due, and waits for no answer.
    pub(super) fn refresh(&self, now: Timestamp) {
        for issuer in &self.issuers {
            issuer.refresh(self.runtime.as_ref(), now);
        }
    }

    /// Asks each issuer for its keys: its URL, and what is wrong.
    pub(super) async fn probe(&self) -> Vec<(String, Result<(), String>)> {
        let mut answers = Vec::new();
        for issuer in &self.issuers {
            answers.push((issuer.settings.url.clone(), issuer.probe().await));
        }
        answers
    }

    fn identity(&self, issuer: &Issuer, subject: &Subject) -> Result<Arc<Identity>, Refusal> {
        let names = match issuer.settings.local_users {
            LocalUsers::Refuse => &self.local_names,
            LocalUsers::Accept => &self.machine_names,
        };
        if let Some(why) = names.why_taken(&subject.user, None) {
            return Err(Refusal::taken(&subject.user, why));
        }
        let is_group = |group: &&String| !group.eq_ignore_ascii_case(ADMINISTRATORS);
        let groups: Vec<&str> = subject.groups.iter().filter(is_group).map(String::as_str).collect();
        let roles = self.bindings.roles_of(&subject.user, &groups);
        let principal = Principal {
            user: Arc::from(subject.user.as_str()),
            groups: groups.into_iter().map(Arc::from).collect(),
            is_administrator: false,
        };
        Ok(Arc::new(Identity::new(principal, subject.user.as_str(), roles)))
    }
}

#[cfg(test)]
mod tests;
