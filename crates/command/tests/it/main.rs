//! The public face of the crate: scripts in, lines out.

mod authority;
mod channel_authentication;
mod channel_status;
mod compatibility;
mod dump;
mod events;
mod every_attribute;
mod json;
mod properties;
mod refusals;
mod session;
mod support;
mod system;
mod topic_status;
