//! History: figures of queue managers, queues and channels over the last day, in bounded memory.
//!
//! Owns: what a series is called (`history/names.rs`), when samples are taken (`history/timeline.rs`), what is kept of them
//! (`history/ring.rs`, `history/track.rs`, `history/table.rs`), how a queue manager is looked at (`history/sampler.rs`), the points of
//! a chart (`history/chart.rs`), the rates of the last look (`history/rates.rs`), how the depth of one queue has grown
//! (`history/growth.rs`).
//!
//! Never here: who may see a series, which is the door's question to the queue manager. Nothing is on disk: a restart of the
//! server begins anew.
//!
//! Invariants
//! - Every 10 seconds one look at everything; an hour of them is kept, and a day of minutes.
//! - All of it takes no more than the budget. What is dropped for that is said: a series says since when it is known.
//! - A moment of which nothing is known is `null`, and never 0.

mod chart;
mod growth;
mod names;
mod rates;
mod ring;
mod sampler;
mod table;
mod timeline;
mod track;

use std::collections::HashMap;
use std::time::Duration;

use model::name::QueueManagerName;
use model::timestamp::Timestamp;
use parking_lot::Mutex;
use queue_manager::{Clock as _, QueueManagers, SystemClock};
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::time::Instant;

pub use self::chart::MOST_POINTS;
use self::chart::{Grid, Points};
pub use self::growth::Growth;
pub use self::names::{SeriesName, Subject};
pub use self::rates::{Rate, Rates};
use self::sampler::Seen;
use self::table::{Key, Series, Table};
use self::timeline::{Clocks, Timeline};
use self::track::Track;
use crate::time_text::write_moment;

/// The history of all queue managers of a server.
pub struct History {
    queue_managers: QueueManagers,
    begun: Instant,
    budget: Mutex<usize>,
    /// `None` while nothing is kept.
    state: Mutex<Option<State>>,
}

struct State {
    timeline: Timeline,
    table: Table,
    seen: HashMap<QueueManagerName, Seen>,
}

/// Which part of a history, by the server's clock.
#[derive(Debug, Clone, Copy)]
pub struct Range {
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
    /// Most points of a series.
    pub points: u64,
}

/// Without `from`, a chart is of the last hour.
const DEFAULT_SPAN: Duration = Duration::from_secs(3600);

/// Series on one grid of points.
#[derive(Debug, Serialize)]
pub struct Chart {
    /// Begin of the first point.
    from: String,
    /// From one point to the next.
    step: String,
    series: Vec<Charted>,
}

/// A list has a number for each point, or `null` where nothing is known.
#[derive(Debug, Serialize)]
pub struct Charted {
    name: String,
    unit: &'static str,
    /// Nothing is known of earlier moments.
    since: Option<String>,
    values: Box<RawValue>,
    min: Box<RawValue>,
    max: Box<RawValue>,
}

/// For the metrics.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kept {
    pub bytes: usize,
    /// Queue managers, queues and channels.
    pub subjects: usize,
}

impl History {
    pub fn new(queue_managers: QueueManagers) -> Self {
        Self { queue_managers, begun: Instant::now(), budget: Mutex::default(), state: Mutex::default() }
    }

    /// Most bytes of all series; 0: nothing is kept.
    pub fn set_budget(&self, bytes: usize) {
        *self.budget.lock() = bytes;
        if bytes == 0 {
            *self.state.lock() = None;
        }
    }

    /// Takes samples until it is dropped.
    pub async fn run(&self) {
        loop {
            tokio::time::sleep(self.take_samples(self.clocks())).await;
        }
    }

    pub fn kept(&self) -> Kept {
        self.state
            .lock()
            .as_ref()
            .map_or(Kept::default(), |state| Kept { bytes: state.bytes(), subjects: state.table.len() })
    }

    /// What is known of these series. `None`: the server keeps no history.
    pub fn chart(&self, queue_manager: QueueManagerName, names: &[SeriesName], range: Range) -> Option<Chart> {
        self.chart_at(self.clocks(), queue_manager, names, range)
    }

    fn clocks(&self) -> Clocks {
        Clocks { elapsed: self.begun.elapsed(), wall: SystemClock.now() }
    }

    /// Returns how long until the next look.
    fn take_samples(&self, clocks: Clocks) -> Duration {
        let budget = *self.budget.lock();
        let mut state = self.state.lock();
        if budget == 0 {
            *state = None;
            return DEFAULT_PAUSE;
        }
        let state = state.get_or_insert_with(|| State::new(clocks));
        state.look(&self.queue_managers, budget, clocks);
        state.timeline.until_round(clocks)
    }

    fn chart_at(
        &self,
        clocks: Clocks,
        queue_manager: QueueManagerName,
        names: &[SeriesName],
        range: Range,
    ) -> Option<Chart> {
        let state = self.state.lock();
        let state = state.as_ref()?;
        let ahead = state.timeline.ahead(clocks);
        let to = range.to.unwrap_or(clocks.wall).as_millis();
        let default_from = to.saturating_sub(u64::try_from(DEFAULT_SPAN.as_millis()).unwrap_or(u64::MAX));
        let from = range.from.map_or(default_from, Timestamp::as_millis);
        // What is older than all that is kept would be empty points.
        let oldest = state.timeline.minutes.begin().min(state.timeline.rounds.begin());
        let from = (from + ahead).max(oldest).min(to + ahead);
        let grid = Grid::of(&state.timeline, from, to + ahead, range.points);
        let moment = |time: u64| write_moment(Timestamp::from_millis(time.saturating_sub(ahead)));
        let charted = |name: &SeriesName| {
            let points = state.points(queue_manager, *name, grid);
            Charted {
                name: name.to_string(),
                unit: name.figure().unit,
                since: points.since.map(moment),
                values: points.list(|point| point.value),
                min: points.list(|point| point.least),
                max: points.list(|point| point.greatest),
            }
        };
        let step = format!("{}s", grid.step / 1000);
        Some(Chart { from: moment(grid.from), step, series: names.iter().map(charted).collect() })
    }
}

/// How often a server without a history looks whether it is to have one.
const DEFAULT_PAUSE: Duration = Duration::from_secs(1);

impl State {
    fn new(clocks: Clocks) -> Self {
        Self { timeline: Timeline::new(clocks), table: Table::new(0), seen: HashMap::new() }
    }

    fn bytes(&self) -> usize {
        self.table.bytes() + self.seen_bytes()
    }

    fn seen_bytes(&self) -> usize {
        self.seen.values().map(Seen::allocated).sum()
    }

    fn look(&mut self, queue_managers: &QueueManagers, budget: usize, clocks: Clocks) {
        let Some(round) = self.timeline.begin_round(clocks) else { return };
        self.table.set_most(budget.saturating_sub(self.seen_bytes()));
        let running = queue_managers.running();
        for queue_manager in &running {
            match self.seen.get_mut(&queue_manager.name()) {
                Some(seen) => seen.again(queue_manager, round, &mut self.table),
                None => {
                    let seen = Seen::first(queue_manager, round, &mut self.table);
                    self.seen.insert(queue_manager.name(), seen);
                }
            }
        }
        for (name, seen) in &mut self.seen {
            let is_running = running.iter().any(|known| known.name() == *name);
            if seen.is_running && !is_running {
                seen.is_running = false;
                self.table.lose(round, |(owner, _)| owner == name);
            }
        }
        let known: Vec<_> = queue_managers.list().iter().map(|known| known.name).collect();
        if self.seen.keys().any(|name| !known.contains(name)) {
            self.seen.retain(|name, _| known.contains(name));
            self.table.remove(|(name, _)| !known.contains(name));
        }
        self.table.set_most(budget.saturating_sub(self.seen_bytes()));
        self.table.end_round(round, &self.timeline);
    }

    fn points(&self, queue_manager: QueueManagerName, name: SeriesName, grid: Grid) -> Points {
        let kind = name.figure().kind;
        let of = |track: &Track| Points::of(track, kind, &self.timeline, grid);
        let key: Key = (queue_manager, name.subject);
        if let Some(series) = self.table.get(&key) {
            return of(&series.tracks[name.figure]);
        }
        // What has no series is as it was seen last.
        let seen = self.seen.get(&queue_manager).filter(|seen| seen.is_running);
        let unchanged = match name.subject {
            Subject::Queue(queue) => seen.and_then(|seen| seen.queue(&queue)),
            Subject::QueueManager | Subject::Channel(_) => None,
        };
        match unchanged {
            Some(queue) => {
                let series = Series::starting(name.subject, queue.since, &[u64::from(queue.depth), 0, 0]);
                of(&series.tracks[name.figure])
            }
            None => Points { since: None, points: vec![None; grid.points] },
        }
    }
}

#[cfg(test)]
mod tests;
