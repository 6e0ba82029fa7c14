//! Why a connection could not be had, or a verb failed: always with the reason that an MQI program would see.

use channel_client::error::ChannelError;
use model::reason::Reason;

#[derive(Debug, thiserror::Error)]
pub enum ConnectionError {
    /// The queue manager's answer to a verb, or to MQCONN.
    #[error("{0}")]
    Refused(Reason),
    #[error(transparent)]
    Channel(#[from] ChannelError),
    #[error("there is no queue manager '{name}' on this server")]
    QueueManagerUnknown { name: String },
    #[error("the queue manager '{name}' does not run")]
    QueueManagerNotRunning { name: String },
    #[error("there is no remote queue manager '{name}' in the configuration")]
    RemoteUnknown { name: String },
}

impl ConnectionError {
    pub fn reason(&self) -> Reason {
        match self {
            Self::Refused(reason) => *reason,
            Self::Channel(error) => error.reason(),
            Self::QueueManagerUnknown { .. } | Self::RemoteUnknown { .. } => Reason::QMgrNameError,
            Self::QueueManagerNotRunning { .. } => Reason::QMgrNotAvailable,
        }
    }

    /// The connection is of no further use.
    pub fn is_lost(&self) -> bool {
        matches!(self, Self::Channel(error) if !matches!(error, ChannelError::Refused { .. }))
            || matches!(
                self.reason(),
                Reason::ConnectionBroken
                    | Reason::NotConnected
                    | Reason::QMgrNotAvailable
                    | Reason::QMgrQuiescing
                    | Reason::QMgrStopping
                    | Reason::ConnectionQuiescing
                    | Reason::ConnectionStopping
                    | Reason::CallInterrupted
            )
    }
}

impl From<Reason> for ConnectionError {
    fn from(reason: Reason) -> Self {
        Self::Refused(reason)
    }
}
