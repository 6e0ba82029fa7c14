//! How often a load is repeated, and for how long each time.
//!
//! The speed of a machine drifts, so loads that are compared are measured in rounds: each once, and the next round in the
//! opposite order. Full runs go on until every spread is small or a bound is met; quick ones divide a budget of time.

use std::time::Duration;

/// How an experiment is to spend its time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    pub quick: bool,
    /// For the whole experiment, in a quick run.
    pub budget: Duration,
    /// Repetitions instead of those below, for tests.
    pub repetitions: Option<usize>,
}

/// Rounds of a quick run.
const QUICK_ROUNDS: usize = 3;
/// Rounds of a full run: at least, at most, and the spread in percent that ends them in between.
const LEAST_ROUNDS: usize = 5;
const MOST_ROUNDS: usize = 12;
const SMALL_SPREAD: f64 = 5.0;
/// What one repetition takes beside its measured time: connecting, logging in, warming up.
const AROUND: Duration = Duration::from_millis(250);
/// How much longer than planned quick repetitions may take before there are fewer of them.
const GRACE: f64 = 1.1;
/// Least and most of one repetition's measured time.
const SHORTEST: Duration = Duration::from_millis(150);
const LONGEST_QUICK: Duration = Duration::from_secs(2);
const LENGTH: Duration = Duration::from_secs(4);
const WARMUP: Duration = Duration::from_secs(1);

impl Effort {
    /// Has enough been seen after `done` rounds? `spreads` are those of the loads' main figures, in percent; `has_time` is
    /// for quick runs, on machines that are slower than planned.
    pub fn is_enough(&self, done: usize, has_time: bool, spreads: impl IntoIterator<Item = Option<f64>>) -> bool {
        if let Some(wanted) = self.repetitions {
            return done >= wanted;
        }
        if self.quick {
            return done >= QUICK_ROUNDS || (done > 0 && !has_time);
        }
        let all_small = || spreads.into_iter().all(|spread| spread.is_some_and(|spread| spread <= SMALL_SPREAD));
        done >= MOST_ROUNDS || (done >= LEAST_ROUNDS && all_small())
    }

    /// Is there time for one more round like the `done` ones, which took `taken` of this part of the budget?
    pub fn has_time(&self, done: usize, taken: Duration, part: f64) -> bool {
        let done = u32::try_from(done).unwrap_or(u32::MAX).max(1);
        taken + taken / done <= self.budget.mul_f64(part).mul_f64(GRACE)
    }

    /// Most rounds that there can be: the length of a progress bar.
    pub fn most_rounds(&self) -> usize {
        self.repetitions.unwrap_or(if self.quick { QUICK_ROUNDS } else { MOST_ROUNDS })
    }

    /// Measured time of one repetition, when `loads` share `part` of the budget.
    pub fn length(&self, loads: usize, part: f64) -> Duration {
        if !self.quick {
            return LENGTH;
        }
        let repetitions = u32::try_from(loads.max(1) * self.most_rounds()).unwrap_or(u32::MAX);
        let each = self.budget.mul_f64(part) / repetitions;
        each.saturating_sub(AROUND).clamp(SHORTEST, LONGEST_QUICK)
    }

    pub fn warmup(&self) -> Duration {
        if self.quick { Duration::from_millis(150) } else { WARMUP }
    }

    /// In words, for the head of a page.
    pub fn describe(&self) -> String {
        match (self.repetitions, self.quick) {
            (Some(1), _) => "each point measured once".to_owned(),
            (Some(count), _) => format!("{count} repetitions of each point"),
            (None, true) => format!("quick: {QUICK_ROUNDS} short repetitions of each point"),
            (None, false) => format!(
                "{LEAST_ROUNDS} to {MOST_ROUNDS} repetitions of each point, until the spread is below {SMALL_SPREAD} %"
            ),
        }
    }
}

/// Places of a round's loads: forwards and backwards in turn.
pub fn order(round: usize, loads: usize) -> Vec<usize> {
    if round.is_multiple_of(2) { (0..loads).collect() } else { (0..loads).rev().collect() }
}

#[cfg(test)]
mod tests;
