//! The MQI verbs: what a program asks of a connection, one file a verb.
//!
//! Owns: connections and their object handles, the checks of options and descriptors, units of work and their XA
//! branches, and the order of steps within each verb. `connection.rs` names every verb; the other files implement them.
//!
//! Never: keeps a message, decides who is authorised (`security`), decides where a name leads (`queue/resolve.rs`), or
//! formats an answer for a door.
//!
//! Invariants
//! - A verb that fails leaves the unit of work as it found it.
//! - A persistent message is durable before the put or commit that made it is answered.
//! - A message is durable before a get or browse returns it.
//! - No verb holds a lock while it waits for the store or for a message.

mod browse;
mod carried;
pub(crate) mod close;
mod complete_message;
pub mod connection;
pub mod detached;
mod faults;
pub(crate) mod follow;
pub(crate) mod get;
pub(crate) mod handle;
pub mod inquire;
pub(crate) mod interrupt;
mod observed;
pub(crate) mod open;
pub(crate) mod put;
pub(crate) mod put_descriptor;
mod recorded;
mod selecting;
mod shown;
pub mod subscribe;
pub(crate) mod traced;
pub(crate) mod unit_of_work;
pub(crate) mod xa;
