//! A definition that the group may have for all its members: a queue, a topic, or an object that holds no messages.
//!
//! What is the same for all of them is said here once; `masters.rs` needs to know no more.

use model::authority::{AuthorityObject, Principal};
use model::definition::queue::{DefinitionType, Disposition};
use model::definition::{AdministeredObject, History, QueueDefinition, TopicDefinition};
use model::name::ObjectName;
use storage::DefinitionChange;

use crate::QueueManager;
use crate::definition::objects::{self, ObjectError};
use crate::definition::{administered, definitions, queue_objects};
use crate::engine::Engine;
use crate::group::definitions::PREFIX;

#[derive(Debug, Clone, PartialEq)]
pub enum Master {
    Queue(QueueDefinition),
    Topic(TopicDefinition),
    Object(AdministeredObject),
}

/// Family and name: of a family, at most one object has a name.
pub(crate) type Key = (AuthorityObject, ObjectName);

impl Master {
    pub(crate) fn key(&self) -> Key {
        match self {
            Self::Queue(queue) => (AuthorityObject::Queue, queue.name),
            Self::Topic(topic) => (AuthorityObject::Topic, topic.name),
            Self::Object(object) => (object.family(), object.name()),
        }
    }

    pub fn as_queue(&self) -> Option<&QueueDefinition> {
        if let Self::Queue(queue) = self { Some(queue) } else { None }
    }

    pub fn as_topic(&self) -> Option<&TopicDefinition> {
        if let Self::Topic(topic) = self { Some(topic) } else { None }
    }

    pub fn as_object(&self) -> Option<&AdministeredObject> {
        if let Self::Object(object) = self { Some(object) } else { None }
    }

    pub(super) fn created(&self) -> model::timestamp::Timestamp {
        match self {
            Self::Queue(queue) => queue.history.created,
            Self::Topic(topic) => topic.history.created,
            Self::Object(object) => object.history().created,
        }
    }

    pub(super) fn set_history(&mut self, history: History) {
        match self {
            Self::Queue(queue) => queue.history = history,
            Self::Topic(topic) => topic.history = history,
            Self::Object(object) => object.set_history(history),
        }
    }

    pub(super) fn set_disposition(&mut self, disposition: Disposition) {
        match self {
            Self::Queue(queue) => queue.disposition = disposition,
            Self::Topic(topic) => topic.disposition = disposition,
            Self::Object(object) => object.set_disposition(disposition),
        }
    }

    /// # Errors
    /// Those of a definition of the kind that the queue manager itself has.
    pub(super) fn check(&self, engine: &Engine) -> Result<(), ObjectError> {
        match self {
            Self::Queue(queue) => queue_objects::check(engine, queue),
            Self::Topic(topic) => objects::check_topic(engine, topic),
            Self::Object(object) => administered::check(object),
        }
    }

    /// # Errors
    /// `WrongType`. `Attribute`: a topic stays at its topic string.
    pub(super) fn check_same_kind(&self, other: &Self) -> Result<(), ObjectError> {
        let is_same = match (self, other) {
            (Self::Queue(one), Self::Queue(other)) => {
                std::mem::discriminant(&one.kind) == std::mem::discriminant(&other.kind)
            }
            (Self::Topic(one), Self::Topic(other)) => return objects::check_topic_string(one, other),
            (Self::Object(one), Self::Object(other)) => one.kind() == other.kind(),
            _ => false,
        };
        if is_same { Ok(()) } else { Err(ObjectError::WrongType { name: self.key().1.to_string() }) }
    }

    /// What a member makes of it.
    pub(super) fn copy(&self) -> Self {
        let mut copy = self.clone();
        copy.set_disposition(Disposition::Copy);
        if let Self::Queue(queue) = &mut copy
            && let Some(local) = queue.as_local_mut()
        {
            local.definition_type = DefinitionType::Predefined;
            local.store_id = 0;
        }
        copy
    }

    /// As a recovery log has it.
    pub(crate) fn save(&self) -> DefinitionChange {
        let of_member = match self {
            Self::Queue(queue) => definitions::save_queue(queue),
            Self::Topic(topic) => definitions::save_topic(topic),
            Self::Object(object) => definitions::save_object(object),
        };
        match of_member {
            DefinitionChange::Save { key, value } => DefinitionChange::Save { key: format!("{PREFIX}/{key}"), value },
            other => other,
        }
    }

    pub(super) fn delete(&self) -> DefinitionChange {
        match self.save() {
            DefinitionChange::Save { key, .. } => DefinitionChange::Delete { key },
            other => other,
        }
    }

    /// Of a value under a key of a recovery log, without `PREFIX`. `Ok(None)`: no master has such a key.
    pub(crate) fn read(key: &str, value: &[u8]) -> Result<Option<Self>, serde_json::Error> {
        let kind = key.split('/').next().unwrap_or_default();
        match family(kind) {
            None => Ok(None),
            Some(AuthorityObject::Queue) => serde_json::from_slice(value).map(Self::Queue).map(Some),
            Some(AuthorityObject::Topic) => serde_json::from_slice(value).map(Self::Topic).map(Some),
            Some(_) => serde_json::from_slice(value).map(Self::Object).map(Some),
        }
    }
}

/// What keys of definitions begin with, of the families that may have masters.
pub(super) fn family(kind: &str) -> Option<AuthorityObject> {
    Some(match kind {
        "queue" => AuthorityObject::Queue,
        "topic" => AuthorityObject::Topic,
        "channel" => AuthorityObject::Channel,
        "clntconn" => AuthorityObject::ClientChannel,
        "process" => AuthorityObject::Process,
        "namelist" => AuthorityObject::NameList,
        "authinfo" => AuthorityObject::AuthenticationInformation,
        _ => return None,
    })
}

impl QueueManager {
    /// What the member's own object of that name is.
    pub(super) fn disposition_of(&self, (family, name): Key) -> Option<Disposition> {
        match family {
            AuthorityObject::Queue => self.queue(&name).map(|queue| queue.disposition),
            AuthorityObject::Topic => self.topic(&name).map(|topic| topic.disposition),
            family => self.object(family, &name).map(|object| object.disposition()),
        }
    }

    /// Makes the member's own object.
    pub(super) async fn define_own(
        &self,
        caller: &Principal,
        definition: Master,
        replace: bool,
    ) -> Result<(), ObjectError> {
        match definition {
            Master::Queue(queue) => self.define_queue(caller, queue, replace).await,
            Master::Topic(topic) => self.define_topic(caller, topic, replace).await,
            Master::Object(object) => self.define_object(caller, object, replace).await,
        }
    }

    pub(super) async fn delete_own(&self, caller: &Principal, (family, name): Key) -> Result<(), ObjectError> {
        match family {
            AuthorityObject::Queue => self.delete_queue(caller, &name, false).await,
            AuthorityObject::Topic => self.delete_topic(caller, &name).await,
            family => self.delete_object(caller, family, &name).await,
        }
    }
}
