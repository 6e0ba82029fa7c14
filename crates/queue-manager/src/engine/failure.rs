//! The failure of the recovery log, which ends its queue manager: told by the store once, before any verb is refused for it.
//!
//! From that moment `Engine::admit` refuses everything. Housekeeping ends the gets that wait, and the server the rest.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use model::causes::chain;
use model::name::QueueManagerName;
use storage::{RecoveryLogError, Store};
use tokio::sync::watch;
use tracing::error;

#[derive(Default)]
pub(crate) struct Failure {
    /// Set before `cause`, for those who ask often.
    has_happened: AtomicBool,
    cause: watch::Sender<Option<Arc<RecoveryLogError>>>,
}

impl Failure {
    /// Writes the one line of the log that says so.
    pub(crate) fn of_store(store: &Store, name: QueueManagerName) -> Arc<Self> {
        let failure = Arc::new(Self::default());
        // Without the engine: the store must not be dropped, and closed, on a thread of its own log.
        let told = Arc::clone(&failure);
        store.when_log_failed(move |cause| {
            error!(
                queue_manager = name.as_str(),
                cause = chain(&*cause),
                "the recovery log has failed and queue manager {name} ends unexpectedly; what it had answered is kept. \
                 Check the disk of its log, then start it again: strmqm {name}"
            );
            told.has_happened.store(true, Ordering::Release);
            told.cause.send_replace(Some(cause));
        });
        failure
    }

    pub(crate) fn has_happened(&self) -> bool {
        self.has_happened.load(Ordering::Acquire)
    }

    pub(crate) fn cause(&self) -> Option<Arc<RecoveryLogError>> {
        self.cause.borrow().clone()
    }

    /// Returns once it has happened.
    pub(crate) async fn happened(&self) {
        // The sender is as old as `self`, so this ends in no other way.
        let _ = self.cause.subscribe().wait_for(Option::is_some).await;
    }
}
