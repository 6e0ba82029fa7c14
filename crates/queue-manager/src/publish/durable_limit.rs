//! How many durable subscriptions there may be: of one user, and in all.
//!
//! A durable subscription lasts without its program and gathers messages, so a user who may subscribe could fill the disk
//! with them. What is refused is the new one; those that are there stay, also when a limit is lowered below their number.
//!
//! Administrators have no limit of their own: they may define as many as the queue manager holds.

use model::authority::Principal;
use model::reason::Reason;
use parking_lot::{Mutex, RwLock};
use tracing::warn;

use crate::QueueManager;
use crate::engine::Engine;
use crate::engine::spaced_line::{BETWEEN_LINES, SpacedLine};

/// Most durable subscriptions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DurableLimits {
    /// Of one queue manager; those that commands define count too.
    pub of_queue_manager: usize,
    /// Of one user (SUBUSER) who is no administrator.
    pub of_user: usize,
}

impl Default for DurableLimits {
    fn default() -> Self {
        Self { of_queue_manager: 100_000, of_user: 5_000 }
    }
}

#[derive(Default)]
pub(crate) struct DurableLimit {
    limits: RwLock<DurableLimits>,
    refused: Mutex<SpacedLine>,
}

impl QueueManager {
    /// From now on no more than these. Those that are there stay.
    pub fn limit_durable_subscriptions(&self, limits: DurableLimits) {
        *self.engine().publish.durable_limit.limits.write() = limits;
    }
}

/// Whether there is room for one more of `user`, made by `caller`. Two callers at once both pass, unless they hold the turn
/// for changes.
///
/// # Errors
/// `DurabilityNotAllowed` (2436), with a log line, at most one a second.
pub(crate) fn check_room(engine: &Engine, caller: &Principal, user: &str) -> Result<(), Reason> {
    let limit = &engine.publish.durable_limit;
    let DurableLimits { of_queue_manager, of_user } = *limit.limits.read();
    let subscriptions = engine.subscriptions.read();
    let in_all = subscriptions.len();
    // No user has more than there are in all.
    let is_of_user_reached = || {
        in_all >= of_user
            && !engine.authorities.is_administrator(caller)
            && subscriptions.values().filter(|definition| definition.user == user).count() >= of_user
    };
    let key = if in_all >= of_queue_manager {
        "limits.durable_subscriptions"
    } else if is_of_user_reached() {
        "limits.durable_subscriptions_per_user"
    } else {
        return Ok(());
    };
    drop(subscriptions);
    if let Some(left_out) = limit.refused.lock().due(engine.now(), BETWEEN_LINES) {
        let queue_manager = engine.name.as_str();
        warn!(
            queue_manager,
            user, key, left_out, "a durable subscription was refused: there are as many as the key allows"
        );
    }
    Err(Reason::DurabilityNotAllowed)
}
