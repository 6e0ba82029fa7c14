//! The message API: what a request of `/api/v1` means, beside HTTP and on top of the verbs.
//!
//! Owns: messages as JSON and as raw bodies (`content.rs`, `outgoing.rs`, `incoming.rs`), their words and times (`words.rs`,
//! `time_text.rs`), deliveries with locks (`deliveries/`), keys that make a repetition safe (`keys.rs`).
//!
//! Never here: paths, headers and status codes of HTTP, which are `web`'s; authority and durability, which are the queue
//! manager's. No request opens a way around its authorities.
//!
//! Invariants
//! - An answered key, a settled delivery and a committed transaction are durable in the log record of their messages.
//! - What waits for a client (an open delivery, a job, a stream) is bounded, and ends by itself.

pub mod content;
pub mod deliveries;
pub mod error;
pub mod incoming;
pub mod keys;
pub mod outgoing;
pub mod time_text;
pub mod words;
