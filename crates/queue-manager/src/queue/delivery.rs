//! The last step of every put: a finished message enters a local queue.
//!
//! Applications' puts come here from `put.rs`; reports, trigger messages, publications and dead letters from where they
//! are made. What follows an arrival (waiters, triggers) is set off here, at once or at commit, also when the task that
//! puts is dropped while it waits for the disk.

use std::sync::Arc;

use model::definition::queue::{DefinitionType, DeliverySequence, Usage};
use model::descriptor::Persistence;
use model::message::Message;
use model::reason::Reason;
use model::timestamp::Timestamp;
use storage::{Placement, Position, PutOutcome, ReceiptOfPut, UnitOfWorkId};

use crate::engine::Engine;
use crate::engine::connection_table::ConnectionState;
use crate::engine::housekeeping::Work;
use crate::group::disposition;
use crate::instrumentation::event;
use crate::queue::waiters::Arrival;
use crate::queue::{Queue, transmission, trigger};
use crate::reason;
use crate::verb::unit_of_work::What;

/// Puts a message whose descriptor is complete, and says where it is. `unit` is the connection whose unit of work it belongs to,
/// if to any.
///
/// # Errors
/// `QFull` (2053), `QSpaceNotAvailable` (2056), `ResourceProblem` (2102), `QDeleted` (2052), `SyncpointLimitReached`
/// (2024).
pub(crate) async fn place(
    engine: &Engine,
    unit: Option<&ConnectionState>,
    queue: &Arc<Queue>,
    message: &Message,
    expires: Option<Timestamp>,
    now: Timestamp,
) -> Result<Position, Reason> {
    place_with(engine, Manner::of(unit), queue, message, expires, now).await
}

/// As `place`, outside a unit of work; the receipt of what is answered is durable with the message.
///
/// # Errors
/// Those of `place`.
pub(crate) async fn place_with_receipt(
    engine: &Engine,
    receipt: &ReceiptOfPut<'_>,
    queue: &Arc<Queue>,
    message: &Message,
    expires: Option<Timestamp>,
    now: Timestamp,
) -> Result<Position, Reason> {
    place_with(engine, Manner::WithReceipt(receipt), queue, message, expires, now).await
}

/// What a message is durable and visible with.
#[derive(Clone, Copy)]
enum Manner<'a> {
    Alone,
    WithReceipt(&'a ReceiptOfPut<'a>),
    InUnit(&'a ConnectionState),
}

impl<'a> Manner<'a> {
    fn of(unit: Option<&'a ConnectionState>) -> Self {
        unit.map_or(Self::Alone, Self::InUnit)
    }
}

async fn place_with(
    engine: &Engine,
    manner: Manner<'_>,
    queue: &Arc<Queue>,
    message: &Message,
    expires: Option<Timestamp>,
    now: Timestamp,
) -> Result<Position, Reason> {
    let entered = enter(engine, manner, queue, message, expires, now).await;
    if engine.events.performance() {
        let depth_before = entered.as_ref().map(|entered| entered.depth_before).map_err(|reason| *reason);
        Box::pin(event::performance::after_put(engine, queue, depth_before, now)).await;
    }
    let entered = entered?;
    let position = entered.position;
    look_at_triggers(engine, queue, entered).await;
    Ok(position)
}

/// As `place`, outside a unit of work and without performance events: for event messages themselves.
pub(crate) async fn place_event(
    engine: &Engine,
    queue: &Arc<Queue>,
    message: Message,
    now: Timestamp,
) -> Result<(), Reason> {
    let entered = enter(engine, Manner::Alone, queue, &message, None, now).await?;
    look_at_triggers(engine, queue, entered).await;
    Ok(())
}

async fn look_at_triggers(engine: &Engine, queue: &Arc<Queue>, entered: Entered) {
    if entered.triggers {
        Box::pin(trigger::arrived(engine, queue, entered.priority, entered.depth_before)).await;
    }
}

/// As `place`, outside a unit of work and without a look at triggers: for trigger messages themselves.
pub(super) async fn place_quietly(
    engine: &Engine,
    queue: &Arc<Queue>,
    message: Message,
    now: Timestamp,
) -> Result<(), Reason> {
    enter(engine, Manner::Alone, queue, &message, None, now).await.map(|_| ())
}

/// A message that is on its queue.
struct Entered {
    position: Position,
    priority: u8,
    depth_before: u32,
    /// Triggers are to be looked at now.
    triggers: bool,
}

async fn enter(
    engine: &Engine,
    manner: Manner<'_>,
    queue: &Arc<Queue>,
    message: &Message,
    expires: Option<Timestamp>,
    now: Timestamp,
) -> Result<Entered, Reason> {
    let _flight = queue.begin_put()?;
    if queue.id.is_shared() {
        disposition::check_persistence(engine, queue, message.descriptor.persistence)?;
    }
    let unit = match manner {
        Manner::InUnit(state) => Some((state, state.unit(engine, queue)?)),
        Manner::Alone | Manner::WithReceipt(_) => None,
    };
    let priority = u8::try_from(message.descriptor.priority).unwrap_or(9).min(9);
    let (placement, has_trigger, is_transmission) = queue.with_local(|_, local| {
        let placement = Placement {
            by_priority: local.message_delivery_sequence == DeliverySequence::Priority,
            maximum_depth: local.maximum_depth,
            expires,
            // A temporary queue does not outlive the queue manager, so neither does a report or a copy on it.
            persistent: message.descriptor.persistence == Persistence::Persistent
                && local.definition_type != DefinitionType::TemporaryDynamic,
        };
        (placement, local.trigger.enabled, local.usage == Usage::Transmission)
    });
    queue.note_body(message.body.len());
    let arrival = Arrival::of(&message.descriptor);
    let arriving = Arriving { engine, unit, queue, arrival, priority, expires, has_trigger, is_over: false };
    let outcome = match manner {
        Manner::WithReceipt(receipt) => engine.store.put_with_receipt(queue.id, message, placement, receipt, now).await,
        Manner::Alone | Manner::InUnit(_) => {
            engine.store.put(unit.map(|(_, id)| id), queue.id, message, placement, now).await
        }
    };
    match outcome {
        Ok(outcome) => {
            let depth_before = outcome.depth_before;
            if is_transmission {
                transmission::tell_of_unread(engine, queue);
            }
            queue.counters.count_put(now);
            queue.counters.note_depth(depth_before.saturating_add(1));
            if let Some(figures) = queue.figures.get() {
                figures.note_depth(depth_before);
                figures.note_depth(depth_before.saturating_add(1));
            }
            let position = outcome.key.position;
            Ok(Entered { position, priority, depth_before, triggers: arriving.done(outcome) })
        }
        Err(error) => {
            arriving.refused();
            Err(reason::of_store(engine, &error))
        }
    }
}

/// A put in the hands of the store. Dropped before its end, the message may be on the queue all the same.
struct Arriving<'a> {
    engine: &'a Engine,
    unit: Option<(&'a ConnectionState, UnitOfWorkId)>,
    queue: &'a Arc<Queue>,
    arrival: Arrival,
    priority: u8,
    expires: Option<Timestamp>,
    has_trigger: bool,
    is_over: bool,
}

impl Arriving<'_> {
    /// Wakes waiters, or leaves that to the commit. True when a trigger wants to know now.
    fn done(mut self, outcome: PutOutcome) -> bool {
        self.is_over = true;
        self.follow(outcome.depth_before);
        self.has_trigger && self.unit.is_none()
    }

    fn refused(mut self) {
        self.is_over = true;
    }

    fn follow(&self, depth_before: u32) {
        match self.unit {
            Some((state, id)) => {
                let what = What::Put { priority: self.priority, depth_before };
                state.note(id, self.queue, self.arrival, self.expires, what);
            }
            None => {
                self.queue.note_expiry(self.expires);
                self.queue.waiters.arrived(&self.arrival);
            }
        }
    }
}

impl Drop for Arriving<'_> {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        // Waiters look for themselves, and so does a trigger: the depth stands for what it was before.
        let depth_before = self.queue.depth().saturating_sub(1);
        self.follow(depth_before);
        if self.has_trigger && self.unit.is_none() {
            self.engine.left_over.push(Work::Trigger(self.queue.clone(), self.priority, depth_before));
        }
    }
}
