//! Triggers of shared queues: which member makes a trigger message, and when.
//!
//! As on a private queue, but for what the group shares. Only committed messages count. For FIRST and DEPTH no program of any member may
//! have the queue open for input. A shared initiation queue gets one message for an event, from any member. A private one gets one from
//! its own member, so each member that has it gets one. DEPTH makes one message in the group, since it switches itself off for all.
//! EVERY makes one message, where the message was put.
//!
//! The database cuts the time of a queue into episodes (`storage/src/shared/store/triggering.rs`), and in each there is one event. All
//! looks of a member are made by one task, so that a member is never in its own way. It looks when a message was put here, when a peer
//! tells of one, when the last program here stops serving the queue, and every five seconds: then it finds what a member that ended has
//! left.
//!
//! Source: MQ for z/OS, "Prerequisites for triggering", "Triggers and shared queues", 9.3.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use model::definition::queue::TriggerType;
use parking_lot::Mutex;
use storage::shared::{OpenLevel, TriggerScope, TriggerState, WatchGuard};
use storage::{QueueId, StoreError};
use tokio::sync::Notify;
use tokio::time::Instant;
use tracing::debug;

use crate::QueueManager;
use crate::engine::Engine;
use crate::queue::Queue;
use crate::queue::trigger::{self, Rule};

/// Between two looks at every triggered queue.
const NET: Duration = Duration::from_secs(5);

/// Why a queue is looked at; of two reasons the greater one rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Why {
    /// Something may have changed.
    Look,
    /// A message was put here.
    Arrived,
    /// A trigger monitor has begun here: what is there is an event for it once more.
    MonitorBegan,
    /// Triggering was switched on: what is there is an event.
    SwitchedOn,
}

/// Looks that are wanted.
#[derive(Default)]
pub(crate) struct Triggers {
    wanted: Mutex<HashMap<QueueId, Why>>,
    arrived: Notify,
}

impl Triggers {
    pub(crate) fn look(&self, queue: QueueId, why: Why) {
        let mut wanted = self.wanted.lock();
        let entry = wanted.entry(queue).or_insert(why);
        *entry = why.max(*entry);
        drop(wanted);
        self.arrived.notify_one();
    }

    fn take(&self) -> HashMap<QueueId, Why> {
        std::mem::take(&mut *self.wanted.lock())
    }
}

impl Engine {
    /// Has the group's task look at a queue. False: the queue is not one of a group with a database.
    pub(crate) fn look_at_shared_triggers(&self, queue: &Queue, why: Why) -> bool {
        let (Some(group), Some(_)) = (&self.group, self.store.shared()) else { return false };
        if !queue.id.is_shared() {
            return false;
        }
        let is_served_here = why == Why::Arrived && queue.in_use.lock().input > 0;
        if !is_served_here {
            group.triggers.look(queue.id, why);
        }
        true
    }
}

impl QueueManager {
    /// Makes the trigger messages of shared queues, for ever.
    pub(crate) async fn follow_triggers(&self) {
        let engine = self.engine();
        let Some(group) = engine.group.as_ref().filter(|_| engine.store.shared().is_some()) else {
            return std::future::pending().await;
        };
        let mut own = Own::default();
        let mut next_round = Instant::now() + NET;
        loop {
            let mut wanted = group.triggers.take();
            let monitor_began = wanted.values().any(|why| *why >= Why::MonitorBegan);
            if monitor_began || next_round <= Instant::now() {
                next_round = Instant::now() + NET;
                own.watch(engine, group.queues.read().values());
                for queue in &own.ready {
                    wanted.entry(*queue).or_insert(Why::Look);
                }
            }
            for (id, why) in wanted {
                let queue = group.queues.read().get(&id).cloned();
                let Some(queue) = queue else { continue };
                let look = Look { engine, queue: &queue };
                if let Err(error) = look.at(&mut own, why).await {
                    debug!(queue = queue.name.as_str(), %error, "a trigger is looked at again");
                }
            }
            let _ = tokio::time::timeout_at(next_round, group.triggers.arrived.notified()).await;
        }
    }
}

/// What this member knows for itself.
#[derive(Default)]
struct Own {
    /// The episode for which this member made its own trigger message.
    triggered: HashMap<QueueId, i64>,
    /// Queues whose trigger messages this member could make.
    ready: HashSet<QueueId>,
    /// So that peers tell of messages on them.
    watched: HashMap<QueueId, WatchGuard>,
}

impl Own {
    fn watch<'a>(&mut self, engine: &Engine, queues: impl Iterator<Item = &'a Arc<Queue>>) {
        self.ready.clear();
        for queue in queues {
            let Some(rule) = Rule::of(queue).filter(is_of_group) else { continue };
            let Some(initiation) = engine.queue(&rule.initiation_queue) else { continue };
            if initiation.id.is_shared() || trigger::is_ready(&initiation) {
                self.ready.insert(queue.id);
            }
        }
        let Self { triggered, ready, watched } = self;
        triggered.retain(|queue, _| ready.contains(queue));
        watched.retain(|queue, _| ready.contains(queue));
        for queue in ready.iter() {
            if !watched.contains_key(queue)
                && let Some(guard) = engine.store.watch(*queue)
            {
                watched.insert(*queue, guard);
            }
        }
    }
}

/// The members decide together.
fn is_of_group(rule: &Rule) -> bool {
    matches!(rule.kind, TriggerType::First | TriggerType::Depth)
}

struct Look<'a> {
    engine: &'a Engine,
    queue: &'a Arc<Queue>,
}

impl Look<'_> {
    async fn at(&self, own: &mut Own, why: Why) -> Result<(), StoreError> {
        let (engine, queue) = (self.engine, self.queue);
        let Some(rule) = Rule::of(queue).filter(is_of_group) else { return Ok(()) };
        let Some(initiation) = engine.queue(&rule.initiation_queue) else { return Ok(()) };
        let is_whole = rule.kind == TriggerType::Depth || initiation.id.is_shared();
        if !initiation.id.is_shared() && !trigger::is_ready(&initiation) {
            return Ok(());
        }
        if why >= Why::MonitorBegan {
            own.triggered.remove(&queue.id);
        }
        let Some(state) = engine.store.trigger_state(queue.id, engine.now()).await? else { return Ok(()) };
        let is_triggered =
            if is_whole { state.is_triggered } else { own.triggered.get(&queue.id) == Some(&state.episode) };
        if is_triggered || why == Why::SwitchedOn {
            return self.perhaps_begin_anew(&state, &initiation, why).await;
        }
        if state.is_served || !self.calls(&rule, &state).await {
            return Ok(());
        }
        if !trigger::is_enabled_initiation(&initiation) || !is_monitored(engine, &initiation).await {
            return Ok(());
        }
        let scope = if is_whole { TriggerScope::Group } else { TriggerScope::Member };
        if !self.engine.store.begin_trigger(queue.id, state.episode, scope).await? {
            return Ok(());
        }
        let is_made = trigger::put(engine, queue, &initiation, engine.now()).await;
        if is_whole {
            self.engine.store.end_trigger(queue.id, is_made).await?;
        }
        if is_made {
            own.triggered.insert(queue.id, state.episode);
            if rule.kind == TriggerType::Depth {
                trigger::switch_off(engine, queue).await;
            }
        }
        Ok(())
    }

    /// The messages call for a program, if nobody serves the queue.
    async fn calls(&self, rule: &Rule, state: &TriggerState) -> bool {
        let messages = match rule.priority {
            0 if rule.kind == TriggerType::First => u64::from(state.has_messages),
            0 => state.depth,
            priority => u64::from(trigger::count(self.engine, self.queue, priority).await),
        };
        messages >= if rule.kind == TriggerType::First { 1 } else { rule.depth.into() }
    }

    /// The episode has had its trigger message, or something begins a new one: the queue has become empty, a message comes after the
    /// trigger interval, triggering was switched on, or the first monitor of the group has begun. Then the queue is looked at again.
    async fn perhaps_begin_anew(&self, state: &TriggerState, initiation: &Queue, why: Why) -> Result<(), StoreError> {
        let begins = match why {
            Why::Look => state.depth == 0,
            Why::Arrived => state.since_trigger >= trigger::interval(self.engine),
            Why::MonitorBegan => self.engine.store.opened_elsewhere(initiation.id).await? < OpenLevel::Input,
            Why::SwitchedOn => true,
        };
        if begins {
            self.engine.store.begin_episode(self.queue.id, state.episode).await?;
            if state.depth > 0 {
                self.engine.look_at_shared_triggers(self.queue, Why::Look);
            }
        }
        Ok(())
    }
}

/// A program watches the initiation queue: here, or of a shared one at any member.
pub(crate) async fn is_monitored(engine: &Engine, initiation: &Queue) -> bool {
    if initiation.in_use.lock().input > 0 {
        return true;
    }
    initiation.id.is_shared()
        && matches!(engine.store.opened_elsewhere(initiation.id).await, Ok(level) if level >= OpenLevel::Input)
}
