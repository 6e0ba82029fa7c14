//! The last changes of definitions as JSON, page by page.

use message_api::live::Concern;
use message_api::time_text::write_moment;
use model::authority::AuthorityObject;
use model::name::ObjectName;
use model::timestamp::Timestamp;
use queue_manager::QueueManager;
use queue_manager::changes::{Attributes, Change, What};
use queue_manager::event::command::Origin;
use serde_json::{Map, Value, json};

/// The newest first: those that happened then or later, of objects that the viewer sees.
pub fn list(queue_manager: &QueueManager, since: Timestamp, limit: usize, sees: impl Fn(&Concern) -> bool) -> Value {
    let all = queue_manager.definition_changes();
    let mut seen = all
        .iter()
        .filter(|change| change.at >= since && sees(&concern(queue_manager, change)))
        .map(|change| shown(change));
    let changes: Vec<Value> = seen.by_ref().take(limit).collect();
    json!({ "changes": changes, "isComplete": seen.next().is_none() })
}

/// Whose authority shows a change: that for the object, and for authority records that for the queue manager.
fn concern(queue_manager: &QueueManager, change: &Change) -> Concern {
    let object = match &*change.object {
        "queue" => AuthorityObject::Queue,
        "topic" | "subscription" => AuthorityObject::Topic,
        "channel" => AuthorityObject::Channel,
        "listener" => AuthorityObject::Listener,
        "process" => AuthorityObject::Process,
        "namelist" => AuthorityObject::NameList,
        "authinfo" => AuthorityObject::AuthenticationInformation,
        "service" => AuthorityObject::Service,
        "comminfo" => AuthorityObject::CommunicationInformation,
        "cfstruct" => AuthorityObject::Structure,
        _ => return Concern::Object(AuthorityObject::QueueManager, queue_manager.name()),
    };
    match ObjectName::parse(&change.name) {
        Ok(name) if change.object != "subscription" => Concern::Object(object, name),
        _ => Concern::Object(AuthorityObject::QueueManager, queue_manager.name()),
    }
}

fn shown(change: &Change) -> Value {
    let Change { at, user, origin, what, object, name, before, after, mqsc } = change;
    json!({
        "at": write_moment(*at),
        "user": user,
        "by": by(*origin),
        "object": { "type": object, "name": name },
        "what": match what {
            What::Create => "create",
            What::Change => "change",
            What::Delete => "delete",
        },
        "before": members(before),
        "after": members(after),
        "mqsc": mqsc,
    })
}

/// By which way the command came.
fn by(origin: Origin) -> &'static str {
    match origin {
        Origin::Other => "other",
        Origin::Console => "command line",
        Origin::Initialisation => "start",
        Origin::Message => "PCF message",
        Origin::SetCall => "MQSET",
        Origin::Internal => "queue manager",
        Origin::Rest => "REST",
    }
}

/// A keyword that comes more than once has all its values.
fn members(attributes: &Attributes) -> Map<String, Value> {
    let mut members: Map<String, Value> = Map::new();
    for (keyword, text) in attributes {
        match members.get_mut(*keyword) {
            None => drop(members.insert((*keyword).to_owned(), json!(text))),
            Some(Value::Array(texts)) => texts.push(json!(text)),
            Some(one) => *one = json!([one, text]),
        }
    }
    members
}
