//! What happened in the whole queue manager, counted for one reader: the records of STATMQI, or the publications of monitoring.
//!
//! Each reader has a tally of its own, so that neither takes away what the other has to tell. Calls are counted at each connection
//! (`accounting/observation.rs`) and moved here when they are taken, and when the connection ends.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use model::definition::subscription::MadeBy;
use model::descriptor::Persistence;
use parking_lot::Mutex;

use crate::engine::Engine;
use crate::instrumentation::accounting::calls::{Calls, index};
use crate::instrumentation::accounting::observation::Observation;
use crate::instrumentation::accounting::record::Ending;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    Statistics,
    Monitoring,
}

#[derive(Debug)]
pub(crate) struct Tally {
    reader: Reader,
    is_on: AtomicBool,
    /// Of connections that have ended since the figures were taken last.
    ended: Calls,
    events: Events,
    /// Subscriptions: durable, and others.
    water: Mutex<[Water; 2]>,
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

/// What was counted since it was taken last.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) calls: Calls,
    pub(crate) connects: u64,
    pub(crate) connects_failed: u64,
    pub(crate) connections_most: u64,
    /// By `Ending`.
    pub(crate) disconnects: [u64; 3],
    pub(crate) expired: u64,
    pub(crate) purged: u64,
    /// By persistence.
    pub(crate) published: [u64; 2],
    pub(crate) published_bytes: [u64; 2],
    pub(crate) durable: Water,
    pub(crate) other: Water,
}

/// How many subscriptions there are: all, by applications, by administrators, of other queue managers.
pub(crate) type Levels = [u64; 4];

/// How many subscriptions there were.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Water {
    pub(crate) low: Levels,
    pub(crate) high: Levels,
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
}

impl Tally {
    pub(super) fn new(reader: Reader, is_on: bool) -> Self {
        Self {
            reader,
            is_on: AtomicBool::new(is_on),
            ended: Calls::default(),
            events: Events::default(),
            water: Mutex::default(),
        }
    }

    pub(crate) fn is_on(&self) -> bool {
        self.is_on.load(Ordering::Relaxed)
    }

    pub(crate) fn begin(&self, engine: &Engine) {
        *self.water.lock() = subscriptions(engine).map(Water::at);
        self.events.connections_most.store(engine.connections.count() as u64, Ordering::Relaxed);
        self.is_on.store(true, Ordering::Relaxed);
    }

    pub(crate) fn end(&self) {
        self.is_on.store(false, Ordering::Relaxed);
    }

    pub(super) fn connected(&self, engine: &Engine) {
        self.events.connects.fetch_add(1, Ordering::Relaxed);
        self.events.connections_most.fetch_max(engine.connections.count() as u64, Ordering::Relaxed);
    }

    pub(super) fn connect_failed(&self) {
        self.events.connects_failed.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn disconnected(&self, ending: Ending) {
        self.events.disconnects[ending as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// Takes over what was counted of a connection's calls.
    pub(super) fn keep(&self, observation: &Observation) {
        if let Some(calls) = observation.counted_for(self.reader) {
            calls.move_to(&self.ended);
        }
    }

    pub(super) fn published(&self, persistence: Persistence, bytes: usize) {
        let at = index(persistence);
        self.events.published[at].fetch_add(1, Ordering::Relaxed);
        self.events.published_bytes[at].fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(super) fn expired(&self, messages: u64) {
        self.events.expired.fetch_add(messages, Ordering::Relaxed);
    }

    pub(super) fn purged(&self) {
        self.events.purged.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn note_subscriptions(&self, levels: [Levels; 2]) {
        for (water, level) in self.water.lock().iter_mut().zip(levels) {
            water.note(level);
        }
    }

    /// What was counted, of connections that live and of those that have ended. Counting begins anew.
    pub(crate) fn take(&self, engine: &Engine) -> Taken {
        engine.connections.all().iter().filter_map(|state| state.observation()).for_each(|one| self.keep(one));
        let calls = Calls::default();
        self.ended.move_to(&calls);
        let take = |counter: &AtomicU64| counter.swap(0, Ordering::Relaxed);
        let events = &self.events;
        let connections = engine.connections.count() as u64;
        let levels = subscriptions(engine);
        self.note_subscriptions(levels);
        let [durable, other] = std::mem::replace(&mut *self.water.lock(), levels.map(Water::at));
        Taken {
            calls,
            connects: take(&events.connects),
            connects_failed: take(&events.connects_failed),
            connections_most: events.connections_most.swap(connections, Ordering::Relaxed).max(connections),
            disconnects: events.disconnects.each_ref().map(take),
            expired: take(&events.expired),
            purged: take(&events.purged),
            published: events.published.each_ref().map(take),
            published_bytes: events.published_bytes.each_ref().map(take),
            durable,
            other,
        }
    }
}

/// Durable, and others.
pub(super) fn subscriptions(engine: &Engine) -> [Levels; 2] {
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
