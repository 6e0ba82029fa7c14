//! The delivery of what is due: off the staging queue and on its way, in one unit of work.
//!
//! Messages for queues go many to a unit of work, in the order of their times; a publication has one of its own, since a fan-out
//! that fails half-way undoes it whole. What a queue does not take is tried again, later and later, and at last put on the
//! dead-letter queue with the reason.
//!
//! Invariant: dropped at any moment, a message is on the staging queue or delivered, and `Delayed` still knows it or looks again.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use model::message::Message;
use model::name::{QueueManagerName, QueueName};
use model::reason::Reason;
use model::timestamp::Timestamp;
use storage::{DeliveryKey, Position, Selection};
use tokio::time::Instant;
use tracing::warn;

use super::{Delayed, Entry, Goal, LOOK_AGAIN, Staged, queue, unwrap};
use crate::engine::Engine;
use crate::engine::connection_table::ConnectionState;
use crate::publish::{self, Publication};
use crate::queue::dead_letter::{self, Undelivered};
use crate::queue::report;
use crate::queue::resolve::{Destination, Resolved, resolve};
use crate::queue::waiters::Arrival;
use crate::reason;
use crate::verb::connection::Connection;
use crate::verb::unit_of_work::{What, back_out_unit, commit_or_back_out};

/// A clock that was set forward is noticed by then.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// Messages of one unit of work.
const MOST_TOGETHER: usize = 100;
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_RETRY: Duration = Duration::from_secs(60);
/// After so many failures, two minutes after it was due, a message goes to the dead-letter queue.
const TRIES: u32 = 7;
/// Between two log lines about messages that a queue or topic does not take.
const BETWEEN_LINES: Duration = Duration::from_secs(10);
/// Messages that a look through the queue sees before others may run.
const SLICE: usize = 32;

/// Runs until it is dropped.
pub(crate) async fn run(engine: &Arc<Engine>) {
    loop {
        let changed = engine.delayed.changed.notified();
        if engine.delayed.look_is_due() {
            look(engine).await;
        }
        let due = engine.delayed.next(engine.now());
        if !due.is_empty() {
            deliver(engine, due).await;
            tokio::task::yield_now().await;
            continue;
        }
        match engine.delayed.pause(engine.now()) {
            Some(pause) => {
                let _ = tokio::time::timeout(pause, changed).await;
            }
            None => changed.await,
        }
    }
}

impl Delayed {
    fn look_is_due(&self) -> bool {
        self.state.lock().look.is_some_and(|at| at <= Instant::now())
    }

    /// What is due, in the order of its times.
    fn next(&self, now: Timestamp) -> Vec<Entry> {
        let state = self.state.lock();
        let again = state.again.iter().take_while(|((at, ..), _)| *at <= Instant::now());
        let again = again.map(|((at, due, position), failures)| Entry {
            due: *due,
            position: *position,
            failures: *failures,
            again: Some(*at),
        });
        let due = state.due.iter().take_while(|(due, _)| *due <= now);
        let due = due.map(|(due, position)| Entry { due: *due, position: *position, failures: 0, again: None });
        let mut next: Vec<Entry> = again.take(MOST_TOGETHER / 2).chain(due.take(MOST_TOGETHER / 2)).collect();
        next.sort_by_key(|entry| (entry.due, entry.position));
        next
    }

    /// Until something is due; `None` when nothing is staged.
    fn pause(&self, now: Timestamp) -> Option<Duration> {
        let state = self.state.lock();
        let due = state.due.first().map(|(due, _)| due.since(now));
        let until = |at: Instant| at.saturating_duration_since(Instant::now());
        let again = state.again.keys().next().map(|(at, ..)| until(*at));
        let look = state.look.map(until);
        let next = [due, again, look].into_iter().flatten().min()?;
        Some(next.min(LONGEST_PAUSE))
    }

    fn forget(&self, entry: &Entry) {
        let mut state = self.state.lock();
        state.due.remove(&(entry.due, entry.position));
        if let Some(at) = entry.again {
            state.again.remove(&(at, entry.due, entry.position));
        }
    }

    fn try_again(&self, entry: &Entry) {
        self.forget(entry);
        let pause = FIRST_PAUSE.saturating_mul(1 << entry.failures.min(6)).min(LONGEST_RETRY);
        let key = (Instant::now() + pause, entry.due, entry.position);
        self.state.lock().again.insert(key, entry.failures + 1);
    }

    /// It is not there, or another program holds it.
    fn is_gone(&self, entry: &Entry) {
        self.forget(entry);
        self.look_again(LOOK_AGAIN);
    }
}

/// Looks through the staging queue for messages that are not known.
async fn look(engine: &Engine) {
    let started = Instant::now();
    let retried = engine.delayed.retried();
    if let Some(queue) = queue(engine) {
        let mut after: Option<DeliveryKey> = None;
        let mut seen = 0_usize;
        loop {
            let browsed = engine.store.browse(queue.id, after, &Selection::default(), engine.now()).await;
            let stored = match browsed {
                Ok(Some(stored)) => stored,
                Ok(None) => break,
                Err(error) => {
                    warn!(reason = %reason::of_store(engine, &error), "delayed messages could not be looked for; the queue manager tries again");
                    return engine.delayed.put_off_look();
                }
            };
            after = Some(stored.key);
            let position = stored.key.position;
            if !retried.contains(&position)
                && let Some(staged) = unwrap(stored)
            {
                engine.delayed.know(staged.due, position);
            }
            seen += 1;
            if seen.is_multiple_of(SLICE) {
                tokio::task::yield_now().await;
            }
        }
    }
    engine.delayed.looked(started);
}

impl Delayed {
    fn retried(&self) -> HashSet<Position> {
        self.state.lock().again.keys().map(|(_, _, position)| *position).collect()
    }

    fn know(&self, due: Timestamp, position: Position) {
        self.state.lock().due.insert((due, position));
    }

    fn looked(&self, started: Instant) {
        self.state.lock().look.take_if(|at| *at <= started);
    }

    fn put_off_look(&self) {
        self.state.lock().look = Some(Instant::now() + LOOK_AGAIN);
    }
}

/// How the delivery of one message went.
enum Step {
    /// In the unit of work.
    Done,
    Gone,
    Refused(Reason),
    /// Not about this message: the unit of work has to be backed out.
    Undo,
}

async fn deliver(engine: &Arc<Engine>, due: Vec<Entry>) {
    let own = Connection::internal(engine);
    let mut done = Vec::with_capacity(due.len());
    for entry in due {
        let Some(staged) = read(engine, &entry).await else {
            engine.delayed.is_gone(&entry);
            continue;
        };
        let is_publication = matches!(staged.goal, Goal::Topic { .. });
        if is_publication && !commit(engine, &own, &mut done).await {
            return;
        }
        match step(engine, &own.state, &entry, &staged).await {
            Step::Done => done.push(entry),
            Step::Gone => {
                engine.delayed.is_gone(&entry);
                // Its copy is in the unit of work: the others are delivered anew.
                return back_out(engine, &own).await;
            }
            Step::Refused(reason) => {
                // What was delivered is safe before anything else is done.
                if is_publication {
                    back_out(engine, &own).await;
                } else if !commit(engine, &own, &mut done).await {
                    return;
                }
                refused(engine, &own, &entry, staged, reason).await;
            }
            Step::Undo => {
                engine.delayed.try_again(&entry);
                return back_out(engine, &own).await;
            }
        }
        if is_publication && !commit(engine, &own, &mut done).await {
            return;
        }
    }
    commit(engine, &own, &mut done).await;
}

/// Puts one message on its way and takes it off the staging queue.
async fn step(engine: &Engine, unit: &ConnectionState, entry: &Entry, staged: &Staged) -> Step {
    let now = engine.now();
    match send(engine, unit, staged, now).await {
        Ok(()) => {}
        Err(reason) if reason::is_of_caller(reason) => return Step::Undo,
        Err(reason) => return Step::Refused(reason),
    }
    match take(engine, unit, entry.position, now).await {
        Ok(true) => Step::Done,
        Ok(false) => Step::Gone,
        Err(_) => Step::Undo,
    }
}

async fn send(engine: &Engine, unit: &ConnectionState, staged: &Staged, now: Timestamp) -> Result<(), Reason> {
    let message = &staged.message;
    // Its life begins with its delivery.
    let expires = message.descriptor.expiry.duration().map(|lifetime| now.saturating_add(lifetime));
    match &staged.goal {
        Goal::Queue { queue, queue_manager } => {
            let Resolved::Destination(destination) = resolve(engine, queue, queue_manager)? else {
                return Err(Reason::ObjectTypeError);
            };
            // A topic, by an alias that was changed meanwhile, is refused.
            report::put_to(engine, Some(unit), &destination, message.clone(), expires, now).await?;
            if matches!(destination, Destination::Local { .. }) && report::wants_coa(&message.descriptor) {
                report::confirm_arrival(engine, Some(unit), message, now).await;
            }
            Ok(())
        }
        Goal::Topic { topic_string, retain } => {
            let Message { descriptor, body } = message.clone();
            let publication = Publication { descriptor, body, expires };
            publish::publish_later(engine, unit, topic_string, &publication, *retain, now).await
        }
    }
}

/// The queue or topic does not take it.
async fn refused(engine: &Arc<Engine>, own: &Connection, entry: &Entry, staged: Staged, reason: Reason) {
    let Staged { goal, message, .. } = staged;
    let now = engine.now();
    if let Some(left_out) = engine.delayed.refusals.lock().due(now, BETWEEN_LINES) {
        let tries = entry.failures + 1;
        warn!(?goal, %reason, tries, left_out, "a delayed message could not be delivered; the queue manager tries again");
    }
    if entry.failures < TRIES {
        return engine.delayed.try_again(entry);
    }
    let (queue, queue_manager) = match goal {
        Goal::Queue { queue, queue_manager } => (queue, queue_manager),
        Goal::Topic { .. } => (QueueName::BLANK, QueueManagerName::BLANK),
    };
    let undelivered = Undelivered { message, queue, queue_manager, reason };
    let unit = &*own.state;
    let disposed = dead_letter::dispose(engine, Some(unit), undelivered, now).await;
    let taken = match disposed {
        Ok(()) => take(engine, unit, entry.position, now).await,
        Err(reason) => Err(reason),
    };
    match taken {
        Ok(true) => drop(commit(engine, own, &mut vec![*entry]).await),
        Ok(false) => {
            back_out(engine, own).await;
            engine.delayed.is_gone(entry);
        }
        Err(_) => {
            back_out(engine, own).await;
            engine.delayed.try_again(entry);
        }
    }
}

/// The staged message, where it is the one that is meant.
async fn read(engine: &Engine, entry: &Entry) -> Option<Staged> {
    let queue = queue(engine)?;
    let selection = Selection { position: Some(entry.position), ..Selection::default() };
    let stored = engine.store.browse(queue.id, None, &selection, engine.now()).await.ok()??;
    unwrap(stored).filter(|staged| staged.due == entry.due)
}

/// Takes a message off the staging queue, in the unit of work. False when it is not there, or another program holds it.
async fn take(engine: &Engine, unit: &ConnectionState, position: Position, now: Timestamp) -> Result<bool, Reason> {
    let Some(queue) = queue(engine) else { return Ok(false) };
    let id = unit.unit(engine, &queue)?;
    let selection = Selection { position: Some(position), ..Selection::default() };
    let got = engine
        .store
        .get(Some(id), queue.id, &selection, now)
        .await
        .map_err(|error| reason::of_store(engine, &error))?;
    let Some(got) = got else { return Ok(false) };
    unit.note(id, &queue, Arrival::of(&got.message.descriptor), got.expires, What::Got);
    Ok(true)
}

/// Commits what was delivered so far. False when it was backed out; it is tried again.
async fn commit(engine: &Engine, own: &Connection, done: &mut Vec<Entry>) -> bool {
    let unit = own.state.unit.lock().take();
    let committed = match unit {
        Some(unit) => commit_or_back_out(engine, unit).await,
        None => Ok(()),
    };
    for entry in done.drain(..) {
        match committed {
            Ok(()) => engine.delayed.forget(&entry),
            Err(_) => engine.delayed.try_again(&entry),
        }
    }
    if let Err(reason) = committed {
        warn!(%reason, "the delivery of delayed messages could not be committed; the queue manager tries again");
    }
    committed.is_ok()
}

async fn back_out(engine: &Engine, own: &Connection) {
    let unit = own.state.unit.lock().take();
    if let Some(unit) = unit
        && let Err(reason) = back_out_unit(engine, unit).await
    {
        warn!(%reason, "the delivery of delayed messages could not be backed out");
    }
}
