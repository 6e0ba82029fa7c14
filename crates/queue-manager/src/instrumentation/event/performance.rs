//! Performance events (PERFMEV): queue full, depth high and low, service interval high and OK; and the figures they carry.
//!
//! One event switches itself off and its opposites on, so that a queue that stays full has one event:
//!
//! ```text
//! event          raised by                                      off       on
//! queue full     a put refused because of MAXDEPTH              QDPMAXEV  QDPLOEV
//! depth high     a put: depth >= QDEPTHHI percent of MAXDEPTH   QDPHIEV   QDPLOEV, QDPMAXEV
//! depth low      a get: depth <= QDEPTHLO percent of MAXDEPTH   QDPLOEV   QDPHIEV, QDPMAXEV
//! interval high  a put or get later than QSVCINT                QSVCIEV(HIGH) becomes QSVCIEV(OK)
//! interval OK    a get not later than QSVCINT                   QSVCIEV(OK) becomes QSVCIEV(HIGH)
//! ```
//!
//! The switches are the queue's attributes, so that DISPLAY shows them and a restart keeps them. The service timer runs
//! from a put to an empty queue, and from each get that leaves messages; at a start from then. An event resets the
//! figures of its queue.
//!
//! Source: MQ monitoring, "Enabling queue depth events", "Rules for queue service interval events", "Queue Full", 9.2.

use std::sync::Arc;
use std::time::Duration;

use model::definition::QueueDefinition;
use model::definition::queue::{Disposition, LocalQueue, ServiceIntervalEvent};
use model::pcf::Parameter;
use model::reason::Reason;
use model::timestamp::Timestamp;

use crate::definition::definitions;
use crate::engine::Engine;
use crate::instrumentation::event::number as n;
use crate::instrumentation::event::{self, Family};
use crate::queue::{Queue, QueueStatistics};

/// What is remembered of a queue between events.
#[derive(Default)]
pub(crate) struct Performance {
    service: ServiceTimer,
    /// Of a shared queue, whose service each member measures by itself: this member's switch, and what the definition said when it was
    /// turned.
    own_switch: Option<(ServiceIntervalEvent, ServiceIntervalEvent)>,
}

impl Performance {
    /// Of a queue that was there before the queue manager started.
    pub(crate) fn recovered() -> Self {
        Self { service: ServiceTimer::SinceStart, ..Self::default() }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum ServiceTimer {
    #[default]
    Off,
    SinceStart,
    Since(Timestamp),
}

impl ServiceTimer {
    fn elapsed(self, engine: &Engine, now: Timestamp) -> Option<Duration> {
        match self {
            Self::Off => None,
            Self::SinceStart => Some(now.since(engine.started)),
            Self::Since(then) => Some(now.since(then)),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Full,
    High,
    Low,
    IntervalHigh,
    IntervalOk,
}

impl Kind {
    const fn reason(self) -> i32 {
        match self {
            Self::Full => Reason::QFull.number(),
            Self::High => n::MQRC_Q_DEPTH_HIGH,
            Self::Low => n::MQRC_Q_DEPTH_LOW,
            Self::IntervalHigh => n::MQRC_Q_SERVICE_INTERVAL_HIGH,
            Self::IntervalOk => n::MQRC_Q_SERVICE_INTERVAL_OK,
        }
    }

    fn is_enabled(self, queue: &Queue) -> bool {
        let interval = service_switch(queue);
        queue.with(|definition| match (self, definition.as_local()) {
            (_, None) => false,
            (Self::Full, Some(local)) => local.depth_maximum_event,
            (Self::High, Some(local)) => local.depth_high_event,
            (Self::Low, Some(local)) => local.depth_low_event,
            (Self::IntervalHigh, Some(_)) => interval == ServiceIntervalEvent::High,
            (Self::IntervalOk, Some(_)) => interval == ServiceIntervalEvent::Ok,
        })
    }

    /// Each member of a group has its own service timer, and its own switch of it.
    const fn is_of_member(self) -> bool {
        matches!(self, Self::IntervalHigh | Self::IntervalOk)
    }

    /// Off with itself, on with its opposites.
    const fn toggle(self, local: &mut LocalQueue) {
        match self {
            Self::Full => {
                local.depth_maximum_event = false;
                local.depth_low_event = true;
            }
            Self::High => {
                local.depth_high_event = false;
                local.depth_low_event = true;
                local.depth_maximum_event = true;
            }
            Self::Low => {
                local.depth_low_event = false;
                local.depth_high_event = true;
                local.depth_maximum_event = true;
            }
            Self::IntervalHigh => local.service_interval_event = ServiceIntervalEvent::Ok,
            Self::IntervalOk => local.service_interval_event = ServiceIntervalEvent::High,
        }
    }
}

/// What the rules ask of a queue.
#[derive(Clone, Copy)]
struct Rules {
    high: bool,
    low: bool,
    /// Messages, exactly: a percentage of MAXDEPTH times 100.
    high_limit: u64,
    low_limit: u64,
    interval_event: ServiceIntervalEvent,
    interval: Duration,
}

/// QSVCIEV as this member has turned it.
fn service_switch(queue: &Queue) -> ServiceIntervalEvent {
    let defined = queue.with(|definition| {
        definition.as_local().map_or(ServiceIntervalEvent::None, |local| local.service_interval_event)
    });
    let own = queue.performance.lock().own_switch;
    own.filter(|(then, _)| *then == defined).map_or(defined, |(_, now)| now)
}

impl Rules {
    fn of(queue: &Queue) -> Self {
        let interval_event = service_switch(queue);
        queue.with_local(|_, local| {
            let limit = |percent: u8| u64::from(local.maximum_depth) * u64::from(percent);
            Self {
                high: local.depth_high_event,
                low: local.depth_low_event,
                high_limit: limit(local.depth_high_percent),
                low_limit: limit(local.depth_low_percent),
                interval_event,
                interval: Duration::from_millis(u64::from(local.service_interval_ms)),
            }
        })
    }

    fn is_high(&self, depth: u32) -> bool {
        self.high && u64::from(depth) * 100 >= self.high_limit
    }

    fn is_low(&self, depth: u32) -> bool {
        self.low && u64::from(depth) * 100 <= self.low_limit
    }
}

/// A put has succeeded, or was refused with a reason.
pub(crate) async fn after_put(engine: &Engine, queue: &Arc<Queue>, depth_before: Result<u32, Reason>, now: Timestamp) {
    let depth_before = match depth_before {
        Ok(depth) => depth,
        Err(Reason::QFull) => return raise(engine, queue, Kind::Full, now).await,
        Err(_) => return,
    };
    let rules = Rules::of(queue);
    if rules.interval_event != ServiceIntervalEvent::None {
        let elapsed = {
            let mut performance = queue.performance.lock();
            let elapsed = performance.service.elapsed(engine, now).filter(|_| depth_before > 0);
            if elapsed.is_none() {
                performance.service = ServiceTimer::Since(now);
            }
            elapsed
        };
        if elapsed.is_some_and(|elapsed| elapsed > rules.interval) {
            raise(engine, queue, Kind::IntervalHigh, now).await;
        }
    }
    if rules.is_high(depth_before + 1) {
        raise(engine, queue, Kind::High, now).await;
    }
}

/// Messages were got: one by a get, or all there were. Under syncpoint the depth falls at the commit.
pub(crate) async fn after_get(engine: &Engine, queue: &Arc<Queue>, in_unit: bool, now: Timestamp) {
    let rules = Rules::of(queue);
    let depth = queue.depth();
    if rules.interval_event != ServiceIntervalEvent::None {
        let remains = if in_unit { depth > 1 } else { depth > 0 };
        let elapsed = {
            let mut performance = queue.performance.lock();
            let elapsed = performance.service.elapsed(engine, now);
            performance.service = if remains { ServiceTimer::Since(now) } else { ServiceTimer::Off };
            elapsed
        };
        if let Some(elapsed) = elapsed {
            let kind = if elapsed > rules.interval { Kind::IntervalHigh } else { Kind::IntervalOk };
            raise(engine, queue, kind, now).await;
        }
    }
    if !in_unit && rules.is_low(depth) {
        raise(engine, queue, Kind::Low, now).await;
    }
}

/// A unit of work that got from the queue was committed.
pub(crate) async fn after_commit(engine: &Engine, queue: &Arc<Queue>) {
    if !queue.is_local() {
        return;
    }
    if Rules::of(queue).is_low(queue.depth()) {
        raise(engine, queue, Kind::Low, engine.now()).await;
    }
}

/// Puts the event if its switch is on, and turns the switches. Of many callers at the same time one succeeds.
async fn raise(engine: &Engine, queue: &Arc<Queue>, kind: Kind, now: Timestamp) {
    if !kind.is_enabled(queue) {
        return;
    }
    {
        let _change = engine.changes.take().await;
        if queue.is_deleted() || !kind.is_enabled(queue) {
            return;
        }
        let before = queue.definition();
        let mut definition = (*before).clone();
        if let Some(local) = definition.as_local_mut() {
            kind.toggle(local);
        }
        let is_shared = before.disposition == Disposition::Shared;
        if is_shared && kind.is_of_member() {
            let switch = |definition: &QueueDefinition| {
                definition.as_local().map_or(ServiceIntervalEvent::None, |local| local.service_interval_event)
            };
            queue.performance.lock().own_switch = Some((switch(&before), switch(&definition)));
        } else if is_shared {
            // The switches are the group's: of two members that raise one event one is refused. The other makes it.
            let save = vec![definitions::save_queue(&definition)];
            let show = || engine.show_queue(queue, definition);
            if definitions::keep_queue(engine, Disposition::Shared, save, show).await.is_err() {
                return;
            }
        } else {
            raise_here(engine, queue, definition).await;
        }
    }
    let depth = queue.depth();
    let figures = queue.counters.reset(engine.started, now, depth);
    let mut event = Family::Performance.event(kind.reason(), parameters(engine, queue, &figures));
    if kind == Kind::IntervalOk {
        event.message.header.completion = n::MQCC_OK;
    }
    event::send(engine, event).await;
}

/// The switches of a private queue.
async fn raise_here(engine: &Engine, queue: &Queue, definition: QueueDefinition) {
    if !queue.is_temporary() {
        // Not saved, the switches are as they were after a restart: the event comes once more then.
        let save = definitions::save_queue(&definition);
        let _ = engine.store.change_definitions(vec![save]).await;
    }
    engine.show_queue(queue, definition);
}

fn parameters(engine: &Engine, queue: &Queue, figures: &QueueStatistics) -> Vec<Parameter> {
    let integer = |id, value: u64| Parameter::integer(id, i32::try_from(value).unwrap_or(i32::MAX));
    vec![
        event::name(n::MQCA_Q_MGR_NAME, &engine.name),
        event::name(n::MQCA_BASE_OBJECT_NAME, &queue.name),
        integer(n::MQIA_TIME_SINCE_RESET, figures.interval_s),
        integer(n::MQIA_HIGH_Q_DEPTH, figures.highest_depth.into()),
        integer(n::MQIA_MSG_ENQ_COUNT, figures.messages_in),
        integer(n::MQIA_MSG_DEQ_COUNT, figures.messages_out),
    ]
}
