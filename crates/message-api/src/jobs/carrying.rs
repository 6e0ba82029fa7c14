//! What an order does with the messages of a queue: looks at one after the other, and moves, copies, removes or replays it.
//!
//! Each message is browsed first, and taken by its token: what another program takes meanwhile is that program's.

use model::authority::Principal;
use model::message::Message;
use model::name::QueueName;
use model::options::{CloseOptions, GetFlags, GetOptions, MatchOptions, ObjectDescriptor, PutFlags, PutOptions};
use model::reason::Reason;
use queue_manager::connection::{Connection, GetResult};

use super::batch::{Batch, revived};
use super::record::State;
use super::run::{Ended, STEPS_OF_A_BATCH, STEPS_OF_A_TURN, is_about_all, over};
use super::trail::{Before, Place, Put};
use super::{Action, Job, Order, Ways};
use crate::content::Content;
use crate::dead_letters::{self, Kind};

pub(super) struct Carrying {
    order: Order,
    principal: Principal,
    ways: Ways,
    browse: GetOptions,
}

impl Carrying {
    pub(super) fn new(order: Order, principal: Principal, ways: Ways) -> Self {
        let mut browse = order.matched.clone();
        browse.flags |= GetFlags::NO_SYNCPOINT
            | GetFlags::BROWSE_NEXT
            | GetFlags::FAIL_IF_QUIESCING
            | GetFlags::PROPERTIES_FORCE_MQRFH2;
        let needs_body = matches!(order.action, Action::Copy | Action::Replay)
            || !order.wanted.is_all()
            || order.dead_letter.is_some();
        if !needs_body {
            browse.flags |= GetFlags::ACCEPT_TRUNCATED_MSG;
            browse.buffer_length = Some(0);
        }
        Self { order, principal, ways, browse }
    }

    pub(super) async fn close(&self, connection: &Connection) {
        let _ = connection.close(self.ways.source, CloseOptions::empty()).await;
    }

    pub(super) async fn fill(&self, connection: &Connection, job: &Job, batch: &mut Batch) -> Ended {
        for step in 1..=STEPS_OF_A_BATCH {
            if job.is_cancelled() {
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
        let wanted = &self.order.wanted;
        if !wanted.is_all() && !wanted.fits(&Content::of(&seen.message)) {
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
            Ok(Some(Carried { bytes, put })) => {
                batch.add(connection, bytes);
                if let Some(put) = put {
                    batch.put(put);
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

    /// Does what was ordered with one message, in the unit of work of the connection. `None` when the message is gone.
    async fn carry(&self, connection: &Connection, seen: &GetResult) -> Result<Option<Carried>, Reason> {
        if self.order.action == Action::Copy {
            let to = self.order.to.unwrap_or(self.order.queue);
            let put = self.put(connection, &object(to), (*seen.message).clone(), None).await?;
            return Ok(Some(Carried { bytes: seen.data_length, put: Some(put) }));
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
        let bytes = taken.body.len();
        let is_new = self.order.has_new_context;
        let put = match self.order.action {
            Action::Purge | Action::Copy | Action::Undo => None,
            Action::Move => {
                let before = is_new.then(|| Before::new(&taken, 0, true));
                let to = self.order.to.unwrap_or(self.order.queue);
                Some(self.put(connection, &object(to), *taken, before).await?)
            }
            Action::Replay => {
                let (object, revived) = self.revived(connection, &taken).ok_or(Reason::DlhError)?;
                let before = Before::new(&taken, bytes - revived.body.len(), is_new);
                Some(self.put(connection, &object, revived, Some(before)).await?)
            }
        };
        Ok(Some(Carried { bytes, put }))
    }

    fn revived(&self, connection: &Connection, message: &Message) -> Option<(ObjectDescriptor, Message)> {
        let (mut object, message) = revived(message, &connection.queue_manager().name())?;
        if let Some(name) = self.order.to {
            object = self::object(name);
        }
        (!object.name.is_blank()).then_some((object, message))
    }

    async fn put(
        &self,
        connection: &Connection,
        object: &ObjectDescriptor,
        message: Message,
        before: Option<Box<Before>>,
    ) -> Result<Put, Reason> {
        let flags = PutFlags::SYNCPOINT | PutFlags::FAIL_IF_QUIESCING | self.ways.context;
        let options = PutOptions { flags, context: Some(self.ways.source.0) };
        let put = connection.put1_message(&self.principal, object, Box::new(message), &options).await?;
        let place = Place { name: object.name, resolved: put.resolved_queue };
        Ok(Put { position: put.position, place, id: put.message.descriptor.message_id, before })
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

/// A message that was done.
struct Carried {
    bytes: usize,
    put: Option<Put>,
}

fn object(name: QueueName) -> ObjectDescriptor {
    ObjectDescriptor { name, ..ObjectDescriptor::default() }
}

fn kind(message: &Message) -> Kind {
    Kind::of(message, dead_letters::header_of(message).as_ref())
}
