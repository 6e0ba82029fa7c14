//! Streams: messages that come to one client as they arrive, for as long as it stays.
//!
//! Three kinds of source: deliveries of a queue or of a durable subscription, each locked and settled by its token (`delivering.rs`); a queue
//! that is followed and left as it is (`following.rs`); and a subscription that ends with its stream, whose messages are gone once they
//! are got (`passing.rs`). How they reach the client, and when it has gone, is the door's.
//!
//! Invariants
//! - A stream has a connection of its own, beside those of the pool: however many there are, other requests find theirs.
//! - A stream ends when its queue manager quiesces or has ended, and when the server stops.
//! - Streams are bounded in number, for the server and for each user.

mod delivering;
mod following;
mod passing;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use connection::error::ConnectionError;
use model::message::Message;
use model::reason::Reason;
use model::timestamp::Timestamp;
use parking_lot::Mutex;
use queue_manager::{Position, QueueManager, QueueManagers};
use tokio::sync::watch;

use crate::deliveries::{Deliveries, Token};

pub use self::delivering::{Delivering, Wanted};
pub use self::following::{Bookmark, Following};
pub use self::passing::Passing;

/// All streams of a server.
pub struct Streams {
    deliveries: Arc<Deliveries>,
    queue_managers: QueueManagers,
    open: Mutex<Open>,
    events: AtomicU64,
    state: watch::Sender<State>,
}

/// How many there are.
#[derive(Default)]
struct Open {
    all: usize,
    of_user: HashMap<Arc<str>, usize>,
}

/// What every stream looks at.
#[derive(Debug, Clone, Copy, Default)]
struct State {
    is_stopping: bool,
}

/// How many streams there may be.
#[derive(Debug, Clone, Copy)]
pub struct Most {
    pub of_all: usize,
    pub of_user: usize,
}

/// The place of one stream, free when it is dropped.
pub struct Place {
    streams: Arc<Streams>,
    user: Arc<str>,
}

/// What a stream shows.
pub struct Item {
    pub message: Box<Message>,
    pub position: Position,
    /// Of a delivery: its token, and until when its message is locked.
    pub delivery: Option<(Token, Timestamp)>,
    /// Of a queue that is followed: what another stream goes on behind.
    pub bookmark: Option<String>,
}

/// Where a stream's messages come from.
pub enum Source {
    Delivering(Delivering),
    Following(Following),
    Passing(Passing),
}

impl Streams {
    pub fn new(deliveries: Arc<Deliveries>, queue_managers: QueueManagers) -> Self {
        let state = watch::Sender::new(State::default());
        Self { deliveries, queue_managers, open: Mutex::default(), events: AtomicU64::new(0), state }
    }

    /// `None`: there are as many as there may be, of all users or of this one.
    pub fn admit(self: &Arc<Self>, user: &str, most: Most) -> Option<Place> {
        let mut open = self.open.lock();
        let own = open.of_user.get(user).copied().unwrap_or(0);
        if open.all >= most.of_all || own >= most.of_user {
            return None;
        }
        let user: Arc<str> = Arc::from(user);
        open.all += 1;
        *open.of_user.entry(Arc::clone(&user)).or_default() += 1;
        Some(Place { streams: Arc::clone(self), user })
    }

    /// Streams now.
    pub fn open(&self) -> usize {
        self.open.lock().all
    }

    /// Messages that streams have shown since the start.
    pub fn events(&self) -> u64 {
        self.events.load(Relaxed)
    }

    pub fn count(&self, events: usize) {
        self.events.fetch_add(events as u64, Relaxed);
    }

    /// The server stops: so do the streams.
    pub fn stop(&self) {
        self.state.send_modify(|state| state.is_stopping = true);
    }

    /// Until the server stops.
    pub async fn stopping(&self) {
        // The sender lives as long as `self`.
        let _ = self.state.subscribe().wait_for(|state| state.is_stopping).await;
    }

    /// Has to be called when a queue manager quiesces or has ended.
    pub fn queue_managers_changed(&self) {
        self.state.send_modify(|_| {});
    }

    /// Until the queue manager takes no more requests.
    async fn over(&self, queue_manager: &QueueManager) {
        let mut state = self.state.subscribe();
        while self.queue_managers.admitting().iter().any(|known| known.is_same(queue_manager)) {
            if state.changed().await.is_err() {
                return;
            }
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.streams.open.lock();
        open.all -= 1;
        if let Some(own) = open.of_user.get_mut(&self.user) {
            *own -= 1;
            if *own == 0 {
                open.of_user.remove(&self.user);
            }
        }
    }
}

impl Source {
    /// The next message, once there is one.
    ///
    /// # Errors
    /// Why the stream ends.
    pub async fn next(&mut self) -> Result<Item, ConnectionError> {
        match self {
            Self::Delivering(delivering) => delivering.next().await,
            Self::Following(following) => following.next(true).await,
            Self::Passing(passing) => passing.next(true).await,
        }
    }

    /// The next message if it is there. What is wrong, `next` finds out.
    pub async fn next_now(&mut self) -> Option<Item> {
        match self {
            Self::Delivering(delivering) => delivering.next_now().await,
            Self::Following(following) => following.next(false).await.ok(),
            Self::Passing(passing) => passing.next(false).await.ok(),
        }
    }

    /// Takes back what the client was not told of.
    pub async fn untold(&self, items: &[Option<Token>]) {
        if let Self::Delivering(delivering) = self {
            delivering.untold(items).await;
        }
    }

    pub async fn close(self) {
        match self {
            Self::Delivering(delivering) => delivering.close().await,
            Self::Following(following) => following.close().await,
            Self::Passing(passing) => passing.close().await,
        }
    }
}

/// The queue manager takes no more requests.
fn quiescing() -> ConnectionError {
    ConnectionError::from(Reason::QMgrQuiescing)
}

#[cfg(test)]
mod tests;
