//! Definitions: what commands read and change. Each change is durable when it returns, and authorised here.

use std::sync::Arc;

use model::authority::{AuthorityRecord, Principal};
use model::definition::{QueueDefinition, QueueManagerDefinition, SubscriptionDefinition, TopicDefinition};
use model::name::{ObjectName, QueueName, TopicName};
use model::reason::Reason;

use crate::QueueManager;

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
    #[error("{name} is not empty")]
    NotEmpty { name: String },
    #[error("{user} lacks {missing} on {name}")]
    NotAuthorized { user: String, name: String, missing: &'static str },
    #[error("{attribute} of {name}: {problem}")]
    Attribute { name: String, attribute: &'static str, problem: String },
    #[error("{0}")]
    Reason(Reason),
}

impl QueueManager {
    pub fn definition(&self) -> Arc<QueueManagerDefinition> {
        todo!()
    }
    pub async fn alter_queue_manager(
        &self,
        caller: &Principal,
        definition: QueueManagerDefinition,
    ) -> Result<(), ObjectError> {
        todo!()
    }

    pub fn queue(&self, name: &QueueName) -> Option<Arc<QueueDefinition>> {
        todo!()
    }
    /// Sorted by name.
    pub fn queues(&self) -> Vec<Arc<QueueDefinition>> {
        todo!()
    }
    /// `replace` keeps the messages of an existing queue of the same kind.
    pub async fn define_queue(
        &self,
        caller: &Principal,
        definition: QueueDefinition,
        replace: bool,
    ) -> Result<(), ObjectError> {
        todo!()
    }
    pub async fn alter_queue(
        &self,
        caller: &Principal,
        definition: QueueDefinition,
        force: bool,
    ) -> Result<(), ObjectError> {
        todo!()
    }
    pub async fn delete_queue(&self, caller: &Principal, name: &QueueName, purge: bool) -> Result<(), ObjectError> {
        todo!()
    }
    pub async fn clear_queue(&self, caller: &Principal, name: &QueueName) -> Result<(), ObjectError> {
        todo!()
    }

    pub fn topic(&self, name: &TopicName) -> Option<Arc<TopicDefinition>> {
        todo!()
    }
    pub fn topics(&self) -> Vec<Arc<TopicDefinition>> {
        todo!()
    }
    pub async fn define_topic(
        &self,
        caller: &Principal,
        definition: TopicDefinition,
        replace: bool,
    ) -> Result<(), ObjectError> {
        todo!()
    }
    pub async fn alter_topic(&self, caller: &Principal, definition: TopicDefinition) -> Result<(), ObjectError> {
        todo!()
    }
    pub async fn delete_topic(&self, caller: &Principal, name: &TopicName) -> Result<(), ObjectError> {
        todo!()
    }

    pub fn subscription(&self, name: &str) -> Option<Arc<SubscriptionDefinition>> {
        todo!()
    }
    pub fn subscriptions(&self) -> Vec<Arc<SubscriptionDefinition>> {
        todo!()
    }
    pub async fn define_subscription(
        &self,
        caller: &Principal,
        definition: SubscriptionDefinition,
        replace: bool,
    ) -> Result<(), ObjectError> {
        todo!()
    }
    pub async fn alter_subscription(
        &self,
        caller: &Principal,
        definition: SubscriptionDefinition,
    ) -> Result<(), ObjectError> {
        todo!()
    }
    pub async fn delete_subscription(&self, caller: &Principal, name: &str) -> Result<(), ObjectError> {
        todo!()
    }

    pub fn authority_records(&self) -> Vec<AuthorityRecord> {
        todo!()
    }
    /// Replaces the record of the same profile, object type and entity; empty authorities delete it.
    pub async fn set_authority(&self, caller: &Principal, record: AuthorityRecord) -> Result<(), ObjectError> {
        todo!()
    }

    /// Other object kinds as the commands of later capabilities need them keep their bytes here.
    pub fn process_exists(&self, name: &ObjectName) -> bool {
        todo!()
    }
}
