//! Rows of administrative topic objects.
//!
//! Sources: MQ reference, "DEFINE TOPIC", "DISPLAY TOPIC", 9.3 and 9.4; numbers from the published constants (cmqc.h).

use crate::definition::attribute::field::{Field, date_text, time_text};
use crate::definition::attribute::word::{DISPOSITIONS, plain};
use crate::definition::attribute::{Access, Attribute, Kind, Value, ValueType, Word};
use crate::definition::queue::PutResponse;

const TOPIC: &[Kind] = &[Kind::Topic];

const TYPES: &[Word] = &[plain("LOCAL", 0)];
const ROUTES: &[Word] = &[plain("DIRECT", 0), plain("TOPICHST", 1)];
const RESPONSES: &[Word] = &[plain("ASPARENT", 0), plain("SYNC", 1), plain("ASYNC", 2)];
const PERSISTENCE: &[Word] = &[plain("ASPARENT", -1), plain("NO", 0), plain("YES", 1)];
const DURABLE: &[Word] = &[plain("ASPARENT", 0), plain("YES", 1), plain("NO", 2)];
const MULTICAST: &[Word] = &[plain("ASPARENT", 0), plain("ENABLED", 1), plain("DISABLED", 2), plain("ONLY", 3)];
const DELIVERIES: &[Word] = &[plain("ASPARENT", 0), plain("ALL", 1), plain("ALLDUR", 2), plain("ALLAVAIL", 3)];
const PROXIES: &[Word] = &[plain("FORCE", 1), plain("FIRSTUSE", 2)];
const ALLOWED: &[Word] = &[plain("ASPARENT", 0), plain("DISABLED", 1), plain("ENABLED", 2)];
const SCOPES: &[Word] = &[plain("ALL", 0), plain("ASPARENT", 1), plain("QMGR", 4)];
const DEAD_LETTERS: &[Word] = &[plain("ASPARENT", 0), plain("NO", 1), plain("YES", 2)];
const WILDCARDS: &[Word] = &[plain("BLOCK", 1), plain("PASSTHRU", 2)];
const PARENT_OR_NO_LIMIT: &[Word] = &[plain("ASPARENT", -2), plain("NOLIMIT", -1)];

/// A switch that may be left to the parent, with its three published numbers.
const fn inherited(choice: Option<bool>, parent: i64, no: i64, yes: i64) -> i64 {
    match choice {
        None => parent,
        Some(false) => no,
        Some(true) => yes,
    }
}

fn from_inherited(value: &Value, parent: i64, no: i64, yes: i64) -> Option<Option<bool>> {
    let number = value.number()?;
    if number == parent {
        Some(None)
    } else if number == yes {
        Some(Some(true))
    } else {
        (number == no).then_some(Some(false))
    }
}

pub(super) const ROWS: &[Attribute] = &[
    shown!(TOPIC = Some(2092), -, TOPIC, ValueType::Name,
        |view| Some(view.topic()?.name.to_value()),
        "Name of the topic object."),
    shown!(TYPE = Some(208), -, TOPIC, ValueType::Choice(TYPES),
        |view| { view.topic()?; Some(Value::Integer(0)) },
        "Kind of topic object."),
    shown!(QSGDISP = Some(63), -, TOPIC, ValueType::Choice(DISPOSITIONS),
        |view| Some(view.topic()?.disposition.to_value()),
        "Whether the definition is the queue manager's own, a copy of the group's, or the group's.")
    .of_members(),
    shown!(ALTDATE = Some(2027), -, TOPIC, ValueType::Date,
        |view| Some(Value::Text(date_text(view.topic()?.history.altered))),
        "Date of the last change, in UTC."),
    shown!(ALTTIME = Some(2028), -, TOPIC, ValueType::Time,
        |view| Some(Value::Text(time_text(view.topic()?.history.altered))),
        "Time of the last change, in UTC."),
    row!(CAPEXPRY = 276, -, TOPIC,
        ValueType::Integer {
            minimum: 1, maximum: 999_999_999, unit: "tenths of a second", words: PARENT_OR_NO_LIMIT,
        },
        topic.cap_expiry,
        "Longest lifetime of messages published to the topic."),
    row!(CLROUTE = 255, -, TOPIC, ValueType::Choice(ROUTES), topic.cluster_route,
        "How publications are routed in the topic's cluster."),
    row!(CLUSTER = 2029, -, TOPIC, ValueType::Name, topic.cluster,
        "Cluster of the topic."),
    row!(COMMINFO = 2110, -, TOPIC, ValueType::Name, topic.communication_information,
        "Communication information object for multicast."),
    row!(CUSTOM = 2119, -, TOPIC, ValueType::Text { maximum: 128 }, topic.custom,
        "Reserved for features without an attribute."),
    row!(DEFPRTY = 6, -, TOPIC,
        ValueType::Integer { minimum: 0, maximum: 9, unit: "", words: &[plain("ASPARENT", -2)] },
        |view| Some(Value::Integer(view.topic()?.default_priority.map_or(-2, i64::from))),
        |target, value| {
            target.topic()?.default_priority = match value.number()? {
                -2 => None,
                number => Some(u8::try_from(number).ok()?),
            };
            Some(())
        },
        "Priority of publications with the topic's default priority."),
    row!(DEFPSIST = 185, -, TOPIC, ValueType::Choice(PERSISTENCE),
        |view| Some(Value::Integer(inherited(view.topic()?.default_persistent, -1, 0, 1))),
        |target, value| {
            target.topic()?.default_persistent = from_inherited(value, -1, 0, 1)?;
            Some(())
        },
        "Persistence of publications with the topic's default persistence."),
    row!(DEFPRESP = 184, -, TOPIC, ValueType::Choice(RESPONSES),
        |view| Some(view.topic()?.default_put_response.map_or(Value::Integer(0), |response| response.to_value())),
        |target, value| {
            target.topic()?.default_put_response = match value.number()? {
                0 => None,
                _ => Some(PutResponse::from_value(value)?),
            };
            Some(())
        },
        "Whether publishers with the default response wait for their answer."),
    row!(DESCR = 2093, -, TOPIC, ValueType::Text { maximum: 64 }, topic.description,
        "Free text about the topic."),
    row!(DURSUB = 175, -, TOPIC, ValueType::Choice(DURABLE),
        |view| Some(Value::Integer(inherited(view.topic()?.durable_subscriptions, 0, 2, 1))),
        |target, value| {
            target.topic()?.durable_subscriptions = from_inherited(value, 0, 2, 1)?;
            Some(())
        },
        "Whether applications may make durable subscriptions."),
    row!(MCAST = 176, -, TOPIC, ValueType::Choice(MULTICAST), topic.multicast,
        "Whether publications may use multicast; stored, without effect."),
    row!(MDURMDL = 2096, -, TOPIC, ValueType::Name, topic.model_durable,
        "Model of the managed queues of durable subscriptions; blank uses the parent's."),
    row!(MNDURMDL = 2097, -, TOPIC, ValueType::Name, topic.model_nondurable,
        "Model of the managed queues of non-durable subscriptions; blank uses the parent's."),
    row!(NPMSGDLV = 196, -, TOPIC, ValueType::Choice(DELIVERIES), topic.nonpersistent_delivery,
        "When publishing a nonpersistent message fails because it cannot be delivered to a subscriber."),
    row!(PMSGDLV = 195, -, TOPIC, ValueType::Choice(DELIVERIES), topic.persistent_delivery,
        "When publishing a persistent message fails because it cannot be delivered to a subscriber."),
    row!(PROXYSUB = 199, -, TOPIC, ValueType::Choice(PROXIES), [topic.proxy_subscription_force = 2 | 1],
        "When other queue managers are informed of subscriptions here."),
    row!(PUB = 181, -, TOPIC, ValueType::Choice(ALLOWED), topic.publish,
        "Whether messages may be published here."),
    row!(PUBSCOPE = 219, -, TOPIC, ValueType::Choice(SCOPES), topic.publish_scope,
        "Whether publications are sent to other queue managers."),
    row!(SUB = 182, -, TOPIC, ValueType::Choice(ALLOWED), topic.subscribe,
        "Whether applications may subscribe here."),
    row!(SUBSCOPE = 218, -, TOPIC, ValueType::Choice(SCOPES), topic.subscribe_scope,
        "Whether subscriptions reach other queue managers."),
    row!(TOPICSTR = 2094, -, TOPIC, ValueType::Text { maximum: 10_240 }, topic.topic_string,
        "Node of the topic tree that the object describes.")
    .also(&["TOPSTR"])
    .fixed(),
    row!(USEDLQ = 234, -, TOPIC, ValueType::Choice(DEAD_LETTERS),
        |view| Some(Value::Integer(inherited(view.topic()?.use_dead_letter_queue, 0, 1, 2))),
        |target, value| {
            target.topic()?.use_dead_letter_queue = from_inherited(value, 0, 1, 2)?;
            Some(())
        },
        "Whether publications that cannot be delivered go to the dead-letter queue."),
    row!(WILDCARD = 216, -, TOPIC, ValueType::Choice(WILDCARDS), [topic.block_wildcards = 2 | 1],
        "Whether subscriptions with wildcards above this node see publications below it."),
];
