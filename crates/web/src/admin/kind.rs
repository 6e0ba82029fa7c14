//! What a request wants of the objects of one kind: the plan, the condition, what they are sorted by.

use model::definition::attribute::{Kind, Membership, json_always};

use super::filter::{Condition, Filter};
use super::paging::Sort;
use super::plan::{Array, Plan};
use super::selection::Selection;
use super::source::{Entry, Source, entries};

/// Everything that objects of one kind can show.
pub(super) struct KnownKind {
    pub(super) kind: Kind,
    /// From the attribute table.
    defined: Vec<Entry>,
    /// Status, and what else is not in a definition.
    live: Vec<Entry>,
    all: Vec<Entry>,
}

pub(super) struct KindPlan {
    pub(super) plan: Plan,
    pub(super) condition: Option<Condition>,
    pub(super) sort: Option<Source>,
}

/// The requested object, of any kind.
#[derive(Default)]
pub(super) struct Wanted<'a> {
    pub(super) attributes: Selection,
    pub(super) status: Selection,
    pub(super) filter: Option<&'a Filter>,
    pub(super) sort: Option<&'a Sort>,
}

impl KnownKind {
    pub(super) fn new(kind: Kind, live: Vec<Entry>) -> Self {
        Self::at(Membership::Alone, kind, live)
    }

    /// With what members of a queue-sharing group show, or without.
    pub(super) fn at(membership: Membership, kind: Kind, live: Vec<Entry>) -> Self {
        let defined = entries(kind, membership);
        let all = defined.iter().chain(&live).cloned().collect();
        Self { kind, defined, live, all }
    }

    /// Reads the member of the definition that is called `path` from elsewhere.
    pub(super) fn with(mut self, path: &str, source: Source) -> Self {
        for entry in self.defined.iter_mut().chain(&mut self.all).filter(|entry| entry.path == path) {
            entry.source = source;
        }
        self
    }

    pub(super) fn defined(&self) -> impl Iterator<Item = &Entry> + Clone {
        self.defined.iter()
    }

    pub(super) fn live(&self) -> impl Iterator<Item = &Entry> + Clone {
        self.live.iter()
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Entry> {
        self.all.iter()
    }

    /// `None` when the filter is about a member that these objects lack.
    pub(super) fn plan(&self, wanted: &Wanted<'_>, arrays: Vec<Array>) -> Option<KindPlan> {
        let condition = match wanted.filter {
            Some(filter) => Some(filter.for_kind(&self.all)?),
            None => None,
        };
        let always = json_always(self.kind);
        let is_shown = |entry: &&Entry| always.contains(&&*entry.path) || wanted.attributes.has(&entry.path);
        let status = self.live.iter().filter(|entry| wanted.status.has(&entry.path));
        let members = self.defined.iter().filter(is_shown).chain(status).cloned().collect();
        Some(KindPlan {
            plan: Plan::new(members, arrays, 0),
            condition,
            sort: wanted.sort.and_then(|sort| sort.for_kind(&self.all)),
        })
    }
}
