//! The MQI as programs in C see it, without a pointer: handles, threads, where the server is, and what each call does.
//!
//! `mqi-c` turns addresses of a program into values and calls this crate; this crate drives `channel-client`.
//!
//! Where to look: `handles` knows the connections of the process and lets one thread at a time use one; `connect` makes one, by
//! the channel that `route` finds in `settings`, with the keys of `route/keys`; `verb` has the calls; `convert` turns structures of C into those of the channel;
//! `xa` has what a transaction manager calls; `message_handle` keeps the properties of messages, and `property` says what a program does with one; `constant` and `structure` are generated of `mqi-table`.
//!
//! Invariants
//! - A call runs on the thread of its caller, the socket included: each connection has a runtime of its own. Only callbacks have a
//!   thread, while they are started.
//! - A process that was forked has none of its parent's connections (2018).
//! - Nothing is written to standard output or standard error, and no signal is caught.

pub mod bag;
pub mod characters;
pub mod connect;
pub mod constant;
pub mod consume;
mod convert;
pub mod handles;
mod keeper;
mod log;
pub mod message_handle;
pub mod per_process;
mod pkcs12;
pub mod property;
pub mod route;
pub mod settings;
pub mod structure;
pub mod verb;
pub mod xa;

pub use channel_client::reply::Ended;

use channel_client::error::ChannelError;
use model::reason::{CompletionCode, Reason};

/// The end of a call that the queue manager did not answer.
pub fn failed(reason: Reason) -> Ended {
    Ended { completion: CompletionCode::Failed as i32, reason: reason.number() }
}

/// The end of a call that did less than was asked for.
pub fn warned(reason: Reason) -> Ended {
    Ended { completion: CompletionCode::Warning as i32, reason: reason.number() }
}

pub(crate) fn ended_by(error: &ChannelError) -> Ended {
    match error {
        ChannelError::Refused { completion, number, .. } => Ended { completion: *completion as i32, reason: *number },
        other => failed(other.reason()),
    }
}
