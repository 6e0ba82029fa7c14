//! Authority: may this principal do this to that object? One function decides, for every door, at connect, open, put1
//! and for every command.
//!
//! Administrators pass. For anybody else each entity (the user, each of the groups) counts with the most specific of its
//! profiles that matches the object's name; what the entities may do is added up.
//! Decisions are remembered until a record changes.
//!
//! Source: MQ security, "Using OAM generic profiles", "Profile priorities", 9.3.

use std::cmp::Ordering as Order;
use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::sync::Arc;

use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity, Principal};
use model::name::ObjectName;
use model::reason::Reason;
use parking_lot::RwLock;
use tracing::warn;

use crate::engine::{Engine, Map};

/// The records, and decisions made by them.
#[derive(Default)]
pub(crate) struct Authorities {
    records: RwLock<BTreeMap<RecordKey, AuthorityRecord>>,
    decisions: RwLock<Map<u64, Decision>>,
    hasher: foldhash::fast::RandomState,
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

    /// Replaces the record of the same profile, object type and entity; empty authorities delete it.
    pub(crate) fn set(&self, record: AuthorityRecord) {
        let mut records = self.records.write();
        if record.authorities.is_empty() {
            records.remove(&key(&record));
        } else {
            records.insert(key(&record), record);
        }
        // While the records are locked nobody can remember a decision made by the old ones.
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
}

fn key(record: &AuthorityRecord) -> RecordKey {
    (record.object, record.profile.clone(), record.entity.clone())
}

/// The check of open, put1, connect and commands: every bit of `wanted` must be granted.
///
/// # Errors
/// `NotAuthorized` (2035), with a log line that says who lacks what.
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
    warn!(
        queue_manager = engine.name.as_str(),
        user = &*principal.user,
        object = name.as_str(),
        missing = word(missing),
        "AMQ8077W: not authorized"
    );
    Err(Reason::NotAuthorized)
}

/// The words of `setmqaut` for what is missing.
pub(crate) fn word(missing: Authority) -> &'static str {
    const WORDS: [(Authority, &str); 22] = [
        (Authority::CONNECT, "connect"),
        (Authority::GET, "get"),
        (Authority::BROWSE, "browse"),
        (Authority::PUT, "put"),
        (Authority::INQUIRE, "inq"),
        (Authority::SET, "set"),
        (Authority::ALTERNATE_USER, "altusr"),
        (Authority::CHANGE, "chg"),
        (Authority::CLEAR, "clr"),
        (Authority::CREATE, "crt"),
        (Authority::DELETE, "dlt"),
        (Authority::DISPLAY, "dsp"),
        (Authority::PASS_ALL_CONTEXT, "passall"),
        (Authority::PASS_IDENTITY_CONTEXT, "passid"),
        (Authority::SET_ALL_CONTEXT, "setall"),
        (Authority::SET_IDENTITY_CONTEXT, "setid"),
        (Authority::CONTROL, "ctrl"),
        (Authority::CONTROL_EXTENDED, "ctrlx"),
        (Authority::PUBLISH, "pub"),
        (Authority::SUBSCRIBE, "sub"),
        (Authority::RESUME, "resume"),
        (Authority::SYSTEM, "system"),
    ];
    WORDS.into_iter().find(|(bit, _)| missing.contains(*bit)).map_or("nothing", |(_, word)| word)
}

fn decide(
    records: &BTreeMap<RecordKey, AuthorityRecord>,
    principal: &Principal,
    object: AuthorityObject,
    name: &str,
) -> Authority {
    let matching: Vec<&AuthorityRecord> =
        records.values().filter(|record| record.object == object && profile_matches(&record.profile, name)).collect();
    let of = |is_entity: &dyn Fn(&Entity) -> bool| {
        matching
            .iter()
            .filter(|record| is_entity(&record.entity))
            .min_by(|a, b| specificity(&a.profile, &b.profile))
            .map_or(Authority::empty(), |record| record.authorities)
    };
    let mut granted = of(&|entity| matches!(entity, Entity::Principal(user) if **user == *principal.user));
    for group in principal.groups.iter() {
        granted |= of(&|entity| matches!(entity, Entity::Group(name) if **name == **group));
    }
    granted
}

/// `?` is one character, `*` any number of them within a qualifier, `**` any number of qualifiers.
pub(crate) fn profile_matches(profile: &str, name: &str) -> bool {
    let profile: Vec<&str> = profile.split('.').collect();
    let name: Vec<&str> = name.split('.').collect();
    qualifiers_match(&profile, &name)
}

fn qualifiers_match(profile: &[&str], name: &[&str]) -> bool {
    match profile.split_first() {
        None => name.is_empty(),
        Some((&"**", rest)) => (0..=name.len()).any(|skipped| qualifiers_match(rest, &name[skipped..])),
        Some((first, rest)) => name.split_first().is_some_and(|(qualifier, others)| {
            characters_match(first.as_bytes(), qualifier.as_bytes()) && qualifiers_match(rest, others)
        }),
    }
}

fn characters_match(profile: &[u8], text: &[u8]) -> bool {
    match profile.split_first() {
        None => text.is_empty(),
        Some((b'*', rest)) => (0..=text.len()).any(|skipped| characters_match(rest, &text[skipped..])),
        Some((b'?', rest)) => text.split_first().is_some_and(|(_, others)| characters_match(rest, others)),
        Some((first, rest)) => {
            text.split_first().is_some_and(|(byte, others)| byte == first && characters_match(rest, others))
        }
    }
}

/// Less is more specific: at the first difference a character beats `?`, `?` beats `*`, `*` beats `**`.
fn specificity(a: &str, b: &str) -> Order {
    fn ranks(profile: &str) -> impl Iterator<Item = u8> {
        let bytes = profile.as_bytes();
        (0..bytes.len()).map(move |index| match bytes[index] {
            b'*' if bytes.get(index + 1) == Some(&b'*') => 3,
            b'*' => 2,
            b'?' => 1,
            _ => 0,
        })
    }
    // A profile that goes on where the other ends says more.
    let mut a = ranks(a);
    let mut b = ranks(b);
    loop {
        match (a.next(), b.next()) {
            (None, None) => return Order::Equal,
            (None, Some(_)) => return Order::Greater,
            (Some(_), None) => return Order::Less,
            (Some(x), Some(y)) if x == y => {}
            (Some(x), Some(y)) => return x.cmp(&y),
        }
    }
}

#[cfg(test)]
mod tests;
