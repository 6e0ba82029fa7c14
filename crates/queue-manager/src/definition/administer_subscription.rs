//! DEFINE, ALTER and DELETE SUB: subscriptions made by commands. They are durable, and named.

use std::sync::Arc;

use model::authority::{Authority, AuthorityObject, Principal};
use model::definition::SubscriptionDefinition;
use model::definition::attribute::View;
use model::identifier::CorrelationId;
use model::name::{QueueManagerName, TopicName};
use model::reason::Reason;

use crate::QueueManager;
use crate::definition::definitions;
use crate::definition::objects::{ObjectError, authorise, check_attributes};
use crate::engine::Engine;
use crate::publish::durable_limit::check_room;
use crate::publish::subscription::ManagedQueue;
use crate::publish::topic_tree::Pattern;
use crate::publish::{full_topic_string, send_retained};
use crate::queue::dynamic;
use crate::queue::resolve::{Resolved, resolve};
use crate::selection::selector::Selector;

impl QueueManager {
    /// The topic string that a topic object and a string of the application's own make together.
    ///
    /// # Errors
    /// `UnknownObjectName` (2085): no such topic object, or neither is given. `TopicStringError` (2425).
    pub fn full_topic_string(&self, topic: &TopicName, own: &str) -> Result<String, Reason> {
        full_topic_string(self.engine(), topic, own)
    }
}

/// Makes a subscription known and, unless it asks for nothing by itself, sends it what is retained.
pub(super) async fn define(
    engine: &Engine,
    caller: &Principal,
    mut definition: SubscriptionDefinition,
    replace: bool,
) -> Result<(), ObjectError> {
    authorise(engine, caller, AuthorityObject::QueueManager, &engine.name, Authority::CHANGE)?;
    let before = engine.subscriptions.read().get(&definition.name).cloned();
    match &before {
        Some(_) if !replace => return Err(ObjectError::already_exists(&definition.name)),
        Some(before) => {
            take_over(&mut definition, before)?;
            definition.history.altered = engine.now();
        }
        None => {
            begin(engine, &mut definition)?;
            check_room(engine, caller, &definition.user).map_err(ObjectError::Reason)?;
        }
    }
    let made_queue = before.is_none() && definition.managed;
    if made_queue {
        make_queue(engine, caller, &mut definition).await?;
    }
    let queue = made_queue.then(|| ManagedQueue::new(engine, Arc::new(definition.clone())));
    let _retaining = engine.publish.retaining.take().await;
    let identifier = definition.identifier;
    let kept = {
        let _change = engine.changes.take().await;
        let now_there = engine.subscriptions.read().get(&definition.name).cloned();
        match (&before, &now_there) {
            (None, Some(_)) => Err(ObjectError::already_exists(&definition.name)),
            (None, None) if check_room(engine, caller, &definition.user).is_err() => {
                Err(ObjectError::Reason(Reason::DurabilityNotAllowed))
            }
            _ => keep(engine, &definition).await,
        }
    };
    if let (Err(_), Some(queue)) = (&kept, queue) {
        queue.remove().await;
    }
    kept?;
    let subscription = engine.publish.with(|state| state.get(&identifier).cloned());
    if let Some(subscription) = subscription.filter(|known| before.is_none() && !known.definition.request_only) {
        // The subscription stands; a retained publication that its queue does not take is not a failed command.
        let _ = send_retained(engine, &subscription).await;
    }
    Ok(())
}

/// What cannot be said in a command is the queue manager's to say.
fn begin(engine: &Engine, definition: &mut SubscriptionDefinition) -> Result<(), ObjectError> {
    let now = engine.now();
    definition.history.created = now;
    definition.history.altered = now;
    definition.identifier = CorrelationId::new(engine.identifiers.make());
    if definition.correlation_id.is_none() {
        definition.correlation_id = definition.identifier;
    }
    if !engine.publish.effective(&definition.topic_string).subscribe {
        return Err(ObjectError::Reason(Reason::SubInhibited));
    }
    Ok(())
}

/// A replacement or an alteration keeps what makes it the same subscription.
///
/// # Errors
/// `Attribute`: topic string, wildcard scheme and class of destination never change.
fn take_over(after: &mut SubscriptionDefinition, before: &SubscriptionDefinition) -> Result<(), ObjectError> {
    let fixed = [
        ("TOPICSTR", after.topic_string != before.topic_string),
        ("WSCHEMA", after.wildcard_topic != before.wildcard_topic),
        ("DESTCLAS", after.managed != before.managed),
    ];
    if let Some((attribute, _)) = fixed.into_iter().find(|(_, differs)| *differs) {
        let problem = "it cannot be changed while the subscription lasts".to_owned();
        return Err(ObjectError::Attribute { name: after.name.clone(), attribute, problem });
    }
    after.identifier = before.identifier;
    after.durable = before.durable;
    after.made_by = before.made_by;
    after.grouped = before.grouped;
    after.history.created = before.history.created;
    if after.correlation_id.is_none() {
        after.correlation_id = before.correlation_id;
    }
    if before.managed {
        after.destination = before.destination;
        after.destination_queue_manager = before.destination_queue_manager;
    }
    Ok(())
}

/// DESTCLAS(MANAGED): a queue from the model of the topic.
async fn make_queue(
    engine: &Engine,
    caller: &Principal,
    definition: &mut SubscriptionDefinition,
) -> Result<(), ObjectError> {
    let model = engine.publish.effective(&definition.topic_string).model_durable;
    let Ok(Resolved::Model(model)) = resolve(engine, &model, &QueueManagerName::BLANK) else {
        return Err(ObjectError::Reason(Reason::InvalidDestination));
    };
    let made = dynamic::make(engine, &model, caller, "SYSTEM.MANAGED.DURABLE.*").await;
    definition.destination = made.map_err(ObjectError::Reason)?.name;
    definition.destination_queue_manager = engine.name;
    Ok(())
}

/// `change` is given the definition as it is; nobody else changes it meanwhile.
pub(crate) async fn change<E: From<ObjectError>>(
    engine: &Engine,
    caller: &Principal,
    name: &str,
    change: impl FnOnce(&mut SubscriptionDefinition) -> Result<(), E>,
) -> Result<(), E> {
    authorise(engine, caller, AuthorityObject::QueueManager, &engine.name, Authority::CHANGE)?;
    let _change = engine.changes.take().await;
    let before = engine.subscriptions.read().get(name).cloned();
    let before = before.ok_or_else(|| ObjectError::not_found(name))?;
    let mut definition = (*before).clone();
    change(&mut definition)?;
    take_over(&mut definition, &before)?;
    definition.history.altered = engine.now();
    Ok(keep(engine, &definition).await?)
}

/// Checked, written, shown. The caller holds the lock on changes.
async fn keep(engine: &Engine, definition: &SubscriptionDefinition) -> Result<(), ObjectError> {
    check_attributes(&definition.name, View::Subscription(definition))?;
    if Pattern::parse(&definition.topic_string, definition.wildcard_topic).is_err() {
        return Err(ObjectError::Attribute {
            name: definition.name.clone(),
            attribute: "TOPICSTR",
            problem: "'%' must be followed by '*', '?' or '%'".to_owned(),
        });
    }
    if let Some(problem) = selector_problem(&definition.selector) {
        return Err(ObjectError::Attribute { name: definition.name.clone(), attribute: "SELECTOR", problem });
    }
    let show = || {
        engine.subscriptions.write().insert(definition.name.clone(), Arc::new(definition.clone()));
        engine.publish.definitions_changed(engine);
    };
    engine.save_and_show(vec![definitions::save_subscription(definition)], show).await
}

fn selector_problem(selector: &str) -> Option<String> {
    let is_blank = selector.trim_end_matches(' ').is_empty();
    let parsed = if is_blank { None } else { Selector::parse(selector.trim_end_matches(' ')).err() };
    parsed.map(|error| error.to_string())
}

/// # Errors
/// `InUse`: a program has it open.
pub(crate) async fn delete(engine: &Engine, caller: &Principal, name: &str) -> Result<(), ObjectError> {
    authorise(engine, caller, AuthorityObject::QueueManager, &engine.name, Authority::CHANGE)?;
    let subscription = engine.publish.with(|state| state.named(name).cloned());
    let subscription = subscription.ok_or_else(|| ObjectError::not_found(name))?;
    if subscription.is_open() {
        return Err(ObjectError::InUse { name: name.to_owned() });
    }
    crate::publish::subscription::end(engine, &subscription).await.map_err(ObjectError::Reason)
}
