//! Administrative topics (TOPIC objects) by topic string, and what they say of the topic strings below them.

use std::collections::HashMap;
use std::sync::Arc;

use model::definition::TopicDefinition;
use model::definition::topic::{Allowed, Delivery};
use model::name::QueueName;

/// The topic objects of the tree. The root is SYSTEM.BASE.TOPIC; other objects with an empty string are patterns for new
/// ones and not in the tree. Where two have the same string, the first by name counts.
#[derive(Debug, Default)]
pub(crate) struct AdministrativeTopics {
    by_string: HashMap<String, Arc<TopicDefinition>>,
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
    /// CAPEXPRY in tenths of a second; -1 for no limit.
    pub(crate) cap_expiry: i32,
}

impl AdministrativeTopics {
    pub(crate) fn new(definitions: impl IntoIterator<Item = Arc<TopicDefinition>>) -> Self {
        let in_tree = |definition: &Arc<TopicDefinition>| {
            !definition.topic_string.is_empty() || definition.name.as_str() == "SYSTEM.BASE.TOPIC"
        };
        let mut definitions: Vec<_> = definitions.into_iter().filter(in_tree).collect();
        definitions.sort_unstable_by_key(|definition| definition.name);
        let mut by_string = HashMap::with_capacity(definitions.len());
        for definition in definitions {
            by_string.entry(definition.topic_string.clone()).or_insert(definition);
        }
        Self { by_string }
    }

    /// The topic objects above a topic string, its own first and the base topic last.
    pub(crate) fn above<'a>(&'a self, topic: &'a str) -> impl Iterator<Item = &'a Arc<TopicDefinition>> {
        strings_above(topic).filter_map(|string| self.by_string.get(string))
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
            cap_expiry: self.above(topic).map(|t| t.cap_expiry).find(|cap| *cap != AS_PARENT).unwrap_or(-1),
        }
    }
}

/// CAPEXPRY(ASPARENT).
const AS_PARENT: i32 = -2;

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
