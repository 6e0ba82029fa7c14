//! When samples were taken, by a time that only goes forward, and what the server's clock calls these moments.
//!
//! A round is one look at everything; a minute is what its rounds say together. Both are numbered from 1.
//!
//! The time of a round is that of the server's clock, or later: where the clock is set back, time goes on from where it was. The moments
//! of answers are told by the clock of the answer, which is taken to be right about the past too. So a clock that is set back leaves
//! no hole and covers nothing, one that is put right again changes nothing, and one that is set forward leaves a gap, as a pause does.

use std::collections::VecDeque;
use std::time::Duration;

use model::timestamp::Timestamp;

/// An hour of rounds, a day of minutes.
pub(super) const ROUNDS: usize = 360;
pub(super) const MINUTES: usize = 1440;
/// Milliseconds between two rounds.
pub(super) const ROUND: u64 = 10_000;
pub(super) const MINUTE: u64 = 60_000;

/// What is read when a round begins, or an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clocks {
    /// Since some moment, by a clock that is never set.
    pub(super) elapsed: Duration,
    pub(super) wall: Timestamp,
}

/// Consecutive slots, each as long as it was.
pub(super) struct Slots {
    most: usize,
    /// Number of the first that is kept.
    first: u32,
    /// When the first begins, and each ends.
    begin: u64,
    ends: VecDeque<u64>,
}

/// A round that has just been taken.
#[derive(Debug, Clone, Copy)]
pub(super) struct Round {
    pub(super) number: u32,
    /// Milliseconds since the round before.
    pub(super) length: u64,
    /// The minute that it is in, and which of its rounds it is, from 1.
    pub(super) minute: u32,
    pub(super) of_minute: u32,
    /// It is the last of its minute.
    pub(super) ends_minute: bool,
}

pub(super) struct Timeline {
    pub(super) rounds: Slots,
    pub(super) minutes: Slots,
    of_minute: u32,
    now: u64,
    elapsed: Duration,
}

impl Slots {
    fn new(most: usize, begin: u64) -> Self {
        Self { most, first: 1, begin, ends: VecDeque::with_capacity(most) }
    }

    fn push(&mut self, end: u64) {
        if self.ends.len() == self.most
            && let Some(gone) = self.ends.pop_front()
        {
            self.begin = gone;
            self.first += 1;
        }
        self.ends.push_back(end);
    }

    pub(super) fn first(&self) -> u32 {
        self.first
    }

    /// Number of the last, one less than `first` when there is none.
    pub(super) fn last(&self) -> u32 {
        self.first + u32::try_from(self.ends.len()).expect("few") - 1
    }

    pub(super) fn begin(&self) -> u64 {
        self.begin
    }

    pub(super) fn end(&self) -> u64 {
        self.ends.back().copied().unwrap_or(self.begin)
    }

    /// Begin and end of each slot, in order.
    pub(super) fn spans(&self) -> impl Iterator<Item = (u64, u64)> {
        let begins = std::iter::once(self.begin).chain(self.ends.iter().copied());
        begins.zip(self.ends.iter().copied())
    }
}

impl Timeline {
    pub(super) fn new(clocks: Clocks) -> Self {
        let now = clocks.wall.as_millis();
        Self {
            rounds: Slots::new(ROUNDS, now),
            minutes: Slots::new(MINUTES, now),
            of_minute: 0,
            now,
            elapsed: clocks.elapsed,
        }
    }

    pub(super) fn time(&self, clocks: Clocks) -> u64 {
        let passed = clocks.elapsed.saturating_sub(self.elapsed).as_millis();
        let forward = self.now.saturating_add(u64::try_from(passed).unwrap_or(u64::MAX));
        forward.max(clocks.wall.as_millis())
    }

    /// By how much time is ahead of the server's clock.
    pub(super) fn ahead(&self, clocks: Clocks) -> u64 {
        self.time(clocks) - clocks.wall.as_millis()
    }

    /// How long until the next round is due.
    pub(super) fn until_round(&self, clocks: Clocks) -> Duration {
        let now = self.time(clocks);
        // One that comes a little early is not followed by a second one.
        let next = (now + ROUND / 2) / ROUND * ROUND + ROUND;
        Duration::from_millis(next - now)
    }

    /// The first round has no length: counting begins with it. `None`: no time has passed since the last one.
    pub(super) fn begin_round(&mut self, clocks: Clocks) -> Option<Round> {
        let now = self.time(clocks);
        let length = now - self.rounds.end();
        let is_first = self.rounds.last() < self.rounds.first();
        if length == 0 && !is_first {
            return None;
        }
        (self.now, self.elapsed) = (now, clocks.elapsed);
        self.rounds.push(now);
        self.of_minute += 1;
        let minute = self.minutes.last() + 1;
        let round = Round { number: self.rounds.last(), length, minute, of_minute: self.of_minute, ends_minute: false };
        let next = |at: u64| (at + ROUND / 2) / MINUTE;
        if next(now) == next(self.minutes.end()) {
            return Some(round);
        }
        self.minutes.push(now);
        self.of_minute = 0;
        Some(Round { ends_minute: true, ..round })
    }
}
