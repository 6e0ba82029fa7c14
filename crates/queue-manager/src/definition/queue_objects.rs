//! Definitions of queues: define, alter, delete, clear, with what open handles and messages forbid.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use model::authority::{Authority, AuthorityObject, Principal};
use model::definition::attribute::View;
use model::definition::queue::{DefinitionType, Disposition, LocalQueue};
use model::definition::{History, QueueDefinition, QueueKind};
use model::name::{ObjectName, QueueName};
use model::reason::Reason;
use storage::shared::OpenLevel;
use storage::{DefinitionChange, QueueId, StoreError};

use crate::definition::definitions;
use crate::definition::objects::{ObjectError, authorise, authority_to_define, check_attributes};
use crate::engine::Engine;
use crate::engine::housekeeping::Work;
use crate::group::triggers::Why;
use crate::group::{disposition, handles};
use crate::instrumentation::accounting::collection;
use crate::instrumentation::event;
use crate::queue::Queue;
use crate::queue::trigger;
use crate::{QueueManager, group, reason};

impl QueueManager {
    /// `replace` keeps the messages of an existing queue of the same kind.
    pub async fn define_queue(
        &self,
        caller: &Principal,
        mut definition: QueueDefinition,
        replace: bool,
    ) -> Result<(), ObjectError> {
        let engine = self.engine();
        let name = definition.name;
        check(engine, &definition)?;
        let lock = engine.changes.take().await;
        let existing = engine.queue(&name);
        let wanted = authority_to_define(existing.is_some(), replace);
        authorise(engine, caller, AuthorityObject::Queue, &name, wanted)?;
        if let Some(queue) = existing {
            if !replace {
                return Err(refused_to_define(&queue, &definition));
            }
            let triggering = replace_definition(engine, &queue, definition, false).await?;
            drop(lock);
            triggering.look().await;
            return Ok(());
        }
        let now = engine.now();
        definition.history = History { created: now, altered: now };
        let is_shared = definition.disposition == Disposition::Shared;
        if let Some(local) = definition.as_local_mut() {
            local.definition_type = DefinitionType::Predefined;
            let structure = is_shared.then_some(local.structure);
            let id = new_store_id(engine, structure.as_ref()).await;
            local.store_id = id.map_err(ObjectError::Reason)?.0;
        }
        let save = definitions::save_queue(&definition);
        let show = || engine.add_queue(Arc::new(Queue::new(definition, None, &engine.store)));
        if is_shared {
            return engine.keep_made_in_group(caller, AuthorityObject::Queue, &name, save, show).await;
        }
        engine.save_made(caller, AuthorityObject::Queue, &name, save, show).await
    }

    /// Puts `definition` in the place of the whole definition; see `change_queue`.
    pub async fn alter_queue(
        &self,
        caller: &Principal,
        definition: QueueDefinition,
        force: bool,
    ) -> Result<(), ObjectError> {
        let name = definition.name;
        let replace = |current: &mut QueueDefinition| {
            *current = definition;
            Ok(())
        };
        self.change_queue(caller, &name, force, replace).await
    }

    /// `change` is given the definition as it is; nobody else changes it meanwhile.
    pub async fn change_queue<E: From<ObjectError>>(
        &self,
        caller: &Principal,
        name: &QueueName,
        force: bool,
        change: impl FnOnce(&mut QueueDefinition) -> Result<(), E>,
    ) -> Result<(), E> {
        let engine = self.engine();
        authorise(engine, caller, AuthorityObject::Queue, name, Authority::CHANGE)?;
        let lock = engine.changes.take().await;
        let queue = engine.queue(name).ok_or_else(|| ObjectError::not_found(name.as_str()))?;
        let mut definition = (*queue.definition()).clone();
        change(&mut definition)?;
        check(engine, &definition)?;
        let triggering = replace_definition(engine, &queue, definition, force).await?;
        drop(lock);
        triggering.look().await;
        Ok(())
    }

    /// `purge` deletes the messages too; without it the queue must be empty.
    pub async fn delete_queue(&self, caller: &Principal, name: &QueueName, purge: bool) -> Result<(), ObjectError> {
        let engine = self.engine();
        authorise(engine, caller, AuthorityObject::Queue, name, Authority::DELETE)?;
        let _change = engine.changes.take().await;
        let queue = engine.queue(name).ok_or_else(|| ObjectError::not_found(name.as_str()))?;
        let in_use = |_| ObjectError::InUse { name: name.to_string() };
        if queue.is_local() && queue.with_local(|_, local| local.moving.is_some()) {
            return Err(in_use(Reason::ObjectInUse));
        }
        let deletion = queue.begin_deletion(Some(0)).map_err(in_use)?;
        let is_shared = queue.definition().disposition == Disposition::Shared;
        let mut changes = Vec::with_capacity(2);
        if queue.is_local() {
            check_emptiness(engine, &queue, purge)?;
            changes.push(DefinitionChange::DropQueue(queue.id));
        }
        if !queue.is_temporary() && !is_shared {
            changes.push(definitions::delete_queue(name));
        }
        let show = || {
            if purge && queue.is_local() {
                note_purge(engine, &queue);
            }
            engine.remove_queue(&queue);
            deletion.done();
        };
        if is_shared {
            // Once the definition is gone, the messages are nobody's.
            group::definitions::delete_queue(engine, &queue, purge, show).await?;
            return engine.save_and_show(changes, || ()).await;
        }
        engine.save_and_show(changes, show).await
    }

    /// Removes every message of a local queue that nobody has open.
    pub async fn clear_queue(&self, caller: &Principal, name: &QueueName) -> Result<(), ObjectError> {
        let engine = self.engine();
        authorise(engine, caller, AuthorityObject::Queue, name, Authority::CLEAR)?;
        let _change = engine.changes.take().await;
        let queue = engine.queue(name).ok_or_else(|| ObjectError::not_found(name.as_str()))?;
        if !queue.is_local() {
            return Err(ObjectError::WrongType { name: name.to_string() });
        }
        let is_open = queue.in_use.lock().handles > 0
            || handles::elsewhere(engine, queue.id).await.map_err(ObjectError::Reason)? > OpenLevel::Closed;
        if is_open {
            return Err(ObjectError::InUse { name: name.to_string() });
        }
        match engine.store.clear(queue.id).await {
            Ok(_) => {
                note_purge(engine, &queue);
                engine.look_at_shared_triggers(&queue, Why::Look);
                if engine.events.performance() {
                    event::performance::after_get(engine, &queue, false, engine.now()).await;
                }
                Ok(())
            }
            Err(StoreError::Uncommitted) => Err(ObjectError::InUse { name: name.to_string() }),
            Err(error) => Err(ObjectError::Reason(reason::of_store_at_large(engine, &error))),
        }
    }
}

/// There is a queue of that name.
fn refused_to_define(queue: &Queue, definition: &QueueDefinition) -> ObjectError {
    let name = queue.name.to_string();
    let is_same = queue.definition().disposition == definition.disposition;
    if is_same { ObjectError::AlreadyExists { name } } else { ObjectError::Disposition { name } }
}

/// For statistics.
fn note_purge(engine: &Engine, queue: &Queue) {
    engine.statistics.purged();
    if let Some(figures) = queue.figures.get() {
        figures.purged();
        figures.note_depth(queue.depth());
    }
    queue.watched(|counts| counts.purges += 1);
}

/// Where the messages of a new queue go. `structure`: of a shared queue.
///
/// # Errors
/// Of a shared queue, `CfNotAvailable` (2345) and the like.
pub(crate) async fn new_store_id(engine: &Engine, structure: Option<&ObjectName>) -> Result<QueueId, Reason> {
    let Some(structure) = structure else { return Ok(engine.store.create_queue()) };
    let created = engine.store.create_shared_queue(structure.as_str()).await;
    created.map_err(|error| reason::of_store_at_large(engine, &error))
}

pub(crate) fn check(engine: &Engine, definition: &QueueDefinition) -> Result<(), ObjectError> {
    if definition.name.is_blank() {
        return Err(ObjectError::Reason(Reason::ObjectNameError));
    }
    check_attributes(definition.name.as_str(), View::Queue(definition, None))?;
    disposition::check(engine, definition)
}

/// A message that cannot be read back is one that the operator has not given up yet.
fn check_emptiness(engine: &Engine, queue: &Queue, purge: bool) -> Result<(), ObjectError> {
    let depth = engine.store.depth(queue.id);
    if depth.uncommitted > 0 {
        return Err(ObjectError::InUse { name: queue.name.to_string() });
    }
    // Of a shared queue in a database, the database says it.
    let is_known = !queue.id.is_shared() || engine.store.shared().is_none();
    if is_known && depth.current + depth.quarantined > 0 && !purge {
        return Err(ObjectError::NotEmpty { name: queue.name.to_string() });
    }
    Ok(())
}

/// The caller holds the lock on changes, and gives it up before it looks at what triggering calls for: a trigger may
/// change definitions too.
async fn replace_definition<'a>(
    engine: &'a Engine,
    queue: &'a Arc<Queue>,
    mut definition: QueueDefinition,
    force: bool,
) -> Result<Triggering<'a>, ObjectError> {
    let before = queue.definition();
    let name = || queue.name.to_string();
    if std::mem::discriminant(&before.kind) != std::mem::discriminant(&definition.kind) {
        return Err(ObjectError::WrongType { name: name() });
    }
    disposition::check_replacement(&before, &definition)?;
    definition.history = History { created: before.history.created, altered: engine.now() };
    if let (Some(old), Some(new)) = (before.as_local(), definition.as_local_mut()) {
        if old.moving.is_some() {
            return Err(ObjectError::InUse { name: name() });
        }
        new.store_id = old.store_id;
        new.moving = None;
        new.definition_type = old.definition_type;
        if new.usage != old.usage && queue.depth() > 0 {
            return Err(ObjectError::NotEmpty { name: name() });
        }
    }
    let breaks_handles = concerns_open_handles(queue, &before, &definition)
        || concerns_handles_elsewhere(engine, queue, &before, &definition).await?;
    if breaks_handles && !force {
        return Err(ObjectError::InUse { name: name() });
    }
    let triggering = Triggering::before(engine, queue);
    let changes = definitions::changes_of_queue(queue, &definition);
    let show = || {
        engine.show_queue(queue, definition);
        if breaks_handles {
            queue.forced_changes.fetch_add(1, Ordering::AcqRel);
        }
        // As `definitions::change_queue`, but behind what breaks handles.
        definitions::wake_waiters(engine, queue, &before);
    };
    definitions::keep_queue(engine, before.disposition, changes, show).await?;
    Ok(triggering)
}

/// Looks at what is on the queue once triggering begins. Dropped before that, housekeeping does; and once more, if it is
/// dropped while its trigger message is being put.
pub(crate) struct Triggering<'a> {
    engine: &'a Engine,
    queue: &'a Arc<Queue>,
    was_enabled: bool,
}

impl<'a> Triggering<'a> {
    /// To be made before the definition changes.
    pub(crate) fn before(engine: &'a Engine, queue: &'a Arc<Queue>) -> Self {
        Self { engine, queue, was_enabled: trigger::is_enabled(queue) }
    }

    fn has_begun(&self) -> bool {
        !self.was_enabled && trigger::is_enabled(self.queue)
    }

    /// When the definition is changed, without the lock on changes.
    pub(crate) async fn look(mut self) {
        if self.has_begun() {
            trigger::switched_on(self.engine, self.queue).await;
        }
        self.was_enabled = true;
    }
}

impl Drop for Triggering<'_> {
    fn drop(&mut self) {
        if self.has_begun() {
            self.engine.left_over.push(Work::TriggeringBegun(self.queue.clone()));
        }
    }
}

/// As `concerns_open_handles`, for those of other members.
async fn concerns_handles_elsewhere(
    engine: &Engine,
    queue: &Queue,
    before: &QueueDefinition,
    after: &QueueDefinition,
) -> Result<bool, ObjectError> {
    let (Some(old), Some(new)) = (before.as_local(), after.as_local()) else { return Ok(false) };
    let (changes_usage, ends_sharing) = (old.usage != new.usage, old.shareable && !new.shareable);
    if !queue.id.is_shared() || !changes_usage && !ends_sharing {
        return Ok(false);
    }
    let level = handles::elsewhere(engine, queue.id).await.map_err(ObjectError::Reason)?;
    let has_input = level >= OpenLevel::Input;
    Ok(changes_usage && level > OpenLevel::Closed || ends_sharing && has_input && queue.in_use.lock().input > 0)
}

/// Changes that open handles would not survive; they need FORCE.
///
/// Source: MQ reference, "ALTER queues", FORCE, 9.3.
pub(crate) fn concerns_open_handles(queue: &Queue, before: &QueueDefinition, after: &QueueDefinition) -> bool {
    let in_use = *queue.in_use.lock();
    if in_use.handles == 0 {
        return false;
    }
    match (&before.kind, &after.kind) {
        (QueueKind::Local(old), QueueKind::Local(new)) => {
            old.usage != new.usage || old.shareable && !new.shareable && in_use.input > 1
        }
        (QueueKind::Alias(old), QueueKind::Alias(new)) => {
            old.target != new.target || old.target_type != new.target_type
        }
        (QueueKind::Remote(old), QueueKind::Remote(new)) => {
            old.remote_queue != new.remote_queue
                || old.remote_queue_manager != new.remote_queue_manager
                || old.transmission_queue != new.transmission_queue
        }
        _ => false,
    }
}

impl Engine {
    /// Makes a queue findable by name.
    pub(crate) fn add_queue(&self, queue: Arc<Queue>) {
        if let Some(initiation_queue) = initiation_queue(&queue) {
            self.initiation_queues.write().insert(initiation_queue);
        }
        if self.overrides.note(&queue) {
            collection::changed(self);
        }
        if let Some(group) = self.group.as_ref().filter(|_| queue.id.is_shared()) {
            group.queues.write().insert(queue.id, Arc::clone(&queue));
            self.follow_move(&queue);
        }
        self.queues.write().insert(queue.name, queue);
        self.order.forget();
    }

    /// The store gives out no work on a shared queue that moves.
    fn follow_move(&self, queue: &Queue) {
        if queue.id.is_shared() && queue.is_local() {
            self.store.suspend_queue(queue.id, queue.with_local(|_, local| local.is_in_transit()));
        }
    }

    pub(crate) fn remove_queue(&self, queue: &Queue) {
        if let Some(group) = self.group.as_ref().filter(|_| queue.id.is_shared()) {
            group.queues.write().remove(&queue.id);
        }
        self.queues.write().remove(&queue.name);
        self.former_traffic.add(queue.counters.traffic());
        self.statistics.queue_deleted(queue.take_figures());
        self.order.forget();
    }

    /// Shows a changed definition to everybody.
    pub(crate) fn show_queue(&self, queue: &Queue, definition: QueueDefinition) {
        queue.set_definition(definition);
        if self.overrides.note(queue) {
            collection::changed(self);
        }
        self.follow_move(queue);
        self.order.changed(queue);
        if let Some(initiation_queue) = initiation_queue(queue) {
            self.initiation_queues.write().insert(initiation_queue);
        }
    }
}

/// The queue that trigger messages go to, while triggering is on.
fn initiation_queue(queue: &Queue) -> Option<QueueName> {
    let of = |local: &LocalQueue| {
        (local.trigger.enabled && !local.initiation_queue.is_blank()).then_some(local.initiation_queue)
    };
    queue.with(|definition| definition.as_local().and_then(of))
}
