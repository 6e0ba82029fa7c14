//! Lists of objects, by page: searched, filtered, sorted and counted here, so that a client holds no more than it shows.
//!
//! Owns: what a client may ask (`lists/query.rs`, `lists/condition.rs`), how a page is made of any rows (`lists/page.rs`, `lists/value.rs`,
//! `lists/gathered.rs`), and the columns and rows of each list (`lists/column.rs`, and a file for each list).
//!
//! Never here: HTTP, sign-in. What a viewer may see is asked of the queue manager for each object.
//!
//! Invariants
//! - `known` counts what the viewer may see, `total` what is left of it after search and conditions. Both are exact.
//! - The order is total: rows that are equal by every key stay in the order of the list. What has no value comes last.
//! - A list of queues copies no text but that of the page.

mod channels;
mod column;
mod condition;
mod connections;
mod gathered;
mod instances;
mod page;
mod query;
mod queues;
mod subscriptions;
mod topics;
mod value;

use message_api::history::History;
use model::authority::{Authority, AuthorityObject, Principal};
use model::name::ObjectName;
use model::reason::Reason;
use queue_manager::QueueManager;

pub use self::column::{Column, Kind};
pub use self::query::{MOST_ROWS, Query, Wrong};

/// Which list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    Queues,
    Channels,
    ChannelInstances,
    Connections,
    Topics,
    Subscriptions,
}

/// Whose authority counts at which queue manager.
#[derive(Clone, Copy)]
pub struct Sight<'a> {
    pub queue_manager: &'a QueueManager,
    pub principal: &'a Principal,
}

/// Why there is no page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoPage {
    /// The list is for those who may display the queue manager.
    #[error("the user may not display the queue manager")]
    Hidden,
    #[error("the objects cannot be read")]
    Unreadable(#[source] Reason),
}

impl List {
    pub const ALL: [Self; 6] =
        [Self::Queues, Self::Channels, Self::ChannelInstances, Self::Connections, Self::Topics, Self::Subscriptions];

    /// In the order in which they are shown when none are named.
    pub const fn columns(self) -> &'static [Column] {
        match self {
            Self::Queues => queues::COLUMNS,
            Self::Channels => channels::COLUMNS,
            Self::ChannelInstances => instances::COLUMNS,
            Self::Connections => connections::COLUMNS,
            Self::Topics => topics::COLUMNS,
            Self::Subscriptions => subscriptions::COLUMNS,
        }
    }

    /// A page of what the viewer may see, as JSON. `query` is one for this list.
    ///
    /// # Errors
    /// The viewer may see nothing of it, or it cannot be read.
    pub async fn page(self, sight: Sight<'_>, query: &Query, history: &History) -> Result<Vec<u8>, NoPage> {
        match self {
            Self::Queues => Ok(queues::page(sight, query, history)),
            Self::Channels => Ok(channels::page(sight, query)),
            Self::ChannelInstances => Ok(instances::page(sight, query)),
            Self::Connections => connections::page(sight, query),
            Self::Topics => topics::page(sight, query).await,
            Self::Subscriptions => subscriptions::page(sight, query),
        }
    }
}

impl Sight<'_> {
    fn may_display(self, object: AuthorityObject, name: &ObjectName) -> bool {
        self.queue_manager.is_authorised(self.principal, object, name, Authority::DISPLAY)
    }

    /// # Errors
    /// The viewer may not display the queue manager.
    fn check_queue_manager(self) -> Result<(), NoPage> {
        let is_visible = self.may_display(AuthorityObject::QueueManager, &self.queue_manager.name());
        is_visible.then_some(()).ok_or(NoPage::Hidden)
    }
}

#[cfg(test)]
mod tests;
