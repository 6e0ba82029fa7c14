//! Administrative topics (TOPIC objects) by topic string, and what they say of the topic strings below them.

use std::sync::Arc;

use model::definition::TopicDefinition;
use model::definition::topic::{Allowed, Delivery};
use model::name::QueueName;

use super::PrefixMap;

/// The topic objects of the tree. The root is SYSTEM.BASE.TOPIC; other objects with an empty string are patterns for new
/// ones and not in the tree. Where two have the same string, the first by name counts.
#[derive(Debug, Default)]
pub(crate) struct AdministrativeTopics {
    by_string: PrefixMap<Arc<TopicDefinition>>,
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
        let mut by_string = PrefixMap::default();
        for definition in definitions {
            by_string.get_or_insert_with(&definition.topic_string, || definition.clone());
        }
        Self { by_string }
    }

    /// The topic objects above a topic string, its own first and the base topic last. Above a level is also the topic object
    /// whose string is that level with a `/` behind it.
    pub(crate) fn above(&self, topic: &str) -> impl Iterator<Item = &Arc<TopicDefinition>> {
        let above: Vec<_> = self.by_string.of_beginnings(topic).collect();
        above.into_iter().rev()
    }

    pub(crate) fn effective(&self, topic: &str) -> EffectiveTopic {
        let above: Vec<&TopicDefinition> = self.above(topic).map(|definition| &**definition).collect();
        let above = || above.iter().copied();
        let first = |allowed: fn(&TopicDefinition) -> Allowed| {
            let said = above().map(allowed).find(|allowed| *allowed != Allowed::AsParent);
            said != Some(Allowed::Disabled)
        };
        let delivery = |of: fn(&TopicDefinition) -> Delivery, otherwise| {
            above().map(of).find(|delivery| *delivery != Delivery::AsParent).unwrap_or(otherwise)
        };
        let model = |of: fn(&TopicDefinition) -> QueueName, otherwise| {
            let named = above().map(of).find(|name| !name.is_blank());
            named.unwrap_or_else(|| QueueName::literal(otherwise))
        };
        EffectiveTopic {
            publish: first(|t| t.publish),
            subscribe: first(|t| t.subscribe),
            default_priority: above().find_map(|t| t.default_priority).unwrap_or(0),
            default_persistent: above().find_map(|t| t.default_persistent).unwrap_or(false),
            durable_subscriptions: above().find_map(|t| t.durable_subscriptions).unwrap_or(true),
            model_durable: model(|t| t.model_durable, "SYSTEM.DURABLE.MODEL.QUEUE"),
            model_nondurable: model(|t| t.model_nondurable, "SYSTEM.NDURABLE.MODEL.QUEUE"),
            persistent_delivery: delivery(|t| t.persistent_delivery, Delivery::AllDurable),
            nonpersistent_delivery: delivery(|t| t.nonpersistent_delivery, Delivery::AllAvailable),
            use_dead_letter_queue: above().find_map(|t| t.use_dead_letter_queue).unwrap_or(true),
            cap_expiry: above().map(|t| t.cap_expiry).find(|cap| *cap != AS_PARENT).unwrap_or(-1),
        }
    }
}

/// CAPEXPRY(ASPARENT).
const AS_PARENT: i32 = -2;
