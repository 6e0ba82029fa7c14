//! What may go wrong, each with the reason that an MQI program would see.

use std::io;

use model::name::NameError;
use model::reason::{CompletionCode, Reason};

use crate::address::Address;
use crate::ccdt::CcdtError;
use crate::connection::xa;
use crate::tls::TlsError;

/// Why a connection could not be made, or a call did not succeed.
#[derive(Debug, thiserror::Error)]
pub enum ChannelError {
    /// The queue manager answered, and this is its answer; or the client knows it without asking.
    #[error("{verb} ended with {number}{}", in_brackets(*number))]
    Refused { verb: &'static str, completion: CompletionCode, number: i32 },
    #[error("cannot connect to {address}")]
    Connect {
        address: Address,
        #[source]
        source: io::Error,
    },
    #[error("the TLS handshake with {address} failed")]
    Handshake {
        address: Address,
        #[source]
        source: io::Error,
    },
    #[error("the certificate of {address} is that of '{subject}', which does not match SSLPEER({wanted})")]
    PeerName { address: Address, subject: String, wanted: String },
    #[error(transparent)]
    Tls(#[from] TlsError),
    #[error(transparent)]
    Ccdt(#[from] CcdtError),
    #[error(transparent)]
    Name(#[from] NameError),
    /// The other end refused the channel before there was a connection: a STATUS segment.
    #[error("the channel was refused: {}", chain_of(*reason))]
    ChannelRefused { reason: Reason },
    /// A verb of a transaction manager returned something else than success: XAER_*, XA_RB*, XA_HEUR*, as X/Open has them.
    #[error("{verb} returned {code}{}", xa_in_brackets(*code))]
    Xa { verb: &'static str, code: i32 },
    /// The socket ended, or what came over it cannot be understood. A call that was under way may have taken effect.
    #[error("the connection is broken: 2009 (MQRC_CONNECTION_BROKEN): {problem}")]
    Broken {
        problem: String,
        /// The call was not sent any more, and so had no effect.
        unsent: bool,
    },
    /// Making a lost connection again failed.
    #[error("the connection was lost, and reconnecting failed: {}", chain_of(*reason))]
    Reconnect {
        reason: Reason,
        #[source]
        source: Option<Box<ChannelError>>,
    },
}

fn chain_of(reason: Reason) -> String {
    format!("{} ({})", reason as u16, reason.name())
}

fn xa_in_brackets(code: i32) -> String {
    xa::name_of(code).map_or_else(String::new, |name| format!(" ({name})"))
}

fn in_brackets(number: i32) -> String {
    Reason::from_number(number).map_or_else(String::new, |reason| format!(" ({})", reason.name()))
}

impl ChannelError {
    pub(crate) fn refused(verb: &'static str, reason: Reason) -> Self {
        Self::Refused { verb, completion: CompletionCode::Failed, number: i32::from(reason as u16) }
    }

    pub(crate) fn warned(verb: &'static str, reason: Reason) -> Self {
        Self::Refused { verb, completion: CompletionCode::Warning, number: i32::from(reason as u16) }
    }

    pub(crate) fn broken(problem: impl Into<String>) -> Self {
        Self::Broken { problem: problem.into(), unsent: false }
    }

    pub(crate) fn unsent(problem: impl Into<String>) -> Self {
        Self::Broken { problem: problem.into(), unsent: true }
    }

    /// MQRC_*. A number that is not published shows as `UnexpectedError` (2195).
    pub fn reason(&self) -> Reason {
        match self {
            Self::Refused { number, .. } => Reason::from_number(*number).unwrap_or(Reason::UnexpectedError),
            Self::Connect { .. } => Reason::HostNotAvailable,
            Self::Handshake { .. } => Reason::SslInitializationError,
            Self::PeerName { .. } => Reason::SslPeerNameMismatch,
            Self::Tls(TlsError::NotLoopback { .. } | TlsError::Name { .. } | TlsError::PeerName { .. }) => {
                Reason::SslPeerNameError
            }
            Self::Tls(TlsError::Label { .. }) => Reason::SslInitializationError,
            Self::Tls(_) => Reason::SslConfigError,
            Self::Ccdt(CcdtError::NoChannel { .. }) => Reason::QMgrNameError,
            Self::Ccdt(_) | Self::Name(_) => Reason::CdError,
            Self::ChannelRefused { reason } | Self::Reconnect { reason, .. } => *reason,
            Self::Broken { .. } => Reason::ConnectionBroken,
            Self::Xa { code, .. } => match *code {
                xa::XAER_RMFAIL => Reason::ConnectionBroken,
                xa::XA_RBROLLBACK..=xa::XA_RBEND => Reason::BackedOut,
                _ => Reason::UnexpectedError,
            },
        }
    }

    /// Whether the call may have taken effect although it failed: its answer never came.
    pub fn effect_is_unknown(&self) -> bool {
        match self {
            Self::Broken { unsent, .. } => !unsent,
            Self::Refused { .. } | Self::ChannelRefused { .. } | Self::Reconnect { .. } => {
                matches!(self.reason(), Reason::CallInterrupted | Reason::UnexpectedError | Reason::ConnectionBroken)
            }
            // Only the transaction manager can find out, by a recovery scan.
            Self::Xa { code, .. } => matches!(*code, xa::XAER_RMFAIL | xa::XAER_RMERR),
            Self::Connect { .. }
            | Self::Handshake { .. }
            | Self::PeerName { .. }
            | Self::Tls(_)
            | Self::Ccdt(_)
            | Self::Name(_) => false,
        }
    }
}
