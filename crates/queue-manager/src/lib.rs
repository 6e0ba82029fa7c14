//! The queue manager: the MQI verbs and everything they mean.
//!
//! Doors (REST, command line, later channels) make a `Connection` and call verbs; this crate decides; a store makes it
//! durable. It knows neither HTTP, channels nor SQL, and reads time only through `clock.rs`.

pub mod clock;
pub mod connection;
pub mod objects;
pub mod status;

use std::sync::Arc;

use model::authority::Principal;
use model::name::QueueManagerName;
use model::reason::Reason;
use storage::private::log::disk::Disk;
use storage::{RecoveryLogError, StoreOptions};

pub use clock::{Clock, SystemClock};
pub use connection::Connection;

/// Where the queue manager keeps what lasts.
pub enum Home {
    Disk(Arc<dyn Disk>),
    /// Nothing on disk.
    Ephemeral,
}

pub struct StartOptions {
    pub name: QueueManagerName,
    pub home: Home,
    pub store: StoreOptions,
    pub clock: Arc<dyn Clock>,
    /// The user the server runs as: always an administrator.
    pub server_user: String,
}

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("cannot recover queue manager {name}")]
    RecoveryLog {
        name: QueueManagerName,
        #[source]
        source: RecoveryLogError,
    },
    #[error("definition {key} in the recovery log of {name} cannot be read")]
    Definition {
        name: QueueManagerName,
        key: String,
        #[source]
        source: serde_json::Error,
    },
}

/// How a door presents itself.
#[derive(Debug, Clone)]
pub struct ConnectOptions {
    /// Whose authority counts where a verb does not name another caller.
    pub principal: Principal,
    /// MQMD PutApplName and DISPLAY CONN APPLTAG, at most 28 characters.
    pub application_name: String,
    /// MQAT_*: 6 UNIX, 28 JAVA, ...
    pub application_type: i32,
    /// DISPLAY CONN CHANNEL and CONNAME; empty for local doors.
    pub channel: String,
    pub connection_name: String,
}

/// One running queue manager. Cheap to clone.
#[derive(Clone)]
pub struct QueueManager {}

impl QueueManager {
    /// Recovers the log; on first start makes the SYSTEM objects. Not async: nothing else runs yet.
    pub fn start(options: StartOptions) -> Result<Self, StartError> {
        todo!()
    }
    pub fn name(&self) -> QueueManagerName {
        todo!()
    }
    /// Runs until `stop`: expiry scan, housekeeping. The server spawns it once and joins it.
    pub async fn run(&self) {
        todo!()
    }
    /// # Errors
    /// `NotAuthorized` (2035): no +connect. `QMgrQuiescing` (2161), `QMgrStopping` (2162).
    pub fn connect(&self, options: ConnectOptions) -> Result<Connection, Reason> {
        todo!()
    }
    /// Wakes waiters with 2162, backs out what is open, closes the log. Idempotent.
    pub async fn stop(&self) {
        todo!()
    }
}
