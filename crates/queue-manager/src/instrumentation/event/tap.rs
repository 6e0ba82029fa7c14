//! Who hears of event messages as they happen, beside the programs that read them from their queues.
//!
//! Invariants
//! - While there is no listener an event costs one look.
//! - What a listener has not taken is bounded: the oldest goes, and the listener is told that it has missed some.

use std::sync::Arc;

use model::pcf;
use model::timestamp::Timestamp;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::TryRecvError;

use crate::QueueManager;

/// Events that wait for a listener.
const MOST_WAITING: usize = 256;

/// An event as its message has it.
#[derive(Debug)]
pub struct Told {
    /// The queue that its message goes to.
    pub queue: &'static str,
    pub at: Timestamp,
    pub message: pcf::Message,
}

pub(crate) struct Tap(broadcast::Sender<Arc<Told>>);

impl Default for Tap {
    fn default() -> Self {
        Self(broadcast::Sender::new(MOST_WAITING))
    }
}

impl Tap {
    pub(crate) fn tell(&self, queue: &'static str, message: &pcf::Message, at: Timestamp) {
        if self.0.receiver_count() > 0 {
            // The last listener may have gone meanwhile.
            let _ = self.0.send(Arc::new(Told { queue, at, message: message.clone() }));
        }
    }
}

/// Hears of the events of one queue manager from its making on.
pub struct EventListener(broadcast::Receiver<Arc<Told>>);

/// Events have gone that the listener has not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missed;

impl EventListener {
    /// The next event, if there is one.
    ///
    /// # Errors
    /// `Missed`, once; the events after the gap follow.
    pub fn take(&mut self) -> Result<Option<Arc<Told>>, Missed> {
        match self.0.try_recv() {
            Ok(told) => Ok(Some(told)),
            Err(TryRecvError::Lagged(_)) => Err(Missed),
            Err(TryRecvError::Empty | TryRecvError::Closed) => Ok(None),
        }
    }
}

impl QueueManager {
    pub fn listen_to_events(&self) -> EventListener {
        EventListener(self.engine().event_tap.0.subscribe())
    }
}
