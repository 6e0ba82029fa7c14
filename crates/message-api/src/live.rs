//! Live events: what clients see without asking again and again. One sampler looks at what any of them watches.
//!
//! Owns: streams and what they watch (`live/stream.rs`), the latest values of watched rows (`live/rows.rs`), news that are told once
//! (`live/news.rs`), which lines of the log a stream has sent, event messages as JSON (`live/event_text.rs`).
//!
//! Never here: how events are framed, and who signs in. What a viewer may see is asked of its `Viewer` whenever something is sent.
//!
//! Invariants
//! - Rows that nothing watches are not looked at, and a row that does not change costs a stream nothing.
//! - What waits for a slow reader is bounded: the latest values of its rows, and the news in the ring.
//! - A stream without a connection is kept for a while, so that its client goes on where it was. After that it is gone.

mod event_text;
mod news;
mod rows;
mod stream;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use model::authority::AuthorityObject;
use model::name::{ObjectName, QueueManagerName, QueueName};
use parking_lot::Mutex;
use queue_manager::event::tap::{EventListener, Missed};
use queue_manager::{Clock as _, QueueManager, QueueManagers, SystemClock};
use serde_json::value::RawValue;
use tokio::sync::Notify;
use tokio::time::{Instant, MissedTickBehavior};

use self::news::{About, NewsRing};
use self::rows::{Content, Key, Row, of_queue_manager, raw};
pub use self::stream::EventId;
use self::stream::{Sent, Stream};
use crate::jobs::{Jobs, Record, State as JobState};
use crate::log_lines::{Level, LogLines};
use crate::random_id;

/// Between two looks: rows are sent at most so often.
pub const TICK: Duration = Duration::from_millis(500);
/// Queues that one stream watches at most.
pub const MOST_ROWS: usize = 500;
/// How long a stream without a connection is kept.
pub const KEPT: Duration = Duration::from_secs(60);
/// Lines of the log that one piece has.
const LINES_OF_A_PIECE: usize = 100;
/// Event messages that are taken in one look, of each queue manager.
const MOST_EVENTS: usize = 256;

/// Names a stream: 32 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StreamId(u128);

impl StreamId {
    pub fn parse(text: &str) -> Option<Self> {
        random_id::read(text).map(Self)
    }
}

impl fmt::Display for StreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        random_id::write(f, self.0)
    }
}

/// Who reads a stream, and what that user may see.
pub trait Viewer: Send + Sync {
    fn user(&self) -> &str;
    fn sees(&self, what: Sight<'_>) -> bool;
}

/// What there is to see.
#[derive(Debug, Clone, Copy)]
pub enum Sight<'a> {
    QueueManager(&'a QueueManagerName),
    Queue(&'a QueueManagerName, &'a QueueName),
    Job(&'a Record),
    /// Event messages that go to this queue.
    Events(&'a QueueManagerName, &'static str),
    /// Lines of the server's log.
    Log,
    Problem(&'a QueueManagerName, &'a Concern),
}

/// What a problem is about: who may see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Concern {
    Object(AuthorityObject, ObjectName),
    /// The server as a whole.
    Server,
}

/// What a client wants to see.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Watch {
    pub queues: Vec<(QueueManagerName, QueueName)>,
    pub jobs: bool,
    pub queue_managers: bool,
    pub events: bool,
    pub problems: bool,
    pub log: bool,
}

/// How many streams there may be with a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub of_all: usize,
    pub of_user: usize,
}

/// One limit is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TooMany {
    OfAll,
    OfUser,
}

/// A stream in the hands of who sends it. Dropping it keeps the stream for a client that comes back.
pub struct Attached {
    live: Arc<Live>,
    pub id: StreamId,
    /// The client goes on where it was.
    pub is_resumed: bool,
    connection: u64,
    wake: Arc<Notify>,
}

/// An event to be sent.
pub struct Event {
    pub name: &'static str,
    pub id: Option<EventId>,
    pub data: Arc<RawValue>,
}

/// The stream is over, or another connection has taken it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended;

/// For the metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// With a connection.
    pub streams: usize,
    pub rows: usize,
}

/// The live events of a server.
pub struct Live {
    queue_managers: QueueManagers,
    jobs: Arc<Jobs>,
    log: Arc<LogLines>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Of the last look that found a change.
    version: u64,
    rows: HashMap<Key, Row>,
    news: NewsRing,
    streams: HashMap<StreamId, Stream>,
    listeners: Vec<(QueueManager, EventListener)>,
    connections: u64,
    has_ended: bool,
}

impl Live {
    pub fn new(queue_managers: QueueManagers, jobs: Arc<Jobs>, log: Arc<LogLines>) -> Self {
        Self { queue_managers, jobs, log, state: Mutex::default() }
    }

    /// Looks at what is watched, until it is dropped.
    pub async fn run(&self) {
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            self.look(Instant::now());
        }
    }

    /// Ends every stream, and admits none any more: the server stops.
    pub fn end(&self) {
        let mut state = self.state.lock();
        state.has_ended = true;
        state.streams.values().for_each(|stream| stream.wake.notify_one());
    }

    pub fn counts(&self) -> Counts {
        let state = self.state.lock();
        Counts {
            streams: state.streams.values().filter(|stream| stream.parked.is_none()).count(),
            rows: state.rows.len(),
        }
    }

    /// Whether a client watches what is wrong.
    pub fn wants_problems(&self) -> bool {
        self.state.lock().streams.values().any(|stream| stream.wants_problems)
    }

    /// Tells streams that watch problems. `data` is JSON.
    pub fn tell_problem(&self, queue_manager: QueueManagerName, concern: Concern, data: String) {
        let mut state = self.state.lock();
        state.news.push(About::Problem { queue_manager, concern }, raw(data));
        state.streams.values().filter(|stream| stream.wants_problems).for_each(|stream| stream.wake.notify_one());
    }

    /// A new stream, or the one that the client has lost, from where it has read it.
    ///
    /// # Errors
    /// There are too many.
    pub fn attach(
        self: &Arc<Self>,
        viewer: Arc<dyn Viewer>,
        read: Option<EventId>,
        limits: Limits,
    ) -> Result<Attached, TooMany> {
        let mut state = self.state.lock();
        let known = read
            .filter(|read| state.streams.get(&read.stream).is_some_and(|stream| stream.viewer.user() == viewer.user()));
        state.admit(&*viewer, known.map(|read| read.stream), limits)?;
        state.connections += 1;
        let (connection, version, news) = (state.connections, state.version, state.news.last());
        let id = known.map_or_else(|| StreamId(random_id::draw()), |read| read.stream);
        let stream = state.streams.entry(id).or_insert_with(|| Stream::new(Arc::clone(&viewer), version, news));
        // One that sent it before ends.
        stream.wake.notify_one();
        stream.wake = Arc::new(Notify::new());
        (stream.viewer, stream.connection, stream.parked) = (viewer, connection, None);
        if read.is_some() && known.is_none() {
            stream.reload = Some("the stream is not known any more");
        }
        let wake = Arc::clone(&stream.wake);
        if let Some(read) = known {
            state.go_back(&read);
        }
        wake.notify_one();
        Ok(Attached { live: Arc::clone(self), id, is_resumed: known.is_some(), connection, wake })
    }

    /// Says what a stream shows from now on. Returns the queues that its viewer does not see, or that are not there.
    ///
    /// # Errors
    /// The user has no such stream.
    pub fn watch(&self, id: StreamId, user: &str, watch: &Watch) -> Result<Vec<(QueueManagerName, QueueName)>, Ended> {
        let mut state = self.state.lock();
        let viewer = {
            let stream = state.streams.get(&id).filter(|stream| stream.viewer.user() == user).ok_or(Ended)?;
            Arc::clone(&stream.viewer)
        };
        state.set_watch(id, watch);
        if let Some(stream) = state.streams.get_mut(&id) {
            stream.log = watch.log.then(|| stream.log.unwrap_or_else(|| self.log.last()));
        }
        // What is new is sent at once.
        state.look(&self.queue_managers, &self.jobs, Instant::now(), Some(id));
        let running = self.queue_managers.running();
        let is_there = |queue_manager: &QueueManagerName, queue: &QueueName| {
            running.iter().any(|known| known.name() == *queue_manager && known.queue_status(queue).is_some())
        };
        let hidden = |(queue_manager, queue): &&(QueueManagerName, QueueName)| {
            !viewer.sees(Sight::Queue(queue_manager, queue)) || !is_there(queue_manager, queue)
        };
        Ok(watch.queues.iter().filter(hidden).copied().collect())
    }

    fn look(&self, now: Instant) {
        let mut state = self.state.lock();
        state.forget_parked(now);
        if !state.streams.is_empty() {
            state.look(&self.queue_managers, &self.jobs, now, None);
            let last = self.log.last();
            state.streams.values().filter(|stream| stream.has_lines(last)).for_each(|stream| stream.wake.notify_one());
        }
    }
}

impl Attached {
    /// Writes what is to be sent now, `most` bytes or a little more. Nothing is written when there is nothing.
    ///
    /// # Errors
    /// Nothing more is to be sent.
    pub fn take(&self, most: usize, mut write: impl FnMut(&Event) -> usize) -> Result<(), Ended> {
        let mut state = self.live.state.lock();
        if state.has_ended {
            return Err(Ended);
        }
        let State { streams, rows, news, version, .. } = &mut *state;
        let stream = streams.get_mut(&self.id).filter(|stream| stream.is_connected_by(self.connection)).ok_or(Ended)?;
        let mut length = 0;
        let mut counted = |event: &Event| {
            let written = write(event);
            length += written;
            written
        };
        stream.take(self.id, rows, news, *version, most, &mut counted);
        stream.take_lines(&self.live.log, most.saturating_sub(length), &mut write);
        if !stream.dirty.is_empty() || stream.has_lines(self.live.log.last()) {
            self.wake.notify_one();
        }
        Ok(())
    }

    /// Waits until there may be something to be sent.
    pub async fn changed(&self) {
        self.wake.notified().await;
    }

    /// Who reads it now, with what that user may see now.
    pub fn set_viewer(&self, viewer: Arc<dyn Viewer>) {
        if let Some(stream) = self.live.state.lock().streams.get_mut(&self.id) {
            stream.viewer = viewer;
        }
    }

    /// Ends the stream: a client that comes back gets a new one.
    pub fn end(&self) {
        let mut state = self.live.state.lock();
        if state.streams.get(&self.id).is_some_and(|stream| stream.is_connected_by(self.connection)) {
            state.remove(self.id);
        }
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        let mut state = self.live.state.lock();
        if let Some(stream) = state.streams.get_mut(&self.id).filter(|stream| stream.is_connected_by(self.connection)) {
            stream.parked = Some(Instant::now());
        }
    }
}

impl Stream {
    fn take(
        &mut self,
        id: StreamId,
        rows: &HashMap<Key, Row>,
        news: &NewsRing,
        version: u64,
        most: usize,
        write: &mut dyn FnMut(&Event) -> usize,
    ) {
        if !news.reaches(self.news) && self.wants_news() {
            self.reload = Some("events were missed");
        }
        let mut length = 0;
        if let Some(reason) = self.reload.take() {
            length += write(&Event { name: "reload", id: None, data: raw(format!("{{\"reason\":\"{reason}\"}}")) });
            self.news = news.last();
        }
        for one in news.after(self.news) {
            if length >= most {
                return;
            }
            self.news = one.number;
            if self.gets(&one.about) {
                let id = EventId { stream: id, news: self.news, version: self.version };
                length += write(&Event { name: one.about.event(), id: Some(id), data: Arc::clone(&one.data) });
            }
        }
        self.news = news.last().max(self.news);
        while length < most
            && let Some(key) = self.dirty.pop_first()
        {
            let Some(data) = self.row(&key, rows.get(&key)) else { continue };
            // Only the last row says that all of them are known.
            let id = self.dirty.is_empty().then_some(EventId { stream: id, news: self.news, version });
            let name = if matches!(key, Key::Job(_)) { "job" } else { "row" };
            length += write(&Event { name, id, data });
        }
        if self.dirty.is_empty() {
            self.version = version;
        }
    }

    /// Lines of the log, of which the client sees by their numbers when it has missed some.
    fn take_lines(&mut self, log: &LogLines, most: usize, write: &mut dyn FnMut(&Event) -> usize) {
        let Some(after) = self.log else { return };
        if !self.viewer.sees(Sight::Log) {
            self.log = Some(log.last());
            return;
        }
        let mut length = 0;
        let page = log.after(after, Level::Trace, LINES_OF_A_PIECE);
        for line in &page.lines {
            if length >= most {
                return;
            }
            let text = serde_json::to_string(&**line).expect("a line is JSON");
            length += write(&Event { name: "log", id: None, data: raw(text) });
            self.log = Some(line.number);
        }
        self.log = Some(page.next);
    }

    /// What the client does not know of a row.
    fn row(&mut self, key: &Key, row: Option<&Row>) -> Option<Arc<RawValue>> {
        let sent = self.rows.get(key).copied()?;
        let visible = row.filter(|row| match (key, &row.content) {
            (Key::Job(_), Content::Job { job, .. }) => self.viewer.sees(Sight::Job(&job.record())),
            (Key::Queue(queue_manager, queue), _) => self.viewer.sees(Sight::Queue(queue_manager, queue)),
            (Key::QueueManager(name), _) => self.viewer.sees(Sight::QueueManager(name)),
            (Key::Job(_), _) => false,
        });
        let Some(row) = visible else {
            self.rows.insert(*key, Sent::NOTHING);
            return sent.is_shown.then(|| rows::gone(key));
        };
        if sent.version >= row.changed {
            return None;
        }
        // A queue that is not there is no news to a client that was not shown it.
        let is_there = !matches!(&row.content, Content::Queue(queue) if !queue.is_there());
        self.rows.insert(*key, Sent { version: row.changed, is_shown: is_there });
        (is_there || sent.is_shown).then(|| row.since(key, sent.version))
    }
}

impl State {
    /// Room for one more stream with a connection.
    fn admit(&mut self, viewer: &dyn Viewer, resumed: Option<StreamId>, limits: Limits) -> Result<(), TooMany> {
        let others = || self.streams.iter().filter(|(id, _)| Some(**id) != resumed);
        let connected = |stream: &Stream| stream.parked.is_none();
        let own = others().filter(|(_, stream)| connected(stream) && stream.viewer.user() == viewer.user()).count();
        if own >= limits.of_user {
            return Err(TooMany::OfUser);
        }
        let of_all = others().filter(|(_, stream)| connected(stream)).count();
        if self.has_ended || of_all >= limits.of_all {
            return Err(TooMany::OfAll);
        }
        // Those that wait for their clients give way to those that are there, the one that has waited longest first.
        while others_than(&self.streams, resumed) >= limits.of_all {
            let parked = self.streams.iter().filter(|(id, _)| Some(**id) != resumed);
            let oldest = parked.filter_map(|(id, stream)| Some((stream.parked?, *id))).min_by_key(|(since, _)| *since);
            let Some((_, oldest)) = oldest else { break };
            self.remove(oldest);
        }
        Ok(())
    }

    fn remove(&mut self, id: StreamId) {
        if self.streams.remove(&id).is_some() {
            self.unwatch(id, |_| true);
            self.drop_unwanted();
        }
    }

    /// Jobs and queue managers are not looked at while no stream wants them: what is known of them grows old.
    fn drop_unwanted(&mut self) {
        let jobs = self.streams.values().any(|stream| stream.wants_jobs);
        let queue_managers = self.streams.values().any(|stream| stream.wants_queue_managers);
        self.rows.retain(|key, _| match key {
            Key::Queue(..) => true,
            Key::Job(_) => jobs,
            Key::QueueManager(_) => queue_managers,
        });
    }

    fn forget_parked(&mut self, now: Instant) {
        let is_over = |stream: &Stream| stream.parked.is_some_and(|since| now.duration_since(since) > KEPT);
        let over: Vec<_> = self.streams.iter().filter(|(_, stream)| is_over(stream)).map(|(id, _)| *id).collect();
        over.into_iter().for_each(|id| self.remove(id));
        if self.streams.is_empty() {
            self.rows.clear();
            self.listeners.clear();
        }
    }

    /// The stream watches these queues no more. A row goes with the last that watches it.
    fn unwatch(&mut self, id: StreamId, is_left: impl Fn(&Key) -> bool) {
        self.rows.retain(|key, row| {
            if !matches!(key, Key::Queue(..)) || !is_left(key) {
                return true;
            }
            row.watchers.retain(|watcher| *watcher != id);
            !row.watchers.is_empty()
        });
    }

    fn set_watch(&mut self, id: StreamId, watch: &Watch) {
        let wanted: std::collections::HashSet<Key> =
            watch.queues.iter().map(|(queue_manager, queue)| Key::Queue(*queue_manager, *queue)).collect();
        self.unwatch(id, |key| !wanted.contains(key));
        let State { streams, rows, news, version, .. } = self;
        let Some(stream) = streams.get_mut(&id) else { return };
        stream.forget(|key| match key {
            Key::Queue(..) => !wanted.contains(key),
            Key::Job(_) => !watch.jobs,
            Key::QueueManager(_) => !watch.queue_managers,
        });
        for key in wanted {
            let row = rows.entry(key).or_insert_with(|| Row::new(Content::Queue(Box::default())));
            if !row.watchers.contains(&id) {
                row.watchers.push(id);
            }
            if !stream.rows.contains_key(&key) {
                stream.mark(key);
            }
        }
        let begins = |wanted: bool, has: bool| wanted && !has;
        for (key, row) in rows.iter() {
            let is_new = match (key, &row.content) {
                (Key::QueueManager(_), _) => begins(watch.queue_managers, stream.wants_queue_managers),
                // Of jobs, those that are over by now are no news.
                (Key::Job(_), Content::Job { mark, .. }) => {
                    begins(watch.jobs, stream.wants_jobs) && mark.0 == JobState::Running
                }
                _ => false,
            };
            if is_new {
                stream.mark(*key);
            }
        }
        if begins(watch.events || watch.problems, stream.wants_news()) {
            stream.news = news.last();
        }
        stream.wants_jobs = watch.jobs;
        stream.wants_queue_managers = watch.queue_managers;
        stream.wants_events = watch.events;
        stream.wants_problems = watch.problems;
        stream.version = stream.version.min(*version);
        stream.wake.notify_one();
        self.drop_unwanted();
    }

    /// The client has read up to this, and perhaps not what was sent after it.
    fn go_back(&mut self, read: &EventId) {
        let State { streams, rows, news, version, .. } = self;
        let Some(stream) = streams.get_mut(&read.stream) else { return };
        if !news.reaches(read.news) || read.version > *version {
            stream.reload = stream.wants_news().then_some("events were missed");
        } else {
            stream.news = stream.news.min(read.news);
        }
        stream.version = stream.version.min(read.version);
        for (key, sent) in &mut stream.rows {
            sent.version = sent.version.min(read.version);
            if rows.get(key).is_none_or(|row| row.changed > sent.version) {
                stream.dirty.insert(*key);
            }
        }
    }

    /// Looks at what is watched: by all, or by one stream what it has not been sent.
    fn look(&mut self, queue_managers: &QueueManagers, jobs: &Jobs, now: Instant, only: Option<StreamId>) {
        let version = self.version + 1;
        let running = queue_managers.running();
        let mut changed = self.look_at_queues(&running, now, version, only);
        if self.streams.values().any(|stream| stream.wants_queue_managers) {
            changed.extend(self.look_at_queue_managers(queue_managers, &running, version));
        }
        if self.streams.values().any(|stream| stream.wants_jobs) {
            changed.extend(self.look_at_jobs(jobs, version));
        }
        if !changed.is_empty() {
            self.version = version;
        }
        let State { streams, rows, .. } = self;
        for key in changed {
            match key {
                Key::Queue(..) => {
                    for watcher in rows.get(&key).map_or(&[][..], |row| &row.watchers) {
                        if let Some(stream) = streams.get_mut(watcher) {
                            stream.dirty.insert(key);
                        }
                    }
                }
                Key::QueueManager(_) => {
                    streams
                        .values_mut()
                        .filter(|stream| stream.wants_queue_managers)
                        .for_each(|stream| stream.mark(key));
                }
                Key::Job(_) => {
                    streams.values_mut().filter(|stream| stream.wants_jobs).for_each(|stream| stream.mark(key));
                }
            }
        }
        self.listen(&running);
        let last = self.news.last();
        for stream in self.streams.values() {
            if !stream.dirty.is_empty() || stream.reload.is_some() || (stream.wants_news() && stream.news < last) {
                stream.wake.notify_one();
            }
        }
    }

    fn look_at_queues(
        &mut self,
        running: &[QueueManager],
        now: Instant,
        version: u64,
        only: Option<StreamId>,
    ) -> Vec<Key> {
        let mut changed = Vec::new();
        for (key, row) in &mut self.rows {
            let Key::Queue(queue_manager, queue) = key else { continue };
            // Between two looks, only what has never been seen is looked at.
            if only.is_some() && row.changed > 0 {
                continue;
            }
            let owner = running.iter().find(|known| known.name() == *queue_manager);
            let status = owner.and_then(|known| known.queue_status(queue));
            if row.see(key, status.as_ref(), now, version) {
                changed.push(*key);
            }
        }
        changed
    }

    fn look_at_queue_managers(
        &mut self,
        queue_managers: &QueueManagers,
        running: &[QueueManager],
        version: u64,
    ) -> Vec<Key> {
        let known = queue_managers.list();
        let mut changed = Vec::new();
        for one in &known {
            let engine = running.iter().find(|engine| engine.name() == one.name);
            let connections = engine.map(|engine| engine.status().connections);
            let whole = of_queue_manager(&one.name, one.state.word(), connections);
            let key = Key::QueueManager(one.name);
            let row = self.rows.get(&key);
            if !matches!(row.map(|row| &row.content), Some(Content::Whole(before)) if before.get() == whole) {
                self.tell(key, Content::Whole(raw(whole)), version);
                changed.push(key);
            }
        }
        let is_gone = |key: &Key| matches!(key, Key::QueueManager(name) if known.iter().all(|one| one.name != *name));
        let gone: Vec<Key> = self.rows.keys().filter(|key| is_gone(key)).copied().collect();
        gone.iter().for_each(|key| drop(self.rows.remove(key)));
        changed.extend(gone);
        changed
    }

    fn look_at_jobs(&mut self, jobs: &Jobs, version: u64) -> Vec<Key> {
        let known = jobs.loaded(SystemClock.now());
        let mut changed = Vec::new();
        for job in &known {
            let record = job.record();
            let (key, mark) = (Key::Job(job.id()), (record.state, record.counts));
            match self.rows.get(&key).map(|row| &row.content) {
                Some(Content::Job { mark: before, .. }) if *before == mark => continue,
                _ => {}
            }
            let is_first = !self.rows.contains_key(&key);
            let whole = raw(job.show(&record).to_string());
            self.tell(key, Content::Job { job: Arc::clone(job), mark, whole }, version);
            // One that was over before anything was watched is no news. One that is short may be over when it is first seen.
            let is_old = is_first && record.ended.is_some_and(|ended| SystemClock.now().since(ended) > 2 * TICK);
            if !is_old {
                changed.push(key);
            }
        }
        let is_gone = |key: &Key| matches!(key, Key::Job(id) if known.iter().all(|job| job.id() != *id));
        let gone: Vec<Key> = self.rows.keys().filter(|key| is_gone(key)).copied().collect();
        for key in gone {
            self.rows.remove(&key);
            self.streams.values_mut().for_each(|stream| stream.forget(|known| *known == key));
        }
        changed
    }

    fn tell(&mut self, key: Key, content: Content, version: u64) {
        match self.rows.get_mut(&key) {
            Some(row) => row.tell(content, version),
            None => {
                let mut row = Row::new(Content::Whole(raw("null".to_owned())));
                row.tell(content, version);
                self.rows.insert(key, row);
            }
        }
    }

    /// Takes the events that have happened, while any stream wants them.
    fn listen(&mut self, running: &[QueueManager]) {
        if self.streams.values().all(|stream| !stream.wants_events) {
            self.listeners.clear();
            return;
        }
        let mut news = std::mem::take(&mut self.news);
        for (queue_manager, listener) in &mut self.listeners {
            take_events(queue_manager.name(), listener, &mut news);
        }
        self.news = news;
        // One that has ended has told its last events above.
        self.listeners.retain(|(known, _)| running.iter().any(|running| running.is_same(known)));
        for queue_manager in running {
            if !self.listeners.iter().any(|(known, _)| known.is_same(queue_manager)) {
                self.listeners.push((queue_manager.clone(), queue_manager.listen_to_events()));
            }
        }
    }
}

fn others_than(streams: &HashMap<StreamId, Stream>, one: Option<StreamId>) -> usize {
    streams.keys().filter(|id| Some(**id) != one).count()
}

fn take_events(queue_manager: QueueManagerName, listener: &mut EventListener, news: &mut NewsRing) {
    for _ in 0..MOST_EVENTS {
        match listener.take() {
            Ok(Some(told)) => {
                let about = About::Event { queue_manager, queue: told.queue };
                news.push(about, raw(event_text::write(queue_manager, &told)));
            }
            Ok(None) => break,
            Err(Missed) => news.miss(),
        }
    }
}

#[cfg(test)]
mod tests;
