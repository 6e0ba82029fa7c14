//! Where a handle stands on its queue: the browse cursor, the lock under it, marks, and places within groups.
//!
//! Plain data; `get.rs` and `browse.rs` move it.

use std::collections::HashSet;

use model::identifier::GroupId;
use storage::{DeliveryKey, Position};

#[derive(Default)]
pub(crate) struct Cursor {
    /// The message browsed last: the one under the cursor, whether it is still there or not.
    pub(crate) at: Option<DeliveryKey>,
    /// Browse next looks behind this: the same, but in logical order the first message of the group.
    pub(crate) behind: Option<DeliveryKey>,
    /// The message locked by MQGMO_LOCK.
    pub(crate) locked: Option<DeliveryKey>,
    /// Messages marked by MQGMO_MARK_BROWSE_HANDLE.
    pub(crate) marks: HashSet<Position>,
    /// Where gets in logical order stand.
    pub(crate) get_place: Option<GroupPlace>,
    /// Where browses in logical order stand.
    pub(crate) browse_place: Option<GroupPlace>,
}

/// The message of a group, or the segment, that comes next in logical order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GroupPlace {
    pub(crate) group_id: GroupId,
    pub(crate) sequence_number: u32,
    pub(crate) offset: u32,
    /// The group was begun inside a unit of work.
    pub(crate) in_unit: bool,
}
