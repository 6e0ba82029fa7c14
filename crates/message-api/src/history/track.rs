//! One number of one object over time: an hour by rounds, a day by minutes.
//!
//! A level holds until it changes. A count is what happened in a round, and rounds without a record had none of it.
//!
//! Invariant: the least and the greatest of a minute are those of its rounds.

use super::ring::{Ring, Slot, State};
use super::timeline::{Round, Timeline};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Level,
    Count,
}

/// From when on something is known: a round, and the first minute that is known whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Since {
    pub(super) round: u32,
    pub(super) minute: u32,
}

impl Since {
    /// Known at the end of this round.
    pub(super) fn of(round: Round) -> Self {
        Self { round: round.number, minute: round.minute + 1 }
    }
}

pub(super) struct Track {
    kind: Kind,
    rounds: Ring<1>,
    /// Of a level its last value, the least and the greatest; of a count the sum, and the lowest and the highest rate of a round, in
    /// hundredths a second.
    minutes: Ring<3>,
    open: Option<Open>,
}

/// The minute that has not ended.
#[derive(Debug, Clone, Copy)]
struct Open {
    /// As `Track::minutes`.
    values: [u64; 3],
    /// Rounds on record.
    rounds: u32,
}

/// What a slot says of a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sample {
    pub(super) begin: u64,
    pub(super) end: u64,
    pub(super) value: u64,
    /// Of a count: rates, a second.
    pub(super) least: f64,
    pub(super) greatest: f64,
}

impl Track {
    /// `value` is what a level was since then; a count had nothing.
    pub(super) fn starting(kind: Kind, since: Since, value: u64) -> Self {
        let value = if kind == Kind::Level { value } else { 0 };
        Self {
            kind,
            rounds: Ring::starting(State { slot: since.round, values: Some([value]) }),
            minutes: Ring::starting(State { slot: since.minute, values: Some([value; 3]) }),
            open: None,
        }
    }

    pub(super) fn record(&mut self, round: Round, value: u64) {
        let before = self.rounds.last().values;
        let is_same = match self.kind {
            Kind::Level => before == Some([value]),
            Kind::Count => before.is_some() && value == 0,
        };
        if is_same {
            return;
        }
        self.rounds.push(State { slot: round.number, values: Some([value]) });
        let (least, greatest) = match self.kind {
            Kind::Count => (rate(value, round.length), rate(value, round.length)),
            // What it was before, it was in this minute too.
            Kind::Level => match before.filter(|_| round.of_minute > 1) {
                Some([before]) => (value.min(before), value.max(before)),
                None => (value, value),
            },
        };
        let open = self.open.get_or_insert(Open { values: [0, least, greatest], rounds: 0 });
        let [sum, ..] = open.values;
        let total = if self.kind == Kind::Level { value } else { sum + value };
        open.values = [total, open.values[1].min(least), open.values[2].max(greatest)];
        open.rounds += 1;
    }

    /// Nothing is known from this round on.
    pub(super) fn lose(&mut self, round: Round) {
        if self.rounds.last().values.is_some() && self.rounds.last().slot < round.number {
            self.rounds.push(State { slot: round.number, values: None });
            self.open = None;
        }
    }

    /// After the last round of a minute.
    pub(super) fn end_minute(&mut self, round: Round) {
        let (slot, open) = (round.minute, self.open.take());
        let held = self.rounds.last().values;
        let idle = |[value]: [u64; 1]| if self.kind == Kind::Level { [value; 3] } else { [0; 3] };
        if slot < self.minutes.last().slot {
            return self.minutes.rebase(State { slot: slot + 1, values: held.map(idle) });
        }
        let is_known = self.minutes.last().values.is_some();
        let values = match (held, open) {
            (None, _) if !is_known => return,
            (None, _) => None,
            (Some(_), Some(open)) => Some(open.ended(self.kind, round.of_minute)),
            (Some(_), None) if is_known => return,
            (Some(held), None) => Some(idle(held)),
        };
        self.minutes.push(State { slot, values });
    }

    pub(super) fn forget(&mut self, timeline: &Timeline) {
        self.rounds.forget_before(timeline.rounds.first());
        self.minutes.forget_before(timeline.minutes.first());
    }

    pub(super) fn allocated(&self) -> usize {
        self.rounds.allocated() + self.minutes.allocated()
    }

    /// The rounds that are kept.
    pub(super) fn by_round(&self, timeline: &Timeline) -> Vec<Option<Sample>> {
        let slots = self.rounds.slots(timeline.rounds.first(), timeline.rounds.last());
        let sample = |(slot, (begin, end)): (Slot<1>, (u64, u64))| {
            let value = match (slot, self.kind) {
                (Slot::Unknown, _) => return None,
                (Slot::Unchanged(_), Kind::Count) => 0,
                (Slot::Unchanged([value]), Kind::Level) | (Slot::Changed([value]), _) => value,
            };
            let each = if self.kind == Kind::Level { number(value) } else { a_second(value, end - begin) };
            Some(Sample { begin, end, value, least: each, greatest: each })
        };
        slots.zip(timeline.rounds.spans()).map(sample).collect()
    }

    /// The minutes that are kept and have ended.
    pub(super) fn by_minute(&self, timeline: &Timeline) -> Vec<Option<Sample>> {
        let slots = self.minutes.slots(timeline.minutes.first(), timeline.minutes.last());
        let sample = |(slot, (begin, end)): (Slot<3>, (u64, u64))| {
            let [value, least, greatest] = match (slot, self.kind) {
                (Slot::Unknown, _) => return None,
                (Slot::Unchanged(_), Kind::Count) => [0; 3],
                (Slot::Unchanged([value, ..]), Kind::Level) => [value; 3],
                (Slot::Changed(values), _) => values,
            };
            let scale = if self.kind == Kind::Level { 1.0 } else { 100.0 };
            Some(Sample { begin, end, value, least: number(least) / scale, greatest: number(greatest) / scale })
        };
        slots.zip(timeline.minutes.spans()).map(sample).collect()
    }
}

impl Open {
    fn ended(self, kind: Kind, rounds: u32) -> [u64; 3] {
        let [total, least, greatest] = self.values;
        // In a round without a record nothing was counted.
        let least = if kind == Kind::Count && self.rounds < rounds { 0 } else { least };
        [total, least, greatest]
    }
}

/// Hundredths a second. What is not nothing is at least one.
fn rate(count: u64, milliseconds: u64) -> u64 {
    let milliseconds = milliseconds.max(1);
    let rounded = count.saturating_mul(100_000).saturating_add(milliseconds / 2) / milliseconds;
    rounded.max(u64::from(count > 0))
}

pub(super) fn a_second(count: u64, milliseconds: u64) -> f64 {
    number(count) * 1000.0 / number(milliseconds.max(1))
}

#[expect(clippy::cast_precision_loss, reason = "what is charted needs no more than 53 bits")]
pub(super) fn number(value: u64) -> f64 {
    value as f64
}

#[cfg(test)]
mod tests;
