//! The recovery log: extents on disk, written by one thread in batches that one sync makes durable for all who wait.
//!
//! The only reader and writer of the log's files. It knows bytes, places and durability; what the records mean to queues
//! is the store's business, except that `recovery` rebuilds queues from them.
//!
//! Writing: `append.rs` gathers, `writer.rs` writes and syncs, `leader.rs` lets serving threads do so, `pace.rs` says when
//! they may, `durable.rs` and `wait.rs` wait, `space.rs` shares out
//! space, `quota_disk.rs` keeps a quota of it, `prepare.rs` keeps extents ready, `checkpoint.rs` frees them, `failure.rs` tells that the log has failed, `anchor.rs` says how far the log is
//! durable. Reading: `reader.rs` walks, `recovery.rs` rebuilds, `stored.rs` verifies what is on the disk, `survey.rs` reads
//! a damaged log, and `inspect.rs` is for people. Copying: `hold.rs` and `backup.rs`, and `salvage.rs` of what a survey has found.
//! Bytes: `extent.rs` (files and batches), `record.rs` (units and operations), `descriptor.rs` (MQMD).

pub(crate) mod anchor;
pub(crate) mod append;
pub mod backup;
pub(crate) mod checkpoint;
pub(crate) mod cursor;
pub(crate) mod descriptor;
pub mod disk;
pub(crate) mod durable;
pub(crate) mod extent;
pub(crate) mod failure;
pub mod hold;
pub mod inspect;
pub mod leader;
pub(crate) mod pace;
pub(crate) mod prepare;
pub(crate) mod quota_disk;
pub(crate) mod reader;
pub(crate) mod record;
pub(crate) mod recovery;
pub mod salvage;
pub(crate) mod space;
pub(crate) mod stored;
pub mod survey;
#[cfg(test)]
mod tests;
pub(crate) mod wait;
pub(crate) mod writer;
