//! Which connections of one listener are open, and who makes room when there are too many: limits in number and time,
//! and shutdown. What a connection is doing stands in its `Watch`, its bytes pass through a `WatchedSocket`.
//!
//! One housekeeping task looks at all connections a few times a second, so that a request costs no timer of its own:
//! a connection only notes its phase and the coarse time in atomics.
//!
//! Connections are counted by the address they come from. Whoever has the most makes room for others, so that a client
//! finds a place while another one, whose own connections are ended by each new one of its own, tries to take them all.
//!
//! Invariants
//! - A connection is in the table exactly while its `Entry` lives, or until it is told to make room.
//! - A connection that works on a request is never closed for being slow or to make room, only by the end of a shutdown's
//!   grace. Waiting for the body of a request is no work; waiting for a message is, and is bounded in number.

mod socket;
mod watch;

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

pub(crate) use self::socket::WatchedSocket;
use self::watch::{CLOSE, DRAIN};
pub(crate) use self::watch::{Unread, Watch};
use crate::options::Limits;
use crate::service::Door;

/// How often the housekeeping looks, and how exact time limits are.
pub(crate) const TICK: Duration = Duration::from_millis(250);
/// Ticks between two lines of the log about connections that were refused or made room.
const TICKS_OF_A_LINE: u64 = 4;

/// All connections of one listener.
pub(crate) struct Connections {
    door: Door,
    table: Mutex<Table>,
    next: AtomicU64,
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

#[derive(Default)]
struct Table {
    sources: HashMap<IpAddr, Source>,
    open: usize,
}

/// Where connections come from.
#[derive(Default)]
struct Source {
    open: HashMap<u64, Arc<Watch>>,
    uses: Arc<Uses>,
}

/// What the connections of one address take together.
#[derive(Default)]
struct Uses {
    /// Requests that wait for a message.
    waits: AtomicUsize,
    /// Bytes of answers that have not been read.
    unread: AtomicUsize,
}

/// How many connections there may be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Places {
    pub(crate) most: usize,
    pub(crate) of_one_address: usize,
}

impl Places {
    pub(crate) fn of(door: Door, limits: &Limits) -> Self {
        match door {
            Door::Https | Door::Http => {
                Self { most: limits.connections, of_one_address: limits.connections_per_address }
            }
            // Mostly for this machine alone: all may be of one address.
            Door::Metrics => Self { most: limits.metrics_connections, of_one_address: limits.metrics_connections },
        }
    }
}

/// Removes the connection from the table when dropped.
pub(crate) struct Entry {
    number: u64,
    source: IpAddr,
    pub(crate) watch: Arc<Watch>,
}

impl Connections {
    pub(crate) fn new(door: Door) -> Arc<Self> {
        Arc::new(Self {
            door,
            table: Mutex::default(),
            next: AtomicU64::new(0),
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

    /// Admits a connection. Where there are too many another one makes room: of the same address when that has too many,
    /// else of the one that has the most. `None` when all of them are at work.
    pub(crate) fn admit(self: &Arc<Self>, peer: IpAddr, places: Places) -> Option<Entry> {
        let address = source_of(peer);
        let mut table = self.table.lock();
        let own = table.sources.get(&address).map_or(0, |source| source.open.len());
        let is_crowded = own >= places.of_one_address;
        if is_crowded || table.open >= places.most {
            let made = if is_crowded { table.make_room_of(address) } else { table.make_room() };
            let counter = if made { &self.made_room } else { &self.refused };
            counter.fetch_add(1, Relaxed);
            if !made {
                return None;
            }
        }
        let number = self.next.fetch_add(1, Relaxed);
        let source = table.sources.entry(address).or_default();
        let order = if self.draining.load(Relaxed) { DRAIN } else { watch::GO_ON };
        let watch = Arc::new(Watch::new(Arc::clone(self), Arc::clone(&source.uses), order));
        source.open.insert(number, Arc::clone(&watch));
        table.open += 1;
        Some(Entry { number, source: address, watch })
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
        let Places { most, of_one_address } = Places::of(self.door, limits);
        let (open, busiest) = {
            let table = self.table.lock();
            let busiest = table.sources.iter().max_by_key(|(_, source)| source.open.len());
            (table.open, busiest.map(|(address, source)| format!("{address} has {}", source.open.len())))
        };
        tracing::warn!(
            listener = self.door.name(),
            refused,
            made_room,
            open,
            most,
            of_one_address,
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
        self.table.lock().open
    }

    /// Connections close that work on no request, the others after the one they work on. Repeat it until `open` is 0.
    pub(crate) fn drain(&self) {
        self.draining.store(true, Relaxed);
        self.each(|watch| watch.tell(DRAIN));
    }

    pub(crate) fn close(&self) {
        self.each(|watch| watch.tell(CLOSE));
    }

    fn each(&self, mut look: impl FnMut(&Arc<Watch>)) {
        let table = self.table.lock();
        table.sources.values().flat_map(|source| source.open.values()).for_each(&mut look);
    }
}

impl Table {
    /// Ends a connection of the address that has the most, or of the next one.
    fn make_room(&mut self) -> bool {
        let Some((&most, _)) = self.sources.iter().max_by_key(|(_, source)| source.open.len()) else { return false };
        if self.make_room_of(most) {
            return true;
        }
        let mut others: Vec<_> = self
            .sources
            .iter()
            .map(|(&address, source)| (source.open.len(), address))
            .filter(|one| one.1 != most)
            .collect();
        others.sort_unstable_by_key(|one| std::cmp::Reverse(one.0));
        others.into_iter().any(|(_, address)| self.make_room_of(address))
    }

    /// Ends the connection of an address that is missed least.
    fn make_room_of(&mut self, address: IpAddr) -> bool {
        let Some(source) = self.sources.get(&address) else { return false };
        let candidates = source.open.iter().filter_map(|(&number, watch)| Some((watch.dispensable()?, number)));
        let Some((_, number)) = candidates.min() else { return false };
        source.open[&number].tell(CLOSE);
        self.remove(address, number);
        true
    }

    fn remove(&mut self, address: IpAddr, number: u64) {
        let Some(source) = self.sources.get_mut(&address) else { return };
        if source.open.remove(&number).is_some() {
            self.open -= 1;
        }
        if source.open.is_empty() {
            self.sources.remove(&address);
        }
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.watch.all().table.lock().remove(self.source, self.number);
    }
}

/// What counts as one address: of IPv6 the network of 64 bits, which one client has as a whole.
fn source_of(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => {
            let network = u128::from(address) & !u128::from(u64::MAX);
            IpAddr::V6(Ipv6Addr::from(network))
        }
        canonical => canonical,
    }
}

#[cfg(test)]
mod tests;
