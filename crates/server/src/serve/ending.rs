//! How queue managers end: on request one by one, all of them with the server, or because the recovery log has failed.
//!
//! A quiesce refuses new work, ends waits of applications that ask for it, and waits until all have disconnected. An
//! immediate end lets verbs in progress finish and backs out what is open. A preemptive one waits for nothing for long.
//! Each is one task, which a more impatient request hurries along by changing the state. After a failure of the log doors
//! say at once that the queue manager has ended; its clients are cut off, and nothing is backed out. It may be started again:
//! `restarting.rs`.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use model::name::QueueManagerName;
use queue_manager::registry::{State, Unavailable};
use queue_manager::{LostStructure, QueueManager};
use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;

use crate::administration::{Refusal, RefusalKind};
use crate::data_directory::Saved;
use crate::error::{ServerError, chain};
use crate::serve::channels;
use crate::serve::host::{Host, release};

/// How patient an end is, the most patient first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum EndMode {
    Quiesce,
    Immediate,
    Preemptive,
}

impl EndMode {
    fn state(self) -> State {
        match self {
            Self::Quiesce => State::Quiescing,
            Self::Immediate => State::EndingImmediately,
            Self::Preemptive => State::EndingPreemptively,
        }
    }

    /// Whether an end of this kind may take over from `state`.
    fn may_follow(self, state: State) -> bool {
        match state {
            State::Running => true,
            State::Quiescing => self > Self::Quiesce,
            State::EndingImmediately => self > Self::Immediate,
            _ => false,
        }
    }
}

/// How often a quiesce looks whether applications are still connected.
const LOOK: Duration = Duration::from_millis(10);
/// How long a preemptive end waits for the engine to close.
const PREEMPTIVE_PATIENCE: Duration = Duration::from_secs(1);

impl Host {
    /// Begins to end a queue manager; `until_ended` waits for the end. It stays ended until it is started by name.
    ///
    /// # Errors
    /// It is not known, does not run, or is ending in the same way or a less patient one. To quiesce twice is no error, nor to
    /// end one that has ended and would start again by itself.
    pub(crate) fn end(self: &Arc<Self>, name: QueueManagerName, mode: EndMode) -> Result<(), Refusal> {
        match self.table.claim(&name, mode.state(), |state| mode.may_follow(state)) {
            Ok(()) => self.restarts.forget(&name),
            Err(Unavailable::NotRunning(State::Quiescing)) => return Ok(()),
            Err(Unavailable::NotRunning(State::EndedUnexpectedly)) if self.cancel_restart(&name) => return Ok(()),
            Err(Unavailable::Unknown) => return Err(Refusal::unknown(name.as_str())),
            Err(Unavailable::NotRunning(state)) if state.is_ending() => {
                let sentence = format!("queue manager {name} is ending already: {state}");
                return Err(Refusal::new(RefusalKind::Ending, sentence));
            }
            Err(Unavailable::NotRunning(state)) => return Err(Refusal::not_running(name.as_str(), state)),
        }
        tracing::info!("queue manager {name}: {}", mode.state());
        self.begin(name, false);
        Ok(())
    }

    /// The recovery log of a queue manager has failed: doors say so from now on, and what is left of it is ended.
    pub(super) fn log_failed(self: &Arc<Self>, manager: &QueueManager) {
        let Some(cause) = manager.log_failure() else { return };
        let (name, cause) = (manager.name(), chain(&ServerError::LogFailed(cause)));
        if !self.table.log_failed(manager, cause.clone()) {
            return;
        }
        // What an administrator has begun to end has no further start.
        let plan = self.hosted().get(&name).filter(|entry| entry.resumes).map(|entry| entry.plan.clone());
        self.begin(name, true);
        if let Some(plan) = plan {
            self.restart_later(name, plan, cause);
        }
    }

    /// CFCONLOS(TERMINATE): the member ends as if an administrator had ended it, and starts when one starts it.
    pub(super) fn structure_lost(self: &Arc<Self>, manager: &QueueManager, lost: &LostStructure) {
        let name = manager.name();
        match lost {
            LostStructure::Named(structure) => tracing::error!(
                "structure {structure} has CFCONLOS(TERMINATE), and its database is away for longer than programs wait: queue manager {name} \
                 ends. Start it again when the database is back: strmqm {name}"
            ),
            LostStructure::Home => tracing::error!(
                "queue manager {name} has CFCONLOS(TERMINATE), and the database of its group is away for longer than programs wait: it ends. \
                 Start it again when the database is back: strmqm {name}"
            ),
        }
        // It may be ending already.
        let _ = self.end(name, EndMode::Immediate);
    }

    /// Returns once nothing is left of an earlier run.
    pub(super) async fn until_closed(&self, name: &QueueManagerName) {
        let mut changes = self.changes.subscribe();
        while self.hosted().contains_key(name) {
            if changes.changed().await.is_err() {
                return;
            }
        }
    }

    /// Ensures that the end is completed.
    fn begin(self: &Arc<Self>, name: QueueManagerName, resumes: bool) {
        let mut hosted = self.hosted();
        let Some(entry) = hosted.get_mut(&name) else { return };
        // An immediate end does not quiesce first: its event says so too.
        if self.table.state(&name) == Some(State::Quiescing) {
            entry.manager.quiesce();
        }
        // What an administrator has begun to end does not come back because the server ends meanwhile.
        entry.resumes &= resumes;
        let is_first = !std::mem::replace(&mut entry.is_ending, true);
        let manager = entry.manager.clone();
        drop(hosted);
        self.changed();
        if is_first {
            let host = Arc::clone(self);
            self.spawn(async move { host.finish(manager).await });
        }
    }

    /// Returns once the queue manager has ended, or is not known.
    pub(crate) async fn until_ended(&self, name: &QueueManagerName) {
        let mut changes = self.changes.subscribe();
        while self.table.state(name).is_some_and(State::is_ending) {
            if changes.changed().await.is_err() {
                return;
            }
        }
    }

    async fn finish(self: Arc<Self>, manager: QueueManager) {
        let name = manager.name();
        self.until_disconnected(&manager).await;
        if manager.log_failure().is_some() {
            channels::cut_off(&manager);
        } else {
            channels::quiesce(&manager).await;
        }
        self.stop(&manager).await;
        channels::end(&manager).await;
        let (housekeeping, disk, resumes) = match self.hosted().get_mut(&name) {
            Some(entry) => (entry.housekeeping.take(), entry.disk.clone(), entry.resumes),
            None => (None, None, false),
        };
        if let Some(mut housekeeping) = housekeeping
            && tokio::time::timeout(PREEMPTIVE_PATIENCE, &mut housekeeping).await.is_err()
        {
            housekeeping.abort();
        }
        release(disk.as_deref());
        let failure = manager.log_failure();
        let state = match self.table.state(&name) {
            _ if failure.is_some() => State::EndedUnexpectedly,
            Some(State::EndingImmediately) => State::EndedImmediately,
            Some(State::EndingPreemptively) => State::EndedPreemptively,
            _ => State::EndedNormally,
        };
        self.note(&name, Saved { state, resumes });
        tracing::info!("queue manager {name}: {state}");
        match failure {
            // The table may know already, and say that it is to start again.
            Some(cause) => {
                self.table.log_failed(&manager, chain(&ServerError::LogFailed(cause)));
            }
            None => self.table.ended(&name, state, None),
        }
        if let Some(entry) = self.hosted().remove(&name) {
            entry.watch.abort();
        }
        self.changed();
        self.end_with_last();
    }

    /// While it quiesces: until no application is connected, or a faster end is requested.
    async fn until_disconnected(&self, manager: &QueueManager) {
        let mut changes = self.changes.subscribe();
        while self.table.state(&manager.name()) == Some(State::Quiescing)
            && manager.status().connections > 0
            && !*self.closing.borrow()
        {
            let _ = tokio::time::timeout(LOOK, changes.changed()).await;
        }
    }

    async fn stop(&self, manager: &QueueManager) {
        let name = manager.name();
        let preempted = async {
            let mut changes = self.changes.subscribe();
            while self.table.state(&name) != Some(State::EndingPreemptively) {
                if changes.changed().await.is_err() {
                    std::future::pending::<()>().await;
                }
            }
            tokio::time::sleep(PREEMPTIVE_PATIENCE).await;
        };
        tokio::select! {
            () = manager.stop() => {}
            () = preempted => tracing::warn!("queue manager {name} was ended before it had closed"),
        }
    }

    fn end_with_last(&self) {
        let all_ended = || self.table.list().iter().all(|known| known.state.has_ended());
        if let Some(server) = &self.end_with_last
            && all_ended()
        {
            let _ = server.send(true);
        }
    }

    /// What a server that ends with its last queue manager has to tell whoever started it.
    ///
    /// # Errors
    /// The log of a queue manager has failed.
    pub(super) fn end_of_last(&self) -> Result<(), ServerError> {
        let failed = self.table.list().into_iter().find(|known| known.log_failed);
        match failed.filter(|_| self.end_with_last.is_some()) {
            Some(known) => {
                Err(ServerError::EndedUnexpectedly { name: known.name, problem: known.problem.unwrap_or_default() })
            }
            None => Ok(()),
        }
    }

    /// Lets no queue manager take new work: the server is about to end.
    pub(crate) fn quiesce_all(&self) {
        for known in self.table.list() {
            if self.table.claim(&known.name, State::Quiescing, |state| state == State::Running).is_ok()
                && let Some(entry) = self.hosted().get(&known.name)
            {
                entry.manager.quiesce();
            }
        }
        self.changed();
    }

    /// Ends every queue manager without waiting for applications, and returns when all logs are closed.
    pub(crate) async fn end_all(self: &Arc<Self>) {
        self.closing.send_replace(true);
        self.changed();
        self.join().await;
        // Those that were starting are there by now.
        self.quiesce_all();
        let names: Vec<_> = self.hosted().keys().copied().collect();
        for name in names {
            self.begin(name, true);
        }
        self.join().await;
    }

    async fn join(&self) {
        let mut tasks: JoinSet<()> = std::mem::take(&mut *self.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        while tasks.join_next().await.is_some() {}
    }
}
