//! What the configuration says of the connections that messaging requests use, and where they are taken from.

use std::sync::Arc;
use std::time::Duration;

use connection::connections::{Policy, RemoteKeeping};
use connection::pool::{Keeping, Limit, Pool, WhenFull};

use crate::options::{FullPoolBehavior, Messaging};

/// As queue managers show the connections of this API.
pub(crate) const APPLICATION_NAME: &str = "Quaymaster REST";
/// The pools tick once so often.
pub(crate) const POOL_TICK: Duration = Duration::from_secs(1);

/// The same for local and remote queue managers.
pub(crate) fn policy(options: &Messaging) -> Policy {
    let when_full = match options.full_pool_behavior {
        FullPoolBehavior::Overflow => WhenFull::Overflow,
        FullPoolBehavior::Block => {
            WhenFull::Block((options.block_timeout > 0).then(|| Duration::from_secs(options.block_timeout)))
        }
        FullPoolBehavior::Error => WhenFull::Error,
    };
    let idle_ticks = u32::try_from(options.idle_timeout).ok().filter(|&ticks| ticks > 0);
    let limit = Limit::Open { most: options.max_pool_size, when_full };
    Policy { local: Keeping { limit, idle_ticks }, remote: RemoteKeeping::Same }
}

/// The one of a queue manager that a path names.
pub(super) fn find<'p>(pools: &'p [Arc<Pool>], queue_manager: &str) -> Option<&'p Arc<Pool>> {
    pools.iter().find(|pool| pool.name() == queue_manager)
}
