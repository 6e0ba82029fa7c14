//! Who a request comes from, once that is established.
//!
//! An identity is made by the registry from configuration and never changes; a reload makes new ones.

use std::fmt;
use std::sync::Arc;

use http::HeaderValue;
use model::authority::Principal;
use model::timestamp::Timestamp;
use parking_lot::Mutex;

use super::role::Roles;

/// A user the registry knows, with what the roles of the configuration give it.
pub struct Identity {
    /// Who the queue manager sees when the request acts for the user itself.
    pub principal: Principal,
    /// The registry's spelling of the user's name.
    pub name: String,
    /// Empty for a user whose credentials are right but who is bound to no role: answered with 403, not 401.
    pub roles: Roles,
    /// The cookie last minted for requests that share this identity; see `Authenticator::mint_cookie`.
    pub(super) minted: Mutex<Option<MintedCookie>>,
}

/// A cookie kept for reuse, so that a client that sends Basic on every request costs one signature a minute.
pub(super) struct MintedCookie {
    pub(super) value: HeaderValue,
    pub(super) token: String,
    pub(super) minted_at: Timestamp,
    pub(super) over_tls: bool,
}

impl Identity {
    pub fn new(principal: Principal, name: impl Into<String>, roles: Roles) -> Self {
        Self { principal, name: name.into(), roles, minted: Mutex::new(None) }
    }

    /// The same user with no cookie minted yet: for a login, whose token must be its own.
    pub(super) fn fresh(&self) -> Arc<Self> {
        Arc::new(Self::new(self.principal.clone(), self.name.clone(), self.roles))
    }
}

/// Leaves the cookie out: tokens are never printed.
impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity").field("name", &self.name).field("roles", &self.roles).finish_non_exhaustive()
    }
}
