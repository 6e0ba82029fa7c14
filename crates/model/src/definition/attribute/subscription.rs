//! Rows of subscriptions.
//!
//! Sources: MQ reference, "DEFINE SUB", "DISPLAY SUB", 9.3 and 9.4; the JSON names of the v1 `subscription` resource;
//! numbers from the published constants (cmqc.h, cmqcfc.h).

use crate::definition::attribute::field::{Field, date_text, time_text};
use crate::definition::attribute::word::{plain, text, truth};
use crate::definition::attribute::{Access, Attribute, Kind, Value, ValueType, Word};

const SUB: &[Kind] = &[Kind::Subscription];

const DISPLAY_TYPES: &[Word] = &[plain("RESOLVED", 0), plain("DEFINED", 1)];
const CLASSES: &[Word] = &[truth("MANAGED", 1, true), truth("PROVIDED", 2, false)];
const DURABLE: &[Word] = &[truth("YES", 1, true), truth("NO", 2, false)];
const PROPERTIES: &[Word] = &[
    text("NONE", 0, "none"),
    text("COMPAT", 1, "compatible"),
    text("RFH2", 2, "rfh2"),
    text("MSGPROP", 3, "messageProperties"),
];
const PRIORITIES: &[Word] = &[text("ASPUB", -3, "asPublished"), text("ASQDEF", -1, "asQueueDefault")];
const REQUESTS: &[Word] = &[truth("YES", 1, true), truth("NO", 2, false)];
const SELECTOR_TYPES: &[Word] =
    &[text("NONE", 0, "none"), text("STANDARD", 1, "standard"), text("EXTENDED", 2, "extended")];
const SCOPES: &[Word] = &[text("QMGR", 1, "qmgr"), text("ALL", 2, "all")];
const TYPES: &[Word] = &[text("API", 1, "api"), text("ADMIN", 2, "administrative"), text("PROXY", 3, "proxy")];
const USERS: &[Word] = &[truth("FIXED", 1, false), truth("ANY", 2, true)];
const SCHEMAS: &[Word] = &[truth("CHAR", 1, true), truth("TOPIC", 2, false)];

pub(super) const ROWS: &[Attribute] = &[
    shown!(
        SUBID = Some(7016),
        "id",
        SUB,
        ValueType::Hexadecimal { bytes: 24 },
        |view| Some(view.subscription()?.identifier.to_value()),
        "Identifier that the queue manager gave the subscription."
    ),
    shown!(
        SUB = Some(3152),
        "name",
        SUB,
        ValueType::Text { maximum: 10_240 },
        |view| Some(view.subscription()?.name.to_value()),
        "Name of the subscription."
    )
    .also(&["SUBNAME"]),
    row!(
        TOPICSTR = 2094,
        "resolvedTopicString",
        SUB,
        ValueType::Text { maximum: 10_240 },
        subscription.topic_string,
        "Topic string of the subscription, including that of the topic object."
    )
    .also(&["TOPSTR"])
    .fixed(),
    row!(
        TOPICOBJ = 2092,
        "topic.name",
        SUB,
        ValueType::Name,
        subscription.topic_object,
        "Topic object whose topic string is the prefix."
    )
    .fixed(),
    shown!(DISTYPE = Some(262), -, SUB, ValueType::Choice(DISPLAY_TYPES),
        |view| { view.subscription()?; Some(Value::Integer(0)) },
        "Whether the complete topic string is shown, or topic object and string as defined."),
    row!(
        DEST = 3154,
        "destination.name",
        SUB,
        ValueType::Name,
        subscription.destination,
        "Queue to which publications are delivered."
    ),
    row!(
        DESTQMGR = 3153,
        "destination.qmgrName",
        SUB,
        ValueType::Name,
        subscription.destination_queue_manager,
        "Queue manager of that queue; blank for this one."
    ),
    row!(
        DESTCORL = 7015,
        "destination.correlationId",
        SUB,
        ValueType::Hexadecimal { bytes: 24 },
        subscription.correlation_id,
        "Correlation identifier of delivered publications."
    ),
    row!(
        DESTCLAS = 1273,
        "destination.isManaged",
        SUB,
        ValueType::Choice(CLASSES),
        [subscription.managed = 2 | 1],
        "Whether the queue manager creates the destination queue."
    )
    .fixed(),
    shown!(
        DURABLE = Some(1274),
        "general.isDurable",
        SUB,
        ValueType::Choice(DURABLE),
        |view| Some(Value::Integer(if view.subscription()?.durable { 1 } else { 2 })),
        "Whether the subscription survives the end of its creator's connection."
    ),
    row!(
        EXPIRY = 1244,
        "extended.expiry",
        SUB,
        ValueType::Integer {
            minimum: 1,
            maximum: 999_999_999,
            unit: "tenths of a second",
            words: &[plain("UNLIMITED", -1)],
        },
        subscription.expiry_tenths,
        "Lifetime of the subscription from its definition."
    ),
    row!(
        PSPROP = 1271,
        "extended.messagePropertyControl",
        SUB,
        ValueType::Choice(PROPERTIES),
        subscription.properties,
        "How publish/subscribe properties are delivered."
    ),
    row!(
        PUBACCT = 7010,
        "user.accountingToken",
        SUB,
        ValueType::Hexadecimal { bytes: 32 },
        subscription.accounting_token,
        "Accounting token of delivered publications."
    ),
    row!(
        PUBAPPID = 3135,
        "user.applicationIdentityData",
        SUB,
        ValueType::Text { maximum: 32 },
        subscription.application_identity_data,
        "Application identity data of delivered publications."
    ),
    row!(
        PUBPRTY = 1283,
        "extended.messagePriority",
        SUB,
        ValueType::Integer { minimum: 0, maximum: 9, unit: "", words: PRIORITIES },
        |view| Some(Value::Integer(view.subscription()?.priority.map_or(-3, i64::from))),
        |target, value| {
            target.subscription()?.priority = match value.number()? {
                -3 => None,
                number => Some(i8::try_from(number).ok()?),
            };
            Some(())
        },
        "Priority of delivered publications."
    ),
    row!(
        REQONLY = 1280,
        "extended.deliverOnRequest",
        SUB,
        ValueType::Choice(REQUESTS),
        [subscription.request_only = 2 | 1],
        "Whether publications are delivered only on request."
    ),
    row!(
        SELECTOR = 3160,
        "selector.value",
        SUB,
        ValueType::Text { maximum: 10_240 },
        subscription.selector,
        "Condition on message properties. Other publications are not delivered."
    )
    .fixed(),
    shown!(
        SELTYPE = Some(1321),
        "selector.type",
        SUB,
        ValueType::Choice(SELECTOR_TYPES),
        |view| Some(Value::Integer(i64::from(!view.subscription()?.selector.is_empty()))),
        "Kind of selector."
    ),
    row!(
        SUBLEVEL = 1307,
        "extended.level",
        SUB,
        ValueType::Integer { minimum: 0, maximum: 9, unit: "", words: &[] },
        subscription.level,
        "Rank among subscriptions that intercept publications; stored, without effect."
    )
    .fixed(),
    row!(
        SUBSCOPE = 1275,
        "extended.networkScope",
        SUB,
        ValueType::Choice(SCOPES),
        [subscription.local_scope = 2 | 1],
        "Whether publications of other queue managers are received."
    )
    .fixed(),
    shown!(
        SUBTYPE = Some(1289),
        "general.type",
        SUB,
        ValueType::Choice(TYPES),
        |view| Some(view.subscription()?.made_by.to_value()),
        "Who made the subscription."
    ),
    row!(
        SUBUSER = 3156,
        "user.name",
        SUB,
        ValueType::Text { maximum: 64 },
        subscription.user,
        "User whose authority is used to deliver the publications."
    ),
    row!(
        USERDATA = 3159,
        "user.userData",
        SUB,
        ValueType::Text { maximum: 10_240 },
        subscription.user_data,
        "Text that is delivered with every publication."
    ),
    row!(
        VARUSER = 1277,
        "user.supportVariableUser",
        SUB,
        ValueType::Choice(USERS),
        [subscription.any_user = 1 | 2],
        "Whether other users than the creator may use the subscription."
    ),
    row!(
        WSCHEMA = 1288,
        "general.usesCharacterWildcard",
        SUB,
        ValueType::Choice(SCHEMAS),
        [subscription.wildcard_topic = 1 | 2],
        "Meaning of wildcards in the topic string."
    )
    .fixed(),
    shown!(
        CRDATE = Some(2004),
        "timestamps.created",
        SUB,
        ValueType::Date,
        |view| Some(Value::Text(date_text(view.subscription()?.history.created))),
        "Date of definition, in UTC."
    ),
    shown!(
        CRTIME = Some(2005),
        "timestamps.created",
        SUB,
        ValueType::Time,
        |view| Some(Value::Text(time_text(view.subscription()?.history.created))),
        "Time of definition, in UTC."
    ),
    shown!(
        ALTDATE = Some(2027),
        "timestamps.altered",
        SUB,
        ValueType::Date,
        |view| Some(Value::Text(date_text(view.subscription()?.history.altered))),
        "Date of the last change, in UTC."
    ),
    shown!(
        ALTTIME = Some(2028),
        "timestamps.altered",
        SUB,
        ValueType::Time,
        |view| Some(Value::Text(time_text(view.subscription()?.history.altered))),
        "Time of the last change, in UTC."
    ),
];
