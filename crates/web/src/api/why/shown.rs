//! Decisions, steps and remedies as JSON.

use message_api::time_text::write_moment;
use model::authority::{Authority, Entity, Principal};
use model::reason::Reason;
use queue_manager::access::{Resolution, Step};
use queue_manager::decision::{Basis, Decision, Remedy, Weighed};
use queue_manager::recent::Noted;
use serde_json::{Map, Value, json};

/// `["PUT", "GET"]`.
pub(super) fn words(authority: Authority) -> Value {
    authority.words().map(|word| word.mqsc).collect()
}

pub(super) fn reason(reason: Reason) -> Value {
    json!({ "code": reason.number(), "name": reason.name() })
}

/// Who it is: an administrator, or in which groups.
pub(super) fn groups(principal: &Principal) -> Value {
    let groups: Vec<&str> = principal.groups.iter().map(|group| &**group).collect();
    let text = match &groups[..] {
        [] => format!("'{}' is in no group", principal.user),
        groups => format!("'{}' is in the groups {}", principal.user, groups.join(", ")),
    };
    json!({ "at": "groups", "user": &*principal.user, "groups": groups, "text": text })
}

/// A decision: its records only where they may be seen.
pub(super) fn decision(decision: &Decision, with_records: bool) -> Value {
    let mut shown = json!({
        "at": "authority",
        "allowed": decision.is_allowed(),
        "object": { "type": decision.object.mqsc(), "name": decision.name.as_str() },
        "wants": words(decision.wanted),
        "has": words(decision.granted & decision.object.all_authorities()),
        "lacks": words(decision.missing()),
        "text": text(decision, with_records),
    });
    if let (Basis::Records(weighed), true) = (&decision.basis, with_records) {
        shown["by"] = weighed.iter().map(entity).collect();
    }
    shown
}

/// What decided, as a sentence.
pub(super) fn text(decision: &Decision, with_records: bool) -> String {
    if with_records {
        return decision.rule();
    }
    let (object, name) = (decision.object.mqsc(), &decision.name);
    match decision.missing() {
        missing if missing.is_empty() => format!("{} is granted on {object} {name}", decision.wanted.list()),
        missing => format!("{} is missing on {object} {name}", missing.list()),
    }
}

fn entity(weighed: &Weighed) -> Value {
    let kind = if matches!(weighed.entity, Entity::Principal(_)) { "user" } else { "group" };
    json!({
        "type": kind,
        "name": weighed.entity.name(),
        "profile": weighed.profile,
        "passedOver": weighed.passed_over,
        "grants": words(weighed.granted),
    })
}

pub(super) fn step(step: &Step, with_records: bool) -> Value {
    match step {
        Step::Resolved(found) => resolution(found),
        Step::Decided(one) => decision(one, with_records),
        Step::AnyOf { topic_string, decisions } => json!({
            "at": "topics",
            "allowed": step.is_allowed(),
            "topicString": topic_string,
            "anyOf": decisions.iter().map(|one| decision(one, with_records)).collect::<Vec<_>>(),
            "text": any_of(topic_string, decisions),
        }),
    }
}

fn any_of(topic_string: &str, decisions: &[Decision]) -> String {
    let names: Vec<&str> = decisions.iter().map(|one| one.name.as_str()).collect();
    let names = names.join(", ");
    match decisions.iter().find(|one| one.is_allowed()) {
        Some(one) => format!("the topic object {} above '{topic_string}' allows it", one.name),
        None => format!("none of the topic objects above '{topic_string}' allows it: {names}"),
    }
}

fn resolution(found: &Resolution) -> Value {
    let text = match found {
        Resolution::Alias { alias, queue } => {
            format!("{alias} is an alias of {queue}; authority is asked for the alias, not for {queue}")
        }
        Resolution::Remote { definition, queue, queue_manager, transmission } => format!(
            "{definition} stands for the queue {queue} of {queue_manager}, by way of {transmission}; authority is asked for \
             {definition}"
        ),
        Resolution::Elsewhere { queue_manager, transmission } => format!(
            "the queue is on {queue_manager}; authority is asked for the transmission queue {transmission} that leads there"
        ),
        Resolution::TopicAlias { alias, topic } => {
            format!("{alias} is an alias of the topic {topic}; authority is asked for the alias and for the topic")
        }
        Resolution::Model { model } => format!("{model} is a model queue; authority is asked for the model"),
    };
    json!({ "at": "resolution", "text": text })
}

pub(super) fn remedies(decision: &Decision) -> Value {
    decision.remedies().iter().map(remedy).collect()
}

fn remedy(remedy: &Remedy) -> Value {
    let scope = if remedy.is_for_this_object_only { "object" } else { "profile" };
    json!({ "mqsc": remedy.mqsc, "scope": scope })
}

/// When something happened, and how often.
pub(super) fn noted<T>(noted: &Noted<T>) -> Map<String, Value> {
    let mut shown = Map::new();
    shown.insert("at".to_owned(), write_moment(noted.last).into());
    shown.insert("firstAt".to_owned(), write_moment(noted.first).into());
    shown.insert("count".to_owned(), noted.count.into());
    shown
}
