//! Inner errors to reasons: the one place where an inner error becomes the reason that an application gets.

use model::causes::chain;
use model::reason::Reason;
use storage::{Lacking, RecoveryLogError, StoreError};
use tracing::{debug, error, warn};

/// The reason an application gets when the store refused an operation on a queue.
///
/// Errors that need an operator are logged here with their full chain.
pub(crate) fn of_store(error: &StoreError) -> Reason {
    match error {
        StoreError::QueueFull { .. } => Reason::QFull,
        StoreError::NoSpace => {
            warn!("no disk space is left for the recovery log");
            Reason::QSpaceNotAvailable
        }
        StoreError::UnknownQueue => Reason::QDeleted,
        StoreError::UnknownUnitOfWork => Reason::BackedOut,
        StoreError::Uncommitted => Reason::ObjectInUse,
        StoreError::File(source) => of_file(source),
        StoreError::LogFailed(source) => {
            // Its queue manager ends, and has said so: `engine/failure.rs`.
            debug!(error = chain(source.as_ref()), "the recovery log has failed");
            Reason::ConnectionBroken
        }
        StoreError::Closed => {
            debug!("the store is closed");
            Reason::QMgrStopping
        }
    }
}

/// Of a file of the store's other than the log. What the system lacks for the moment is no fault of the file.
fn of_file(error: &RecoveryLogError) -> Reason {
    let lacking = error.io().and_then(storage::lacking);
    match lacking {
        Some(Lacking::Descriptors) => {
            warn!(
                error = chain(error),
                "no file can be opened: the call is refused; raise the limit of open files (LimitNOFILE=)"
            );
            Reason::ResourceProblem
        }
        Some(Lacking::Memory) => {
            warn!(error = chain(error), "memory is short: the call is refused");
            Reason::StorageNotAvailable
        }
        None => {
            error!(error = chain(error), "a file of the queue manager cannot be used: the call is refused");
            Reason::FileSystemError
        }
    }
}

/// As `of_store` where no queue is concerned: commit, prepare, definitions.
pub(crate) fn of_store_at_large(error: &StoreError) -> Reason {
    match of_store(error) {
        Reason::QSpaceNotAvailable => Reason::ResourceProblem,
        reason => reason,
    }
}
