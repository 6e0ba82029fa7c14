//! Which connections of one listener are open, and who makes room when there are too many: limits in number and time,
//! and shutdown. What a connection is doing stands in its `Watch`, its bytes pass through a `WatchedSocket`.
//!
//! One housekeeping task looks at all connections a few times a second, so that a request costs no timer of its own:
//! a connection only notes its phase and the coarse time in atomics.
//!
//! Which connection makes room for a new one is decided by address (`workers::places`).
//!
//! Invariants
//! - A connection that works on a request is never closed for being slow or to make room, only by the end of a shutdown's
//!   grace. Waiting for the body of a request is no work; waiting for a message is, and is bounded in number.

mod socket;
mod watch;

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use tokio::time::Instant;
use workers::places::{Most, Place, Places};

pub(crate) use self::socket::WatchedSocket;
use self::watch::{CLOSE, DRAIN};
pub(crate) use self::watch::{InRequest, Unread, Waiting, Watch};
use crate::budget::Budget;
use crate::options::Limits;
use crate::service::Door;

/// How often the housekeeping looks, and how exact time limits are.
pub(crate) const TICK: Duration = Duration::from_millis(250);
/// Ticks between two lines of the log about connections that were refused or made room.
const TICKS_OF_A_LINE: u64 = 4;

/// All connections of one listener.
pub(crate) struct Connections {
    door: Door,
    places: Arc<Places<Watch>>,
    started: Instant,
    /// Milliseconds since `started`, renewed each tick.
    coarse_now: AtomicU64,
    ticks: AtomicU64,
    draining: AtomicBool,
    /// Requests that wait for a message.
    waits: AtomicUsize,
    refused: AtomicU64,
    made_room: AtomicU64,
    /// What of both the log has been told.
    logged: [AtomicU64; 2],
}

/// What the connections of one address take together.
#[derive(Default)]
struct Uses {
    /// Requests that wait for a message.
    waits: AtomicUsize,
    /// Bytes of answers that have not been read.
    unread: AtomicUsize,
    /// Bytes of request bodies.
    bodies: Arc<Budget>,
}

/// How many connections there may be.
pub(crate) fn most(door: Door, limits: &Limits) -> Most {
    match door {
        Door::Https | Door::Http => Most { of_all: limits.connections, of_address: limits.connections_per_address },
        // Mostly for this machine alone: all may be of one address.
        Door::Metrics => Most { of_all: limits.metrics_connections, of_address: limits.metrics_connections },
    }
}

/// The place of one connection, with what the connection is doing.
pub(crate) type Entry = Place<Watch>;

impl Connections {
    pub(crate) fn new(door: Door) -> Arc<Self> {
        Arc::new(Self {
            door,
            places: Arc::default(),
            started: Instant::now(),
            coarse_now: AtomicU64::new(0),
            ticks: AtomicU64::new(0),
            draining: AtomicBool::new(false),
            waits: AtomicUsize::new(0),
            refused: AtomicU64::new(0),
            made_room: AtomicU64::new(0),
            logged: Default::default(),
        })
    }

    /// Admits a connection. `None`: there are too many, and all of them are at work.
    pub(crate) fn admit(self: &Arc<Self>, peer: IpAddr, most: Most) -> Option<Entry> {
        let entry = self.places.take(peer, most, |sibling| {
            let uses = sibling.map(|sibling| Arc::clone(sibling.source())).unwrap_or_default();
            let order = if self.draining.load(Relaxed) { DRAIN } else { watch::GO_ON };
            Watch::new(Arc::clone(self), uses, order)
        });
        match &entry {
            Some(entry) if entry.made_room() => self.made_room.fetch_add(1, Relaxed),
            Some(_) => 0,
            None => self.refused.fetch_add(1, Relaxed),
        };
        entry
    }

    /// Looks at every connection, closes those that are too slow or idle for too long, and tells the log of those that
    /// found no place.
    pub(crate) fn sweep(&self, limits: &Limits) {
        let now = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.coarse_now.store(now, Relaxed);
        self.each(|watch| {
            if let Some((seconds, since)) = watch.allowed(limits) {
                // One tick more, for the coarse time may be that old.
                let allowed = Duration::from_secs(seconds) + TICK;
                if Duration::from_millis(now.saturating_sub(since)) > allowed {
                    watch.tell(CLOSE);
                }
            }
        });
        if self.ticks.fetch_add(1, Relaxed).is_multiple_of(TICKS_OF_A_LINE) {
            self.log(limits);
        }
    }

    /// One line for however many.
    fn log(&self, limits: &Limits) {
        let [refused, made_room] = [(&self.refused, 0), (&self.made_room, 1)].map(|(counter, index)| {
            let total = counter.load(Relaxed);
            total - self.logged[index].swap(total, Relaxed)
        });
        if refused + made_room == 0 {
            return;
        }
        let Most { of_all, of_address } = most(self.door, limits);
        let busiest = self.places.busiest().map(|(address, open)| format!("{address} has {open}"));
        tracing::warn!(
            listener = self.door.name(),
            refused,
            made_room,
            open = self.open(),
            most = of_all,
            of_one_address = of_address,
            "HTTP connections were refused, or others closed to make room for them: {}",
            busiest.unwrap_or_default()
        );
    }

    /// Connections that were refused, and that were closed to make room for others, since the start.
    pub(crate) fn turned_away(&self) -> [u64; 2] {
        [self.refused.load(Relaxed), self.made_room.load(Relaxed)]
    }

    /// Connections with an answer that has been waiting longer than this for its client, how long it has, and its bytes.
    pub(crate) fn stalled(&self, longer_than: Duration) -> Vec<(Duration, usize, Arc<Watch>)> {
        let now = self.coarse_now.load(Relaxed);
        let mut stalled = Vec::new();
        self.each(|watch| {
            if let Some((bytes, since)) = watch.unread_answers() {
                let waiting = Duration::from_millis(now.saturating_sub(since));
                if waiting > longer_than {
                    stalled.push((waiting, bytes, Arc::clone(watch)));
                }
            }
        });
        stalled
    }

    pub(crate) fn open(&self) -> usize {
        self.places.open()
    }

    /// Connections close that work on no request, the others after the one they work on. Repeat it until `open` is 0.
    pub(crate) fn drain(&self) {
        self.draining.store(true, Relaxed);
        self.each(|watch| watch.tell(DRAIN));
    }

    pub(crate) fn close(&self) {
        self.each(|watch| watch.tell(CLOSE));
    }

    fn each(&self, look: impl FnMut(&Arc<Watch>)) {
        self.places.each(look);
    }
}

#[cfg(test)]
mod tests;
