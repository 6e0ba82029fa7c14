//! The failure of a log: its first error, and the one listener who is told of it.
//!
//! Invariant: the listener is called once, whether it comes before the error or after it.

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use crate::RecoveryLogError;
use crate::private::log::writer::Log;

/// Called on the thread on which the log fails. It must neither wait nor call the store.
pub(crate) type Listener = Box<dyn FnOnce(Arc<RecoveryLogError>) + Send>;

#[derive(Default)]
pub(super) struct Failure {
    error: OnceLock<Arc<RecoveryLogError>>,
    listener: Mutex<Option<Listener>>,
}

impl Failure {
    pub(super) fn error(&self) -> Option<&Arc<RecoveryLogError>> {
        self.error.get()
    }

    /// Only the first error counts: those that follow are its consequences.
    pub(super) fn set(&self, error: Arc<RecoveryLogError>) {
        // Whoever comes first has set it.
        let _ = self.error.set(error);
        self.tell();
    }

    pub(super) fn listen(&self, listener: Listener) {
        *self.listener.lock() = Some(listener);
        self.tell();
    }

    fn tell(&self) {
        let Some(error) = self.error.get() else { return };
        let listener = self.listener.lock().take();
        if let Some(listener) = listener {
            listener(Arc::clone(error));
        }
    }
}

/// Held by a thread of the log: when it panics the log fails, so that nobody waits for what the thread was to do.
pub(crate) struct FailsOnPanic<'a>(pub(crate) &'a Log);

impl Drop for FailsOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.fail(RecoveryLogError::Panic);
        }
    }
}
