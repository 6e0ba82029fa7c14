//! Moving a shared queue to the database of another structure.
//!
//! The definition says how far the move has come, so any member can go on with it. Each step can be done again.
//!
//! ```text
//! Arriving   puts and gets are inhibited at every member; nothing of the queue is open or held any more; its messages are copied
//! Returning  programs did not let go of it in time: the queue stays where it is
//! Leaving    the queue is where it was to go; what is left where it was is removed
//! ```
//! Invariants
//! - Until the definition names the new place, all messages are at the old one; from then on all are at the new one.
//! - Before a message is copied, no member can put to the queue or get from it at the old place ever again.
//! - A member goes on with the move of another one only when that one's epoch is over, in each database that the move concerns.

use std::sync::Arc;
use std::time::Duration;

use model::authority::{Authority, AuthorityObject, Principal};
use model::definition::QueueDefinition;
use model::definition::queue::{Disposition, LocalQueue, Moving, MovingStage};
use model::name::{ObjectName, QueueName};
use storage::shared::GroupDisposition;
use storage::{DefinitionChange, QueueId, StoreError};
use tracing::{info, warn};

use crate::QueueManager;
use crate::definition::definitions as saved;
use crate::definition::objects::{ObjectError, authorise};
use crate::engine::Engine;
use crate::group::{Group, MemberState, definitions, disposition};
use crate::queue::Queue;
use crate::reason;

/// After so long every member that lives has seen the mark: until then one that opens the queue would take it for deleted.
const SEEN: Duration = Duration::from_millis(1_500);
/// How long programs have to end their units of work on the queue.
const PATIENCE: Duration = Duration::from_secs(60);
/// Between two looks whether they have.
const LOOK: Duration = Duration::from_millis(200);

/// A move that this member does, until it is dropped.
struct UnderWay<'a> {
    group: &'a Group,
    queue: QueueName,
}

impl<'a> UnderWay<'a> {
    /// `None`: it is done already.
    fn begin(group: &'a Group, queue: QueueName) -> Option<Self> {
        let is_new = group.moves.lock().insert(queue);
        is_new.then(|| Self { group, queue })
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.group.moves.lock().remove(&self.queue);
    }
}

impl QueueManager {
    /// Moves a shared queue, with its messages, to a structure; returns when it is there. While it moves, puts and gets are inhibited.
    ///
    /// # Errors
    /// `NotInGroup`; `NotFound`; `NotAuthorized`; `Disposition`: the queue is not shared; `Structure`: that is not defined. `InUse`: units of
    /// work hold messages of the queue for too long, and it stays where it is; or another member moves it. `CfNotAvailable` (2345): the
    /// move goes on when the databases can be reached.
    pub async fn move_queue_to_structure(
        &self,
        caller: &Principal,
        name: &QueueName,
        structure: &ObjectName,
    ) -> Result<(), ObjectError> {
        let engine = self.engine();
        authorise(engine, caller, AuthorityObject::Queue, name, Authority::CHANGE)?;
        let group = engine.group.as_ref().filter(|_| engine.store.shared().is_some()).ok_or(ObjectError::NotInGroup)?;
        disposition::check_structure(engine, structure)?;
        let in_use = || ObjectError::InUse { name: name.to_string() };
        let _under_way = UnderWay::begin(group, *name).ok_or_else(in_use)?;
        self.begin_move(name, structure).await?;
        self.go_on(name).await
    }

    /// Goes on with moves that this queue manager has begun in an earlier life, or that a member has which is dead.
    pub(crate) async fn continue_moves(&self) {
        let engine = self.engine();
        let Some(group) = &engine.group else { return };
        let queues: Vec<Arc<Queue>> = group.queues.read().values().cloned().collect();
        for queue in queues {
            let Some(moving) = queue.with_local(|_, local| local.moving.clone()) else { continue };
            let Some(under_way) = self.is_mine_to_end(&moving).then(|| UnderWay::begin(group, queue.name)).flatten()
            else {
                continue;
            };
            drop(under_way);
            let (manager, name) = (self.clone(), queue.name);
            tokio::spawn(async move { manager.continue_move(&name, &moving.structure).await });
        }
    }

    /// A move waits for its end, here or at another member.
    pub(crate) fn has_moves(&self) -> bool {
        let group = self.engine().group.as_ref();
        let moves = |queue: &Arc<Queue>| queue.with_local(|_, local| local.moving.is_some());
        group.is_some_and(|group| group.queues.read().values().any(moves))
    }

    async fn continue_move(&self, name: &QueueName, structure: &ObjectName) {
        let caller = Principal::administrator(&self.engine().authorities.server_user);
        let (queue, structure_name) = (name.as_str(), structure.as_str());
        match self.move_queue_to_structure(&caller, name, structure).await {
            Ok(()) => info!(queue, structure = structure_name, "a move that was left half-way has ended"),
            Err(error) => warn!(queue, %error, "a move that was left half-way cannot go on; trying again"),
        }
    }

    /// Its member is this one, or is dead and this one has the lowest number of those that live.
    fn is_mine_to_end(&self, moving: &Moving) -> bool {
        if moving.by == self.name() {
            return true;
        }
        let members = self.group_members();
        let is_active = |name: &str| {
            members.iter().any(|member| member.queue_manager == name && member.state == MemberState::Active)
        };
        let first = members.iter().find(|member| member.state == MemberState::Active);
        !is_active(moving.by.as_str()) && first.is_some_and(|first| first.queue_manager == self.name().as_str())
    }

    /// Marks the queue, or takes over what another member has begun.
    async fn begin_move(&self, name: &QueueName, structure: &ObjectName) -> Result<(), ObjectError> {
        let engine = self.engine();
        let _change = engine.changes.take().await;
        let queue = shared_queue(engine, name)?;
        let local = queue.with_local(|_, local| local.clone());
        let moving = match local.moving {
            Some(moving) if moving.structure != *structure || !self.is_mine_to_end(&moving) => {
                return Err(ObjectError::InUse { name: name.to_string() });
            }
            Some(moving) if moving.by == self.name() => return Ok(()),
            Some(moving) => {
                let places = [queue.id, QueueId(moving.store_id)];
                let ended = engine.store.end_epochs(moving.by.as_str(), places).await;
                ended.map_err(|error| ObjectError::Reason(reason::of_store_at_large(engine, &error)))?;
                Some(Moving { by: self.name(), ..moving })
            }
            None if local.structure == *structure && self.is_at_home_of(&queue, structure).await? => return Ok(()),
            None if self.is_at_home_of(&queue, structure).await? => {
                let change = |local: &mut LocalQueue| local.structure = *structure;
                return change_shared(engine, &queue, change).await;
            }
            None => {
                let created = engine.store.create_shared_queue(structure.as_str()).await;
                let to = created.map_err(|error| ObjectError::Reason(reason::of_store_at_large(engine, &error)))?;
                info!(
                    queue = name.as_str(),
                    structure = structure.as_str(),
                    "a shared queue moves to another database"
                );
                let stage = MovingStage::Arriving;
                Some(Moving { stage, store_id: to.0, structure: *structure, by: self.name() })
            }
        };
        change_shared(engine, &queue, |local| local.moving = moving).await
    }

    /// The queue is in the database where queues of the structure are.
    async fn is_at_home_of(&self, queue: &Queue, structure: &ObjectName) -> Result<bool, ObjectError> {
        let engine = self.engine();
        let there = engine.store.cluster_of_structure(structure.as_str()).await;
        let there = there.map_err(|error| ObjectError::Reason(reason::of_store_at_large(engine, &error)))?;
        Ok(there == queue.id.cluster())
    }

    /// From the stage that the definition shows to the end.
    async fn go_on(&self, name: &QueueName) -> Result<(), ObjectError> {
        let engine = self.engine();
        let of_store = |error: StoreError| ObjectError::Reason(reason::of_store_at_large(engine, &error));
        let queue = shared_queue(engine, name)?;
        let Some(moving) = queue.with_local(|_, local| local.moving.clone()) else { return Ok(()) };
        let other = QueueId(moving.store_id);
        match moving.stage {
            MovingStage::Arriving => {
                if !self.is_let_go(queue.id).await.map_err(of_store)? {
                    let returning = Moving { stage: MovingStage::Returning, ..moving };
                    self.change_move(&queue, Some(returning)).await?;
                    return Box::pin(self.go_on(name)).await;
                }
                let copied = engine.store.copy_queue(queue.id, other).await.map_err(of_store)?;
                info!(queue = name.as_str(), copied, "the messages of a shared queue are in the other database");
                self.arrive(&queue, moving).await?;
                Box::pin(self.go_on(name)).await
            }
            MovingStage::Returning => {
                engine.store.drop_queue(other).await.map_err(of_store)?;
                self.change_move(&queue, None).await?;
                Err(ObjectError::InUse { name: name.to_string() })
            }
            MovingStage::Leaving => {
                engine.store.drop_queue(other).await.map_err(of_store)?;
                self.change_move(&queue, None).await
            }
        }
    }

    /// Waits until no member has the queue open, and no unit of work holds a message of it. False: programs did not let go in time.
    async fn is_let_go(&self, queue: QueueId) -> Result<bool, StoreError> {
        let engine = self.engine();
        let mut left = PATIENCE;
        tokio::time::sleep(SEEN).await;
        while !engine.store.is_sealed(queue).await? {
            if left.is_zero() {
                return Ok(false);
            }
            left = left.saturating_sub(LOOK);
            tokio::time::sleep(LOOK).await;
        }
        Ok(true)
    }

    async fn change_move(&self, queue: &Arc<Queue>, moving: Option<Moving>) -> Result<(), ObjectError> {
        let engine = self.engine();
        let _change = engine.changes.take().await;
        change_shared(engine, queue, |local| local.moving = moving).await
    }

    /// The definition says that the queue is at its new place.
    async fn arrive(&self, queue: &Arc<Queue>, moving: Moving) -> Result<(), ObjectError> {
        let engine = self.engine();
        let _change = engine.changes.take().await;
        let mut definition = (*queue.definition()).clone();
        let local = definition.as_local_mut().ok_or_else(|| ObjectError::not_found(queue.name.as_str()))?;
        local.structure = moving.structure;
        local.store_id = moving.store_id;
        local.moving = Some(Moving { stage: MovingStage::Leaving, store_id: queue.id.0, ..moving });
        let known = engine.store.know_queue(QueueId(local.store_id)).await;
        known.map_err(|error| ObjectError::Reason(reason::of_store_at_large(engine, &error)))?;
        let show = |definition: QueueDefinition| show_moved(engine, queue, definition);
        save(engine, definition, show).await
    }
}

fn shared_queue(engine: &Engine, name: &QueueName) -> Result<Arc<Queue>, ObjectError> {
    let queue = engine.queue(name).ok_or_else(|| ObjectError::not_found(name.as_str()))?;
    match queue.definition().disposition {
        Disposition::Shared => Ok(queue),
        _ => Err(ObjectError::Disposition { name: name.to_string() }),
    }
}

/// The caller holds the lock on changes.
async fn change_shared(
    engine: &Engine,
    queue: &Arc<Queue>,
    change: impl FnOnce(&mut LocalQueue),
) -> Result<(), ObjectError> {
    let before = queue.definition();
    let mut definition = (*before).clone();
    if let Some(local) = definition.as_local_mut() {
        change(local);
    }
    let show = |definition: QueueDefinition| {
        engine.show_queue(queue, definition);
        saved::wake_waiters(engine, queue, &before);
    };
    save(engine, definition, show).await
}

/// Saves a definition of a shared queue, then shows it.
async fn save(
    engine: &Engine,
    definition: QueueDefinition,
    show: impl FnOnce(QueueDefinition),
) -> Result<(), ObjectError> {
    let change: DefinitionChange = saved::save_queue(&definition);
    definitions::keep(engine, GroupDisposition::Shared, change, || show(definition)).await
}

/// The queue is elsewhere now: handles that are open find out, and programs open it again. The new place is known to the store.
pub(super) fn show_moved(engine: &Engine, before: &Queue, definition: QueueDefinition) {
    engine.remove_queue(before);
    engine.add_queue(Arc::new(Queue::recovered(definition, &engine.store)));
    before.move_away();
}
