//! Positions of shared messages: unique in the group without asking anybody, growing at each member.
//!
//! ```text
//! bits 22..63  milliseconds since 2025-01-01T00:00:00Z by the database's clock
//! bits 10..22  a counter within the millisecond
//! bits  0..10  the member's number
//! ```
//! The database's clock is told by each batch. Between two batches the member adds the time that has passed here, so that its own
//! clock does not matter. Two members disagree by one round trip at most; MQ promises no order between connections either.
//!
//! A new primary may have another clock. Where that is behind, the group's time goes on from where it was.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::Position;

/// 2025-01-01T00:00:00Z in milliseconds since 1970.
const BEGINNING: u64 = 1_735_689_600_000;
const MEMBER_BITS: u32 = 10;
const COUNTER_BITS: u32 = 12;

/// In milliseconds. A clock that is behind by less has waited for its answer, and is followed; one that is behind by more is another
/// host's.
pub(super) const JUMP: u64 = 5_000;

/// Gives positions, once `begin` has said whose.
pub(super) struct Positions {
    state: Mutex<State>,
}

struct State {
    member: u64,
    /// Without the member's number.
    last: u64,
    /// The database's clock as it was told, in milliseconds since 1970, and when.
    told: u64,
    at: Instant,
}

impl Default for Positions {
    fn default() -> Self {
        Self { state: Mutex::new(State { member: 0, last: 0, told: 0, at: now() }) }
    }
}

impl Positions {
    /// The member's number, and the database's clock.
    pub(super) fn begin(&self, member: i32, database_clock: u64) {
        self.state.lock().member = u64::from(member.unsigned_abs());
        self.told(database_clock);
    }

    /// The database's clock as far as it is known here, in milliseconds since 1970.
    pub(super) fn clock(&self) -> u64 {
        self.state.lock().clock()
    }

    /// The next one; later than all that this member gave.
    pub(super) fn next(&self) -> Position {
        let mut state = self.state.lock();
        let clock = state.clock().saturating_sub(BEGINNING) << COUNTER_BITS;
        state.last = clock.max(state.last + 1);
        Position(state.last << MEMBER_BITS | state.member)
    }

    /// What is put from now on comes behind this one.
    pub(super) fn follow(&self, position: u64) {
        let mut state = self.state.lock();
        state.last = state.last.max(position >> MEMBER_BITS);
    }

    /// The database's clock, in milliseconds since 1970.
    pub(super) fn told(&self, database_clock: u64) {
        let mut state = self.state.lock();
        let clock = state.clock();
        let is_late = state.at.elapsed() > Duration::from_secs(1) && clock.saturating_sub(database_clock) < JUMP;
        if database_clock > clock || is_late {
            (state.told, state.at) = (database_clock, now());
        }
    }
}

impl State {
    fn clock(&self) -> u64 {
        self.told.saturating_add(millis(self.at.elapsed()))
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Only differences of it are used.
#[expect(clippy::disallowed_methods, reason = "the time between two answers of the database, which no caller knows")]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_grow_and_carry_the_member() {
        let positions = Positions::default();
        positions.begin(7, BEGINNING + 1_000);
        let given: Vec<_> = (0..10_000).map(|_| positions.next()).collect();
        assert!(given.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(given.iter().all(|position| position.0 & 1023 == 7));
        assert!(given[0].0 >= 1_000 << 22);
    }

    #[test]
    fn a_position_of_another_clock_is_followed() {
        let positions = Positions::default();
        positions.begin(1, BEGINNING + 1_000);
        let far = Position(1_000_000 << 22 | 9);
        positions.follow(far.0);
        assert!(positions.next() > far);
    }

    #[test]
    fn a_clock_that_goes_back_repeats_no_position() {
        let positions = Positions::default();
        positions.begin(1, BEGINNING + 1_000_000);
        let before = positions.next();
        positions.told(BEGINNING);
        assert!(positions.next() > before);
        assert!(positions.clock() >= BEGINNING + 1_000_000, "time goes on from where it was");
    }
}
