//! The problems of a queue manager from one look to the next: which are new, which have changed or ended, and which are muted.
//!
//! Pure: no clock, no lock.
//!
//! Invariants
//! - A problem has one identity from the look that finds it first to the one that does not find it.
//! - What is muted for a time stays muted for it, also when the problem ends and comes back meanwhile. What is muted until it changes
//!   is heard again when it changes or ends.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use message_api::live::Concern;
use message_api::time_text::write_moment;
use model::timestamp::Timestamp;
use serde_json::{Value, json};

use super::MOST;
use super::finding::{Finding, Severity, Since};

/// For how long a problem is not to be heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mute {
    For(Duration),
    UntilChange,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Muted {
    Until(Timestamp),
    While { severity: Severity, mark: String },
}

#[derive(Debug, Clone)]
pub(super) struct Problem {
    pub(super) id: String,
    pub(super) since: Timestamp,
    pub(super) finding: Finding,
    muted: Option<Muted>,
}

/// What a look has changed.
#[derive(Debug)]
pub(super) enum Change {
    /// New, or another one than before.
    Told(Box<Problem>),
    Ended {
        id: String,
        concern: Concern,
    },
}

#[derive(Default)]
pub(super) struct Ledger {
    /// The worst first.
    problems: Vec<Problem>,
    muted: HashMap<String, Muted>,
}

impl Ledger {
    pub(super) fn problems(&self) -> impl Iterator<Item = &Problem> {
        self.problems.iter()
    }

    pub(super) fn problem(&self, id: &str) -> Option<&Problem> {
        self.problems.iter().find(|problem| problem.id == id)
    }

    /// `found` is in order, the worst first. `begun` says since when something new is so, where that is known.
    pub(super) fn update(
        &mut self,
        found: Vec<Finding>,
        now: Timestamp,
        begun: impl Fn(&Finding) -> Option<Timestamp>,
    ) -> Vec<Change> {
        let mut before: BTreeMap<String, Problem> =
            std::mem::take(&mut self.problems).into_iter().map(|problem| (problem.id.clone(), problem)).collect();
        let mut changes = Vec::new();
        for finding in found.into_iter().take(MOST) {
            let id = finding.id();
            let known = before.remove(&id);
            let since = since(&finding, known.as_ref(), now, &begun);
            let muted = self.still_muted(&id, &finding, now);
            let problem = Problem { id, since, finding, muted };
            if known.is_none_or(|known| known.differs(&problem)) {
                changes.push(Change::Told(Box::new(problem.clone())));
            }
            self.problems.push(problem);
        }
        for (id, ended) in before {
            self.muted.retain(|muted, until| *muted != id || matches!(until, Muted::Until(_)));
            changes.push(Change::Ended { id, concern: ended.finding.concern });
        }
        self.muted.retain(|_, until| !matches!(until, Muted::Until(end) if *end <= now));
        changes
    }

    fn still_muted(&mut self, id: &str, finding: &Finding, now: Timestamp) -> Option<Muted> {
        let is_over = match self.muted.get(id)? {
            Muted::Until(end) => *end <= now,
            Muted::While { severity, mark } => *severity != finding.severity || *mark != finding.mark,
        };
        if is_over {
            self.muted.remove(id);
        }
        self.muted.get(id).cloned()
    }

    /// `None`: it is to be heard again.
    pub(super) fn mute(&mut self, id: &str, mute: Option<Mute>, now: Timestamp) -> Option<&Problem> {
        let problem = self.problems.iter_mut().find(|problem| problem.id == id)?;
        problem.muted = mute.map(|mute| match mute {
            Mute::For(time) => Muted::Until(now.saturating_add(time)),
            Mute::UntilChange => {
                Muted::While { severity: problem.finding.severity, mark: problem.finding.mark.clone() }
            }
        });
        match &problem.muted {
            Some(muted) => self.muted.insert(id.to_owned(), muted.clone()),
            None => self.muted.remove(id),
        };
        Some(problem)
    }
}

/// Since when: what the facts say, else what was known before, else what the past says.
fn since(
    finding: &Finding,
    known: Option<&Problem>,
    now: Timestamp,
    begun: impl Fn(&Finding) -> Option<Timestamp>,
) -> Timestamp {
    let since = match (finding.since, known) {
        (Since::At(at), _) => at,
        (Since::Depth(..) | Since::Unknown, Some(known)) => known.since,
        (Since::Depth(..) | Since::Unknown, None) => begun(finding).unwrap_or(now),
    };
    since.min(now)
}

impl Problem {
    fn differs(&self, now: &Self) -> bool {
        let told = |problem: &Self| (problem.finding.severity, problem.muted.is_some());
        told(self) != told(now) || self.finding.mark != now.finding.mark
    }

    pub(super) fn shown(&self, now: Timestamp) -> Value {
        let Finding { rule, severity, object: (kind, name), text, values, next, .. } = &self.finding;
        let muted = match &self.muted {
            Some(Muted::Until(end)) if *end > now => json!(write_moment(*end)),
            Some(Muted::While { .. }) => json!("change"),
            Some(Muted::Until(_)) | None => Value::Null,
        };
        json!({
            "id": self.id,
            "rule": rule,
            "severity": severity.word(),
            "since": write_moment(self.since),
            "object": { "type": kind, "name": name },
            "values": values,
            "text": text,
            "next": next,
            "mutedUntil": muted,
        })
    }
}

#[cfg(test)]
mod tests;
