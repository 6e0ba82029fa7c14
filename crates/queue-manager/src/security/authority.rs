//! Authority: may this principal do this to that object? One function decides, for every door, at connect, open, put1
//! and for every command.
//!
//! Administrators pass. For anybody else each entity (the user, each of the groups) counts with the most specific of its
//! profiles that matches the object's name; what the entities may do is added up. A record that grants nothing counts
//! like any other: it takes away what a less specific profile of the same entity grants.
//! Decisions are remembered until a record changes.
//!
//! Source: MQ security, "Using OAM generic profiles", "Profile priorities", 9.3.

mod profile;
mod refusal;

use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::sync::Arc;

use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity, Principal};
use model::name::ObjectName;
use model::reason::Reason;
use parking_lot::RwLock;

use crate::engine::Engine;
use crate::engine::map::Map;

pub(crate) use profile::{matches as profile_matches, problem as profile_problem};

/// The records, and decisions made by them.
#[derive(Default)]
pub(crate) struct Authorities {
    records: RwLock<BTreeMap<RecordKey, AuthorityRecord>>,
    decisions: RwLock<Map<u64, Decision>>,
    hasher: foldhash::fast::RandomState,
    refusals: refusal::Refusals,
    /// The user the server runs as.
    pub(crate) server_user: Arc<str>,
}

/// Which record: at most one each.
type RecordKey = (AuthorityObject, String, Entity);

struct Decision {
    principal: Principal,
    object: AuthorityObject,
    name: ObjectName,
    granted: Authority,
}

/// Most decisions remembered; beyond it they are made anew.
const MAXIMUM_DECISIONS: usize = 10_000;

impl Authorities {
    pub(crate) fn new(server_user: &str, records: impl IntoIterator<Item = AuthorityRecord>) -> Self {
        let records = records.into_iter().map(|record| (key(&record), record)).collect();
        Self { server_user: server_user.into(), records: RwLock::new(records), ..Self::default() }
    }

    pub(crate) fn records(&self) -> Vec<AuthorityRecord> {
        self.records.read().values().cloned().collect()
    }

    /// The record of exactly this profile, object type and entity.
    pub(crate) fn record(&self, object: AuthorityObject, profile: &str, entity: &Entity) -> Option<AuthorityRecord> {
        self.records.read().get(&(object, profile.to_owned(), entity.clone())).cloned()
    }

    /// The records whose profile is exactly this name.
    pub(crate) fn of_profile(&self, object: AuthorityObject, profile: &str) -> Vec<AuthorityRecord> {
        let records = self.records.read();
        records.values().filter(|record| record.object == object && record.profile == profile).cloned().collect()
    }

    /// Replaces the record of the same profile, object type and entity.
    pub(crate) fn set(&self, record: AuthorityRecord) {
        let mut records = self.records.write();
        records.insert(key(&record), record);
        // While the records are locked nobody can remember a decision made by the old ones.
        self.decisions.write().clear();
    }

    pub(crate) fn remove(&self, record: &AuthorityRecord) {
        let mut records = self.records.write();
        records.remove(&key(record));
        self.decisions.write().clear();
    }

    /// What `principal` may do to the object.
    pub(crate) fn granted(&self, principal: &Principal, object: AuthorityObject, name: &ObjectName) -> Authority {
        if self.is_administrator(principal) {
            return Authority::all();
        }
        let hash = self.hasher.hash_one((principal, object, name));
        if let Some(decision) = self.decisions.read().get(&hash)
            && decision.object == object
            && decision.name == *name
            && decision.principal == *principal
        {
            return decision.granted;
        }
        let records = self.records.read();
        let granted = decide(&records, principal, object, name.as_str());
        let mut decisions = self.decisions.write();
        if decisions.len() >= MAXIMUM_DECISIONS {
            decisions.clear();
        }
        decisions.insert(hash, Decision { principal: principal.clone(), object, name: *name, granted });
        granted
    }

    pub(crate) fn is_administrator(&self, principal: &Principal) -> bool {
        principal.is_administrator
            || principal.user == self.server_user
            || principal.groups.iter().any(|group| &**group == "mqm")
    }

    /// The profile of the principal itself that applies to the object.
    fn profile_of(&self, principal: &Principal, object: AuthorityObject, name: &str) -> Option<String> {
        let records = self.records.read();
        let is_own = |entity: &Entity| matches!(entity, Entity::Principal(user) if **user == *principal.user);
        records
            .values()
            .filter(|record| {
                record.object == object && is_own(&record.entity) && profile_matches(&record.profile, name)
            })
            .min_by(|a, b| profile::specificity(&a.profile, &b.profile))
            .map(|record| record.profile.clone())
    }

    /// What the maker of an object is granted; an administrator needs no record.
    pub(crate) fn of_maker(
        &self,
        principal: &Principal,
        object: AuthorityObject,
        name: &ObjectName,
    ) -> Option<AuthorityRecord> {
        if self.is_administrator(principal) {
            return None;
        }
        let entity = Entity::Principal(principal.user.to_string());
        // Whether more of its kind may be made is not a matter of this object.
        let authorities = object.all_authorities() - Authority::CREATE;
        Some(AuthorityRecord { profile: name.to_string(), object, entity, authorities })
    }
}

fn key(record: &AuthorityRecord) -> RecordKey {
    (record.object, record.profile.clone(), record.entity.clone())
}

/// The check of open, put1, connect and commands: every bit of `wanted` must be granted.
///
/// # Errors
/// `NotAuthorized` (2035), with a log line that says who lacks what, and how to grant it.
pub(crate) fn check(
    engine: &Engine,
    principal: &Principal,
    object: AuthorityObject,
    name: &ObjectName,
    wanted: Authority,
) -> Result<(), Reason> {
    let missing = wanted - engine.authorities.granted(principal, object, name);
    if missing.is_empty() {
        return Ok(());
    }
    refusal::log(engine, principal, object, name, missing);
    Err(Reason::NotAuthorized)
}

fn decide(
    records: &BTreeMap<RecordKey, AuthorityRecord>,
    principal: &Principal,
    object: AuthorityObject,
    name: &str,
) -> Authority {
    let of_object = || records.values().filter(|record| record.object == object);
    let matching: Vec<&AuthorityRecord> = of_object().filter(|record| profile_matches(&record.profile, name)).collect();
    // Authority to create may be granted for the whole class, whatever the name.
    let class: Vec<&AuthorityRecord> = of_object().filter(|record| record.profile == AuthorityRecord::CLASS).collect();
    let of = |is_entity: &dyn Fn(&Entity) -> bool| {
        let own = matching
            .iter()
            .filter(|record| is_entity(&record.entity))
            .min_by(|a, b| profile::specificity(&a.profile, &b.profile))
            .map_or(Authority::empty(), |record| record.authorities);
        let create = class.iter().filter(|record| is_entity(&record.entity));
        create.fold(own, |all, record| all | (record.authorities & Authority::CREATE))
    };
    let mut granted = of(&|entity| matches!(entity, Entity::Principal(user) if **user == *principal.user));
    for group in principal.groups.iter() {
        granted |= of(&|entity| matches!(entity, Entity::Group(name) if **name == **group));
    }
    granted
}

#[cfg(test)]
mod tests;
