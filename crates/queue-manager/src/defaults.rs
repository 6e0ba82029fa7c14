//! What a first start makes: the queue manager's definition and the SYSTEM objects that tools and programs expect.
//!
//! Source: MQ administration, "System and default objects", 9.3.

use model::definition::channel_authentication::UserSource;
use model::definition::queue::{AliasQueue, DefinitionType, LocalQueue, ModelQueue, RemoteQueue};
use model::definition::topic::{Allowed, Delivery};
use model::definition::{
    ChannelAuthentication, History, QueueDefinition, QueueKind, QueueManagerDefinition, TopicDefinition,
};
use model::name::{ObjectName, QueueManagerName};
use model::timestamp::Timestamp;

use crate::channel_authentication::ADMINISTRATORS;

/// `NAME_yyyy-mm-dd_hh.mm.ss`, as QMID is made.
pub(crate) fn queue_manager(name: QueueManagerName, now: Timestamp) -> QueueManagerDefinition {
    let at = now.date_time();
    let identifier = format!(
        "{name}_{:04}-{:02}-{:02}_{:02}.{:02}.{:02}",
        at.year(),
        u8::from(at.month()),
        at.day(),
        at.hour(),
        at.minute(),
        at.second()
    );
    QueueManagerDefinition { name, identifier, history: history(now), ..QueueManagerDefinition::default() }
}

fn history(now: Timestamp) -> History {
    History { created: now, altered: now }
}

/// Local queues with the attributes of SYSTEM.DEFAULT.LOCAL.QUEUE.
const PLAIN: [&str; 3] =
    ["SYSTEM.DEFAULT.LOCAL.QUEUE", "SYSTEM.DEFAULT.INITIATION.QUEUE", "SYSTEM.CICS.INITIATION.QUEUE"];

/// Queues that the queue manager's own parts put events to.
const EVENTS: [&str; 9] = [
    "SYSTEM.ADMIN.ACCOUNTING.QUEUE",
    "SYSTEM.ADMIN.ACTIVITY.QUEUE",
    "SYSTEM.ADMIN.CHANNEL.EVENT",
    "SYSTEM.ADMIN.COMMAND.EVENT",
    "SYSTEM.ADMIN.CONFIG.EVENT",
    "SYSTEM.ADMIN.LOGGER.EVENT",
    "SYSTEM.ADMIN.PERFM.EVENT",
    "SYSTEM.ADMIN.QMGR.EVENT",
    "SYSTEM.ADMIN.STATISTICS.QUEUE",
];

/// Models of temporary queues, with their MAXDEPTH and MAXMSGL.
const TEMPORARY_MODELS: [(&str, u32, u32); 5] = [
    ("SYSTEM.DEFAULT.MODEL.QUEUE", 5000, 4_194_304),
    ("SYSTEM.MQSC.REPLY.QUEUE", 3000, 32_768),
    ("SYSTEM.MQEXPLORER.REPLY.MODEL", 3000, 4_194_304),
    ("SYSTEM.COMMAND.REPLY.MODEL", 3000, 32_768),
    ("SYSTEM.JMS.TEMPQ.MODEL", 5000, 4_194_304),
];

/// Every queue of a first start, without a place in the store yet.
pub(crate) fn queues(now: Timestamp) -> Vec<QueueDefinition> {
    let mut queues = Vec::with_capacity(40);
    let mut add = |name: &str, description: &str, kind: QueueKind| {
        let definition = QueueDefinition::new(ObjectName::literal(name), kind);
        queues.push(QueueDefinition { description: description.to_owned(), history: history(now), ..definition });
    };
    for name in PLAIN {
        add(name, "", QueueKind::Local(Box::default()));
    }
    add("SYSTEM.DEFAULT.ALIAS.QUEUE", "", QueueKind::Alias(AliasQueue::default()));
    add("SYSTEM.DEFAULT.REMOTE.QUEUE", "", QueueKind::Remote(RemoteQueue::default()));
    let deep = LocalQueue { maximum_depth: 999_999_999, ..LocalQueue::default() };
    add("SYSTEM.DEAD.LETTER.QUEUE", "Messages that could not be delivered", local(deep.clone()));
    let commands = LocalQueue { maximum_depth: 3000, maximum_message_length: 32_768, ..LocalQueue::default() };
    add("SYSTEM.ADMIN.COMMAND.QUEUE", "Commands for the queue manager", local(commands));
    add("SYSTEM.ADMIN.TRACE.ROUTE.QUEUE", "", QueueKind::Local(Box::default()));
    let events = LocalQueue { maximum_depth: 3000, ..LocalQueue::default() };
    for name in EVENTS {
        add(name, "", local(events.clone()));
    }
    add("SYSTEM.REST.REPLY.QUEUE", "Replies to commands sent by REST", local(events));
    add("SYSTEM.RETAINED.PUB.QUEUE", "Retained publications", local(deep.clone()));
    for name in ["SYSTEM.BROKER.DEFAULT.STREAM", "SYSTEM.BROKER.ADMIN.STREAM", "SYSTEM.BROKER.CONTROL.QUEUE"] {
        add(name, "", QueueKind::Local(Box::default()));
    }
    for (name, maximum_depth, maximum_message_length) in TEMPORARY_MODELS {
        let template = LocalQueue { maximum_depth, maximum_message_length, ..temporary() };
        add(name, "", QueueKind::Model(Box::new(ModelQueue { local: template })));
    }
    let managed = LocalQueue { maximum_depth: 999_999_999, ..LocalQueue::default() };
    let durable = LocalQueue { definition_type: DefinitionType::PermanentDynamic, ..managed.clone() };
    add("SYSTEM.DURABLE.MODEL.QUEUE", "Managed queues of durable subscriptions", model(durable));
    let nondurable = LocalQueue { definition_type: DefinitionType::TemporaryDynamic, ..managed };
    add("SYSTEM.NDURABLE.MODEL.QUEUE", "Managed queues of non-durable subscriptions", model(nondurable));
    queues
}

/// Model queues as MQ ships them: temporary, not shared, exclusive input by default.
fn temporary() -> LocalQueue {
    LocalQueue {
        definition_type: DefinitionType::TemporaryDynamic,
        shareable: false,
        default_input_shared: false,
        ..LocalQueue::default()
    }
}

fn local(queue: LocalQueue) -> QueueKind {
    QueueKind::Local(Box::new(queue))
}

fn model(local: LocalQueue) -> QueueKind {
    QueueKind::Model(Box::new(ModelQueue { local }))
}

/// SYSTEM.BASE.TOPIC is the root, whose attributes leave nothing to a parent.
pub(crate) fn topics(now: Timestamp) -> Vec<TopicDefinition> {
    let base = TopicDefinition {
        name: ObjectName::literal("SYSTEM.BASE.TOPIC"),
        description: "Base topic for resolving attributes".to_owned(),
        publish: Allowed::Enabled,
        subscribe: Allowed::Enabled,
        default_priority: Some(0),
        default_persistent: Some(false),
        durable_subscriptions: Some(true),
        model_durable: ObjectName::literal("SYSTEM.DURABLE.MODEL.QUEUE"),
        model_nondurable: ObjectName::literal("SYSTEM.NDURABLE.MODEL.QUEUE"),
        persistent_delivery: Delivery::AllDurable,
        nonpersistent_delivery: Delivery::AllAvailable,
        use_dead_letter_queue: Some(true),
        history: history(now),
        ..TopicDefinition::default()
    };
    let plain = |name: &str, topic_string: &str| TopicDefinition {
        name: ObjectName::literal(name),
        topic_string: topic_string.to_owned(),
        history: history(now),
        ..TopicDefinition::default()
    };
    vec![
        base,
        plain("SYSTEM.DEFAULT.TOPIC", ""),
        plain("SYSTEM.BROKER.DEFAULT.STREAM", "SYSTEM.BROKER.DEFAULT.STREAM"),
        plain("SYSTEM.BROKER.ADMIN.STREAM", "SYSTEM.BROKER.ADMIN.STREAM"),
        plain("SYSTEM.ADMIN.TOPIC", "$SYS/MQ"),
    ]
}

/// Administrators come in by no channel, nobody by SYSTEM channels, except that SYSTEM.ADMIN.SVRCONN is as it is defined.
pub(crate) fn channel_authentications(now: Timestamp) -> Vec<ChannelAuthentication> {
    let records = [
        ("Administrators run no channel", ChannelAuthentication::block_users("*", &[ADMINISTRATORS])),
        ("Nobody uses SYSTEM channels", ChannelAuthentication::address_map("SYSTEM.*", "*", UserSource::NoAccess)),
        (
            "The channel's own user counts",
            ChannelAuthentication::address_map("SYSTEM.ADMIN.SVRCONN", "*", UserSource::Channel),
        ),
    ];
    let record = |(description, record): (&str, ChannelAuthentication)| ChannelAuthentication {
        description: description.to_owned(),
        history: history(now),
        ..record
    };
    records.map(record).into()
}
