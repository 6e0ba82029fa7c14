//! The private store: queues in memory, the recovery log as the truth.
//!
//! `store.rs` is its face. `put.rs`, `get.rs`, `discard.rs`, `syncpoint.rs`, `outcome.rs` and `definitions.rs` each hold one kind of operation:
//! under the locks of the queues it touches it appends to the log and changes the queues, in that order, and waits for
//! the log's sync after letting the locks go. `quarantine.rs` has the messages that cannot be delivered. `verification.rs` looks for damage. `content.rs`, `pool.rs`
//! and `spill.rs` know where bodies are; `read_back.rs` reads them. What waits for a disk is done by the threads of `background.rs`.
//! `receipts.rs` has what was answered to requests that may come again.
//!
//! Order of locks: `Core::moving`, units of work by ascending id, definitions, queues by ascending id, receipts, the log. Whoever
//! holds one takes only later ones.

mod background;
mod content;
mod definitions;
mod discard;
mod get;
pub mod log;
mod message_count;
mod outcome;
mod pool;
mod put;
mod quarantine;
mod queue;
mod quota;
mod read_back;
mod receipts;
mod scan;
mod spill;
mod store;
mod stored_queue;
mod syncpoint;
mod together;
mod unit_of_work;
mod verification;

pub use crate::private::definitions::AppendedDefinitions;
pub use crate::private::log::leader::before_sleep;
pub use crate::private::log::wait::block_on;
pub use crate::private::message_count::MessageCount;
pub(crate) use crate::private::message_count::MessageCounts;
pub use crate::private::put::ReceiptOfPut;
pub use crate::private::quarantine::{QuarantineListener, Quarantined};
pub use crate::private::quota::{QuotaUse, Quotas};
pub use crate::private::receipts::{RECEIPT_MAXIMUM, Receipt, ReceiptKey};
pub use crate::private::scan::Scan;
pub use crate::private::store::{PrivateStore, Recovered, StoreStatistics, UndefinedQueue};
pub use crate::private::stored_queue::StoredQueue;
pub use crate::private::verification::VerificationRate;
