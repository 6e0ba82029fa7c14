//! The last changes of definitions, for people who ask what was changed: who, when, what, before and after.
//!
//! Written where configuration events are told, whether those are switched on or not. Values of secret attributes are never kept.
//!
//! Invariant: `MAXIMUM` of them, since the queue manager started; the oldest goes first.

use std::collections::VecDeque;
use std::sync::Arc;

use model::definition::attribute::{self, Kind, ValueType, View};
use model::name::ObjectName;
use model::timestamp::Timestamp;
use parking_lot::Mutex;

use crate::QueueManager;
use crate::engine::Engine;
use crate::instrumentation::event::command::{Issued, Issuer, Origin, masked};

const MAXIMUM: usize = 1000;
/// Longest command that is kept, in characters.
const LONGEST_COMMAND: usize = 4096;

/// MQSC keywords and their values as DISPLAY writes them.
pub type Attributes = Vec<(&'static str, String)>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    Create,
    Change,
    Delete,
}

/// A definition that was made, changed or deleted.
#[derive(Debug, Clone)]
pub struct Change {
    pub at: Timestamp,
    pub user: String,
    pub origin: Origin,
    pub what: What,
    /// `queue`, `qmgr`, `channel`, …
    pub object: String,
    pub name: String,
    /// Of a change, what differs; of what was made or deleted, everything that has a value.
    pub before: Attributes,
    pub after: Attributes,
    /// The command, where it came as MQSC or JSON.
    pub mqsc: Option<String>,
}

#[derive(Default)]
pub(crate) struct RecentChanges(Mutex<VecDeque<Arc<Change>>>);

impl RecentChanges {
    fn push(&self, change: Change) {
        let mut kept = self.0.lock();
        kept.truncate(MAXIMUM - 1);
        kept.push_front(Arc::new(change));
    }
}

impl QueueManager {
    /// The last changes of definitions, the newest first.
    pub fn definition_changes(&self) -> Vec<Arc<Change>> {
        self.engine().recent_changes.0.lock().iter().cloned().collect()
    }

    /// What an object is now; `None` when there is none.
    pub fn attributes_of(&self, kind: Kind, name: &str) -> Option<Attributes> {
        let parsed = || ObjectName::parse(name).ok();
        match kind {
            Kind::QueueManager => Some(attributes(View::QueueManager(&self.definition()))),
            Kind::Topic => Some(attributes(View::Topic(&*self.topic(&parsed()?)?))),
            Kind::Subscription => Some(attributes(View::Subscription(&*self.subscription(name)?))),
            _ if kind.is_queue() => Some(attributes(View::Queue(&*self.queue(&parsed()?)?, None))),
            _ if kind.is_administered() => {
                Some(attributes(View::Object(&*self.object(kind.authority_object(), &parsed()?)?)))
            }
            _ => None,
        }
    }

    /// A command has succeeded: notes what it did to an object, if it did anything.
    pub fn note_definition_change(
        &self,
        issuer: &Issuer<'_>,
        issued: Issued<'_>,
        (object, name): (&str, &str),
        before: Option<&Attributes>,
        after: Option<&Attributes>,
    ) {
        let mqsc = match issued {
            Issued::Mqsc(text) => Some(masked(text).trim().chars().take(LONGEST_COMMAND).collect()),
            Issued::Pcf(_) => None,
        };
        note(self.engine(), issuer, mqsc, (object, name), before, after);
    }
}

pub(crate) fn note(
    engine: &Engine,
    issuer: &Issuer<'_>,
    mqsc: Option<String>,
    (object, name): (&str, &str),
    before: Option<&Attributes>,
    after: Option<&Attributes>,
) {
    let (what, before, after) = match (before, after) {
        (None, None) => return,
        (None, Some(after)) => (What::Create, Vec::new(), after.clone()),
        (Some(before), None) => (What::Delete, before.clone(), Vec::new()),
        (Some(before), Some(after)) => (What::Change, without(before, after), without(after, before)),
    };
    if what == What::Change && before.is_empty() && after.is_empty() {
        return;
    }
    engine.recent_changes.push(Change {
        at: engine.now(),
        user: issuer.user.to_owned(),
        origin: issuer.origin,
        what,
        object: object.to_owned(),
        name: name.to_owned(),
        before,
        after,
        mqsc,
    });
}

/// Those of `all` that `others` do not have.
fn without(all: &Attributes, others: &Attributes) -> Attributes {
    all.iter().filter(|one| !others.contains(one)).cloned().collect()
}

/// Every attribute with a value, but for secrets and the times of the change itself.
pub(crate) fn attributes(view: View<'_>) -> Attributes {
    let told = |row: &&'static attribute::Attribute| {
        !matches!(row.value, ValueType::Secret { .. }) && !matches!(row.mqsc, "ALTDATE" | "ALTTIME")
    };
    let shown = |row: &'static attribute::Attribute| {
        let text = row.value.word_or_text(&(row.read)(view)?);
        (!text.trim().is_empty()).then_some((row.mqsc, text))
    };
    attribute::told_by(view).filter(told).filter_map(shown).collect()
}
