//! Where the first message of a queue may be that can be taken.
//!
//! Rows that were deleted leave entries in the index until PostgreSQL's vacuum has passed. A look from the queue's beginning walks over
//! all of them: after a hundred thousand messages it costs ten times as much. So a look begins where the last one found its first message.
//!
//! Invariants
//! - A message that this member makes available moves the mark to its place, also for looks that are under way.
//! - What other members make available is found within `HOLDS`, and at once by a look that finds too little: nothing is ever hidden.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::DeliveryKey;

/// Time between two looks from the beginning.
const HOLDS: Duration = Duration::from_millis(500);

#[derive(Default)]
pub(super) struct LowWater(Mutex<State>);

#[derive(Default)]
struct State {
    mark: Option<DeliveryKey>,
    /// When the last look from the beginning began.
    whole: Option<Instant>,
    next: u64,
    /// Looks under way, and the lowest place that has become available since each began.
    looks: Vec<(u64, Option<DeliveryKey>)>,
}

/// A look that is under way.
pub(super) struct Look<'a> {
    water: &'a LowWater,
    number: u64,
    /// Nothing before it can be taken; `None`: from the beginning.
    pub(super) from: Option<DeliveryKey>,
}

impl LowWater {
    pub(super) fn look(&self) -> Look<'_> {
        let mut state = self.0.lock();
        let is_fresh = state.whole.is_some_and(|at| at.elapsed() < HOLDS);
        if !is_fresh {
            state.whole = Some(now());
        }
        let from = state.mark.filter(|_| is_fresh);
        self.begin(&mut state, from)
    }

    pub(super) fn look_from_the_beginning(&self) -> Look<'_> {
        let mut state = self.0.lock();
        state.whole = Some(now());
        self.begin(&mut state, None)
    }

    fn begin(&self, state: &mut State, from: Option<DeliveryKey>) -> Look<'_> {
        state.next += 1;
        let number = state.next;
        state.looks.push((number, None));
        Look { water: self, number, from }
    }

    /// The message at this place can be taken.
    pub(super) fn available(&self, key: DeliveryKey) {
        let mut state = self.0.lock();
        state.mark = state.mark.map(|mark| mark.min(key));
        for (_, lowest) in &mut state.looks {
            *lowest = Some(lowest.map_or(key, |lowest| lowest.min(key)));
        }
    }

    /// The last mark, for those who only want to know about where the queue begins.
    pub(super) fn mark(&self) -> Option<DeliveryKey> {
        self.0.lock().mark
    }

    /// Something can be taken, nobody knows where.
    pub(super) fn reset(&self) {
        self.0.lock().whole = None;
    }
}

impl Look<'_> {
    /// It has taken this message, and nothing before it could be had when it looked.
    pub(super) fn found(self, key: DeliveryKey) {
        let mut state = self.water.0.lock();
        let lowest = state.looks.iter().find(|(number, _)| *number == self.number).and_then(|(_, lowest)| *lowest);
        state.mark = Some(lowest.map_or(key, |lowest| lowest.min(key)));
    }
}

impl Drop for Look<'_> {
    fn drop(&mut self) {
        self.water.0.lock().looks.retain(|(number, _)| *number != self.number);
    }
}

#[expect(clippy::disallowed_methods, reason = "how long a mark holds; no caller sees it")]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Position;

    fn key(position: u64) -> DeliveryKey {
        DeliveryKey { rank: 0, position: Position(position) }
    }

    #[test]
    fn a_look_begins_where_the_last_one_found_its_first_message() {
        let water = LowWater::default();
        let first = water.look();
        assert_eq!(first.from, None);
        first.found(key(5));
        assert_eq!(water.look().from, Some(key(5)));
        water.reset();
        assert_eq!(water.look().from, None);
    }

    #[test]
    fn what_becomes_available_before_the_mark_moves_it_also_for_looks_under_way() {
        let water = LowWater::default();
        water.look().found(key(5));
        water.available(key(3));
        assert_eq!(water.look().from, Some(key(3)));
        let under_way = water.look();
        water.available(key(2));
        under_way.found(key(7));
        assert_eq!(water.look().from, Some(key(2)));
        water.available(key(9));
        assert_eq!(water.look().from, Some(key(2)));
    }
}
