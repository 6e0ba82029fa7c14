//! Instrumentation: what the queue manager reports about itself.
//!
//! Owns: event messages (`event.rs`), accounting (`accounting.rs`), interval statistics (`statistics.rs`), the publications of monitoring programs
//! (`monitoring.rs`), the last changes of
//! definitions (`changes.rs`), connects by program (`connects.rs`), and the tables behind DISPLAY of running things (`status.rs`, `channel_status.rs`, `started.rs`,
//! `topic_status.rs`).
//!
//! Never: changes the outcome of the verb or command that it observes.
//!
//! Invariants
//! - A connection has an observation only while something is collected about it.
//! - Calls are noted after they ended.

pub mod accounting;
pub mod changes;
pub mod channel_status;
pub(crate) mod connects;
pub mod event;
pub(crate) mod monitoring;
pub mod started;
pub(crate) mod statistics;
pub mod status;
pub mod topic_status;
