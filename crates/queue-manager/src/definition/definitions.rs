//! Definitions as the store keeps them: keys, JSON values, and what a start reads.
//!
//! ```text
//! qmgr              the queue manager's own definition
//! queue/NAME        local, alias, remote and model queues; temporary dynamic ones are never saved
//! topic/NAME        topic objects
//! sub/NAME          durable subscriptions
//! auth/OBJECT/ENTITY/PROFILE    authority records
//! chlauth/PROFILE/TYPE/PARTNERS channel authentication records
//! channel/NAME, clntconn/NAME   channels; client connections have names of their own
//! listener/NAME, process/NAME, namelist/NAME, service/NAME, authinfo/NAME, comminfo/NAME, cfstruct/NAME
//! group/KIND/NAME   definitions of the queue-sharing group (`group/definitions.rs`)
//! defaults          up to which step the objects of `defaults.rs` have been made
//! ```
//!
//! Values are the serde forms of the model's types: a field that an older version did not know takes its default.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::authority::{AuthorityObject, AuthorityRecord, Entity};
use model::definition::queue::{AliasTarget, Disposition};
use model::definition::{
    AdministeredObject, ChannelAuthentication, QueueDefinition, QueueKind, QueueManagerDefinition,
    SubscriptionDefinition, TopicDefinition,
};
use model::name::{QueueManagerName, QueueName, TopicName};
use model::reason::Reason;
use serde::Serialize;
use serde::de::DeserializeOwned;
use storage::DefinitionChange;
use storage::shared::GroupDisposition;

use crate::definition::objects::ObjectError;
use crate::engine::Engine;
use crate::group::Master;
use crate::queue::Queue;
use crate::reason;
use crate::security::channel_authentication;
use crate::{StartError, group};

pub(crate) fn save_queue_manager(definition: &QueueManagerDefinition) -> DefinitionChange {
    save("qmgr".to_owned(), definition)
}

pub(crate) fn save_queue(definition: &QueueDefinition) -> DefinitionChange {
    save(queue_key(&definition.name), definition)
}

pub(crate) fn delete_queue(name: &QueueName) -> DefinitionChange {
    DefinitionChange::Delete { key: queue_key(name) }
}

pub(crate) fn save_topic(definition: &TopicDefinition) -> DefinitionChange {
    save(topic_key(&definition.name), definition)
}

pub(super) fn delete_topic(name: &TopicName) -> DefinitionChange {
    DefinitionChange::Delete { key: topic_key(name) }
}

pub(crate) fn save_subscription(definition: &SubscriptionDefinition) -> DefinitionChange {
    save(subscription_key(&definition.name), definition)
}

pub(crate) fn delete_subscription(name: &str) -> DefinitionChange {
    DefinitionChange::Delete { key: subscription_key(name) }
}

pub(crate) fn save_authority(record: &AuthorityRecord) -> DefinitionChange {
    save(authority_key(record), record)
}

pub(crate) fn delete_authority(record: &AuthorityRecord) -> DefinitionChange {
    DefinitionChange::Delete { key: authority_key(record) }
}

fn authority_key(record: &AuthorityRecord) -> String {
    let entity = match &record.entity {
        Entity::Principal(name) => format!("principal:{name}"),
        Entity::Group(name) => format!("group:{name}"),
    };
    format!("auth/{:?}/{entity}/{}", record.object, record.profile)
}

pub(crate) fn save_channel_authentication(record: &ChannelAuthentication) -> DefinitionChange {
    save(channel_authentication::key(record), record)
}

pub(crate) fn save_object(object: &AdministeredObject) -> DefinitionChange {
    save(object_key(object), object)
}

pub(super) fn delete_object(object: &AdministeredObject) -> DefinitionChange {
    DefinitionChange::Delete { key: object_key(object) }
}

/// Remembers that default objects up to this step have been made, so that one deleted on purpose stays away.
pub(crate) fn save_default_step(step: u32) -> DefinitionChange {
    save("defaults".to_owned(), &step)
}

fn object_key(object: &AdministeredObject) -> String {
    let family = match object.family() {
        AuthorityObject::Channel => "channel",
        AuthorityObject::ClientChannel => "clntconn",
        AuthorityObject::Listener => "listener",
        AuthorityObject::Process => "process",
        AuthorityObject::NameList => "namelist",
        AuthorityObject::Service => "service",
        AuthorityObject::AuthenticationInformation => "authinfo",
        AuthorityObject::CommunicationInformation => "comminfo",
        AuthorityObject::Structure => "cfstruct",
        other => unreachable!("no administered object is of {other:?}"),
    };
    format!("{family}/{}", object.name())
}

fn queue_key(name: &QueueName) -> String {
    format!("queue/{name}")
}

fn topic_key(name: &TopicName) -> String {
    format!("topic/{name}")
}

fn subscription_key(name: &str) -> String {
    format!("sub/{name}")
}

fn save<T: Serialize>(key: String, value: &T) -> DefinitionChange {
    let value = serde_json::to_vec(value).expect("definitions hold nothing that JSON cannot");
    DefinitionChange::Save { key, value }
}

/// Saves changes, then has `show` show them to everybody. The caller holds the lock on changes.
///
/// Dropped half-way, it is all or nothing: before the changes are in the log nothing happens; once they are, they are
/// shown at once, as what others do because of them comes after them in the log. Without changes, as those of a temporary
/// queue, it is shown only.
///
/// # Errors
/// `ResourceProblem` (2102), `QMgrStopping` (2162): nothing is shown.
pub(crate) async fn save_and_show(
    engine: &Engine,
    changes: Vec<DefinitionChange>,
    show: impl FnOnce(),
) -> Result<(), Reason> {
    if changes.is_empty() {
        show();
        return Ok(());
    }
    let store = &engine.store;
    let appended =
        store.append_definitions(changes).await.map_err(|error| reason::of_store_at_large(engine, &error))?;
    let showing = Showing(Some(show));
    match store.definitions_durable(appended).await {
        Ok(()) => Ok(()),
        Err(error) => {
            showing.give_up();
            Err(reason::of_store_at_large(engine, &error))
        }
    }
}

/// Shows what is in the log when it is dropped: its change is durable, or nobody waits for that any more.
struct Showing<F: FnOnce()>(Option<F>);

impl<F: FnOnce()> Showing<F> {
    fn give_up(mut self) {
        self.0 = None;
    }
}

impl<F: FnOnce()> Drop for Showing<F> {
    fn drop(&mut self) {
        if let Some(show) = self.0.take() {
            show();
        }
    }
}

/// Changes a queue's definition, saved unless the queue is temporary, and shows it to everybody.
///
/// # Errors
/// `ResourceProblem` (2102), `QDeleted` (2052).
pub(crate) async fn change_queue(
    engine: &Engine,
    queue: &Arc<Queue>,
    change: impl FnOnce(&mut QueueDefinition),
) -> Result<(), Reason> {
    let _change = engine.changes.take().await;
    if queue.is_deleted() {
        return Err(Reason::QDeleted);
    }
    let before = queue.definition();
    let mut definition = (*before).clone();
    change(&mut definition);
    let changes = changes_of_queue(queue, &definition);
    let show = || {
        engine.show_queue(queue, definition);
        wake_waiters(engine, queue, &before);
    };
    let kept = keep_queue(engine, before.disposition, changes, show).await;
    kept.map_err(|error| match error {
        ObjectError::Reason(reason) => reason,
        _ => Reason::ObjectChanged,
    })
}

/// Saves a changed definition of a queue where those of its disposition are, and shows it. The caller holds the lock on changes.
///
/// # Errors
/// Those of `save_and_show`; of a shared queue those of `group::definitions::keep`.
pub(crate) async fn keep_queue(
    engine: &Engine,
    disposition: Disposition,
    changes: Vec<DefinitionChange>,
    show: impl FnOnce(),
) -> Result<(), ObjectError> {
    match <[DefinitionChange; 1]>::try_from(changes) {
        Ok([change]) if disposition == Disposition::Shared => {
            group::definitions::keep(engine, GroupDisposition::Shared, change, show).await
        }
        Ok([change]) => engine.save_and_show(vec![change], show).await,
        Err(changes) => engine.save_and_show(changes, show).await,
    }
}

/// Waiters look again: gets may be inhibited now, or enabled, or lead elsewhere. Those by an alias wait where it led `before`.
pub(crate) fn wake_waiters(engine: &Engine, queue: &Queue, before: &QueueDefinition) {
    queue.waiters.wake_all();
    if let QueueKind::Alias(alias) = &before.kind
        && alias.target_type == AliasTarget::Queue
        && let Some(target) = engine.queue(&alias.target)
    {
        target.waiters.wake_all();
    }
}

/// What is written when a queue's definition changes: of a temporary queue nothing.
pub(super) fn changes_of_queue(queue: &Queue, definition: &QueueDefinition) -> Vec<DefinitionChange> {
    if queue.is_temporary() { Vec::new() } else { vec![save_queue(definition)] }
}

/// What the store held.
#[derive(Default)]
pub(crate) struct Saved {
    pub(crate) queue_manager: Option<QueueManagerDefinition>,
    pub(crate) queues: Vec<QueueDefinition>,
    pub(crate) topics: Vec<TopicDefinition>,
    pub(crate) subscriptions: BTreeMap<String, Arc<SubscriptionDefinition>>,
    pub(crate) authorities: Vec<AuthorityRecord>,
    pub(crate) channel_authentications: Vec<ChannelAuthentication>,
    pub(crate) objects: Vec<AdministeredObject>,
    pub(crate) masters: Vec<Master>,
    /// 0 when no step has been remembered.
    pub(crate) default_step: u32,
}

/// # Errors
/// `StartError::Definition`: a key or a value that this version cannot read. Nothing is ignored: a definition that is
/// passed over would lose its messages.
pub(crate) fn read(name: QueueManagerName, definitions: Vec<(String, Vec<u8>)>) -> Result<Saved, StartError> {
    let mut saved = Saved::default();
    for (key, value) in definitions {
        let kind = key.split('/').next().unwrap_or_default();
        match kind {
            "qmgr" => saved.queue_manager = Some(parse(name, &key, &value)?),
            "queue" => saved.queues.push(parse(name, &key, &value)?),
            "topic" => saved.topics.push(parse(name, &key, &value)?),
            "sub" => {
                let definition: SubscriptionDefinition = parse(name, &key, &value)?;
                saved.subscriptions.insert(definition.name.clone(), Arc::new(definition));
            }
            "auth" => saved.authorities.push(parse(name, &key, &value)?),
            "chlauth" => saved.channel_authentications.push(parse(name, &key, &value)?),
            "channel" | "clntconn" | "listener" | "process" | "namelist" | "service" | "authinfo" | "comminfo"
            | "cfstruct" => saved.objects.push(parse(name, &key, &value)?),
            group::definitions::PREFIX => match Master::read(of_group(&key), &value) {
                Ok(Some(master)) => saved.masters.push(master),
                Ok(None) => return Err(StartError::UnknownDefinition { name, key }),
                Err(source) => return Err(StartError::Definition { name, key, source }),
            },
            "defaults" => saved.default_step = parse(name, &key, &value)?,
            _ => return Err(StartError::UnknownDefinition { name, key }),
        }
    }
    Ok(saved)
}

/// True when this is the key under which the value was saved. A definition that cannot be read is no such thing, or of another
/// version: `read` says which.
pub(crate) fn is_key_of(key: &str, value: &[u8]) -> bool {
    fn made<T: DeserializeOwned>(value: &[u8], save: impl Fn(&T) -> DefinitionChange) -> Option<DefinitionChange> {
        serde_json::from_slice(value).ok().map(|definition| save(&definition))
    }
    let saved = match key.split('/').next().unwrap_or_default() {
        "qmgr" => made(value, save_queue_manager),
        "queue" => made(value, save_queue),
        "topic" => made(value, save_topic),
        "sub" => made(value, save_subscription),
        "auth" => made(value, save_authority),
        "chlauth" => made(value, save_channel_authentication),
        "defaults" => made(value, |step| save_default_step(*step)),
        group::definitions::PREFIX => Master::read(of_group(key), value).ok().flatten().map(|master| master.save()),
        _ => made(value, save_object),
    };
    matches!(saved, Some(DefinitionChange::Save { key: of_value, .. }) if of_value == key)
}

fn of_group(key: &str) -> &str {
    key.strip_prefix(group::definitions::PREFIX).map_or("", |rest| rest.trim_start_matches('/'))
}

fn parse<T: DeserializeOwned>(name: QueueManagerName, key: &str, value: &[u8]) -> Result<T, StartError> {
    serde_json::from_slice(value).map_err(|source| StartError::Definition { name, key: key.to_owned(), source })
}
