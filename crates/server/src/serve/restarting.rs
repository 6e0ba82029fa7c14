//! Queue managers whose recovery log has failed, started again by the server: `server.restart_failed_seconds`.
//!
//! One task for each failure waits, looks whether the disk takes a small file, and then starts the queue manager as `strmqm`
//! does, which reads the whole log. Pauses double from attempt to attempt, up to [`LONGEST`], and go on doubling when the log
//! fails again within that time: a disk that is well for a moment makes no storm of starts.
//!
//! Invariants
//! - Each attempt writes one line to the log of the server.
//! - Of two failures only the later one has a task that goes on: its ticket is the one in the table.
//! - A task acts on a queue manager only while that has ended unexpectedly. A start or end by command, a deletion and the end
//!   of the server all end it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::name::QueueManagerName;
use queue_manager::registry::State;
use storage::private::log::disk::DirectoryDisk;

use crate::data_directory::Saved;
use crate::error::{ServerError, chain};
use crate::serve::host::{Host, StartPlan};

/// The longest pause between two attempts, unless the first one is longer.
const LONGEST: Duration = Duration::from_secs(600);

/// By queue manager. An entry goes when the queue manager has run for [`LONGEST`], or is ended by command.
#[derive(Default)]
pub(super) struct Restarts(Mutex<BTreeMap<QueueManagerName, Restart>>);

struct Restart {
    ticket: u64,
    /// Why the queue manager does not run.
    cause: String,
    attempts: u32,
    /// The pause before the next attempt.
    pause: Duration,
}

/// What became of an attempt.
enum Attempt {
    Started,
    Failed(String),
    /// A command or the end of the server was quicker.
    Superseded,
}

impl Restarts {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<QueueManagerName, Restart>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A failure: the ticket of the task that looks after it.
    fn enter(&self, name: QueueManagerName, first: Duration) -> u64 {
        let mut restarts = self.lock();
        let new = Restart { ticket: 0, cause: String::new(), attempts: 0, pause: first };
        let restart = restarts.entry(name).or_insert(new);
        restart.ticket += 1;
        restart.attempts = 0;
        restart.ticket
    }

    fn holds(&self, name: &QueueManagerName, ticket: u64) -> bool {
        self.lock().get(name).is_some_and(|restart| restart.ticket == ticket)
    }

    /// The next attempt, with the pause before it; `None` when there is to be none.
    fn next(&self, name: &QueueManagerName, ticket: u64, cause: &str) -> Option<(u32, Duration)> {
        let mut restarts = self.lock();
        let restart = restarts.get_mut(name).filter(|restart| restart.ticket == ticket)?;
        let pause = restart.pause;
        restart.pause = pause.max(LONGEST.min(pause.saturating_mul(2)));
        restart.attempts += 1;
        cause.clone_into(&mut restart.cause);
        Some((restart.attempts, pause))
    }

    pub(super) fn forget(&self, name: &QueueManagerName) {
        self.lock().remove(name);
    }

    fn forget_ticket(&self, name: &QueueManagerName, ticket: u64) {
        let mut restarts = self.lock();
        if restarts.get(name).is_some_and(|restart| restart.ticket == ticket) {
            restarts.remove(name);
        }
    }
}

impl Host {
    /// Begins to wait for a time when the queue manager can be started again, if the configuration wants that.
    pub(super) fn restart_later(self: &Arc<Self>, name: QueueManagerName, plan: StartPlan, cause: String) {
        let Some(first) = plan.restart_failed else { return };
        let ticket = self.restarts.enter(name, first);
        let host = Arc::clone(self);
        self.spawn(async move { host.restart(name, &plan, cause, ticket).await });
    }

    /// The queue manager stays ended. False when it did not wait for another start.
    pub(super) fn cancel_restart(&self, name: &QueueManagerName) -> bool {
        let Some(restart) = self.restarts.lock().remove(name) else { return false };
        self.table.explain(name, restart.cause);
        self.note(name, Saved { state: State::EndedUnexpectedly, resumes: false });
        tracing::info!("queue manager {name} is not started again: it was ended by command");
        self.changed();
        true
    }

    async fn restart(self: Arc<Self>, name: QueueManagerName, plan: &StartPlan, mut cause: String, ticket: u64) {
        loop {
            let Some((attempt, pause)) = self.restarts.next(&name, ticket, &cause) else { return };
            self.announce(&name, &cause, attempt, pause);
            if self.is_given_up(&name, ticket, pause).await {
                return;
            }
            match self.attempt(name, plan, ticket).await {
                Attempt::Started => break,
                Attempt::Failed(why) => cause = why,
                Attempt::Superseded => return self.restarts.forget_ticket(&name, ticket),
            }
        }
        tracing::info!("queue manager {name} was started again after its recovery log had failed");
        if !self.is_given_up(&name, ticket, LONGEST).await {
            self.restarts.forget_ticket(&name, ticket);
        }
    }

    fn announce(&self, name: &QueueManagerName, cause: &str, attempt: u32, pause: Duration) {
        let seconds = pause.as_secs();
        if attempt == 1 {
            tracing::info!(
                "queue manager {name} is started again when its disk is well: attempt {attempt} in {seconds} s"
            );
        } else {
            tracing::warn!(
                "queue manager {name} cannot be started again yet: {cause}; attempt {attempt} in {seconds} s"
            );
        }
        let next = format!("the server starts it again when its disk is well: attempt {attempt} within {seconds} s");
        self.table.explain(name, format!("{cause}; {next}"));
        self.changed();
    }

    /// Waits; true as soon as no further attempt is wanted.
    async fn is_given_up(&self, name: &QueueManagerName, ticket: u64, pause: Duration) -> bool {
        let mut changes = self.changes.subscribe();
        let given_up = async {
            while self.is_wanted(name, ticket) {
                if changes.changed().await.is_err() {
                    return;
                }
            }
        };
        tokio::time::timeout(pause, given_up).await.is_ok()
    }

    fn is_wanted(&self, name: &QueueManagerName, ticket: u64) -> bool {
        !*self.closing.borrow() && self.restarts.holds(name, ticket)
    }

    async fn attempt(self: &Arc<Self>, name: QueueManagerName, plan: &StartPlan, ticket: u64) -> Attempt {
        if self.table.state(&name) != Some(State::EndedUnexpectedly) {
            return Attempt::Superseded;
        }
        let folder = plan.recover.data.log(&name);
        let probed = tokio::task::spawn_blocking(move || DirectoryDisk::probe(&folder)).await;
        match probed.map(|probed| probed.map_err(ServerError::from)).unwrap_or(Err(ServerError::StartUpTask)) {
            Ok(()) => {}
            Err(error) => return Attempt::Failed(chain(&error)),
        }
        let has_failed = |state| state == State::EndedUnexpectedly;
        if !self.is_wanted(&name, ticket) || self.table.claim(&name, State::Starting, has_failed).is_err() {
            return Attempt::Superseded;
        }
        self.changed();
        match self.start_claimed(name, plan).await {
            Ok(()) => Attempt::Started,
            Err(error) => {
                let why = chain(&error);
                self.remember_why(name, why.clone());
                Attempt::Failed(why)
            }
        }
    }
}
