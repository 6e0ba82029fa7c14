//! How a REST client uses connections and logins.

use crate::plan::{Connection, Csrf};

/// The default is one kept connection, one login, and any value in the CSRF header.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Habits {
    pub connection: Connection,
    /// Whether each transaction begins with a login of its own, where there is one.
    pub login_every: bool,
    pub csrf: Csrf,
}
