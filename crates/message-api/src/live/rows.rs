//! Rows that streams watch: their latest values, and which change came when.
//!
//! A row remembers no past values. What a stream has not been sent is worked out from the versions of its members, so a reader that is
//! slow gets the latest values in one piece, and what waits for it takes no memory.
//!
//! Invariant: each member has the version of its last change, and a row that of the last change of any.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use model::name::{ObjectName, QueueManagerName, QueueName};
use model::timestamp::Timestamp;
use queue_manager::status::QueueStatus;
use serde_json::value::RawValue;
use tokio::time::Instant;

use super::StreamId;
use crate::jobs::{Job, JobId};
use crate::time_text::write_moment;

/// Which row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Key {
    QueueManager(QueueManagerName),
    Queue(QueueManagerName, QueueName),
    Job(JobId),
}

pub(super) struct Row {
    pub(super) content: Content,
    /// Version of the last change, and of the one before.
    pub(super) changed: u64,
    before: u64,
    /// What the last change says to a stream that knows the rest.
    latest: Arc<RawValue>,
    /// Streams that watch this queue.
    pub(super) watchers: Vec<StreamId>,
}

pub(super) enum Content {
    Queue(Box<QueueRow>),
    /// Told whole at each change.
    Whole(Arc<RawValue>),
    Job {
        job: Arc<Job>,
        mark: JobMark,
        whole: Arc<RawValue>,
    },
}

/// What changes of a job.
pub(super) type JobMark = (crate::jobs::State, crate::jobs::Counts);

const MEMBERS: usize = 11;

/// A member of a queue's row, and how its number is written.
const NAMES: [(&str, Form); MEMBERS] = [
    ("depth", Form::Number),
    ("bytes", Form::Number),
    ("uncommitted", Form::Number),
    ("readers", Form::Number),
    ("writers", Form::Number),
    ("waiting", Form::Number),
    ("in", Form::Tenths),
    ("out", Form::Tenths),
    ("oldest", Form::Moment),
    ("lastPut", Form::Moment),
    ("lastGet", Form::Moment),
];

#[derive(Clone, Copy)]
enum Form {
    Number,
    Tenths,
    /// 0 is `null`.
    Moment,
}

#[derive(Default)]
pub(super) struct QueueRow {
    /// `None`: there is no such local queue now.
    values: Option<[u64; MEMBERS]>,
    changed: [u64; MEMBERS],
    window: Window,
}

/// Puts and gets of the last seconds, for rates.
#[derive(Default)]
struct Window(VecDeque<(Instant, u64, u64)>);

/// Rates are those of the last ten seconds or a little more.
const WINDOW_STEP: Duration = Duration::from_secs(2);
const WINDOW_STEPS: usize = 6;

impl Window {
    /// Tenths of messages a second.
    fn rates(&mut self, now: Instant, puts: u64, gets: u64) -> [u64; 2] {
        // Another queue of the same name counts from 0.
        if self.0.back().is_some_and(|(_, before_puts, before_gets)| puts < *before_puts || gets < *before_gets) {
            self.0.clear();
        }
        if self.0.back().is_none_or(|(at, ..)| now.duration_since(*at) >= WINDOW_STEP) {
            if self.0.len() == WINDOW_STEPS {
                self.0.pop_front();
            }
            self.0.push_back((now, puts, gets));
        }
        let (since, before_puts, before_gets) = self.0[0];
        let milliseconds = u64::try_from(now.duration_since(since).as_millis()).unwrap_or(u64::MAX);
        let rate =
            |count: u64| if milliseconds < 1000 { 0 } else { (count * 10_000 + milliseconds / 2) / milliseconds };
        [rate(puts - before_puts), rate(gets - before_gets)]
    }
}

impl Row {
    /// Of which nothing has been told.
    pub(super) fn new(content: Content) -> Self {
        let latest = raw("{}".to_owned());
        Self { content, changed: 0, before: 0, latest, watchers: Vec::new() }
    }

    /// A row that is always told whole: true when it is another one than before.
    pub(super) fn tell(&mut self, content: Content, version: u64) {
        if let Content::Whole(whole) | Content::Job { whole, .. } = &content {
            self.latest = Arc::clone(whole);
        }
        self.content = content;
        self.note(version);
    }

    /// What a queue is now. True when that is a change.
    pub(super) fn see(&mut self, key: &Key, status: Option<&QueueStatus>, now: Instant, version: u64) -> bool {
        let Content::Queue(row) = &mut self.content else { return false };
        if !row.see(status, now, version) && self.changed > 0 {
            return false;
        }
        self.note(version);
        self.latest = raw(self.told(key, self.before));
        true
    }

    fn note(&mut self, version: u64) {
        self.before = self.changed;
        self.changed = version;
    }

    /// What a stream does not know that was sent everything up to a version.
    pub(super) fn since(&self, key: &Key, sent: u64) -> Arc<RawValue> {
        match &self.content {
            Content::Queue(_) if sent < self.before => raw(self.told(key, sent)),
            _ => Arc::clone(&self.latest),
        }
    }

    fn told(&self, key: &Key, sent: u64) -> String {
        let mut text = head(key);
        let Content::Queue(row) = &self.content else { return text + GONE };
        let Some(values) = &row.values else { return text + GONE };
        for ((name, form), (value, changed)) in NAMES.iter().zip(values.iter().zip(&row.changed)) {
            if *changed > sent {
                let _ = write!(text, ",\"{name}\":");
                form.write(&mut text, *value);
            }
        }
        text + "}"
    }
}

/// A row that a stream does not see, or that is not there.
pub(super) fn gone(key: &Key) -> Arc<RawValue> {
    raw(head(key) + GONE)
}

const GONE: &str = ",\"gone\":true}";

/// Names of MQ objects need no escapes in JSON.
fn head(key: &Key) -> String {
    match key {
        Key::Queue(queue_manager, queue) => {
            format!("{{\"view\":\"queues\",\"qmgr\":\"{queue_manager}\",\"key\":\"{queue}\"")
        }
        Key::QueueManager(name) => format!("{{\"view\":\"qmgrs\",\"key\":\"{name}\""),
        Key::Job(id) => format!("{{\"view\":\"jobs\",\"key\":\"{id}\""),
    }
}

/// A row of a queue manager.
pub(super) fn of_queue_manager(name: &ObjectName, state: &str, connections: Option<u32>) -> String {
    let connections = connections.map_or("null".to_owned(), |connections| connections.to_string());
    format!("{},\"state\":\"{state}\",\"connections\":{connections}}}", head(&Key::QueueManager(*name)))
}

pub(super) fn raw(text: String) -> Arc<RawValue> {
    Arc::from(RawValue::from_string(text).expect("valid JSON"))
}

impl QueueRow {
    pub(super) fn is_there(&self) -> bool {
        self.values.is_some()
    }

    fn see(&mut self, status: Option<&QueueStatus>, now: Instant, version: u64) -> bool {
        let Some(status) = status else {
            self.changed = [version; MEMBERS];
            return self.values.take().is_some();
        };
        let [entering, leaving] = self.window.rates(now, status.puts, status.gets);
        let moment = |at: Option<Timestamp>| at.map_or(0, |at| at.0);
        let values = [
            status.depth.current.into(),
            status.depth.bytes,
            status.depth.uncommitted.into(),
            status.open_input.into(),
            status.open_output.into(),
            status.waiters.into(),
            entering,
            leaving,
            moment(status.depth.oldest),
            moment(status.last_put),
            moment(status.last_get),
        ];
        let Some(before) = self.values.replace(values) else {
            self.changed = [version; MEMBERS];
            return true;
        };
        let mut has_changed = false;
        for ((now, before), changed) in values.iter().zip(before).zip(&mut self.changed) {
            if *now != before {
                *changed = version;
                has_changed = true;
            }
        }
        has_changed
    }
}

impl Form {
    fn write(self, out: &mut String, value: u64) {
        let _ = match self {
            Self::Number => write!(out, "{value}"),
            Self::Tenths => write!(out, "{}.{}", value / 10, value % 10),
            Self::Moment if value == 0 => write!(out, "null"),
            Self::Moment => write!(out, "\"{}\"", write_moment(Timestamp(value))),
        };
    }
}
