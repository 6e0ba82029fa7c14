//! Who a request comes from, once that is established.
//!
//! An identity is made from the configuration or from what a directory said, and never changes; a reload makes new ones.

use std::fmt;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use model::authority::Principal;
use model::timestamp::Timestamp;
use parking_lot::Mutex;

use super::role::Roles;
use super::scope::Scope;

/// A user the registry knows, with what the roles of the configuration give it.
pub struct Identity {
    /// Who the queue manager sees when the request acts for the user itself.
    pub principal: Principal,
    /// The registry's spelling of the user's name.
    pub name: String,
    /// Empty for a user whose credentials are right but who is bound to no role: answered with 403, not 401.
    pub roles: Roles,
    /// What it may do at most, of an API key; `None`: whatever its user may do.
    pub scope: Option<Arc<Scope>>,
    /// What tokens call the user: its distinguished name, for one of a directory.
    pub(super) token_name: String,
    /// Until when what was found out about the user counts; `None`: until the configuration is read again.
    pub(super) counts_until: Option<Timestamp>,
    /// What its tokens say of the password, where that is known here: those of another password are refused.
    pub(super) password_mark: Option<String>,
    /// When the password was seen to have changed: tokens of before that say nothing of it are refused.
    pub(super) password_changed: Option<Timestamp>,
    /// The token last minted for requests that share this identity; see `Authenticator::mint_token`.
    pub(super) minted: Mutex<Option<Arc<MintedToken>>>,
}

/// A token kept for reuse, so that a client that sends Basic on every request costs one signature a minute.
pub struct MintedToken {
    pub token: String,
    pub(super) minted_at: Timestamp,
    /// Without TLS, with TLS.
    cookies: [OnceLock<Bytes>; 2],
}

impl MintedToken {
    pub(super) fn new(token: String, minted_at: Timestamp) -> Self {
        Self { token, minted_at, cookies: Default::default() }
    }

    /// The cookie that carries the token over such a connection, which `make` writes once.
    pub fn cookie(&self, over_tls: bool, make: impl FnOnce(&str) -> String) -> Bytes {
        self.cookies[usize::from(over_tls)].get_or_init(|| make(&self.token).into()).clone()
    }
}

impl Identity {
    pub fn new(principal: Principal, name: impl Into<String>, roles: Roles) -> Self {
        let name = name.into();
        Self {
            principal,
            token_name: name.clone(),
            name,
            roles,
            scope: None,
            counts_until: None,
            password_mark: None,
            password_changed: None,
            minted: Mutex::new(None),
        }
    }

    /// The identity as one whose password is stored here. `before` is that of the same name before a reload.
    pub(super) fn with_password(self, mark: String, before: Option<&Self>, now: Timestamp) -> Self {
        let password_changed = match before {
            Some(before) if before.password_mark.as_ref() != Some(&mark) => Some(now),
            Some(before) => before.password_changed,
            None => None,
        };
        Self { password_mark: Some(mark), password_changed, ..self }
    }

    /// The identity as one of a directory's entry.
    pub(super) fn of_directory(self, dn: &str, counts_until: Timestamp) -> Self {
        Self { token_name: dn.to_owned(), counts_until: Some(counts_until), ..self }
    }

    /// The identity of an API key of the user: for messaging, within the key's scope.
    pub(super) fn of_api_key(
        principal: Principal,
        name: &str,
        counts_until: Option<Timestamp>,
        scope: Arc<Scope>,
    ) -> Self {
        Self { scope: Some(scope), counts_until, ..Self::new(principal, name, Roles::MQWEB_USER) }
    }

    /// The same user with no token minted yet: for a login, whose token must be its own.
    pub(super) fn fresh(&self) -> Arc<Self> {
        Arc::new(Self {
            principal: self.principal.clone(),
            name: self.name.clone(),
            roles: self.roles,
            scope: self.scope.clone(),
            token_name: self.token_name.clone(),
            counts_until: self.counts_until,
            password_mark: self.password_mark.clone(),
            password_changed: self.password_changed,
            minted: Mutex::new(None),
        })
    }
}

/// Leaves the cookie out: tokens are never printed.
impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity").field("name", &self.name).field("roles", &self.roles).finish_non_exhaustive()
    }
}
