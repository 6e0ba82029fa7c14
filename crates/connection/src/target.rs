//! Which queue manager is meant, and on whose behalf it is used.

use std::borrow::Cow;

use model::authority::Principal;

/// A queue manager.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Target {
    /// Of this server; blank for its default one.
    Local(String),
    /// An entry of `[remote_queue_managers]`.
    Remote(String),
}

/// As a sentence has it.
impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Local(name) if name.is_empty() => f.write_str("the default queue manager"),
            Self::Local(name) => write!(f, "the queue manager '{name}'"),
            Self::Remote(name) => write!(f, "the remote queue manager '{name}'"),
        }
    }
}

/// Whose authority counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum User<'a> {
    /// Of this server's queue managers: this principal. Of a remote one: the user its entry names.
    Server(Cow<'a, Principal>),
    /// The caller, already identified. A remote queue manager is told the name whenever an object is opened, and decides
    /// whether the user of its entry may act for others.
    Caller(Cow<'a, Principal>),
    /// A user of the configuration. Of this server's queue managers the principal counts, of a remote one name and
    /// password.
    Named { principal: Cow<'a, Principal>, password: Cow<'a, str> },
}

impl User<'_> {
    pub fn principal(&self) -> &Principal {
        match self {
            Self::Server(principal) | Self::Caller(principal) | Self::Named { principal, .. } => principal,
        }
    }

    pub fn into_owned(self) -> User<'static> {
        let owned = |principal: Cow<'_, Principal>| Cow::Owned(principal.into_owned());
        match self {
            Self::Server(principal) => User::Server(owned(principal)),
            Self::Caller(principal) => User::Caller(owned(principal)),
            Self::Named { principal, password } => {
                User::Named { principal: owned(principal), password: Cow::Owned(password.into_owned()) }
            }
        }
    }

    /// The user as which a connection that was made for this user opens objects.
    pub fn acting(&self) -> Acting<'_> {
        match self {
            Self::Server(principal) | Self::Named { principal, .. } => Acting::AsConnected(principal),
            Self::Caller(principal) => Acting::For(principal),
        }
    }
}

/// Whose authority is checked for an open or a put1. A local connection gets the principal in both cases.
#[derive(Debug, Clone, Copy)]
pub enum Acting<'a> {
    /// On a remote connection: the user it was made as.
    AsConnected(&'a Principal),
    /// On a remote connection: this user, by alternate user authority.
    For(&'a Principal),
}

impl<'a> Acting<'a> {
    pub fn principal(self) -> &'a Principal {
        match self {
            Self::AsConnected(principal) | Self::For(principal) => principal,
        }
    }
}
