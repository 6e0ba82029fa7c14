//! Operations that wait for a lane.
//!
//! A lane takes what has gathered. It waits a moment for callers whom its last batch has released: most of them come back with the
//! next operation, and one batch of many costs the database a fraction of many batches.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use tokio::sync::oneshot;

use crate::shared::handles::OpenLevel;
use crate::shared::operation::{Answer, Claim, Job, Operation, Place, Wanted};
use crate::{QueueId, StoreError};

/// How long a lane waits for those it has released.
const STRAGGLERS: Duration = Duration::from_micros(200);
/// Most operations of a batch.
const MOST: usize = 500;
/// Most bytes of a batch; one longer operation goes alone.
const MOST_BYTES: usize = 4 << 20;

pub(super) type Told = oneshot::Receiver<Result<Answer, StoreError>>;

#[derive(Default)]
pub(super) struct Inbox {
    state: Mutex<State>,
    changed: Condvar,
    /// Raised when those who wait here have to look at something else.
    interrupts: AtomicU64,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    /// Answers to releases that nobody waits for yet.
    releases: Vec<Told>,
    is_closed: bool,
    /// The database is away for longer than callers wait: what comes is refused at once.
    is_refusing: bool,
}

/// What waiting for jobs has led to.
pub(super) enum Gathered {
    Batch(Vec<Job>),
    Interrupted,
    Closed,
}

impl Inbox {
    /// Refused with `Closed`.
    pub(super) fn submit(&self, operation: Operation) -> Told {
        let (sender, told) = oneshot::channel();
        self.push(Job { operation, answer: Some(sender) });
        told
    }

    pub(super) fn push(&self, mut job: Job) {
        let mut state = self.state.lock();
        if state.is_closed {
            drop(state);
            job.tell(Err(StoreError::Closed));
        } else if state.is_refusing {
            job.tell(Err(StoreError::Unreachable));
            state.jobs.extend(job.left_over());
        } else {
            state.jobs.push_back(job);
            drop(state);
            self.changed.notify_one();
        }
    }

    /// Answers `Unreachable` to all that waits, and at once to what comes until `accept`. What remains of it is done then.
    pub(super) fn refuse(&self) {
        let mut state = self.state.lock();
        state.is_refusing = true;
        let jobs = std::mem::take(&mut state.jobs);
        state.jobs = jobs
            .into_iter()
            .filter_map(|mut job| {
                job.tell(Err(StoreError::Unreachable));
                job.left_over()
            })
            .collect();
    }

    pub(super) fn accept(&self) {
        self.state.lock().is_refusing = false;
    }

    /// Jobs that were taken and not done come first again.
    pub(super) fn put_back(&self, jobs: Vec<Job>) {
        let mut state = self.state.lock();
        for job in jobs.into_iter().rev() {
            state.jobs.push_front(job);
        }
    }

    /// Gives messages back without raising their counts. Whoever looks at queues next waits for it: see `settling`.
    pub(super) fn release(&self, places: Vec<Place>, epoch: i64) {
        self.settle_later(Operation::Release { places, epoch });
    }

    /// Gives messages back that a unit of work had got, which ended otherwise than its program asked.
    pub(super) fn back_out(&self, gets: Vec<Claim>) {
        if !gets.is_empty() {
            self.settle_later(Operation::BackOut(gets));
        }
    }

    fn settle_later(&self, operation: Operation) {
        let told = self.submit(operation);
        self.state.lock().releases.push(told);
    }

    /// Releases that are on their way.
    pub(super) fn settling(&self) -> Vec<Told> {
        let mut state = self.state.lock();
        if state.releases.is_empty() { Vec::new() } else { std::mem::take(&mut state.releases) }
    }

    pub(super) fn interrupt(&self) {
        self.interrupts.fetch_add(1, Ordering::Release);
        let _state = self.state.lock();
        self.changed.notify_all();
    }

    pub(super) fn interrupts(&self) -> u64 {
        self.interrupts.load(Ordering::Acquire)
    }

    pub(super) fn close(&self) {
        self.state.lock().is_closed = true;
        self.interrupt();
    }

    pub(super) fn waiting(&self) -> usize {
        self.state.lock().jobs.len()
    }

    /// Waits for a batch, on a thread of its own. `expected`: those who waited when the last batch ended, and those it has answered.
    /// `seen`: interrupts that are known.
    pub(super) fn gather(&self, expected: usize, seen: u64) -> Gathered {
        let mut state = self.state.lock();
        loop {
            if self.interrupts() != seen {
                return if state.is_closed && state.jobs.is_empty() { Gathered::Closed } else { Gathered::Interrupted };
            }
            if !state.jobs.is_empty() {
                break;
            }
            if state.is_closed {
                return Gathered::Closed;
            }
            self.changed.wait(&mut state);
        }
        let until = now() + STRAGGLERS;
        while state.jobs.len() < expected.min(MOST) {
            if self.changed.wait_until(&mut state, until).timed_out() {
                break;
            }
        }
        Gathered::Batch(take_batch(&mut state.jobs))
    }
}

/// From the front as many as go into one transaction. Those that would find the same message twice, or change what a queue is open
/// for a second time, stay for the next one.
fn take_batch(jobs: &mut VecDeque<Job>) -> Vec<Job> {
    let mut batch = Vec::new();
    let mut later = Vec::new();
    let mut named: HashSet<(QueueId, Wanted)> = HashSet::new();
    let mut levels: HashMap<QueueId, Option<OpenLevel>> = HashMap::new();
    let mut bytes = 0;
    while let Some(job) = jobs.pop_front() {
        bytes += job.size();
        let is_full = batch.len() >= MOST || bytes > MOST_BYTES || job.is_alone();
        if is_full && !batch.is_empty() {
            jobs.push_front(job);
            break;
        }
        let alone = job.is_alone();
        let is_first = match &job.operation {
            Operation::Take(taking) if taking.wanted != Wanted::First => {
                named.insert((taking.queue, taking.wanted.clone()))
            }
            // The same wish of several callers is one; what comes behind another one stays behind it.
            Operation::Raise { queue, level } => {
                let first = levels.entry(*queue).or_insert(Some(*level));
                *first = first.filter(|first| first == level);
                first.is_some()
            }
            Operation::Lower { queue, .. } => levels.insert(*queue, None).is_none(),
            _ => true,
        };
        if is_first {
            batch.push(job);
        } else {
            later.push(job);
        }
        if alone || bytes > MOST_BYTES {
            break;
        }
    }
    for job in later.into_iter().rev() {
        jobs.push_front(job);
    }
    batch
}

#[expect(clippy::disallowed_methods, reason = "how long a lane waits for stragglers; no caller sees it")]
fn now() -> Instant {
    Instant::now()
}
