//! Inner errors to reasons: the one place where an inner error becomes the reason that an application gets.

use model::causes::chain;
use model::reason::Reason;
use parking_lot::Mutex;
use storage::{Lacking, RecoveryLogError, StoreError};
use tracing::{debug, error, warn};

use crate::engine::Engine;
use crate::engine::map::Map;
use crate::engine::spaced_line::{BETWEEN_LINES, SpacedLine};

/// What the lines about refused calls are told apart by: one line a second for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Cause {
    Space,
    Quota,
    Descriptors,
    Memory,
    /// With what was attempted: `create`, `write`, `sync` or `read`.
    File(&'static str),
}

/// When which line about refused calls was last written.
#[derive(Default)]
pub(crate) struct RefusedCalls(Mutex<Map<Cause, SpacedLine>>);

impl RefusedCalls {
    /// How many were left out since the last line of this cause, when it is time for one.
    fn due(&self, engine: &Engine, cause: Cause) -> Option<u32> {
        self.0.lock().entry(cause).or_default().due(engine.now(), BETWEEN_LINES)
    }
}

/// Percent of a quota of disk from which on a lack of space is put down to the quota.
const NEARLY_USED: u64 = 75;

/// Of a put: about the queue manager, the connection or its unit of work, and not about this queue or this message.
pub(crate) const fn is_of_caller(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::QMgrStopping
            | Reason::ConnectionBroken
            | Reason::ResourceProblem
            | Reason::SyncpointLimitReached
            | Reason::BackedOut
    )
}

/// The reason an application gets when the store refused an operation on a queue.
///
/// Errors that need an operator are logged here with their full chain, each cause at most once a second.
pub(crate) fn of_store(engine: &Engine, error: &StoreError) -> Reason {
    match error {
        StoreError::QueueFull { .. } => Reason::QFull,
        StoreError::NoSpace => {
            if let Some(left_out) = engine.refused_calls.due(engine, Cause::Space) {
                let queue_manager = engine.name.as_str();
                let what = match engine.store.quotas().disk {
                    Some(quota) if quota.percent() >= NEARLY_USED => "the quota of disk (limits.disk_quota) is used",
                    _ => "no disk space is left for the recovery log",
                };
                warn!(queue_manager, left_out, "{what}: the call is refused");
            }
            Reason::QSpaceNotAvailable
        }
        StoreError::NoMemory => {
            if let Some(left_out) = engine.refused_calls.due(engine, Cause::Quota) {
                let queue_manager = engine.name.as_str();
                warn!(
                    queue_manager,
                    left_out,
                    "the quota of memory (limits.memory_quota) is used: the put is refused; get messages, or raise it"
                );
            }
            Reason::StorageNotAvailable
        }
        StoreError::UnknownQueue => Reason::QDeleted,
        StoreError::UnknownUnitOfWork => Reason::BackedOut,
        StoreError::Uncommitted | StoreError::InUse => Reason::ObjectInUse,
        StoreError::File(source) => of_file(engine, source),
        StoreError::LogFailed(source) => {
            // Its queue manager ends, and has said so: `engine/failure.rs`.
            debug!(error = chain(source.as_ref()), "the recovery log has failed");
            Reason::ConnectionBroken
        }
        StoreError::Closed => {
            debug!("the store is closed");
            Reason::QMgrStopping
        }
        // The shared store has said why.
        StoreError::Unreachable => Reason::CfNotAvailable,
        StoreError::Database => Reason::CfStrucError,
        StoreError::BackedOut | StoreError::ReceiptTaken => Reason::BackedOut,
        // It was when the program looked, and is open anew soon.
        StoreError::QueueMoves => Reason::ObjectChanged,
        StoreError::NotShared => Reason::FunctionNotSupported,
    }
}

/// Of a file of the store's other than the log. What the system lacks for the moment is no fault of the file.
fn of_file(engine: &Engine, error: &RecoveryLogError) -> Reason {
    let (cause, reason) = match error.io().and_then(storage::lacking) {
        Some(Lacking::Descriptors) => (Cause::Descriptors, Reason::ResourceProblem),
        Some(Lacking::Memory) => (Cause::Memory, Reason::StorageNotAvailable),
        None => (Cause::File(error.action()), Reason::FileSystemError),
    };
    let Some(left_out) = engine.refused_calls.due(engine, cause) else { return reason };
    let (queue_manager, error) = (engine.name.as_str(), chain(error));
    match cause {
        Cause::Descriptors => warn!(
            queue_manager,
            left_out, error, "no file can be opened: the call is refused; raise the limit of open files (LimitNOFILE=)"
        ),
        Cause::Memory => warn!(queue_manager, left_out, error, "memory is short: the call is refused"),
        Cause::Space | Cause::Quota | Cause::File(_) => {
            error!(queue_manager, left_out, error, "a file of the queue manager cannot be used: the call is refused");
        }
    }
    reason
}

/// As `of_store` where no queue is concerned: commit, prepare, definitions.
pub(crate) fn of_store_at_large(engine: &Engine, error: &StoreError) -> Reason {
    match of_store(engine, error) {
        Reason::QSpaceNotAvailable => Reason::ResourceProblem,
        reason => reason,
    }
}
