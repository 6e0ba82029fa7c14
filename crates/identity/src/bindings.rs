//! The roles that `web.roles` gives to users and groups.
//!
//! Case: a binding names users without regard to case, except for MQWebUser, whose user has to match MQ's own user id.
//! Groups of the configuration are compared exactly; those of a directory without case, as directories do. Users and groups
//! of a directory may also be bound by their distinguished names.
//! Source: IBM MQ 9.3, "Configuring users and roles"; Open Liberty, application-bnd.

use std::collections::BTreeMap;

use super::ldap::dn::Dn;
use super::role::Roles;
use crate::error::IdentityError;

/// Who has which role.
pub(super) struct Bindings(Vec<(Roles, Bound)>);

enum Bound {
    User(Name),
    Group(Name),
    /// ALL_AUTHENTICATED_USERS, and EVERYONE: a request without credentials has no identity to give a role to.
    Everybody,
}

struct Name {
    text: String,
    /// The text, where it is a distinguished name.
    dn: Option<Dn>,
}

/// A user as a directory knows it.
pub(super) struct DirectoryUser<'a> {
    pub(super) name: &'a str,
    pub(super) dn: Dn,
    pub(super) groups: Vec<(&'a str, Option<Dn>)>,
}

impl Bindings {
    /// # Errors
    /// `Option`, naming the role or binding that cannot be used.
    pub(super) fn parse(roles: &BTreeMap<String, Vec<String>>) -> Result<Self, IdentityError> {
        let mut bindings = Vec::new();
        for (name, holders) in roles {
            let key = format!("web.roles.{name}");
            let role = Roles::parse(name).ok_or_else(|| {
                let known: Vec<_> = Roles::all().names().collect();
                IdentityError::new(&key, format!("no such role; expected one of {}", known.join(", ")))
            })?;
            for holder in holders {
                let bound = Bound::parse(holder).ok_or_else(|| {
                    let expected = "user:NAME, group:NAME, ALL_AUTHENTICATED_USERS or EVERYONE";
                    IdentityError::new(&key, format!("'{holder}' is not {expected}"))
                })?;
                bindings.push((role, bound));
            }
        }
        Ok(Self(bindings))
    }

    /// Roles of a user of `web.users`.
    pub(super) fn roles_of(&self, user: &str, groups: &[&str]) -> Roles {
        self.roles(|role, bound| match bound {
            Bound::User(name) => is_bound_user(role, &name.text, user),
            Bound::Group(name) => groups.contains(&name.text.as_str()),
            Bound::Everybody => true,
        })
    }

    pub(super) fn roles_of_directory_user(&self, user: &DirectoryUser<'_>) -> Roles {
        self.roles(|role, bound| match bound {
            Bound::User(Name { dn: Some(dn), .. }) => *dn == user.dn,
            Bound::User(name) => is_bound_user(role, &name.text, user.name),
            Bound::Group(name) => user.groups.iter().any(|(group, dn)| match &name.dn {
                Some(bound) => dn.as_ref() == Some(bound),
                None => group.to_lowercase() == name.text.to_lowercase(),
            }),
            Bound::Everybody => true,
        })
    }

    fn roles(&self, holds: impl Fn(Roles, &Bound) -> bool) -> Roles {
        let held = self.0.iter().filter(|(role, bound)| holds(*role, bound));
        held.fold(Roles::empty(), |roles, (role, _)| roles | *role)
    }
}

fn is_bound_user(role: Roles, bound: &str, user: &str) -> bool {
    if role == Roles::MQWEB_USER { bound == user } else { bound.to_lowercase() == user.to_lowercase() }
}

impl Bound {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "ALL_AUTHENTICATED_USERS" | "EVERYONE" => Some(Self::Everybody),
            _ => {
                let (kind, name) = text.split_once(':').filter(|(_, name)| !name.is_empty())?;
                let name = Name { text: name.to_owned(), dn: Dn::parse(name) };
                match kind {
                    "user" => Some(Self::User(name)),
                    "group" => Some(Self::Group(name)),
                    _ => None,
                }
            }
        }
    }
}
