//! Resource monitoring: what the queue manager publishes about itself below `$SYS/MQ/INFO/QMGR/name/Monitor`.
//!
//! ```text
//! .../METADATA/CLASSES               which classes there are (`description.rs`), sent to each new subscription
//! .../METADATA/CPU/TYPES             which types a class has
//! .../METADATA/CPU/SystemSummary     which elements a type has
//! .../CPU/SystemSummary              their values, published every ten seconds
//! .../STATQ/QUEUE.NAME/GENERAL       those of a queue; `&` stands for a `/` of its name
//! ```
//!
//! `catalogue.rs` lists classes, types and elements, `topics.rs` their topic strings. Values come from `watch.rs` (a queue), from the
//! tally of `statistics.rs` (calls), from `machine.rs` and from `disk.rs`. `kept.rs` keeps them for pages of metrics.
//!
//! Never: counts, reads or publishes anything while no subscription and no page asks for values. Keeps nothing on disk.
//!
//! Invariants
//! - Only subscriptions whose pattern names `$SYS/MQ` get these publications: a subscription to `#` does not.
//! - A publication that cannot be delivered is dropped. The next one follows in ten seconds.
//!
//! Source: MQ monitoring, "Metrics published on the system topics"; the public exporters of ibm-messaging/mq-golang, package mqmetric.

mod catalogue;
mod description;
mod disk;
pub(crate) mod kept;
mod machine;
mod topics;
pub(crate) mod watch;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use model::descriptor::{Ccsid, Encoding, Expiry, Format, MessageDescriptor, Persistence};
use model::name::QueueName;
use model::pcf::{self, Coding, Header, MessageKind, Parameter, ParameterValue};
use model::text::Text;
use model::timestamp::Timestamp;
use parking_lot::Mutex;
use tracing::debug;

use crate::engine::Engine;
use crate::instrumentation::accounting::calls::large;
use crate::instrumentation::accounting::collection;
use crate::instrumentation::accounting::number::{MQCA_Q_MGR_NAME, MQCA_Q_NAME};
use crate::instrumentation::event::name;
use crate::instrumentation::monitoring::catalogue::{Class, Type};
use crate::instrumentation::monitoring::disk::DiskUse;
use crate::instrumentation::monitoring::kept::Kept;
use crate::instrumentation::monitoring::machine::MachineUse;
use crate::publish::subscription::Subscription;
use crate::publish::{Publication, check_enabled, deliver};
use crate::queue::Queue;
use crate::queue::transmission::QUEUE_MANAGER;

pub(crate) use description::descriptions;

/// Between publications of the same values.
const INTERVAL: Duration = Duration::from_secs(10);

#[derive(Default)]
pub(crate) struct Monitoring {
    /// Absent while nobody asks for values.
    under_way: Mutex<Option<UnderWay>>,
    kept: Kept,
}

struct UnderWay {
    /// When the values were taken last.
    since: Timestamp,
    machine: Option<machine::Reading>,
    disk: disk::Reading,
    queues: Vec<Arc<Queue>>,
}

impl UnderWay {
    fn begin(engine: &Engine) -> Self {
        Self {
            since: engine.now(),
            machine: machine::Reading::take(),
            disk: disk::Reading::take(engine),
            queues: Vec::new(),
        }
    }

    /// Watches these queues from now on, and no others.
    fn watch(&mut self, queues: Vec<Arc<Queue>>) {
        for queue in &queues {
            queue.begin_watch();
        }
        let gone = |queue: &&Arc<Queue>| !queues.iter().any(|chosen| Arc::ptr_eq(chosen, queue));
        self.queues.iter().filter(gone).for_each(|queue| queue.end_watch());
        self.queues = queues;
    }

    /// What happened to the machine and its disk since this was asked last.
    fn step(&mut self, engine: &Engine) -> (Option<MachineUse>, Option<DiskUse>) {
        let (machine, disk) = (machine::Reading::take(), disk::Reading::take(engine));
        let machine_use = machine.as_ref().zip(self.machine.as_ref()).map(|(now, before)| now.since(before));
        let disk_use = disk.since(&self.disk, engine);
        (self.machine, self.disk) = (machine, disk);
        (machine_use, disk_use)
    }
}

/// There is a new subscription.
pub(crate) fn subscribed(engine: &Engine, subscription: &Subscription) {
    if topics::asks_for_values(engine, &subscription.pattern) {
        resume(engine);
    }
}

/// Subscriptions may have come or changed, or a page of metrics is asked for: the first one that asks for values begins the
/// monitoring.
pub(crate) fn resume(engine: &Engine) {
    let asking = Asking::now(engine);
    if asking.is_nobody() {
        return;
    }
    let begins = {
        let mut under_way = engine.monitoring.under_way.lock();
        let begins = under_way.is_none();
        under_way.get_or_insert_with(|| UnderWay::begin(engine)).watch(asking.queues(engine));
        begins
    };
    if begins {
        engine.statistics.monitored.begin(engine);
        collection::changed(engine);
        engine.left_over.wake();
    }
}

/// Publishes when the interval is over. Returns when the next one ends; `None` while nothing is monitored.
pub(crate) async fn scan(engine: &Engine) -> Option<Timestamp> {
    let due = due(engine)?;
    if due > engine.now() {
        return Some(due);
    }
    publish(engine).await;
    self::due(engine)
}

fn due(engine: &Engine) -> Option<Timestamp> {
    engine.monitoring.under_way.lock().as_ref().map(|under_way| under_way.since.saturating_add(INTERVAL))
}

/// Who asks for values.
struct Asking {
    listeners: Vec<Arc<Subscription>>,
    /// A page of metrics.
    page: bool,
}

impl Asking {
    fn now(engine: &Engine) -> Self {
        let asks = |subscription: &&Arc<Subscription>| {
            !subscription.definition.request_only && topics::asks_for_values(engine, &subscription.pattern)
        };
        let listeners = engine.publish.with(|state| state.all().filter(asks).cloned().collect());
        Self { listeners, page: engine.monitoring.kept.is_on(engine.now()) }
    }

    fn is_nobody(&self) -> bool {
        self.listeners.is_empty() && !self.page
    }

    /// The local queues that subscriptions name. A page, and a subscription with a wildcard, want all.
    fn queues(&self, engine: &Engine) -> Vec<Arc<Queue>> {
        let literals = self.listeners.iter().map(|listener| listener.pattern.literal());
        let literals: Option<Vec<&str>> = if self.page { None } else { literals.collect() };
        let mut queues = match literals {
            Some(literals) => {
                let mut names: Vec<QueueName> =
                    literals.into_iter().filter_map(|topic| topics::queue_of(engine, topic)).collect();
                names.sort_unstable();
                names.dedup();
                names.iter().filter_map(|name| engine.queue(name)).collect()
            }
            None => engine.all_queues(),
        };
        queues.retain(|queue| queue.is_local());
        queues
    }
}

async fn publish(engine: &Engine) {
    let now = engine.now();
    let asking = Asking::now(engine);
    let taken = {
        let mut under_way = engine.monitoring.under_way.lock();
        if asking.is_nobody() {
            // Who asks meanwhile finds nothing under way, and begins anew.
            let ended = under_way.take();
            drop(under_way);
            return end(engine, ended);
        }
        let Some(under_way) = under_way.as_mut() else { return };
        let interval = now.since(under_way.since);
        under_way.since = now;
        under_way.watch(asking.queues(engine));
        (under_way.step(engine), under_way.queues.clone(), interval)
    };
    let calls = engine.statistics.monitored.take(engine);
    let ((machine, disk), queues, interval) = taken;
    let queues: Vec<_> = queues.iter().map(|queue| (queue.name, queue.take_watched())).collect();
    let names: HashSet<QueueName> = queues.iter().map(|(name, _)| *name).collect();
    engine.monitoring.kept.retain(|name| names.contains(name));
    let round = Round { engine, now, interval, publishes: check_enabled(engine).is_ok() };
    if let Some(machine) = machine {
        round.tell(Class::Processor, catalogue::PROCESSOR, None, &machine).await;
    }
    if let Some(disk) = disk {
        round.tell(Class::Disk, catalogue::DISK, None, &disk).await;
    }
    round.tell(Class::Calls, catalogue::CALLS, None, &calls).await;
    for (name, counts) in &queues {
        round.tell(Class::Queues, catalogue::QUEUES, Some(*name), counts).await;
    }
}

fn end(engine: &Engine, ended: Option<UnderWay>) {
    let Some(mut under_way) = ended else { return };
    under_way.watch(Vec::new());
    engine.statistics.monitored.end();
    collection::changed(engine);
    // Begun again meanwhile, by one who asked before the end was complete.
    if engine.monitoring.under_way.lock().is_some() {
        engine.statistics.monitored.begin(engine);
        collection::changed(engine);
    }
}

/// One set of publications.
struct Round<'a> {
    engine: &'a Engine,
    now: Timestamp,
    interval: Duration,
    /// PSMODE allows it.
    publishes: bool,
}

impl Round<'_> {
    /// Keeps the values of a class for pages, and publishes them.
    async fn tell<S>(&self, class: Class, types: &[Type<S>], queue: Option<QueueName>, sample: &S) {
        self.engine.monitoring.kept.add(class, types, queue, sample);
        if self.publishes {
            self.publish(class, types, queue, sample).await;
        }
    }

    /// Publishes the types of a class that somebody subscribes to.
    async fn publish<S>(&self, class: Class, types: &[Type<S>], queue: Option<QueueName>, sample: &S) {
        for (number, of) in (0..).zip(types) {
            let topic = topics::values(self.engine, class, queue.as_ref().map(QueueName::as_str), of.name);
            let wants = |subscription: &Subscription| {
                !subscription.definition.request_only && topics::asks_for_values(self.engine, &subscription.pattern)
            };
            let recipients = self.engine.publish.with(|state| state.matching(&topic, self.now, wants));
            if recipients.is_empty() {
                continue;
            }
            let mut parameters = self.beginning(class, number, queue);
            parameters.extend((0..).zip(of.elements).map(|(id, element)| long(id, (element.value)(sample))));
            let publication = publication(self.engine, parameters, self.now);
            for recipient in recipients {
                if !recipient.selects(&publication.descriptor, &publication.body) {
                    continue;
                }
                if let Err((_, reason)) = deliver(self.engine, None, &recipient, &publication, self.now).await {
                    debug!(topic, %reason, "a publication of monitoring was dropped");
                }
            }
        }
    }

    /// What every publication of values begins with.
    fn beginning(&self, class: Class, number: i32, queue: Option<QueueName>) -> Vec<Parameter> {
        let mut parameters = vec![name(MQCA_Q_MGR_NAME, &self.engine.name)];
        parameters.extend(queue.map(|queue| name(MQCA_Q_NAME, &queue)));
        let object_type = if queue.is_some() { MQOT_Q } else { MQOT_Q_MGR };
        parameters.extend([
            Parameter::integer(MQIACF_OBJECT_TYPE, object_type),
            Parameter::integer(MQIAMO_MONITOR_CLASS, class.number()),
            Parameter::integer(MQIAMO_MONITOR_TYPE, number),
            long(MQIAMO64_MONITOR_INTERVAL, u64::try_from(self.interval.as_micros()).unwrap_or(u64::MAX)),
        ]);
        parameters
    }
}

fn long(id: i32, value: u64) -> Parameter {
    Parameter { id, value: ParameterValue::Integer64(large(value)) }
}

fn publication(engine: &Engine, parameters: Vec<Parameter>, now: Timestamp) -> Publication {
    let header = Header { kind: MessageKind::STATISTICS, version: 3, ..Header::command(MQCMD_NONE) };
    let body = Coding::native().bytes(&pcf::Message { header, parameters });
    let descriptor = MessageDescriptor {
        format: Format::ADMIN,
        priority: 0,
        persistence: Persistence::NonPersistent,
        expiry: Expiry::UNLIMITED,
        encoding: Encoding::NATIVE,
        ccsid: Ccsid::UTF_8,
        put_application_type: QUEUE_MANAGER,
        put_application_name: Text::new(engine.name.as_str()),
        put_date: now.put_date(),
        put_time: now.put_time(),
        ..MessageDescriptor::default()
    };
    Publication { descriptor, body: Bytes::from(body), expires: None }
}

const MQCMD_NONE: i32 = 0;
const MQOT_Q: i32 = 1;
const MQOT_Q_MGR: i32 = 5;
const MQIAMO_MONITOR_CLASS: i32 = 839;
const MQIAMO_MONITOR_TYPE: i32 = 840;
const MQIAMO64_MONITOR_INTERVAL: i32 = 845;
const MQIACF_OBJECT_TYPE: i32 = 1016;
