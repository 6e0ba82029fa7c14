//! What a first start makes: the queue manager's definition and the SYSTEM objects that tools and programs expect.
//!
//! Source: MQ administration, "System and default objects", 9.3.

use model::definition::attribute::Kind;
use model::definition::channel_authentication::UserSource;
use model::definition::listener::ListenerDefinition;
use model::definition::name_list::NameListDefinition;
use model::definition::queue::{AliasQueue, DefinitionType, LocalQueue, ModelQueue, RemoteQueue, Usage};
use model::definition::topic::{Allowed, Delivery};
use model::definition::{
    AdministeredObject, ChannelAuthentication, ChannelDefinition, ChannelType, History, QueueDefinition, QueueKind,
    QueueManagerDefinition, SubscriptionDefinition, TopicDefinition,
};
use model::identifier::CorrelationId;
use model::name::{ObjectName, QueueManagerName};
use model::timestamp::Timestamp;

use crate::queue::delayed;
use crate::security::channel_authentication::ADMINISTRATORS;

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

pub(super) fn history(now: Timestamp) -> History {
    History { created: now, altered: now }
}

/// Raised whenever something is added below, so that queue managers made by an older version get it too.
pub(crate) const STEP: u32 = 3;

/// What a step after the first added. A queue manager of an older step gets these and nothing else: what was deleted from
/// it stays away.
const ADDED: [(u32, &[&str]); 2] = [
    (
        2,
        &[
            SUBSCRIPTION_POINT,
            "SYSTEM.LISTENER.TCP.1",
            "SYSTEM.QPUBSUB.QUEUE.NAMELIST",
            "SYSTEM.QPUBSUB.SUBPOINT.NAMELIST",
        ],
    ),
    (3, &[delayed::QUEUE]),
];

/// The topic object of subscriptions that name no subscription point.
const SUBSCRIPTION_POINT: &str = "SYSTEM.BROKER.DEFAULT.SUBPOINT";

/// Whether a queue manager of `step` (0: a new one) never had this object.
pub(crate) fn is_newer_than(step: u32, name: &str) -> bool {
    step == 0 || ADDED.iter().any(|(added, names)| *added > step && names.contains(&name))
}

/// Local queues with the attributes of SYSTEM.DEFAULT.LOCAL.QUEUE.
const PLAIN: [&str; 18] = [
    "SYSTEM.DEFAULT.LOCAL.QUEUE",
    "SYSTEM.DEFAULT.INITIATION.QUEUE",
    "SYSTEM.CICS.INITIATION.QUEUE",
    "SYSTEM.CHANNEL.INITQ",
    "SYSTEM.CHANNEL.SYNCQ",
    "SYSTEM.CHLAUTH.DATA.QUEUE",
    "SYSTEM.AUTH.DATA.QUEUE",
    "SYSTEM.CLUSTER.COMMAND.QUEUE",
    "SYSTEM.CLUSTER.HISTORY.QUEUE",
    "SYSTEM.CLUSTER.REPOSITORY.QUEUE",
    "SYSTEM.DURABLE.SUBSCRIBER.QUEUE",
    "SYSTEM.HIERARCHY.STATE",
    "SYSTEM.INTER.QMGR.CONTROL",
    "SYSTEM.INTER.QMGR.FANREQ",
    "SYSTEM.INTER.QMGR.PUBS",
    "SYSTEM.PENDING.DATA.QUEUE",
    "SYSTEM.PROTECTION.ERROR.QUEUE",
    "SYSTEM.PROTECTION.POLICY.QUEUE",
];

/// Queues that the queue manager's own parts put events to.
const EVENTS: [&str; 10] = [
    "SYSTEM.ADMIN.ACCOUNTING.QUEUE",
    "SYSTEM.ADMIN.ACTIVITY.QUEUE",
    "SYSTEM.ADMIN.CHANNEL.EVENT",
    "SYSTEM.ADMIN.COMMAND.EVENT",
    "SYSTEM.ADMIN.CONFIG.EVENT",
    "SYSTEM.ADMIN.LOGGER.EVENT",
    "SYSTEM.ADMIN.PERFM.EVENT",
    "SYSTEM.ADMIN.PUBSUB.EVENT",
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
    let mut queues = Vec::with_capacity(64);
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
    let to_cluster = LocalQueue { usage: Usage::Transmission, ..deep.clone() };
    add("SYSTEM.CLUSTER.TRANSMIT.QUEUE", "Messages for other queue managers of a cluster", local(to_cluster.clone()));
    let template = LocalQueue { definition_type: DefinitionType::PermanentDynamic, ..to_cluster };
    add("SYSTEM.CLUSTER.TRANSMIT.MODEL.QUEUE", "Transmission queues of cluster channels", model(template));
    add("SYSTEM.RETAINED.PUB.QUEUE", "Retained publications", local(deep.clone()));
    for name in ["SYSTEM.BROKER.DEFAULT.STREAM", "SYSTEM.BROKER.ADMIN.STREAM", "SYSTEM.BROKER.CONTROL.QUEUE"] {
        add(name, "", QueueKind::Local(Box::default()));
    }
    let staging = LocalQueue { maximum_depth: 1_000_000, maximum_message_length: 104_857_600, ..LocalQueue::default() };
    add(delayed::QUEUE, "Messages that are delivered later", local(staging));
    for (name, maximum_depth, maximum_message_length) in TEMPORARY_MODELS {
        let template = LocalQueue { maximum_depth, maximum_message_length, ..temporary() };
        add(name, "", QueueKind::Model(Box::new(ModelQueue { local: template })));
    }
    let managed = LocalQueue { maximum_depth: 999_999_999, ..LocalQueue::default() };
    let durable = LocalQueue { definition_type: DefinitionType::PermanentDynamic, ..managed.clone() };
    add("SYSTEM.DURABLE.MODEL.QUEUE", "Managed queues of durable subscriptions", model(durable));
    let nondurable = LocalQueue { definition_type: DefinitionType::TemporaryDynamic, ..managed };
    add("SYSTEM.NDURABLE.MODEL.QUEUE", "Managed queues of non-durable subscriptions", model(nondurable));
    // What is staged is delivered without a question of authority: no program puts there.
    let staging = queues.iter_mut().find(|queue| queue.name.as_str() == delayed::QUEUE);
    staging.expect("it was added above").put_inhibited = true;
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

/// What DEFINE SUB starts from. Its topic string is blank, which no publication has.
pub(crate) fn subscription(now: Timestamp) -> SubscriptionDefinition {
    SubscriptionDefinition {
        name: "SYSTEM.DEFAULT.SUB".to_owned(),
        identifier: CorrelationId::new(*b"SYSTEM.DEFAULT.SUB\0\0\0\0\0\0"),
        history: history(now),
        ..SubscriptionDefinition::default()
    }
}

/// What DEFINE starts from for each kind of channel and other object, and what channels that define themselves are made
/// from.
pub(crate) fn objects(now: Timestamp) -> Vec<AdministeredObject> {
    let mut objects: Vec<_> = Kind::ALL
        .into_iter()
        .filter(|kind| kind.is_administered())
        .filter_map(|kind| Some((kind.default_object()?, AdministeredObject::blank(kind)?)))
        .collect();
    for (name, channel_type) in
        [("SYSTEM.AUTO.RECEIVER", ChannelType::Receiver), ("SYSTEM.AUTO.SVRCONN", ChannelType::ServerConnection)]
    {
        let description = "Auto-defined by".to_owned();
        let channel = ChannelDefinition { description, ..ChannelDefinition::blank(channel_type) };
        objects.push((name, AdministeredObject::Channel(Box::new(channel))));
    }
    // Programs of queued publish/subscribe look into these lists. The listener is the one that container scripts stop.
    let list = |names: &[&str]| {
        let names = names.iter().map(|name| ObjectName::literal(name)).collect();
        AdministeredObject::NameList(NameListDefinition { names, ..NameListDefinition::default() })
    };
    let streams = list(&["SYSTEM.BROKER.DEFAULT.STREAM", "SYSTEM.BROKER.ADMIN.STREAM"]);
    objects.push(("SYSTEM.QPUBSUB.QUEUE.NAMELIST", streams));
    objects.push(("SYSTEM.QPUBSUB.SUBPOINT.NAMELIST", list(&[SUBSCRIPTION_POINT])));
    let listener = ListenerDefinition { port: 1414, ..ListenerDefinition::default() };
    objects.push(("SYSTEM.LISTENER.TCP.1", AdministeredObject::Listener(listener)));
    let named = |(name, mut object): (&str, AdministeredObject)| {
        object.set_name(ObjectName::literal(name));
        object.set_history(history(now));
        object
    };
    objects.into_iter().map(named).collect()
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
        plain(SUBSCRIPTION_POINT, SUBSCRIPTION_POINT),
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
