//! Interval statistics: of MQI calls, of queues and of channels, told every STATINT seconds, when the queue manager ends,
//! and when RESET QMGR TYPE(STATISTICS) asks for them.
//!
//! Calls are counted where they are noted (`accounting/observation.rs`), each connection in counters of its own; `tally.rs`
//! adds them up. STATINT(0) leaves the end and the command.
//!
//! Source: MQ monitoring, "Statistics message generation", "MQI statistics message data", 9.3.

mod channel;
mod queue;
pub(crate) mod tally;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use model::authority::{Authority, AuthorityObject, Principal};
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
use crate::instrumentation::accounting::calls::{large, small};
use crate::instrumentation::accounting::number as n;
use crate::instrumentation::accounting::record::{Ending, MAXIMUM_GROUPS, beginning, header};
use crate::instrumentation::accounting::writer::{self, Destination};
use crate::instrumentation::statistics::tally::{Reader, Tally, Water};

pub(crate) use channel::{ByChannel, ChannelFigures, collects as collects_channel};
pub(crate) use queue::QueueFigures;

pub(crate) struct Statistics {
    /// For STATMQI.
    calls: Tally,
    /// For the publications of `monitoring.rs`.
    pub(crate) monitored: Tally,
    /// Calls or queues are counted, so connections are observed.
    is_wanted: AtomicBool,
    interval: Mutex<Interval>,
    /// Groups of queues that were deleted since the last message.
    deleted: Mutex<Vec<Parameter>>,
}

#[derive(Debug)]
struct Interval {
    since: Timestamp,
    /// Something was collected at some time in the interval.
    collects: bool,
    /// Calls were.
    counted_calls: bool,
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
        let counted_calls = definition.statistics_mqi;
        Self {
            calls: Tally::new(Reader::Statistics, counted_calls),
            monitored: Tally::new(Reader::Monitoring, false),
            is_wanted: AtomicBool::new(false),
            interval: Mutex::new(Interval { since: now, collects, counted_calls }),
            deleted: Mutex::default(),
        }
    }

    /// The tallies that count at present.
    fn counting(&self) -> impl Iterator<Item = &Tally> {
        [&self.calls, &self.monitored].into_iter().filter(|tally| tally.is_on())
    }

    pub(super) fn counts_calls_for(&self, reader: Reader) -> bool {
        match reader {
            Reader::Statistics => self.calls.is_on(),
            Reader::Monitoring => self.monitored.is_on(),
        }
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
        match (definition.statistics_mqi, self.calls.is_on()) {
            (true, false) => {
                interval.counted_calls = true;
                self.calls.begin(engine);
            }
            (false, true) => self.calls.end(),
            _ => {}
        }
    }

    pub(crate) fn connected(&self, engine: &Engine) {
        self.counting().for_each(|tally| tally.connected(engine));
    }

    pub(crate) fn connect_failed(&self) {
        self.counting().for_each(Tally::connect_failed);
    }

    pub(crate) fn disconnected(&self, state: &ConnectionState, ending: Ending) {
        self.counting().for_each(|tally| tally.disconnected(ending));
        let Some(observation) = state.observation() else { return };
        self.calls.keep(observation);
        self.monitored.keep(observation);
    }

    pub(crate) fn published(&self, persistence: Persistence, bytes: usize) {
        self.counting().for_each(|tally| tally.published(persistence, bytes));
    }

    pub(crate) fn expired(&self, messages: u64) {
        self.counting().for_each(|tally| tally.expired(messages));
    }

    pub(crate) fn purged(&self) {
        self.counting().for_each(Tally::purged);
    }

    /// Subscriptions were made or removed.
    pub(super) fn subscriptions_changed(&self, engine: &Engine) {
        let mut levels = None;
        for tally in self.counting() {
            tally.note_subscriptions(*levels.get_or_insert_with(|| tally::subscriptions(engine)));
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
    let counted_calls = std::mem::replace(&mut interval.counted_calls, statistics.calls.is_on());
    let head = beginning(engine, since, now);
    let mut messages = Vec::new();
    if counted_calls {
        let mut parameters = head.clone();
        parameters.extend(calls(engine));
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

/// What was counted of calls.
fn calls(engine: &Engine) -> Vec<Parameter> {
    let taken = engine.statistics.calls.take(engine);
    let one = |id, number| Parameter::integer(id, small(number));
    let list = |id, numbers: &[u64]| Parameter::integers(id, numbers.iter().copied().map(small).collect());
    let mut parameters = vec![
        one(n::MQIAMO_CONNS, taken.connects),
        one(n::MQIAMO_CONNS_FAILED, taken.connects_failed),
        one(n::MQIAMO_CONNS_MAX, taken.connections_most),
        list(n::MQIAMO_DISCS, &taken.disconnects),
    ];
    parameters.extend(taken.calls.take());
    parameters.push(one(n::MQIAMO_MSGS_EXPIRED, taken.expired));
    parameters.push(one(n::MQIAMO_MSGS_PURGED, taken.purged));
    let mut water = |high, low, water: Water| parameters.extend([list(high, &water.high), list(low, &water.low)]);
    water(n::MQIAMO_SUB_DUR_HIGHWATER, n::MQIAMO_SUB_DUR_LOWWATER, taken.durable);
    water(n::MQIAMO_SUB_NDUR_HIGHWATER, n::MQIAMO_SUB_NDUR_LOWWATER, taken.other);
    parameters.push(list(n::MQIAMO_PUBLISH_MSG_COUNT, &taken.published));
    let bytes = taken.published_bytes.map(large).into();
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
