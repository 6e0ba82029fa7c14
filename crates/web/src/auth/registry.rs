//! Users, groups and the roles bound to them: one configuration, parsed once.
//!
//! Every user's identity is made when the configuration is read, so that a request only looks one up.
//!
//! Case: user names are compared exactly unless `ignore_case`. A user of no role is known all the same.
//! Source: IBM MQ 9.3, "Configuring users and roles"; Open Liberty, basicRegistry.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use model::authority::Principal;

use super::bindings::Bindings;
use super::certificate::{self, CertificateIdentity};
use super::identity::Identity;
use super::option_error;
use super::password::{Password, PasswordReader};
use super::role::Roles;
use crate::WebError;
use crate::options::{CertificateMap, Web};

/// Members of this group have every authority on objects, as on any queue manager.
const ADMINISTRATORS: &str = "mqm";

pub(super) struct Registry {
    users: HashMap<String, User>,
    /// Normalised subject to the key of the user of that name; only with `CertificateMap::ExactDn`.
    subjects: HashMap<String, String>,
    certificate_map: CertificateMap,
    ignore_case: bool,
    /// Key of the user whose password is dearest to check. A name that is not known is answered after such a check too,
    /// so that it takes as long as a wrong password.
    dearest: Option<String>,
}

struct User {
    identity: Arc<Identity>,
    password: Password,
}

/// What can be said about a password at once.
pub(super) enum QuickCheck<'a> {
    Right(&'a Arc<Identity>),
    Wrong,
    NeedsTime,
}

impl Registry {
    /// # Errors
    /// `Option`, naming the user, role or binding that cannot be used.
    pub(super) fn new(
        web: &Web,
        passwords: &PasswordReader,
        bindings: &Bindings,
        server_user: &str,
    ) -> Result<Self, WebError> {
        let mut users = HashMap::with_capacity(web.users.len());
        let memberships = memberships(web);
        for (name, stored) in &web.users {
            let option = || format!("web.users.{name}");
            if name.is_empty() {
                return Err(option_error(&option(), "the name of a user is empty"));
            }
            let password = passwords.read(stored).map_err(|error| option_error(&option(), error))?;
            let groups = memberships.get(&*key(name, web.ignore_case)).map_or(&[][..], Vec::as_slice);
            let roles = bindings.roles_of(name, groups);
            let user = User { identity: Arc::new(identity(name, groups, roles, server_user)), password };
            if users.insert(key(name, web.ignore_case).into_owned(), user).is_some() {
                return Err(option_error(
                    &option(),
                    "another user has this name but for its case, and ignore_case is set",
                ));
            }
        }
        let dearest = users.iter().max_by_key(|(_, user)| user.password.dearness()).map(|(key, _)| key.clone());
        let subjects = match web.certificate_map {
            CertificateMap::ExactDn => subjects(web),
            CertificateMap::PrincipalCn | CertificateMap::NotSupported => HashMap::new(),
        };
        Ok(Self { users, subjects, certificate_map: web.certificate_map, ignore_case: web.ignore_case, dearest })
    }

    pub(super) fn find(&self, name: &str) -> Option<&Arc<Identity>> {
        self.user(name).map(|user| &user.identity)
    }

    pub(super) fn find_by_certificate(&self, certificate: &CertificateIdentity) -> Option<&Arc<Identity>> {
        match self.certificate_map {
            CertificateMap::PrincipalCn => self.find(certificate.common_name.as_deref()?),
            CertificateMap::ExactDn => {
                let key = self.subjects.get(&certificate::normalise(&certificate.distinguished_name))?;
                self.users.get(key).map(|user| &user.identity)
            }
            CertificateMap::NotSupported => None,
        }
    }

    /// Checks what can be checked in microseconds.
    pub(super) fn check_quickly(&self, name: &str, password: &str) -> QuickCheck<'_> {
        match self.user(name) {
            Some(user) if user.password.is_slow() => QuickCheck::NeedsTime,
            Some(user) if user.password.matches(password) => QuickCheck::Right(&user.identity),
            // A refusal takes equally long for every name, known or not.
            Some(_) | None if self.dearest().is_some_and(Password::is_slow) => QuickCheck::NeedsTime,
            Some(_) => QuickCheck::Wrong,
            None => {
                self.compare_in_vain(password);
                QuickCheck::Wrong
            }
        }
    }

    /// Checks whatever form the password has. May take tens of milliseconds of processor time.
    pub(super) fn check(&self, name: &str, password: &str) -> Option<Arc<Identity>> {
        let user = self.user(name);
        if let Some(user) = user.filter(|user| user.password.matches(password)) {
            return Some(Arc::clone(&user.identity));
        }
        if !user.is_some_and(|user| user.password.is_slow()) {
            self.compare_in_vain(password);
        }
        None
    }

    fn dearest(&self) -> Option<&Password> {
        self.users.get(self.dearest.as_ref()?).map(|user| &user.password)
    }

    /// Takes the time of a check; the outcome counts for nothing.
    fn compare_in_vain(&self, password: &str) {
        if let Some(dearest) = self.dearest() {
            std::hint::black_box(dearest.matches(password));
        }
    }

    fn user(&self, name: &str) -> Option<&User> {
        self.users.get(&*key(name, self.ignore_case))
    }
}

fn key(name: &str, ignore_case: bool) -> Cow<'_, str> {
    if ignore_case { Cow::Owned(name.to_lowercase()) } else { Cow::Borrowed(name) }
}

/// Key of a user to its groups, in their order, each once.
fn memberships(web: &Web) -> HashMap<Cow<'_, str>, Vec<&str>> {
    let mut memberships: HashMap<_, Vec<&str>> = HashMap::new();
    for (group, members) in &web.groups {
        for member in members {
            let groups = memberships.entry(key(member, web.ignore_case)).or_default();
            if groups.last() != Some(&group.as_str()) {
                groups.push(group);
            }
        }
    }
    memberships
}

fn identity(name: &str, groups: &[&str], roles: Roles, server_user: &str) -> Identity {
    let is_administrator = name == server_user || name == ADMINISTRATORS || groups.contains(&ADMINISTRATORS);
    let groups = groups.iter().map(|&group| Arc::from(group)).collect();
    Identity::new(Principal { user: Arc::from(name), groups, is_administrator }, name, roles)
}

fn subjects(web: &Web) -> HashMap<String, String> {
    web.users.keys().map(|name| (certificate::normalise(name), key(name, web.ignore_case).into_owned())).collect()
}

#[cfg(test)]
mod tests;
