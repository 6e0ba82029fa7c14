//! Definitions with QSGDISP(GROUP): made once for the group, and copied to each member, where programs use the copy.
//!
//! A copy is made anew whenever the group's definition changes, and deleted with it if it is a queue that holds no message, or no
//! queue. An object of the member's own of the same name stays as it is. What differs between queues, topics and other objects is in
//! `master.rs`.

use std::sync::Arc;

use model::authority::{Authority, AuthorityObject, Principal};
use model::definition::queue::Disposition;
use model::definition::{History, QueueDefinition};
use model::name::{ObjectName, QueueName};
use storage::shared::GroupDisposition;
use tracing::{info, warn};

use crate::QueueManager;
use crate::definition::objects::{ObjectError, authorise, authority_to_define};
use crate::group::master::{Key, Master};
use crate::group::{Group, definitions};

impl QueueManager {
    /// The group's definition; no program opens it.
    pub fn master(&self, family: AuthorityObject, name: &ObjectName) -> Option<Arc<Master>> {
        self.engine().group.as_ref()?.definitions.master((family, *name))
    }

    /// The group's definitions of a family, sorted by name.
    pub fn masters(&self, family: AuthorityObject) -> Vec<Arc<Master>> {
        self.engine().group.as_ref().map(|group| group.definitions.masters(family)).unwrap_or_default()
    }

    /// The group's definition of a queue.
    pub fn group_queue(&self, name: &QueueName) -> Option<QueueDefinition> {
        self.master(AuthorityObject::Queue, name)?.as_queue().cloned()
    }

    /// Makes the group's definition, and the copy of it.
    ///
    /// # Errors
    /// Those of defining an object of the member's own, and `NotInGroup`.
    pub async fn define_master(
        &self,
        caller: &Principal,
        mut definition: Master,
        replace: bool,
    ) -> Result<(), ObjectError> {
        let engine = self.engine();
        let key = definition.key();
        definition.set_disposition(Disposition::Group);
        let group = engine.group.as_ref().ok_or(ObjectError::NotInGroup)?;
        definition.check(engine)?;
        let change = engine.changes.take().await;
        let before = group.definitions.master(key);
        authorise(engine, caller, key.0, &key.1, authority_to_define(before.is_some(), replace))?;
        if let Some(before) = &before {
            if !replace {
                return Err(ObjectError::already_exists(key.1.as_str()));
            }
            before.check_same_kind(&definition)?;
        }
        let now = engine.now();
        let created = before.map_or(now, |before| before.created());
        definition.set_history(History { created, altered: now });
        self.keep(group, definition).await?;
        drop(change);
        self.copy_again(caller, key).await;
        Ok(())
    }

    /// `change` is given the group's definition as it is; the copy follows.
    ///
    /// # Errors
    /// Those of changing an object of the member's own, and `NotInGroup`.
    pub async fn change_master<E: From<ObjectError>>(
        &self,
        caller: &Principal,
        family: AuthorityObject,
        name: &ObjectName,
        change: impl FnOnce(&mut Master) -> Result<(), E>,
    ) -> Result<(), E> {
        let engine = self.engine();
        authorise(engine, caller, family, name, Authority::CHANGE)?;
        let group = engine.group.as_ref().ok_or(ObjectError::NotInGroup)?;
        let turn = engine.changes.take().await;
        let before = group.definitions.master((family, *name)).ok_or_else(|| ObjectError::not_found(name.as_str()))?;
        let mut definition = (*before).clone();
        change(&mut definition)?;
        definition.check(engine)?;
        before.check_same_kind(&definition)?;
        definition.set_history(History { created: before.created(), altered: engine.now() });
        self.keep(group, definition).await?;
        drop(turn);
        self.copy_again(caller, (family, *name)).await;
        Ok(())
    }

    /// Deletes the group's definition, and the copy unless it is a queue that holds messages.
    ///
    /// # Errors
    /// `NotFound`, `NotAuthorized`, `NotInGroup`.
    pub async fn delete_master(
        &self,
        caller: &Principal,
        family: AuthorityObject,
        name: &ObjectName,
    ) -> Result<(), ObjectError> {
        let engine = self.engine();
        let key = (family, *name);
        authorise(engine, caller, family, name, Authority::DELETE)?;
        let group = engine.group.as_ref().ok_or(ObjectError::NotInGroup)?;
        let turn = engine.changes.take().await;
        let master = group.definitions.master(key).ok_or_else(|| ObjectError::not_found(name.as_str()))?;
        let forget = || group.definitions.forget(key);
        definitions::keep(engine, GroupDisposition::Group, master.delete(), forget).await?;
        drop(turn);
        self.copy_follows(caller, key).await;
        Ok(())
    }

    /// The group's definition of that name was changed or deleted, here or by another member.
    pub(super) async fn copy_follows(&self, caller: &Principal, key: Key) {
        if self.master(key.0, &key.1).is_some() {
            self.copy_again(caller, key).await;
        } else if self.disposition_of(key) == Some(Disposition::Copy)
            && let Err(error) = self.delete_own(caller, key).await
        {
            warn!(object = key.1.as_str(), %error, "the copy of a deleted group definition stays");
        }
    }

    /// Makes the member's copy of a group definition anew.
    ///
    /// # Errors
    /// `NotFound`: the group has no such definition. Those of defining an object of the member's own.
    pub async fn define_copy(&self, caller: &Principal, copy: Master, replace: bool) -> Result<(), ObjectError> {
        let (family, name) = copy.key();
        let master = self.master(family, &name).ok_or_else(|| ObjectError::not_found(name.as_str()))?;
        master.check_same_kind(&copy)?;
        self.define_own(caller, copy, replace).await
    }

    async fn keep(&self, group: &Group, definition: Master) -> Result<(), ObjectError> {
        let save = definition.save();
        let show = || group.definitions.show(definition);
        definitions::keep(self.engine(), GroupDisposition::Group, save, show).await
    }

    async fn copy_again(&self, caller: &Principal, key: Key) {
        let Some(master) = self.master(key.0, &key.1) else { return };
        let object = key.1.as_str();
        if self.disposition_of(key).is_some_and(|disposition| disposition != Disposition::Copy) {
            info!(object, "a group definition is not copied: the queue manager has an object of that name");
            return;
        }
        if let Err(error) = self.define_own(caller, master.copy(), true).await {
            warn!(object, %error, "the copy of a group definition could not be made");
        }
    }
}
