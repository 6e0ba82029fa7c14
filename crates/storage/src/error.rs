//! What may go wrong in a store.

use std::io;

/// Why the recovery log cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum RecoveryLogError {
    #[error("log extent {extent} is damaged at offset {offset}; the extents after it are untouched")]
    Damaged { extent: u64, offset: u64 },
    #[error("log extent {extent} is missing although later extents exist")]
    Missing { extent: u64 },
    #[error("log extent {extent} has format version {version}; this program reads version {supported}")]
    Version { extent: u64, version: u32, supported: u32 },
    #[error("cannot sync log extent {extent}; the queue manager writes no more")]
    Sync {
        extent: u64,
        #[source]
        source: io::Error,
    },
    #[error("cannot {action} {file}")]
    Disk {
        action: &'static str,
        file: String,
        #[source]
        source: io::Error,
    },
    #[error("another server is using {directory}")]
    InUse { directory: String },
}

/// Why an operation was refused. The queue manager turns it into a reason in `queue-manager/src/reason.rs`.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    #[error("the queue holds its maximum of {maximum_depth} messages")]
    QueueFull { maximum_depth: u32 },
    #[error("no disk space is left for the recovery log")]
    NoSpace,
    #[error("the queue does not exist in this store")]
    UnknownQueue,
    #[error("the unit of work is not known")]
    UnknownUnitOfWork,
    #[error("the queue holds uncommitted messages")]
    Uncommitted,
    #[error("the recovery log has failed and takes no more writes")]
    LogFailed(#[source] std::sync::Arc<RecoveryLogError>),
    #[error("the store is closed")]
    Closed,
}
