//! Rows of queues: local, alias, remote and model.
//!
//! Sources: MQ reference, "DEFINE QLOCAL" and relatives, "DISPLAY QUEUE", "Attributes for queues", 9.3 and 9.4; the
//! JSON names of the v1 `queue` resource; numbers from the published constants (cmqc.h).

use crate::definition::attribute::field::{Field, date_text, time_text};
use crate::definition::attribute::word::{
    COLLECT_LEVEL, COLLECT_SWITCH, DISABLED_ENABLED, DISPOSITIONS, ENABLED_INHIBITED, NO_LIMIT, NO_YES, PUT_RESPONSE,
    READ_AHEAD, member, plain, text, truth,
};
use crate::definition::attribute::{Access, Attribute, Kind, Seen, Value, ValueType, Word};

const ALL: &[Kind] = &Kind::QUEUES;
const LOCAL: &[Kind] = &[Kind::QueueLocal];
const ALIAS: &[Kind] = &[Kind::QueueAlias];
const REMOTE: &[Kind] = &[Kind::QueueRemote];
const MODEL: &[Kind] = &[Kind::QueueModel];
const LOCAL_MODEL: &[Kind] = &[Kind::QueueLocal, Kind::QueueModel];
const LOCAL_ALIAS_REMOTE: &[Kind] = &[Kind::QueueLocal, Kind::QueueAlias, Kind::QueueRemote];

const TYPES: &[Word] =
    &[text("QLOCAL", 1, "local"), text("QMODEL", 2, "model"), text("QALIAS", 3, "alias"), text("QREMOTE", 6, "remote")];
const BINDS: &[Word] = &[text("OPEN", 0, "onOpen"), text("NOTFIXED", 1, "notFixed"), text("GROUP", 2, "onGroup")];
const PERSISTENCE: &[Word] = &[text("NO", 0, "nonPersistent"), text("YES", 1, "persistent")];
const INPUT_OPTIONS: &[Word] = &[truth("SHARED", 2, true), truth("EXCL", 4, false)];
const DEFINITION_TYPES: &[Word] = &[
    plain("PREDEFINED", 1),
    text("PERMDYN", 2, "permanentDynamic"),
    text("TEMPDYN", 3, "temporaryDynamic"),
    text("SHAREDYN", 4, "sharedDynamic"),
];
const MODEL_TYPES: &[Word] = &[
    text("SHAREDYN", 4, "sharedDynamic"),
    text("PERMDYN", 2, "permanentDynamic"),
    text("TEMPDYN", 3, "temporaryDynamic"),
];
const IMAGE_RECOVERY: &[Word] = &[text("QMGR", 2, "asQmgr"), text("YES", 1, "yes"), text("NO", 0, "no")];
const SEQUENCES: &[Word] = &[text("PRIORITY", 0, "priority"), text("FIFO", 1, "fifo")];
const CLASSES: &[Word] = &[text("NORMAL", 0, "normal"), text("HIGH", 10, "high")];
const PROPERTY_CONTROLS: &[Word] = &[
    text("COMPAT", 0, "compatible"),
    text("NONE", 1, "none"),
    text("ALL", 2, "all"),
    text("FORCE", 3, "force"),
    text("V6COMPAT", 4, "version6Compatible"),
];
const SERVICE_EVENTS: &[Word] = &[plain("NONE", 0), member("HIGH", 1, "highEnabled"), member("OK", 2, "okEnabled")];
const SCOPES: &[Word] = &[plain("QMGR", 1), plain("CELL", 2)];
const STREAM_QUALITY: &[Word] = &[plain("BESTEF", 0), plain("MUSTDUP", 1)];
const TARGET_TYPES: &[Word] = &[text("QUEUE", 1, "queue"), text("TOPIC", 8, "topic")];
const TRIGGER_TYPES: &[Word] =
    &[text("NONE", 0, "none"), text("FIRST", 1, "first"), text("EVERY", 2, "every"), text("DEPTH", 3, "depth")];
const USAGES: &[Word] = &[truth("NORMAL", 0, false), truth("XMITQ", 1, true)];
const WORKLOAD_USE: &[Word] = &[text("QMGR", -3, "asQmgr"), text("ANY", 1, "any"), text("LOCAL", 0, "local")];
/// MQIT_*.
const INDEX_TYPES: &[Word] =
    &[plain("NONE", 0), plain("MSGID", 1), plain("CORRELID", 2), plain("MSGTOKEN", 4), plain("GROUPID", 5)];
const HARDEN: &[Word; 2] = &[truth("HARDENBO", 1, true), truth("NOHARDENBO", 0, false)];
const SHARE: &[Word; 2] = &[truth("SHARE", 1, true), truth("NOSHARE", 0, false)];
const TRIGGER: &[Word; 2] = &[truth("TRIGGER", 1, true), truth("NOTRIGGER", 0, false)];

const fn integer(minimum: i64, maximum: i64, unit: &'static str) -> ValueType {
    ValueType::Integer { minimum, maximum, unit, words: &[] }
}

/// The largest number most attributes take: 999,999,999.
const LARGEST: i64 = 999_999_999;

pub(super) const ROWS: &[Attribute] = &[
    shown!(
        QUEUE = Some(2016),
        "name",
        ALL,
        ValueType::Name,
        |view| Some(view.queue()?.name.to_value()),
        "Name of the queue."
    )
    .seen_by(|view, see| {
        if let Some(queue) = view.queue() {
            see(Seen::Text(queue.name.as_str()));
        }
    }),
    shown!(
        TYPE = Some(20),
        "type",
        ALL,
        ValueType::Choice(TYPES),
        |view| Some(Value::Integer(match view.queue()?.attribute_kind() {
            Kind::QueueModel => 2,
            Kind::QueueAlias => 3,
            Kind::QueueRemote => 6,
            _ => 1,
        })),
        "Kind of queue."
    )
    .also(&["QTYPE"]),
    shown!(
        QSGDISP = Some(63),
        "queueSharingGroup.disposition",
        ALL,
        ValueType::Choice(DISPOSITIONS),
        |view| Some(view.queue()?.disposition.to_value()),
        "Whether the definition is the queue manager's own, a copy of the group's, the group's, or that of a shared queue."
    )
    .of_members(),
    row!(
        ACCTQ = 134,
        "dataCollection.accounting",
        LOCAL_MODEL,
        ValueType::Choice(COLLECT_SWITCH),
        local.accounting,
        "Whether accounting data is collected for the queue."
    ),
    shown!(
        ALTDATE = Some(2027),
        "timestamps.altered",
        ALL,
        ValueType::Date,
        |view| Some(Value::Text(date_text(view.queue()?.history.altered))),
        "Date of the last change, in UTC."
    )
    .of_moment(|view| Some(view.queue()?.history.altered)),
    shown!(
        ALTTIME = Some(2028),
        "timestamps.altered",
        ALL,
        ValueType::Time,
        |view| Some(Value::Text(time_text(view.queue()?.history.altered))),
        "Time of the last change, in UTC."
    )
    .of_moment(|view| Some(view.queue()?.history.altered)),
    row!(
        BOQNAME = 2019,
        "extended.backoutRequeueQueueName",
        LOCAL_MODEL,
        ValueType::Name,
        local.backout_requeue_queue,
        "Queue for messages that were backed out too often; applications move them."
    ),
    row!(
        BOTHRESH = 22,
        "extended.backoutThreshold",
        LOCAL_MODEL,
        integer(0, LARGEST, "back outs"),
        local.backout_threshold,
        "Number of back outs after which applications should move a message; the queue manager does not move it."
    ),
    row!(CAPEXPRY = 276, -, ALL,
        ValueType::Integer { minimum: 1, maximum: LARGEST, unit: "tenths of a second", words: NO_LIMIT },
        queue.cap_expiry,
        "Longest lifetime of messages put through this queue."),
    row!(
        CFSTRUCT = 2039,
        "queueSharingGroup.structureName",
        LOCAL_MODEL,
        ValueType::Name,
        local.structure,
        "Structure that holds the messages of a shared queue."
    )
    .of_members(),
    row!(
        CLUSNL = 2030,
        "cluster.namelist",
        LOCAL_ALIAS_REMOTE,
        ValueType::Name,
        queue.cluster_name_list,
        "Namelist of the clusters of the queue."
    ),
    row!(CLUSTER = 2029, "cluster.name", LOCAL_ALIAS_REMOTE, ValueType::Name, queue.cluster, "Cluster of the queue."),
    row!(
        CLCHNAME = 2124,
        "cluster.transmissionQueueForChannelName",
        LOCAL,
        ValueType::Text { maximum: 20 },
        local.cluster_channel_name,
        "Cluster-sender channels that use this transmission queue."
    ),
    row!(
        CLWLPRTY = 96,
        "cluster.workloadPriority",
        LOCAL_ALIAS_REMOTE,
        integer(0, 9, ""),
        queue.cluster_workload_priority,
        "Priority of the queue for cluster workload balancing."
    ),
    row!(
        CLWLRANK = 95,
        "cluster.workloadRank",
        LOCAL_ALIAS_REMOTE,
        integer(0, 9, ""),
        queue.cluster_workload_rank,
        "Rank of the queue for cluster workload balancing."
    ),
    row!(
        CLWLUSEQ = 98,
        "cluster.workloadQueueUse",
        LOCAL,
        ValueType::Choice(WORKLOAD_USE),
        local.cluster_workload_use_queue,
        "Whether puts prefer the local instance of a clustered queue."
    ),
    shown!(
        CRDATE = Some(2004),
        "timestamps.created",
        LOCAL_MODEL,
        ValueType::Date,
        |view| {
            view.local()?;
            Some(Value::Text(date_text(view.queue()?.history.created)))
        },
        "Date of definition, in UTC."
    )
    .of_moment(|view| Some(view.queue()?.history.created)),
    shown!(
        CRTIME = Some(2005),
        "timestamps.created",
        LOCAL_MODEL,
        ValueType::Time,
        |view| {
            view.local()?;
            Some(Value::Text(time_text(view.queue()?.history.created)))
        },
        "Time of definition, in UTC."
    )
    .of_moment(|view| Some(view.queue()?.history.created)),
    shown!(CURDEPTH = Some(3), -, LOCAL, integer(0, LARGEST, "messages"),
        |view| { view.queue()?.as_local()?; Some(view.live()?.depth.into()) },
        "Number of messages on the queue, including uncommitted ones."),
    row!(
        CUSTOM = 2119,
        "extended.custom",
        ALL,
        ValueType::Text { maximum: 128 },
        queue.custom,
        "Reserved for features without an attribute."
    ),
    row!(
        DEFBIND = 61,
        "applicationDefaults.clusterBind",
        LOCAL_ALIAS_REMOTE,
        ValueType::Choice(BINDS),
        queue.default_bind,
        "When a handle is bound to an instance of a clustered queue."
    ),
    row!(
        DEFPRTY = 6,
        "applicationDefaults.messagePriority",
        ALL,
        integer(0, 9, ""),
        queue.default_priority,
        "Priority of messages that are put with the queue's default priority."
    ),
    row!(
        DEFPSIST = 5,
        "applicationDefaults.messagePersistence",
        ALL,
        ValueType::Choice(PERSISTENCE),
        queue.default_persistent,
        "Persistence of messages that are put with the queue's default persistence."
    ),
    row!(
        DEFPRESP = 184,
        "applicationDefaults.putResponse",
        ALL,
        ValueType::Choice(PUT_RESPONSE),
        queue.default_put_response,
        "Whether puts with the default response wait for their answer."
    ),
    row!(
        DEFREADA = 188,
        "applicationDefaults.readAhead",
        LOCAL_MODEL,
        ValueType::Choice(READ_AHEAD),
        local.default_read_ahead,
        "Whether nonpersistent messages are sent to clients ahead of their gets."
    ),
    row!(
        DEFREADA = 188,
        "applicationDefaults.readAhead",
        ALIAS,
        ValueType::Choice(READ_AHEAD),
        alias.default_read_ahead,
        "Whether nonpersistent messages are sent to clients ahead of their gets."
    ),
    row!(
        DEFSOPT = 4,
        "applicationDefaults.sharedInput",
        LOCAL_MODEL,
        ValueType::Choice(INPUT_OPTIONS),
        [local.default_input_shared = 4 | 2],
        "Sharing of an MQOPEN for input as the queue defines."
    ),
    shown!(
        DEFTYPE = Some(7),
        "dynamic.type",
        LOCAL,
        ValueType::Choice(DEFINITION_TYPES),
        |view| Some(view.queue()?.as_local()?.definition_type.to_value()),
        "Whether the queue was defined, or created from a model."
    ),
    row!(
        DEFTYPE = 7,
        "model.type",
        MODEL,
        ValueType::Choice(MODEL_TYPES),
        local.definition_type,
        "Kind of dynamic queue that an MQOPEN of the model creates."
    ),
    row!(
        DESCR = 2013,
        "general.description",
        ALL,
        ValueType::Text { maximum: 64 },
        queue.description,
        "Free text about the queue."
    ),
    row!(
        DISTL = 34,
        "extended.supportDistributionLists",
        LOCAL_MODEL,
        ValueType::Choice(NO_YES),
        local.distribution_lists,
        "Whether the partner of a transmission queue accepts distribution lists."
    ),
    row!(
        GET = 9,
        "general.inhibitGet",
        LOCAL_MODEL,
        ValueType::Choice(ENABLED_INHIBITED),
        local.get_inhibited,
        "Whether applications may get messages."
    ),
    row!(
        GET = 9,
        "general.inhibitGet",
        ALIAS,
        ValueType::Choice(ENABLED_INHIBITED),
        alias.get_inhibited,
        "Whether applications may get messages."
    ),
    row!(
        HARDENBO = 8, -,
        LOCAL_MODEL,
        ValueType::Flag(HARDEN),
        local.harden_backout,
        "Whether the exact backout count survives a restart."
    ),
    row!(
        IMGRCOVQ = 272,
        "extended.enableMediaImageOperations",
        LOCAL_MODEL,
        ValueType::Choice(IMAGE_RECOVERY),
        local.image_recovery,
        "Whether the queue can be recovered from a media image."
    ),
    row!(INDXTYPE = 57, -, LOCAL_MODEL, ValueType::Choice(INDEX_TYPES), local.index_type,
        "What z/OS would index the queue by; stored, not used: all identifiers are indexed.")
    .of_members(),
    row!(
        INITQ = 2008,
        "trigger.initiationQueueName",
        LOCAL_MODEL,
        ValueType::Name,
        local.initiation_queue,
        "Initiation queue for trigger messages."
    ),
    shown!(IPPROCS = Some(17), -, LOCAL, integer(0, LARGEST, "handles"),
        |view| { view.queue()?.as_local()?; Some(view.live()?.open_input.into()) },
        "Handles that have the queue open for input."),
    row!(
        MAXDEPTH = 15,
        "storage.maximumDepth",
        LOCAL_MODEL,
        integer(0, LARGEST, "messages"),
        local.maximum_depth,
        "Maximum number of messages on the queue, including uncommitted ones."
    ),
    row!(MAXFSIZE = 274, -, LOCAL_MODEL,
        ValueType::Integer {
            minimum: 20, maximum: 267_386_880, unit: "megabytes", words: &[plain("DEFAULT", -1)],
        },
        local.maximum_file_size_mb,
        "Largest queue file; stored, not used: messages are in the recovery log."),
    row!(
        MAXMSGL = 13,
        "storage.maximumMessageLength",
        LOCAL_MODEL,
        integer(0, 104_857_600, "bytes"),
        local.maximum_message_length,
        "Longest message on the queue."
    ),
    row!(
        MONQ = 123,
        "dataCollection.monitoring",
        LOCAL_MODEL,
        ValueType::Choice(COLLECT_LEVEL),
        local.monitoring,
        "Level of online monitoring of the queue."
    ),
    row!(
        MSGDLVSQ = 16,
        "storage.messageDeliverySequence",
        LOCAL_MODEL,
        ValueType::Choice(SEQUENCES),
        local.message_delivery_sequence,
        "Whether messages are delivered by priority or in FIFO order."
    ),
    row!(
        TRIGGER = 24,
        "trigger.enabled",
        LOCAL_MODEL,
        ValueType::Flag(TRIGGER),
        local.trigger.enabled,
        "Whether trigger messages are written."
    ),
    row!(
        NPMCLASS = 78,
        "storage.nonPersistentMessageClass",
        LOCAL_MODEL,
        ValueType::Choice(CLASSES),
        [local.nonpersistent_class_high = 0 | 10],
        "Whether the queue manager tries to keep nonpersistent messages over a restart."
    ),
    shown!(OPPROCS = Some(18), -, LOCAL, integer(0, LARGEST, "handles"),
        |view| { view.queue()?.as_local()?; Some(view.live()?.open_output.into()) },
        "Handles that have the queue open for output."),
    row!(
        PROCESS = 2012,
        "trigger.processName",
        LOCAL_MODEL,
        ValueType::Name,
        local.process,
        "Process definition named in trigger messages."
    ),
    row!(
        PUT = 10,
        "general.inhibitPut",
        ALL,
        ValueType::Choice(ENABLED_INHIBITED),
        queue.put_inhibited,
        "Whether applications may put messages."
    ),
    row!(
        PROPCTL = 190,
        "applicationDefaults.messagePropertyControl",
        LOCAL_MODEL,
        ValueType::Choice(PROPERTY_CONTROLS),
        local.property_control,
        "How message properties are returned to an application that gets without a message handle."
    ),
    row!(
        PROPCTL = 190,
        "applicationDefaults.messagePropertyControl",
        ALIAS,
        ValueType::Choice(PROPERTY_CONTROLS),
        alias.property_control,
        "How message properties are returned to an application that gets without a message handle."
    ),
    row!(
        QDEPTHHI = 40,
        "events.depth.highPercentage",
        LOCAL_MODEL,
        integer(0, 100, "percent of MAXDEPTH"),
        local.depth_high_percent,
        "Depth for a queue-depth-high event."
    ),
    row!(
        QDEPTHLO = 41,
        "events.depth.lowPercentage",
        LOCAL_MODEL,
        integer(0, 100, "percent of MAXDEPTH"),
        local.depth_low_percent,
        "Depth for a queue-depth-low event."
    ),
    row!(
        QDPHIEV = 43,
        "events.depth.highEnabled",
        LOCAL_MODEL,
        ValueType::Choice(DISABLED_ENABLED),
        local.depth_high_event,
        "Whether queue-depth-high events are written."
    ),
    row!(
        QDPLOEV = 44,
        "events.depth.lowEnabled",
        LOCAL_MODEL,
        ValueType::Choice(DISABLED_ENABLED),
        local.depth_low_event,
        "Whether queue-depth-low events are written."
    ),
    row!(
        QDPMAXEV = 42,
        "events.depth.fullEnabled",
        LOCAL_MODEL,
        ValueType::Choice(DISABLED_ENABLED),
        local.depth_maximum_event,
        "Whether queue-full events are written."
    ),
    row!(
        QSVCIEV = 46,
        "events.serviceInterval",
        LOCAL_MODEL,
        ValueType::Choice(SERVICE_EVENTS),
        local.service_interval_event,
        "Which service-interval events are written."
    ),
    row!(
        QSVCINT = 54,
        "events.serviceInterval.duration",
        LOCAL_MODEL,
        integer(0, LARGEST, "milliseconds"),
        local.service_interval_ms,
        "Service interval for the service-interval events."
    ),
    row!(RETINTVL = 21, -, LOCAL_MODEL, integer(0, LARGEST, "hours"), local.retention_interval_hours,
        "Time for which the queue is needed; information only."),
    row!(
        RNAME = 2018,
        "remote.queueName",
        REMOTE,
        ValueType::Name,
        remote.remote_queue,
        "Name of the queue on the remote queue manager."
    ),
    row!(
        RQMNAME = 2017,
        "remote.qmgrName",
        REMOTE,
        ValueType::Name,
        remote.remote_queue_manager,
        "Queue manager of the queue."
    ),
    row!(SCOPE = 45, -, LOCAL, ValueType::Choice(SCOPES), [local.scope_cell = 1 | 2],
        "Scope of the definition; CELL is stored and has no effect."),
    row!(SCOPE = 45, -, ALIAS, ValueType::Choice(SCOPES), [alias.scope_cell = 1 | 2],
        "Scope of the definition; CELL is stored and has no effect."),
    row!(SCOPE = 45, -, REMOTE, ValueType::Choice(SCOPES), [remote.scope_cell = 1 | 2],
        "Scope of the definition; CELL is stored and has no effect."),
    row!(
        SHARE = 23,
        "extended.allowSharedInput",
        LOCAL_MODEL,
        ValueType::Flag(SHARE),
        local.shareable,
        "Whether several handles may have the queue open for input."
    ),
    row!(
        STATQ = 128,
        "dataCollection.statistics",
        LOCAL_MODEL,
        ValueType::Choice(COLLECT_SWITCH),
        local.statistics,
        "Whether statistics are collected for the queue."
    ),
    row!(STREAMQ = 2138, -, LOCAL_MODEL, ValueType::Name, local.stream_queue,
        "Queue for a copy of every message put; stored, nothing is copied."),
    row!(STRMQOS = 275, -, LOCAL_MODEL, ValueType::Choice(STREAM_QUALITY), local.stream_must_duplicate,
        "Whether a put fails when its copy for STREAMQ cannot be put."),
    row!(
        TARGET = 2002,
        "alias.targetName",
        ALIAS,
        ValueType::Name,
        alias.target,
        "Queue or topic that the alias refers to."
    )
    .also(&["TARGQ"]),
    row!(
        TARGTYPE = 193,
        "alias.targetType",
        ALIAS,
        ValueType::Choice(TARGET_TYPES),
        alias.target_type,
        "Whether the alias refers to a queue or a topic."
    ),
    row!(
        TRIGDATA = 2023,
        "trigger.data",
        LOCAL_MODEL,
        ValueType::Text { maximum: 64 },
        local.trigger.data,
        "Text in the trigger message."
    ),
    row!(
        TRIGDPTH = 29,
        "trigger.depth",
        LOCAL_MODEL,
        integer(1, LARGEST, "messages"),
        local.trigger.depth,
        "Number of messages for a depth trigger."
    ),
    row!(
        TRIGMPRI = 26,
        "trigger.messagePriority",
        LOCAL_MODEL,
        integer(0, 9, ""),
        local.trigger.message_priority,
        "Lowest priority of messages that trigger."
    ),
    row!(
        TRIGTYPE = 28,
        "trigger.type",
        LOCAL_MODEL,
        ValueType::Choice(TRIGGER_TYPES),
        local.trigger.kind,
        "When a trigger message is written."
    ),
    row!(
        USAGE = 12,
        "general.isTransmissionQueue",
        LOCAL_MODEL,
        ValueType::Choice(USAGES),
        local.usage,
        "Whether the queue holds messages for another queue manager."
    ),
    row!(
        XMITQ = 2024,
        "remote.transmissionQueueName",
        REMOTE,
        ValueType::Name,
        remote.transmission_queue,
        "Transmission queue for the messages; blank uses the default."
    ),
];
