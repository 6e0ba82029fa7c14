//! One decision about authority as people read it: which record of whom decided, what is missing, and which command would
//! grant it.
//!
//! Never: decides. `authority::decide` tells a `Witness` what it does, and `Trace` keeps that.
//!
//! Invariants
//! - `granted` is what `authority::decide` answered, and the union of what was weighed.
//! - A remedy, once carried out, makes the same decision allow what was wanted, and takes nothing away.

use std::sync::Arc;

use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity, Principal};
use model::definition::attribute::quoted;
use model::name::ObjectName;

/// Sees how a decision is made. `()` looks at nothing, and costs nothing.
pub(crate) trait Witness {
    /// An entity was weighed: the record of it that decides, all of its records that match, and what it is granted.
    fn weighed(
        &mut self,
        entity: &dyn Fn() -> Entity,
        decides: Option<&AuthorityRecord>,
        matching: &mut dyn Iterator<Item = &AuthorityRecord>,
        granted: Authority,
    );
}

impl Witness for () {
    fn weighed(
        &mut self,
        _: &dyn Fn() -> Entity,
        _: Option<&AuthorityRecord>,
        _: &mut dyn Iterator<Item = &AuthorityRecord>,
        _: Authority,
    ) {
    }
}

#[derive(Default)]
pub(super) struct Trace {
    pub(super) weighed: Vec<Weighed>,
}

impl Witness for Trace {
    fn weighed(
        &mut self,
        entity: &dyn Fn() -> Entity,
        decides: Option<&AuthorityRecord>,
        matching: &mut dyn Iterator<Item = &AuthorityRecord>,
        granted: Authority,
    ) {
        let profile = decides.map(|record| record.profile.clone());
        let passed_over = matching.map(|record| record.profile.clone());
        let passed_over = passed_over.filter(|other| Some(other) != profile.as_ref()).collect();
        let by_profile = decides.map_or(Authority::empty(), |record| record.authorities);
        self.weighed.push(Weighed { entity: entity(), profile, passed_over, by_profile, granted });
    }
}

/// How one entity counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weighed {
    pub entity: Entity,
    /// The most specific of its profiles that match the name; `None` when none does.
    pub profile: Option<String>,
    /// Its other profiles that match: less specific, and without effect.
    pub passed_over: Vec<String>,
    pub by_profile: Authority,
    /// `by_profile`, and the authority to create that the class grants.
    pub granted: Authority,
}

/// What makes an administrator, who needs no record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdministratorBy {
    /// It is the user the server runs as.
    ServerUser,
    /// The door says so.
    Door,
    /// It is in the group `mqm`.
    Group,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Basis {
    Administrator(AdministratorBy),
    /// The user made the dynamic queue.
    Maker,
    Records(Vec<Weighed>),
}

/// Who wanted what, what is granted, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    pub principal: Principal,
    pub object: AuthorityObject,
    /// The name that profiles were compared with.
    pub name: ObjectName,
    pub wanted: Authority,
    pub granted: Authority,
    pub basis: Basis,
}

/// Commands that allow what was refused, and what they allow beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remedy {
    pub mqsc: Vec<String>,
    /// What the commands add to records, or make as new ones.
    pub records: Vec<AuthorityRecord>,
    pub is_for_this_object_only: bool,
}

/// Most entities and profiles that a kept decision names.
const MOST_KEPT: usize = 8;

impl Decision {
    pub fn is_allowed(&self) -> bool {
        self.missing().is_empty()
    }

    pub fn missing(&self) -> Authority {
        self.wanted - self.granted
    }

    /// For memory that is bounded: the user, and the groups with a profile that counts, no more than a few.
    pub(crate) fn shortened(&self) -> Self {
        let mut short = self.clone();
        short.principal.groups = Arc::from([]);
        if let Basis::Records(weighed) = &mut short.basis {
            let user = &self.principal.user;
            let is_kept = |one: &Weighed| one.profile.is_some() || one.entity.name() == &**user;
            weighed.retain(is_kept);
            weighed.truncate(MOST_KEPT);
            weighed.iter_mut().for_each(|one| one.passed_over.truncate(MOST_KEPT));
        }
        short
    }

    /// What decided, as a sentence.
    pub fn rule(&self) -> String {
        let (user, object, name) = (&self.principal.user, self.object.mqsc(), &self.name);
        let weighed = match &self.basis {
            Basis::Administrator(AdministratorBy::ServerUser) => {
                return format!("'{user}' is the user that the server runs as, and may do everything");
            }
            Basis::Administrator(AdministratorBy::Door) => return format!("'{user}' is an administrator"),
            Basis::Administrator(AdministratorBy::Group) => {
                return format!("'{user}' is an administrator as a member of the group mqm");
            }
            Basis::Maker => return format!("'{user}' made the dynamic queue {name}, and needs no record for it"),
            Basis::Records(weighed) => weighed,
        };
        let mut rules: Vec<String> = weighed.iter().filter_map(Weighed::rule).collect();
        if rules.is_empty() {
            rules.push(format!("no authority record of '{user}' or of its groups matches {object} {name}"));
        }
        match self.missing() {
            missing if missing.is_empty() => rules.join("; "),
            missing => format!("{}; {} is missing on {object} {name}", rules.join("; "), missing.list()),
        }
    }

    /// Ways to allow what is missing, the one that grants least first; none when nothing is missing.
    pub fn remedies(&self) -> Vec<Remedy> {
        let missing = self.missing();
        if missing.is_empty() {
            return Vec::new();
        }
        // Authority to create belongs to the class; names that are not there yet have no record of their own.
        let is_class = self.object != AuthorityObject::QueueManager;
        let create = if is_class { missing & Authority::CREATE } else { Authority::empty() };
        let rest = missing - create;
        let own = self.own();
        let name = self.name.as_str();
        let mut ways = Vec::new();
        match own
            .and_then(|own| Some((own.profile.as_deref()?, own.by_profile)))
            .filter(|(profile, _)| *profile != name)
        {
            // A record of this name takes the place of the wider one: it repeats what that grants.
            Some((profile, granted)) if is_class => {
                ways.push((name, granted | rest, true));
                ways.push((profile, rest, false));
            }
            _ => ways.push((name, rest, true)),
        }
        if rest.is_empty() {
            ways.truncate(1);
        }
        ways.into_iter().map(|(profile, add, only)| self.remedy(profile, add, rest, create, only)).collect()
    }

    fn own(&self) -> Option<&Weighed> {
        let Basis::Records(weighed) = &self.basis else { return None };
        weighed.iter().find(|one| matches!(&one.entity, Entity::Principal(user) if **user == *self.principal.user))
    }

    fn remedy(&self, profile: &str, add: Authority, rest: Authority, create: Authority, only: bool) -> Remedy {
        let record = |profile: &str, authorities| AuthorityRecord {
            profile: profile.to_owned(),
            object: self.object,
            entity: Entity::Principal(self.principal.user.to_string()),
            authorities,
        };
        let mut records = Vec::new();
        if !create.is_empty() {
            records.push(record(AuthorityRecord::CLASS, create));
        }
        if !rest.is_empty() {
            records.push(record(profile, add));
        }
        Remedy { mqsc: records.iter().map(add_command).collect(), records, is_for_this_object_only: only }
    }
}

impl Weighed {
    fn rule(&self) -> Option<String> {
        let profile = self.profile.as_deref()?;
        let kind = if matches!(self.entity, Entity::Principal(_)) { "user" } else { "group" };
        Some(format!("profile {profile} of {kind} '{}' grants {}", self.entity.name(), self.granted.list()))
    }
}

/// SET AUTHREC that adds what a record says.
fn add_command(record: &AuthorityRecord) -> String {
    let profile = match record.object {
        AuthorityObject::QueueManager => String::new(),
        _ => format!("PROFILE({}) ", quoted(&record.profile)),
    };
    let (object, entity) = (record.object.mqsc(), record.entity.mqsc());
    let (name, add) = (quoted(record.entity.name()), record.authorities.list());
    format!("SET AUTHREC {profile}OBJTYPE({object}) {entity}({name}) AUTHADD({add})")
}

#[cfg(test)]
mod tests;
