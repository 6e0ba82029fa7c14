//! Rows of topic strings, their publishers and subscribers, of subscriptions, and of publish/subscribe as a whole.
//!
//! Sources: MQ reference, "DISPLAY TPSTATUS", "DISPLAY SBSTATUS", "DISPLAY PUBSUB", 9.3.

use model::definition::attribute::{Value, ValueType, date_text, time_text};
use model::definition::queue::PutResponse;
use model::definition::subscription::MadeBy;
use model::definition::topic::{ClusterRoute, Delivery, Multicast, Scope};
use model::timestamp::Timestamp;
use queue_manager::subscription::SubscriptionStatus;
use queue_manager::topic_status::{PublisherStatus, TopicStatus};

use super::{NUMBER, Row, TEXT, When, hex, optional_date, optional_time, row, word_of};

fn allowed(yes: bool) -> Value {
    Value::from(if yes { "ENABLED" } else { "DISABLED" })
}

fn delivery(delivery: Delivery) -> Value {
    Value::from(match delivery {
        Delivery::AsParent => "ASPARENT",
        Delivery::All => "ALL",
        Delivery::AllDurable => "ALLDUR",
        Delivery::AllAvailable => "ALLAVAIL",
    })
}

fn scope(scope: Scope) -> Value {
    Value::from(match scope {
        Scope::AsParent => "ASPARENT",
        Scope::All => "ALL",
        Scope::QueueManager => "QMGR",
    })
}

fn date(moment: Option<Timestamp>) -> Value {
    Value::Text(optional_date(moment))
}

fn time(moment: Option<Timestamp>) -> Value {
    Value::Text(optional_time(moment))
}

fn connection(identifier: Option<[u8; 24]>) -> Value {
    identifier.map_or_else(|| Value::from(""), |identifier| hex(&identifier))
}

pub(crate) static TOPIC: &[Row<TopicStatus>] = &[
    row("TOPICSTR", TEXT, When::Always, |t| Value::from(t.topic_string.as_str())),
    row("ADMIN", ValueType::Name, When::Always, |t| {
        Value::Text(t.object.map(|name| name.to_string()).unwrap_or_default())
    }),
    row("CLROUTE", TEXT, When::Usual, |t| {
        Value::from(match t.cluster_route {
            _ if t.cluster.is_blank() => "NONE",
            ClusterRoute::Direct => "DIRECT",
            ClusterRoute::TopicHost => "TOPICHOST",
            ClusterRoute::None => "NONE",
        })
    }),
    row("CLUSTER", ValueType::Name, When::Usual, |t| Value::from(t.cluster.as_str())),
    row("COMMINFO", ValueType::Name, When::Usual, |t| Value::from(t.communication_information.as_str())),
    row("DEFPRESP", TEXT, When::Usual, |t| {
        Value::from(match t.default_put_response {
            PutResponse::Synchronous => "SYNC",
            PutResponse::Asynchronous => "ASYNC",
        })
    }),
    row("DEFPRTY", NUMBER, When::Usual, |t| u32::from(t.default_priority).into()),
    row("DEFPSIST", TEXT, When::Usual, |t| word_of(t.default_persistent)),
    row("DURSUB", TEXT, When::Usual, |t| word_of(t.durable_subscriptions)),
    row("MCAST", TEXT, When::Usual, |t| {
        Value::from(match t.multicast {
            Multicast::AsParent | Multicast::Disabled => "DISABLED",
            Multicast::Enabled => "ENABLED",
            Multicast::Only => "ONLY",
        })
    }),
    row("MDURMDL", ValueType::Name, When::Usual, |t| Value::from(t.model_durable.as_str())),
    row("MNDURMDL", ValueType::Name, When::Usual, |t| Value::from(t.model_nondurable.as_str())),
    row("NPMSGDLV", TEXT, When::Usual, |t| delivery(t.nonpersistent_delivery)),
    row("PMSGDLV", TEXT, When::Usual, |t| delivery(t.persistent_delivery)),
    row("PUB", TEXT, When::Usual, |t| allowed(t.publish)),
    row("PUBCOUNT", NUMBER, When::Usual, |t| t.publishers.into()),
    row("PUBSCOPE", TEXT, When::Usual, |t| scope(t.publish_scope)),
    row("RETAINED", TEXT, When::Usual, |t| word_of(t.retained)),
    row("SUB", TEXT, When::Usual, |t| allowed(t.subscribe)),
    row("SUBCOUNT", NUMBER, When::Usual, |t| t.subscribers.into()),
    row("SUBSCOPE", TEXT, When::Usual, |t| scope(t.subscribe_scope)),
    row("USEDLQ", TEXT, When::Usual, |t| word_of(t.use_dead_letter_queue)),
];

pub(crate) static PUBLISHER: &[Row<PublisherStatus>] = &[
    row("TOPICSTR", TEXT, When::Always, |p| Value::from(p.topic_string.as_str())),
    row("ACTCONN", TEXT, When::Usual, |p| hex(&p.connection)),
    row("LPUBDATE", ValueType::Date, When::Usual, |p| date(p.last_published)),
    row("LPUBTIME", ValueType::Time, When::Usual, |p| time(p.last_published)),
    row("MCASTREL", TEXT, When::Usual, |_| Value::from(" , ")),
    row("NUMPUBS", NUMBER, When::Usual, |p| count(p.published)),
];

fn count(number: u64) -> Value {
    Value::Integer(i64::try_from(number).unwrap_or(i64::MAX))
}

fn subscription_type(status: &SubscriptionStatus) -> Value {
    Value::from(match status.definition.made_by {
        MadeBy::Administrator => "ADMIN",
        MadeBy::Api => "API",
        MadeBy::Proxy => "PROXY",
    })
}

fn identifier(status: &SubscriptionStatus) -> Value {
    Value::Text(status.definition.identifier.to_string().to_ascii_uppercase())
}

pub(crate) static SUBSCRIBER: &[Row<SubscriptionStatus>] = &[
    row("TOPICSTR", TEXT, When::Always, |s| Value::from(s.definition.topic_string.as_str())),
    row("SUBID", TEXT, When::Usual, identifier),
    row("ACTCONN", TEXT, When::Usual, |s| connection(s.opened_by)),
    row("DURABLE", TEXT, When::Usual, |s| word_of(s.definition.durable)),
    row("LMSGDATE", ValueType::Date, When::Usual, |s| date(s.last_published)),
    row("LMSGTIME", ValueType::Time, When::Usual, |s| time(s.last_published)),
    row("MCASTREL", TEXT, When::Usual, |_| Value::from(" , ")),
    row("NUMMSGS", NUMBER, When::Usual, |s| count(s.published)),
    row("RESMDATE", ValueType::Date, When::Usual, |s| Value::Text(date_text(s.definition.history.created))),
    row("RESMTIME", ValueType::Time, When::Usual, |s| Value::Text(time_text(s.definition.history.created))),
    row("SUBTYPE", TEXT, When::Usual, subscription_type),
    row("SUBUSER", TEXT, When::Usual, |s| Value::from(s.definition.user.as_str())),
];

pub(crate) static SUBSCRIPTION: &[Row<SubscriptionStatus>] = &[
    row("SUB", TEXT, When::Always, |s| Value::from(s.definition.name.as_str())),
    row("SUBID", TEXT, When::Always, identifier),
    row("ACTCONN", TEXT, When::Asked, |s| connection(s.opened_by)),
    row("DURABLE", TEXT, When::Usual, |s| word_of(s.definition.durable)),
    row("LMSGDATE", ValueType::Date, When::Asked, |s| date(s.last_published)),
    row("LMSGTIME", ValueType::Time, When::Asked, |s| time(s.last_published)),
    row("MCASTREL", TEXT, When::Asked, |_| Value::from(" , ")),
    row("NUMMSGS", NUMBER, When::Asked, |s| count(s.published)),
    row("RESMDATE", ValueType::Date, When::Asked, |s| Value::Text(date_text(s.definition.history.created))),
    row("RESMTIME", ValueType::Time, When::Asked, |s| Value::Text(time_text(s.definition.history.created))),
    row("SUBTYPE", TEXT, When::Usual, subscription_type),
    row("SUBUSER", TEXT, When::Usual, |s| Value::from(s.definition.user.as_str())),
    row("TOPICSTR", TEXT, When::Usual, |s| Value::from(s.definition.topic_string.as_str())),
];

/// What DISPLAY PUBSUB knows.
pub(crate) struct PublishSubscribeView {
    pub(crate) name: String,
    pub(crate) enabled: bool,
    pub(crate) subscriptions: usize,
    pub(crate) topics: usize,
}

pub(crate) static PUBLISH_SUBSCRIBE: &[Row<PublishSubscribeView>] = &[
    row("QMNAME", ValueType::Name, When::Always, |p| Value::from(p.name.as_str())),
    row("TYPE", TEXT, When::Always, |_| Value::from("LOCAL")),
    row("STATUS", TEXT, When::Usual, |p| Value::from(if p.enabled { "ACTIVE" } else { "INACTIVE" })),
    row("SUBCOUNT", NUMBER, When::Usual, |p| count(p.subscriptions as u64)),
    row("TPCOUNT", NUMBER, When::Usual, |p| count(p.topics as u64)),
];
