//! Subscriptions made by programs (MQSUB) and by commands.

use std::sync::Arc;

use model::authority::{Authority, AuthorityObject, Principal};
use model::definition::SubscriptionDefinition;
use model::definition::attribute::View;

use crate::definitions;
use crate::engine::Engine;
use crate::objects::{ObjectError, authorise, check_attributes};

/// A subscription handle (hSub) of a connection.
pub(crate) struct OpenSubscription {}

/// Closes a subscription handle: non-durable ones end.
pub(crate) async fn close(_engine: &Engine, _subscription: &OpenSubscription, _remove: bool) {}

pub(crate) async fn define(
    engine: &Engine,
    caller: &Principal,
    mut definition: SubscriptionDefinition,
    replace: bool,
) -> Result<(), ObjectError> {
    authorise(engine, caller, AuthorityObject::QueueManager, &engine.name, Authority::CHANGE)?;
    let _change = engine.changes.lock().await;
    let before = engine.subscriptions.read().get(&definition.name).cloned();
    if before.is_some() && !replace {
        return Err(ObjectError::already_exists(&definition.name));
    }
    let now = engine.now();
    definition.history.created = before.map_or(now, |before| before.history.created);
    definition.history.altered = now;
    keep(engine, definition).await
}

pub(crate) async fn alter(
    engine: &Engine,
    caller: &Principal,
    mut definition: SubscriptionDefinition,
) -> Result<(), ObjectError> {
    authorise(engine, caller, AuthorityObject::QueueManager, &engine.name, Authority::CHANGE)?;
    let _change = engine.changes.lock().await;
    let before = engine.subscriptions.read().get(&definition.name).cloned();
    let before = before.ok_or_else(|| ObjectError::not_found(&definition.name))?;
    definition.history.created = before.history.created;
    definition.history.altered = engine.now();
    keep(engine, definition).await
}

async fn keep(engine: &Engine, definition: SubscriptionDefinition) -> Result<(), ObjectError> {
    check_attributes(&definition.name, View::Subscription(&definition))?;
    engine.save(vec![definitions::save_subscription(&definition)]).await?;
    engine.subscriptions.write().insert(definition.name.clone(), Arc::new(definition));
    engine.publish.definitions_changed(engine);
    Ok(())
}

pub(crate) async fn delete(engine: &Engine, caller: &Principal, name: &str) -> Result<(), ObjectError> {
    authorise(engine, caller, AuthorityObject::QueueManager, &engine.name, Authority::CHANGE)?;
    let _change = engine.changes.lock().await;
    if !engine.subscriptions.read().contains_key(name) {
        return Err(ObjectError::not_found(name));
    }
    engine.save(vec![definitions::delete_subscription(name)]).await?;
    engine.subscriptions.write().remove(name);
    engine.publish.definitions_changed(engine);
    Ok(())
}
