//! Password checks that take tens of milliseconds, kept from eating the machine.
//!
//! At most two run at once, on threads of their own, and a bounded number waits; what comes beyond is turned away. So a
//! flood of wrong passwords costs two cores at most and no memory, while cookies and verified headers go on as before.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Semaphore;

use super::identity::Identity;
use super::registry::Registry;

/// Checks that run at once; each takes some 20 MiB and 20 ms.
const RUNNING: usize = 2;
/// Checks that run or wait; at 20 ms each, the last one waits for less than a second.
const ADMITTED: usize = 66;

pub(super) struct SlowChecks {
    running: Arc<Semaphore>,
    admitted: AtomicUsize,
}

/// Too many checks are waiting already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Busy;

impl SlowChecks {
    pub(super) fn new() -> Self {
        Self { running: Arc::new(Semaphore::new(RUNNING)), admitted: AtomicUsize::new(0) }
    }

    /// Runs `registry.check` when its turn has come, unless `already_known` then finds the answer.
    ///
    /// The second look matters when many requests bring the same new header at once: one hash serves them.
    pub(super) async fn check(
        &self,
        registry: &Arc<Registry>,
        user: String,
        password: String,
        already_known: impl FnOnce() -> Option<Arc<Identity>>,
    ) -> Result<Option<Arc<Identity>>, Busy> {
        let _admission = Admission::take(&self.admitted).ok_or(Busy)?;
        let turn = Arc::clone(&self.running).acquire_owned().await.expect("the semaphore is never closed");
        if let Some(identity) = already_known() {
            return Ok(Some(identity));
        }
        let registry = Arc::clone(registry);
        let check = tokio::task::spawn_blocking(move || {
            // Held until the hash is done, even when the client has gone away meanwhile.
            let _turn = turn;
            registry.check(&user, &password)
        });
        Ok(check.await.unwrap_or_default())
    }
}

/// One of the places among those that run or wait; given back when dropped.
struct Admission<'a>(&'a AtomicUsize);

impl<'a> Admission<'a> {
    fn take(admitted: &'a AtomicUsize) -> Option<Self> {
        let place = Self(admitted);
        let before = admitted.fetch_add(1, Ordering::Relaxed);
        (before < ADMITTED).then_some(place)
    }
}

impl Drop for Admission<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
