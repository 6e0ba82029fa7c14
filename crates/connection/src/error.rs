//! Why a connection could not be had, or a verb failed: always with the reason that an MQI program would see.

use channel_client::error::ChannelError;
use model::reason::Reason;

use crate::target::Target;

#[derive(Debug, thiserror::Error)]
pub enum ConnectionError {
    /// The queue manager's answer to a verb, or to MQCONN.
    #[error("{0}")]
    Refused(Reason),
    #[error(transparent)]
    Channel(#[from] ChannelError),
    #[error("there is no queue manager '{name}' on this server")]
    QueueManagerUnknown { name: String },
    #[error("{target} does not run")]
    QueueManagerNotRunning { target: Target },
    #[error("there is no remote queue manager '{name}' in the configuration")]
    RemoteUnknown { name: String },
    /// MQCONN failed: nothing was asked for yet.
    #[error("the queue manager cannot be reached: {0}")]
    NotConnected(#[source] Box<ConnectionError>),
    /// All connections of a bounded pool are in use, and none became free in time.
    #[error("all {most} connections to the queue manager '{name}' are in use")]
    PoolExhausted { name: String, most: usize },
    /// Names for a remote queue manager have at most 12 bytes (MQOD AlternateUserId).
    #[error("the user name '{user}' is too long for a remote queue manager, which accepts 12 bytes")]
    UserTooLong { user: String },
}

impl ConnectionError {
    pub fn reason(&self) -> Reason {
        match self {
            Self::Refused(reason) => *reason,
            Self::Channel(error) => error.reason(),
            Self::QueueManagerUnknown { .. } | Self::RemoteUnknown { .. } => Reason::QMgrNameError,
            Self::QueueManagerNotRunning { .. } => Reason::QMgrNotAvailable,
            Self::NotConnected(error) => error.reason(),
            Self::PoolExhausted { .. } => Reason::MaxConnsLimitReached,
            Self::UserTooLong { .. } => Reason::NotAuthorized,
        }
    }

    /// The connection is of no further use.
    pub fn is_lost(&self) -> bool {
        matches!(self, Self::Channel(error) if !matches!(error, ChannelError::Refused { .. }))
            || self.reason().ends_connection()
            || matches!(self.reason(), Reason::NotConnected | Reason::CallInterrupted)
    }

    /// There was no connection to ask for anything on.
    pub fn is_about_connecting(&self) -> bool {
        !matches!(self, Self::Refused(_) | Self::Channel(_) | Self::UserTooLong { .. })
    }

    /// The call may have taken effect although it failed: its answer never came.
    pub fn effect_is_unknown(&self) -> bool {
        match self {
            Self::Channel(error) => error.effect_is_unknown(),
            // The log may have failed when the message was in it.
            Self::Refused(reason) => *reason == Reason::ConnectionBroken,
            Self::QueueManagerUnknown { .. }
            | Self::QueueManagerNotRunning { .. }
            | Self::RemoteUnknown { .. }
            | Self::NotConnected(_)
            | Self::PoolExhausted { .. }
            | Self::UserTooLong { .. } => false,
        }
    }
}

impl From<Reason> for ConnectionError {
    fn from(reason: Reason) -> Self {
        Self::Refused(reason)
    }
}
