//! A lane: a thread with one connection, which does one batch after the other.
//!
//! A batch whose answer does not come is kept. On the next connection the lane's row says whether it was committed; then its
//! answers are handed out as if they had come, else it is done again.

use std::sync::Arc;

use tokio::time::timeout;
use tracing::warn;

use crate::StoreError;
use crate::shared::batch::{BatchId, Failed, Outcome, attempt};
use crate::shared::driver::{Driver, Phase, Session};
use crate::shared::inbox::{Gathered, Inbox};
use crate::shared::operation::{Answer, Guard, Job, Manner, Operation, Place};

/// Commits are waited for until they are on disk, and at a synchronous standby.
pub(super) const LASTING: usize = 0;
/// Commits are answered at once: claims, returns, nonpersistent messages.
pub(super) const LAZY: usize = 1;
pub(super) const LANES: usize = 2;

/// Attempts at a batch while others are in the way.
const ATTEMPTS: u32 = 20;

pub(super) struct Lane {
    pub(super) number: usize,
    pub(super) driver: Arc<Driver>,
    pub(super) inbox: Arc<Inbox>,
    pending: Option<Pending>,
    /// Of the last batch that was committed.
    batch: i64,
    /// How many come with the next batch, if all those return whom the last one has answered.
    expected: usize,
}

/// A batch that was sent, and not known to be over.
struct Pending {
    number: i64,
    jobs: Vec<Job>,
    arrived: Option<Outcome>,
}

/// The session is of no use to this lane any more.
struct Lost;

impl Lane {
    pub(super) fn new(number: usize, driver: Arc<Driver>) -> Self {
        let inbox = Arc::clone(&driver.inboxes[number]);
        Self { number, driver, inbox, pending: None, batch: 0, expected: 0 }
    }

    /// Until the store is closed.
    pub(super) async fn run(mut self) {
        let mut phases = self.driver.phase.subscribe();
        let mut done = 0;
        loop {
            let interrupts = self.inbox.interrupts();
            let phase = phases.borrow_and_update().clone();
            match phase {
                Phase::Resolving(session) if session.generation > done => {
                    if self.resolve(&session).await.is_ok() {
                        done = session.generation;
                        self.driver.lane_resolved(session.generation);
                    }
                }
                Phase::Open(session) if session.generation == done => {
                    if self.serve(&session, interrupts).await.is_ok() {
                        continue;
                    }
                }
                Phase::Away => self.give_up_pending(),
                Phase::TakenOver | Phase::Closed => {
                    self.give_up_pending();
                    refuse(self.inbox.drain());
                    return;
                }
                Phase::Resolving(_) | Phase::Open(_) | Phase::Connecting => {}
            }
            if phases.changed().await.is_err() {
                return;
            }
        }
    }

    fn id(&self, session: &Session, number: i64) -> BatchId {
        let lane = i32::try_from(self.number).expect("there are few lanes");
        BatchId { member: session.member, lane, epoch: session.epoch, number }
    }

    /// Learns from the database what became of the pending batch.
    async fn resolve(&mut self, session: &Arc<Session>) -> Result<(), Lost> {
        let connected = &session.lanes[self.number];
        let id = self.id(session, 0);
        let asked =
            async { connected.client.query_opt(&connected.statements.ask, &[&id.member, &id.lane, &id.epoch]).await };
        let row = match timeout(self.driver.options.patience, asked).await {
            Ok(Ok(Some(row))) => row,
            Ok(Ok(None)) => {
                self.driver.fenced(session.generation);
                return Err(Lost);
            }
            Ok(Err(error)) => {
                self.driver.broken(session.generation, &error);
                return Err(Lost);
            }
            Err(_) => {
                self.driver.too_slow(session.generation);
                return Err(Lost);
            }
        };
        self.batch = row.get(0);
        if let Some(pending) = self.pending.take() {
            match pending.arrived {
                Some(outcome) if pending.number == self.batch => self.deliver(session, pending.jobs, outcome),
                _ => self.inbox.put_back(pending.jobs),
            }
        }
        Ok(())
    }

    /// Does batches until something else has to be done.
    async fn serve(&mut self, session: &Arc<Session>, interrupts: u64) -> Result<(), Lost> {
        loop {
            match self.inbox.gather(self.expected, interrupts) {
                Gathered::Batch(jobs) => self.execute(session, jobs).await?,
                Gathered::Interrupted => return Ok(()),
                Gathered::Closed => return Err(Lost),
            }
        }
    }

    async fn execute(&mut self, session: &Arc<Session>, jobs: Vec<Job>) -> Result<(), Lost> {
        let mut left = vec![jobs];
        let mut attempts = 0;
        while let Some(jobs) = left.pop() {
            self.pending = Some(Pending { number: self.batch + 1, jobs, arrived: None });
            let result = self.attempt(session).await;
            let Some(Pending { jobs, arrived, .. }) = self.pending.take() else { return Err(Lost) };
            match (result, arrived) {
                (Ok(()), Some(outcome)) => {
                    self.batch += 1;
                    attempts = 0;
                    self.deliver(session, jobs, outcome);
                }
                (Err(failed @ (Failed::Broken(_) | Failed::TooSlow)), arrived) => {
                    self.pending = Some(Pending { number: self.batch + 1, jobs, arrived });
                    left.into_iter().for_each(|jobs| self.inbox.put_back(jobs));
                    match failed {
                        Failed::Broken(error) => self.driver.broken(session.generation, &error),
                        _ => self.driver.too_slow(session.generation),
                    }
                    return Err(Lost);
                }
                (Err(Failed::Fenced), _) => {
                    left.push(jobs);
                    left.into_iter().for_each(|jobs| self.inbox.put_back(jobs));
                    self.driver.fenced(session.generation);
                    return Err(Lost);
                }
                (Err(Failed::Again), _) if attempts < ATTEMPTS => {
                    attempts += 1;
                    left.push(jobs);
                }
                (Err(failed), _) if jobs.len() == 1 => {
                    attempts = 0;
                    jobs.into_iter().for_each(|job| self.refuse(job, &failed));
                }
                // One of them fails: the others are done by themselves.
                (_, _) => left.extend(jobs.into_iter().rev().map(|job| vec![job])),
            }
        }
        Ok(())
    }

    async fn attempt(&mut self, session: &Arc<Session>) -> Result<(), Failed> {
        let id = self.id(session, self.batch + 1);
        let Some(pending) = &mut self.pending else { return Ok(()) };
        let attempted = attempt(&session.lanes[self.number], id, &pending.jobs, &mut pending.arrived);
        match timeout(self.driver.options.deadline, attempted).await {
            Ok(result) => result,
            Err(_) => Err(Failed::TooSlow),
        }
    }

    /// What the batch has done is true: figures, then answers.
    fn deliver(&mut self, session: &Session, jobs: Vec<Job>, outcome: Outcome) {
        self.expected = self.inbox.waiting() + jobs.len();
        self.driver.positions.told(outcome.clock);
        if let Some(hints) = session.hints() {
            hints.tell_arrivals(jobs.iter().flat_map(|job| job.operation.arrivals()));
        }
        for (queue, (messages, bytes)) in outcome.depths {
            self.driver.figures.know(queue).committed(messages, bytes);
        }
        for (mut job, mut answer) in jobs.into_iter().zip(outcome.answers) {
            self.note_claims(&job.operation, &mut answer);
            job.tell(Ok(answer));
        }
    }

    /// Which messages are this member's now.
    fn note_claims(&self, operation: &Operation, answer: &mut Answer) {
        let lazy = Arc::downgrade(&self.driver.inboxes[LAZY]);
        let guard = |place: Place| Some(Guard { place, inbox: lazy.clone(), is_kept: false });
        let mut claims = self.driver.claims.lock();
        match (operation, answer) {
            (Operation::Take(taking), Answer::Taken(Some(taken))) => {
                if taking.manner == Manner::Claim {
                    claims.insert(taken.claim.place);
                    taken.guard = guard(taken.claim.place);
                } else {
                    // It may have been locked by the browser who got it.
                    claims.remove(&taken.claim.place);
                }
            }
            (Operation::ClaimAll { .. }, Answer::AllTaken(Some(all))) => {
                for taken in all {
                    claims.insert(taken.claim.place);
                    taken.guard = guard(taken.claim.place);
                }
            }
            (Operation::Lock(place), Answer::Locked(true)) => {
                claims.insert(*place);
            }
            (Operation::Commit { work, .. } | Operation::Prepare { work, .. }, _) => {
                work.gets.iter().for_each(|claim| {
                    claims.remove(&claim.place);
                });
            }
            (Operation::BackOut(gets), _) => gets.iter().for_each(|claim| {
                claims.remove(&claim.place);
            }),
            (Operation::Release(places), _) => places.iter().for_each(|place| {
                claims.remove(place);
            }),
            _ => {}
        }
    }

    /// A job that cannot be done.
    fn refuse(&self, mut job: Job, failed: &Failed) {
        let answer = match (failed, &job.operation) {
            (Failed::ClaimsGone, Operation::ClaimAll { .. }) => Ok(Answer::AllTaken(None)),
            (Failed::ClaimsGone, Operation::Commit { work, .. } | Operation::Prepare { work, .. }) => {
                self.driver.inboxes[LAZY].back_out(work.gets.clone());
                Err(StoreError::BackedOut)
            }
            (Failed::ReceiptTaken, Operation::Commit { work, .. }) => {
                self.driver.inboxes[LAZY].back_out(work.gets.clone());
                Err(StoreError::ReceiptTaken)
            }
            (Failed::Refused(error), operation) => {
                warn!(
                    error = error as &dyn std::error::Error,
                    lane = self.number,
                    "the group's database refuses an operation"
                );
                if let Operation::Commit { work, .. } | Operation::Prepare { work, .. } = operation {
                    self.driver.inboxes[LAZY].back_out(work.gets.clone());
                }
                Err(StoreError::Database)
            }
            _ => Err(StoreError::Unreachable),
        };
        job.tell(answer);
    }

    /// The database is away for longer than callers wait.
    fn give_up_pending(&mut self) {
        if let Some(pending) = &mut self.pending {
            for job in &mut pending.jobs {
                job.tell(Err(StoreError::Unreachable));
            }
        }
        let jobs = self.inbox.drain();
        let kept = refuse(jobs);
        self.inbox.put_back(kept);
    }
}

/// Answers `Unreachable`. What remains has to be done once the database is back: messages that units of work had got.
fn refuse(jobs: Vec<Job>) -> Vec<Job> {
    let mut kept = Vec::new();
    for mut job in jobs {
        job.tell(Err(StoreError::Unreachable));
        match job.operation {
            Operation::Commit { work, .. } | Operation::Prepare { work, .. } if !work.gets.is_empty() => {
                kept.push(Job { operation: Operation::BackOut(work.gets), answer: None });
            }
            Operation::BackOut(_) | Operation::Release(_) | Operation::Forget(_) => kept.push(job),
            _ => {}
        }
    }
    kept
}
