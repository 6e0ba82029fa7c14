//! Users of an LDAP directory: signed in by search and bind, with their groups, kept for a short while.
//!
//! The directory is asked on the server's main runtime, never on a thread that serves connections for longer than it takes
//! to hand the question over. A bounded number of questions is under way at once; the others wait in turns by address
//! (`fair_queue.rs`), and what comes beyond is turned away.
//!
//! Invariants
//! - A bind never has an empty name or password, so none succeeds without proving anything.
//! - Names from outside are data in filters (`filter.rs`), and an entry counts only at or below the base.
//! - No user of the directory can be a user of this machine: an entry whose name or distinguished name is that of a
//!   user of `web.users`, of the server's own user or of `mqm` is not admitted, nor is one that begins with the 12 bytes
//!   of such a name that a message descriptor holds, and a group `mqm` of the directory is no
//!   group here. The directory's administrators decide who its users are, not who administers queue managers.
//! - Results are used for `ldap.cache_seconds` at most, also for tokens and Basic headers.
//!
//! Source: Open Liberty, ldapRegistry; RFC 4511, 4513, 4515.

pub(super) mod dn;
mod failure;
mod filter;
mod id_map;
mod lookup;
mod pool;
mod settings;

use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::Arc;

use model::authority::Principal;
use model::timestamp::Timestamp;
use tokio::runtime::Handle;

use self::dn::Dn;
use self::failure::Failure;
pub(super) use self::lookup::Subject;
use self::lookup::{Person, is_name};
use self::pool::Pool;
use self::settings::{Certificates, Settings};
use super::attempts::{Attempt, Locked};
use super::bindings::{Bindings, DirectoryUser};
use super::cache::{Ends, VerifiedCache};
use super::certificate::CertificateIdentity;
use super::fair_queue::{Busy, FairQueue, Turn};
use super::identity::Identity;
use super::local_names::{ADMINISTRATORS, LocalNames};
use super::password::PasswordReader;
use crate::error::IdentityError;
use crate::options::{Ldap, Web};

/// Users and certificates remembered at most.
const CACHE_CAPACITY: usize = 25_000;

/// Why there is no verdict about a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoAnswer {
    /// Too many questions are waiting already.
    Busy,
    /// The directory does not answer, or not in a way that can be relied on.
    Unavailable,
    /// Wrong passwords came before this one.
    Locked(Locked),
}

impl From<Locked> for NoAnswer {
    fn from(locked: Locked) -> Self {
        Self::Locked(locked)
    }
}

impl From<Busy> for NoAnswer {
    fn from(_: Busy) -> Self {
        Self::Busy
    }
}

pub(super) struct Directory {
    settings: Arc<Settings>,
    pool: Pool,
    bindings: Arc<Bindings>,
    /// Names of users of this machine or this configuration.
    local_names: LocalNames,
    known: VerifiedCache<Known>,
    hasher: RandomState,
    turns: Arc<FairQueue>,
    /// Where questions run; `None` where the caller runs.
    runtime: Option<Handle>,
}

/// The directory's answer about a subject; `None`: it has no such user.
struct Known {
    subject: Subject,
    identity: Option<Arc<Identity>>,
    ends_ms: u64,
}

impl Ends for Known {
    fn ends_ms(&self) -> u64 {
        self.ends_ms
    }
}

impl Directory {
    /// `None` when no directory is configured. A reload passes what it replaces, whose runtime goes on.
    ///
    /// # Errors
    /// `Option`, naming the key that cannot be used.
    pub(super) fn new(
        ldap: &Ldap,
        web: &Web,
        passwords: &PasswordReader,
        bindings: Arc<Bindings>,
        server_user: &str,
        runtime: Option<Handle>,
    ) -> Result<Option<Arc<Self>>, IdentityError> {
        let Some(settings) = Settings::read(ldap, passwords)?.map(Arc::new) else { return Ok(None) };
        Ok(Some(Arc::new(Self {
            pool: Pool::new(Arc::clone(&settings)),
            turns: FairQueue::new(settings.connections),
            settings,
            bindings,
            local_names: LocalNames::new(server_user, web),
            known: VerifiedCache::new(CACHE_CAPACITY),
            hasher: RandomState::new(),
            runtime,
        })))
    }

    /// Searches for the user, then tries the password. `already_known` is asked when its turn has come.
    pub(super) async fn sign_in(
        self: &Arc<Self>,
        attempt: Attempt,
        password: String,
        already_known: impl FnOnce() -> Option<Arc<Identity>>,
    ) -> Result<Option<Arc<Identity>>, NoAnswer> {
        if password.is_empty() || !is_name(&attempt.user) {
            attempt.settle(false);
            return Ok(None);
        }
        let turn = self.turns.turn(attempt.address).await?;
        if let Some(identity) = already_known() {
            return Ok(Some(identity));
        }
        attempt.admit()?;
        let (directory, subject, now) = (Arc::clone(self), Subject::Name(attempt.user.clone()), attempt.now);
        self.run(turn, async move {
            let identity = match directory.pool.find(&subject).await? {
                Some(person) if directory.pool.bind(&person.dn, &password).await? => {
                    directory.identity(&person, now).map(|identity| (person.dn, identity))
                }
                _ => None,
            };
            attempt.settle(identity.is_some());
            let Some((dn, identity)) = identity else { return Ok(None) };
            // A token for this user is good at once then.
            directory.remember(Subject::Dn(dn), Some(Arc::clone(&identity)), now);
            Ok(Some(identity))
        })
        .await
    }

    /// The cached result about a subject: none, unknown user, or user.
    pub(super) fn known(&self, subject: &Subject, now: Timestamp) -> Option<Option<Arc<Identity>>> {
        let now_ms = now.as_millis();
        self.known.find(self.hasher.hash_one(subject), |known| {
            (known.subject == *subject && now_ms < known.ends_ms).then(|| known.identity.clone())
        })
    }

    /// Looks a subject up, so that `known` knows it.
    pub(super) async fn look_up(
        self: &Arc<Self>,
        subject: &Subject,
        address: IpAddr,
        now: Timestamp,
    ) -> Result<(), NoAnswer> {
        let turn = self.turns.turn(address).await?;
        if self.known(subject, now).is_some() {
            return Ok(());
        }
        let (directory, asked) = (Arc::clone(self), subject.clone());
        let identity = self
            .run(turn, async move {
                let person = directory.pool.find(&asked).await?;
                Ok(person.and_then(|person| directory.identity(&person, now)))
            })
            .await?;
        self.remember(subject.clone(), identity, now);
        Ok(())
    }

    fn remember(&self, subject: Subject, identity: Option<Arc<Identity>>, now: Timestamp) {
        let ends_ms = now.saturating_add(self.settings.counts_for).as_millis();
        self.known.insert(self.hasher.hash_one(&subject), Known { subject, identity, ends_ms }, now.as_millis());
    }

    /// The user of the directory that a token means by this name, if there can be one.
    pub(super) fn subject_of_token(&self, user: &str) -> Option<Subject> {
        Dn::parse(user).filter(|dn| dn.is_at_or_below(&self.settings.base_dn))?;
        Some(Subject::Dn(user.to_owned()))
    }

    pub(super) fn subject_of_name(&self, user: &str) -> Option<Subject> {
        is_name(user).then(|| Subject::Name(user.to_owned()))
    }

    pub(super) fn subject_of_certificate(&self, certificate: &CertificateIdentity) -> Option<Subject> {
        match &self.settings.certificates {
            Certificates::ExactDn => self.subject_of_token(&certificate.distinguished_name),
            Certificates::Filter(filter) => filter.about(certificate).map(Subject::Filter),
            Certificates::PrincipalCn => {
                certificate.common_name.clone().filter(|name| is_name(name)).map(Subject::Name)
            }
            Certificates::NotSupported => None,
        }
    }

    /// Asks each server for its base, signed in as for searches: its URL, and what is wrong.
    pub(super) async fn probe(&self) -> Vec<(String, Result<(), String>)> {
        self.pool.probe().await
    }

    /// Runs a request on a thread of its own. It continues when the caller has gone away: the time limits of the
    /// connection end it, and its turn with it.
    async fn run<T: Send + 'static>(
        &self,
        turn: Turn,
        question: impl Future<Output = Result<T, Failure>> + Send + 'static,
    ) -> Result<T, NoAnswer> {
        let question = async move {
            let _turn = turn;
            question.await
        };
        let task = match &self.runtime {
            Some(runtime) => runtime.spawn(question),
            None => tokio::spawn(question),
        };
        match task.await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(failure)) => {
                // What concerns a server was logged when it happened.
                if matches!(failure, Failure::Refused { .. } | Failure::TooMany { .. }) {
                    tracing::warn!("sign-in of a user of the directory failed: {failure}");
                }
                Err(NoAnswer::Unavailable)
            }
            // The client library panics over an answer that is not LDAP; the connection went with the task.
            Err(_) => {
                tracing::warn!("sign-in of a user of the directory failed: the directory's answer is not valid");
                Err(NoAnswer::Unavailable)
            }
        }
    }

    /// `None` for a user with the name of a user of this machine.
    fn identity(&self, person: &Person, now: Timestamp) -> Option<Arc<Identity>> {
        let dn = Dn::parse(&person.dn)?;
        if let Some(why) = self.local_names.why_taken(&person.name, Some(&person.dn)) {
            let name = person.name.escape_debug();
            tracing::warn!("sign-in of the directory's user '{name}' refused: {why}");
            return None;
        }
        let groups: Vec<_> =
            person.groups.iter().filter(|group| !group.name.eq_ignore_ascii_case(ADMINISTRATORS)).collect();
        let named = groups.iter().map(|group| (group.name.as_str(), Dn::parse(&group.dn))).collect();
        let roles = self.bindings.roles_of_directory_user(&DirectoryUser { name: &person.name, dn, groups: named });
        let principal = Principal {
            user: Arc::from(person.name.as_str()),
            groups: groups.iter().map(|group| Arc::from(group.name.as_str())).collect(),
            is_administrator: false,
        };
        let identity = Identity::new(principal, person.name.as_str(), roles);
        Some(Arc::new(identity.of_directory(&person.dn, now.saturating_add(self.settings.counts_for))))
    }
}
