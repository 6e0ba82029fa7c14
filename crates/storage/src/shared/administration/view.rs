//! One database of the group as it is looked at: by an operator's command over a connection of its own, or by a member over its session's.
//!
//! Never: changes anything.

use tokio_postgres::Client;

use crate::shared::batch::Connected;
use crate::shared::driver::{Driver, Session};
use crate::shared::options::SharedOptions;
use crate::shared::primary::Primary;

#[derive(Clone, Copy)]
pub(in crate::shared) struct View<'a> {
    /// `None`: the home.
    pub(super) structure: Option<&'a str>,
    pub(super) connected: &'a Connected,
    pub(super) primary: &'a Primary,
    pub(super) options: &'a SharedOptions,
}

impl<'a> View<'a> {
    /// As a member's session sees it.
    pub(in crate::shared) fn of_member(driver: &'a Driver, session: &'a Session) -> Self {
        Self {
            structure: driver.structure(),
            connected: &session.reader,
            primary: &session.primary,
            options: &driver.options,
        }
    }

    pub(super) fn client(self) -> &'a Client {
        &self.connected.client
    }
}
