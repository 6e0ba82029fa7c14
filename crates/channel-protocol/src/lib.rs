//! The MQ client channel as bytes: both ends, without a socket, a clock or a log.
//!
//! The way in: a `BytesMut` as it was read → [`segment::Framer`] → [`assembly::Assembler`] → [`request::Request`] (server
//! end) or [`reply::Reply`] (client end). The way out: a typed flow → [`output::Output`], which splits it into segments and
//! hands out what to write. [`negotiate`] settles the first exchange at both ends.
//!
//! Invariants
//! - Nothing a partner sends panics, loops or allocates beyond the limits the caller named.
//! - What breaks the protocol is a [`error::ProtocolError`], which knows the STATUS code that answers it; what only makes a
//!   call wrong is a reason, and the conversation goes on.
//! - A structure decodes into fields that encode to the same bytes, but for padding and stale bytes.
//! - Every partner has its own byte order and character set, named in each segment: [`form::Form`].
//!
//! The bytes are specified in `docs/channel-protocol.md`; "reference" in comments names the notes of observed sessions it
//! was made from, with marks: confirmed (C), public dissector tables (D), our reading (G).

pub mod assembly;
pub mod cursor;
pub mod error;
pub mod flow;
pub mod form;
pub mod negotiate;
pub mod output;
pub mod reply;
pub mod request;
pub mod segment;
pub mod structure;
