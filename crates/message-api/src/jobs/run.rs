//! The task of a job: looks at one message after the other, does what was ordered, and commits batch by batch.
//!
//! Each message is browsed first, and taken by its token: what another program takes meanwhile is that program's. The task gives
//! its thread to others after every few messages and at each commit.

use std::sync::Arc;

use connection::pool::Lent;
use model::authority::Principal;
use model::message::Message;
use model::options::{CloseOptions, GetFlags, GetOptions, MatchOptions, ObjectDescriptor, PutFlags, PutOptions};
use model::reason::Reason;
use model::timestamp::Timestamp;
use queue_manager::connection::{Connection, GetResult};
use queue_manager::{Clock, SystemClock};
use tokio::sync::oneshot;

use super::batch::{Batch, revived};
use super::record::State;
use super::{Action, Job, Order, Ways, local};
use crate::content::Content;
use crate::dead_letters::{self, Kind};

/// Messages after which others have their turn, and after which the counts are shown though nothing was done.
const STEPS_OF_A_TURN: u32 = 8;
const STEPS_OF_A_BATCH: u32 = 4096;

pub(super) struct Runner {
    job: Arc<Job>,
    order: Order,
    principal: Principal,
    ways: Ways,
    browse: GetOptions,
}

/// How a batch ended.
enum Ended {
    /// There may be more messages.
    More,
    Over(State, Option<Reason>),
}

impl Runner {
    pub(super) fn new(job: Arc<Job>, order: Order, principal: Principal, ways: Ways) -> Self {
        let mut browse = order.matched.clone();
        browse.flags |= GetFlags::NO_SYNCPOINT
            | GetFlags::BROWSE_NEXT
            | GetFlags::FAIL_IF_QUIESCING
            | GetFlags::PROPERTIES_FORCE_MQRFH2;
        let needs_body = matches!(order.action, Action::Copy | Action::Replay)
            || order.contains.is_some()
            || order.dead_letter.is_some();
        if !needs_body {
            browse.flags |= GetFlags::ACCEPT_TRUNCATED_MSG;
            browse.buffer_length = Some(0);
        }
        Self { job, order, principal, ways, browse }
    }

    /// `begun` is told once the job is on record.
    pub(super) async fn run(self, mut lent: Lent, begun: oneshot::Sender<Result<(), Reason>>) {
        let over = Over(&self.job);
        let Ok(connection) = local(&mut lent) else { return };
        let recorded = Batch::after(&self.job).commit(connection, &self.job, SystemClock.now()).await;
        let is_recorded = recorded.is_ok();
        // A client that has gone needs no answer.
        let _ = begun.send(recorded);
        if !is_recorded {
            return;
        }
        let ended = self.work(connection).await;
        let _ = connection.close(self.ways.source, CloseOptions::empty()).await;
        if ended.is_ok() {
            lent.give_back();
        }
        drop(over);
    }

    /// # Errors
    /// The end of the job could not be recorded.
    async fn work(&self, connection: &Connection) -> Result<(), Reason> {
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

    async fn fill(&self, connection: &Connection, batch: &mut Batch) -> Ended {
        for step in 1..=STEPS_OF_A_BATCH {
            if self.job.is_cancelled() {
                return Ended::Over(State::Cancelled, None);
            }
            if self.order.limit.is_some_and(|limit| batch.record.counts.done >= limit) {
                return Ended::Over(State::Done, None);
            }
            if batch.is_full() {
                return Ended::More;
            }
            let seen = match connection.get(self.ways.source, &self.browse).await {
                Ok(seen) => seen,
                Err(Reason::NoMsgAvailable) => return Ended::Over(State::Done, None),
                Err(reason) => return over(reason),
            };
            if let Err(reason) = self.look_at(connection, &seen, batch).await {
                return over(reason);
            }
            if step % STEPS_OF_A_TURN == 0 {
                tokio::task::yield_now().await;
            }
        }
        Ended::More
    }

    /// # Errors
    /// What ends the job.
    async fn look_at(&self, connection: &Connection, seen: &GetResult, batch: &mut Batch) -> Result<(), Reason> {
        let position = seen.position();
        let is_named = self.order.positions.as_ref().is_none_or(|positions| positions.contains(&position));
        let ids = self.order.ids.as_ref();
        let is_named = is_named && ids.is_none_or(|ids| ids.contains(&seen.descriptor.message_id));
        if position >= self.ways.bound || !is_named {
            return Ok(());
        }
        batch.record.counts.seen += 1;
        if self.order.dead_letter.as_ref().is_some_and(|wanted| !wanted.fits(&kind(&seen.message))) {
            return Ok(());
        }
        let wanted = self.order.contains.as_deref();
        if wanted.is_some_and(|text| !Content::of(&seen.message).contains(text)) {
            return Ok(());
        }
        let revived = (self.order.action == Action::Replay).then(|| self.revived(connection, &seen.message));
        if matches!(revived, Some(None)) {
            batch.record.failed(seen.position(), seen.descriptor.message_id, None);
            return Ok(());
        }
        if self.order.is_dry {
            let target = revived.flatten().map(|(object, _)| object.name.to_string());
            batch.record.would_do(position, seen.arrived, seen.data_length, target);
            return Ok(());
        }
        match self.carry(connection, seen).await {
            Ok(Some(bytes)) => {
                batch.add(connection, bytes);
                if matches!(self.order.action, Action::Move | Action::Copy) {
                    batch.put(seen.descriptor.message_id);
                }
                batch.record.counts.done += 1;
                batch.record.bytes += bytes as u64;
                Ok(())
            }
            // Another program took it.
            Ok(None) => Ok(()),
            Err(reason) => {
                connection.back_out().await?;
                if self.ends_job(reason) {
                    return Err(reason);
                }
                batch.record.failed(seen.position(), seen.descriptor.message_id, Some(reason));
                Ok(())
            }
        }
    }

    /// Does what was ordered with one message, in the unit of work of the connection. Says how long the message is; `None` when
    /// it is gone.
    async fn carry(&self, connection: &Connection, seen: &GetResult) -> Result<Option<usize>, Reason> {
        if self.order.action == Action::Copy {
            let to = self.order.to.unwrap_or(self.order.queue);
            let object = ObjectDescriptor { name: to, ..ObjectDescriptor::default() };
            self.put(connection, &object, (*seen.message).clone()).await?;
            return Ok(Some(seen.data_length));
        }
        let mut options = self.order.matched.clone();
        options.flags = GetFlags::SYNCPOINT | GetFlags::FAIL_IF_QUIESCING | GetFlags::PROPERTIES_FORCE_MQRFH2;
        options.match_options |= MatchOptions::MSG_TOKEN;
        options.message_token = seen.message_token;
        let taken = match connection.get(self.ways.source, &options).await {
            Ok(taken) => taken.message,
            Err(Reason::NoMsgAvailable) => return Ok(None),
            Err(reason) => return Err(reason),
        };
        let length = taken.body.len();
        match self.order.action {
            Action::Purge | Action::Copy => {}
            Action::Move => {
                let name = self.order.to.unwrap_or(self.order.queue);
                self.put(connection, &ObjectDescriptor { name, ..ObjectDescriptor::default() }, *taken).await?;
            }
            Action::Replay => {
                let (object, revived) = self.revived(connection, &taken).ok_or(Reason::DlhError)?;
                self.put(connection, &object, revived).await?;
            }
        }
        Ok(Some(length))
    }

    fn revived(&self, connection: &Connection, message: &Message) -> Option<(ObjectDescriptor, Message)> {
        let (mut object, message) = revived(message, &connection.queue_manager().name())?;
        if let Some(name) = self.order.to {
            object = ObjectDescriptor { name, ..ObjectDescriptor::default() };
        }
        (!object.name.is_blank()).then_some((object, message))
    }

    async fn put(&self, connection: &Connection, object: &ObjectDescriptor, message: Message) -> Result<(), Reason> {
        let flags = PutFlags::SYNCPOINT | PutFlags::FAIL_IF_QUIESCING | self.ways.context;
        let options = PutOptions { flags, context: Some(self.ways.source.0) };
        connection.put1_message(&self.principal, object, Box::new(message), &options).await.map(drop)
    }

    /// Whether a message that is refused so is the last: what is wrong with one queue, with the log or with the queue manager
    /// is wrong for all messages to come.
    fn ends_job(&self, reason: Reason) -> bool {
        let is_about_the_queue = matches!(
            reason,
            Reason::NotAuthorized
                | Reason::PutInhibited
                | Reason::QFull
                | Reason::QDeleted
                | Reason::ObjectChanged
                | Reason::QSpaceNotAvailable
                | Reason::QTypeError
                | Reason::ObjectTypeError
                | Reason::UnknownAliasBaseQ
                | Reason::AliasBaseQTypeError
                | Reason::UnknownObjectName
                | Reason::UnknownObjectQMgr
                | Reason::UnknownRemoteQMgr
                | Reason::UnknownXmitQ
                | Reason::UnknownDefXmitQ
        );
        // Of a replay each message names its own queue.
        let is_one_queue = self.order.action != Action::Replay || self.order.to.is_some();
        is_about_the_queue && is_one_queue || is_about_all(reason)
    }
}

fn kind(message: &Message) -> Kind {
    Kind::of(message, dead_letters::header_of(message).as_ref())
}

fn is_about_all(reason: Reason) -> bool {
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

fn over(reason: Reason) -> Ended {
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
