//! How an operator sees the group at this member: what the store knows of members and databases, and the structures with their queues.
//!
//! Never: judges. The checks are the store's, and those of `group status` and `doctor`.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use model::authority::AuthorityObject;
use model::definition::structure::OnLoss;
use model::group::GroupName;
use model::name::ObjectName;
use model::timestamp::Timestamp;
use storage::shared::administration::GroupView;

use crate::QueueManager;
use crate::group::shared_queue;

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
    pub content: StructureContent,
}

/// What is in a structure.
#[derive(Debug, Clone, Copy, Default)]
pub struct StructureContent {
    pub queues: u64,
    pub messages: u64,
    /// Of bodies.
    pub bytes: u64,
}

impl QueueManager {
    /// What is in each structure that has queues.
    pub fn structure_contents(&self) -> HashMap<ObjectName, StructureContent> {
        let engine = self.engine();
        let mut contents: HashMap<_, StructureContent> = HashMap::new();
        let Some(group) = &engine.group else { return contents };
        for (id, queue) in &*group.queues.read() {
            let depth = engine.store.depth(*id);
            let content = contents.entry(queue.with_local(|_, local| local.structure)).or_default();
            content.queues += 1;
            content.messages += u64::from(depth.current);
            content.bytes += depth.bytes;
        }
        contents
    }

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
        let structures = self.structures(view.as_ref());
        let look = Arc::new(GroupLook { at: now, name: group.name, view, structures });
        *group.look.lock() = Some(Arc::clone(&look));
        Some(look)
    }

    fn structures(&self, view: Option<&GroupView>) -> Vec<StructureLook> {
        let contents = self.structure_contents();
        let databases: Vec<&str> =
            view.into_iter().flat_map(|view| &view.databases).filter_map(|one| one.structure.as_deref()).collect();
        let objects = self.objects(AuthorityObject::Structure);
        let structures = objects.iter().filter_map(|object| object.as_structure());
        let mut structures: Vec<StructureLook> = structures
            .map(|structure| StructureLook {
                name: structure.name.to_string(),
                description: structure.description.clone(),
                recovers: structure.recover,
                on_loss: structure.on_loss,
                has_database: databases.contains(&structure.name.as_str()),
                content: contents.get(&structure.name).copied().unwrap_or_default(),
            })
            .collect();
        structures.sort_by(|one, other| one.name.cmp(&other.name));
        structures
    }
}
