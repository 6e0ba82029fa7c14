//! How an operator sees the group at this member: what the store knows of members and databases, and the structures with their queues.
//!
//! Never: judges. The checks are the store's, and those of `group status` and `doctor`.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use model::authority::AuthorityObject;
use model::definition::structure::OnLoss;
use model::group::GroupName;
use model::timestamp::Timestamp;
use storage::QueueId;
use storage::shared::administration::GroupView;

use crate::QueueManager;
use crate::group::{Group, shared_queue};

/// What was seen so long ago is still the answer: each look asks the databases.
const FRESH: Duration = Duration::from_secs(2);

/// A group at one moment.
#[derive(Debug, Clone)]
pub struct GroupLook {
    pub at: Timestamp,
    pub name: GroupName,
    /// `None`: the group has no database, and lives in this process alone.
    pub view: Option<GroupView>,
    /// In order of names.
    pub structures: Vec<StructureLook>,
}

/// A structure, and what its queues hold.
#[derive(Debug, Clone)]
pub struct StructureLook {
    pub name: String,
    pub description: String,
    /// RECOVER(YES).
    pub recovers: bool,
    pub on_loss: OnLoss,
    /// It has a database of its own, where this member puts its new queues.
    pub has_database: bool,
    pub queues: u64,
    pub messages: u64,
    pub bytes: u64,
}

impl QueueManager {
    /// How the group is now, or was two seconds ago. `None`: the queue manager is in no group.
    pub async fn group_look(&self) -> Option<Arc<GroupLook>> {
        let group = self.engine().group.as_ref()?;
        let now = self.now();
        let is_fresh = |look: &Arc<GroupLook>| look.at <= now && now.since(look.at) < FRESH;
        if let Some(known) = group.look.lock().clone().filter(is_fresh) {
            return Some(known);
        }
        let known = group.queues.read().iter().map(|(id, queue)| (*id, queue.name.to_string())).collect();
        let view = self.engine().store.group_view(known, shared_queue).await;
        let structures = self.structures(group, view.as_ref());
        let look = Arc::new(GroupLook { at: now, name: group.name, view, structures });
        *group.look.lock() = Some(Arc::clone(&look));
        Some(look)
    }

    fn structures(&self, group: &Group, view: Option<&GroupView>) -> Vec<StructureLook> {
        let mut held: HashMap<_, (u64, u64, u64)> = HashMap::new();
        for (id, queue) in &*group.queues.read() {
            let depth = self.depth_of(*id);
            let (queues, messages, bytes) = held.entry(queue.with_local(|_, local| local.structure)).or_default();
            *queues += 1;
            *messages += u64::from(depth.current);
            *bytes += depth.bytes;
        }
        let databases: Vec<&str> =
            view.into_iter().flat_map(|view| &view.databases).filter_map(|one| one.structure.as_deref()).collect();
        let objects = self.objects(AuthorityObject::Structure);
        let structures = objects.iter().filter_map(|object| object.as_structure());
        let mut structures: Vec<StructureLook> = structures
            .map(|structure| {
                let (queues, messages, bytes) = held.get(&structure.name).copied().unwrap_or_default();
                StructureLook {
                    name: structure.name.to_string(),
                    description: structure.description.clone(),
                    recovers: structure.recover,
                    on_loss: structure.on_loss,
                    has_database: databases.contains(&structure.name.as_str()),
                    queues,
                    messages,
                    bytes,
                }
            })
            .collect();
        structures.sort_by(|one, other| one.name.cmp(&other.name));
        structures
    }

    fn depth_of(&self, queue: QueueId) -> storage::Depth {
        self.engine().store.depth(queue)
    }
}
