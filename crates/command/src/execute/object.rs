//! DISPLAY of definitions: queues, topics, subscriptions, channels and the other objects; subscriptions as defined.

use std::collections::BTreeSet;
use std::sync::Arc;

use ::queue_manager::QueueManager;
use model::authority::{AuthorityObject, Principal};
use model::definition::attribute::{self, Kind, LiveCounts, Membership, Shown, Value, View};
use model::definition::queue::Disposition;
use model::definition::{AdministeredObject, QueueDefinition, SubscriptionDefinition};
use model::name::TopicName;

use crate::command::group::DispositionChoice;
use crate::command::topic::SubscriptionQuery;
use crate::command::{Pattern, Request, Selection};
use crate::execute::authority::{may_display, none_shown, require_display};
use crate::execute::{Failure, administered};
use crate::message::{self, Message};
use crate::reply::{Item, Reply};

/// Every object of `kinds` whose name matches, in order of names.
pub(super) fn display(
    queue_manager: &QueueManager,
    caller: &Principal,
    kinds: &[Kind],
    name: &Pattern,
    having: &[(&'static str, Pattern)],
    dispositions: DispositionChoice,
    request: &Request,
) -> Result<Reply, Failure> {
    let membership = queue_manager.membership();
    let mut items = Vec::new();
    let mut add = |message: Message, view: View<'_>| {
        if having.iter().all(|(keyword, wanted)| has(membership, view, keyword, wanted))
            && let Some(attributes) = shown(membership, view, request)
        {
            items.push(Item::shown(message, attributes));
        }
    };
    if kinds.contains(&Kind::Topic) {
        let mut topics = queue_manager.topics();
        let masters = queue_manager.masters(AuthorityObject::Topic);
        topics.extend(masters.iter().filter_map(|master| master.as_topic().cloned().map(Arc::new)));
        topics.sort_by_key(|topic| topic.name);
        for topic in topics {
            let matches = name.matches(topic.name.as_str()) && dispositions.includes(topic.disposition);
            if matches && may_display(queue_manager, caller, AuthorityObject::Topic, &topic.name) {
                add(message::TOPIC_DETAILS, View::Topic(&topic));
            }
        }
    } else if kinds.iter().any(|kind| kind.is_administered()) {
        for object in families(kinds).flat_map(|family| objects(queue_manager, family)) {
            let matches = kinds.contains(&object.kind()) && name.matches(object.name().as_str());
            if matches
                && dispositions.includes(object.disposition())
                && may_display(queue_manager, caller, object.family(), &object.name())
            {
                add(administered::details(object.family()), View::Object(&object));
            }
        }
    } else {
        for queue in queues(queue_manager, dispositions) {
            let matches = kinds.contains(&queue.attribute_kind()) && name.matches(queue.name.as_str());
            if matches && may_display(queue_manager, caller, AuthorityObject::Queue, &queue.name) {
                add(message::QUEUE_DETAILS, View::Queue(&queue, live_counts(queue_manager, &queue)));
            }
        }
    }
    if items.is_empty() {
        let types = kinds.iter().map(|kind| kind.authority_object());
        return Err(none_shown(queue_manager, caller, types, name));
    }
    Ok(Reply::of(items))
}

/// Those of the member and of its group, in order of names.
fn queues(queue_manager: &QueueManager, dispositions: DispositionChoice) -> Vec<Arc<QueueDefinition>> {
    let mut queues = queue_manager.queues();
    if dispositions == DispositionChoice::Live {
        return queues;
    }
    let masters = queue_manager.masters(AuthorityObject::Queue);
    queues.extend(masters.iter().filter_map(|master| master.as_queue().cloned().map(Arc::new)));
    queues.retain(|queue| dispositions.includes(queue.disposition));
    queues.sort_by_key(|queue| queue.name);
    queues
}

/// Those of the member and of its group, in order of names.
fn objects(queue_manager: &QueueManager, family: AuthorityObject) -> Vec<Arc<AdministeredObject>> {
    let mut objects = queue_manager.objects(family);
    let masters = queue_manager.masters(family);
    if !masters.is_empty() {
        objects.extend(masters.iter().filter_map(|master| master.as_object().cloned().map(Arc::new)));
        objects.sort_by_key(|object| object.name());
    }
    objects
}

/// Subscriptions have no authority of their own: who may see the queue manager sees them.
pub(super) fn subscriptions(
    queue_manager: &QueueManager,
    caller: &Principal,
    query: &SubscriptionQuery,
) -> Result<Reply, Failure> {
    require_display(queue_manager, caller, AuthorityObject::QueueManager, &queue_manager.name())?;
    let show = |subscription: &SubscriptionDefinition| {
        if query.as_defined {
            let mut attributes =
                shown(Membership::Alone, View::Subscription(&as_defined(queue_manager, subscription)), &query.request)?;
            for shown in attributes.iter_mut().filter(|shown| shown.keyword == "DISTYPE") {
                shown.value = Value::Integer(1);
            }
            return Some(attributes);
        }
        shown(Membership::Alone, View::Subscription(subscription), &query.request)
    };
    let items: Vec<_> = queue_manager
        .subscriptions()
        .iter()
        .filter(|subscription| query.which.matches(subscription))
        .filter_map(|subscription| show(subscription))
        .map(|attributes| Item::shown(message::SUBSCRIPTION_DETAILS, attributes))
        .collect();
    if items.is_empty() {
        return Err(Failure::not_found(&query.which.of.to_string()));
    }
    Ok(Reply::of(items))
}

/// The subscription with the topic object and string that DEFINE SUB has to be given to make it: what stands behind the
/// object's string, or the whole string when the object no longer leads there.
pub(crate) fn as_defined(
    queue_manager: &QueueManager,
    subscription: &SubscriptionDefinition,
) -> SubscriptionDefinition {
    let mut defined = subscription.clone();
    match beyond_object(queue_manager, subscription) {
        Some(rest) => defined.topic_string = rest,
        None => defined.topic_object = TopicName::BLANK,
    }
    defined
}

fn beyond_object(queue_manager: &QueueManager, subscription: &SubscriptionDefinition) -> Option<String> {
    if subscription.topic_object.is_blank() {
        return Some(subscription.topic_string.clone());
    }
    let object = queue_manager.topic(&subscription.topic_object)?;
    let rest = subscription.topic_string.strip_prefix(&object.topic_string)?;
    let own = if object.topic_string.is_empty() { rest } else { rest.strip_prefix('/').unwrap_or(rest) };
    let full = queue_manager.full_topic_string(&subscription.topic_object, own);
    (full.as_deref() == Ok(subscription.topic_string.as_str())).then(|| own.to_owned())
}

/// The families of these kinds, each once: client connections come after other channels.
fn families(kinds: &[Kind]) -> impl Iterator<Item = AuthorityObject> {
    let families: BTreeSet<_> = kinds.iter().map(|kind| kind.authority_object()).collect();
    families.into_iter()
}

fn live_counts(queue_manager: &QueueManager, queue: &QueueDefinition) -> Option<LiveCounts> {
    queue.as_local().filter(|_| queue.disposition != Disposition::Group)?;
    let status = queue_manager.queue_status(&queue.name)?;
    Some(LiveCounts { depth: status.depth.current, open_input: status.open_input, open_output: status.open_output })
}

/// Whether an attribute is there and says something that matches.
fn has(membership: Membership, view: View<'_>, keyword: &str, wanted: &Pattern) -> bool {
    let Some(row) = membership.find(view.kind(), keyword) else { return false };
    let text = (row.read)(view).map(|value| row.value.word_or_text(&value)).unwrap_or_default();
    !text.trim().is_empty() && wanted.matches(&text)
}

/// What `request` wants to see of a definition, in table order; `None` when its condition does not hold.
pub(super) fn shown(membership: Membership, view: View<'_>, request: &Request) -> Option<Vec<Shown>> {
    let kind = view.kind();
    let read = |row: &'static attribute::Attribute| {
        Some(Shown { keyword: row.mqsc, kind: row.value, value: (row.read)(view)? })
    };
    let conditional = request.condition.as_ref().map(|condition| condition.keyword);
    if let Some(condition) = &request.condition {
        let row = membership.find(kind, condition.keyword)?;
        if !condition.matches(&[read(row)?]) {
            return None;
        }
    }
    let always = kind.identity_rows();
    let wanted = |(index, row): &(usize, &'static attribute::Attribute)| match &request.selection {
        Selection::All => true,
        Selection::Usual => *index < always || conditional == Some(row.mqsc),
        Selection::Named(names) => *index < always || names.contains(&row.mqsc) || conditional == Some(row.mqsc),
    };
    Some(membership.of(kind).enumerate().filter(wanted).filter_map(|(_, row)| read(row)).collect())
}
