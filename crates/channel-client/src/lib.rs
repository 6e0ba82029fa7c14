//! The client end of MQ client channels: sockets, TLS and reconnection around `channel-protocol`.
//!
//! A program makes a [`client::Client`] from [`options::ConnectOptions`] (or a [`ccdt::Ccdt`]), connects, and uses the MQI
//! verbs of [`connection::Connection`]. Every error has the reason an MQI program would see: [`error::ChannelError`].
//!
//! Where to look: `client` finds the way and the socket; `socket` is the task that owns one; `conversation` is one call at a
//! time on it; `connection` has a file for each family of verbs; `connection/consume.rs` takes messages that the queue manager
//! sends by itself, by the books of `connection/consumers.rs`; `connection/loss.rs` makes a lost connection again.
//!
//! Invariants
//! - Whoever connects does so within a tokio runtime; a socket's task lives there.
//! - A call costs one write and one read of the socket, shared with the output of other conversations.
//! - No password is in an error, a `Debug` form or a log.

pub mod address;
pub mod ccdt;
pub mod cipher;
pub mod client;
pub mod connection;
mod conversation;
pub mod error;
pub mod key_repository;
mod mailbox;
mod negotiated;
pub mod options;
mod quiet;
pub mod reconnect;
pub mod reply;
mod socket;
mod stream;
pub mod tls;
