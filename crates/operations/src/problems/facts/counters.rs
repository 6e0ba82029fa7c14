//! Counters of a queue manager, and what they have counted since the look before.

use std::collections::HashMap;
use std::time::Duration;

use model::timestamp::Timestamp;
use queue_manager::QueueManager;

/// Less time than this says nothing about a rate.
const SHORTEST: Duration = Duration::from_secs(3);

#[derive(Debug, Clone)]
pub(in super::super) struct Counters {
    started: Timestamp,
    at: Timestamp,
    syncs: u64,
    sync_seconds: f64,
    dropped_records: u64,
    connects: HashMap<String, u64>,
}

/// Since the look before, or since the start of the queue manager.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct Lately {
    pub(in super::super) time: Duration,
    pub(in super::super) syncs: u64,
    pub(in super::super) sync_time: Duration,
    pub(in super::super) dropped_records: u64,
    /// By program, those that connected.
    pub(in super::super) connects: Vec<(String, u64)>,
}

impl Counters {
    pub(super) fn read(queue_manager: &QueueManager, now: Timestamp) -> Self {
        let status = queue_manager.status();
        Self {
            started: status.started,
            at: now,
            syncs: status.store.log_syncs,
            sync_seconds: status.store.sync_seconds_total,
            dropped_records: queue_manager.record_counts().iter().map(|count| count.dropped).sum(),
            connects: queue_manager.connects(),
        }
    }

    /// `None`: too little time has passed.
    pub(super) fn since(&self, before: Option<&Self>) -> Option<Lately> {
        let before = before.filter(|before| before.started == self.started);
        let time = self.at.since(before.map_or(self.started, |before| before.at));
        if time < SHORTEST {
            return None;
        }
        let counted = |of: fn(&Self) -> u64| of(self).saturating_sub(before.map_or(0, of));
        let seconds = self.sync_seconds - before.map_or(0.0, |before| before.sync_seconds);
        let earlier = |name: &str| before.and_then(|before| before.connects.get(name)).copied().unwrap_or_default();
        let connects = self.connects.iter().map(|(name, count)| (name.clone(), count.saturating_sub(earlier(name))));
        Some(Lately {
            time,
            syncs: counted(|of| of.syncs),
            sync_time: Duration::try_from_secs_f64(seconds).unwrap_or_default(),
            dropped_records: counted(|of| of.dropped_records),
            connects: connects.filter(|(_, count)| *count > 0).collect(),
        })
    }
}
