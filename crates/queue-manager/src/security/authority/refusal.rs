//! The log line of a refusal (2035): who lacks which authority on what, and the command that grants it.
//!
//! Repeated refusals have one line a minute for each user and object; the line then says how many
//! were left out. Names only: no password, no message.

use std::hash::BuildHasher;
use std::time::Duration;

use model::authority::{AuthorityObject, Principal};
use model::name::ObjectName;
use model::timestamp::Timestamp;
use parking_lot::Mutex;
use tracing::warn;

use crate::engine::Engine;
use crate::engine::map::Map;
use crate::engine::spaced_line::SpacedLine;
use crate::security::authority::decision::Decision;

/// One line for a user and an object in this time.
const PAUSE: Duration = Duration::from_secs(60);
/// Most pairs of user and object remembered; beyond it all are forgotten, and lines come again.
const MAXIMUM: usize = 1000;

/// When which refusal was last logged.
#[derive(Default)]
pub(super) struct Refusals {
    logged: Mutex<Map<u64, SpacedLine>>,
    hasher: foldhash::fast::RandomState,
}

impl Refusals {
    /// How many were left out since the last line, when it is time for one.
    fn due(&self, principal: &Principal, object: AuthorityObject, name: &ObjectName, now: Timestamp) -> Option<u32> {
        let hash = self.hasher.hash_one((&principal.user, object, name));
        let mut logged = self.logged.lock();
        if logged.len() >= MAXIMUM && !logged.contains_key(&hash) {
            logged.clear();
        }
        logged.entry(hash).or_default().due(now, PAUSE)
    }
}

pub(super) fn log(engine: &Engine, decision: &Decision) {
    let Decision { principal, object, name, .. } = decision;
    let Some(left_out) = engine.authorities.refusals.due(principal, *object, name, engine.now()) else { return };
    let least = decision.remedies().into_iter().next();
    warn!(
        queue_manager = engine.name.as_str(),
        user = &*principal.user,
        object = name.as_str(),
        object_type = object.mqsc(),
        missing = decision.missing().list(),
        grant = least.map_or_else(String::new, |remedy| remedy.mqsc.join("; ")),
        left_out,
        "AMQ8077W: not authorized"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_told_once_a_minute_with_the_number_left_out() {
        let refusals = Refusals::default();
        let at = |second: u64| Timestamp(second * 1_000_000);
        let due = |user: &str, second| {
            refusals.due(&Principal::user(user), AuthorityObject::Queue, &ObjectName::literal("Q"), at(second))
        };
        assert_eq!(due("app", 100), Some(0));
        assert_eq!(due("app", 101), None);
        assert_eq!(due("app", 159), None);
        assert_eq!(due("other", 101), Some(0));
        assert_eq!(due("app", 160), Some(2));
    }

    #[test]
    fn what_is_remembered_of_refusals_is_bounded() {
        let refusals = Refusals::default();
        for number in 0..5 * MAXIMUM {
            let principal = Principal::user(&format!("user{number}"));
            refusals.due(&principal, AuthorityObject::Queue, &ObjectName::literal("Q"), Timestamp(1));
        }
        assert!(refusals.logged.lock().len() <= MAXIMUM);
    }
}
