//! What one stream watches, and how much of it has been sent: no event waits here, only the names of rows that have changed.
//!
//! Invariants
//! - A stream takes memory for the rows that it watches, however slowly its client reads.
//! - `version` and `news` are what its client knows, all of it, when it has read the event with their id.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::news::About;
use super::rows::Key;
use super::{Sight, StreamId, Viewer};

pub(super) struct Stream {
    pub(super) viewer: Arc<dyn Viewer>,
    /// What has been sent of each row.
    pub(super) rows: HashMap<Key, Sent>,
    pub(super) wants_jobs: bool,
    pub(super) wants_queue_managers: bool,
    pub(super) wants_events: bool,
    pub(super) wants_problems: bool,
    /// The number of the last line of the log that was sent; `None`: it wants none.
    pub(super) log: Option<u64>,
    /// Rows that have changed since they were sent.
    pub(super) dirty: BTreeSet<Key>,
    pub(super) version: u64,
    pub(super) news: u64,
    /// Its client has to load everything again: why.
    pub(super) reload: Option<&'static str>,
    /// Of the connection that it is sent by; another one may follow.
    pub(super) connection: u64,
    /// Since when it has none.
    pub(super) parked: Option<Instant>,
    pub(super) wake: Arc<Notify>,
}

/// What a client knows of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sent {
    /// 0: nothing.
    pub(super) version: u64,
    /// It is shown one, and has to be told when it no longer is.
    pub(super) is_shown: bool,
}

impl Sent {
    pub(super) const NOTHING: Self = Self { version: 0, is_shown: false };
}

/// Names what a client has read of a stream: what the `id` of an event says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventId {
    pub stream: StreamId,
    pub(super) news: u64,
    pub(super) version: u64,
}

impl EventId {
    /// Of no stream that there is.
    pub const UNKNOWN: Self = Self { stream: StreamId(0), news: 0, version: 0 };

    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let mut next = || parts.next();
        let stream = StreamId::parse(next()?)?;
        let mut number = || next().and_then(|text| u64::from_str_radix(text, 16).ok());
        let id = Self { stream, news: number()?, version: number()? };
        next().is_none().then_some(id)
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:x}-{:x}", self.stream, self.news, self.version)
    }
}

impl Stream {
    pub(super) fn new(viewer: Arc<dyn Viewer>, version: u64, news: u64) -> Self {
        Self {
            viewer,
            rows: HashMap::new(),
            wants_jobs: false,
            wants_queue_managers: false,
            wants_events: false,
            wants_problems: false,
            log: None,
            dirty: BTreeSet::new(),
            version,
            news,
            reload: None,
            connection: 0,
            parked: None,
            wake: Arc::new(Notify::new()),
        }
    }

    /// Anything that is told once.
    pub(super) fn wants_news(&self) -> bool {
        self.wants_events || self.wants_problems
    }

    /// This piece of news is for its client, who may see it now.
    pub(super) fn gets(&self, about: &About) -> bool {
        match about {
            About::Event { queue_manager, queue } => {
                self.wants_events && self.viewer.sees(Sight::Events(queue_manager, queue))
            }
            About::Problem { queue_manager, concern } => {
                self.wants_problems && self.viewer.sees(Sight::Problem(queue_manager, concern))
            }
        }
    }

    /// A row has changed, or has to be sent anew.
    pub(super) fn mark(&mut self, key: Key) {
        self.rows.entry(key).or_insert(Sent::NOTHING);
        self.dirty.insert(key);
    }

    pub(super) fn forget(&mut self, is_forgotten: impl Fn(&Key) -> bool) {
        self.rows.retain(|key, _| !is_forgotten(key));
        self.dirty.retain(|key| !is_forgotten(key));
    }

    /// Whether there are lines of the log to be sent, of which `last` is the last.
    pub(super) fn has_lines(&self, last: u64) -> bool {
        self.log.is_some_and(|sent| sent < last)
    }

    pub(super) fn is_connected_by(&self, connection: u64) -> bool {
        self.parked.is_none() && self.connection == connection
    }
}
