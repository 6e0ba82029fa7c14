//! What a member counts of its work with its group: batches and their times, hints, recoveries of peers, and what its databases are like.
//!
//! To count is a few relaxed additions a batch. Counters begin at 0 with the process; a session that is lost takes none of them along.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::shared::administration::DatabaseFacts;
use crate::shared::lane::{LANES, LASTING};
use crate::shared::member::MemberStatus;

/// Upper bounds of the times of batches, in microseconds.
pub const BATCH_BOUNDS_US: [u64; 12] =
    [250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 5_000_000];
/// One more for what is beyond all bounds.
const BUCKETS: usize = BATCH_BOUNDS_US.len() + 1;
/// Names of the lanes, by their numbers.
const LANE_NAMES: [&str; LANES] = ["lasting", "lazy"];

/// A member's part in its group at one moment, as it knows it without asking.
#[derive(Debug, Clone)]
pub struct GroupStatistics {
    /// This member; `None`: it has not reached the home yet.
    pub own: Option<MemberStatus>,
    /// As the last beat has seen them, this one too.
    pub members: Vec<MemberStatus>,
    /// The home first.
    pub databases: Vec<DatabaseStatistics>,
    pub hints: HintStatistics,
    /// Active peers that were not heard of lately: messages for each other's waits arrive later.
    pub unheard: Vec<i32>,
}

/// The work with one database of the group.
#[derive(Debug, Clone)]
pub struct DatabaseStatistics {
    /// `None`: the home.
    pub structure: Option<String>,
    /// At this moment.
    pub is_reached: bool,
    /// Times that the member has connected to it.
    pub connects: u64,
    /// Of the last exchange that waits for no disk; `None`: there was none.
    pub round_trip: Option<Duration>,
    pub lanes: Vec<LaneStatistics>,
    /// Peers whose work this member has ended there, and the messages that came back by it.
    pub recoveries: u64,
    pub recovered_messages: u64,
    /// Of the table of messages, when it was looked at last.
    pub dead_rows: Option<i64>,
    /// Age of the oldest transaction that keeps dead rows; zero: there is none.
    pub oldest_snapshot: Option<Duration>,
}

/// One lane's batches that were committed.
#[derive(Debug, Clone)]
pub struct LaneStatistics {
    /// `lasting`: commits are waited for until they are on disk, and at a synchronous standby; `lazy`: they are not.
    pub lane: &'static str,
    pub operations: u64,
    /// By time, as `BATCH_BOUNDS_US` has them, and those beyond all bounds.
    pub batches: [u64; BUCKETS],
    pub total: Duration,
    /// Batches without an answer whose outcome was asked for: it was committed, it was not.
    pub asked: [u64; 2],
}

/// Datagrams between members.
#[derive(Debug, Clone, Copy, Default)]
pub struct HintStatistics {
    /// By kind: waits, arrivals, changes of depths, requests.
    pub sent: [u64; 4],
    pub received: [u64; 4],
    /// Not of a member, or for the second time.
    pub refused: u64,
}

/// Names of the kinds of hints.
pub const HINT_KINDS: [&str; 4] = ["wait", "arrival", "depth", "request"];

/// What is counted of one database.
#[derive(Default)]
pub(super) struct Counts {
    lanes: [LaneCounts; LANES],
    connects: AtomicU64,
    /// 0: there was none.
    round_trip_us: AtomicU64,
    recoveries: AtomicU64,
    recovered_messages: AtomicU64,
    facts: Mutex<Option<(Instant, DatabaseFacts)>>,
}

#[derive(Default)]
struct LaneCounts {
    operations: AtomicU64,
    batches: [AtomicU64; BUCKETS],
    total_us: AtomicU64,
    asked: [AtomicU64; 2],
}

impl Counts {
    /// A batch was committed.
    pub(super) fn batch(&self, lane: usize, operations: usize, took: Duration) {
        let lane = &self.lanes[lane];
        let took = microseconds(took);
        let bucket = BATCH_BOUNDS_US.iter().position(|&bound| took <= bound).unwrap_or(BUCKETS - 1);
        lane.operations.fetch_add(operations as u64, Relaxed);
        lane.batches[bucket].fetch_add(1, Relaxed);
        lane.total_us.fetch_add(took, Relaxed);
    }

    /// The database was asked for a batch whose answer was lost.
    pub(super) fn asked(&self, lane: usize, was_committed: bool) {
        self.lanes[lane].asked[usize::from(!was_committed)].fetch_add(1, Relaxed);
    }

    pub(super) fn connected(&self) {
        self.connects.fetch_add(1, Relaxed);
    }

    pub(super) fn round_trip(&self, took: Duration) {
        self.round_trip_us.store(microseconds(took).max(1), Relaxed);
    }

    /// A peer's work was ended.
    pub(super) fn recovered(&self, messages: usize) {
        self.recoveries.fetch_add(1, Relaxed);
        self.recovered_messages.fetch_add(messages as u64, Relaxed);
    }

    pub(super) fn observed(&self, facts: DatabaseFacts) {
        *self.facts.lock() = Some((Instant::now(), facts));
    }

    /// What the database was like when it was looked at last, and how long ago that was.
    pub(super) fn facts(&self) -> Option<(Duration, DatabaseFacts)> {
        self.facts.lock().as_ref().map(|(at, facts)| (at.elapsed(), facts.clone()))
    }

    pub(super) fn statistics(&self, structure: Option<&str>, is_reached: bool) -> DatabaseStatistics {
        let round_trip = self.round_trip_us.load(Relaxed);
        let facts = self.facts.lock();
        let facts = facts.as_ref().map(|(_, facts)| facts);
        DatabaseStatistics {
            structure: structure.map(str::to_owned),
            is_reached,
            connects: self.connects.load(Relaxed),
            round_trip: (round_trip > 0).then(|| Duration::from_micros(round_trip)),
            lanes: self.lanes.iter().zip(LANE_NAMES).map(|(lane, name)| lane.statistics(name)).collect(),
            recoveries: self.recoveries.load(Relaxed),
            recovered_messages: self.recovered_messages.load(Relaxed),
            dead_rows: facts.and_then(|facts| facts.dead_rows),
            oldest_snapshot: facts.map(DatabaseFacts::oldest_snapshot),
        }
    }
}

impl LaneCounts {
    fn statistics(&self, lane: &'static str) -> LaneStatistics {
        LaneStatistics {
            lane,
            operations: self.operations.load(Relaxed),
            batches: std::array::from_fn(|bucket| self.batches[bucket].load(Relaxed)),
            total: Duration::from_micros(self.total_us.load(Relaxed)),
            asked: std::array::from_fn(|outcome| self.asked[outcome].load(Relaxed)),
        }
    }
}

impl DatabaseStatistics {
    /// Mean time of a commit that waits for disk and standby; `None`: there was none.
    pub fn mean_commit(&self) -> Option<Duration> {
        let lane = self.lanes.get(LASTING)?;
        let batches = u32::try_from(lane.batches.iter().sum::<u64>()).ok()?;
        lane.total.checked_div(batches)
    }
}

/// Hints of all sessions.
#[derive(Default)]
pub(super) struct HintCounts {
    sent: [AtomicU64; 4],
    received: [AtomicU64; 4],
    refused: AtomicU64,
}

impl HintCounts {
    /// `kind` as in a datagram, from 1.
    pub(super) fn sent(&self, kind: u8) {
        count(&self.sent, kind);
    }

    /// `None`: it was refused.
    pub(super) fn received(&self, kind: Option<u8>) {
        match kind {
            Some(kind) => count(&self.received, kind),
            None => drop(self.refused.fetch_add(1, Relaxed)),
        }
    }

    pub(super) fn statistics(&self) -> HintStatistics {
        let read = |counts: &[AtomicU64; 4]| std::array::from_fn(|kind| counts[kind].load(Relaxed));
        HintStatistics { sent: read(&self.sent), received: read(&self.received), refused: self.refused.load(Relaxed) }
    }
}

fn count(counts: &[AtomicU64; 4], kind: u8) {
    if let Some(count) = usize::from(kind).checked_sub(1).and_then(|kind| counts.get(kind)) {
        count.fetch_add(1, Relaxed);
    }
}

fn microseconds(took: Duration) -> u64 {
    u64::try_from(took.as_micros()).unwrap_or(u64::MAX)
}
