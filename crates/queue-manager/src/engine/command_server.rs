//! The switch of the command server: whether it is wanted, and whether it serves. The server itself is a door and lives
//! with the commands; it asks here.
//!
//! Invariants
//! - Once the queue manager is ending, the command server is not started any more.
//! - It serves only while a `Serving` is held.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

use tokio::sync::watch;

use crate::QueueManager;

/// SCMDSERV says what it is set to at a start.
pub struct CommandServer {
    wanted: watch::Sender<Wanted>,
    serves: AtomicBool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Stopped,
    Running,
    /// The queue manager ends.
    Ended,
}

impl Default for CommandServer {
    fn default() -> Self {
        Self::new(false)
    }
}

/// Held by the server while it takes requests.
pub struct Serving<'a>(&'a CommandServer);

impl CommandServer {
    pub(crate) fn new(starts_with_queue_manager: bool) -> Self {
        let wanted = if starts_with_queue_manager { Wanted::Running } else { Wanted::Stopped };
        Self { wanted: watch::Sender::new(wanted), serves: AtomicBool::new(false) }
    }

    /// DISPLAY QMSTATUS CMDSERV.
    pub fn is_running(&self) -> bool {
        self.serves.load(Ordering::Acquire)
    }

    /// Waits until it is to serve; false when the queue manager ends.
    pub async fn wanted(&self) -> bool {
        let mut changes = self.wanted.subscribe();
        let wanted = changes.wait_for(|wanted| *wanted != Wanted::Stopped).await;
        wanted.is_ok_and(|wanted| *wanted == Wanted::Running)
    }

    /// Works until it is done, or until the server is not wanted any more; then `None`, and the work is dropped.
    pub async fn while_wanted<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut changes = self.wanted.subscribe();
        let mut stopped = pin!(async move { changes.wait_for(|wanted| *wanted != Wanted::Running).await.is_ok() });
        let mut work = pin!(work);
        poll_fn(|context| {
            if let Poll::Ready(done) = work.as_mut().poll(context) {
                return Poll::Ready(Some(done));
            }
            stopped.as_mut().poll(context).map(|_| None)
        })
        .await
    }

    /// Says that it serves, until what is returned is dropped.
    pub fn serving(&self) -> Serving<'_> {
        self.serves.store(true, Ordering::Release);
        Serving(self)
    }

    /// It cannot continue by itself: START CMDSERV starts it again.
    pub fn give_up(&self) {
        self.switch(Wanted::Stopped);
    }

    pub(crate) fn is_wanted(&self) -> bool {
        *self.wanted.borrow() == Wanted::Running
    }

    /// START and STOP CMDSERV; the request in work is finished. Returns whether it was otherwise before.
    pub(super) fn switch_to(&self, on: bool) -> bool {
        self.switch(if on { Wanted::Running } else { Wanted::Stopped })
    }

    pub(crate) fn end(&self) {
        self.switch(Wanted::Ended);
    }

    fn switch(&self, to: Wanted) -> bool {
        self.wanted.send_if_modified(|wanted| {
            let changes = *wanted != Wanted::Ended && *wanted != to;
            if changes {
                *wanted = to;
            }
            changes
        })
    }
}

impl Drop for Serving<'_> {
    fn drop(&mut self) {
        self.0.serves.store(false, Ordering::Release);
    }
}

impl QueueManager {
    /// For the server itself; START and STOP CMDSERV are `switch_command_server`.
    pub fn command_server(&self) -> &CommandServer {
        &self.engine().system.command_server
    }
}
