//! Which queues of a list a user may inquire or display, worked out once for all queues and kept until the queues or the authority records
//! change: asked queue by queue, ten thousand decisions cost more than the page that is shown.
//!
//! Invariant: what is kept says what `Authorities::granted` says of the same queues by the same records.

use std::sync::Arc;

use model::authority::{Authority, AuthorityObject, Principal};
use model::name::QueueName;
use parking_lot::Mutex;

use crate::security::authority::Authorities;

/// What lets a user see a queue in a list: MQINQ tells its attributes and depth, and so does DISPLAY.
pub const SEEN_WITH: Authority = Authority::INQUIRE.union(Authority::DISPLAY);
/// Users of whom it is kept.
const MOST_USERS: usize = 16;

#[derive(Default)]
pub(crate) struct VisibleQueues {
    /// Those asked for last come last.
    kept: Mutex<Vec<Kept>>,
}

struct Kept {
    principal: Principal,
    /// Of the order of queues, and of the authority records.
    versions: (u64, u64),
    visible: Visible,
}

/// By place in the order. `None`: all of them.
pub(crate) type Visible = Option<Arc<[bool]>>;

impl VisibleQueues {
    /// `queues` are those of version `order`.
    pub(crate) fn of<'q>(
        &self,
        principal: &Principal,
        authorities: &Authorities,
        order: u64,
        queues: impl Iterator<Item = &'q QueueName>,
    ) -> Visible {
        if authorities.is_administrator(principal) {
            return None;
        }
        // Read before the records are: a change meanwhile makes it be worked out again.
        let versions = (order, authorities.version());
        let mut kept = self.kept.lock();
        let known = kept.iter().position(|known| known.principal == *principal).map(|place| kept.remove(place));
        let visible = known.filter(|known| known.versions == versions).map_or_else(
            || {
                let granted = authorities.granted_each(principal, AuthorityObject::Queue, queues);
                Some(granted.map(|granted| granted.intersects(SEEN_WITH)).collect())
            },
            |known| known.visible,
        );
        if kept.len() == MOST_USERS {
            kept.remove(0);
        }
        kept.push(Kept { principal: principal.clone(), versions, visible: visible.clone() });
        visible
    }
}
