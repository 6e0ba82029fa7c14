//! Interval statistics: of MQI calls, of queues and of channels, told every STATINT seconds, when the queue manager ends,
//! and when RESET QMGR TYPE(STATISTICS) asks for them.
//!
//! Calls are counted where they are noted (`accounting/observation.rs`), each connection in counters of its own; here they
//! are added up. STATINT(0) leaves the end and the command.
//!
//! Source: MQ monitoring, "Statistics message generation", "MQI statistics message data", 9.3.

mod channel;
mod queue;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use model::authority::{Authority, AuthorityObject, Principal};
use model::definition::subscription::MadeBy;
use model::definition::{Collect, QueueManagerDefinition};
use model::descriptor::Persistence;
use model::identifier::CorrelationId;
use model::pcf::{Message, MessageKind, Parameter, ParameterValue};
use model::timestamp::Timestamp;
use parking_lot::Mutex;

use crate::QueueManager;
use crate::definition::objects::{ObjectError, authorise};
use crate::engine::Engine;
use crate::engine::connection_table::ConnectionState;
use crate::instrumentation::accounting::calls::{Calls, large, small};
use crate::instrumentation::accounting::number as n;
use crate::instrumentation::accounting::record::{Ending, MAXIMUM_GROUPS, beginning, header};
use crate::instrumentation::accounting::writer::{self, Destination};

pub(crate) use channel::{ByChannel, ChannelFigures, collects as collects_channel};
pub(crate) use queue::QueueFigures;

pub(crate) struct Statistics {
    /// STATMQI.
    counts_calls: AtomicBool,
    /// Calls or queues are counted, so connections are observed.
    is_wanted: AtomicBool,
    /// Of connections that have ended since the last message.
    ended: Calls,
    events: Events,
    interval: Mutex<Interval>,
    /// Groups of queues that were deleted since the last message.
    deleted: Mutex<Vec<Parameter>>,
}

/// What happens to the queue manager rather than on a connection.
#[derive(Debug, Default)]
struct Events {
    connects: AtomicU64,
    connects_failed: AtomicU64,
    /// Most connections at a time.
    connections_most: AtomicU64,
    disconnects: [AtomicU64; 3],
    expired: AtomicU64,
    purged: AtomicU64,
    published: [AtomicU64; 2],
    published_bytes: [AtomicU64; 2],
}

#[derive(Debug)]
struct Interval {
    since: Timestamp,
    /// Something was collected at some time in the interval.
    collects: bool,
    /// Calls were.
    counted_calls: bool,
    /// Subscriptions: durable, and others.
    water: [Water; 2],
}

/// How many subscriptions there were.
#[derive(Debug, Clone, Copy, Default)]
struct Water {
    low: Levels,
    high: Levels,
}

impl Water {
    fn at(levels: Levels) -> Self {
        Self { low: levels, high: levels }
    }

    fn note(&mut self, levels: Levels) {
        for (at, level) in levels.into_iter().enumerate() {
            self.low[at] = self.low[at].min(level);
            self.high[at] = self.high[at].max(level);
        }
    }

    fn parameters(self, high: i32, low: i32) -> [Parameter; 2] {
        let list = |id, levels: Levels| Parameter::integers(id, levels.map(small).into());
        [list(high, self.high), list(low, self.low)]
    }
}

/// Groups of deleted queues that are kept at most; those of more are lost.
const MAXIMUM_DELETED: usize = 10_000;

fn collects_anything(definition: &QueueManagerDefinition, engine_overrides: bool) -> bool {
    let on = |switch| !matches!(switch, Collect::None | Collect::Off);
    definition.statistics_mqi
        || on(definition.statistics_queue)
        || on(definition.statistics_channel)
        || engine_overrides
}

impl Statistics {
    pub(crate) fn new(definition: &QueueManagerDefinition, now: Timestamp) -> Self {
        let collects = collects_anything(definition, false);
        let counts_calls = definition.statistics_mqi;
        Self {
            counts_calls: AtomicBool::new(counts_calls),
            is_wanted: AtomicBool::new(false),
            ended: Calls::default(),
            events: Events::default(),
            interval: Mutex::new(Interval {
                since: now,
                collects,
                counted_calls: counts_calls,
                water: [Water::default(); 2],
            }),
            deleted: Mutex::default(),
        }
    }

    pub(super) fn counts_calls(&self) -> bool {
        self.counts_calls.load(Ordering::Relaxed)
    }

    pub(crate) fn is_wanted(&self) -> bool {
        self.is_wanted.load(Ordering::SeqCst)
    }

    /// The switches have changed. The first of them to be switched on begins an interval.
    pub(crate) fn switch(&self, definition: &QueueManagerDefinition, engine: &Engine, is_wanted: bool) {
        self.is_wanted.store(is_wanted, Ordering::SeqCst);
        let collects = collects_anything(definition, engine.overrides.any());
        let mut interval = self.interval.lock();
        if collects && !interval.collects {
            interval.since = engine.now();
        }
        interval.collects |= collects;
        let begins = definition.statistics_mqi && !self.counts_calls();
        if begins {
            interval.counted_calls = true;
            interval.water = subscriptions(engine).map(Water::at);
            self.events.connections_most.store(engine.connections.count() as u64, Ordering::Relaxed);
        }
        self.counts_calls.store(definition.statistics_mqi, Ordering::Relaxed);
    }

    pub(crate) fn connected(&self, engine: &Engine) {
        if self.counts_calls() {
            self.events.connects.fetch_add(1, Ordering::Relaxed);
            self.events.connections_most.fetch_max(engine.connections.count() as u64, Ordering::Relaxed);
        }
    }

    pub(crate) fn connect_failed(&self) {
        if self.counts_calls() {
            self.events.connects_failed.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn disconnected(&self, state: &ConnectionState, ending: Ending) {
        if self.counts_calls() {
            self.events.disconnects[ending as usize].fetch_add(1, Ordering::Relaxed);
        }
        if let Some(observation) = state.observation() {
            observation.statistics.move_to(&self.ended);
        }
    }

    pub(crate) fn published(&self, persistence: Persistence, bytes: usize) {
        if self.counts_calls() {
            let at = usize::from(persistence == Persistence::Persistent);
            self.events.published[at].fetch_add(1, Ordering::Relaxed);
            self.events.published_bytes[at].fetch_add(bytes as u64, Ordering::Relaxed);
        }
    }

    pub(crate) fn expired(&self, messages: u64) {
        if self.counts_calls() {
            self.events.expired.fetch_add(messages, Ordering::Relaxed);
        }
    }

    pub(crate) fn purged(&self) {
        if self.counts_calls() {
            self.events.purged.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Subscriptions were made or removed.
    pub(super) fn subscriptions_changed(&self, engine: &Engine) {
        if self.counts_calls() {
            let levels = subscriptions(engine);
            let mut interval = self.interval.lock();
            for (water, level) in interval.water.iter_mut().zip(levels) {
                water.note(level);
            }
        }
    }

    /// A queue is being deleted: its figures are in the record at the end of the interval.
    pub(crate) fn queue_deleted(&self, figures: Option<Parameter>) {
        let Some(figures) = figures else { return };
        let mut deleted = self.deleted.lock();
        if deleted.len() < MAXIMUM_DELETED {
            deleted.push(figures);
        }
    }

    /// When the interval under way ends; `None` while nothing is collected, or no interval ends by itself.
    fn due(&self, engine: &Engine) -> Option<Timestamp> {
        let seconds = engine.definition.read().statistics_interval_s;
        let interval = self.interval.lock();
        (interval.collects && seconds > 0)
            .then(|| interval.since.saturating_add(Duration::from_secs(u64::from(seconds))))
    }
}

pub(super) fn is_durable(engine: &Engine, subscription: CorrelationId) -> bool {
    engine.publish.with(|state| state.get(&subscription).is_some_and(|known| known.definition.durable))
}

/// How many subscriptions there are: all, by applications, by administrators, of other queue managers.
type Levels = [u64; 4];

/// Durable, and others.
fn subscriptions(engine: &Engine) -> [Levels; 2] {
    let mut levels = [[0; 4]; 2];
    engine.publish.with(|state| {
        for known in state.all() {
            let level = &mut levels[usize::from(!known.definition.durable)];
            level[0] += 1;
            level[match known.definition.made_by {
                MadeBy::Api => 1,
                MadeBy::Administrator => 2,
                MadeBy::Proxy => 3,
            }] += 1;
        }
    });
    levels
}

/// Tells of the interval if it is over. Returns when the next is, if one will be.
pub(crate) async fn scan(engine: &Engine) -> Option<Timestamp> {
    let due = engine.statistics.due(engine)?;
    if due <= engine.now() {
        write(engine).await;
    }
    engine.statistics.due(engine)
}

/// Tells of the interval up to now, and begins the next.
pub(crate) async fn write(engine: &Engine) {
    let now = engine.now();
    for message in messages(engine, now) {
        writer::write(engine, Destination::Statistics, &message, [0; 24]).await;
    }
}

fn messages(engine: &Engine, now: Timestamp) -> Vec<Message> {
    let statistics = &engine.statistics;
    let mut interval = statistics.interval.lock();
    let since = std::mem::replace(&mut interval.since, now);
    interval.collects = collects_anything(&engine.definition.read(), engine.overrides.any());
    let counted_calls = std::mem::replace(&mut interval.counted_calls, statistics.counts_calls());
    let head = beginning(engine, since, now);
    let mut messages = Vec::new();
    if counted_calls {
        let mut parameters = head.clone();
        parameters.extend(calls(engine, &mut interval));
        messages.push(Message { header: header(MessageKind::STATISTICS, n::MQCMD_STATISTICS_MQI), parameters });
    }
    drop(interval);
    let mut grouped = |command, groups: Vec<Parameter>| {
        for part in groups.chunks(MAXIMUM_GROUPS) {
            let mut parameters = head.clone();
            parameters.push(Parameter::integer(n::MQIAMO_OBJECT_COUNT, small(part.len() as u64)));
            parameters.extend_from_slice(part);
            messages.push(Message { header: header(MessageKind::STATISTICS, command), parameters });
        }
    };
    let mut queues = std::mem::take(&mut *statistics.deleted.lock());
    queues.extend(queue::groups(engine.all_queues()));
    grouped(n::MQCMD_STATISTICS_Q, queues);
    grouped(n::MQCMD_STATISTICS_CHANNEL, channel::groups(engine.channels.take_figures()));
    messages
}

/// What was counted of calls, of connections that live and of those that have ended.
fn calls(engine: &Engine, interval: &mut Interval) -> Vec<Parameter> {
    let statistics = &engine.statistics;
    for state in engine.connections.all() {
        if let Some(observation) = state.observation() {
            observation.statistics.move_to(&statistics.ended);
        }
    }
    let events = &statistics.events;
    let take = |counter: &AtomicU64| counter.swap(0, Ordering::Relaxed);
    let one = |id, counter| Parameter::integer(id, small(take(counter)));
    let list = |id, counters: &[AtomicU64]| Parameter::integers(id, counters.iter().map(|c| small(take(c))).collect());
    let connections = engine.connections.count() as u64;
    let most = events.connections_most.swap(connections, Ordering::Relaxed);
    let mut parameters = vec![
        one(n::MQIAMO_CONNS, &events.connects),
        one(n::MQIAMO_CONNS_FAILED, &events.connects_failed),
        Parameter::integer(n::MQIAMO_CONNS_MAX, small(most.max(connections))),
        list(n::MQIAMO_DISCS, &events.disconnects),
    ];
    parameters.extend(statistics.ended.take());
    parameters.push(one(n::MQIAMO_MSGS_EXPIRED, &events.expired));
    parameters.push(one(n::MQIAMO_MSGS_PURGED, &events.purged));
    let levels = subscriptions(engine);
    for (water, level) in interval.water.iter_mut().zip(levels) {
        water.note(level);
    }
    let [durable, other] = std::mem::replace(&mut interval.water, levels.map(Water::at));
    parameters.extend(durable.parameters(n::MQIAMO_SUB_DUR_HIGHWATER, n::MQIAMO_SUB_DUR_LOWWATER));
    parameters.extend(other.parameters(n::MQIAMO_SUB_NDUR_HIGHWATER, n::MQIAMO_SUB_NDUR_LOWWATER));
    parameters.push(list(n::MQIAMO_PUBLISH_MSG_COUNT, &events.published));
    let bytes = events.published_bytes.iter().map(|counter| large(take(counter))).collect();
    parameters.push(Parameter { id: n::MQIAMO64_PUBLISH_MSG_BYTES, value: ParameterValue::Integers64(bytes) });
    parameters
}

impl QueueManager {
    /// RESET QMGR TYPE(STATISTICS): tells of the interval up to now, and begins the next.
    ///
    /// # Errors
    /// `NotAuthorized`: no +chg on the queue manager.
    pub async fn reset_statistics(&self, caller: &Principal) -> Result<(), ObjectError> {
        let engine = self.engine();
        authorise(engine, caller, AuthorityObject::QueueManager, &engine.name, Authority::CHANGE)?;
        write(engine).await;
        Ok(())
    }
}
