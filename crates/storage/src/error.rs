//! What may go wrong in a store.

use std::io;

/// Why the recovery log cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum RecoveryLogError {
    #[error("log extent {extent} is damaged at offset {offset}; the extents after it are untouched")]
    Damaged { extent: u64, offset: u64 },
    #[error("log extent {extent} is missing; nothing was changed")]
    Missing { extent: u64 },
    /// An extent with the same number from another log, or from another use of the file.
    #[error("log extent {extent} is not the one that the log had: its salt differs; nothing was changed")]
    Replaced { extent: u64 },
    /// The log ends before a place up to which its anchor says that it was durable.
    #[error(
        "log extent {extent} ends at offset {offset}, but the log was durable up to offset {until_offset} of extent \
         {until_extent}: what lies between is lost; nothing was changed"
    )]
    Lost { extent: u64, offset: u64, until_extent: u64, until_offset: u64 },
    #[error("both slots of the log's file anchor are damaged; nothing was changed")]
    Anchor,
    #[error("{file} has format version {version}; this program reads version {supported}")]
    Version { file: String, version: u32, supported: u32 },
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
    #[error("a thread of the log has panicked; the lines before this one say where")]
    Panic,
    #[error("another server is using {directory}")]
    InUse { directory: String },
}

/// What the system lacks when it refuses a call that may succeed in a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lacking {
    Descriptors,
    Memory,
}

/// `None` when the error is one of the file or its disk.
pub fn lacking(error: &io::Error) -> Option<Lacking> {
    match error.raw_os_error() {
        Some(libc::EMFILE | libc::ENFILE) => Some(Lacking::Descriptors),
        Some(libc::ENOMEM | libc::EAGAIN) => Some(Lacking::Memory),
        _ => None,
    }
}

impl RecoveryLogError {
    /// What was attempted, in one word; `use` when it was no call to the disk.
    pub fn action(&self) -> &'static str {
        match self {
            Self::Disk { action, .. } => action,
            Self::Sync { .. } => "sync",
            Self::Damaged { .. }
            | Self::Missing { .. }
            | Self::Replaced { .. }
            | Self::Lost { .. }
            | Self::Anchor
            | Self::Version { .. }
            | Self::Panic
            | Self::InUse { .. } => "use",
        }
    }

    /// What the operating system said of a file, if that was the cause.
    pub fn io(&self) -> Option<&io::Error> {
        match self {
            Self::Sync { source, .. } | Self::Disk { source, .. } => Some(source),
            Self::Damaged { .. }
            | Self::Missing { .. }
            | Self::Replaced { .. }
            | Self::Lost { .. }
            | Self::Anchor
            | Self::Version { .. }
            | Self::Panic
            | Self::InUse { .. } => None,
        }
    }
}

/// Why an operation was refused. The queue manager turns it into a reason in `queue-manager/src/reason.rs`.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    #[error("the queue holds its maximum of {maximum_depth} messages")]
    QueueFull { maximum_depth: u32 },
    #[error("no disk space is left for the recovery log")]
    NoSpace,
    #[error("the quota of memory is used")]
    NoMemory,
    #[error("the queue does not exist in this store")]
    UnknownQueue,
    #[error("the unit of work is not known")]
    UnknownUnitOfWork,
    #[error("the queue holds uncommitted messages")]
    Uncommitted,
    /// Of a shared queue: a handle in the group is in the way.
    #[error("the queue is open in the group")]
    InUse,
    /// Nothing has changed, and the log goes on.
    #[error("a file of the store cannot be made, written or read")]
    File(#[source] std::sync::Arc<RecoveryLogError>),
    #[error("the recovery log has failed and takes no more writes")]
    LogFailed(#[source] std::sync::Arc<RecoveryLogError>),
    #[error("the store is closed")]
    Closed,
    /// Of a shared queue. What a commit or a put that was under way has done is open.
    #[error("the database of the queue-sharing group cannot be reached")]
    Unreachable,
    /// Of a shared queue; nothing has changed. The log has the database's words.
    #[error("the database of the queue-sharing group refuses the operation")]
    Database,
    /// Of a group: another member may have answered it. What it would have done is backed out.
    #[error("a request with this key has been answered")]
    ReceiptTaken,
    /// Nothing has changed.
    #[error("a shared queue cannot do this")]
    NotShared,
    /// Nothing has changed.
    #[error("the shared queue is being moved to another database")]
    QueueMoves,
    /// The unit of work has lost messages that it had got on shared queues, so it was backed out.
    #[error("the unit of work was backed out")]
    BackedOut,
}
