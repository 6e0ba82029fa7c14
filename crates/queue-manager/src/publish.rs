//! Publish/subscribe: a put to a topic is a put to the queue of every subscription that matches it.
//!
//! Owns: `PublishSubscribe` and publishing itself (this file), the topic tree (`topic_tree.rs`), subscriptions while the
//! queue manager runs (`subscription.rs`), how many may be durable (`durable_limit.rs`), and retained publications (`retained.rs`).
//!
//! Never: keeps a message of its own. A publication is on the subscribers' queues, a retained one on a SYSTEM queue.
//! MQSUB and MQSUBRQ are verbs (`verb/subscribe.rs`); DEFINE SUB is a command (`definition/administer_subscription.rs`).
//!
//! Invariants
//! - One publication is one unit of work: the application's, or one of its own.
//! - PMSGDLV and NPMSGDLV of the topic decide which failed deliveries fail the whole publication. With USEDLQ(YES) a
//!   message that reached the dead-letter queue has not failed.
//! - There is at most one retained publication for each topic string.
//!
//! Source: MQ, "Publish/subscribe", "MQPUT", "DEFINE TOPIC", reasons 2479, 2502, 2503, 2531, 2550, 9.3.

pub mod durable_limit;
pub(crate) mod retained;
pub mod subscription;
pub(crate) mod topic_tree;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use model::authority::{Authority, AuthorityObject, Principal};
use model::definition::queue::DefinitionType;
use model::definition::topic::Delivery;
use model::descriptor::{Expiry, MessageDescriptor, Persistence};
use model::identifier::{AccountingToken, MessageId};
use model::identity_context;
use model::message::Message;
use model::name::TopicName;
use model::options::{ObjectDescriptor, OpenOptions, PutFlags};
use model::reason::Reason;
use model::text::Text;
use model::timestamp::Timestamp;
use parking_lot::RwLock;
use tracing::debug;

use crate::engine::Engine;
use crate::engine::connection_table::ConnectionState;
use crate::engine::turn::Turn;
use crate::instrumentation::monitoring;
use crate::publish::durable_limit::DurableLimit;
use crate::publish::subscription::{Subscription, Subscriptions};
use crate::publish::topic_tree::{EffectiveTopic, join};
use crate::queue::dead_letter::Undelivered;
use crate::queue::delayed::{self, Goal};
use crate::queue::resolve::{Resolved, resolve};
use crate::queue::{dead_letter, report};
use crate::reason;
use crate::security::authority::{self, Door};
use crate::verb::connection::{Connection, PutResult};
use crate::verb::put::Request;
use crate::verb::put_descriptor::{Defaults, Filled, fill_in};
use crate::verb::unit_of_work::{commit_or_back_out, undo};

/// What publish/subscribe keeps in memory for one queue manager.
#[derive(Default)]
pub(crate) struct PublishSubscribe {
    state: RwLock<Subscriptions>,
    pub(crate) durable_limit: DurableLimit,
    /// Held while a publication is retained and while a new subscription is sent what is retained, so that it gets each
    /// publication once.
    pub(crate) retaining: Turn,
}

impl PublishSubscribe {
    /// Topic or subscription definitions changed, or were loaded at start.
    pub(crate) fn definitions_changed(&self, engine: &Engine) {
        self.state.write().update(engine);
        monitoring::resume(engine);
    }

    /// Reads in place. `read` must be quick.
    pub(crate) fn with<R>(&self, read: impl FnOnce(&Subscriptions) -> R) -> R {
        read(&self.state.read())
    }

    pub(crate) fn with_mut<R>(&self, write: impl FnOnce(&mut Subscriptions) -> R) -> R {
        write(&mut self.state.write())
    }

    pub(crate) fn effective(&self, topic: &str) -> EffectiveTopic {
        self.with(|state| state.topics.effective(topic))
    }
}

/// A topic opened for output.
pub(crate) struct OpenTopic {
    pub(crate) topic_string: String,
    /// NUMPUBS and LPUBDATE of DISPLAY TPSTATUS: microseconds since 1970, 0 for never.
    pub(crate) published: AtomicU64,
    pub(crate) last_published: AtomicU64,
}

impl OpenTopic {
    fn new(topic_string: String) -> Self {
        Self { topic_string, published: AtomicU64::default(), last_published: AtomicU64::default() }
    }
}

/// Topic strings that the queue manager keeps for its own publications.
pub(crate) const SYSTEM_TOPICS: &str = "$SYS/MQ/";

/// Resolves topic object and topic string and checks +pub.
///
/// # Errors
/// `UnknownObjectName` (2085): no such topic object, or neither object nor string. `UnknownObjectQMgr` (2086).
/// `TopicStringError` (2425), `AdminTopicStringError` (2598), `NotAuthorized` (2035), `PubsubInhibited` (2531).
pub(crate) fn open(
    connection: &Connection,
    caller: &Principal,
    object: &ObjectDescriptor,
    options: OpenOptions,
) -> Result<OpenTopic, Reason> {
    let engine = &connection.engine;
    check_enabled(engine)?;
    if !engine.is_this(&object.queue_manager) {
        return Err(Reason::UnknownObjectQMgr);
    }
    let topic_string = full_topic_string(engine, &object.name, &object.topic_string)?;
    if topic_string.starts_with(SYSTEM_TOPICS) {
        return Err(Reason::AdminTopicStringError);
    }
    let wanted = wanted_of_topic(crate::verb::open::wanted(options));
    check_authority(engine, connection.door(), caller, &topic_string, wanted)?;
    Ok(OpenTopic::new(topic_string))
}

/// # Errors
/// `PubsubInhibited` (2531): PSMODE(DISABLED).
pub(crate) fn check_enabled(engine: &Engine) -> Result<(), Reason> {
    if engine.definition.read().publish_subscribe_enabled { Ok(()) } else { Err(Reason::PubsubInhibited) }
}

/// The topic object's string and the application's own, joined.
///
/// # Errors
/// `UnknownObjectName` (2085), `TopicStringError` (2425).
pub(crate) fn full_topic_string(engine: &Engine, topic: &TopicName, own: &str) -> Result<String, Reason> {
    let own = own.trim_end_matches('\0');
    if topic.is_blank() {
        return join(None, own);
    }
    let definition = engine.topic(topic).ok_or(Reason::UnknownObjectName)?;
    join(Some(&definition.topic_string), own)
}

/// Asks the topic objects above the topic string, the nearest first: one that grants it is enough.
///
/// # Errors
/// `NotAuthorized` (2035): none does.
pub(crate) fn check_authority(
    engine: &Engine,
    door: Door<'_>,
    caller: &Principal,
    topic_string: &str,
    wanted: Authority,
) -> Result<(), Reason> {
    let above = topics_above(engine, topic_string);
    if grants(engine, caller, &above, wanted) {
        return Ok(());
    }
    authority::check_anew(engine, door, caller, (AuthorityObject::Topic, &nearest(&above)), wanted, Some(topic_string))
}

/// What a program that opens a topic to publish on it needs, where `wanted` is what the same options want of a queue.
pub(crate) fn wanted_of_topic(wanted: Authority) -> Authority {
    (wanted - Authority::PUT) | Authority::PUBLISH
}

/// The topic object that a refusal names.
pub(crate) fn nearest(above: &[TopicName]) -> TopicName {
    above.first().copied().unwrap_or_else(|| TopicName::literal("SYSTEM.BASE.TOPIC"))
}

/// The topic objects above a topic string, the nearest first.
pub(crate) fn topics_above(engine: &Engine, topic_string: &str) -> Vec<TopicName> {
    engine.publish.with(|state| state.topics.above(topic_string).map(|topic| topic.name).collect())
}

/// Whether one of these topic objects grants all of `wanted`.
pub(crate) fn grants(engine: &Engine, caller: &Principal, topics: &[TopicName], wanted: Authority) -> bool {
    let one = |name: &TopicName| engine.authorities.granted(caller, AuthorityObject::Topic, name).contains(wanted);
    topics.iter().any(one)
}

/// A publication on its way to its subscribers.
pub(crate) struct Publication {
    pub(crate) descriptor: MessageDescriptor,
    pub(crate) body: Bytes,
    pub(crate) expires: Option<Timestamp>,
}

/// Publishes one message.
///
/// # Errors
/// Those of a put to a queue that concern descriptor and options; `PutInhibited` (2051): PUB(DISABLED);
/// `PublicationFailure` (2502): not delivered as PMSGDLV or NPMSGDLV wants it, and nobody got it; `PutNotRetained` (2479);
/// `BackedOut` (2003): as 2502, but some deliveries were in the application's unit of work already, which is undone.
/// `NoSubsMatched` (2550) is a warning.
pub(crate) async fn publish(
    request: &Request<'_>,
    topic: &OpenTopic,
    mut message: Box<Message>,
) -> Result<PutResult, Reason> {
    let engine = &*request.connection.engine;
    let flags = request.options.flags;
    let now = engine.now();
    check_enabled(engine)?;
    let effective = engine.publish.effective(&topic.topic_string);
    if !effective.publish {
        return Err(Reason::PutInhibited);
    }
    if message.body.len() > engine.definition.read().maximum_message_length as usize {
        return Err(Reason::MsgTooBigForQMgr);
    }
    let Filled { given_priority, expires, warning, .. } =
        fill_in(request, &Defaults::of_topic(&effective), &mut message, now)?;
    if let Some(due) = request.due_after(now) {
        let goal = Goal::Topic { topic_string: topic.topic_string.clone(), retain: flags.contains(PutFlags::RETAIN) };
        let unit = request.in_unit().then_some(&*request.connection.state);
        delayed::stage(engine, unit, &goal, &message, due, now).await?;
        message.descriptor.priority = given_priority;
        request.connection.state.count_put();
        return Ok(PutResult::of_publication(message, warning));
    }
    let connection = request.connection.state.number;
    let wants = |subscription: &Subscription| {
        let is_own = flags.contains(PutFlags::NOT_OWN_SUBS) && subscription.is_opened_by(connection);
        !is_own && !subscription.definition.request_only && subscription.selects(&message.descriptor, &message.body)
    };
    let recipients = engine.publish.with(|state| state.matching(&topic.topic_string, now, wants));

    let Message { descriptor, body } = *message;
    let publication = Publication { descriptor, body, expires };
    let retain = flags.contains(PutFlags::RETAIN);
    let fan_out =
        FanOut { engine, topic, effective: &effective, recipients: &recipients, publication: &publication, now };
    fan_out.run(request, retain).await?;
    topic.published.fetch_add(1, Ordering::Relaxed);
    topic.last_published.store(now.0, Ordering::Relaxed);
    request.connection.state.count_put();

    let warning = if recipients.is_empty() && flags.contains(PutFlags::WARN_IF_NO_SUBS_MATCHED) {
        Some(Reason::NoSubsMatched)
    } else {
        warning
    };
    let descriptor = MessageDescriptor { priority: given_priority, ..publication.descriptor };
    let message = Box::new(Message { descriptor, body: publication.body });
    Ok(PutResult::of_publication(message, warning))
}

/// Publishes what was put earlier, in a unit of work that does nothing else.
///
/// # Errors
/// `PubsubInhibited` (2531), `PutInhibited` (2051), `PublicationFailure` (2502), `PutNotRetained` (2479): the unit of work has to be
/// backed out.
pub(crate) async fn publish_later(
    engine: &Engine,
    unit: &ConnectionState,
    topic_string: &str,
    publication: &Publication,
    retain: bool,
    now: Timestamp,
) -> Result<(), Reason> {
    check_enabled(engine)?;
    let effective = engine.publish.effective(topic_string);
    if !effective.publish {
        return Err(Reason::PutInhibited);
    }
    let wants = |subscription: &Subscription| {
        !subscription.definition.request_only && subscription.selects(&publication.descriptor, &publication.body)
    };
    let recipients = engine.publish.with(|state| state.matching(topic_string, now, wants));
    let topic = OpenTopic::new(topic_string.to_owned());
    let fan_out = FanOut { engine, topic: &topic, effective: &effective, recipients: &recipients, publication, now };
    let _retaining = if retain { Some(engine.publish.retaining.take().await) } else { None };
    fan_out.put_all(unit, retain).await
}

/// One publication and everybody it goes to.
struct FanOut<'a> {
    engine: &'a Engine,
    topic: &'a OpenTopic,
    effective: &'a EffectiveTopic,
    recipients: &'a [Arc<Subscription>],
    publication: &'a Publication,
    now: Timestamp,
}

impl FanOut<'_> {
    async fn run(&self, request: &Request<'_>, retain: bool) -> Result<(), Reason> {
        if request.in_unit() {
            let unit = &request.connection.state;
            self.check_all()?;
            if let Err(reason) = self.put_all(unit, retain).await {
                return Err(undo(self.engine, unit, reason).await);
            }
            return Ok(());
        }
        if retain || self.recipients.len() > 1 {
            let _retaining = if retain { Some(self.engine.publish.retaining.take().await) } else { None };
            let own = Connection::internal(&request.connection.engine);
            self.put_all(&own.state, retain).await?;
            // Dropped before this, or with an error, the connection backs its unit of work out.
            let unit = own.state.unit.lock().take();
            return match unit {
                Some(unit) => commit_or_back_out(self.engine, unit).await,
                None => Ok(()),
            };
        }
        match self.recipients.first() {
            Some(subscription) => self.put(None, subscription).await,
            None => Ok(()),
        }
    }

    async fn put_all(&self, unit: &ConnectionState, retain: bool) -> Result<(), Reason> {
        for subscription in self.recipients {
            self.put(Some(unit), subscription).await?;
        }
        if retain {
            let Publication { descriptor, body, expires } = self.publication;
            let topic = &self.topic.topic_string;
            retained::keep(self.engine, unit, topic, descriptor, body, *expires, self.now).await?;
        }
        Ok(())
    }

    /// Delivers to one subscription, or to the dead-letter queue in its place.
    async fn put(&self, unit: Option<&ConnectionState>, subscription: &Subscription) -> Result<(), Reason> {
        let delivered = deliver(self.engine, unit, subscription, self.publication, self.now).await;
        let Err((message, reason)) = delivered else {
            let Publication { descriptor, body, .. } = self.publication;
            self.engine.statistics.published(descriptor.persistence, body.len());
            return Ok(());
        };
        if reason::is_of_caller(reason) {
            return Err(reason);
        }
        let definition = &subscription.definition;
        debug!(subscription = definition.name, %reason, "a publication could not be delivered");
        if self.effective.use_dead_letter_queue {
            let undelivered = Undelivered {
                message,
                queue: definition.destination,
                queue_manager: definition.destination_queue_manager,
                reason,
            };
            if dead_letter::dispose(self.engine, unit, undelivered, self.now).await.is_ok() {
                return Ok(());
            }
        }
        self.judge(subscription)
    }

    /// Whether a subscription may go without.
    ///
    /// # Errors
    /// `PublicationFailure` (2502): it may not.
    fn judge(&self, subscription: &Subscription) -> Result<(), Reason> {
        let may_miss = match self.delivery() {
            Delivery::AllAvailable => true,
            Delivery::AllDurable => !subscription.definition.durable,
            Delivery::All | Delivery::AsParent => false,
        };
        if may_miss { Ok(()) } else { Err(Reason::PublicationFailure) }
    }

    fn delivery(&self) -> Delivery {
        if self.publication.descriptor.persistence == Persistence::Persistent {
            self.effective.persistent_delivery
        } else {
            self.effective.nonpersistent_delivery
        }
    }

    /// Before anything is put in a unit of work that holds other things too: what will not go, as far as can be seen.
    fn check_all(&self) -> Result<(), Reason> {
        let has_dead_letter_queue =
            self.effective.use_dead_letter_queue && !self.engine.definition.read().dead_letter_queue.is_blank();
        if has_dead_letter_queue || self.delivery() == Delivery::AllAvailable {
            return Ok(());
        }
        for subscription in self.recipients {
            if !looks_deliverable(self.engine, subscription, self.publication.body.len()) {
                self.judge(subscription)?;
            }
        }
        Ok(())
    }
}

fn looks_deliverable(engine: &Engine, subscription: &Subscription, length: usize) -> bool {
    let definition = &subscription.definition;
    let Ok(Resolved::Destination(destination)) =
        resolve(engine, &definition.destination, &definition.destination_queue_manager)
    else {
        return false;
    };
    let Some(queue) = destination.queue() else { return false };
    let (maximum_length, maximum_depth) =
        queue.with_local(|_, local| (local.maximum_message_length, local.maximum_depth));
    crate::verb::put::check_put_enabled(&destination).is_ok()
        && length <= maximum_length as usize
        && queue.depth() < maximum_depth
}

/// Puts a copy of a publication to the queue of a subscription.
///
/// # Errors
/// The copy comes back with the reason of the put.
pub(crate) async fn deliver(
    engine: &Engine,
    unit: Option<&ConnectionState>,
    subscription: &Subscription,
    publication: &Publication,
    now: Timestamp,
) -> Result<(), (Message, Reason)> {
    let definition = &subscription.definition;
    let mut message =
        Message { descriptor: copy_descriptor(engine, subscription, publication, now), body: publication.body.clone() };
    let destination = match resolve(engine, &definition.destination, &definition.destination_queue_manager) {
        Ok(Resolved::Destination(destination)) => destination,
        // Its program closed the queue first and is about to close the subscription.
        Err(_) if definition.managed && !definition.durable => return Ok(()),
        Ok(Resolved::Model(_)) => return Err((message, Reason::ObjectTypeError)),
        Err(reason) => return Err((message, reason)),
    };
    if definition.priority == Some(-1) {
        message.descriptor.priority = i32::from(destination.first().with(|queue| queue.default_priority));
    }
    let is_temporary =
        destination.queue().is_some_and(|queue| queue.definition_type() == DefinitionType::TemporaryDynamic);
    if is_temporary {
        // The queue does not outlive the queue manager, so neither does what is on it.
        message.descriptor.persistence = Persistence::NonPersistent;
    }
    match report::put_to(engine, unit, &destination, message.clone(), publication.expires, now).await {
        Ok(()) => {
            subscription.count(now);
            Ok(())
        }
        Err(reason) => Err((message, reason)),
    }
}

/// A copy is a message of its own, with the subscription's correlation id and identity; its origin is the publisher's.
fn copy_descriptor(
    engine: &Engine,
    subscription: &Subscription,
    publication: &Publication,
    now: Timestamp,
) -> MessageDescriptor {
    let definition = &subscription.definition;
    let of = &publication.descriptor;
    let (user_identifier, accounting_token) =
        identity_context::of_user_with_token(&definition.user, definition.accounting_token);
    let expiry = match publication.expires {
        None => Expiry::UNLIMITED,
        Some(at) => Expiry(i32::try_from(at.since(now).as_millis().div_ceil(100)).unwrap_or(of.expiry.0).max(1)),
    };
    MessageDescriptor {
        expiry,
        message_id: MessageId::new(engine.identifiers.make()),
        correlation_id: definition.correlation_id,
        priority: match definition.priority {
            Some(priority @ 0..) => i32::from(priority),
            Some(_) | None => of.priority,
        },
        user_identifier,
        accounting_token,
        application_identity_data: Text::new(&definition.application_identity_data),
        principal: publisher(publication, (user_identifier, accounting_token)),
        ..of.clone()
    }
}

/// Beside the subscription's identity stays whose publication it is: what a copy causes is the publisher's doing.
fn publisher(publication: &Publication, shown: (Text<12>, AccountingToken)) -> Option<Arc<Principal>> {
    let of = &publication.descriptor;
    if of.principal.is_some() || (of.user_identifier, of.accounting_token) == shown {
        return of.principal.clone();
    }
    // A name that the publication does not tell is nobody's, the subscription's least of all.
    let publisher = of.answerable().unwrap_or_else(|| Principal::user(""));
    identity_context::beyond(&publisher, &shown).then(|| Arc::new(publisher))
}

/// Sends a subscription what is retained for its topics. Returns how many it got.
///
/// # Errors
/// `RetainedNotDelivered` (2526): one of them could not be put; those before it were.
pub(crate) async fn send_retained(engine: &Engine, subscription: &Subscription) -> Result<u32, Reason> {
    let now = engine.now();
    let mut sent = 0;
    let kept = retained::matching(engine, &subscription.pattern, now).await?.into_iter();
    let kept = kept.map(|of| (of.topic, Publication { descriptor: of.descriptor, body: of.body, expires: of.expires }));
    for (topic, publication) in kept.chain(monitoring::descriptions(engine, &subscription.pattern, now)) {
        if !subscription.selects(&publication.descriptor, &publication.body) {
            continue;
        }
        if let Err((_, reason)) = deliver(engine, None, subscription, &publication, now).await {
            debug!(topic, %reason, "a retained publication could not be delivered");
            return Err(Reason::RetainedNotDelivered);
        }
        sent += 1;
    }
    Ok(sent)
}
