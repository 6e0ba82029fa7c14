//! Inner errors to reasons: the one place where an inner error becomes the reason that an application gets.

use model::causes::chain;
use model::reason::Reason;
use storage::StoreError;
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
        StoreError::LogFailed(source) => {
            error!(error = chain(source.as_ref()), "the recovery log has failed");
            Reason::ResourceProblem
        }
        StoreError::Closed => {
            debug!("the store is closed");
            Reason::QMgrStopping
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
