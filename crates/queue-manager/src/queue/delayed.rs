//! Delayed delivery: a message is put now, and delivered to its queue or topic later.
//!
//! Until then it waits on SYSTEM.DDELAY.LOCAL.QUEUE, behind an MQRFH2 that says where it goes and when. The queue bounds what may
//! wait (MAXDEPTH), its messages are durable when they are persistent, and a put in a unit of work stages in that unit of work.
//!
//! ```text
//! MQRFH2 <qmdelay><Que>ORDERS</Que><Qmg/><Due>microseconds since 1970</Due><Exp>MQMD Expiry</Exp></qmdelay>
//!        <qmdelay><Top>sport/football</Top><Ret>1</Ret><Due>…</Due><Exp>…</Exp></qmdelay>
//! ```
//!
//! Authority, attributes and the descriptor are checked at the put. The delivery (`deliver.rs`) asks for no authority, so no program
//! puts to that queue: it is PUT(DISABLED), which does not hold for the queue manager itself.
//!
//! Invariants
//! - `Delayed` knows every committed message that the queue manager has staged, or a look through the queue is due.
//! - A message leaves the queue in the unit of work that delivers it, or that puts it on the dead-letter queue.

pub(crate) mod deliver;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use model::descriptor::{Ccsid, Encoding, Expiry, Format, MessageDescriptor};
use model::header::rfh2::Rfh2;
use model::message::Message;
use model::name::{ObjectName, QueueManagerName, QueueName};
use model::property::{Property, PropertyValue, read_folder, write_folder};
use model::reason::Reason;
use model::timestamp::Timestamp;
use parking_lot::Mutex;
use storage::{Position, Selection, StoredMessage, UnitOfWorkId};
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::engine::Engine;
use crate::engine::connection_table::ConnectionState;
use crate::engine::map::Map;
use crate::engine::spaced_line::SpacedLine;
use crate::queue::Queue;
use crate::queue::delivery;
use crate::queue::resolve::Destination;

pub(crate) const QUEUE: &str = "SYSTEM.DDELAY.LOCAL.QUEUE";
const FOLDER: &str = "qmdelay";
/// Before a message is looked for again that another program holds.
const LOOK_AGAIN: Duration = Duration::from_secs(5);

/// When a message is to be delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    At(Timestamp),
    After(Duration),
}

impl Due {
    /// `None`: at once.
    pub(crate) fn later_than(self, now: Timestamp) -> Option<Timestamp> {
        let at = match self {
            Self::At(at) => at,
            Self::After(delay) => now.saturating_add(delay),
        };
        (at > now).then_some(at)
    }
}

/// Where a message goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Goal {
    /// As it was named: what an alias or a remote definition leads to is decided at the delivery.
    Queue {
        queue: QueueName,
        queue_manager: QueueManagerName,
    },
    Topic {
        topic_string: String,
        retain: bool,
    },
}

impl Goal {
    pub(crate) fn of(destination: &Destination) -> Self {
        match destination {
            Destination::Remote { opened: None, queue, queue_manager, .. } => {
                Self::Queue { queue: *queue, queue_manager: *queue_manager }
            }
            _ => Self::Queue { queue: destination.first().name, queue_manager: QueueManagerName::BLANK },
        }
    }
}

/// A message as it was put, and what is to become of it.
struct Staged {
    goal: Goal,
    due: Timestamp,
    message: Message,
}

/// One staged message: when it is due, where it lies, and how often it could not be delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    due: Timestamp,
    position: Position,
    failures: u32,
    /// The next try, after a failure.
    again: Option<Instant>,
}

/// What is known of the staged messages of one queue manager.
pub(crate) struct Delayed {
    state: Mutex<State>,
    has_uncommitted: AtomicBool,
    changed: Notify,
    refusals: Mutex<SpacedLine>,
}

struct State {
    due: BTreeSet<(Timestamp, Position)>,
    /// What could not be delivered, by the time of the next try, with the number of failures.
    again: BTreeMap<(Instant, Timestamp, Position), u32>,
    uncommitted: Map<UnitOfWorkId, Vec<(Timestamp, Position)>>,
    /// When to look through the queue.
    look: Option<Instant>,
}

impl Default for Delayed {
    /// What was staged before the start is looked for first.
    fn default() -> Self {
        let look = Some(Instant::now());
        let state = State { due: BTreeSet::new(), again: BTreeMap::new(), uncommitted: Map::default(), look };
        Self {
            state: Mutex::new(state),
            has_uncommitted: AtomicBool::new(false),
            changed: Notify::new(),
            refusals: Mutex::default(),
        }
    }
}

impl Delayed {
    fn staged(&self, unit: Option<UnitOfWorkId>, due: Timestamp, position: Position) {
        let mut state = self.state.lock();
        match unit {
            Some(unit) => {
                state.uncommitted.entry(unit).or_default().push((due, position));
                self.has_uncommitted.store(true, Ordering::Release);
            }
            None => {
                state.due.insert((due, position));
                drop(state);
                self.changed.notify_one();
            }
        }
    }

    /// A unit of work was committed: what was staged in it counts now.
    pub(crate) fn committed(&self, unit: UnitOfWorkId) {
        for (due, position) in self.end(unit) {
            self.staged(None, due, position);
        }
    }

    pub(crate) fn backed_out(&self, unit: UnitOfWorkId) {
        self.end(unit);
    }

    fn end(&self, unit: UnitOfWorkId) -> Vec<(Timestamp, Position)> {
        if !self.has_uncommitted.load(Ordering::Acquire) {
            return Vec::new();
        }
        let mut state = self.state.lock();
        let ended = state.uncommitted.remove(&unit).unwrap_or_default();
        self.has_uncommitted.store(!state.uncommitted.is_empty(), Ordering::Release);
        ended
    }

    /// Something may be on the queue that is not known: a look through it is due.
    pub(crate) fn look_again(&self, after: Duration) {
        let at = Instant::now() + after;
        let mut state = self.state.lock();
        state.look = Some(state.look.map_or(at, |before| before.min(at)));
        drop(state);
        self.changed.notify_one();
    }

    /// The same, when `queue` is the staging queue and gave back a message.
    pub(crate) fn came_back(&self, queue: &Queue) {
        if queue.name.as_str() == QUEUE {
            self.look_again(Duration::ZERO);
        }
    }
}

/// A message in the hands of the store. Dropped before its end, it may be staged all the same.
struct Staging<'a> {
    engine: &'a Engine,
    is_over: bool,
}

impl Drop for Staging<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            self.engine.delayed.look_again(Duration::ZERO);
        }
    }
}

/// Stages a message whose descriptor is complete, in the unit of work of `unit`, or at once.
///
/// # Errors
/// `UnknownObjectName` (2085): the queue manager has no staging queue. `MsgTooBigForQ` (2030), `QFull` (2053) and what else a put may
/// answer: of that queue.
pub(crate) async fn stage(
    engine: &Engine,
    unit: Option<&ConnectionState>,
    goal: &Goal,
    message: &Message,
    due: Timestamp,
    now: Timestamp,
) -> Result<(), Reason> {
    let queue = queue(engine).ok_or(Reason::UnknownObjectName)?;
    let wrapped = wrap(goal, message, due);
    if wrapped.body.len() > queue.with_local(|_, local| local.maximum_message_length as usize) {
        return Err(Reason::MsgTooBigForQ);
    }
    let mut staging = Staging { engine, is_over: false };
    let placed = delivery::place(engine, unit, &queue, &wrapped, None, now).await;
    staging.is_over = true;
    let unit = unit.and_then(|state| state.unit.lock().as_ref().map(|open| open.id));
    engine.delayed.staged(unit, due, placed?);
    Ok(())
}

fn queue(engine: &Engine) -> Option<Arc<Queue>> {
    engine.queue(&QueueName::literal(QUEUE)).filter(|queue| queue.is_local())
}

/// Messages that wait for their time, for a queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NotYetDue {
    pub count: usize,
    /// When the first of them is due.
    pub first: Option<Timestamp>,
    /// Of them, those that were due and could not be delivered; they are tried again.
    pub refused: usize,
    /// More are staged than were looked at.
    pub is_cut: bool,
}

/// Looks for staged messages that are for a queue of one of these names.
pub(crate) async fn not_yet_due(engine: &Engine, names: &[QueueName], maximum: usize) -> NotYetDue {
    let mut found = NotYetDue::default();
    let Some(queue) = queue(engine) else { return found };
    let staged: Vec<(Timestamp, Position, bool)> = {
        let state = engine.delayed.state.lock();
        found.is_cut = state.due.len() + state.again.len() > maximum;
        let again = state.again.keys().map(|(_, due, position)| (*due, *position, true));
        again.chain(state.due.iter().map(|(due, position)| (*due, *position, false))).take(maximum).collect()
    };
    for (index, (due, position, was_refused)) in staged.into_iter().enumerate() {
        if index % 32 == 31 {
            tokio::task::yield_now().await;
        }
        let at = Selection { position: Some(position), ..Selection::default() };
        let Ok(Some(stored)) = engine.store.browse(queue.id, None, &at, engine.now()).await else { continue };
        let Some(Staged { goal: Goal::Queue { queue, queue_manager }, .. }) = unwrap(stored) else { continue };
        if engine.is_this(&queue_manager) && names.contains(&queue) {
            found.count += 1;
            found.refused += usize::from(was_refused);
            found.first = Some(found.first.map_or(due, |first| first.min(due)));
        }
    }
    found
}

/// The message behind its header. It does not expire while it waits.
fn wrap(goal: &Goal, message: &Message, due: Timestamp) -> Message {
    let text = |text: &str| PropertyValue::String(text.to_owned());
    let mut values = match goal {
        Goal::Queue { queue, queue_manager } => {
            vec![("Que", text(queue.as_str())), ("Qmg", text(queue_manager.as_str()))]
        }
        Goal::Topic { topic_string, retain } => {
            vec![("Top", text(topic_string)), ("Ret", text(if *retain { "1" } else { "0" }))]
        }
    };
    values.push(("Due", text(&due.0.to_string())));
    values.push(("Exp", text(&message.descriptor.expiry.0.to_string())));
    let of = &message.descriptor;
    let folders = vec![write_folder(FOLDER, values.iter().map(|(name, value)| (*name, value)))];
    let header = Rfh2 { encoding: of.encoding, ccsid: of.ccsid, format: of.format, flags: 0, folders };
    let mut body = Vec::with_capacity(256 + message.body.len());
    header.encode(Encoding::NATIVE, &mut body);
    body.extend_from_slice(&message.body);
    let descriptor = MessageDescriptor {
        encoding: Encoding::NATIVE,
        ccsid: Ccsid::UTF_8,
        format: Format::RF_HEADER_2,
        expiry: Expiry::UNLIMITED,
        ..of.clone()
    };
    Message { descriptor, body: body.into() }
}

/// `None` for a message that the queue manager has not staged.
fn unwrap(stored: StoredMessage) -> Option<Staged> {
    let Message { descriptor, body } = *stored.message;
    if descriptor.format != Format::RF_HEADER_2 {
        return None;
    }
    let (header, length) = Rfh2::decode(&body, descriptor.encoding).ok()?;
    let (folder, properties) = read_folder(header.folders.first()?).ok()?;
    if folder != FOLDER {
        return None;
    }
    let goal = goal_of(&properties)?;
    let due = Timestamp(value(&properties, "Due")?.parse().ok()?);
    let descriptor = MessageDescriptor {
        encoding: header.encoding,
        ccsid: header.ccsid,
        format: header.format,
        expiry: Expiry(value(&properties, "Exp")?.parse().ok()?),
        backout_count: 0,
        ..descriptor
    };
    Some(Staged { goal, due, message: Message { descriptor, body: body.slice(length..) } })
}

fn goal_of(properties: &[Property]) -> Option<Goal> {
    if let Some(topic_string) = value(properties, "Top") {
        return Some(Goal::Topic { topic_string, retain: value(properties, "Ret")? == "1" });
    }
    let queue = ObjectName::parse(&value(properties, "Que")?).ok()?;
    let queue_manager = ObjectName::parse(&value(properties, "Qmg").unwrap_or_default()).ok()?;
    Some(Goal::Queue { queue, queue_manager })
}

fn value(properties: &[Property], name: &str) -> Option<String> {
    properties.iter().find(|property| property.name == name).map(|property| property.value.to_string())
}
