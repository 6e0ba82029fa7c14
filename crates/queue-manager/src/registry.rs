//! Which queue managers one server knows, and how each of them is: what doors, metrics and commands look names up in.
//!
//! The table only remembers. `server` starts and ends queue managers and says so here; doors read. A change of state is
//! claimed first (`claim`), so that of two who want to start, end or delete the same queue manager only one does.
//!
//! Invariants
//! - A name is in the table once; the order is that of entering, and the first is the default.
//! - `running` holds a queue manager exactly in the states `Running`, `Quiescing` and `Ending…`.

use std::fmt;
use std::sync::{Arc, OnceLock};

use model::name::QueueManagerName;
use parking_lot::RwLock;
use telemetry::Tracer;

use crate::{Clock, QueueManager, SystemClock};

/// How a queue manager is. The words are those of `dspmq` and of the administrative REST API.
///
/// Source: administration REST reference, qmgr `state`; `dspmq`, STATUS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    Starting,
    Running,
    /// Ends once the applications have disconnected.
    Quiescing,
    EndingImmediately,
    EndingPreemptively,
    EndedNormally,
    EndedImmediately,
    EndedPreemptively,
    /// The server was killed, the queue manager could not start, or its recovery log failed.
    EndedUnexpectedly,
    BeingDeleted,
}

impl State {
    pub const ALL: [Self; 10] = [
        Self::Starting,
        Self::Running,
        Self::Quiescing,
        Self::EndingImmediately,
        Self::EndingPreemptively,
        Self::EndedNormally,
        Self::EndedImmediately,
        Self::EndedPreemptively,
        Self::EndedUnexpectedly,
        Self::BeingDeleted,
    ];

    /// The text `dspmq` shows.
    pub fn text(self) -> &'static str {
        match self {
            Self::Starting => "Starting",
            Self::Running => "Running",
            Self::Quiescing => "Quiescing",
            Self::EndingImmediately => "Ending immediately",
            Self::EndingPreemptively => "Ending pre-emptively",
            Self::EndedNormally => "Ended normally",
            Self::EndedImmediately => "Ended immediately",
            Self::EndedPreemptively => "Ended pre-emptively",
            Self::EndedUnexpectedly => "Ended unexpectedly",
            Self::BeingDeleted => "Being deleted",
        }
    }

    /// The word of the REST API's `state`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Running => "running",
            Self::Quiescing => "quiescing",
            Self::EndingImmediately => "endingImmediately",
            Self::EndingPreemptively => "endingPreemptively",
            Self::EndedNormally => "ended",
            Self::EndedImmediately => "endedImmediately",
            Self::EndedPreemptively => "endedPreemptively",
            Self::EndedUnexpectedly => "endedUnexpectedly",
            Self::BeingDeleted => "beingDeleted",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.word() == word)
    }

    /// Nothing runs and nothing is under way.
    pub fn has_ended(self) -> bool {
        matches!(self, Self::EndedNormally | Self::EndedImmediately | Self::EndedPreemptively | Self::EndedUnexpectedly)
    }

    /// On its way from running to ended.
    pub fn is_ending(self) -> bool {
        matches!(self, Self::Quiescing | Self::EndingImmediately | Self::EndingPreemptively)
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// Why `get` has no queue manager to give.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unavailable {
    #[error("there is no such queue manager here")]
    Unknown,
    #[error("the queue manager does not run: {0}")]
    NotRunning(State),
}

/// One row of the table.
#[derive(Clone)]
pub struct Known {
    pub name: QueueManagerName,
    pub state: State,
    /// Meant to run: it was named at the server's start or has been started since, and nobody deleted it.
    pub is_expected: bool,
    /// Why it could not start, or ended unexpectedly.
    pub problem: Option<String>,
    /// Its recovery log has failed, and it has not been started since.
    pub log_failed: bool,
    running: Option<QueueManager>,
}

impl Known {
    /// Of the queue-sharing group of that name.
    fn is_member_of(&self, group: &str) -> bool {
        self.running.as_ref().and_then(QueueManager::group).is_some_and(|of| of.as_str() == group)
    }
}

/// The queue managers of one server. Cheap to clone; all clones are the same table.
#[derive(Clone, Default)]
pub struct QueueManagers {
    table: Arc<RwLock<Vec<Known>>>,
    /// `None`: the machine's.
    clock: Option<Arc<dyn Clock>>,
    tracer: Arc<OnceLock<Tracer>>,
}

impl QueueManagers {
    pub fn new() -> Self {
        Self::default()
    }

    /// As `new`, of queue managers that are started with this clock.
    pub fn with_clock(clock: Arc<dyn Clock>) -> Self {
        Self { clock: Some(clock), ..Self::default() }
    }

    /// Those that run, and those that are started from now on, have traces.
    pub fn trace_with(&self, tracer: &Tracer) {
        let tracer = self.tracer.get_or_init(|| tracer.clone());
        self.running().iter().for_each(|queue_manager| queue_manager.trace_with(tracer.clone()));
    }

    /// By which they work.
    pub fn clock(&self) -> &dyn Clock {
        self.clock.as_deref().unwrap_or(&SystemClock)
    }

    /// A table of queue managers that run already.
    pub fn of_running(queue_managers: impl IntoIterator<Item = QueueManager>) -> Self {
        let table = Self::new();
        for queue_manager in queue_managers {
            // A name that is there already stands for the later of the two.
            let _ = table.enter(queue_manager.name(), State::Starting);
            table.started(queue_manager);
        }
        table
    }

    /// All of them, the default first.
    pub fn list(&self) -> Vec<Known> {
        self.table.read().clone()
    }

    /// Those that run or are on their way down, with the engine that doors may ask.
    pub fn running(&self) -> Vec<QueueManager> {
        self.table.read().iter().filter_map(|known| known.running.clone()).collect()
    }

    /// Those that take new work.
    pub fn admitting(&self) -> Vec<QueueManager> {
        let table = self.table.read();
        table.iter().filter(|known| known.state == State::Running).filter_map(|known| known.running.clone()).collect()
    }

    /// The queue manager of a name, if it takes new work; a blank name is the default.
    ///
    /// # Errors
    /// It is not known, or does not run, or quiesces.
    pub fn admitting_one(&self, name: &str) -> Result<QueueManager, Unavailable> {
        self.find(name, |state| state == State::Running)
    }

    /// The queue manager of a name, for those who look; a blank name is the default. One that quiesces is still given:
    /// what it refuses then is its own decision.
    ///
    /// # Errors
    /// It is not known, or does not run.
    pub fn get(&self, name: &str) -> Result<QueueManager, Unavailable> {
        self.find(name, |state| matches!(state, State::Running | State::Quiescing))
    }

    fn find(&self, name: &str, admit: impl Fn(State) -> bool) -> Result<QueueManager, Unavailable> {
        let name = name.trim_end();
        let table = self.table.read();
        let known = match name {
            "" => table.first(),
            name => {
                let named = table.iter().find(|known| known.name.as_str() == name);
                // The name of a group stands for its member here.
                named.or_else(|| table.iter().find(|known| known.is_member_of(name)))
            }
        };
        let known = known.ok_or(Unavailable::Unknown)?;
        let running = known.running.clone().filter(|_| admit(known.state));
        running.ok_or(Unavailable::NotRunning(known.state))
    }

    pub fn state(&self, name: &QueueManagerName) -> Option<State> {
        self.table.read().iter().find(|known| known.name == *name).map(|known| known.state)
    }

    /// The name that a blank one stands for.
    pub fn default_name(&self) -> Option<QueueManagerName> {
        self.table.read().first().map(|known| known.name)
    }

    /// Enters one that does not run at the end of the table.
    ///
    /// # Errors
    /// The state of the one that has the name already.
    pub fn enter(&self, name: QueueManagerName, state: State) -> Result<(), State> {
        let mut table = self.table.write();
        if let Some(known) = table.iter().find(|known| known.name == name) {
            return Err(known.state);
        }
        let is_expected = state == State::Starting;
        table.push(Known { name, state, is_expected, problem: None, log_failed: false, running: None });
        Ok(())
    }

    /// Moves one to `next` if `admit` likes the state it is in, as one step.
    ///
    /// # Errors
    /// `Unknown`, or the state that was not admitted.
    pub fn claim(
        &self,
        name: &QueueManagerName,
        next: State,
        admit: impl Fn(State) -> bool,
    ) -> Result<(), Unavailable> {
        let mut table = self.table.write();
        let known = table.iter_mut().find(|known| known.name == *name).ok_or(Unavailable::Unknown)?;
        if !admit(known.state) {
            return Err(Unavailable::NotRunning(known.state));
        }
        known.state = next;
        if next == State::Starting {
            known.is_expected = true;
            known.problem = None;
        }
        Ok(())
    }

    /// It has been made and is not started.
    pub fn created(&self, name: &QueueManagerName) {
        self.change(name, |known| {
            known.state = State::EndedNormally;
            known.is_expected = false;
        });
    }

    /// Doors may use it from now on.
    pub fn started(&self, queue_manager: QueueManager) {
        let name = queue_manager.name();
        if let Some(tracer) = self.tracer.get() {
            queue_manager.trace_with(tracer.clone());
        }
        self.change(&name, |known| {
            known.state = State::Running;
            known.log_failed = false;
            known.running = Some(queue_manager);
        });
    }

    /// It runs no more, or could not start.
    pub fn ended(&self, name: &QueueManagerName, state: State, problem: Option<String>) {
        self.change(name, |known| {
            known.state = state;
            known.problem = problem;
            known.running = None;
        });
    }

    /// Its recovery log has failed: doors look it up in vain from now on. False when it was known before, or when another
    /// start of the same name has followed.
    pub fn log_failed(&self, queue_manager: &QueueManager, problem: String) -> bool {
        let mut table = self.table.write();
        let is_this = |known: &&mut Known| known.running.as_ref().is_some_and(|running| running.is_same(queue_manager));
        let Some(known) = table.iter_mut().find(is_this) else { return false };
        known.state = State::EndedUnexpectedly;
        known.problem = Some(problem);
        known.log_failed = true;
        known.running = None;
        true
    }

    /// It has ended unexpectedly: what is known of that changes. Nothing happens in any other state.
    pub fn explain(&self, name: &QueueManagerName, problem: String) {
        self.change(name, |known| {
            if known.state == State::EndedUnexpectedly {
                known.problem = Some(problem);
            }
        });
    }

    /// Why one could not start, or ended unexpectedly; a blank name is the default.
    pub fn problem(&self, name: &str) -> Option<String> {
        let name = name.trim_end();
        let table = self.table.read();
        let known = table.iter().find(|known| name.is_empty() || known.name.as_str() == name);
        known.and_then(|known| known.problem.clone())
    }

    /// It has been deleted.
    pub fn remove(&self, name: &QueueManagerName) {
        self.table.write().retain(|known| known.name != *name);
    }

    fn change(&self, name: &QueueManagerName, change: impl FnOnce(&mut Known)) {
        if let Some(known) = self.table.write().iter_mut().find(|known| known.name == *name) {
            change(known);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Home, StartOptions, SystemClock};

    fn name(text: &str) -> QueueManagerName {
        QueueManagerName::parse(text).expect("a name")
    }

    fn start(text: &str) -> QueueManager {
        QueueManager::start(StartOptions {
            name: name(text),
            home: Home::Ephemeral,
            store: storage::StoreOptions::default(),
            clock: Arc::new(SystemClock),
            server_user: "server".to_owned(),
        })
        .expect("a queue manager")
    }

    #[test]
    fn a_blank_name_is_the_first_whether_it_runs_or_not() {
        let table = QueueManagers::new();
        assert_eq!(table.get("").err(), Some(Unavailable::Unknown));
        table.enter(name("QM1"), State::EndedNormally).expect("new");
        table.enter(name("QM2"), State::Starting).expect("new");
        table.started(start("QM2"));
        assert_eq!(table.get("").err(), Some(Unavailable::NotRunning(State::EndedNormally)));
        assert_eq!(table.get("QM2").expect("runs").name(), name("QM2"));
        assert_eq!(table.get("QM3").err(), Some(Unavailable::Unknown));
        assert_eq!(table.default_name(), Some(name("QM1")));
        assert_eq!(table.running().len(), 1);
    }

    #[test]
    fn of_two_who_want_to_end_one_only_the_first_may() {
        let table = QueueManagers::of_running([start("QM1")]);
        let claim = || table.claim(&name("QM1"), State::EndingImmediately, |state| state == State::Running);
        assert_eq!(claim(), Ok(()));
        assert_eq!(claim(), Err(Unavailable::NotRunning(State::EndingImmediately)));
        assert_eq!(table.get("QM1").err(), Some(Unavailable::NotRunning(State::EndingImmediately)));
        table.ended(&name("QM1"), State::EndedImmediately, None);
        assert!(table.running().is_empty());
        assert_eq!(table.enter(name("QM1"), State::Starting), Err(State::EndedImmediately));
        table.remove(&name("QM1"));
        assert!(table.list().is_empty());
    }

    #[test]
    fn one_whose_log_has_failed_has_ended_until_it_is_started_again() {
        let first = start("QM1");
        let table = QueueManagers::of_running([first.clone(), start("QM2")]);
        assert!(table.log_failed(&first, "the disk is broken".to_owned()));
        assert!(!table.log_failed(&first, "once more".to_owned()));
        assert_eq!(table.get("").err(), Some(Unavailable::NotRunning(State::EndedUnexpectedly)));
        assert_eq!(table.problem("QM1").as_deref(), Some("the disk is broken"));
        assert_eq!(table.running().len(), 1);
        assert!(table.list()[0].log_failed && table.list()[0].is_expected);
        table.claim(&name("QM1"), State::Starting, State::has_ended).expect("it has ended");
        assert_eq!((table.problem(""), table.list()[0].log_failed), (None, true));
        table.ended(&name("QM1"), State::EndedUnexpectedly, Some("still broken".to_owned()));
        assert!(table.list()[0].log_failed, "a start that fails changes nothing about its log");
        table.claim(&name("QM1"), State::Starting, State::has_ended).expect("it has ended");
        table.started(start("QM1"));
        assert!(!table.list()[0].log_failed);
        assert!(!table.log_failed(&first, "of the start before".to_owned()));
        assert_eq!(table.state(&name("QM1")), Some(State::Running));
    }

    #[test]
    fn every_state_is_found_by_its_word() {
        for state in State::ALL {
            assert_eq!(State::from_word(state.word()), Some(state));
        }
        assert_eq!(State::from_word("asleep"), None);
    }
}
