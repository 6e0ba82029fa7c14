//! Password checks that take tens of milliseconds, kept from eating the machine.
//!
//! At most two run at once, on threads of their own; the others wait in turns by address (`fair_queue.rs`). So a flood of wrong
//! passwords costs two cores at most and no memory, and those of other addresses have their turn between.

use std::sync::Arc;

use crate::attempts::Attempt;
use crate::fair_queue::FairQueue;
use crate::identity::Identity;
use crate::ldap::NoAnswer;
use crate::registry::Registry;

/// Checks that run at once; each takes some 20 MiB and 20 ms.
const RUNNING: usize = 2;

pub(super) struct SlowChecks {
    queue: Arc<FairQueue>,
}

impl SlowChecks {
    pub(super) fn new() -> Self {
        Self { queue: FairQueue::new(RUNNING) }
    }

    /// Runs `registry.check` when its turn has come, unless `already_known` then finds the answer or the attempt is refused.
    ///
    /// The second look matters when many requests bring the same new header at once: one hash serves them.
    pub(super) async fn check(
        &self,
        registry: &Arc<Registry>,
        attempt: Attempt,
        password: String,
        already_known: impl FnOnce() -> Option<Arc<Identity>>,
    ) -> Result<Option<Arc<Identity>>, NoAnswer> {
        let turn = self.queue.turn(attempt.address).await?;
        if let Some(identity) = already_known() {
            return Ok(Some(identity));
        }
        attempt.admit()?;
        let registry = Arc::clone(registry);
        let check = tokio::task::spawn_blocking(move || {
            // Held until the hash is done, even when the client has gone away meanwhile.
            let _turn = turn;
            let checked = registry.check(&attempt.user, &password);
            attempt.settle(checked.is_some());
            checked
        });
        Ok(check.await.unwrap_or_default())
    }
}
