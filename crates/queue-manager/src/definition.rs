//! Definitions: what DEFINE, ALTER, DELETE, CLEAR and DISPLAY change and read.
//!
//! Owns: the objects of a queue manager as attributes, how the store keeps them (`definitions.rs`), what a first start
//! makes (`defaults.rs`), the ordered list of queues that doors page through (`queue_list.rs`) and what users see of it (`visible_queues.rs`), a restored queue manager's
//! new name (`rename.rs`), and definitions for queues of a salvaged log that have lost theirs (`salvaged.rs`).
//!
//! Never: parses a command (the crate `command` does) or counts what objects do (`instrumentation`).
//!
//! Invariants
//! - Definitions change one at a time: a change holds `Engine::changes` from its first check until it is durable.
//! - A change is durable when its function returns, and visible to verbs only then.
//! - Each change checks authority itself, so that no door can forget to.

mod administer_subscription;
pub(crate) mod administered;
pub(crate) mod defaults;
pub(crate) mod definitions;
pub mod objects;
pub mod queue_list;
pub(crate) mod queue_objects;
pub(crate) mod rename;
pub(crate) mod salvaged;
pub(crate) mod visible_queues;
