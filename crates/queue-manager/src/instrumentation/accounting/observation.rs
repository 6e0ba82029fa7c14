//! What is noted of one connection's calls, for its own records and for the statistics of the queue manager.
//!
//! A connection has an observation only while anything is collected; `collection.rs` decides. Calls are noted after
//! they have ended, so that nothing noted here can change what a call does.
//!
//! Invariant: an interval's figures are taken once. Whoever takes them for a record holds `interval`.

use std::future::Future;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use model::definition::Collect;
use model::definition::queue::DefinitionType;
use model::descriptor::Persistence;
use model::name::QueueName;
use model::options::{CloseOptions, GetFlags, ObjectDescriptor, ObjectKind};
use model::reason::Reason;
use model::subscribe::{SubscribeFlags, SubscriptionDescriptor};
use model::timestamp::Timestamp;
use parking_lot::Mutex;
use storage::QueueId;

use crate::engine::Engine;
use crate::engine::housekeeping::Work;
use crate::engine::map::Map;
use crate::instrumentation::accounting::activity::{Activity, Passed};
use crate::instrumentation::accounting::calls::{Calls, Subscribing};
use crate::instrumentation::accounting::collection;
use crate::instrumentation::accounting::meter::{Meter, Metered};
use crate::instrumentation::monitoring::watch::Counts as Watched;
use crate::instrumentation::statistics;
use crate::instrumentation::statistics::tally::Reader;
use crate::queue::Queue;
use crate::queue::resolve::{Resolved, resolve};
use crate::verb::connection::{Connection, GetResult, ObjectHandle, Opened, PutResult};
use crate::verb::handle::{Handle, Target};

/// What a connection is observed for: decided when it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Purpose {
    /// An MQI accounting record when it ends.
    pub(crate) calls: bool,
    /// ACCTQ of the queue manager as it was then; NONE overrules every queue.
    pub(crate) queues: Collect,
}

impl Purpose {
    /// For statistics alone.
    pub(crate) const STATISTICS: Self = Self { calls: false, queues: Collect::None };
}

/// For what calls by way of one handle, or one MQPUT1, count at their queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Counts {
    pub(crate) accounting: bool,
    pub(crate) statistics: bool,
}

impl Counts {
    fn any(self) -> bool {
        self.accounting || self.statistics
    }
}

/// A handle that is being closed.
pub(crate) struct Closing {
    open: Option<Arc<Handle>>,
    /// Of a subscription: whether it is durable, and whether it ends with the handle.
    subscription: Option<(bool, bool)>,
}

/// One queue in the records of one connection.
#[derive(Debug, Clone)]
pub(crate) struct QueueAccount {
    pub(crate) name: QueueName,
    pub(crate) created: Timestamp,
    pub(crate) definition_type: DefinitionType,
    pub(crate) activity: Activity,
    /// Of the first open in the interval.
    pub(crate) opened: Option<Timestamp>,
    /// Of the last close in the interval, if no handle is left.
    pub(crate) closed: Option<Timestamp>,
    handles: u32,
}

/// Since the last record, or the connect.
#[derive(Debug)]
pub(crate) struct Interval {
    pub(crate) since: Timestamp,
    /// Of the next record.
    pub(crate) sequence: u32,
    pub(crate) queues: Map<QueueId, QueueAccount>,
    /// A record was asked for before the interval is over.
    pub(super) is_early: bool,
    /// The last record was written.
    pub(crate) is_over: bool,
}

/// A connection that meets more queues than this within an interval has a record written early.
const MAXIMUM_QUEUES: usize = 1000;

#[derive(Debug)]
pub(crate) struct Observation {
    pub(super) purpose: Purpose,
    /// For the connection's own record.
    pub(crate) calls: Calls,
    /// For MQI statistics, which take them away at times of their own.
    statistics: Calls,
    /// For monitoring; absent until a call was made while that is on.
    monitored: OnceLock<Box<Calls>>,
    pub(super) meter: Meter,
    pub(crate) interval: Mutex<Interval>,
}

impl Observation {
    pub(crate) fn new(purpose: Purpose, now: Timestamp) -> Self {
        Self {
            purpose,
            calls: Calls::default(),
            statistics: Calls::default(),
            monitored: OnceLock::new(),
            meter: Meter::default(),
            interval: Mutex::new(Interval {
                since: now,
                sequence: 0,
                queues: Map::default(),
                is_early: false,
                is_over: false,
            }),
        }
    }

    /// Whether records of its own are written.
    pub(crate) fn is_accounted(&self) -> bool {
        self.purpose.calls || self.purpose.queues != Collect::None
    }

    /// Measures the call if the record is to say what calls cost.
    pub(crate) fn time<F: Future>(&self, call: F) -> Metered<'_, F> {
        Metered::new(Box::pin(call), self.purpose.calls.then_some(&self.meter))
    }

    pub(crate) fn time_now<T>(&self, call: impl FnOnce() -> T) -> T {
        if self.purpose.calls { self.meter.measure(call) } else { call() }
    }

    fn count(&self, engine: &Engine, count: impl Fn(&Calls)) {
        if self.purpose.calls {
            count(&self.calls);
        }
        if engine.statistics.counts_calls_for(Reader::Statistics) {
            count(&self.statistics);
        }
        if engine.statistics.counts_calls_for(Reader::Monitoring) {
            count(self.monitored.get_or_init(Box::default));
        }
    }

    pub(crate) fn counted_for(&self, reader: Reader) -> Option<&Calls> {
        match reader {
            Reader::Statistics => Some(&self.statistics),
            Reader::Monitoring => self.monitored.get().map(|calls| &**calls),
        }
    }

    pub(crate) fn opened(&self, connection: &Connection, kind: ObjectKind, outcome: &Result<Opened, Reason>) {
        let engine = &connection.engine;
        let Ok(opened) = outcome else { return self.count(engine, |calls| calls.opens_failed.of(kind)) };
        self.count(engine, |calls| calls.opens.of(kind));
        if let Ok(open) = connection.state.handle(opened.handle) {
            self.at_queue(connection, &open, &Activity::opened);
            self.handle_opened(engine, &open);
        }
    }

    /// Asked before the handle is gone.
    pub(crate) fn closing(&self, connection: &Connection, handle: ObjectHandle, options: CloseOptions) -> Closing {
        let open = connection.state.handle(handle).ok();
        let subscription = match open.as_ref().map(|open| &open.target) {
            Some(Target::Subscription(subscribed)) => {
                let durable = statistics::is_durable(&connection.engine, subscribed.subscription);
                Some((durable, !durable || options.contains(CloseOptions::REMOVE_SUB)))
            }
            _ => None,
        };
        Closing { open, subscription }
    }

    pub(crate) fn closed(&self, engine: &Engine, closing: &Closing, outcome: &Result<(), Reason>) {
        if let Some((durable, removed)) = closing.subscription {
            self.count(engine, |calls| match (outcome, durable) {
                (Ok(()), true) => calls.durable_unsubscribes.add(usize::from(removed), 1),
                (Ok(()), false) => calls.other_unsubscribes.add(usize::from(removed), 1),
                (Err(_), _) => calls.unsubscribes_failed.one(),
            });
            return engine.statistics.subscriptions_changed(engine);
        }
        let kind = closing.open.as_deref().map_or(ObjectKind::Queue, kind);
        // 2241 and 2242 are warnings: the handle is closed all the same.
        let is_closed = matches!(outcome, Ok(()) | Err(Reason::IncompleteGroup | Reason::IncompleteMsg));
        self.count(engine, |calls| if is_closed { calls.closes.of(kind) } else { calls.closes_failed.of(kind) });
        if let Some(open) = closing.open.as_deref().filter(|_| is_closed) {
            watched(open, |counts| counts.closes += 1);
            self.handle_closed(engine, open);
        }
    }

    pub(crate) fn put(
        &self,
        connection: &Connection,
        handle: ObjectHandle,
        outcome: &Result<PutResult, Reason>,
        bytes: usize,
    ) {
        let open = connection.state.handle(handle).ok();
        let passed = put_passed(outcome, bytes);
        let is_topic = open.as_ref().is_some_and(|open| matches!(open.target, Target::Topic(_)));
        self.count(&connection.engine, |calls| match (passed, is_topic) {
            (Some(passed), true) => {
                calls.topic_puts.by(passed.persistence, 1);
                calls.topic_put_bytes.by(passed.persistence, passed.bytes);
            }
            (Some(passed), false) => {
                calls.puts.by(passed.persistence, 1);
                calls.put_bytes.by(passed.persistence, passed.bytes);
            }
            (None, true) => calls.topic_puts_failed.one(),
            (None, false) => calls.puts_failed.one(),
        });
        if let Some(open) = open {
            self.at_queue(connection, &open, &|activity| activity.put(false, passed));
        }
    }

    pub(crate) fn put1(
        &self,
        connection: &Connection,
        object: &ObjectDescriptor,
        outcome: &Result<PutResult, Reason>,
        bytes: usize,
    ) {
        let engine = &connection.engine;
        let passed = put_passed(outcome, bytes);
        let is_topic =
            object.object == ObjectKind::Topic || outcome.as_ref().is_ok_and(|result| result.resolved_queue.is_blank());
        self.count(engine, |calls| match (passed, is_topic) {
            (Some(passed), true) => {
                calls.topic_put1s.by(passed.persistence, 1);
                calls.topic_put_bytes.by(passed.persistence, passed.bytes);
            }
            (Some(passed), false) => {
                calls.put1s.by(passed.persistence, 1);
                calls.put_bytes.by(passed.persistence, passed.bytes);
            }
            (None, true) => calls.topic_put1s_failed.one(),
            (None, false) => calls.put1s_failed.one(),
        });
        if is_topic || object.object != ObjectKind::Queue {
            return;
        }
        let Ok(Resolved::Destination(destination)) = resolve(engine, &object.name, &object.queue_manager) else {
            return;
        };
        if let Some(queue) = destination.queue() {
            let counts = collection::counts(engine, self, queue);
            let note = |activity: &mut Activity| activity.put(true, passed);
            queue.watched(|counts| note(&mut counts.activity));
            self.at(connection, queue, counts, &note);
        }
    }

    pub(crate) fn got(
        &self,
        connection: &Connection,
        handle: ObjectHandle,
        flags: GetFlags,
        outcome: &Result<Box<GetResult>, Reason>,
    ) {
        if flags.contains(GetFlags::UNLOCK) {
            return;
        }
        let browses = flags.intersects(GetFlags::BROWSES);
        // Truncated and left on the queue is not got.
        let got = outcome.as_ref().ok().filter(|got| got.warning != Some(Reason::TruncatedMsgFailed));
        let passed = got.map(|got| Passed { persistence: got.descriptor.persistence, bytes: length(got.body.len()) });
        let engine = &connection.engine;
        self.count(engine, |calls| match (passed, browses) {
            (Some(passed), true) => {
                calls.browses.by(passed.persistence, 1);
                calls.browse_bytes.by(passed.persistence, passed.bytes);
            }
            (Some(passed), false) => {
                calls.gets.by(passed.persistence, 1);
                calls.get_bytes.by(passed.persistence, passed.bytes);
            }
            (None, true) => calls.browses_failed.one(),
            (None, false) => calls.gets_failed.one(),
        });
        let Ok(open) = connection.state.handle(handle) else { return };
        if browses {
            self.at_queue(connection, &open, &|activity| activity.browsed(passed));
        } else {
            let on_queue = got.map_or(Duration::ZERO, |got| engine.now().since(got.arrived));
            self.at_queue(connection, &open, &|activity| activity.got(passed, on_queue));
        }
        let reason = outcome.as_ref().map_or_else(|reason| Some(*reason), |got| got.warning);
        watched(&open, |counts| counts.failed(browses, reason));
    }

    pub(crate) fn committed(&self, engine: &Engine, outcome: &Result<(), Reason>) {
        self.count(engine, |calls| if outcome.is_ok() { calls.commits.one() } else { calls.commits_failed.one() });
    }

    pub(crate) fn backed_out(&self, engine: &Engine) {
        self.count(engine, |calls| calls.back_outs.one());
    }

    pub(crate) fn inquired<T>(&self, connection: &Connection, handle: ObjectHandle, outcome: &Result<T, Reason>) {
        let open = connection.state.handle(handle).ok();
        let kind = open.as_deref().map_or(ObjectKind::Queue, kind);
        self.count(&connection.engine, |calls| {
            if outcome.is_ok() { calls.inquiries.of(kind) } else { calls.inquiries_failed.of(kind) }
        });
        if let Some(open) = open.filter(|_| outcome.is_ok()) {
            watched(&open, |counts| counts.inquiries += 1);
        }
    }

    pub(crate) fn set(&self, connection: &Connection, handle: ObjectHandle, outcome: &Result<(), Reason>) {
        self.count(&connection.engine, |calls| {
            if outcome.is_ok() { calls.sets.of(ObjectKind::Queue) } else { calls.sets_failed.of(ObjectKind::Queue) }
        });
        if let Some(open) = connection.state.handle(handle).ok().filter(|_| outcome.is_ok()) {
            watched(&open, |counts| counts.sets += 1);
        }
    }

    /// `existed` is whether there was a subscription of that name before.
    pub(crate) fn subscribed<T>(
        &self,
        engine: &Engine,
        descriptor: &SubscriptionDescriptor,
        existed: bool,
        outcome: &Result<T, Reason>,
    ) {
        let what = match existed {
            false => Subscribing::Created,
            true if descriptor.flags.contains(SubscribeFlags::ALTER) => Subscribing::Altered,
            true => Subscribing::Resumed,
        };
        let durable = existed || descriptor.flags.contains(SubscribeFlags::DURABLE);
        self.count(engine, |calls| match (outcome, durable) {
            (Ok(_), true) => calls.durable_subscribes.add(what as usize, 1),
            (Ok(_), false) => calls.other_subscribes.add(what as usize, 1),
            (Err(_), _) => calls.subscribes_failed.one(),
        });
        if outcome.is_ok() {
            engine.statistics.subscriptions_changed(engine);
        }
    }

    pub(crate) fn requested(&self, engine: &Engine, outcome: &Result<u32, Reason>) {
        // That nothing is retained is an answer.
        let succeeded = matches!(outcome, Ok(_) | Err(Reason::NoRetainedMsg));
        self.count(engine, |calls| if succeeded { calls.requests.one() } else { calls.requests_failed.one() });
    }

    pub(crate) fn asked_status(&self, engine: &Engine, succeeded: bool) {
        self.count(engine, |calls| if succeeded { calls.statuses.one() } else { calls.statuses_failed.one() });
    }

    fn at_queue(&self, connection: &Connection, open: &Handle, note: &dyn Fn(&mut Activity)) {
        let Some(queue) = queue_of(open) else { return };
        queue.watched(|counts| note(&mut counts.activity));
        if !open.counts.any() {
            return;
        }
        let statistics = open.counts.statistics && collection::counts_queue(&connection.engine, queue);
        self.at(connection, queue, Counts { statistics, ..open.counts }, note);
    }

    fn at(&self, connection: &Connection, queue: &Arc<Queue>, counts: Counts, note: &dyn Fn(&mut Activity)) {
        if counts.statistics {
            queue.note(note);
        }
        if counts.accounting {
            let is_full = {
                let mut interval = self.interval.lock();
                note(&mut account(&mut interval, queue).activity);
                interval.queues.len() >= MAXIMUM_QUEUES && !std::mem::replace(&mut interval.is_early, true)
            };
            if is_full {
                connection.engine.left_over.push(Work::AccountEarly(connection.state.clone()));
            }
        }
    }

    fn handle_opened(&self, engine: &Engine, open: &Handle) {
        let Some(queue) = accounted_queue(open) else { return };
        let mut interval = self.interval.lock();
        let account = account(&mut interval, queue);
        account.handles += 1;
        account.opened.get_or_insert(engine.now());
        account.closed = None;
    }

    fn handle_closed(&self, engine: &Engine, open: &Handle) {
        let Some(queue) = accounted_queue(open) else { return };
        let mut interval = self.interval.lock();
        let account = account(&mut interval, queue);
        account.handles = account.handles.saturating_sub(1);
        if account.handles == 0 {
            account.closed = Some(engine.now());
        }
    }
}

impl QueueAccount {
    fn of(queue: &Queue) -> Self {
        Self {
            name: queue.name,
            created: queue.with(|definition| definition.history.created),
            definition_type: queue.definition_type(),
            activity: Activity::default(),
            opened: None,
            closed: None,
            handles: 0,
        }
    }

    /// Whether anything was done to the queue in the interval.
    pub(crate) fn is_worth_telling(&self) -> bool {
        self.opened.is_some() || self.closed.is_some() || self.activity != Activity::default()
    }

    /// For the next interval: the same queue, if a handle of it is open still.
    pub(crate) fn next(&self) -> Option<Self> {
        let next = Self { activity: Activity::default(), opened: None, closed: None, ..self.clone() };
        (self.handles > 0).then_some(next)
    }
}

fn account<'a>(interval: &'a mut Interval, queue: &Queue) -> &'a mut QueueAccount {
    interval.queues.entry(queue.id).or_insert_with(|| QueueAccount::of(queue))
}

fn queue_of(open: &Handle) -> Option<&Arc<Queue>> {
    let Target::Queue(destination) = &open.target else { return None };
    destination.queue()
}

fn accounted_queue(open: &Handle) -> Option<&Arc<Queue>> {
    queue_of(open).filter(|_| open.counts.accounting)
}

/// For monitoring, while that watches the queue of the handle.
fn watched(open: &Handle, note: impl FnOnce(&mut Watched)) {
    if let Some(queue) = queue_of(open) {
        queue.watched(note);
    }
}

fn kind(open: &Handle) -> ObjectKind {
    match &open.target {
        Target::Queue(_) => ObjectKind::Queue,
        Target::Topic(_) | Target::Subscription(_) => ObjectKind::Topic,
        Target::QueueManager => ObjectKind::QueueManager,
        Target::Object(model::authority::AuthorityObject::Process) => ObjectKind::Process,
        Target::Object(_) => ObjectKind::NameList,
    }
}

fn put_passed(outcome: &Result<PutResult, Reason>, bytes: usize) -> Option<Passed> {
    let result = outcome.as_ref().ok()?;
    Some(Passed { persistence: persistence(result), bytes: length(bytes) })
}

fn persistence(result: &PutResult) -> Persistence {
    result.message.descriptor.persistence
}

fn length(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}
