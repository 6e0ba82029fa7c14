//! Lists of objects, by page: searched, filtered, sorted and counted here, so that a client holds no more than it shows.
//!
//! Owns: what a client may ask (`lists/query.rs`, `lists/condition.rs`), how a page is made of any rows (`lists/page.rs`, `lists/value.rs`),
//! and the columns and rows of each list (`lists/column.rs`, `lists/queues.rs`).
//!
//! Never here: HTTP, sign-in. What a viewer may see is asked of the queue manager for each object.
//!
//! Invariants
//! - `known` counts what the viewer may see, `total` what is left of it after search and conditions. Both are exact.
//! - The order is total: rows that are equal by every key stay in the order of the list. What has no value comes last.
//! - A list of queues copies no text but that of the page.

mod column;
mod condition;
mod page;
mod query;
mod queues;
mod value;

use model::authority::Principal;
use queue_manager::QueueManager;

pub use self::column::{Column, Kind};
pub use self::query::{MOST_ROWS, Query, Wrong};
pub use self::queues::queues;

/// Whose authority counts at which queue manager.
#[derive(Clone, Copy)]
pub struct Sight<'a> {
    pub queue_manager: &'a QueueManager,
    pub principal: &'a Principal,
}

impl<'a> Sight<'a> {
    /// Who has to be asked about for each object; `None` sees all.
    fn limited(self) -> Option<&'a Principal> {
        (!self.queue_manager.is_administrator(self.principal)).then_some(self.principal)
    }
}

/// Which list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    Queues,
}

impl List {
    pub const ALL: [Self; 1] = [Self::Queues];

    /// In the order in which they are shown when none are named.
    pub const fn columns(self) -> &'static [Column] {
        match self {
            Self::Queues => queues::COLUMNS,
        }
    }
}
