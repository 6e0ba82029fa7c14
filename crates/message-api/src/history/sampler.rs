//! One look at a queue manager: what has changed since the last one.
//!
//! A look reads three counters of each local queue and compares them with the ones before. Only a queue that has changed costs more.
//! Temporary dynamic queues count in the totals and have no series: their names are never used again.

use std::collections::BTreeMap;

use model::definition::queue::{DefinitionType, LocalQueue};
use model::name::{ChannelName, QueueManagerName, QueueName};
use model::timestamp::Timestamp;
use queue_manager::QueueManager;
use queue_manager::channel_status::ChannelTotals;
use queue_manager::queue_list::ListedQueue;
use queue_manager::status::Traffic;

use super::names::Subject;
use super::table::{Key, Series, Table};
use super::timeline::Round;
use super::track::Since;

/// What the last look at a queue manager saw.
pub(super) struct Seen {
    name: QueueManagerName,
    /// Its start, and changes of its list of queues.
    list: (Timestamp, u64),
    pub(super) is_running: bool,
    /// The last look.
    pub(super) last: Option<Round>,
    /// In order of names.
    queues: Vec<SeenQueue>,
    counts: Counts,
    channels: BTreeMap<String, (Since, ChannelTotals)>,
}

#[derive(Clone, Copy)]
pub(super) struct SeenQueue {
    pub(super) name: QueueName,
    number: u32,
    /// Its last change.
    pub(super) since: Since,
    pub(super) depth: u32,
    traffic: Traffic,
    /// Puts and gets between its last change and the look before.
    recent: [u32; 2],
}

/// Of a whole queue manager, since the start of the process or of the queue manager.
#[derive(Clone, Copy, Default)]
struct Counts {
    traffic: Traffic,
    log_bytes: u64,
    log_syncs: u64,
}

/// A queue that is not as it was seen before.
struct Change {
    name: QueueName,
    /// It may begin a series.
    is_kept: bool,
    before: SeenQueue,
    figures: [u64; 3],
}

impl Seen {
    /// Of a queue manager that nothing was known of: what it has counted is no change.
    pub(super) fn first(queue_manager: &QueueManager, round: Round, table: &mut Table) -> Self {
        let mut seen = Self::empty(queue_manager);
        seen.look(queue_manager, round, table, true);
        seen
    }

    fn empty(queue_manager: &QueueManager) -> Self {
        Self {
            name: queue_manager.name(),
            list: (Timestamp(0), 0),
            is_running: true,
            last: None,
            queues: Vec::new(),
            counts: Counts::default(),
            channels: BTreeMap::new(),
        }
    }

    pub(super) fn again(&mut self, queue_manager: &QueueManager, round: Round, table: &mut Table) {
        let is_same_start = self.list.0 == queue_manager.queue_changes().0;
        if !self.is_running || !is_same_start {
            // It counts from 0 again.
            *self = Self::empty(queue_manager);
        }
        self.look(queue_manager, round, table, false);
    }

    pub(super) fn queue(&self, name: &QueueName) -> Option<&SeenQueue> {
        let place = self.queues.binary_search_by_key(name, |queue| queue.name).ok()?;
        Some(&self.queues[place])
    }

    /// In order of names.
    pub(super) fn queues(&self) -> &[SeenQueue] {
        &self.queues
    }

    pub(super) fn allocated(&self) -> usize {
        self.queues.capacity() * size_of::<SeenQueue>()
    }

    fn look(&mut self, queue_manager: &QueueManager, round: Round, table: &mut Table, is_first: bool) {
        self.last = Some(round);
        let (depth, traffic) = self.look_at_queues(queue_manager, round, table, is_first);
        let status = queue_manager.status();
        let former = queue_manager.former_traffic();
        let now = Counts {
            traffic: Traffic { puts: traffic.puts + former.puts, gets: traffic.gets + former.gets },
            log_bytes: status.store.log_bytes_written,
            log_syncs: status.store.log_syncs,
        };
        let before = if is_first { now } else { self.counts };
        self.counts = now;
        let figures = [
            depth,
            now.traffic.puts.saturating_sub(before.traffic.puts),
            now.traffic.gets.saturating_sub(before.traffic.gets),
            u64::from(status.connections),
            status.store.open_units as u64,
            now.log_bytes.saturating_sub(before.log_bytes),
            now.log_syncs.saturating_sub(before.log_syncs),
        ];
        let key = (self.name, Subject::QueueManager);
        if !table.record(&key, round, &figures) {
            let series = Series::starting(Subject::QueueManager, Since::of(round), &figures);
            table.admit(key, series, round, &figures);
        }
        self.look_at_channels(queue_manager, round, table, is_first);
    }

    /// Depth and traffic of all queues together.
    fn look_at_queues(
        &mut self,
        queue_manager: &QueueManager,
        round: Round,
        table: &mut Table,
        is_first: bool,
    ) -> (u64, Traffic) {
        let changes = queue_manager.queue_changes();
        let list = queue_manager.queue_list();
        if self.list != changes {
            self.merge(&list, round, table, is_first);
            self.list = changes;
        }
        let (mut depth, mut traffic, mut changed) = (0, Traffic::default(), Vec::new());
        let listed = (0..list.len()).filter_map(|index| list.get(index)).filter(ListedQueue::is_local);
        let mut seen = self.queues.iter_mut().peekable();
        for queue in listed {
            // The list may be a little newer than what it was merged by: the next look sees those.
            while seen.next_if(|seen| seen.name < *queue.name()).is_some() {}
            let Some(before) = seen.next_if(|seen| seen.name == *queue.name()) else { continue };
            let now = before.again(&queue, round);
            depth += u64::from(now.depth);
            traffic.puts += now.traffic.puts;
            traffic.gets += now.traffic.gets;
            let has_changed = (now.depth, now.traffic) != (before.depth, before.traffic);
            // A queue that was made again has the series of its name.
            if has_changed || before.since.round == round.number {
                changed.push(Change::of(*before, now, &queue, has_changed));
                *before = now;
            }
        }
        // What is kept goes first: the others get the room that is left.
        changed.retain(|change| !table.record(&(self.name, Subject::Queue(change.name)), round, &change.figures));
        for change in changed.iter().filter(|change| change.is_kept) {
            let subject = Subject::Queue(change.name);
            let series = Series::starting(subject, change.before.since, &[u64::from(change.before.depth), 0, 0]);
            table.admit((self.name, subject), series, round, &change.figures);
        }
        (depth, traffic)
    }

    /// Brings what was seen to the queues that there are.
    fn merge(&mut self, list: &queue_manager::queue_list::QueueList, round: Round, table: &mut Table, is_first: bool) {
        let mut before = std::mem::take(&mut self.queues).into_iter().peekable();
        let mut queues = Vec::with_capacity(list.len());
        let name = self.name;
        let mut lose = |gone: SeenQueue| table.lose_one(round, &(name, Subject::Queue(gone.name)));
        for queue in (0..list.len()).filter_map(|index| list.get(index)).filter(ListedQueue::is_local) {
            while let Some(gone) = before.next_if(|known| known.name < *queue.name()) {
                lose(gone);
            }
            let known = before.next_if(|known| known.name == *queue.name());
            queues.push(known.filter(|known| known.number == queue.number()).unwrap_or_else(|| {
                let traffic = if is_first { queue.traffic() } else { Traffic::default() };
                let depth = queue.depth();
                let (name, number, since) = (*queue.name(), queue.number(), Since::of(round));
                SeenQueue { name, number, since, depth, traffic, recent: [0; 2] }
            }));
        }
        before.for_each(lose);
        self.queues = queues;
    }

    fn look_at_channels(&mut self, queue_manager: &QueueManager, round: Round, table: &mut Table, is_first: bool) {
        for (channel, now) in queue_manager.channel_totals() {
            let Ok(name) = ChannelName::parse(&channel) else { continue };
            let new = if is_first { now } else { ChannelTotals::default() };
            let known = self.channels.entry(channel).or_insert((Since::of(round), new));
            let (since, before) = *known;
            if now == before {
                continue;
            }
            *known = (Since::of(round), now);
            let figures = [
                now.instances,
                now.conversations,
                now.messages.saturating_sub(before.messages),
                now.bytes_sent.saturating_sub(before.bytes_sent),
                now.bytes_received.saturating_sub(before.bytes_received),
            ];
            let subject = Subject::Channel(name);
            let key: Key = (self.name, subject);
            if !table.record(&key, round, &figures) {
                let levels = [before.instances, before.conversations, 0, 0, 0];
                table.admit(key, Series::starting(subject, since, &levels), round, &figures);
            }
        }
    }
}

impl SeenQueue {
    fn again(&self, queue: &ListedQueue<'_>, round: Round) -> Self {
        let traffic = queue.traffic();
        let since_before = |now: u64, before: u64| u32::try_from(now.saturating_sub(before)).unwrap_or(u32::MAX);
        let recent = [since_before(traffic.puts, self.traffic.puts), since_before(traffic.gets, self.traffic.gets)];
        Self { depth: queue.depth(), traffic, recent, since: Since::of(round), ..*self }
    }

    /// Puts and gets between the last two looks.
    pub(super) fn between(&self, last: Round) -> [u32; 2] {
        if self.since.round == last.number { self.recent } else { [0; 2] }
    }
}

impl Change {
    fn of(before: SeenQueue, now: SeenQueue, queue: &ListedQueue<'_>, has_changed: bool) -> Self {
        let is_temporary = |local: &LocalQueue| local.definition_type == DefinitionType::TemporaryDynamic;
        let is_kept = has_changed && !queue.definition().as_local().is_some_and(is_temporary);
        let figures = [
            u64::from(now.depth),
            now.traffic.puts.saturating_sub(before.traffic.puts),
            now.traffic.gets.saturating_sub(before.traffic.gets),
        ];
        Self { name: now.name, is_kept, before, figures }
    }
}
