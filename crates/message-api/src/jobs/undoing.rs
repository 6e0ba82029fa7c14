//! What an undo does: each message that a job has put and that is still there goes back to the queue it came from, as it was
//! there. Copies are removed.
//!
//! A message is taken by its position and its identifier, in the unit of work that puts it back. One that a program has taken, or
//! holds in a unit of work, is `gone`: another undo finds it when it has been backed out.
//!
//! Never here: a message that the job did not put, and more rights than those of the user who undoes.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use model::authority::Principal;
use model::message::Message;
use model::options::{
    CloseOptions, GetFlags, GetOptions, MatchOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions,
};
use model::reason::Reason;
use queue_manager::connection::{Connection, GetResult, ObjectHandle};

use super::batch::Batch;
use super::record::State;
use super::run::{Ended, STEPS_OF_A_BATCH, STEPS_OF_A_TURN, is_about_all, over};
use super::trail::{Kept, Place, Step};
use super::{Job, NotStarted, way_to};

/// Queues that are open at once.
const MOST_OPEN: usize = 64;

/// How the messages of a job are put back.
#[derive(Debug, Clone, Copy, Default)]
pub struct UndoOrder {
    /// Counts, and changes nothing.
    pub is_dry: bool,
    /// The context of the user who undoes, in place of the one that the messages had.
    pub has_new_context: bool,
}

pub(super) struct Undoing {
    kept: Kept,
    /// Where the messages go; `None`: they are copies, and go nowhere.
    home: Option<Place>,
    is_dry: bool,
    principal: Principal,
    context: PutFlags,
    /// By number of the place: an open queue, or why it cannot be opened.
    open: HashMap<u32, Result<ObjectHandle, Reason>>,
    next: usize,
}

/// What became of a message.
enum Outcome {
    /// It is back, or would be; so many bytes.
    Back(usize),
    Gone,
}

impl Undoing {
    /// # Errors
    /// Those of MQOPEN, of the queue that the messages go back to, and of the one they are on, where it is one.
    pub(super) async fn open(
        connection: &Connection,
        principal: &Principal,
        kept: Kept,
        home: Option<Place>,
        order: UndoOrder,
    ) -> Result<Self, NotStarted> {
        let context = match home {
            Some(home) => way_home(connection, principal, home, &kept, order).await?,
            None => PutFlags::empty(),
        };
        let (is_dry, principal) = (order.is_dry, principal.clone());
        let mut undoing = Self { kept, home, is_dry, principal, context, open: HashMap::new(), next: 0 };
        if undoing.kept.places.len() == 1
            && let Err(reason) = undoing.handle(connection, 0).await
            && !is_gone(reason)
        {
            return Err(NotStarted::Queue(reason.into()));
        }
        Ok(undoing)
    }

    pub(super) async fn close(&mut self, connection: &Connection) {
        for (_, handle) in self.open.drain() {
            if let Ok(handle) = handle {
                let _ = connection.close(handle, CloseOptions::empty()).await;
            }
        }
    }

    pub(super) async fn fill(&mut self, connection: &Connection, job: &Job, batch: &mut Batch) -> Ended {
        if self.next == 0 {
            batch.record.counts.seen += self.kept.elsewhere;
            batch.record.counts.gone += self.kept.elsewhere;
        }
        for turn in 1..=STEPS_OF_A_BATCH {
            if job.is_cancelled() {
                return Ended::Over(State::Cancelled, None);
            }
            if batch.is_full() {
                return Ended::More;
            }
            let steps = std::sync::Arc::clone(&self.kept.steps);
            let Some(step) = steps.get(self.next) else { return Ended::Over(State::Done, None) };
            self.next += 1;
            batch.record.counts.seen += 1;
            if let Err(reason) = self.look_at(connection, step, batch).await {
                return over(reason);
            }
            if turn % STEPS_OF_A_TURN == 0 {
                tokio::task::yield_now().await;
            }
        }
        Ended::More
    }

    /// # Errors
    /// What ends the job.
    async fn look_at(&mut self, connection: &Connection, step: &Step, batch: &mut Batch) -> Result<(), Reason> {
        match self.undo(connection, step, batch).await {
            Ok(Outcome::Back(bytes)) => {
                if !self.is_dry {
                    batch.add(connection, bytes);
                    batch.record.counts.done += 1;
                    batch.record.bytes += bytes as u64;
                }
                Ok(())
            }
            Ok(Outcome::Gone) => {
                batch.record.counts.gone += 1;
                Ok(())
            }
            Err(Refused { reason, ends_job }) => {
                connection.back_out().await?;
                if ends_job {
                    return Err(reason);
                }
                batch.record.failed(step.position, step.id, Some(reason));
                Ok(())
            }
        }
    }

    async fn undo(&mut self, connection: &Connection, step: &Step, batch: &mut Batch) -> Result<Outcome, Refused> {
        let is_only_one = self.kept.places.len() == 1;
        let of_place = |reason: Reason| Refused {
            reason,
            ends_job: is_only_one || is_about_all(reason) && reason != Reason::GetInhibited,
        };
        let (handle, found) = match self.find(connection, step).await {
            Ok(found) => found,
            Err(reason) if is_gone(reason) => return Ok(Outcome::Gone),
            Err(reason) => return Err(of_place(reason)),
        };
        let header_length = step.before.as_ref().map_or(0, |before| before.header_length());
        let bytes = found.data_length + header_length;
        if self.is_dry {
            let home = self.home.map(|home| home.name.to_string());
            batch.record.would_do(step.position, found.arrived, bytes, home);
            return Ok(Outcome::Back(bytes));
        }
        if let Some(home) = self.home {
            let mut message = found.message;
            if let Some(before) = &step.before {
                before.restore(&mut message);
            }
            // There is one queue that all go back to: what it refuses once, it refuses again, but for a message that is too long.
            let of_home = |reason| Refused { reason, ends_job: !is_about_one_message(reason) };
            self.put(connection, home, handle, message).await.map_err(of_home)?;
        }
        Ok(Outcome::Back(bytes))
    }

    /// Takes the message, or looks whether it is there.
    async fn find(&mut self, connection: &Connection, step: &Step) -> Result<(ObjectHandle, Box<GetResult>), Reason> {
        let handle = self.handle(connection, step.place).await?;
        let place = self.kept.places[step.place as usize];
        let token = connection.queue_manager().message_token(&place.name, step.position);
        let mut options = GetOptions {
            match_options: MatchOptions::MSG_TOKEN | MatchOptions::MSG_ID,
            message_id: step.id,
            message_token: token.ok_or(Reason::ObjectChanged)?,
            ..GetOptions::default()
        };
        options.flags = GetFlags::FAIL_IF_QUIESCING | GetFlags::PROPERTIES_FORCE_MQRFH2;
        if self.is_dry {
            options.flags |= GetFlags::NO_SYNCPOINT | GetFlags::BROWSE_FIRST | GetFlags::ACCEPT_TRUNCATED_MSG;
            options.buffer_length = Some(0);
        } else {
            options.flags |= GetFlags::SYNCPOINT;
        }
        Ok((handle, connection.get(handle, &options).await?))
    }

    async fn handle(&mut self, connection: &Connection, number: u32) -> Result<ObjectHandle, Reason> {
        if self.open.len() >= MOST_OPEN && !self.open.contains_key(&number) {
            self.close(connection).await;
        }
        match self.open.entry(number) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(vacant) => {
                let place = self.kept.places[number as usize];
                *vacant.insert(open_place(connection, &self.principal, place).await)
            }
        }
    }

    async fn put(
        &self,
        connection: &Connection,
        home: Place,
        from: ObjectHandle,
        message: Box<Message>,
    ) -> Result<(), Reason> {
        let object = ObjectDescriptor { name: home.name, ..ObjectDescriptor::default() };
        let flags = PutFlags::SYNCPOINT | PutFlags::FAIL_IF_QUIESCING | self.context;
        let options = PutOptions { flags, context: Some(from.0) };
        connection.put1_message(&self.principal, &object, message, &options).await.map(drop)
    }
}

struct Refused {
    reason: Reason,
    ends_job: bool,
}

/// How messages may be put back. A context that the job has written over can be set only.
async fn way_home(
    connection: &Connection,
    principal: &Principal,
    home: Place,
    kept: &Kept,
    order: UndoOrder,
) -> Result<PutFlags, NotStarted> {
    let ways: &[_] = match (order.has_new_context, kept.has_new_context) {
        (true, _) => &[super::NEW],
        (false, true) => &[super::SET],
        (false, false) => &[super::PASS, super::SET],
    };
    let (flags, opened) = way_to(connection, principal, home.name, ways).await?;
    match opened.resolved_queue == home.resolved {
        true => Ok(flags),
        false => Err(NotStarted::Destination(Reason::ObjectChanged.into())),
    }
}

/// # Errors
/// Those of MQOPEN. `ObjectChanged`: the name leads to another queue than it did.
async fn open_place(connection: &Connection, principal: &Principal, place: Place) -> Result<ObjectHandle, Reason> {
    let object = ObjectDescriptor { name: place.name, ..ObjectDescriptor::default() };
    let options = OpenOptions::INPUT_AS_Q_DEF
        | OpenOptions::SAVE_ALL_CONTEXT
        | OpenOptions::BROWSE
        | OpenOptions::FAIL_IF_QUIESCING;
    let opened = connection.open(principal, &object, options).await?;
    if opened.object_name == place.name && opened.resolved_queue == place.resolved {
        return Ok(opened.handle);
    }
    let _ = connection.close(opened.handle, CloseOptions::empty()).await;
    Err(Reason::ObjectChanged)
}

/// Whether no message can be there.
fn is_gone(reason: Reason) -> bool {
    matches!(reason, Reason::NoMsgAvailable | Reason::UnknownObjectName | Reason::QDeleted)
}

fn is_about_one_message(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::MsgTooBigForQ
            | Reason::MsgTooBigForQMgr
            | Reason::PersistentNotAllowed
            | Reason::PriorityExceedsMaximum
    )
}
