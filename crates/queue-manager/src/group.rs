//! The queue-sharing group that this queue manager is a member of: its name, and what belongs to the group rather than to the member.
//!
//! Owns: the group's definitions (`definitions.rs`) and how this member follows changes of them (`joining.rs`), the rules of dispositions that
//! DEFINE and ALTER keep (`disposition.rs`), changes of group definitions and of the copies made of them (`masters.rs`, `master.rs`), handles
//! as the whole group counts them (`handles.rs`), triggers of shared queues (`triggers.rs`), the waits that other members end
//! (`arrivals.rs`), what members ask of each other (`requests.rs`), connection tags (`tags.rs`), moves of queues to other databases
//! (`moving.rs`), units of recovery of the group (`units.rs`), messages for private queues of other members (`intra_group.rs`), what follows
//! when a database is lost (`loss.rs`), and how an operator sees the group (`look.rs`).
//!
//! Never: speaks SQL or knows where a message is (the store does).
//!
//! Invariants
//! - A queue manager in no group has no structure, no group definition, and no object of another disposition than its own.
//! - The disposition of an object never changes.
//! - A change of what belongs to the group is in the database before any member shows it.

pub(crate) mod arrivals;
pub(crate) mod definitions;
pub(crate) mod disposition;
pub(crate) mod handles;
pub(crate) mod intra_group;
pub(crate) mod joining;
mod look;
mod loss;
pub(crate) mod master;
mod masters;
pub(crate) mod moving;
mod requests;
pub(crate) mod tags;
pub(crate) mod triggers;
pub(crate) mod units;

use std::collections::HashSet;
use std::sync::Arc;

use model::definition::QueueDefinition;
use model::definition::attribute::Membership;
use model::group::GroupName;
use model::name::QueueName;
use model::reason::Reason;
use parking_lot::{Mutex, RwLock};
use storage::shared::{GroupDefinition, GroupStatistics};
use storage::{QueueId, SharedOptions};
use tokio::sync::Notify;

use crate::QueueManager;
use crate::engine::Engine;
use crate::engine::map::Map;
use crate::group::definitions::GroupDefinitions;
use crate::group::tags::Tags;
use crate::group::triggers::Triggers;
use crate::queue::Queue;

pub use look::{GroupLook, StructureContent, StructureLook};
pub use loss::LostStructure;
pub use master::Master;
pub use requests::MemberAnswer;
pub use tags::ConnectionTag;
pub use units::{UnitDisposition, UnitInDoubt};

/// How a queue manager joins its group.
#[derive(Clone)]
pub struct GroupOptions {
    pub name: GroupName,
    /// Where the group's database is. `None`: the group lives in this process alone, and its shared queues in memory, which a queue
    /// manager without a disk has.
    pub database: Option<SharedOptions>,
}

/// What a member knows of its group.
pub(crate) struct Group {
    pub(crate) name: GroupName,
    pub(crate) definitions: GroupDefinitions,
    /// The shared queues that this member knows.
    pub(crate) queues: RwLock<Map<QueueId, Arc<Queue>>>,
    /// The group's definitions may have changed.
    pub(crate) changed: Notify,
    pub(crate) tags: Tags,
    pub(crate) triggers: Triggers,
    /// Queues that this member moves to another database.
    moves: Mutex<HashSet<QueueName>>,
    /// As an operator has seen it last.
    look: Mutex<Option<Arc<GroupLook>>>,
}

impl Group {
    pub(crate) fn new(name: GroupName, definitions: GroupDefinitions) -> Self {
        Self {
            name,
            definitions,
            queues: RwLock::default(),
            changed: Notify::new(),
            tags: Tags::default(),
            triggers: Triggers::default(),
            moves: Mutex::default(),
            look: Mutex::default(),
        }
    }
}

/// A member as DISPLAY GROUP shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub queue_manager: String,
    pub number: u32,
    pub state: MemberState,
    pub command_level: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberState {
    Active,
    Inactive,
    Failed,
}

/// The level of commands that this version has.
const COMMAND_LEVEL: u32 = 942;

/// Name and number of the shared queue of a definition of the group, also of its other place while it moves. None: this program cannot
/// read it.
pub fn shared_queue(definition: &GroupDefinition) -> Vec<(String, QueueId)> {
    let queue = definition.value.as_ref().and_then(|value| serde_json::from_slice::<QueueDefinition>(value).ok());
    let Some((name, local)) = queue.as_ref().and_then(|queue| Some((queue.name, queue.as_local()?))) else {
        return Vec::new();
    };
    let other = local.moving.as_ref().map(|moving| (format!("{name} (moving)"), QueueId(moving.store_id)));
    std::iter::once((name.to_string(), QueueId(local.store_id))).chain(other).collect()
}

impl Engine {
    pub(crate) fn membership(&self) -> Membership {
        if self.group.is_some() { Membership::Member } else { Membership::Alone }
    }

    /// This member has not learned the group's definitions since its start: a queue that it does not know may be there.
    pub(crate) fn may_lack_queues(&self) -> bool {
        let group = self.group.as_ref().filter(|_| self.store.shared().is_some());
        group.is_some_and(|group| group.definitions.are_incomplete())
    }

    /// Why there is no queue of a name. `CfNotAvailable` (2345): the group may have it, and its database was not reached yet.
    pub(crate) fn unknown_queue(&self, reason: Reason) -> Reason {
        if self.may_lack_queues() { Reason::CfNotAvailable } else { reason }
    }
}

impl QueueManager {
    /// `None`: in no group.
    pub fn group(&self) -> Option<GroupName> {
        self.engine().group.as_ref().map(|group| group.name)
    }

    /// The name is its own, or that of its group.
    pub fn answers_to(&self, name: &str) -> bool {
        self.name().as_str() == name || self.group().is_some_and(|group| group.as_str() == name)
    }

    pub fn membership(&self) -> Membership {
        self.engine().membership()
    }

    /// This member's part in its group; `None`: it is in no group that has a database.
    pub fn group_statistics(&self) -> Option<GroupStatistics> {
        self.engine().store.group_statistics()
    }

    /// The members that are known, in order of their numbers; none of a queue manager in no group.
    pub fn group_members(&self) -> Vec<Member> {
        let engine = self.engine();
        if engine.group.is_none() {
            return Vec::new();
        }
        let Some(shared) = engine.store.shared() else { return vec![self.only_member()] };
        let mut members: Vec<Member> = shared.members().into_iter().map(Member::of).collect();
        members.sort_by_key(|member| member.number);
        members
    }

    /// Of a group that lives in this process alone.
    fn only_member(&self) -> Member {
        let queue_manager = self.name().to_string();
        Member { queue_manager, number: 1, state: MemberState::Active, command_level: COMMAND_LEVEL }
    }
}

impl Member {
    fn of(status: storage::shared::MemberStatus) -> Self {
        use storage::shared::MemberState as Seen;
        let state = match status.state {
            Seen::Active => MemberState::Active,
            Seen::Inactive => MemberState::Inactive,
            Seen::Recovering | Seen::Failed => MemberState::Failed,
        };
        let number = u32::try_from(status.number).unwrap_or_default();
        Self { queue_manager: status.name, number, state, command_level: COMMAND_LEVEL }
    }
}
