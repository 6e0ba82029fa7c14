//! Authority: may this principal do this to that object? One function decides, for every door, at connect, open, put1
//! and for every command.
//!
//! Administrators pass. For anybody else each entity (the user, each of the groups) counts with the most specific of its
//! profiles that matches the object's name; what the entities may do is added up. A record that grants nothing counts
//! like any other: it takes away what a less specific profile of the same entity grants.
//! Decisions are remembered until a record changes. `decide` may be watched (`Witness`): an explanation is the trace of the
//! decision itself, never a second one.
//!
//! Source: MQ security, "Using OAM generic profiles", "Profile priorities", 9.3.

pub mod decision;
mod profile;
mod refusal;

use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity, Principal};
use model::name::ObjectName;
use model::reason::Reason;
use parking_lot::RwLock;

use crate::ConnectOptions;
use crate::engine::Engine;
use crate::engine::map::Map;
use crate::security::authority::decision::{AdministratorBy, Basis, Decision, Trace, Witness};
use crate::security::recent::Way;

pub(crate) use profile::{matches as profile_matches, problem as profile_problem};

/// The records, and decisions made by them.
#[derive(Default)]
pub(crate) struct Authorities {
    records: RwLock<BTreeMap<RecordKey, AuthorityRecord>>,
    decisions: RwLock<Map<u64, Remembered>>,
    hasher: foldhash::fast::RandomState,
    /// Changes of the records.
    version: AtomicU64,
    refusals: refusal::Refusals,
    /// The user the server runs as.
    pub(crate) server_user: Arc<str>,
}

/// Which record: at most one each.
type RecordKey = (AuthorityObject, String, Entity);

struct Remembered {
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
        self.forget_decisions();
    }

    pub(crate) fn remove(&self, record: &AuthorityRecord) {
        let mut records = self.records.write();
        records.remove(&key(record));
        self.forget_decisions();
    }

    /// While the records are locked nobody can remember a decision made by the old ones.
    fn forget_decisions(&self) {
        self.version.fetch_add(1, Ordering::AcqRel);
        self.decisions.write().clear();
    }

    /// Another number after each change of the records.
    pub(crate) fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// What `granted` says of each of many objects. Nothing is remembered: they may be more than there is room for.
    pub(crate) fn granted_each<'n>(
        &self,
        principal: &Principal,
        object: AuthorityObject,
        names: impl Iterator<Item = &'n ObjectName>,
    ) -> impl Iterator<Item = Authority> {
        let is_administrator = self.is_administrator(principal);
        let counts = |entity: &Entity| match entity {
            Entity::Principal(user) => **user == *principal.user,
            Entity::Group(group) => principal.groups.iter().any(|own| **own == **group),
        };
        let all = self.records.read();
        let own = all.iter().filter(|((of, _, entity), _)| *of == object && counts(entity));
        let own: BTreeMap<_, _> = own.map(|(key, record)| (key.clone(), record.clone())).collect();
        drop(all);
        names.map(move |name| match is_administrator {
            true => Authority::all(),
            false => decide(&own, principal, object, name.as_str(), &mut ()),
        })
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
        let granted = decide(&records, principal, object, name.as_str(), &mut ());
        let mut decisions = self.decisions.write();
        if decisions.len() >= MAXIMUM_DECISIONS {
            decisions.clear();
        }
        decisions.insert(hash, Remembered { principal: principal.clone(), object, name: *name, granted });
        granted
    }

    pub(crate) fn is_administrator(&self, principal: &Principal) -> bool {
        principal.is_administrator
            || principal.user == self.server_user
            || principal.groups.iter().any(|group| &**group == "mqm")
    }

    /// What makes the principal an administrator, if anything does.
    fn administrator_by(&self, principal: &Principal) -> Option<AdministratorBy> {
        self.is_administrator(principal).then(|| match principal {
            _ if principal.user == self.server_user => AdministratorBy::ServerUser,
            _ if principal.is_administrator => AdministratorBy::Door,
            _ => AdministratorBy::Group,
        })
    }

    /// The decision of `granted`, made anew before a witness.
    pub(crate) fn explain(
        &self,
        principal: &Principal,
        object: AuthorityObject,
        name: &ObjectName,
        wanted: Authority,
    ) -> Decision {
        let made =
            |granted, basis| Decision { principal: principal.clone(), object, name: *name, wanted, granted, basis };
        if let Some(by) = self.administrator_by(principal) {
            return made(Authority::all(), Basis::Administrator(by));
        }
        let mut trace = Trace::default();
        let granted = decide(&self.records.read(), principal, object, name.as_str(), &mut trace);
        made(granted, Basis::Records(trace.weighed))
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

/// By which way a request came; looked at only when it is refused.
#[derive(Clone, Copy)]
pub(crate) enum Door<'a> {
    /// A verb of this application.
    Application(&'a ConnectOptions),
    Command,
    /// A report that a message asks for goes to its reply-to queue.
    Report,
}

/// The check of open, put1, connect and commands: every bit of `wanted` must be granted.
///
/// # Errors
/// `NotAuthorized` (2035): see `check_anew`.
pub(crate) fn check(
    engine: &Engine,
    door: Door<'_>,
    principal: &Principal,
    object: AuthorityObject,
    name: &ObjectName,
    wanted: Authority,
) -> Result<(), Reason> {
    if engine.authorities.granted(principal, object, name).contains(wanted) {
        return Ok(());
    }
    check_anew(engine, door, principal, (object, name), wanted, None)
}

/// As `check`, where what is remembered does not allow it: the records decide once more, and say why.
///
/// # Errors
/// `NotAuthorized` (2035), with a log line that says who lacks what and how to grant it, and an entry among the last refusals.
#[cold]
pub(crate) fn check_anew(
    engine: &Engine,
    door: Door<'_>,
    principal: &Principal,
    (object, name): (AuthorityObject, &ObjectName),
    wanted: Authority,
    topic_string: Option<&str>,
) -> Result<(), Reason> {
    let decision = engine.authorities.explain(principal, object, name, wanted);
    if decision.is_allowed() {
        return Ok(());
    }
    refusal::log(engine, &decision);
    engine.refusals.note(engine.now(), Way::of(door), &decision, topic_string);
    Err(Reason::NotAuthorized)
}

/// `witness` sees each entity as it is weighed.
fn decide(
    records: &BTreeMap<RecordKey, AuthorityRecord>,
    principal: &Principal,
    object: AuthorityObject,
    name: &str,
    witness: &mut impl Witness,
) -> Authority {
    let of_object = || records.values().filter(|record| record.object == object);
    let matching: Vec<&AuthorityRecord> = of_object().filter(|record| profile_matches(&record.profile, name)).collect();
    // Authority to create may be granted for the whole class, whatever the name.
    let class: Vec<&AuthorityRecord> = of_object().filter(|record| record.profile == AuthorityRecord::CLASS).collect();
    let mut weigh = |is_entity: &dyn Fn(&Entity) -> bool, entity: &dyn Fn() -> Entity| {
        let own = || matching.iter().copied().filter(|record| is_entity(&record.entity));
        let decides = own().min_by(|a, b| profile::specificity(&a.profile, &b.profile));
        let granted = decides.map_or(Authority::empty(), |record| record.authorities);
        let create = class.iter().filter(|record| is_entity(&record.entity));
        let granted = create.fold(granted, |all, record| all | (record.authorities & Authority::CREATE));
        witness.weighed(entity, decides, &mut own(), granted);
        granted
    };
    let user = &principal.user;
    let mut granted = weigh(&|entity| matches!(entity, Entity::Principal(known) if **known == **user), &|| {
        Entity::Principal(user.to_string())
    });
    for group in principal.groups.iter() {
        granted |= weigh(&|entity| matches!(entity, Entity::Group(known) if **known == **group), &|| {
            Entity::Group(group.to_string())
        });
    }
    granted
}

#[cfg(test)]
mod tests;
