//! MQSUB and MQSUBRQ: programs make, alter, resume and use subscriptions.
//!
//! A subscription sends its publications to a queue the program names, or to one the queue manager makes for it
//! (managed). Durable ones have a name, last, and are resumed by it; the others end with their handle.
//!
//! Source: MQ reference, "MQSUB", "MQSD", "MQSUBRQ", 9.3.

use std::sync::Arc;

use model::authority::{Authority, AuthorityObject, Principal};
use model::definition::queue::DefinitionType;
use model::definition::subscription::MadeBy;
use model::definition::{History, SubscriptionDefinition};
use model::identifier::CorrelationId;
use model::name::{QueueManagerName, QueueName};
use model::options::{CloseOptions, ObjectDescriptor, OpenOptions};
use model::reason::Reason;
use model::subscribe::{SubscribeFlags as Flags, SubscriptionDescriptor};
use test_control::faults::Verb;

use crate::definition::definitions;
use crate::engine::Engine;
use crate::instrumentation::accounting::observation::Observation;
use crate::instrumentation::{event, monitoring};
use crate::publish::durable_limit::check_room;
use crate::publish::subscription::{OpenSubscription, Subscription, end, parse_selector, remove_managed_queue};
use crate::publish::topic_tree::{EffectiveTopic, Pattern};
use crate::publish::{check_authority, check_enabled, full_topic_string, grants, send_retained, topics_above};
use crate::queue::dynamic;
use crate::queue::resolve::{Destination, Resolved, resolve};
use crate::security::authority;
use crate::verb::connection::{Connection, ObjectHandle};
use crate::verb::faults::Subject;
use crate::verb::handle::Target;
use crate::verb::open;
use crate::verb::open::{OpenedAs, add, effective_caller, open_local};

/// What MQSUB answers.
#[derive(Debug, Clone)]
pub struct Subscribed {
    /// hSub: for `request_publications` and `close`.
    pub subscription: ObjectHandle,
    /// hObj: the queue to get the publications from.
    pub queue: ObjectHandle,
    pub topic_string: String,
    /// Where they are.
    pub queue_name: QueueName,
    /// What the publications carry.
    pub correlation_id: CorrelationId,
    /// SUBID.
    pub identifier: CorrelationId,
    pub durable: bool,
    /// The queue is the queue manager's own.
    pub managed: bool,
    /// `RetainedNotDelivered` (2526).
    pub warning: Option<Reason>,
}

impl Connection {
    /// Makes, alters or resumes a subscription. `queue` is where publications go, unless the subscription is managed.
    ///
    /// # Errors
    /// 2013, 2017, 2019, 2035, 2046, 2050, 2085, 2161, 2162, 2424, 2425, 2428 (nothing to resume), 2429 (in use), 2431,
    /// 2432 (exists already), 2434 (another user's), 2436 (durable ones not allowed, or as many as may be), 2440, 2459 (selector), 2503
    /// (SUB(DISABLED)), 2509, 2510, 2512, 2515, 2519, 2522, 2524 (another selector), 2531, 2533, 2551.
    pub async fn subscribe(
        &self,
        caller: &Principal,
        descriptor: &SubscriptionDescriptor,
        queue: Option<ObjectHandle>,
    ) -> Result<Subscribed, Reason> {
        let existed = self.state.observation().is_some() && named(&self.engine, &descriptor.name).is_some();
        self.observed(
            (Verb::Subscribe, Subject::Nothing),
            || self.subscribe_now(caller, descriptor, queue),
            |observation, outcome| observation.subscribed(&self.engine, descriptor, existed, outcome),
        )
        .await
    }

    async fn subscribe_now(
        &self,
        caller: &Principal,
        descriptor: &SubscriptionDescriptor,
        queue: Option<ObjectHandle>,
    ) -> Result<Subscribed, Reason> {
        let engine = &self.engine;
        engine.admit(descriptor.flags.contains(Flags::FAIL_IF_QUIESCING))?;
        self.state.check()?;
        check_enabled(engine)?;
        check_descriptor(descriptor)?;
        let object = ObjectDescriptor { alternate_user: descriptor.alternate_user.clone(), ..Default::default() };
        let alternate = descriptor.flags.contains(Flags::ALTERNATE_USER_AUTHORITY);
        let caller = &effective_caller(self, caller, &object, alternate)?;
        let call = Call { connection: self, caller, descriptor, queue };
        let made = match call.run().await {
            // Somebody else has made it meanwhile.
            Err(Reason::SubAlreadyExists) if descriptor.flags.intersects(Flags::ALTER | Flags::RESUME) => {
                call.run().await
            }
            made => made,
        };
        match made {
            Ok(made) => Ok(made),
            Err(reason) => Err(self.tell(reason, event::calls::Call::Subscribe { caller, descriptor }).await),
        }
    }

    /// MQSUBRQ with MQSR_ACTION_PUBLICATION: sends the subscription what is retained for its topics. Returns how many
    /// publications were sent.
    ///
    /// # Errors
    /// `HobjError` (2019): not a subscription handle. `NoRetainedMsg` (2437), `RetainedNotDelivered` (2526), 2161, 2162.
    pub async fn request_publications(&self, handle: ObjectHandle) -> Result<u32, Reason> {
        let note = |observation: &Observation, outcome: &_| observation.requested(&self.engine, outcome);
        self.observed((Verb::Subscribe, Subject::Handle(handle)), || self.request_now(handle), note).await
    }

    async fn request_now(&self, handle: ObjectHandle) -> Result<u32, Reason> {
        self.engine.admit(false)?;
        let open = self.state.handle(handle)?;
        let Target::Subscription(OpenSubscription { subscription, .. }) = &open.target else {
            return Err(Reason::HobjError);
        };
        let subscription = self.engine.publish.with(|state| state.get(subscription).cloned());
        match send_retained(&self.engine, &*subscription.ok_or(Reason::HobjError)?).await? {
            0 => Err(Reason::NoRetainedMsg),
            sent => Ok(sent),
        }
    }
}

/// Checks that need nothing but the descriptor.
fn check_descriptor(descriptor: &SubscriptionDescriptor) -> Result<(), Reason> {
    let flags = descriptor.flags;
    let both = |one, other| flags.contains(one) && flags.contains(other);
    let is_wrong = !flags.intersects(Flags::CREATE | Flags::ALTER | Flags::RESUME)
        || both(Flags::ALTER, Flags::RESUME)
        || both(Flags::ANY_USERID, Flags::FIXED_USERID)
        || both(Flags::NEW_PUBLICATIONS_ONLY, Flags::PUBLICATIONS_ON_REQUEST)
        || both(Flags::WILDCARD_CHAR, Flags::WILDCARD_TOPIC)
        || both(Flags::READ_AHEAD, Flags::NO_READ_AHEAD)
        || both(Flags::GROUP_SUB, Flags::MANAGED)
        || flags.contains(Flags::GROUP_SUB) && !flags.contains(Flags::SET_CORREL_ID)
        || flags.contains(Flags::NEW_PUBLICATIONS_ONLY) && !flags.contains(Flags::CREATE);
    if is_wrong {
        return Err(Reason::OptionsError);
    }
    let lasts = flags.intersects(Flags::DURABLE | Flags::RESUME | Flags::ALTER);
    let name_is_wrong = lasts && descriptor.name.is_empty();
    if name_is_wrong || descriptor.name.len() > SubscriptionDescriptor::MAXIMUM_LENGTH {
        return Err(Reason::SubNameError);
    }
    if descriptor.user_data.len() > SubscriptionDescriptor::MAXIMUM_LENGTH {
        return Err(Reason::SubUserDataError);
    }
    if descriptor.expiry.0 < -1 || descriptor.expiry.0 == 0 {
        return Err(Reason::ExpiryError);
    }
    if !matches!(descriptor.priority, -3 | -1..=9) || descriptor.priority == -2 {
        return Err(Reason::PriorityError);
    }
    if !(0..=9).contains(&descriptor.level) {
        return Err(Reason::SdError);
    }
    parse_selector(&descriptor.selector)?;
    Ok(())
}

fn named(engine: &Engine, name: &str) -> Option<Arc<Subscription>> {
    if name.is_empty() {
        return None;
    }
    engine.publish.with(|state| state.named(name).cloned())
}

/// One MQSUB call.
struct Call<'a> {
    connection: &'a Connection,
    caller: &'a Principal,
    descriptor: &'a SubscriptionDescriptor,
    queue: Option<ObjectHandle>,
}

impl Call<'_> {
    fn engine(&self) -> &Engine {
        &self.connection.engine
    }

    fn has(&self, flag: Flags) -> bool {
        self.descriptor.flags.contains(flag)
    }

    async fn run(&self) -> Result<Subscribed, Reason> {
        match named(self.engine(), &self.descriptor.name) {
            Some(_) if !self.descriptor.flags.intersects(Flags::ALTER | Flags::RESUME) => Err(Reason::SubAlreadyExists),
            Some(existing) => self.resume(existing).await,
            None if !self.has(Flags::CREATE) => Err(Reason::NoSubscription),
            None => self.create().await,
        }
    }

    async fn create(&self) -> Result<Subscribed, Reason> {
        let engine = self.engine();
        let topic_string = full_topic_string(engine, &self.descriptor.topic_object, &self.descriptor.topic_string)?;
        Pattern::parse(&topic_string, !self.has(Flags::WILDCARD_CHAR))?;
        let effective = engine.publish.effective(&topic_string);
        let durable = self.has(Flags::DURABLE);
        if !effective.subscribe {
            return Err(Reason::SubInhibited);
        }
        if durable && !effective.durable_subscriptions {
            return Err(Reason::DurabilityNotAllowed);
        }
        check_authority(engine, self.connection.door(), self.caller, &topic_string, Authority::SUBSCRIBE)?;
        if durable {
            check_room(engine, self.caller, &self.caller.user)?;
        }

        let (destination, destination_queue_manager) =
            if self.has(Flags::MANAGED) { self.make_queue(&effective).await? } else { self.given_queue(durable)? };
        let mut definition = self.definition(topic_string);
        definition.destination = destination;
        definition.destination_queue_manager = destination_queue_manager;
        let made = self.add(definition).await;
        if made.is_err() && self.has(Flags::MANAGED) {
            let definition = SubscriptionDefinition { destination, managed: true, durable: true, ..Default::default() };
            remove_managed_queue(engine, &definition).await;
        }
        made
    }

    /// What the descriptor says; the queue is filled in by the caller.
    fn definition(&self, topic_string: String) -> SubscriptionDefinition {
        let engine = self.engine();
        let now = engine.now();
        let mut definition = SubscriptionDefinition {
            name: self.descriptor.name.clone(),
            identifier: CorrelationId::new(engine.identifiers.make()),
            topic_object: self.descriptor.topic_object,
            topic_string,
            managed: self.has(Flags::MANAGED),
            durable: self.has(Flags::DURABLE),
            made_by: MadeBy::Api,
            selector: self.descriptor.selector.trim_end_matches(['\0', ' ']).to_owned(),
            wildcard_topic: !self.has(Flags::WILDCARD_CHAR),
            grouped: self.has(Flags::GROUP_SUB),
            any_user: self.has(Flags::ANY_USERID),
            level: u8::try_from(self.descriptor.level).unwrap_or(1),
            local_scope: self.has(Flags::SCOPE_QMGR),
            history: History { created: now, altered: now },
            ..Default::default()
        };
        definition.correlation_id = definition.identifier;
        self.fill_alterable(&mut definition);
        definition
    }

    /// What MQSO_ALTER may change.
    fn fill_alterable(&self, definition: &mut SubscriptionDefinition) {
        definition.user = self.caller.user.to_string();
        if self.has(Flags::SET_CORREL_ID) {
            definition.correlation_id = self.descriptor.correlation_id;
        }
        if self.has(Flags::SET_IDENTITY_CONTEXT) {
            definition.accounting_token = self.descriptor.accounting_token;
            definition.application_identity_data = self.descriptor.application_identity_data.to_text().into_owned();
        }
        definition.user_data.clone_from(&self.descriptor.user_data);
        definition.request_only = self.has(Flags::PUBLICATIONS_ON_REQUEST);
        definition.expiry_tenths = u32::try_from(self.descriptor.expiry.0).ok();
        definition.priority = match self.descriptor.priority {
            SubscriptionDescriptor::PRIORITY_AS_PUBLISHED => None,
            priority => i8::try_from(priority).ok(),
        };
    }

    /// A queue made from the topic's model.
    async fn make_queue(&self, effective: &EffectiveTopic) -> Result<(QueueName, QueueManagerName), Reason> {
        let engine = self.engine();
        let (model, pattern) = if self.has(Flags::DURABLE) {
            (effective.model_durable, "SYSTEM.MANAGED.DURABLE.*")
        } else {
            (effective.model_nondurable, "SYSTEM.MANAGED.NDURABLE.*")
        };
        let Resolved::Model(model) = resolve(engine, &model, &QueueManagerName::BLANK)? else {
            return Err(Reason::InvalidDestination);
        };
        let queue = dynamic::make(engine, &model, self.caller, pattern).await?;
        if self.has(Flags::DURABLE) && queue.definition_type() == DefinitionType::TemporaryDynamic {
            dynamic::delete_temporary(engine, &queue).await;
            return Err(Reason::InvalidDestination);
        }
        Ok((queue.name, engine.name))
    }

    /// The queue whose handle was given.
    ///
    /// # Errors
    /// `HobjError` (2019): none, or no queue. `NotAuthorized` (2035): no +put. `InvalidDestination` (2522): durable ones
    /// cannot use a queue that does not last.
    fn given_queue(&self, durable: bool) -> Result<(QueueName, QueueManagerName), Reason> {
        let engine = self.engine();
        let open = self.connection.state.handle(self.queue.ok_or(Reason::HobjError)?)?;
        let Target::Queue(destination) = &open.target else { return Err(Reason::HobjError) };
        let queue = destination.queue().ok_or(Reason::InvalidDestination)?;
        if durable && queue.definition_type() == DefinitionType::TemporaryDynamic {
            return Err(Reason::InvalidDestination);
        }
        if queue.creator.as_ref().is_none_or(|creator| *creator != self.caller.user) {
            let door = self.connection.door();
            authority::check(engine, door, self.caller, AuthorityObject::Queue, &open.name, Authority::PUT)?;
        }
        Ok(match destination {
            Destination::Remote { opened: None, queue, queue_manager, .. } => (*queue, *queue_manager),
            Destination::Local { .. } | Destination::Remote { .. } | Destination::Topic { .. } => {
                (open.name, engine.name)
            }
        })
    }

    /// Makes a new subscription known, lasting if durable, opens its handles, and sends what is retained.
    async fn add(&self, definition: SubscriptionDefinition) -> Result<Subscribed, Reason> {
        let engine = self.engine();
        let wants_retained = !self.has(Flags::NEW_PUBLICATIONS_ONLY) && !definition.request_only;
        let _retaining = if wants_retained { Some(engine.publish.retaining.take().await) } else { None };
        let subscription = Arc::new(Subscription::new(Arc::new(definition), Arc::default())?);
        save(engine, self.caller, &subscription, None).await?;
        let mut subscribed = match self.open_handles(&subscription).await {
            Ok(subscribed) => subscribed,
            Err(reason) => {
                end(engine, &subscription).await?;
                return Err(reason);
            }
        };
        if wants_retained {
            subscribed.warning = send_retained(engine, &subscription).await.err();
        }
        Ok(subscribed)
    }

    async fn resume(&self, existing: Arc<Subscription>) -> Result<Subscribed, Reason> {
        let engine = self.engine();
        let of = &existing.definition;
        if !of.any_user && *of.user != *self.caller.user {
            return Err(Reason::IdentityMismatch);
        }
        self.check_unaltered(of)?;
        let wanted = if self.has(Flags::ALTER) { Authority::SUBSCRIBE } else { Authority::RESUME };
        let above = topics_above(engine, &of.topic_string);
        // The authority to subscribe covers that to resume.
        if !grants(engine, self.caller, &above, wanted) {
            check_authority(engine, self.connection.door(), self.caller, &of.topic_string, Authority::SUBSCRIBE)?;
        }
        // Those who share it have agreed on all that could be altered.
        if !self.has(Flags::ALTER) || self.descriptor.shared && existing.is_open() {
            return self.open_handles(&existing).await;
        }
        let mut altered = SubscriptionDefinition::clone(of);
        self.fill_alterable(&mut altered);
        altered.history.altered = engine.now();
        if let (Some(_), false) = (self.queue, of.managed) {
            (altered.destination, altered.destination_queue_manager) = self.given_queue(of.durable)?;
        }
        let altered = Arc::new(Subscription::new(Arc::new(altered), existing.activity.clone())?);
        save(engine, self.caller, &altered, Some(&existing)).await?;
        self.open_handles(&altered).await
    }

    /// # Errors
    /// What may not differ: the topic, if named (2510). In an alteration also durability (2509), who made the queue (2533),
    /// grouping (2515), level (2512), selector (2524): a resumption alone takes them as they are.
    fn check_unaltered(&self, of: &SubscriptionDefinition) -> Result<(), Reason> {
        let names_topic = !self.descriptor.topic_object.is_blank() || !self.descriptor.topic_string.is_empty();
        if names_topic {
            let own = &self.descriptor.topic_string;
            let topic_string = full_topic_string(self.engine(), &self.descriptor.topic_object, own)?;
            if topic_string != of.topic_string {
                return Err(Reason::TopicNotAlterable);
            }
        }
        if !self.has(Flags::ALTER) {
            return Ok(());
        }
        if self.has(Flags::DURABLE) != of.durable {
            return Err(Reason::DurabilityNotAlterable);
        }
        if self.has(Flags::MANAGED) != of.managed {
            return Err(Reason::DestClassNotAlterable);
        }
        if self.has(Flags::GROUP_SUB) != of.grouped {
            return Err(Reason::GroupingNotAlterable);
        }
        if self.descriptor.level != i32::from(of.level) {
            return Err(Reason::SublevelNotAlterable);
        }
        let selector = self.descriptor.selector.trim_end_matches(['\0', ' ']);
        if selector != of.selector {
            return Err(Reason::SelectorNotAlterable);
        }
        Ok(())
    }

    /// The subscription's handle, and one of its queue unless the program has that already.
    async fn open_handles(&self, subscription: &Arc<Subscription>) -> Result<Subscribed, Reason> {
        let definition = &subscription.definition;
        let connection = self.connection.state.number;
        subscription.open_for(connection, self.descriptor.shared)?;
        let open = OpenSubscription { subscription: definition.identifier, connection };
        let target = Target::Subscription(open);
        let name = definition.topic_object;
        let handle = match add(self.connection, self.caller, name, target, OpenOptions::empty()) {
            Ok(opened) => opened.handle,
            Err(reason) => {
                subscription.close_for(connection);
                return Err(reason);
            }
        };
        let queue = match self.queue {
            Some(queue) if !definition.managed => Ok(queue),
            _ => self.open_queue(definition).await,
        };
        let queue = match queue {
            Ok(queue) => queue,
            Err(reason) => {
                // A new one ends here with its handle; a resumed one stays.
                let options = if definition.durable { CloseOptions::KEEP_SUB } else { CloseOptions::empty() };
                self.connection.close(handle, options).await?;
                return Err(reason);
            }
        };
        Ok(Subscribed {
            subscription: handle,
            queue,
            queue_name: definition.destination,
            topic_string: definition.topic_string.clone(),
            correlation_id: definition.correlation_id,
            identifier: definition.identifier,
            durable: definition.durable,
            managed: definition.managed,
            warning: None,
        })
    }

    /// The queue manager's own queue is open to every user of the subscription; another one asks for +get.
    async fn open_queue(&self, definition: &SubscriptionDefinition) -> Result<ObjectHandle, Reason> {
        let options = OpenOptions::INPUT_AS_Q_DEF | OpenOptions::BROWSE | OpenOptions::INQUIRE;
        if !definition.managed {
            let object = ObjectDescriptor {
                name: definition.destination,
                queue_manager: definition.destination_queue_manager,
                ..Default::default()
            };
            let options = OpenOptions::INPUT_AS_Q_DEF;
            return open::open(self.connection, self.caller, &object, options).await.map(|opened| opened.handle);
        }
        let queue = self.engine().queue(&definition.destination).ok_or(Reason::QDeleted)?;
        let opened_as = OpenedAs {
            made_queue: !definition.durable,
            shared_by: self.descriptor.shared.then_some(definition.identifier),
            selector: None,
        };
        open_local(self.connection, self.caller, queue, options, opened_as).await.map(|opened| opened.handle)
    }
}

/// Puts a subscription in the place of `before`, on disk first when it lasts.
async fn save(
    engine: &Engine,
    caller: &Principal,
    subscription: &Arc<Subscription>,
    before: Option<&Subscription>,
) -> Result<(), Reason> {
    let definition = &subscription.definition;
    let _change = engine.changes.take().await;
    if before.is_none() && named(engine, &definition.name).is_some() {
        return Err(Reason::SubAlreadyExists);
    }
    if !definition.durable {
        engine.publish.with_mut(|state| state.insert(subscription.clone()));
        monitoring::subscribed(engine, subscription);
        return Ok(());
    }
    if before.is_none() {
        check_room(engine, caller, &definition.user)?;
    }
    let show = || {
        engine.subscriptions.write().insert(definition.name.clone(), definition.clone());
        engine.publish.with_mut(|state| state.insert(subscription.clone()));
    };
    definitions::save_and_show(engine, vec![definitions::save_subscription(definition)], show).await?;
    monitoring::subscribed(engine, subscription);
    Ok(())
}
