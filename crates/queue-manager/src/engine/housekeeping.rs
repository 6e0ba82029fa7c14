//! What nobody waits for: work left over by dropped tasks and connections, the expiry scan, delayed delivery, and records at
//! intervals.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use model::definition::SubscriptionDefinition;
use model::timestamp::Timestamp;
use parking_lot::Mutex;
use storage::{Receipt, StoredMessage};
use tokio::sync::Notify;
use tracing::warn;

use crate::engine::connection_table::ConnectionState;
use crate::engine::{Engine, Phase, quota};
use crate::group::tags;
use crate::instrumentation::accounting::record::{self, Ending};
use crate::instrumentation::event::{self, Event};
use crate::instrumentation::{monitoring, statistics};
use crate::publish::subscription;
use crate::queue::Queue;
use crate::queue::{delayed, expiry, trigger};
use crate::verb::handle::Handle;
use crate::verb::unit_of_work::{OpenUnit, back_out_unit, commit_or_back_out};
use crate::verb::{close, detached};

/// Something that has to be finished although its task is gone.
pub(crate) enum Work {
    Commit(OpenUnit),
    CommitTogether(Vec<OpenUnit>, Option<Receipt>),
    BackOut(OpenUnit),
    Close(Arc<Handle>),
    /// Messages that have expired and are off this queue.
    Expired(Arc<Queue>, VecDeque<StoredMessage>),
    /// A message arrived; its priority and the depth before it.
    Trigger(Arc<Queue>, u8, u32),
    /// Triggering was switched on.
    TriggeringBegun(Arc<Queue>),
    /// The queue that was made for a subscription which is not there.
    ManagedQueue(Arc<SubscriptionDefinition>),
    /// A connection that was accounted for has ended: when and how.
    Account(Arc<ConnectionState>, Timestamp, Ending),
    /// The records of a connection have grown too large to wait for the end of its interval.
    AccountEarly(Arc<ConnectionState>),
    Event(Box<Event>),
}

/// Most events that wait for housekeeping; one more is dropped.
const MAXIMUM_EVENTS: usize = 1000;
/// With so much waiting, the records of connections that end are dropped.
const MAXIMUM_WAITING: usize = 20_000;

/// Bounded by what was open: a connection leaves at most its unit of work and its handles, a get the messages of one round
/// of expiry. Events have a bound of their own.
#[derive(Default)]
pub(crate) struct LeftOver {
    work: Mutex<VecDeque<Work>>,
    arrived: Notify,
}

impl LeftOver {
    pub(crate) fn push(&self, work: Work) {
        self.work.lock().push_back(work);
        self.arrived.notify_one();
    }

    /// For an event of something that does not wait.
    pub(crate) fn push_event(&self, event: Event) {
        let mut work = self.work.lock();
        if work.iter().filter(|work| matches!(work, Work::Event(_))).count() < MAXIMUM_EVENTS {
            work.push_back(Work::Event(Box::new(event)));
            drop(work);
            self.arrived.notify_one();
        }
    }

    /// For the last record of a connection. False when too many wait already.
    pub(crate) fn push_account(&self, state: Arc<ConnectionState>, ended: Timestamp, ending: Ending) -> bool {
        let mut work = self.work.lock();
        if work.len() >= MAXIMUM_WAITING {
            return false;
        }
        work.push_back(Work::Account(state, ended, ending));
        drop(work);
        self.arrived.notify_one();
        true
    }

    pub(crate) fn wake(&self) {
        self.arrived.notify_one();
    }

    fn take(&self) -> Option<Work> {
        self.work.lock().pop_front()
    }
}

/// How long the scan waits at most: a clock that was set forward is noticed by then.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// How long it waits at least, so that many messages with different times are taken together.
const SHORTEST_PAUSE: Duration = Duration::from_millis(100);

/// Runs until the queue manager stops, or its log fails: then nothing that is left over can be finished any more.
pub(crate) async fn run(engine: &Arc<Engine>) {
    tokio::select! {
        () = run_until_stop(engine) => {}
        () = delayed::deliver::run(engine) => {}
        () = engine.failure.happened() => {
            engine.advance(Phase::Stopping);
        }
    }
}

async fn run_until_stop(engine: &Engine) {
    while engine.phase() < Phase::Stopping {
        finish_left_over(engine).await;
        tags::give_back(engine, None).await;
        let next = [
            expiry::scan(engine).await,
            subscription::expire(engine).await,
            record::scan(engine).await,
            statistics::scan(engine).await,
            monitoring::scan(engine).await,
            engine.store.expire_receipts(engine.now()),
            quota::look(engine),
        ];
        let next = next.into_iter().flatten().min();
        let pause = next.map_or(LONGEST_PAUSE, |at| at.since(engine.now()).clamp(SHORTEST_PAUSE, LONGEST_PAUSE));
        let _ = tokio::time::timeout(pause, engine.left_over.arrived.notified()).await;
    }
}

pub(crate) async fn finish_left_over(engine: &Engine) {
    while let Some(work) = engine.left_over.take() {
        match work {
            Work::Commit(unit) => {
                if let Err(reason) = commit_or_back_out(engine, unit).await {
                    warn!(%reason, "a commit could not be completed after its connection ended");
                }
            }
            Work::CommitTogether(units, receipt) => detached::finish_commit(engine, units, receipt).await,
            Work::BackOut(unit) => back_out(engine, unit).await,
            Work::Event(event) => event::send(engine, *event).await,
            Work::Close(handle) => close::finish_release(engine, &handle).await,
            Work::Expired(queue, gone) => expiry::finish(engine, &queue, gone).await,
            Work::Trigger(queue, priority, depth_before) => {
                trigger::arrived(engine, &queue, priority, depth_before).await;
            }
            Work::TriggeringBegun(queue) => trigger::switched_on(engine, &queue).await,
            Work::ManagedQueue(definition) => subscription::remove_managed_queue(engine, &definition).await,
            Work::Account(state, ended, ending) => record::write_last(engine, &state, ending, ended).await,
            Work::AccountEarly(state) => record::write_interval(engine, &state, engine.now()).await,
        }
    }
}

async fn back_out(engine: &Engine, unit: OpenUnit) {
    if let Err(reason) = back_out_unit(engine, unit).await {
        warn!(%reason, "a unit of work could not be backed out");
    }
}
