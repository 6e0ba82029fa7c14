//! All users there are: those of the configuration, then those of the directory.
//!
//! A name that the configuration knows is never asked of the directory, and a password tried for it goes nowhere else.

use std::net::IpAddr;
use std::sync::Arc;

use model::timestamp::Timestamp;

use super::attempts::Attempt;
use super::certificate::CertificateIdentity;
use super::identity::Identity;
use super::ldap::{Directory, NoAnswer, Subject};
use super::registry::{QuickCheck, Registry};
use super::slow::SlowChecks;

pub(super) struct Users {
    file: Arc<Registry>,
    directory: Option<Arc<Directory>>,
}

/// Whom a token or certificate means.
pub(super) enum Lookup {
    Known(Arc<Identity>),
    Unknown,
    /// The directory has to be asked.
    Ask(Subject),
}

impl Users {
    pub(super) fn new(file: Registry, directory: Option<Arc<Directory>>) -> Self {
        Self { file: Arc::new(file), directory }
    }

    /// Those of the configuration.
    pub(super) fn file(&self) -> &Registry {
        &self.file
    }

    pub(super) fn directory(&self) -> Option<&Arc<Directory>> {
        self.directory.as_ref()
    }

    /// Checks what can be checked in microseconds.
    pub(super) fn check_quickly(&self, name: &str, password: &str) -> QuickCheck<'_> {
        if self.is_asked_for(name) { QuickCheck::NeedsTime } else { self.file.check_quickly(name, password) }
    }

    /// Checks a password however long it takes. `already_known` is asked when its turn has come.
    pub(super) async fn check(
        &self,
        slow_checks: &SlowChecks,
        attempt: Attempt,
        password: String,
        already_known: impl FnOnce() -> Option<Arc<Identity>>,
    ) -> Result<Option<Arc<Identity>>, NoAnswer> {
        match self.directory.as_ref().filter(|_| self.is_asked_for(&attempt.user)) {
            Some(directory) => directory.sign_in(attempt, password, already_known).await,
            None => slow_checks.check(&self.file, attempt, password, already_known).await,
        }
    }

    fn is_asked_for(&self, name: &str) -> bool {
        self.directory.is_some() && self.file.find(name).is_none()
    }

    /// Whom a token of our realm means by `user`.
    pub(super) fn of_token(&self, user: &str, now: Timestamp) -> Lookup {
        match self.file.find(user) {
            Some(identity) => Lookup::Known(Arc::clone(identity)),
            None => self.look(now, |directory| directory.subject_of_token(user)),
        }
    }

    /// Whom an API key means by `user`.
    pub(super) fn of_name(&self, user: &str, now: Timestamp) -> Lookup {
        match self.file.find(user) {
            Some(identity) => Lookup::Known(Arc::clone(identity)),
            None => self.look(now, |directory| directory.subject_of_name(user)),
        }
    }

    pub(super) fn of_certificate(&self, certificate: &CertificateIdentity, now: Timestamp) -> Lookup {
        match self.file.find_by_certificate(certificate) {
            Some(identity) => Lookup::Known(Arc::clone(identity)),
            None => self.look(now, |directory| directory.subject_of_certificate(certificate)),
        }
    }

    fn look(&self, now: Timestamp, subject: impl FnOnce(&Directory) -> Option<Subject>) -> Lookup {
        let Some(directory) = &self.directory else { return Lookup::Unknown };
        let Some(subject) = subject(directory) else { return Lookup::Unknown };
        match directory.known(&subject, now) {
            Some(Some(identity)) => Lookup::Known(identity),
            Some(None) => Lookup::Unknown,
            None => Lookup::Ask(subject),
        }
    }

    /// Asks the directory about a subject, which then is known or unknown.
    pub(super) async fn ask(&self, subject: &Subject, address: IpAddr, now: Timestamp) -> Result<(), NoAnswer> {
        match &self.directory {
            Some(directory) => directory.look_up(subject, address, now).await,
            None => Ok(()),
        }
    }
}
