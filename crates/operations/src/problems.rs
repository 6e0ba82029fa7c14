//! What is wrong: rules that look at a queue manager, and what they have found, with cause and remedy.
//!
//! Owns: what a problem is, its identity, since when there is one, muting, and that it ends (`problems/ledger.rs`); what a rule says
//! (`problems/finding.rs`); what rules look at (`problems/facts.rs`); the rules, a file for each family of them.
//!
//! A rule is a function from facts to findings. It keeps nothing: what it needs of the past is in the facts.
//!
//! Never here: who may see a problem, which is the door's question to the queue manager.
//!
//! Invariants
//! - A queue manager is looked at while a client watches or asks, and no more often than once in `EVERY` or `FRESH`.
//! - A look gives its thread back after each slice of queues, and holds no lock meanwhile.
//! - At most `MOST` problems of a queue manager are known, the worst ones.

pub mod around;
mod channels;
mod facts;
mod finding;
mod group;
mod ledger;
mod messages;
mod queues;
mod recovery_log;
mod refusals;
mod server;
mod services;
mod units;
mod words;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use message_api::history::History;
use message_api::live::Live;
use message_api::time_text::write_moment;
use model::name::QueueManagerName;
use model::timestamp::Timestamp;
use parking_lot::Mutex;
use queue_manager::{QueueManager, QueueManagers};
use serde_json::{Value, json};

use crate::activity::Activities;

use self::around::Around;
use self::facts::{Before, Facts};
use self::finding::Finding;
pub use self::ledger::Mute;
use self::ledger::{Change, Ledger};

/// Between two looks while a client watches.
pub const EVERY: Duration = Duration::from_secs(5);
/// What was found so long ago is still the answer.
const FRESH: Duration = Duration::from_secs(2);
/// Most problems of a queue manager that are told.
pub const MOST: usize = 200;

/// What is wrong with the queue managers of a server.
pub struct Problems {
    queue_managers: QueueManagers,
    live: Arc<Live>,
    history: Arc<History>,
    /// What services have done, also while no client watches.
    pub activities: Activities,
    state: Mutex<HashMap<QueueManagerName, Known>>,
}

/// What is known of a queue manager.
#[derive(Default)]
struct Known {
    ledger: Ledger,
    before: Before,
    /// When it was looked at.
    at: Timestamp,
    /// How many problems are not told.
    left_out: usize,
}

/// There is no such problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoProblem;

impl Problems {
    pub fn new(queue_managers: QueueManagers, live: Arc<Live>, history: Arc<History>) -> Self {
        Self { queue_managers, live, history, activities: Activities::default(), state: Mutex::default() }
    }

    /// Looks while a client watches, until it is dropped.
    pub async fn run(&self, around: &dyn Around) {
        loop {
            self.activities.sample(&around.deployed());
            tokio::time::sleep(EVERY).await;
            if !self.live.wants_problems() {
                continue;
            }
            let running = self.queue_managers.running();
            for queue_manager in &running {
                self.look(queue_manager, around).await;
            }
            self.forget(|name| running.iter().all(|running| running.name() != *name));
        }
    }

    /// What is wrong now, the worst first, as JSON: what the viewer sees of it.
    pub async fn list(
        &self,
        queue_manager: &QueueManager,
        around: &dyn Around,
        sees: impl Fn(&message_api::live::Concern) -> bool,
    ) -> Value {
        self.refresh(queue_manager, around).await;
        let state = self.state.lock();
        let Some(known) = state.get(&queue_manager.name()) else { return json!({ "problems": [], "leftOut": 0 }) };
        let seen = known.ledger.problems().filter(|problem| sees(&problem.finding.concern));
        let problems: Vec<Value> = seen.map(|problem| problem.shown(queue_manager.now())).collect();
        json!({ "at": write_moment(known.at), "problems": problems, "leftOut": known.left_out })
    }

    /// Mutes a problem that the viewer sees, or lets it be heard again. Returns the problem as JSON.
    ///
    /// # Errors
    /// There is none of this name that the viewer sees.
    pub async fn mute(
        &self,
        queue_manager: &QueueManager,
        around: &dyn Around,
        id: &str,
        mute: Option<Mute>,
        sees: impl Fn(&message_api::live::Concern) -> bool,
    ) -> Result<Value, NoProblem> {
        self.refresh(queue_manager, around).await;
        let now = queue_manager.now();
        let mut state = self.state.lock();
        let known = state.get_mut(&queue_manager.name()).ok_or(NoProblem)?;
        known.ledger.problem(id).filter(|problem| sees(&problem.finding.concern)).ok_or(NoProblem)?;
        let problem = known.ledger.mute(id, mute, now).ok_or(NoProblem)?;
        let (shown, concern) = (problem.shown(now), problem.finding.concern);
        drop(state);
        self.live.tell_problem(queue_manager.name(), concern, told(queue_manager.name(), &shown));
        Ok(shown)
    }

    async fn refresh(&self, queue_manager: &QueueManager, around: &dyn Around) {
        let fresh = |known: &Known| queue_manager.now().since(known.at) < FRESH && known.at <= queue_manager.now();
        let is_fresh = self.state.lock().get(&queue_manager.name()).is_some_and(fresh);
        if !is_fresh {
            self.look(queue_manager, around).await;
        }
    }

    /// Looks at a queue manager, and tells those who watch what is new.
    async fn look(&self, queue_manager: &QueueManager, around: &dyn Around) {
        let name = queue_manager.name();
        let before = self.state.lock().get(&name).map(|known| known.before.clone()).unwrap_or_default();
        let facts = Facts::gather(queue_manager, before).await;
        let mut found = find(&facts, &self.history);
        found.extend(services::find(&facts, &around.deployed(), &self.activities));
        found.extend(server::find(facts.now, around));
        found.sort_by(Finding::worse_first);
        let mut state = self.state.lock();
        let known = state.entry(name).or_default();
        if known.at > facts.now && known.at.since(facts.now) < EVERY {
            // Another look has overtaken this one.
            return;
        }
        known.at = facts.now;
        known.before = facts.before.clone();
        known.left_out = found.len().saturating_sub(MOST);
        let begun = |finding: &Finding| finding.begun(&self.history, name);
        for change in known.ledger.update(found, facts.now, begun) {
            self.tell(name, &change, facts.now);
        }
    }

    fn tell(&self, queue_manager: QueueManagerName, change: &Change, now: Timestamp) {
        match change {
            Change::Told(problem) => {
                self.live.tell_problem(
                    queue_manager,
                    problem.finding.concern,
                    told(queue_manager, &problem.shown(now)),
                );
            }
            Change::Ended { id, concern } => {
                let gone = json!({ "qmgr": queue_manager.as_str(), "id": id, "gone": true });
                self.live.tell_problem(queue_manager, *concern, gone.to_string());
            }
        }
    }

    fn forget(&self, is_gone: impl Fn(&QueueManagerName) -> bool) {
        self.state.lock().retain(|name, _| !is_gone(name));
    }
}

/// A problem as an event has it.
fn told(queue_manager: QueueManagerName, shown: &Value) -> String {
    let mut told = shown.clone();
    told["qmgr"] = json!(queue_manager.as_str());
    told.to_string()
}

/// What the rules about a queue manager say.
fn find(facts: &Facts, history: &History) -> Vec<Finding> {
    let mut found = queues::find(facts, history);
    for rules in [messages::find, units::find, refusals::find, channels::find, recovery_log::find, group::find] {
        found.extend(rules(facts));
    }
    found
}

#[cfg(test)]
mod tests;
