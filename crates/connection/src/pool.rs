//! Connections to one queue manager made as one user, kept for reuse.
//!
//! Local connections are made as the server itself and serve every user, for each open names its own; remote ones are made
//! as the user of their entry, or as one that a service names, and preferably taken by the thread that made them, on which
//! their socket is served. Most of the time lending and giving back are one lock each, without an allocation.
//!
//! Invariants
//! - A connection is idle only with nothing open on it and nothing under syncpoint.
//! - With a bound, connections lent and idle together never exceed it, those that overflow apart.
//! - Whoever waits is served in turn: a place that becomes free goes to the first of them, never past it.
//! - A lent connection that is dropped rather than given back is closed, and its place becomes free.

mod lent;

use std::collections::VecDeque;
use std::sync::Arc;
use std::thread::ThreadId;
use std::time::Duration;

use model::reason::Reason;
use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::error::ConnectionError;
use crate::maker::Maker;
use crate::statistics::{ClosedBy, Counters, Statistics};
use crate::verbs::Connection;

pub use self::lent::Lent;
use self::lent::Place;

/// Waiting requests are looked through for those that have given up when there are as many.
const FIRST_LOOK: usize = 64;

/// How many connections there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// As many as are needed at once; so many idle ones are kept.
    Idle(usize),
    /// So many, lent and idle together; 0 keeps none, and every request has one of its own.
    Open { most: usize, when_full: WhenFull },
}

/// What becomes of a request when all connections are in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenFull {
    /// It gets one of its own, which is closed afterwards.
    Overflow,
    /// It waits for one; `None` without limit.
    Block(Option<Duration>),
    /// It is refused.
    Error,
}

/// How connections are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keeping {
    pub limit: Limit,
    /// Calls of `Pool::tick` after which an idle connection is closed; `None` keeps them.
    pub idle_ticks: Option<u32>,
}

pub struct Pool {
    name: String,
    maker: Maker,
    state: Mutex<State>,
    counters: Counters,
}

struct State {
    keeping: Keeping,
    /// Used from the end, so that those which are not needed stay idle.
    idle: Vec<Idle>,
    /// Lent, those that overflow apart.
    lent: usize,
    overflowing: usize,
    waiting: VecDeque<oneshot::Sender<Place>>,
    /// Look for requests that have given up when so many wait.
    next_look: usize,
    tick: u32,
    is_closed: bool,
}

struct Idle {
    connection: Connection,
    since: u32,
    /// On which its socket is served; `None` for a local connection.
    thread: Option<ThreadId>,
}

enum Attempt {
    Lent(Lent),
    /// A remote one that nobody has used for a while.
    Rested(Lent),
    Make(Place),
    Wait(oneshot::Receiver<Place>, Option<Duration>),
    Refused {
        most: usize,
    },
}

impl Pool {
    pub(crate) fn new(name: String, maker: Maker, keeping: Keeping) -> Self {
        Self {
            name,
            maker,
            state: Mutex::new(State {
                keeping,
                idle: Vec::new(),
                lent: 0,
                overflowing: 0,
                waiting: VecDeque::new(),
                next_look: FIRST_LOOK,
                tick: 0,
                is_closed: false,
            }),
            counters: Counters::default(),
        }
    }

    /// The name of the local queue manager, or that of the remote one's entry.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn is_remote(&self) -> bool {
        matches!(self.maker, Maker::Remote(_))
    }

    /// The last attempt to connect did not fail. Nobody has tried yet counts as well.
    pub fn is_reachable(&self) -> bool {
        self.maker.is_reachable()
    }

    /// A connection for one request: a kept one, or a new one. Within a tokio runtime.
    ///
    /// # Errors
    /// `PoolExhausted` by a bounded pool that is configured to refuse, or to wait for a time; `NotConnected` when the queue
    /// manager does not run, cannot be reached or refuses the user.
    pub async fn lend(self: &Arc<Self>) -> Result<Lent, ConnectionError> {
        loop {
            match self.attempt() {
                Attempt::Lent(lent) => return Ok(lent),
                Attempt::Rested(mut lent) => {
                    // The task of its socket goes first, and sees whether the partner has closed it meanwhile.
                    tokio::task::yield_now().await;
                    if !lent.connection.is_broken() {
                        return Ok(lent);
                    }
                    lent.place.closed_by = Some(ClosedBy::Lost);
                }
                Attempt::Make(place) => match &self.maker {
                    Maker::Local { .. } => return Ok(place.with(self.make_local()?)),
                    // Boxed, as what follows: the state of every request would have to hold it.
                    Maker::Remote(_) => return Box::pin(self.make_for(place)).await,
                },
                Attempt::Wait(receiver, limit) => {
                    if let Some(lent) = Box::pin(self.wait(receiver, limit)).await? {
                        return Ok(lent);
                    }
                }
                Attempt::Refused { most } => return Err(self.exhausted(most)),
            }
        }
    }

    /// A connection that takes no place in the pool, for a use that lasts: it is closed afterwards. Of a queue manager of this
    /// server.
    ///
    /// # Errors
    /// `NotConnected` when the queue manager does not run; `FunctionNotSupported` (2298) of a remote one.
    pub fn lend_apart(self: &Arc<Self>) -> Result<Lent, ConnectionError> {
        if self.is_remote() {
            return Err(Reason::FunctionNotSupported.into());
        }
        self.state.lock().overflowing += 1;
        let place = Place::of(self, true);
        Ok(place.with(self.make_local()?))
    }

    fn attempt(self: &Arc<Self>) -> Attempt {
        let mut lost = Vec::new();
        let mut state = self.state.lock();
        let attempt = match state.keeping.limit {
            Limit::Open { most: 0, .. } => self.overflow(&mut state),
            Limit::Open { most, when_full } if state.lent >= most => match when_full {
                WhenFull::Overflow => {
                    self.counters.overflowed();
                    self.overflow(&mut state)
                }
                WhenFull::Block(limit) => {
                    self.counters.waited();
                    Attempt::Wait(state.wait(), limit)
                }
                WhenFull::Error => {
                    self.counters.refused();
                    Attempt::Refused { most }
                }
            },
            Limit::Idle(_) | Limit::Open { .. } => {
                state.lent += 1;
                let place = Place::of(self, false);
                match state.take(&mut lost) {
                    Some(idle) if idle.thread.is_some() && idle.since != state.tick => {
                        Attempt::Rested(place.with_kept(idle.connection))
                    }
                    Some(idle) => Attempt::Lent(place.with_kept(idle.connection)),
                    None => Attempt::Make(place),
                }
            }
        };
        drop(state);
        if !lost.is_empty() {
            self.counters.closed(ClosedBy::Lost, lost.len());
        }
        attempt
    }

    fn overflow(self: &Arc<Self>, state: &mut State) -> Attempt {
        state.overflowing += 1;
        Attempt::Make(Place::of(self, true))
    }

    fn exhausted(&self, most: usize) -> ConnectionError {
        ConnectionError::PoolExhausted { name: self.name.clone(), most }
    }

    /// `None`: the bounds have changed, ask again.
    async fn wait(
        self: &Arc<Self>,
        receiver: oneshot::Receiver<Place>,
        limit: Option<Duration>,
    ) -> Result<Option<Lent>, ConnectionError> {
        let received = match limit {
            Some(limit) => timeout(limit, receiver).await.ok(),
            None => Some(receiver.await),
        };
        let place = match received {
            Some(Ok(place)) => place,
            Some(Err(_)) => return Ok(None),
            None => {
                self.counters.refused();
                return Err(self.exhausted(self.most()));
            }
        };
        let mut lost = Vec::new();
        let kept = if place.overflows { None } else { self.state.lock().take(&mut lost) };
        self.counters.closed(ClosedBy::Lost, lost.len());
        match kept {
            Some(idle) => Ok(Some(place.with_kept(idle.connection))),
            None => self.make_for(place).await.map(Some),
        }
    }

    fn most(&self) -> usize {
        match self.state.lock().keeping.limit {
            Limit::Open { most, .. } | Limit::Idle(most) => most,
        }
    }

    async fn make_for(&self, place: Place) -> Result<Lent, ConnectionError> {
        let connection = self.make().await?;
        Ok(place.with(connection))
    }

    fn make_local(&self) -> Result<Connection, ConnectionError> {
        self.counted(self.maker.make_local())
    }

    async fn make(&self) -> Result<Connection, ConnectionError> {
        self.counted(self.maker.make(&self.name).await)
    }

    fn counted(&self, made: Result<Connection, ConnectionError>) -> Result<Connection, ConnectionError> {
        match &made {
            Ok(_) => self.counters.created(),
            Err(_) => self.counters.failed(),
        }
        made
    }

    /// Other bounds from now on. Whoever waits asks again.
    pub(crate) fn keep(&self, keeping: Keeping) {
        let mut state = self.state.lock();
        if state.is_closed || state.keeping == keeping {
            return;
        }
        state.keeping = keeping;
        let room = match keeping.limit {
            Limit::Idle(most) => most,
            Limit::Open { most, .. } => most.saturating_sub(state.lent),
        };
        let surplus = state.idle.len().saturating_sub(room);
        let surplus: Vec<Idle> = state.idle.drain(..surplus).collect();
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        self.counters.closed(ClosedBy::Retired, surplus.len());
        drop(surplus);
        drop(waiting);
    }

    /// A moment has gone by: closes what has been idle for too long, and what has broken meanwhile.
    pub(crate) fn tick(&self) {
        let mut state = self.state.lock();
        state.tick = state.tick.wrapping_add(1);
        let (tick, longest) = (state.tick, state.keeping.idle_ticks);
        let is_old = |idle: &Idle| longest.is_some_and(|longest| tick.wrapping_sub(idle.since) >= longest);
        let (mut old, mut lost) = (Vec::new(), Vec::new());
        let mut place = 0;
        while let Some(idle) = state.idle.get(place) {
            if idle.connection.is_broken() {
                lost.push(state.idle.remove(place));
            } else if is_old(idle) {
                old.push(state.idle.remove(place));
            } else {
                place += 1;
            }
        }
        drop(state);
        self.counters.closed(ClosedBy::Idle, old.len());
        self.counters.closed(ClosedBy::Lost, lost.len());
    }

    /// Ends the connections that are kept. Requests that still know this pool get connections of their own from now on, those
    /// that wait at once.
    pub(crate) fn close(self: &Arc<Self>) {
        let mut state = self.state.lock();
        state.is_closed = true;
        state.keeping.limit = Limit::Open { most: 0, when_full: WhenFull::Overflow };
        let idle = std::mem::take(&mut state.idle);
        let waiting = std::mem::take(&mut state.waiting);
        state.overflowing += waiting.len();
        drop(state);
        self.counters.closed(ClosedBy::Retired, idle.len());
        for waiter in waiting {
            // Whoever has gone gives its place up by dropping it.
            let _ = waiter.send(Place::of(self, true));
        }
    }

    pub fn statistics(&self) -> Statistics {
        let state = self.state.lock();
        let waiting = state.waiting.iter().filter(|waiter| !waiter.is_closed()).count();
        self.counters.read(state.lent + state.overflowing, state.idle.len(), waiting)
    }

    /// A place has become free, and with it perhaps a connection.
    fn take_back(self: Arc<Self>, connection: Option<Connection>, overflows: bool) {
        let mut state = self.state.lock();
        if overflows {
            state.overflowing -= 1;
            drop(state);
            if connection.is_some() {
                self.counters.closed(ClosedBy::Overflow, 1);
            }
            return;
        }
        let has_room = state.has_room();
        let surplus = match connection {
            Some(connection) if has_room => {
                let (since, thread) = (state.tick, connection.thread());
                state.idle.push(Idle { connection, since, thread });
                None
            }
            other => other,
        };
        let waiter = state.next_waiter();
        if waiter.is_none() {
            state.lent -= 1;
        }
        let is_shrunk = state.is_closed || matches!(state.keeping.limit, Limit::Open { .. });
        drop(state);
        if surplus.is_some() {
            self.counters.closed(if is_shrunk { ClosedBy::Retired } else { ClosedBy::Overflow }, 1);
        }
        if let Some(waiter) = waiter {
            self.hand_over(waiter);
        }
    }

    /// The place, which is counted already, goes to the first request that still waits.
    fn hand_over(self: Arc<Self>, first: oneshot::Sender<Place>) {
        let mut waiter = first;
        let mut place = Place::of(&self, false);
        loop {
            match waiter.send(place) {
                Ok(()) => return,
                Err(refused) => place = refused,
            }
            let mut state = self.state.lock();
            match state.next_waiter() {
                Some(next) => waiter = next,
                None => {
                    state.lent -= 1;
                    place.pool = None;
                    return;
                }
            }
        }
    }
}

impl State {
    /// One that is whole: of this thread, or while there is no room for another one, of any.
    fn take(&mut self, lost: &mut Vec<Idle>) -> Option<Idle> {
        loop {
            let last = self.idle.len().checked_sub(1)?;
            let place = match self.idle[last].thread {
                None => last,
                Some(_) => {
                    let here = Some(std::thread::current().id());
                    match self.idle.iter().rposition(|idle| idle.thread == here) {
                        Some(own) => own,
                        None if self.has_room() => return None,
                        None => last,
                    }
                }
            };
            let idle = self.idle.swap_remove(place);
            if !idle.connection.is_broken() {
                return Some(idle);
            }
            lost.push(idle);
        }
    }

    fn wait(&mut self) -> oneshot::Receiver<Place> {
        if self.waiting.len() >= self.next_look {
            self.waiting.retain(|waiter| !waiter.is_closed());
            self.next_look = FIRST_LOOK.max(2 * self.waiting.len());
        }
        let (sender, receiver) = oneshot::channel();
        self.waiting.push_back(sender);
        receiver
    }

    /// Whether one more may be kept than is idle now, the place in hand counted as lent.
    fn has_room(&self) -> bool {
        !self.is_closed
            && match self.keeping.limit {
                Limit::Idle(most) => self.idle.len() < most,
                Limit::Open { most, .. } => self.idle.len() + self.lent <= most,
            }
    }

    /// Who gets a place that becomes free: nobody, if there are more places than there may be.
    fn next_waiter(&mut self) -> Option<oneshot::Sender<Place>> {
        let is_within = match self.keeping.limit {
            Limit::Idle(_) => true,
            Limit::Open { most, .. } => self.lent <= most,
        };
        if is_within { self.waiting.pop_front() } else { None }
    }
}

#[cfg(test)]
mod tests;
