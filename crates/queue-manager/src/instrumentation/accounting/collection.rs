//! Who is observed, and for what: the switches of the queue manager and of its queues, and when a change of them counts.
//!
//! ```text
//! switch                    counts for
//! ACCTMQI, ACCTQ of QMGR    connections that begin after the change
//! ACCTQ of a queue          handles opened after it, of connections for which queues are accounted for
//! STATMQI                   every call after it, on all connections
//! STATQ, either             handles opened after it; OFF and NONE at once
//! STATCHL, either           instances that start after it
//! ACCTINT, STATINT          the interval under way
//! monitoring                every call after it has begun, on all connections
//! ```
//!
//! Source: MQ monitoring, "MQI accounting information", "Queue accounting information", "Queue statistics information";
//! MQ reference, "ALTER QMGR", ACCTCONO; MQCNO, MQCNO_ACCOUNTING_*, 9.3.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use model::definition::{Collect, QueueManagerDefinition};

use crate::engine::Engine;
use crate::engine::connection_table::ConnectionState;
use crate::instrumentation::accounting::observation::{Counts, Observation, Purpose};
use crate::queue::Queue;

/// What an application asks for as it connects (MQCNO_ACCOUNTING_*), which ACCTCONO(ENABLED) lets count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AccountingWish {
    pub calls: Option<bool>,
    pub queues: Option<bool>,
}

impl AccountingWish {
    const MQI_ENABLED: i32 = 0x1000;
    const MQI_DISABLED: i32 = 0x2000;
    const Q_ENABLED: i32 = 0x4000;
    const Q_DISABLED: i32 = 0x8000;

    /// Of MQCNO `Options`. Asked for both ways, neither counts.
    pub fn of_options(options: i32) -> Self {
        let wish = |on: i32, off: i32| match (options & on != 0, options & off != 0) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        };
        Self { calls: wish(Self::MQI_ENABLED, Self::MQI_DISABLED), queues: wish(Self::Q_ENABLED, Self::Q_DISABLED) }
    }
}

/// Queues that say ON for themselves; once there was one, connections are observed until the next start.
#[derive(Debug, Default)]
pub(crate) struct Overrides {
    any: AtomicBool,
}

impl Overrides {
    /// True when this queue is the first.
    pub(crate) fn note(&self, queue: &Queue) -> bool {
        let says_on = queue.with(|definition| {
            definition
                .as_local()
                .is_some_and(|local| local.accounting == Collect::On || local.statistics == Collect::On)
        });
        says_on && !self.any.swap(true, Ordering::Relaxed)
    }

    pub(crate) fn any(&self) -> bool {
        self.any.load(Ordering::Relaxed)
    }
}

/// Observes a connection that begins, if anything is collected.
pub(crate) fn begin(engine: &Engine, state: &ConnectionState, wish: AccountingWish) {
    let purpose = {
        let definition = engine.definition.read();
        let purpose = purpose(engine, &definition, wish);
        if purpose == Purpose::STATISTICS && !wants_statistics(engine, &definition) {
            return;
        }
        purpose
    };
    state.observe(Observation::new(purpose, state.connected));
}

/// The connection is in the table now. Statistics that were switched on since `begin` either find it there or are seen here.
pub(crate) fn added(engine: &Engine, state: &ConnectionState) {
    if engine.statistics.is_wanted() && state.observation().is_none() {
        state.observe(Observation::new(Purpose::STATISTICS, state.connected));
    }
}

fn purpose(engine: &Engine, definition: &QueueManagerDefinition, wish: AccountingWish) -> Purpose {
    let wish = if definition.accounting_connection_override { wish } else { AccountingWish::default() };
    let traced = engine.system.traces_accounting();
    let calls = wish.calls.unwrap_or(definition.accounting_mqi) || traced;
    let queues = match wish.queues {
        Some(true) => Collect::On,
        Some(false) => Collect::None,
        None if traced => Collect::On,
        None => definition.accounting_queue,
    };
    // With ACCTQ(OFF) and no queue that says ON there is nothing to look for.
    let nothing = queues == Collect::Off && !engine.overrides.any();
    Purpose { calls, queues: if nothing { Collect::None } else { queues } }
}

fn wants_statistics(engine: &Engine, definition: &QueueManagerDefinition) -> bool {
    engine.statistics.monitored.is_on()
        || definition.statistics_mqi
        || match definition.statistics_queue {
            Collect::None => false,
            Collect::On => true,
            _ => engine.overrides.any(),
        }
}

/// The definition of the queue manager or of a queue has changed, or monitoring has begun or ended: connections that were not observed are from now on, for
/// statistics alone.
pub(crate) fn changed(engine: &Engine) {
    let definition = engine.definition();
    let wanted = wants_statistics(engine, &definition);
    engine.statistics.switch(&definition, engine, wanted);
    if wanted {
        let now = engine.now();
        for state in engine.connections.all() {
            state.observe(Observation::new(Purpose::STATISTICS, now));
        }
    }
}

/// For what a handle being opened, or an MQPUT1, counts at its queue.
pub(crate) fn counts(engine: &Engine, observation: &Observation, queue: &Arc<Queue>) -> Counts {
    let own = queue.with(|definition| definition.as_local().map(|local| local.accounting));
    let accounting = own.is_some_and(|own| own.in_effect(observation.purpose.queues) == Collect::On);
    Counts { accounting, statistics: counts_queue(engine, queue) }
}

/// Whether STATQ of queue and queue manager together say ON.
pub(super) fn counts_queue(engine: &Engine, queue: &Queue) -> bool {
    let own = queue.with(|definition| definition.as_local().map(|local| local.statistics));
    own.is_some_and(|own| own.in_effect(engine.definition.read().statistics_queue) == Collect::On)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_are_those_of_the_published_options() {
        for (options, calls, queues) in [
            (0, None, None),
            (0x1000, Some(true), None),
            (0x2000, Some(false), None),
            (0x4000, None, Some(true)),
            (0x8000, None, Some(false)),
            (0x3000, None, None),
            (0xA000, Some(false), Some(false)),
        ] {
            assert_eq!(AccountingWish::of_options(options), AccountingWish { calls, queues }, "{options:#x}");
        }
    }
}
