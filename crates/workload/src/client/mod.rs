//! Clients of the doors a server has: the messaging REST API and client channels.

pub mod channel;
pub mod door;
pub mod rest;
pub mod target;

use std::io;

use channel_client::error::ChannelError;

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
    #[error("the reply is not that of the request")]
    WrongReply,
    #[error(transparent)]
    Channel(#[from] ChannelError),
    #[error("there is no connection")]
    NotConnected,
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
            Self::Connect { .. } | Self::NoCookie | Self::Target(_) | Self::NotConnected => Effect::None,
            Self::Channel(error) if !error.effect_is_unknown() => Effect::None,
            Self::Refused { status, .. } if *status < 500 => Effect::None,
            Self::WrongReply
            | Self::Refused { .. }
            | Self::Unanswered(_)
            | Self::TimedOut { .. }
            | Self::Channel(_) => Effect::Unknown,
        }
    }

    /// The error and its causes in one line.
    pub fn chain(&self) -> String {
        let mut text = self.to_string();
        let mut source = std::error::Error::source(self);
        while let Some(cause) = source {
            text.push_str(": ");
            text.push_str(&cause.to_string());
            source = cause.source();
        }
        text
    }
}
