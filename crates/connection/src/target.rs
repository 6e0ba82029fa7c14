//! Which queue manager is meant, and on whose behalf it is used.

use model::authority::Principal;

/// A queue manager.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Target {
    /// Of this server; blank for its default one.
    Local(String),
    /// An entry of `[remote_queue_managers]`.
    Remote(String),
}

/// Whose authority counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum User {
    /// Of this server's queue managers: this principal. Of a remote one: the user its entry names.
    Server(Principal),
    /// The caller, already identified. A remote queue manager is told the name; what that is worth its channel decides.
    Caller(Principal),
    /// A user of the configuration. Of this server's queue managers the principal counts, of a remote one name and
    /// password.
    Named { principal: Principal, password: String },
}

impl User {
    pub fn principal(&self) -> &Principal {
        match self {
            Self::Server(principal) | Self::Caller(principal) | Self::Named { principal, .. } => principal,
        }
    }
}
