//! The task of a job: does what is to be done batch by batch, and records each batch and the end.
//!
//! What is done with a message, `carrying.rs` and `undoing.rs` decide. The task gives its thread to others after every few
//! messages and at each commit.

use std::sync::Arc;

use connection::pool::Lent;
use model::reason::Reason;
use model::timestamp::Timestamp;
use queue_manager::connection::Connection;
use queue_manager::{Clock, SystemClock};
use tokio::sync::oneshot;

use super::batch::Batch;
use super::carrying::Carrying;
use super::record::State;
use super::undoing::Undoing;
use super::{Job, local};

/// Messages after which others have their turn, and after which the counts are shown though nothing was done.
pub(super) const STEPS_OF_A_TURN: u32 = 8;
pub(super) const STEPS_OF_A_BATCH: u32 = 4096;

pub(super) struct Runner {
    job: Arc<Job>,
    work: Work,
}

pub(super) enum Work {
    Carry(Box<Carrying>),
    Undo(Box<Undoing>),
}

/// How a batch ended.
pub(super) enum Ended {
    /// There may be more messages.
    More,
    Over(State, Option<Reason>),
}

impl Runner {
    pub(super) fn new(job: Arc<Job>, work: Work) -> Self {
        Self { job, work }
    }

    /// `begun` is told once the job is on record.
    pub(super) async fn run(mut self, mut lent: Lent, begun: oneshot::Sender<Result<(), Reason>>) {
        let job = Arc::clone(&self.job);
        let over = Over(&job);
        let Ok(connection) = local(&mut lent) else { return };
        let recorded = Batch::after(&self.job).commit(connection, &self.job, SystemClock.now()).await;
        let is_recorded = recorded.is_ok();
        // A client that has gone needs no answer.
        let _ = begun.send(recorded);
        if !is_recorded {
            return;
        }
        let ended = self.work(connection).await;
        match &mut self.work {
            Work::Carry(carrying) => carrying.close(connection).await,
            Work::Undo(undoing) => undoing.close(connection).await,
        }
        if ended.is_ok() {
            lent.give_back();
        }
        drop(over);
    }

    /// # Errors
    /// The end of the job could not be recorded.
    async fn work(&mut self, connection: &Connection) -> Result<(), Reason> {
        loop {
            let mut batch = Batch::after(&self.job);
            let (state, reason) = match self.fill(connection, &mut batch).await {
                Ended::More => match batch.commit(connection, &self.job, SystemClock.now()).await {
                    Ok(()) => continue,
                    // Its messages are where they were.
                    Err(reason) => {
                        batch = Batch::after(&self.job);
                        end_of(reason)
                    }
                },
                Ended::Over(state, reason) => (state, reason),
            };
            let mut last = Batch::after(&self.job);
            let now = SystemClock.now();
            batch.record.end(state, reason, now);
            if let Err(refused) = batch.commit(connection, &self.job, now).await {
                let (state, reason) = end_of(reason.unwrap_or(refused));
                last.record.end(state, reason, now);
                *self.job.record.lock() = last.record.clone();
                last.commit(connection, &self.job, now).await?;
            }
            return Ok(());
        }
    }

    async fn fill(&mut self, connection: &Connection, batch: &mut Batch) -> Ended {
        match &mut self.work {
            Work::Carry(carrying) => carrying.fill(connection, &self.job, batch).await,
            Work::Undo(undoing) => undoing.fill(connection, &self.job, batch).await,
        }
    }
}

/// Whether what is wrong is wrong for all messages to come: with the log, the connection or the queue manager.
pub(super) fn is_about_all(reason: Reason) -> bool {
    reason.ends_connection()
        || matches!(
            reason,
            Reason::BackedOut
                | Reason::GetInhibited
                | Reason::HobjError
                | Reason::ResourceProblem
                | Reason::StorageNotAvailable
                | Reason::StorageMediumFull
                | Reason::FileSystemError
                | Reason::SyncpointLimitReached
                | Reason::ContextHandleError
                | Reason::ContextNotAvailable
                | Reason::OptionsError
                | Reason::UnexpectedError
        )
}

/// How a job ends that meets this reason.
fn end_of(reason: Reason) -> (State, Option<Reason>) {
    (if reason.ends_connection() { State::Interrupted } else { State::Failed }, Some(reason))
}

pub(super) fn over(reason: Reason) -> Ended {
    let (state, reason) = end_of(reason);
    Ended::Over(state, reason)
}

/// A job whose task has ended is not running, however it ended.
struct Over<'a>(&'a Job);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        let mut record = self.0.record.lock();
        if record.state == State::Running {
            let now: Timestamp = SystemClock.now();
            record.end(State::Interrupted, None, now);
        }
    }
}
