//! Users, groups and the roles bound to them: one configuration, parsed once.
//!
//! Every user's identity is made when the configuration is read, so that a request only looks one up.
//!
//! Case: user names are compared exactly unless `ignore_case`. A user of no role is known all the same.
//! Source: IBM MQ 9.3, "Configuring users and roles"; Open Liberty, basicRegistry.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use model::authority::Principal;
use model::timestamp::Timestamp;

use super::bindings::Bindings;
use super::certificate::CertificateIdentity;
use super::identity::Identity;
use super::ldap::dn::Dn;
use super::local_names::ADMINISTRATORS;
use super::ltpa::keys::LtpaKeys;
use super::password::{Password, PasswordReader};
use super::role::Roles;
use crate::error::IdentityError;
use crate::options::{CertificateMap, Web};

pub(super) struct Registry {
    users: HashMap<String, User>,
    /// Subject to the key of the user of that name; only with `CertificateMap::ExactDn`.
    subjects: HashMap<Dn, String>,
    certificate_map: CertificateMap,
    ignore_case: bool,
    /// Key of one user for each slow form that passwords have here. Every refusal computes one hash of each form, whether
    /// the name is known or not, so that the time it takes tells nothing about the name.
    slow_forms: BTreeMap<u8, String>,
}

/// What a change of a password is known by.
pub(super) struct Marks<'a> {
    pub(super) keys: &'a LtpaKeys,
    /// The users before a reload.
    pub(super) before: Option<&'a Registry>,
    pub(super) now: Timestamp,
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
        marks: &Marks<'_>,
    ) -> Result<Self, IdentityError> {
        let mut users = HashMap::with_capacity(web.users.len());
        let memberships = memberships(web);
        for (name, stored) in &web.users {
            let option = || format!("web.users.{name}");
            if name.is_empty() {
                return Err(IdentityError::new(&option(), "the name of a user is empty"));
            }
            if stored.is_empty() {
                return Err(IdentityError::new(
                    &option(),
                    "its password is empty: everyone who knows the name could sign in",
                ));
            }
            let password = passwords.read(stored).map_err(|error| IdentityError::new(&option(), error))?;
            let groups = memberships.get(&*key(name, web.ignore_case)).map_or(&[][..], Vec::as_slice);
            let roles = bindings.roles_of(name, groups);
            let before = marks.before.and_then(|before| before.find(name)).map(|identity| &**identity);
            let mark = marks.keys.password_mark(name, stored);
            let identity = identity(name, groups, roles, server_user).with_password(mark, before, marks.now);
            let user = User { identity: Arc::new(identity), password };
            if users.insert(key(name, web.ignore_case).into_owned(), user).is_some() {
                return Err(IdentityError::new(
                    &option(),
                    "another user has this name but for its case, and ignore_case is set",
                ));
            }
        }
        let slow = users.iter().filter(|(_, user)| user.password.is_slow());
        let slow_forms = slow.map(|(key, user)| (user.password.dearness(), key.clone())).collect();
        let subjects = match web.certificate_map {
            CertificateMap::ExactDn => subjects(web)?,
            CertificateMap::PrincipalCn | CertificateMap::NotSupported => HashMap::new(),
        };
        Ok(Self { users, subjects, certificate_map: web.certificate_map, ignore_case: web.ignore_case, slow_forms })
    }

    pub(super) fn find(&self, name: &str) -> Option<&Arc<Identity>> {
        self.user(name).map(|user| &user.identity)
    }

    pub(super) fn find_by_certificate(&self, certificate: &CertificateIdentity) -> Option<&Arc<Identity>> {
        match self.certificate_map {
            CertificateMap::PrincipalCn => self.find(certificate.common_name.as_deref()?),
            CertificateMap::ExactDn => {
                let key = self.subjects.get(&Dn::parse(&certificate.distinguished_name)?)?;
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
            Some(_) | None if !self.slow_forms.is_empty() => QuickCheck::NeedsTime,
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
        for other in self.in_vain(user) {
            std::hint::black_box(other.matches(password));
        }
        None
    }

    /// Passwords to compare with in vain after `user` was refused: one of each slow form but its own.
    fn in_vain(&self, user: Option<&User>) -> impl Iterator<Item = &Password> {
        let own = user.map(|user| user.password.dearness());
        let others = self.slow_forms.iter().filter(move |(form, _)| Some(**form) != own);
        others.filter_map(|(_, key)| self.users.get(key)).map(|user| &user.password)
    }

    /// Takes the time of a check of any password, none of which is slow; the outcome is not used.
    fn compare_in_vain(&self, password: &str) {
        if let Some(user) = self.users.values().next() {
            std::hint::black_box(user.password.matches(password));
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

/// Users whose name is a distinguished name.
fn subjects(web: &Web) -> Result<HashMap<Dn, String>, IdentityError> {
    let mut subjects = HashMap::new();
    for name in web.users.keys() {
        let Some(dn) = Dn::parse(name) else { continue };
        if subjects.insert(dn, key(name, web.ignore_case).into_owned()).is_some() {
            let problem = "another user has the same distinguished name, written in another way";
            return Err(IdentityError::new(&format!("web.users.{name}"), problem));
        }
    }
    Ok(subjects)
}

#[cfg(test)]
mod tests;
