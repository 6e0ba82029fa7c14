//! Security: what a principal may do to an object, and which partner may use a channel.
//!
//! Owns: authority records and the one function that decides by them (`authority.rs`), the commands that read and
//! change the records (`authority_records.rs`), channel authentication records (`channel_authentication.rs`), and for those who ask why: the
//! trace of a decision (`authority/decision.rs`), how an open comes to its decisions (`access.rs`), and the last refusals
//! (`recent.rs`). Whether a client gets a channel, and as which user, is decided in `channel_admission.rs`.
//!
//! Never: authenticates. Passwords, certificates and tokens are the doors' business; this room starts from a
//! `Principal`.
//!
//! Invariants
//! - Every door is checked by the same function, `authority::check`, at connect, open, put1 and for every command.
//! - The same principal, object, name and records give the same decision.

pub mod access;
pub(crate) mod authority;
mod authority_records;
pub mod channel_admission;
pub mod channel_authentication;
pub mod recent;
