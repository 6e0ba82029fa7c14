//! Administrative topics (TOPIC objects) by name and by string, and what they say of a topic string.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use model::definition::TopicDefinition;
use model::definition::topic::{Allowed, Delivery};
use model::name::{QueueName, TopicName};

#[derive(Debug, Default)]
pub(crate) struct AdministrativeTopics {
    by_name: BTreeMap<TopicName, Arc<TopicDefinition>>,
    by_string: HashMap<String, TopicName>,
}

/// The attributes of a topic string, with nothing left to a parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EffectiveTopic {
    pub(crate) publish: bool,
    pub(crate) subscribe: bool,
    pub(crate) default_priority: u8,
    pub(crate) default_persistent: bool,
    pub(crate) durable_subscriptions: bool,
    pub(crate) model_durable: QueueName,
    pub(crate) model_nondurable: QueueName,
    pub(crate) persistent_delivery: Delivery,
    pub(crate) nonpersistent_delivery: Delivery,
    pub(crate) use_dead_letter_queue: bool,
}

impl AdministrativeTopics {
    pub(crate) fn get(&self, name: &TopicName) -> Option<&Arc<TopicDefinition>> {
        self.by_name.get(name)
    }

    /// Sorted by name.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<TopicDefinition>> {
        self.by_name.values()
    }

    /// The topic object with exactly this string.
    pub(crate) fn with_string(&self, topic: &str) -> Option<&Arc<TopicDefinition>> {
        self.by_name.get(self.by_string.get(topic)?)
    }

    /// Adds or replaces a topic object; no two have the same string.
    pub(crate) fn insert(&mut self, definition: Arc<TopicDefinition>) {
        self.remove(&definition.name);
        self.by_string.insert(definition.topic_string.clone(), definition.name);
        self.by_name.insert(definition.name, definition);
    }

    pub(crate) fn remove(&mut self, name: &TopicName) {
        if let Some(old) = self.by_name.remove(name) {
            self.by_string.remove(&old.topic_string);
        }
    }

    /// The topic objects above a topic string, its own first and the base topic last.
    pub(crate) fn above<'a>(&'a self, topic: &'a str) -> impl Iterator<Item = &'a Arc<TopicDefinition>> {
        strings_above(topic).filter_map(|string| self.with_string(string))
    }

    pub(crate) fn effective(&self, topic: &str) -> EffectiveTopic {
        let first = |allowed: fn(&TopicDefinition) -> Allowed| {
            let said = self.above(topic).map(|t| allowed(t)).find(|allowed| *allowed != Allowed::AsParent);
            said != Some(Allowed::Disabled)
        };
        let delivery = |of: fn(&TopicDefinition) -> Delivery, otherwise| {
            self.above(topic).map(|t| of(t)).find(|delivery| *delivery != Delivery::AsParent).unwrap_or(otherwise)
        };
        let model = |of: fn(&TopicDefinition) -> QueueName, otherwise| {
            let named = self.above(topic).map(|t| of(t)).find(|name| !name.is_blank());
            named.unwrap_or_else(|| QueueName::literal(otherwise))
        };
        EffectiveTopic {
            publish: first(|t| t.publish),
            subscribe: first(|t| t.subscribe),
            default_priority: self.above(topic).find_map(|t| t.default_priority).unwrap_or(0),
            default_persistent: self.above(topic).find_map(|t| t.default_persistent).unwrap_or(false),
            durable_subscriptions: self.above(topic).find_map(|t| t.durable_subscriptions).unwrap_or(true),
            model_durable: model(|t| t.model_durable, "SYSTEM.DURABLE.MODEL.QUEUE"),
            model_nondurable: model(|t| t.model_nondurable, "SYSTEM.NDURABLE.MODEL.QUEUE"),
            persistent_delivery: delivery(|t| t.persistent_delivery, Delivery::AllDurable),
            nonpersistent_delivery: delivery(|t| t.nonpersistent_delivery, Delivery::AllAvailable),
            use_dead_letter_queue: self.above(topic).find_map(|t| t.use_dead_letter_queue).unwrap_or(true),
        }
    }
}

/// A topic string, then it without its last level, and so on to the root, whose string is empty. On the way each level
/// comes with its `/` first, for topic objects whose string ends in one.
fn strings_above(topic: &str) -> impl Iterator<Item = &str> {
    let mut next = Some(topic);
    std::iter::from_fn(move || {
        let current = next?;
        next = if current.is_empty() {
            None
        } else {
            Some(current.strip_suffix('/').unwrap_or_else(|| current.rfind('/').map_or("", |at| &current[..=at])))
        };
        Some(current)
    })
}
