//! Definitions: what commands read and change. Each change is durable when it returns, and authorised here.
//!
//! Changes are made one at a time: checked, written to the store, then shown to everybody. One whose caller goes away is
//! made as a whole or not at all.

use std::sync::Arc;

use model::authority::{Authority, AuthorityObject, Principal};
use model::definition::attribute::{Access, Membership, ValueProblem, View};
use model::definition::{QueueDefinition, QueueManagerDefinition, SubscriptionDefinition, TopicDefinition};
use model::name::{ObjectName, QueueName, TopicName};
use model::reason::Reason;
use storage::DefinitionChange;
use storage::shared::GroupDisposition;

use crate::definition::definitions;
use crate::engine::Engine;
use crate::group::disposition;
use crate::security::authority::{self, Door};
use crate::{QueueManager, group};

/// Why a definition was not changed; `command` turns it into a message identifier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ObjectError {
    #[error("{name} already exists")]
    AlreadyExists { name: String },
    #[error("{name} does not exist")]
    NotFound { name: String },
    #[error("{name} is of another type")]
    WrongType { name: String },
    #[error("{name} is in use")]
    InUse { name: String },
    /// A listener or a service that runs.
    #[error("{name} is still active")]
    StillActive { family: AuthorityObject, name: String },
    #[error("{name} is not empty")]
    NotEmpty { name: String },
    /// `missing` as AUTHLIST shows it.
    #[error("{user} lacks {missing} on {name}")]
    NotAuthorized { user: String, name: String, missing: String },
    #[error("{attribute} of {name}: {problem}")]
    Attribute { name: String, attribute: &'static str, problem: String },
    /// Such an object cannot do without it.
    #[error("{name} needs {attribute}")]
    Missing { name: String, attribute: &'static str },
    /// Two topic objects never stand for one topic string.
    #[error("topic string of {name} belongs to topic {other}")]
    TopicStringExists { name: String, other: String },
    #[error("the queue manager is in no queue-sharing group")]
    NotInGroup,
    /// There is an object of that name, with another QSGDISP.
    #[error("{name} has another disposition")]
    Disposition { name: String },
    /// CFSTRUCT of a shared queue.
    #[error("structure '{name}' is not defined")]
    Structure { name: String },
    #[error("{0}")]
    Reason(Reason),
}

impl ObjectError {
    pub(crate) fn already_exists(name: &str) -> Self {
        Self::AlreadyExists { name: name.to_owned() }
    }

    pub(crate) fn not_found(name: &str) -> Self {
        Self::NotFound { name: name.to_owned() }
    }
}

/// # Errors
/// `NotAuthorized`: a bit of `wanted` is missing.
pub(crate) fn authorise(
    engine: &Engine,
    caller: &Principal,
    object: AuthorityObject,
    name: &ObjectName,
    wanted: Authority,
) -> Result<(), ObjectError> {
    authority::check(engine, Door::Command, caller, object, name, wanted).map_err(|_| ObjectError::NotAuthorized {
        user: caller.user.to_string(),
        name: name.to_string(),
        missing: (wanted - engine.authorities.granted(caller, object, name)).list(),
    })
}

/// Every attribute of the definition is within its range. What a command sets has been checked for control characters by
/// whoever read it; a text that holds some all the same was stored by somebody else, and does not be in the way of others.
pub(super) fn check_attributes(name: &str, view: View<'_>) -> Result<(), ObjectError> {
    for row in Membership::Member.of(view.kind()).filter(|row| row.access != Access::ReadOnly) {
        let Some(value) = (row.read)(view) else { continue };
        match row.value.check(&value) {
            Ok(()) | Err(ValueProblem::ControlCharacter) => {}
            Err(problem) => {
                let (name, attribute) = (name.to_owned(), row.mqsc);
                return Err(ObjectError::Attribute { name, attribute, problem: problem.to_string() });
            }
        }
    }
    Ok(())
}

/// DEFINE REPLACE of what exists changes it.
///
/// Source: MQ security, "Authorizations for MQSC commands in escape PCFs", 9.3.
pub(crate) fn authority_to_define(exists: bool, replace: bool) -> Authority {
    if exists && replace { Authority::CHANGE } else { Authority::CREATE }
}

impl Engine {
    /// Saves and shows a new object, and with it what its maker may do to it.
    pub(super) async fn save_made(
        &self,
        maker: &Principal,
        object: AuthorityObject,
        name: &ObjectName,
        save: DefinitionChange,
        show: impl FnOnce(),
    ) -> Result<(), ObjectError> {
        let record = self.authorities.of_maker(maker, object, name);
        let grant = record.as_ref().map(definitions::save_authority);
        let changes = [save].into_iter().chain(grant).collect();
        let show_both = || {
            if let Some(record) = record {
                self.authorities.set(record);
            }
            show();
        };
        self.save_and_show(changes, show_both).await
    }

    /// As `save_made`, of an object of the group: its definition is the group's, what its maker may do is this member's.
    pub(super) async fn keep_made_in_group(
        &self,
        maker: &Principal,
        object: AuthorityObject,
        name: &ObjectName,
        save: DefinitionChange,
        show: impl FnOnce(),
    ) -> Result<(), ObjectError> {
        group::definitions::keep(self, GroupDisposition::Shared, save, show).await?;
        let Some(record) = self.authorities.of_maker(maker, object, name) else { return Ok(()) };
        let grant = vec![definitions::save_authority(&record)];
        self.save_and_show(grant, || self.authorities.set(record)).await
    }

    /// See `definitions::save_and_show`.
    pub(crate) async fn save_and_show(
        &self,
        changes: Vec<DefinitionChange>,
        show: impl FnOnce(),
    ) -> Result<(), ObjectError> {
        definitions::save_and_show(self, changes, show).await.map_err(ObjectError::Reason)
    }
}

impl QueueManager {
    pub fn definition(&self) -> Arc<QueueManagerDefinition> {
        self.engine().definition()
    }

    /// Puts `definition` in the place of the whole definition; see `change_queue_manager`.
    pub async fn alter_queue_manager(
        &self,
        caller: &Principal,
        definition: QueueManagerDefinition,
    ) -> Result<(), ObjectError> {
        let replace = |current: &mut QueueManagerDefinition| {
            *current = definition;
            Ok(())
        };
        self.change_queue_manager(caller, replace).await
    }

    /// `change` is given the definition as it is; nobody else changes it meanwhile. Name, identifier, CCSID and date of
    /// creation stay what they were.
    pub async fn change_queue_manager<E: From<ObjectError>>(
        &self,
        caller: &Principal,
        change: impl FnOnce(&mut QueueManagerDefinition) -> Result<(), E>,
    ) -> Result<(), E> {
        let engine = self.engine();
        authorise(engine, caller, AuthorityObject::QueueManager, &engine.name, Authority::CHANGE)?;
        let _change = engine.changes.take().await;
        let before = engine.definition();
        let mut definition = (*before).clone();
        change(&mut definition)?;
        definition.name = before.name;
        definition.identifier.clone_from(&before.identifier);
        definition.ccsid = before.ccsid;
        definition.group = before.group;
        definition.history.created = before.history.created;
        definition.history.altered = engine.now();
        check_attributes(engine.name.as_str(), View::QueueManager(&definition))?;
        let changes = vec![definitions::save_queue_manager(&definition)];
        Ok(engine.save_and_show(changes, || engine.show_definition(definition)).await?)
    }

    pub fn queue(&self, name: &QueueName) -> Option<Arc<QueueDefinition>> {
        self.engine().queue(name).map(|queue| queue.definition())
    }

    /// Sorted by name.
    pub fn queues(&self) -> Vec<Arc<QueueDefinition>> {
        let list = self.queue_list();
        (0..list.len()).filter_map(|index| list.get(index)).map(|queue| Arc::clone(queue.definition())).collect()
    }

    pub fn topic(&self, name: &TopicName) -> Option<Arc<TopicDefinition>> {
        self.engine().topic(name)
    }

    /// Sorted by name.
    pub fn topics(&self) -> Vec<Arc<TopicDefinition>> {
        let mut topics: Vec<_> = self.engine().topics.read().values().cloned().collect();
        topics.sort_by_key(|definition| definition.name);
        topics
    }

    pub async fn define_topic(
        &self,
        caller: &Principal,
        mut definition: TopicDefinition,
        replace: bool,
    ) -> Result<(), ObjectError> {
        let engine = self.engine();
        let name = definition.name;
        let _change = engine.changes.take().await;
        let before = engine.topic(&name);
        let wanted = authority_to_define(before.is_some(), replace);
        authorise(engine, caller, AuthorityObject::Topic, &name, wanted)?;
        if let Some(before) = &before {
            disposition::check_same(&name, before.disposition, definition.disposition)?;
            if !replace {
                return Err(ObjectError::already_exists(name.as_str()));
            }
            check_topic_string(before, &definition)?;
        }
        let now = engine.now();
        let maker = before.is_none().then_some(caller);
        definition.history.created = before.map_or(now, |before| before.history.created);
        definition.history.altered = now;
        self.keep_topic(definition, maker).await
    }

    /// `change` is given the definition as it is; nobody else changes it meanwhile.
    pub async fn change_topic<E: From<ObjectError>>(
        &self,
        caller: &Principal,
        name: &TopicName,
        change: impl FnOnce(&mut TopicDefinition) -> Result<(), E>,
    ) -> Result<(), E> {
        let engine = self.engine();
        authorise(engine, caller, AuthorityObject::Topic, name, Authority::CHANGE)?;
        let _change = engine.changes.take().await;
        let before = engine.topic(name).ok_or_else(|| ObjectError::not_found(name.as_str()))?;
        let mut definition = (*before).clone();
        change(&mut definition)?;
        check_topic_string(&before, &definition)?;
        definition.history.created = before.history.created;
        definition.history.altered = engine.now();
        Ok(self.keep_topic(definition, None).await?)
    }

    /// Checked attributes, written, shown; `maker` is who made it just now. The caller holds the lock on changes.
    async fn keep_topic(&self, definition: TopicDefinition, maker: Option<&Principal>) -> Result<(), ObjectError> {
        let engine = self.engine();
        let name = definition.name;
        check_topic(engine, &definition)?;
        let save = definitions::save_topic(&definition);
        let show = || {
            engine.topics.write().insert(name, Arc::new(definition));
            engine.publish.definitions_changed(engine);
        };
        match maker {
            Some(maker) => engine.save_made(maker, AuthorityObject::Topic, &name, save, show).await,
            None => engine.save_and_show(vec![save], show).await,
        }
    }

    pub async fn delete_topic(&self, caller: &Principal, name: &TopicName) -> Result<(), ObjectError> {
        let engine = self.engine();
        authorise(engine, caller, AuthorityObject::Topic, name, Authority::DELETE)?;
        let _change = engine.changes.take().await;
        if engine.topic(name).is_none() {
            return Err(ObjectError::not_found(name.as_str()));
        }
        let show = || {
            engine.topics.write().remove(name);
            engine.publish.definitions_changed(engine);
        };
        engine.save_and_show(vec![definitions::delete_topic(name)], show).await
    }

    pub fn subscription(&self, name: &str) -> Option<Arc<SubscriptionDefinition>> {
        self.engine().subscriptions.read().get(name).cloned()
    }

    /// Sorted by name.
    pub fn subscriptions(&self) -> Vec<Arc<SubscriptionDefinition>> {
        self.engine().subscriptions.read().values().cloned().collect()
    }

    pub async fn define_subscription(
        &self,
        caller: &Principal,
        definition: SubscriptionDefinition,
        replace: bool,
    ) -> Result<(), ObjectError> {
        crate::definition::administer_subscription::define(self.engine(), caller, definition, replace).await
    }

    /// `change` is given the definition as it is; nobody else changes it meanwhile.
    pub async fn change_subscription<E: From<ObjectError>>(
        &self,
        caller: &Principal,
        name: &str,
        change: impl FnOnce(&mut SubscriptionDefinition) -> Result<(), E>,
    ) -> Result<(), E> {
        crate::definition::administer_subscription::change(self.engine(), caller, name, change).await
    }

    pub async fn delete_subscription(&self, caller: &Principal, name: &str) -> Result<(), ObjectError> {
        crate::definition::administer_subscription::delete(self.engine(), caller, name).await
    }
}

/// # Errors
/// `Reason`: the name is blank. `Attribute`. `TopicStringExists`.
pub(crate) fn check_topic(engine: &Engine, definition: &TopicDefinition) -> Result<(), ObjectError> {
    if definition.name.is_blank() {
        return Err(ObjectError::Reason(Reason::ObjectNameError));
    }
    check_attributes(definition.name.as_str(), View::Topic(definition))?;
    check_own_topic_string(engine, definition)
}

/// Topic objects with an empty string are patterns for new ones: several may be there.
fn check_own_topic_string(engine: &Engine, definition: &TopicDefinition) -> Result<(), ObjectError> {
    if definition.topic_string.is_empty() {
        return Ok(());
    }
    let topics = engine.topics.read();
    let same =
        |topic: &&Arc<TopicDefinition>| topic.topic_string == definition.topic_string && topic.name != definition.name;
    match topics.values().find(same) {
        None => Ok(()),
        Some(other) => {
            Err(ObjectError::TopicStringExists { name: definition.name.to_string(), other: other.name.to_string() })
        }
    }
}

/// TOPICSTR is fixed once defined.
pub(crate) fn check_topic_string(before: &TopicDefinition, after: &TopicDefinition) -> Result<(), ObjectError> {
    if before.topic_string == after.topic_string {
        return Ok(());
    }
    Err(ObjectError::Attribute {
        name: before.name.to_string(),
        attribute: "TOPICSTR",
        problem: "it cannot be changed once defined".to_owned(),
    })
}
