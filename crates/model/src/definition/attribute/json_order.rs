//! In which order REST v1 shows the members of an object, and which it always shows.
//!
//! JSON leaves the order open, but answers are easier to compare with those of the product in its own order. Names that
//! stand directly in an object (`name`, `type`) come after its groups; what is not listed follows in table order.
//!
//! Source: answers of 9.1 and 9.2 in public repositories.

use crate::definition::attribute::Kind;

const QUEUE: &[&str] = &[
    "remote.qmgrName",
    "remote.queueName",
    "remote.transmissionQueueName",
    "alias.targetName",
    "alias.targetType",
    "model.type",
    "dynamic.type",
    "cluster.namelist",
    "cluster.name",
    "cluster.workloadQueueUse",
    "cluster.workloadPriority",
    "cluster.workloadRank",
    "cluster.transmissionQueueForChannelName",
    "queueSharingGroup.disposition",
    "queueSharingGroup.structureName",
    "timestamps.created",
    "timestamps.altered",
    "storage.maximumDepth",
    "storage.maximumMessageLength",
    "storage.messageDeliverySequence",
    "storage.nonPersistentMessageClass",
    "trigger.initiationQueueName",
    "trigger.depth",
    "trigger.data",
    "trigger.processName",
    "trigger.messagePriority",
    "trigger.type",
    "trigger.enabled",
    "extended.allowSharedInput",
    "extended.enableMediaImageOperations",
    "extended.backoutRequeueQueueName",
    "extended.custom",
    "extended.supportDistributionLists",
    "extended.backoutThreshold",
    "general.inhibitPut",
    "general.inhibitGet",
    "general.isTransmissionQueue",
    "general.description",
    "applicationDefaults.putResponse",
    "applicationDefaults.messagePriority",
    "applicationDefaults.messagePersistence",
    "applicationDefaults.clusterBind",
    "applicationDefaults.sharedInput",
    "applicationDefaults.readAhead",
    "applicationDefaults.messagePropertyControl",
    "events.serviceInterval.duration",
    "events.serviceInterval",
    "events.serviceInterval.okEnabled",
    "events.serviceInterval.highEnabled",
    "events.depth.lowPercentage",
    "events.depth.highPercentage",
    "events.depth.lowEnabled",
    "events.depth.fullEnabled",
    "events.depth.highEnabled",
    "dataCollection.accounting",
    "dataCollection.monitoring",
    "dataCollection.statistics",
    "name",
    "type",
];

/// Dotted names of one kind in the order of answers; empty where that is the order of the table.
pub fn json_order(kind: Kind) -> &'static [&'static str] {
    if kind.is_queue() { QUEUE } else { &[] }
}

/// Dotted names that an answer has whatever was asked for, where the object has them.
///
/// Source: MQ administration REST reference, `queue`, `channel` and `subscription`, "Response body format".
pub fn json_always(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::QueueLocal => &["name", "type", "dynamic.type"],
        Kind::QueueAlias => &["name", "type", "alias.targetName"],
        Kind::QueueRemote => &["name", "type", "remote.qmgrName", "remote.queueName"],
        Kind::QueueModel => &["name", "type", "model.type"],
        Kind::SenderChannel => &["name", "type", "sender.connection", "sender.transmissionQueueName"],
        Kind::ServerChannel => &["name", "type", "server.connection", "server.transmissionQueueName"],
        Kind::RequesterChannel => &["name", "type", "requester.connection"],
        Kind::ReceiverChannel => &["name", "type"],
        Kind::ClusterSender => {
            &["name", "type", "clusterSender.connection", "clusterSender.clusterName", "clusterSender.clusterNamelist"]
        }
        Kind::ClusterReceiver => &[
            "name",
            "type",
            "clusterReceiver.connection",
            "clusterReceiver.clusterName",
            "clusterReceiver.clusterNamelist",
        ],
        Kind::Subscription => &["id", "name", "resolvedTopicString"],
        _ => &[],
    }
}
