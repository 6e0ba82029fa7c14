//! The shared store: queues of a queue-sharing group, in databases that speak PostgreSQL's protocol.
//!
//! `group.rs` holds one store for each database; `in_common.rs` is what they share. The home has the members and definitions, and the
//! queues of each structure without a database of its own. What follows is true of each database.
//!
//! The database alone orders, makes durable and decides. A member keeps nothing in memory that another member could not read there,
//! except units of work that are open: their gets are claims in the database, their puts are staged here.
//!
//! `store.rs` is the face. `find.rs` chooses messages, `units.rs` holds open units of work, `depth.rs` counts,
//! `handles.rs` knows what is open, `low_water.rs` says where looks begin. What changes messages
//! goes to a lane: `lane.rs` gathers operations, `batch.rs` makes one transaction of them, `statements.rs` has each SQL text.
//! `driver.rs` keeps the connections; `member.rs` joins the group, shows that this member lives, and recovers those that do not.
//! `structure.rs` does the same at the database of a structure, as the home says.
//! `upkeep.rs` keeps the table of messages clean; `statistics.rs` counts. `schema.rs` makes the tables; `administration.rs` is for operators, and needs no member.
//!
//! Invariants
//! - Each transaction that changes messages first advances the row of its lane, which carries the member's epoch: a member that was
//!   recovered by a peer changes nothing, and a commit whose answer was lost is asked for afterwards.
//! - No transaction stays open while an application thinks.
//! - A transaction that takes messages is committed only after their contents have arrived here.
//! - A lane whose commits are not waited for by the disk deletes no message and adds no persistent one.

pub mod administration;
mod batch;
mod decided;
mod definitions;
mod depth;
mod driver;
mod error;
mod find;
mod group;
mod handles;
mod hint;
mod in_common;
mod inbox;
mod lane;
mod low_water;
mod member;
mod operation;
mod options;
mod position;
mod primary;
mod requests;
mod row;
mod schema;
mod statements;
mod statistics;
mod store;
mod structure;
mod tags;
mod units;
mod upkeep;

pub use crate::shared::definitions::{GroupDefinition, GroupDisposition};
pub use crate::shared::error::SharedError;
pub use crate::shared::group::GroupStore;
pub use crate::shared::handles::{OpenLevel, QueueHandle};
pub use crate::shared::member::{MemberState, MemberStatus};
pub(crate) use crate::shared::operation::Decision;
pub use crate::shared::operation::EndedMessage;
pub use crate::shared::options::{SharedOptions, StructureDatabase};
pub use crate::shared::requests::MemberRequest;
pub use crate::shared::schema::{Migration, Roles, SchemaVersions, create_group, upgrade_group};
pub use crate::shared::statements::explained;
pub use crate::shared::statistics::{
    BATCH_BOUNDS_US, DatabaseStatistics, GroupStatistics, HINT_KINDS, HintStatistics, LaneStatistics,
};
pub use crate::shared::store::{Deletion, SharedStore, StructureConnection, TriggerScope, TriggerState, WatchGuard};
