//! Queues with QSGDISP(GROUP): defined once for the group, and copied to each member, where programs open the copy.
//!
//! A copy is made anew whenever the group's definition changes, and deleted with it if it holds no message. A queue of the
//! member's own of the same name stays as it is.

use std::sync::Arc;

use model::authority::{Authority, AuthorityObject, Principal};
use model::definition::queue::{DefinitionType, Disposition};
use model::definition::{History, QueueDefinition};
use model::name::QueueName;
use storage::shared::GroupDisposition;
use tracing::{info, warn};

use crate::QueueManager;
use crate::definition::objects::{ObjectError, authorise, authority_to_define};
use crate::definition::queue_objects;
use crate::group::{Group, definitions};

impl QueueManager {
    /// The group's definition of a queue; no program opens it.
    pub fn group_queue(&self, name: &QueueName) -> Option<Arc<QueueDefinition>> {
        self.engine().group.as_ref()?.definitions.queue(name)
    }

    /// The group's definitions of queues, sorted by name.
    pub fn group_queues(&self) -> Vec<Arc<QueueDefinition>> {
        self.engine().group.as_ref().map(|group| group.definitions.queues()).unwrap_or_default()
    }

    /// Makes the group's definition, and the copy of it.
    ///
    /// # Errors
    /// Those of `define_queue`, and `NotInGroup`.
    pub async fn define_group_queue(
        &self,
        caller: &Principal,
        mut definition: QueueDefinition,
        replace: bool,
    ) -> Result<(), ObjectError> {
        let engine = self.engine();
        let name = definition.name;
        definition.disposition = Disposition::Group;
        queue_objects::check(engine, &definition)?;
        let group = engine.group.as_ref().ok_or(ObjectError::NotInGroup)?;
        let change = engine.changes.take().await;
        let before = group.definitions.queue(&name);
        authorise(engine, caller, AuthorityObject::Queue, &name, authority_to_define(before.is_some(), replace))?;
        if let Some(before) = &before {
            if !replace {
                return Err(ObjectError::already_exists(name.as_str()));
            }
            check_same_kind(before, &definition)?;
        }
        let now = engine.now();
        let created = before.map_or(now, |before| before.history.created);
        definition.history = History { created, altered: now };
        self.keep(group, definition).await?;
        drop(change);
        self.copy_again(caller, &name).await;
        Ok(())
    }

    /// `change` is given the group's definition as it is; the copy follows.
    ///
    /// # Errors
    /// Those of `change_queue`, and `NotInGroup`.
    pub async fn change_group_queue<E: From<ObjectError>>(
        &self,
        caller: &Principal,
        name: &QueueName,
        change: impl FnOnce(&mut QueueDefinition) -> Result<(), E>,
    ) -> Result<(), E> {
        let engine = self.engine();
        authorise(engine, caller, AuthorityObject::Queue, name, Authority::CHANGE)?;
        let group = engine.group.as_ref().ok_or(ObjectError::NotInGroup)?;
        let turn = engine.changes.take().await;
        let before = group.definitions.queue(name).ok_or_else(|| ObjectError::not_found(name.as_str()))?;
        let mut definition = (*before).clone();
        change(&mut definition)?;
        queue_objects::check(engine, &definition)?;
        check_same_kind(&before, &definition)?;
        definition.history = History { created: before.history.created, altered: engine.now() };
        self.keep(group, definition).await?;
        drop(turn);
        self.copy_again(caller, name).await;
        Ok(())
    }

    /// Deletes the group's definition, and the copy if it holds no message.
    ///
    /// # Errors
    /// `NotFound`, `NotAuthorized`, `NotInGroup`.
    pub async fn delete_group_queue(&self, caller: &Principal, name: &QueueName) -> Result<(), ObjectError> {
        let engine = self.engine();
        authorise(engine, caller, AuthorityObject::Queue, name, Authority::DELETE)?;
        let group = engine.group.as_ref().ok_or(ObjectError::NotInGroup)?;
        let turn = engine.changes.take().await;
        if group.definitions.queue(name).is_none() {
            return Err(ObjectError::not_found(name.as_str()));
        }
        let forget = || group.definitions.forget(name);
        definitions::keep(engine, GroupDisposition::Group, definitions::delete(name), forget).await?;
        drop(turn);
        self.copy_follows(caller, name).await;
        Ok(())
    }

    /// The group's definition of that name was changed or deleted, here or by another member.
    pub(super) async fn copy_follows(&self, caller: &Principal, name: &QueueName) {
        if self.group_queue(name).is_some() {
            self.copy_again(caller, name).await;
        } else if self.disposition_of(name) == Some(Disposition::Copy)
            && let Err(error) = self.delete_queue(caller, name, false).await
        {
            warn!(queue = name.as_str(), %error, "the copy of a deleted group definition stays");
        }
    }

    /// Makes the member's copy of a group definition anew.
    ///
    /// # Errors
    /// `NotFound`: the group has no such definition. Those of `define_queue`.
    pub async fn define_copy(
        &self,
        caller: &Principal,
        copy: QueueDefinition,
        replace: bool,
    ) -> Result<(), ObjectError> {
        let name = copy.name;
        let master = self.group_queue(&name).ok_or_else(|| ObjectError::not_found(name.as_str()))?;
        check_same_kind(&master, &copy)?;
        self.define_queue(caller, copy, replace).await
    }

    /// What the member's queue of that name is.
    fn disposition_of(&self, name: &QueueName) -> Option<Disposition> {
        self.queue(name).map(|queue| queue.disposition)
    }

    async fn keep(&self, group: &Group, definition: QueueDefinition) -> Result<(), ObjectError> {
        let save = definitions::save(&definition);
        let show = || group.definitions.show(definition);
        definitions::keep(self.engine(), GroupDisposition::Group, save, show).await
    }

    async fn copy_again(&self, caller: &Principal, name: &QueueName) {
        let Some(master) = self.group_queue(name) else { return };
        if self.disposition_of(name).is_some_and(|disposition| disposition != Disposition::Copy) {
            info!(
                queue = name.as_str(),
                "a group definition is not copied: the queue manager has a queue of that name"
            );
            return;
        }
        if let Err(error) = self.define_queue(caller, copy_of(&master), true).await {
            warn!(queue = name.as_str(), %error, "the copy of a group definition could not be made");
        }
    }
}

/// What a member makes of a group definition.
fn copy_of(master: &QueueDefinition) -> QueueDefinition {
    let mut copy = master.clone();
    copy.disposition = Disposition::Copy;
    if let Some(local) = copy.as_local_mut() {
        local.definition_type = DefinitionType::Predefined;
        local.store_id = 0;
    }
    copy
}

fn check_same_kind(before: &QueueDefinition, after: &QueueDefinition) -> Result<(), ObjectError> {
    if std::mem::discriminant(&before.kind) == std::mem::discriminant(&after.kind) {
        return Ok(());
    }
    Err(ObjectError::WrongType { name: before.name.to_string() })
}
