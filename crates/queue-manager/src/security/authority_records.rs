//! Authority records and questions about authority, for commands and doors. What a record means is decided in
//! `authority.rs`.
//!
//! Invariant: a record is on disk before it counts.

use std::sync::Arc;

use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity, Principal};
use model::name::ObjectName;

use crate::QueueManager;
use crate::definition::definitions;
use crate::definition::objects::{ObjectError, authorise};
use crate::engine::Engine;
use crate::security::authority;

impl QueueManager {
    /// Sorted by object type, profile and entity.
    pub fn authority_records(&self) -> Vec<AuthorityRecord> {
        self.engine().authorities.records()
    }

    /// The record of exactly this profile, object type and entity.
    pub fn authority_record(&self, object: AuthorityObject, profile: &str, entity: &Entity) -> Option<AuthorityRecord> {
        self.engine().authorities.record(object, profile, entity)
    }

    /// Replaces the record of the same profile, object type and entity. One that grants nothing counts too.
    pub async fn set_authority(&self, caller: &Principal, record: AuthorityRecord) -> Result<(), ObjectError> {
        let engine = self.engine();
        authorise(engine, caller, AuthorityObject::QueueManager, &engine.name, Authority::CHANGE)?;
        let _change = engine.changes.take().await;
        let save = definitions::save_authority(&record);
        engine.save_and_show(vec![save], || engine.authorities.set(record)).await
    }

    /// Adds to and takes from what a record grants, and makes it when there is none. What is in both is taken away.
    ///
    /// Returns the record before and after.
    pub async fn change_authority(
        &self,
        caller: &Principal,
        record: AuthorityRecord,
        remove: Authority,
    ) -> Result<(Option<AuthorityRecord>, AuthorityRecord), ObjectError> {
        let engine = self.engine();
        authorise(engine, caller, AuthorityObject::QueueManager, &engine.name, Authority::CHANGE)?;
        let _change = engine.changes.take().await;
        let before = engine.authorities.record(record.object, &record.profile, &record.entity);
        let has = before.as_ref().map_or(Authority::empty(), |before| before.authorities);
        let after = AuthorityRecord { authorities: (has | record.authorities) - remove, ..record };
        let save = definitions::save_authority(&after);
        engine.save_and_show(vec![save], || engine.authorities.set(after.clone())).await?;
        Ok((before, after))
    }

    /// Deletes the record of exactly this profile, object type and entity, and returns it.
    ///
    /// # Errors
    /// `NotFound`: there is none.
    pub async fn delete_authority(
        &self,
        caller: &Principal,
        object: AuthorityObject,
        profile: &str,
        entity: &Entity,
    ) -> Result<AuthorityRecord, ObjectError> {
        let engine = self.engine();
        authorise(engine, caller, AuthorityObject::QueueManager, &engine.name, Authority::CHANGE)?;
        let _change = engine.changes.take().await;
        let record = engine.authorities.record(object, profile, entity);
        let record = record.ok_or_else(|| ObjectError::not_found(profile))?;
        let delete = definitions::delete_authority(&record);
        engine.save_and_show(vec![delete], || engine.authorities.remove(&record)).await?;
        Ok(record)
    }

    /// Removes the records that name exactly this object, which its deletion asked for. The deletion was authorised, so
    /// this is not; while an object of that name exists, nothing happens.
    pub async fn forget_authorities(&self, object: AuthorityObject, name: &ObjectName) -> Result<(), ObjectError> {
        let engine = self.engine();
        let _change = engine.changes.take().await;
        let records = engine.authorities.of_profile(object, name.as_str());
        if records.is_empty() || self.exists(object, name) {
            return Ok(());
        }
        let deletions = records.iter().map(definitions::delete_authority).collect();
        let show = || records.iter().for_each(|record| engine.authorities.remove(record));
        engine.save_and_show(deletions, show).await
    }

    /// Whether `principal` may do all of `wanted` to an object; for doors and commands that ask before they act, and
    /// leave out what may not be seen.
    pub fn is_authorised(
        &self,
        principal: &Principal,
        object: AuthorityObject,
        name: &ObjectName,
        wanted: Authority,
    ) -> bool {
        self.engine().authorities.granted(principal, object, name).contains(wanted)
    }

    /// As `is_authorised`, for what is refused when it is not: the refusal is logged.
    ///
    /// # Errors
    /// `NotAuthorized`, with what is missing.
    pub fn authorise(
        &self,
        caller: &Principal,
        object: AuthorityObject,
        name: &ObjectName,
        wanted: Authority,
    ) -> Result<(), ObjectError> {
        authorise(self.engine(), caller, object, name, wanted)
    }

    /// What one user or group by itself may do to an object.
    pub fn entity_authority(&self, entity: &Entity, object: AuthorityObject, name: &ObjectName) -> Authority {
        let principal = match entity {
            Entity::Principal(user) => Principal::user(user),
            Entity::Group(group) => Principal {
                groups: Arc::from([Arc::from(group.as_str())]),
                // No user has an empty name.
                ..Principal::user("")
            },
        };
        let granted = self.engine().authorities.granted(&principal, object, name);
        if granted.is_all() { object.all_authorities() } else { granted }
    }

    /// Whether a profile, generic or not, is one for objects of this name.
    pub fn profile_matches(profile: &str, name: &str) -> bool {
        authority::profile_matches(profile, name)
    }

    /// Why no record can be made with this profile.
    pub fn profile_problem(profile: &str) -> Option<&'static str> {
        authority::profile_problem(profile)
    }

    /// Whether there is an object of that type and name.
    pub fn exists(&self, object: AuthorityObject, name: &ObjectName) -> bool {
        let engine: &Engine = self.engine();
        match object {
            AuthorityObject::QueueManager => *name == engine.name,
            AuthorityObject::Queue => engine.queue(name).is_some(),
            AuthorityObject::Topic => engine.topic(name).is_some(),
            AuthorityObject::Channel
            | AuthorityObject::ClientChannel
            | AuthorityObject::Listener
            | AuthorityObject::Process
            | AuthorityObject::NameList
            | AuthorityObject::AuthenticationInformation
            | AuthorityObject::Service
            | AuthorityObject::CommunicationInformation
            | AuthorityObject::Structure => self.object(object, name).is_some(),
            // A name, not an object.
            AuthorityObject::RemoteQueueManager => true,
        }
    }
}
