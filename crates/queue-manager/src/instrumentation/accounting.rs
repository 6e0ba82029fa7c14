//! Accounting and statistics: what connections did, and what was done to the queue manager, its queues and its channels.
//!
//! `collection.rs` says who is observed, `observation.rs` notes calls, `record.rs` makes the records of connections,
//! `statistics.rs` beside this file those of intervals, `writer.rs` puts them on their queues, `json.rs` tells them to
//! people. While nothing is collected a call costs one look at a pointer that is not there.

pub(crate) mod activity;
pub(crate) mod calls;
pub(crate) mod collection;
pub mod json;
pub(super) mod meter;
pub(crate) mod number;
pub(crate) mod observation;
pub(crate) mod record;
pub(crate) mod writer;

pub use collection::AccountingWish;
pub use writer::{RecordCount, RecordSink};
