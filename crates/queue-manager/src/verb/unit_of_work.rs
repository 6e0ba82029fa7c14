//! Units of work: begin at the first verb under syncpoint, commit, back out. Branches of XA are in `xa.rs`.
//!
//! The store keeps the messages; here is only what has to happen afterwards: waiters to wake, triggers to look at.
//!
//! Invariant: a unit of work that was taken from its connection is finished, even when the task that finishes it is
//! dropped half-way; `housekeeping.rs` then goes on with it.

use std::sync::Arc;
use std::time::Duration;

use model::name::ObjectName;
use model::reason::Reason;
use model::timestamp::Timestamp;
use storage::{Position, Selection, StoreError, UnitOfWorkId};
use tracing::debug;

use crate::engine::Engine;
use crate::engine::connection_table::ConnectionState;
use crate::engine::housekeeping::Work;
use crate::group::units;
use crate::instrumentation::event;
use crate::queue::Queue;
use crate::queue::trigger;
use crate::queue::waiters::Arrival;
use crate::reason;
use crate::verb::connection::Connection;
use crate::verb::xa;

/// What a connection has done under syncpoint since the last commit or back out.
pub(crate) struct OpenUnit {
    pub(crate) id: UnitOfWorkId,
    pub(crate) since: Timestamp,
    touched: Vec<Touched>,
    /// It was prepared before the queue manager started.
    is_recovered: bool,
}

impl OpenUnit {
    /// One that was prepared before the queue manager started: what it touched is not known.
    pub(super) fn of_log(id: UnitOfWorkId, since: Timestamp) -> Self {
        Self { id, since, touched: Vec::new(), is_recovered: true }
    }

    pub(super) fn is_of_log(&self) -> bool {
        self.touched.is_empty()
    }

    pub(super) fn has_work(&self) -> bool {
        !self.touched.is_empty()
    }

    /// Puts and gets in it; of one that the log has brought back, none is known.
    pub(crate) fn messages(&self) -> usize {
        self.touched.len()
    }

    /// Those that it touches, each as often.
    pub(crate) fn queues(&self) -> Vec<ObjectName> {
        self.touched.iter().map(|touched| touched.queue.name).collect()
    }

    fn slices(&self) -> impl Iterator<Item = &[Touched]> {
        self.touched.chunks(SLICE)
    }
}

struct Touched {
    queue: Arc<Queue>,
    arrival: Arrival,
    /// Of the message: the queue may have looked for expired messages while the unit of work hid it, and is told again.
    expires: Option<Timestamp>,
    what: What,
}

/// A put or a get under syncpoint.
pub(crate) enum What {
    /// With what a trigger wants to know.
    Put {
        priority: u8,
        depth_before: u32,
    },
    Got,
    /// With MQGMO_MARK_SKIP_BACKOUT: back out begins a new unit of work with this message.
    GotForGood(Position),
    /// A get whose task was dropped before the store had answered.
    PerhapsGot,
}

impl ConnectionState {
    /// The unit of work to do something in on a queue; begins one if need be.
    ///
    /// # Errors
    /// `SyncpointLimitReached` (2024): MAXUMSGS messages are in it. `ConnectionBroken` (2009). `SyncpointNotAvailable` (2072): it is a branch
    /// of the group, and the queue is private.
    pub(crate) fn unit(&self, engine: &Engine, queue: &Queue) -> Result<UnitOfWorkId, Reason> {
        self.unit_for(engine, queue, 1)
    }

    /// As `unit`, with room for so many messages.
    ///
    /// # Errors
    /// Those of `unit`.
    pub(crate) fn unit_for(&self, engine: &Engine, queue: &Queue, messages: usize) -> Result<UnitOfWorkId, Reason> {
        self.check()?;
        units::check_queue(self, queue)?;
        let mut unit = self.unit.lock();
        let held = unit.as_ref().map_or(0, |open| open.touched.len());
        if held.saturating_add(messages) > engine.definition.read().maximum_uncommitted_messages as usize {
            return Err(Reason::SyncpointLimitReached);
        }
        let begin =
            || OpenUnit { id: engine.store.begin(), since: engine.now(), touched: Vec::new(), is_recovered: false };
        Ok(unit.get_or_insert_with(begin).id)
    }

    /// A message marked MQGMO_MARK_SKIP_BACKOUT is in the unit of work.
    pub(super) fn has_mark(&self) -> bool {
        let unit = self.unit.lock();
        unit.as_ref().is_some_and(|open| open.touched.iter().any(|touched| matches!(touched.what, What::GotForGood(_))))
    }

    /// Remembers what was done in unit `id`, for its end.
    pub(crate) fn note(
        &self,
        id: UnitOfWorkId,
        queue: &Arc<Queue>,
        arrival: Arrival,
        expires: Option<Timestamp>,
        what: What,
    ) {
        if let Some(open) = self.unit.lock().as_mut().filter(|open| open.id == id) {
            open.touched.push(Touched { queue: queue.clone(), arrival, expires, what });
        }
    }
}

/// Hands an unfinished unit of work to housekeeping when the task that finishes it is dropped.
struct Finishing<'a> {
    engine: &'a Engine,
    unit: Option<OpenUnit>,
    wrap: fn(OpenUnit) -> Work,
}

impl Finishing<'_> {
    fn unit(&self) -> &OpenUnit {
        self.unit.as_ref().expect("taken only at the end")
    }

    fn done(mut self) -> OpenUnit {
        self.unit.take().expect("taken only here")
    }
}

impl Drop for Finishing<'_> {
    fn drop(&mut self) {
        if let Some(unit) = self.unit.take() {
            self.engine.left_over.push((self.wrap)(unit));
        }
    }
}

/// # Errors
/// `EnvironmentError` (2012): the unit of work is a branch of an external transaction. Others as `Connection::commit`.
pub(crate) async fn commit(connection: &Connection) -> Result<(), Reason> {
    if connection.is_in_branch() {
        return Err(Reason::EnvironmentError);
    }
    let Some(unit) = connection.state.unit.lock().take() else { return Ok(()) };
    let engine = &connection.engine;
    match commit_unit(engine, unit).await {
        Ok(()) => Ok(()),
        Err(Refused { unit: Some(unit), reason }) => {
            // Nothing was written: the application may make room and commit again, or back out.
            connection.state.unit.lock().get_or_insert(*unit);
            Err(reason)
        }
        Err(Refused { unit: None, reason }) => Err(reason),
    }
}

/// A commit that did not happen; with the unit of work when it is as it was.
pub(crate) struct Refused {
    pub(crate) unit: Option<Box<OpenUnit>>,
    pub(crate) reason: Reason,
}

pub(super) async fn commit_unit(engine: &Engine, unit: OpenUnit) -> Result<(), Refused> {
    let finishing = Finishing { engine, unit: Some(unit), wrap: Work::Commit };
    let outcome = engine.store.commit(finishing.unit().id).await;
    let unit = finishing.done();
    match outcome {
        Ok(()) => {
            after_commit(engine, unit).await;
            Ok(())
        }
        Err(error) => {
            let reason = reason::of_store_at_large(engine, &error);
            let unit = matches!(error, StoreError::NoSpace | StoreError::File(_)).then(|| Box::new(unit));
            Err(Refused { unit, reason })
        }
    }
}

/// For a unit of work that nobody could try again: committed, or backed out.
pub(crate) async fn commit_or_back_out(engine: &Engine, unit: OpenUnit) -> Result<(), Reason> {
    let Err(Refused { unit, reason }) = commit_unit(engine, unit).await else { return Ok(()) };
    if let Some(unit) = unit {
        back_out_unit(engine, *unit).await?;
    }
    Err(reason)
}

/// A unit of work of the application's cannot give back single messages: where things that belong together fail half-way
/// and cannot be committed so, all of it is backed out. Says with which reason the verb ends.
pub(crate) async fn undo(engine: &Engine, state: &ConnectionState, reason: Reason) -> Reason {
    let open = state.unit.lock().take();
    if let Some(open) = open
        && let Err(reason) = back_out_unit(engine, open).await
    {
        return reason;
    }
    xa::was_undone(&engine.branches, state);
    debug!(%reason, "what belongs together failed half-way; its unit of work is backed out");
    Reason::BackedOut
}

/// What was put is visible now.
pub(crate) async fn after_commit(engine: &Engine, unit: OpenUnit) {
    // Dropped half-way, it is committed once more, without effect, and those who wait are told again.
    let telling = Finishing { engine, unit: Some(unit), wrap: Work::Commit };
    engine.delayed.committed(telling.unit().id);
    if telling.unit().is_recovered {
        // What it staged is not known.
        engine.delayed.look_again(Duration::ZERO);
    }
    for slice in telling.unit().slices() {
        for touched in slice {
            if let What::Put { .. } = touched.what {
                touched.queue.note_expiry(touched.expires);
                touched.queue.waiters.arrived(&touched.arrival);
            }
        }
        give_way(slice).await;
    }
    let unit = telling.done();
    for slice in unit.slices() {
        note_depths(slice);
        for touched in slice {
            if let What::Put { priority, depth_before } = touched.what
                && trigger::is_enabled(&touched.queue)
            {
                trigger::arrived(engine, &touched.queue, priority, depth_before).await;
            }
        }
        give_way(slice).await;
    }
    if engine.events.performance() {
        for touched in unit.touched.iter().filter(|touched| !matches!(touched.what, What::Put { .. })) {
            Box::pin(event::performance::after_commit(engine, &touched.queue)).await;
        }
    }
}

/// Most messages of a unit of work that are seen to before others may run.
const SLICE: usize = 1024;

/// Lets others run after a whole slice.
async fn give_way(slice: &[Touched]) {
    if slice.len() == SLICE {
        tokio::task::yield_now().await;
    }
}

/// The depth changes when a unit of work ends: for statistics of queues.
fn note_depths(touched: &[Touched]) {
    for touched in touched {
        if let Some(figures) = touched.queue.figures.get() {
            figures.note_depth(touched.queue.depth());
        }
    }
}

/// # Errors
/// As `commit`.
pub(crate) async fn back_out(connection: &Connection) -> Result<(), Reason> {
    if connection.is_in_branch() {
        return Err(Reason::EnvironmentError);
    }
    let Some(unit) = connection.state.unit.lock().take() else { return Ok(()) };
    let marked: Vec<_> = unit
        .touched
        .iter()
        .filter_map(|touched| match touched.what {
            What::GotForGood(position) => Some((touched.queue.clone(), touched.arrival, position)),
            What::Put { .. } | What::Got | What::PerhapsGot => None,
        })
        .collect();
    back_out_unit(&connection.engine, unit).await?;
    for (queue, arrival, position) in marked {
        get_again(connection, &queue, arrival, position).await?;
    }
    Ok(())
}

/// The marked message begins a new unit of work.
async fn get_again(
    connection: &Connection,
    queue: &Arc<Queue>,
    arrival: Arrival,
    position: Position,
) -> Result<(), Reason> {
    let engine = &connection.engine;
    let id = connection.state.unit(engine, queue)?;
    let selection = Selection { position: Some(position), ..Selection::default() };
    let got = engine.store.get(Some(id), queue.id, &selection, engine.now()).await;
    if let Some(stored) = got.map_err(|error| reason::of_store(engine, &error))? {
        connection.state.note(id, queue, arrival, stored.expires, What::Got);
    }
    Ok(())
}

pub(crate) async fn back_out_unit(engine: &Engine, unit: OpenUnit) -> Result<(), Reason> {
    let finishing = Finishing { engine, unit: Some(unit), wrap: Work::BackOut };
    let outcome = engine.store.back_out(finishing.unit().id).await;
    engine.delayed.backed_out(finishing.unit().id);
    // Got messages are there again, also when only the raised count could not be written.
    for slice in finishing.unit().slices() {
        note_depths(slice);
        slice.iter().for_each(|touched| after_back_out(engine, touched));
        give_way(slice).await;
    }
    drop(finishing.done());
    match outcome {
        Ok(()) | Err(StoreError::UnknownUnitOfWork) => Ok(()),
        Err(error) => Err(reason::of_store_at_large(engine, &error)),
    }
}

fn after_back_out(engine: &Engine, touched: &Touched) {
    let queue = &touched.queue;
    queue.watched(|counts| match touched.what {
        What::Put { .. } => counts.rolled_back_puts += 1,
        What::Got | What::GotForGood(_) => counts.rolled_back_gets += 1,
        What::PerhapsGot => {}
    });
    match touched.what {
        What::Got | What::GotForGood(_) => {
            queue.note_expiry(touched.expires);
            queue.waiters.arrived(&touched.arrival);
            engine.delayed.came_back(queue);
        }
        What::PerhapsGot => {
            engine.delayed.came_back(queue);
            queue.note_expiry(engine.store.next_expiry(queue.id));
            queue.waiters.wake_all();
        }
        What::Put { .. } => {}
    }
}
