//! Beginnings at a given rate, independent of the server.
//!
//! A thread of its own says when a transaction is due; the first client that is free begins it. Its response time counts from
//! when it was due, so that a server that stalls is charged for everybody who would have come meanwhile.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

use super::control::{Control, Phase};
use crate::error::WorkloadError;
use crate::measure;

/// Beginnings that are remembered while no client is free for them; more are counted only.
const MOST_WAITING: usize = 1_000_000;
/// How often the thread looks whether the run has changed its phase.
const LOOK: Duration = Duration::from_millis(5);

/// Transactions that are due and not begun.
pub(crate) struct Pace {
    per_second: f64,
    due: Mutex<Waiting>,
    free: Semaphore,
}

#[derive(Default)]
struct Waiting {
    times: VecDeque<Instant>,
    /// Due when `times` was full.
    beyond: u64,
    /// When the phase began: what was due before belongs to another.
    since: Option<Instant>,
}

impl Waiting {
    fn has_forgotten(&self, time: Instant) -> bool {
        self.since.is_some_and(|since| time < since)
    }
}

impl Pace {
    pub(crate) fn new(per_second: f64) -> Self {
        Self { per_second, due: Mutex::default(), free: Semaphore::new(0) }
    }

    /// Waits for the next transaction to be due, which may have been long ago. Dropping the future loses none.
    pub(crate) async fn next(&self) -> Option<Instant> {
        self.free.acquire().await.ok()?.forget();
        self.waiting().times.pop_front()
    }

    /// Transactions that should have begun and have not.
    pub(crate) fn behind(&self) -> u64 {
        let due = self.waiting();
        due.times.len() as u64 + due.beyond
    }

    /// A phase begins at this time: what was due before is neither begun in it nor missing at its end.
    pub(crate) fn forget_before(&self, time: Instant) {
        let mut due = self.waiting();
        *due = Waiting { since: Some(time), ..Waiting::default() };
        self.free.forget_permits(self.free.available_permits());
    }

    /// Whether a transaction that was due at this time belongs to an earlier phase.
    pub(crate) fn has_forgotten(&self, time: Instant) -> bool {
        self.waiting().has_forgotten(time)
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.due.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, time: Instant) {
        let mut due = self.waiting();
        // The thread may come a little late to a time of the phase before.
        if due.has_forgotten(time) {
            return;
        }
        if due.times.len() < MOST_WAITING {
            due.times.push_back(time);
            drop(due);
            self.free.add_permits(1);
        } else {
            due.beyond += 1;
        }
    }

    /// Starts the thread; it ends with the run.
    ///
    /// # Errors
    /// There is no thread to be had.
    pub(crate) fn start(self: &Arc<Self>, control: Arc<Control>) -> Result<std::thread::JoinHandle<()>, WorkloadError> {
        let pace = Arc::clone(self);
        let beat = move || {
            while control.phase() != Phase::Stopping {
                if control.phase().is_working() {
                    pace.beat(&control);
                } else {
                    std::thread::sleep(LOOK);
                }
            }
        };
        std::thread::Builder::new().name("pace".to_owned()).spawn(beat).map_err(WorkloadError::Thread)
    }

    /// One stretch of work, from its first transaction until clients are to rest.
    fn beat(&self, control: &Control) {
        let (begin, mut count) = (measure::now(), 0_u64);
        while control.phase().is_working() {
            #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 transactions")]
            let time = begin + Duration::from_secs_f64(count as f64 / self.per_second);
            let left = time.saturating_duration_since(measure::now());
            if left.is_zero() {
                self.add(time);
                count += 1;
            } else {
                std::thread::sleep(left.min(LOOK));
            }
        }
    }
}

#[cfg(test)]
mod tests;
