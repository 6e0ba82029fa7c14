//! A look at a queue for people: how many messages are in which state, and the identifiers of the first ones.
//!
//! Never: changes anything. It holds the queue's lock for at most `maximum` messages of each state.

use model::timestamp::Timestamp;

use crate::private::queue::{Entry, Holder, Queue};
use crate::{HeldByUnit, Survey, Surveyed, UnitOfWorkId};

impl Queue {
    pub(crate) fn survey(&self, maximum: usize, now: Timestamp) -> Survey {
        let mut survey = Survey {
            available: self.available.len(),
            quarantined: self.quarantine.len(),
            first: self.available.values().take(maximum).map(|slot| self.surveyed(self.entry(*slot), now)).collect(),
            ..Survey::default()
        };
        let mut marks: Vec<(UnitOfWorkId, bool)> = Vec::new();
        for slot in self.held.values().take(maximum) {
            let entry = self.entry(*slot);
            match entry.holder {
                Holder::Put(unit) => marks.push((unit, true)),
                Holder::Got(unit) => {
                    marks.push((unit, false));
                    survey.got.push(self.surveyed(entry, now));
                }
                Holder::Reading => survey.being_read += 1,
                Holder::Nobody | Holder::Quarantine => {}
            }
        }
        marks.sort_unstable();
        survey.held = marks.chunk_by(|one, other| one.0 == other.0).map(held).collect();
        survey
    }

    fn surveyed(&self, entry: &Entry, now: Timestamp) -> Surveyed {
        Surveyed {
            position: entry.key.position(),
            message_id: entry.message_id,
            correlation_id: entry.correlation_id,
            group_id: *entry.group_id(),
            has_expired: entry.expires <= now.0,
            is_locked: self.locks.contains_key(&entry.key),
        }
    }
}

/// The messages of one unit: whether it put each of them.
fn held(marks: &[(UnitOfWorkId, bool)]) -> HeldByUnit {
    let put = marks.iter().filter(|(_, is_put)| *is_put).count();
    HeldByUnit { unit: marks[0].0, put, got: marks.len() - put }
}
