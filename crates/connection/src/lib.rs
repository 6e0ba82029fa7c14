//! A connection to a queue manager, of this server or a remote one, behind one type, and kept for reuse.
//!
//! Callers say which queue manager and on whose behalf ([`target::Target`], [`target::User`]), borrow a
//! [`pool::Lent`] connection from [`pool::Connections`], use the verbs of [`verbs::Connection`], and give it back. What is
//! dropped instead of given back is closed, which backs out whatever was under syncpoint and consumes nothing.
//!
//! Never here: HTTP, services, conversion of data, retries. A verb that failed has failed.

pub mod error;
pub mod options;
pub mod pool;
pub mod target;
pub mod verbs;
