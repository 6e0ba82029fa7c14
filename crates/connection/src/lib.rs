//! A connection to a queue manager, of this server or a remote one, behind one type, and kept for reuse.
//!
//! Callers say which queue manager and on whose behalf ([`target::Target`], [`target::User`]), borrow a
//! [`pool::Lent`] connection from a [`pool::Pool`], which [`connections::Connections`] knows, use the verbs of
//! [`verbs::Connection`], and give it back. What is dropped instead of given back is closed, which backs out whatever was
//! under syncpoint and consumes nothing.
//!
//! What has not come in time is looked for by those who wait for it, in one way ([`late`]).
//!
//! Never here: HTTP, services, conversion of data. A verb that failed has failed; only what a kept connection that
//! turned out to be dead cannot have done is done again, once, on a new one (`replacing.rs`).

pub mod connections;
pub mod error;
pub mod late;
mod maker;
pub mod options;
pub mod pool;
mod replacing;
pub mod statistics;
pub mod target;
mod traced;
pub mod verbs;
mod waits;
