//! A lane: a thread with one connection, which does one batch after the other.
//!
//! A batch whose answer does not come is kept. On the next connection the lane's row says whether it was committed; then its
//! answers are handed out as if they had come, else it is done again.

use std::collections::{BTreeMap, HashMap};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures_util::future::{Either, select};
use tokio::time::{Instant, timeout};
use tracing::warn;

use crate::shared::batch::{BatchId, Failed, Known, Looked, Outcome, attempt};
use crate::shared::driver::{Driver, Phase, Session};
use crate::shared::inbox::{Gathered, Inbox};
use crate::shared::low_water::Recent;
use crate::shared::operation::{Answer, Guard, Job, Manner, Operation, Place, Raised};
use crate::{DeliveryKey, Position, QueueId, StoreError};

/// Commits are waited for until they are on disk, and at a synchronous standby.
pub(super) const LASTING: usize = 0;
/// Commits are answered at once: claims, returns, nonpersistent messages.
pub(super) const LAZY: usize = 1;
pub(super) const LANES: usize = 2;

/// Each batch without an answer in time doubles the time of the next one, up to so many times: long bodies may come over a slow line.
const DOUBLINGS: u32 = 4;

/// Attempts at a batch while others are in the way.
const ATTEMPTS: u32 = 20;

/// Looks of a batch that begin behind a message, before one from the queue's beginning.
const MISSES: u32 = 2;

pub(super) struct Lane {
    pub(super) number: usize,
    pub(super) driver: Arc<Driver>,
    pub(super) inbox: Arc<Inbox>,
    pending: Option<Pending>,
    /// Batches without an answer in time since the last one that had it.
    slow: u32,
    /// Of the last batch that was committed.
    batch: i64,
    /// That the lane belongs to, by its number in the database.
    connection: i64,
    /// How many come with the next batch, if all those return whom the last one has answered.
    expected: usize,
    recent: Recent,
    /// By queue: the lowest message that a batch had locked and that was rolled back. The next one tells the others.
    let_go: BTreeMap<QueueId, DeliveryKey>,
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
        Self {
            number,
            driver,
            inbox,
            pending: None,
            slow: 0,
            batch: 0,
            connection: 0,
            expected: 0,
            recent: Recent::default(),
            let_go: BTreeMap::new(),
        }
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
                Phase::Away => self.give_up(),
                Phase::TakenOver | Phase::Closed => {
                    self.give_up();
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
        let clock = self.driver.positions.clock().cast_signed();
        BatchId { member: session.member, lane, epoch: session.epoch, number, clock, connection: self.connection }
    }

    /// Learns from the database what became of the pending batch.
    async fn resolve(&mut self, session: &Arc<Session>) -> Result<(), Lost> {
        let connected = &session.lanes[self.number];
        let id = self.id(session, 0);
        let parameters: [&(dyn tokio_postgres::types::ToSql + Sync); 3] = [&id.member, &id.lane, &id.epoch];
        let driver = Arc::clone(&self.driver);
        let asked = pin!(connected.client.query_opt(&connected.statements.ask, &parameters));
        let over = pin!(driver.until_over(session.generation));
        let row = match select(asked, over).await {
            Either::Left((Ok(Some(row)), _)) => row,
            Either::Left((Ok(None), _)) => {
                self.driver.fenced(session.generation);
                return Err(Lost);
            }
            Either::Left((Err(error), _)) => {
                self.driver.broken(session.generation, &error);
                return Err(Lost);
            }
            Either::Right(_) => return Err(Lost),
        };
        (self.batch, self.connection) = (row.get(0), row.get(1));
        self.recent.forget();
        if let Some(pending) = self.pending.take() {
            self.driver.counts.asked(self.number, pending.number == self.batch);
            match pending.arrived {
                Some(outcome) if pending.number == self.batch => self.deliver(session, pending.jobs, outcome),
                _ => self.inbox.put_back(pending.jobs.into_iter().filter_map(still_wanted).collect()),
            }
        }
        self.inbox.accept();
        Ok(())
    }

    /// Does batches until something else has to be done.
    async fn serve(&mut self, session: &Arc<Session>, interrupts: u64) -> Result<(), Lost> {
        loop {
            match self.inbox.gather(self.expected, interrupts) {
                Gathered::Batch(jobs) => self.execute(session, jobs).await?,
                Gathered::Interrupted => return Ok(()),
                Gathered::Closed => {
                    self.driver.lane_ended();
                    return Err(Lost);
                }
            }
        }
    }

    async fn execute(&mut self, session: &Arc<Session>, jobs: Vec<Job>) -> Result<(), Lost> {
        let (lost, jobs): (Vec<Job>, Vec<Job>) =
            jobs.into_iter().partition(|job| job.is_of_another_epoch(session.epoch));
        lost.into_iter().for_each(|job| self.refuse(job, &Failed::ClaimsGone));
        let (late, jobs): (Vec<Job>, Vec<Job>) = if self.driver.sealed.is_empty() {
            (Vec::new(), jobs)
        } else {
            jobs.into_iter().partition(|job| job.is_for_sealed(|queue| self.driver.sealed.has(queue)))
        };
        late.into_iter().for_each(|job| self.refuse(job, &Failed::Sealed));
        if jobs.is_empty() {
            return Ok(());
        }
        let mut left = vec![jobs];
        let mut attempts = 0;
        while let Some(jobs) = left.pop() {
            self.pending = Some(Pending { number: self.batch + 1, jobs, arrived: None });
            let result = self.attempt(session).await;
            let Some(Pending { jobs, arrived, .. }) = self.pending.take() else { return Err(Lost) };
            if let Err(failed) = &result {
                self.note_rolled_back(&jobs, failed);
            }
            match (result, arrived) {
                (Ok(()), Some(outcome)) => {
                    self.batch += 1;
                    attempts = 0;
                    self.deliver(session, jobs, outcome);
                }
                (Err(failed @ (Failed::Broken(_) | Failed::TooSlow | Failed::Left)), arrived) => {
                    self.pending = Some(Pending { number: self.batch + 1, jobs, arrived });
                    left.into_iter().for_each(|jobs| self.inbox.put_back(jobs));
                    match failed {
                        Failed::Broken(error) => self.driver.broken(session.generation, &error),
                        Failed::TooSlow => self.driver.too_slow(session.generation),
                        _ => {}
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
                (Err(Failed::Missed(_)), _) => {
                    attempts += 1;
                    if attempts > MISSES {
                        self.look_from_the_beginning(&jobs);
                    }
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

    /// Messages that it had chosen can be taken again, and no count of the database says so.
    fn note_rolled_back(&mut self, jobs: &[Job], failed: &Failed) {
        let places = match failed {
            Failed::Missed(places) => places.clone(),
            // Which ones is not known.
            _ => {
                let beginning = DeliveryKey { rank: 0, position: Position(0) };
                let queues = jobs.iter().filter_map(|job| job.operation.chooses_from());
                queues.map(|queue| Place { queue, key: beginning }).collect()
            }
        };
        for Place { queue, key } in places {
            let lowest = self.let_go.entry(queue).or_insert(key);
            *lowest = key.min(*lowest);
        }
    }

    fn look_from_the_beginning(&self, jobs: &[Job]) {
        for queue in jobs.iter().filter_map(|job| job.operation.chooses_from()) {
            self.driver.figures.know(queue).low_water.reset();
        }
    }

    async fn attempt(&mut self, session: &Arc<Session>) -> Result<(), Failed> {
        let id = self.id(session, self.batch + 1);
        let Some(pending) = &mut self.pending else { return Ok(()) };
        let began = Instant::now();
        let known = Known { figures: &self.driver.figures, recent: &self.recent, let_go: &self.let_go };
        let attempted = attempt(&session.lanes[self.number], id, &pending.jobs, known, &mut pending.arrived);
        let attempted = pin!(timeout(self.driver.options.deadline * 2_u32.pow(self.slow), attempted));
        // A commit at a primary that nothing follows any more is never answered.
        let over = pin!(self.driver.until_over(session.generation));
        match select(attempted, over).await {
            Either::Left((Ok(result), _)) => {
                self.slow = 0;
                if result.is_ok() {
                    self.driver.counts.batch(self.number, pending.jobs.len(), began.elapsed());
                }
                result
            }
            Either::Left((Err(_), _)) => {
                self.slow = (self.slow + 1).min(DOUBLINGS);
                Err(Failed::TooSlow)
            }
            Either::Right(_) => Err(Failed::Left),
        }
    }

    /// What the batch has done is true: figures, then answers.
    fn deliver(&mut self, session: &Session, jobs: Vec<Job>, outcome: Outcome) {
        self.expected = self.inbox.waiting() + jobs.len();
        self.driver.positions.told(outcome.clock);
        self.driver.dead_rows.fetch_add(outcome.dead_rows(), Ordering::Relaxed);
        if let Some(hints) = self.driver.in_common.hints() {
            hints.tell_arrivals(jobs.iter().flat_map(|job| job.operation.arrivals()));
            hints.note_changes(outcome.depths.keys().copied());
        }
        let mut landed: HashMap<QueueId, i64> = HashMap::new();
        for row in jobs.iter().flat_map(|job| job.operation.rows()) {
            row.staged.land(row.message.expires);
            *landed.entry(row.message.queue).or_default() += 1;
        }
        self.recent.note_rows(outcome.changed_queues());
        for (queue, (messages, bytes)) in outcome.depths {
            let landed = landed.remove(&queue).unwrap_or(0);
            self.driver.figures.know(queue).committed(messages, bytes, landed);
        }
        for Looked { queue, look, last, opened } in outcome.looks {
            self.driver.figures.know(queue).low_water.looked(&look, last, &opened);
        }
        self.let_go.clear();
        outcome.opens.into_iter().for_each(|(queue, opens)| self.recent.note(queue, opens));
        // In the order of the transaction: what it gave back, another job of it may have taken.
        jobs.iter().for_each(|job| self.note_given_back(&job.operation));
        for ((mut job, mut answer), is_locked) in jobs.into_iter().zip(outcome.answers).zip(outcome.locked) {
            if let (Operation::Lock(place), true) = (&job.operation, is_locked) {
                answer = Answer::Locked(Some(self.guard(*place, session.epoch)));
            }
            self.note_claims(&job.operation, &mut answer);
            job.tell(Ok(answer));
        }
    }

    fn guard(&self, place: Place, epoch: i64) -> Guard {
        Guard { place, epoch, inbox: Arc::downgrade(&self.driver.inboxes[LAZY]), is_kept: false }
    }

    /// Which messages are not this member's any more.
    fn note_given_back(&self, operation: &Operation) {
        let mut claims = self.driver.claims.lock();
        let mut forget = |place: &Place, epoch: i64| {
            if claims.get(place) == Some(&epoch) {
                claims.remove(place);
            }
        };
        match operation {
            Operation::Commit { work, .. } | Operation::Prepare { work, .. } => {
                work.gets.iter().for_each(|claim| forget(&claim.place, claim.epoch));
            }
            Operation::BackOut(gets) => gets.iter().for_each(|claim| forget(&claim.place, claim.epoch)),
            Operation::Release { places, epoch } => places.iter().for_each(|place| forget(place, *epoch)),
            _ => {}
        }
    }

    /// Which messages are this member's now.
    fn note_claims(&self, operation: &Operation, answer: &mut Answer) {
        let mut claims = self.driver.claims.lock();
        match (operation, answer) {
            (Operation::Take(taking), Answer::Taken(Some(taken))) => {
                if taking.manner == Manner::Claim {
                    claims.insert(taken.claim.place, taken.claim.epoch);
                    taken.guard = Some(self.guard(taken.claim.place, taken.claim.epoch));
                } else {
                    // It may have been locked by the browser who got it.
                    claims.remove(&taken.claim.place);
                }
            }
            (Operation::ClaimAll { .. }, Answer::AllTaken(Some(all))) => {
                for taken in all {
                    claims.insert(taken.claim.place, taken.claim.epoch);
                    taken.guard = Some(self.guard(taken.claim.place, taken.claim.epoch));
                }
            }
            (Operation::Lock(place), Answer::Locked(Some(guard))) => {
                claims.insert(*place, guard.epoch);
            }
            (Operation::Raise { queue, level }, Answer::Raised(Raised::Done)) => {
                let figures = self.driver.figures.know(*queue);
                figures.handles.raised(&self.driver, &figures, *level);
            }
            _ => {}
        }
    }

    /// A job that cannot be done. What a unit of work had got goes back.
    fn refuse(&self, mut job: Job, failed: &Failed) {
        let answer = match (failed, &job.operation) {
            (Failed::ClaimsGone, Operation::ClaimAll { .. }) => Ok(Answer::AllTaken(None)),
            (Failed::ClaimsGone, _) => Err(StoreError::BackedOut),
            (Failed::Sealed, Operation::Commit { .. } | Operation::Prepare { .. }) => Err(StoreError::BackedOut),
            (Failed::Sealed, _) => Err(StoreError::UnknownQueue),
            (Failed::ReceiptTaken, _) => Err(StoreError::ReceiptTaken),
            (Failed::Refused(error), _) => {
                warn!(
                    error = error as &dyn std::error::Error,
                    lane = self.number,
                    "the group's database refuses an operation"
                );
                Err(StoreError::Database)
            }
            (Failed::Unreadable, _) => {
                warn!(
                    "a message of the group has a descriptor that this version does not know: it is left for other members"
                );
                Err(StoreError::Database)
            }
            _ => Err(StoreError::Unreachable),
        };
        if let Operation::Commit { work, .. } | Operation::Prepare { work, .. } = &job.operation {
            self.driver.inboxes[LAZY].back_out(work.gets.clone());
        }
        job.tell(answer);
    }

    /// Callers wait no longer; what became of the last batch is learnt when the database is back.
    fn give_up(&mut self) {
        for job in self.pending.iter_mut().flat_map(|pending| &mut pending.jobs) {
            job.tell(Err(StoreError::Unreachable));
        }
        self.inbox.refuse();
    }
}

/// Of a job that was not done: all of it, or what is left when its caller was told so.
fn still_wanted(job: Job) -> Option<Job> {
    if job.answer.is_some() { Some(job) } else { job.left_over() }
}
