//! DISPLAY of definitions: queues, topics, subscriptions, channels and the other objects.

use std::collections::BTreeSet;

use ::queue_manager::QueueManager;
use model::authority::{AuthorityObject, Principal};
use model::definition::QueueDefinition;
use model::definition::attribute::{self, Kind, LiveCounts, Shown, View};

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
    request: &Request,
) -> Result<Reply, Failure> {
    let mut items = Vec::new();
    let mut add = |message: Message, view: View<'_>| {
        if let Some(attributes) = shown(view, request) {
            items.push(Item { reason: 0, message: message.line(&[]), attributes, parts: Vec::new() });
        }
    };
    if kinds.contains(&Kind::Topic) {
        for topic in queue_manager.topics() {
            let matches = name.matches(topic.name.as_str());
            if matches && may_display(queue_manager, caller, AuthorityObject::Topic, &topic.name) {
                add(message::TOPIC_DETAILS, View::Topic(&topic));
            }
        }
    } else if kinds.contains(&Kind::Subscription) {
        // Subscriptions have no authority of their own: who may see the queue manager sees them.
        require_display(queue_manager, caller, AuthorityObject::QueueManager, &queue_manager.name())?;
        for subscription in queue_manager.subscriptions() {
            if name.matches(&subscription.name) {
                add(message::SUBSCRIPTION_DETAILS, View::Subscription(&subscription));
            }
        }
    } else if kinds.iter().any(|kind| kind.is_administered()) {
        for object in families(kinds).flat_map(|family| queue_manager.objects(family)) {
            let matches = kinds.contains(&object.kind()) && name.matches(object.name().as_str());
            if matches && may_display(queue_manager, caller, object.family(), &object.name()) {
                add(administered::details(object.family()), View::Object(&object));
            }
        }
    } else {
        for queue in queue_manager.queues() {
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
    Ok(Reply { items })
}

/// The families of these kinds, each once: client connections come after other channels.
fn families(kinds: &[Kind]) -> impl Iterator<Item = AuthorityObject> {
    let families: BTreeSet<_> = kinds.iter().map(|kind| kind.authority_object()).collect();
    families.into_iter()
}

fn live_counts(queue_manager: &QueueManager, queue: &QueueDefinition) -> Option<LiveCounts> {
    queue.as_local()?;
    let status = queue_manager.queue_status(&queue.name)?;
    Some(LiveCounts { depth: status.depth.current, open_input: status.open_input, open_output: status.open_output })
}

/// What `request` wants to see of a definition, in table order; `None` when its condition does not hold.
pub(super) fn shown(view: View<'_>, request: &Request) -> Option<Vec<Shown>> {
    let kind = view.kind();
    let read = |row: &'static attribute::Attribute| {
        Some(Shown { keyword: row.mqsc, kind: row.value, value: (row.read)(view)? })
    };
    let conditional = request.condition.as_ref().map(|condition| condition.keyword);
    if let Some(condition) = &request.condition {
        let row = attribute::find(kind, condition.keyword)?;
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
    Some(attribute::of(kind).enumerate().filter(wanted).filter_map(|(_, row)| read(row)).collect())
}
