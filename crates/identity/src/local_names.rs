//! Names that users from elsewhere, of a directory or an issuer of tokens, cannot have here.
//!
//! Whoever administers a directory decides who its users are, not who administers queue managers. A name is taken if it is that of the
//! server's own user, of `mqm` or, as the caller chooses, of a user of `web.users`; and if it begins with the 12 bytes of such a name
//! that a message descriptor holds, because its owner would look like the other one there.

use std::collections::HashSet;

use model::text::Text;

use crate::options::Web;

/// The group that makes administrators, and their user, on any queue manager.
pub(super) const ADMINISTRATORS: &str = "mqm";

pub(super) struct LocalNames {
    /// In lower case.
    taken: HashSet<String>,
    identifiers: HashSet<Text<12>>,
}

impl LocalNames {
    /// Those of this machine and of the configuration.
    pub(super) fn new(server_user: &str, web: &Web) -> Self {
        Self::of([server_user, ADMINISTRATORS].into_iter().chain(web.users.keys().map(String::as_str)))
    }

    /// Those of this machine alone.
    pub(super) fn of_machine(server_user: &str) -> Self {
        Self::of([server_user, ADMINISTRATORS])
    }

    fn of<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let taken: HashSet<_> = names.into_iter().map(str::to_lowercase).collect();
        let identifiers = taken.iter().map(|name| Text::new(name)).collect();
        Self { taken, identifiers }
    }

    /// `None` for a name that is free. `other` is another name of the same user.
    pub(super) fn why_taken(&self, name: &str, other: Option<&str>) -> Option<&'static str> {
        let name = name.to_lowercase();
        if self.taken.contains(&name) || other.is_some_and(|other| self.taken.contains(&other.to_lowercase())) {
            return Some("a user of this server has that name");
        }
        let begins_alike = self.identifiers.contains(&Text::new(&name));
        begins_alike.then_some("the name of a user of this server begins with the same 12 bytes")
    }
}
