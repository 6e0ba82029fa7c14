//! Clients of the doors a server has: the messaging REST API, client channels, and programs that call its API requesters.
//!
//! Owns: one request and its answer at each door. Never: decides when to ask (`run`), what a message holds (`payload`), or
//! whether a message was lost (`ledger`).

pub mod channel;
pub mod door;
pub mod habits;
pub mod program;
pub mod rest;
pub mod single;
pub mod target;

use std::io;

use channel_client::error::ChannelError;
use model::name::QueueName;

use crate::responder::program::ProgramError;

/// Why one request did not succeed, and what that says about its effect.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    #[error("cannot connect to {address}")]
    Connect {
        address: String,
        #[source]
        source: io::Error,
    },
    #[error("the connection ended before the answer was read")]
    Unanswered(#[source] hyper::Error),
    #[error("no answer within {seconds} s")]
    TimedOut { seconds: u64 },
    /// An answer other than success. `text` is the start of its body.
    #[error("the server answered {status}: {text}")]
    Refused { status: u16, text: String },
    #[error("the login answer set no LTPA cookie")]
    NoCookie,
    #[error("{0}")]
    Target(String),
    #[error("the reply belongs to another request")]
    WrongReply,
    /// A program called, and its stub, the server or the API refused.
    #[error("the call ended with return code {return_code} and status code {status_code}")]
    Call { return_code: u32, status_code: u64 },
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error(transparent)]
    Channel(#[from] ChannelError),
    #[error(transparent)]
    NotAuthorized(Box<NotAuthorized>),
    #[error("there is no connection")]
    NotConnected,
    /// A process of the driver that carries out transactions.
    #[error("a process of the driver: {0}")]
    Worker(String),
    /// A scenario wants what its door has not.
    #[error("{0}")]
    Mismatch(&'static str),
}

/// 2035, which alone says neither whose authority is missing nor where.
#[derive(Debug, thiserror::Error)]
#[error("the user '{user}' is not authorized to {verb} {queue}: {source}")]
pub struct NotAuthorized {
    pub user: String,
    pub verb: &'static str,
    pub queue: QueueName,
    pub source: ChannelError,
}

/// What is known about a request's effect on the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    None,
    /// It may have happened: the connection died before the answer, or the server failed while at it.
    Unknown,
}

impl ClientError {
    pub fn effect(&self) -> Effect {
        match self {
            Self::Connect { .. } | Self::NoCookie | Self::Target(_) | Self::NotConnected | Self::Mismatch(_) => {
                Effect::None
            }
            Self::Channel(error) if !error.effect_is_unknown() => Effect::None,
            Self::NotAuthorized(_) => Effect::None,
            Self::Refused { status, .. } if *status < 500 => Effect::None,
            Self::WrongReply
            | Self::Refused { .. }
            | Self::Unanswered(_)
            | Self::TimedOut { .. }
            | Self::Call { .. }
            | Self::Program(_)
            | Self::Worker(_)
            | Self::Channel(_) => Effect::Unknown,
        }
    }

    /// The error and its causes in one line.
    pub fn chain(&self) -> String {
        model::causes::chain(self)
    }
}
