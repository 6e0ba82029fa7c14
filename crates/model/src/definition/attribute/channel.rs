//! Rows of channels of every type.
//!
//! Sources: MQ reference, "DEFINE CHANNEL", "Channel attributes", 9.3 and 9.4; which type has which row, and in which
//! order, as a 9.4.2 queue manager shows them; numbers from the published constants (cmqc.h, cmqcfc.h, cmqxc.h). JSON
//! names below `batch`, `failedDelivery`, `general`, `receiverSecurity` and `transportSecurity` are not confirmed.

use crate::definition::attribute::field::{Field, date_text, time_text};
use crate::definition::attribute::word::{COLLECT_LEVEL, DISPOSITIONS, NO_YES, plain, text, truth};
use crate::definition::attribute::{Access, Attribute, Kind, Value, ValueType, Word};

const ALL: &[Kind] = &Kind::CHANNELS;
const MESSAGE: &[Kind] = &[
    Kind::SenderChannel,
    Kind::ServerChannel,
    Kind::ReceiverChannel,
    Kind::RequesterChannel,
    Kind::ClusterReceiver,
    Kind::ClusterSender,
];
const SENDING: &[Kind] = &[Kind::SenderChannel, Kind::ServerChannel, Kind::ClusterReceiver, Kind::ClusterSender];
const RECEIVING: &[Kind] = &[Kind::ReceiverChannel, Kind::RequesterChannel, Kind::ClusterReceiver];
const WITH_DEFAULT_DISPOSITION: &[Kind] =
    &[Kind::SenderChannel, Kind::ServerChannel, Kind::ReceiverChannel, Kind::RequesterChannel, Kind::ServerConnection];
const CLUSTERED: &[Kind] = &[Kind::ClusterReceiver, Kind::ClusterSender];
const CLIENT: &[Kind] = &[Kind::ClientConnection];
const SERVER: &[Kind] = &[Kind::ServerConnection];
const CLIENT_AND_SERVER: &[Kind] = &[Kind::ClientConnection, Kind::ServerConnection];
const AMQP: &[Kind] = &[Kind::AmqpChannel];
const SENDER: &[Kind] = &[Kind::SenderChannel];
const SERVER_CHANNEL: &[Kind] = &[Kind::ServerChannel];
const REQUESTER: &[Kind] = &[Kind::RequesterChannel];
const CLUSTER_RECEIVER: &[Kind] = &[Kind::ClusterReceiver];
const CLUSTER_SENDER: &[Kind] = &[Kind::ClusterSender];
const NOT_AMQP: &[Kind] = &[
    Kind::SenderChannel,
    Kind::ServerChannel,
    Kind::ReceiverChannel,
    Kind::RequesterChannel,
    Kind::ClientConnection,
    Kind::ServerConnection,
    Kind::ClusterReceiver,
    Kind::ClusterSender,
];
const WITH_AGENT_USER: &[Kind] = &[
    Kind::SenderChannel,
    Kind::ServerChannel,
    Kind::ReceiverChannel,
    Kind::RequesterChannel,
    Kind::ServerConnection,
    Kind::ClusterReceiver,
    Kind::ClusterSender,
    Kind::AmqpChannel,
];
const WITH_CERTIFICATE: &[Kind] = &[
    Kind::SenderChannel,
    Kind::ServerChannel,
    Kind::ReceiverChannel,
    Kind::RequesterChannel,
    Kind::ClientConnection,
    Kind::ServerConnection,
    Kind::ClusterReceiver,
    Kind::AmqpChannel,
];
const WITH_CLIENT_CHECK: &[Kind] = &[
    Kind::ServerChannel,
    Kind::ReceiverChannel,
    Kind::RequesterChannel,
    Kind::ServerConnection,
    Kind::ClusterReceiver,
    Kind::AmqpChannel,
];
const WITH_AGENT: &[Kind] =
    &[Kind::SenderChannel, Kind::ServerChannel, Kind::RequesterChannel, Kind::ClusterReceiver, Kind::ClusterSender];
const WITH_DISCONNECT: &[Kind] =
    &[Kind::SenderChannel, Kind::ServerChannel, Kind::ServerConnection, Kind::ClusterReceiver, Kind::ClusterSender];
const WITH_INSTANCES: &[Kind] = &[Kind::ServerConnection, Kind::AmqpChannel];
const WITH_LOCAL_ADDRESS: &[Kind] = &[
    Kind::SenderChannel,
    Kind::ServerChannel,
    Kind::RequesterChannel,
    Kind::ClientConnection,
    Kind::ClusterReceiver,
    Kind::ClusterSender,
    Kind::AmqpChannel,
];
const WITH_MODE: &[Kind] = &[
    Kind::SenderChannel,
    Kind::ServerChannel,
    Kind::RequesterChannel,
    Kind::ClientConnection,
    Kind::ClusterReceiver,
    Kind::ClusterSender,
];
const WITH_MONITORING: &[Kind] = &[
    Kind::SenderChannel,
    Kind::ServerChannel,
    Kind::ReceiverChannel,
    Kind::RequesterChannel,
    Kind::ServerConnection,
    Kind::ClusterReceiver,
    Kind::ClusterSender,
];
const WITH_USER: &[Kind] =
    &[Kind::SenderChannel, Kind::ServerChannel, Kind::RequesterChannel, Kind::ClientConnection, Kind::ClusterSender];

const TYPES: &[Word] = &[
    text("SDR", 1, "sender"),
    text("SVR", 2, "server"),
    text("RCVR", 3, "receiver"),
    text("RQSTR", 4, "requester"),
    plain("CLNTCONN", 6),
    plain("SVRCONN", 7),
    text("CLUSRCVR", 8, "clusterReceiver"),
    text("CLUSSDR", 9, "clusterSender"),
    plain("AMQP", 11),
];
const AFFINITIES: &[Word] = &[plain("PREFERRED", 1), plain("NONE", 0)];
const AUTO: &[Word] = &[text("AUTO", -1, "auto")];
const HEADER_COMPRESSION: &[Word] = &[text("NONE", 0, "none"), text("SYSTEM", 8, "system")];
const MESSAGE_COMPRESSION: &[Word] = &[
    text("NONE", 0, "none"),
    text("RLE", 1, "runLengthEncoding"),
    text("ZLIBFAST", 2, "zlibFast"),
    text("ZLIBHIGH", 4, "zlibHigh"),
    text("LZ4FAST", 16, "lz4Fast"),
    text("LZ4HIGH", 32, "lz4High"),
    text("ANY", 268_435_455, "any"),
];
/// MQCHLD_*.
const CHANNEL_DISPOSITIONS: &[Word] = &[plain("PRIVATE", 4), plain("SHARED", 2), plain("FIXSHARED", 5)];
const RECONNECT: &[Word] = &[plain("NO", 0), plain("YES", 1), plain("QMGR", 2), plain("DISABLED", 3)];
const AGENT_TYPES: &[Word] = &[text("PROCESS", 1, "process"), text("THREAD", 2, "thread")];
const SPEEDS: &[Word] = &[truth("NORMAL", 1, false), truth("FAST", 2, true)];
const PROPERTY_CONTROLS: &[Word] = &[text("COMPAT", 0, "compatible"), text("NONE", 1, "none"), text("ALL", 2, "all")];
const PUT_AUTHORITIES: &[Word] = &[text("DEF", 1, "default"), text("CTX", 2, "context")];
const CLIENT_CHECKS: &[Word] = &[truth("REQUIRED", 0, true), truth("OPTIONAL", 1, false)];
const TRANSPORTS: &[Word] = &[plain("TCP", 2), plain("LU62", 1), plain("NETBIOS", 3), plain("SPX", 4)];
const DEAD_LETTERS: &[Word] = &[truth("NO", 1, false), truth("YES", 2, true)];

/// The product bounds the total at 999 characters rather than the count.
const EXITS: ValueType = ValueType::Texts { maximum: 16, length: 128 };
const EXIT_DATA: ValueType = ValueType::Texts { maximum: 16, length: 32 };

const fn integer(minimum: i64, maximum: i64, unit: &'static str) -> ValueType {
    ValueType::Integer { minimum, maximum, unit, words: &[] }
}

const fn words(words: &'static [Word]) -> ValueType {
    ValueType::Words { words, maximum: 16 }
}

/// The largest number most attributes take: 999,999,999.
const LARGEST: i64 = 999_999_999;

pub(super) const ROWS: &[Attribute] = &[
    shown!(
        CHANNEL = Some(3501),
        "name",
        ALL,
        ValueType::Name,
        |view| Some(view.channel()?.name.to_value()),
        "Name of the channel, at most 20 characters."
    ),
    shown!(
        CHLTYPE = Some(1511),
        "type",
        ALL,
        ValueType::Choice(TYPES),
        |view| channel_type(view.kind()).map(Value::Integer),
        "Type of channel."
    )
    .also(&["TYPE"]),
    shown!(QSGDISP = Some(63), -, ALL, ValueType::Choice(DISPOSITIONS),
        |view| Some(view.channel()?.disposition.to_value()),
        "Whether the definition is the queue manager's own, a copy of the group's, or the group's.")
    .of_members(),
    row!(AFFINITY = 1621, -, CLIENT, ValueType::Choice(AFFINITIES),
        [channel.no_affinity = 1 | 0],
        "Whether a program keeps one of several suitable client connections."),
    shown!(
        ALTDATE = Some(2027),
        "timestamps.altered",
        ALL,
        ValueType::Date,
        |view| Some(Value::Text(date_text(view.channel()?.history.altered))),
        "Date of the last change, in UTC."
    )
    .of_moment(|view| Some(view.channel()?.history.altered)),
    shown!(
        ALTTIME = Some(2028),
        "timestamps.altered",
        ALL,
        ValueType::Time,
        |view| Some(Value::Text(time_text(view.channel()?.history.altered))),
        "Time of the last change, in UTC."
    )
    .of_moment(|view| Some(view.channel()?.history.altered)),
    row!(
        BATCHHB = 1567,
        "batch.preCommitHeartbeat",
        SENDING,
        integer(0, 999_999, "milliseconds"),
        channel.batch_heartbeat_ms,
        "Time without traffic before the partner is checked by a heartbeat before a commit of a batch; 0 means no check."
    ),
    row!(
        BATCHINT = 1564,
        "batch.timeExtend",
        SENDING,
        integer(0, LARGEST, "milliseconds"),
        channel.batch_interval_ms,
        "Time for which an incomplete batch is kept open."
    ),
    row!(
        BATCHLIM = 1624,
        "batch.dataLimit",
        SENDING,
        integer(0, 999_999, "kilobytes"),
        channel.batch_limit_kb,
        "Amount of data that ends a batch; 0 means no limit."
    ),
    row!(
        BATCHSZ = 1502,
        "batch.messageLimit",
        MESSAGE,
        integer(1, 9999, "messages"),
        channel.batch_size,
        "Maximum number of messages in a batch."
    ),
    row!(
        CERTLABL = 2121,
        "transportSecurity.certificateLabel",
        WITH_CERTIFICATE,
        ValueType::Text { maximum: 64 },
        channel.certificate_label,
        "Label of the channel's certificate; blank uses the queue manager's."
    ),
    row!(CLNTWGHT = 1620, -, CLIENT, integer(0, 99, ""), channel.client_weight,
        "Weight among several client connections; 0 means alphabetical order."),
    row!(
        CLUSNL = 2030,
        "clusterReceiver.clusterNamelist",
        CLUSTER_RECEIVER,
        ValueType::Name,
        channel.cluster_name_list,
        "Namelist of the clusters of the channel."
    ),
    row!(
        CLUSNL = 2030,
        "clusterSender.clusterNamelist",
        CLUSTER_SENDER,
        ValueType::Name,
        channel.cluster_name_list,
        "Namelist of the clusters of the channel."
    ),
    row!(
        CLUSTER = 2029,
        "clusterReceiver.clusterName",
        CLUSTER_RECEIVER,
        ValueType::Name,
        channel.cluster,
        "Cluster of the channel."
    ),
    row!(
        CLUSTER = 2029,
        "clusterSender.clusterName",
        CLUSTER_SENDER,
        ValueType::Name,
        channel.cluster,
        "Cluster of the channel."
    ),
    row!(
        CLWLPRTY = 1578,
        "clusterRouting.workloadPriority",
        CLUSTERED,
        integer(0, 9, ""),
        channel.cluster_workload_priority,
        "Priority of the channel for cluster workload balancing."
    ),
    row!(
        CLWLRANK = 1577,
        "clusterRouting.workloadRank",
        CLUSTERED,
        integer(0, 9, ""),
        channel.cluster_workload_rank,
        "Rank of the channel for cluster workload balancing."
    ),
    row!(
        CLWLWGHT = 1579,
        "clusterRouting.workloadWeight",
        CLUSTERED,
        integer(1, 99, ""),
        channel.cluster_workload_weight,
        "Weight of the channel for cluster workload balancing."
    ),
    row!(
        COMPHDR = 1575,
        "compression.header",
        NOT_AMQP,
        words(HEADER_COMPRESSION),
        channel.header_compression,
        "Methods to compress headers, the preferred one first."
    ),
    row!(
        COMPMSG = 1576,
        "compression.message",
        NOT_AMQP,
        words(MESSAGE_COMPRESSION),
        channel.message_compression,
        "Methods to compress messages, the preferred one first."
    ),
    row!(
        CONNAME = 3506,
        "sender.connection",
        SENDER,
        ValueType::Text { maximum: 264 },
        channel.connection_name,
        "Address of the partner: host(port), several separated by commas."
    ),
    row!(
        CONNAME = 3506,
        "server.connection",
        SERVER_CHANNEL,
        ValueType::Text { maximum: 264 },
        channel.connection_name,
        "Address of the partner: host(port), several separated by commas."
    ),
    row!(
        CONNAME = 3506,
        "requester.connection",
        REQUESTER,
        ValueType::Text { maximum: 264 },
        channel.connection_name,
        "Address of the partner: host(port), several separated by commas."
    ),
    row!(
        CONNAME = 3506,
        "clusterReceiver.connection",
        CLUSTER_RECEIVER,
        ValueType::Text { maximum: 264 },
        channel.connection_name,
        "Address of the partner: host(port), several separated by commas."
    ),
    row!(
        CONNAME = 3506,
        "clusterSender.connection",
        CLUSTER_SENDER,
        ValueType::Text { maximum: 264 },
        channel.connection_name,
        "Address of the partner: host(port), several separated by commas."
    ),
    row!(CONNAME = 3506, -, CLIENT, ValueType::Text { maximum: 264 }, channel.connection_name,
        "Address of the queue manager: host(port), several separated by commas."),
    row!(
        CONVERT = 1515,
        "extended.senderDataConversion",
        SENDING,
        ValueType::Choice(NO_YES),
        channel.convert,
        "Whether messages are converted before they are sent."
    ),
    row!(DEFCDISP = 1614, -, WITH_DEFAULT_DISPOSITION, ValueType::Choice(CHANNEL_DISPOSITIONS),
        channel.default_disposition,
        "Which instances START CHANNEL and STOP CHANNEL are about, unless CHLDISP says it.")
    .of_members(),
    row!(DEFRECON = 1640, -, CLIENT, ValueType::Choice(RECONNECT), channel.default_reconnect,
        "Whether programs with the default option reconnect automatically."),
    row!(
        DESCR = 3502,
        "general.description",
        ALL,
        ValueType::Text { maximum: 64 },
        channel.description,
        "Free text about the channel."
    ),
    row!(AMQPKA = 1644, -, AMQP,
        ValueType::Integer { minimum: 0, maximum: LARGEST, unit: "milliseconds", words: AUTO },
        channel.amqp_keep_alive_ms,
        "Time without traffic before an AMQP client is disconnected."),
    row!(
        DISCINT = 1503,
        "connectionManagement.disconnectInterval",
        WITH_DISCONNECT,
        integer(0, 999_999, "seconds"),
        channel.disconnect_interval_s,
        "Idle time before the channel ends; 0 means never."
    ),
    row!(
        HBINT = 1563,
        "connectionManagement.heartbeatInterval",
        NOT_AMQP,
        integer(0, 999_999, "seconds"),
        channel.heartbeat_interval_s,
        "Time without traffic before a heartbeat is sent; 0 means no heartbeats."
    ),
    row!(
        KAINT = 1566,
        "connectionManagement.keepAliveInterval",
        NOT_AMQP,
        ValueType::Integer { minimum: 0, maximum: 99_999, unit: "seconds", words: AUTO },
        channel.keep_alive_interval_s,
        "Keep-alive time of the connection; stored, the operating system's setting is used."
    ),
    row!(
        LOCLADDR = 3520,
        "connectionManagement.localAddress",
        WITH_LOCAL_ADDRESS,
        ValueType::Text { maximum: 48 },
        channel.local_address,
        "Local address and ports of the connection."
    ),
    row!(
        LONGRTY = 1507,
        "connectionManagement.longRetry.count",
        SENDING,
        integer(0, LARGEST, ""),
        channel.long_retry_count,
        "Number of attempts to connect in the long phase."
    ),
    row!(
        LONGTMR = 1506,
        "connectionManagement.longRetry.interval",
        SENDING,
        integer(0, LARGEST, "seconds"),
        channel.long_retry_interval_s,
        "Time between attempts to connect in the long phase."
    ),
    row!(MAXINST = 1618, -, WITH_INSTANCES, integer(0, LARGEST, "instances"), channel.maximum_instances,
        "Maximum number of concurrent instances of the channel."),
    row!(MAXINSTC = 1619, -, SERVER, integer(0, LARGEST, "instances"), channel.maximum_instances_per_client,
        "Maximum number of concurrent instances of the channel from one client."),
    row!(
        MAXMSGL = 1510,
        "general.maximumMessageLength",
        ALL,
        integer(0, 104_857_600, "bytes"),
        channel.maximum_message_length,
        "Longest message on the channel; 0 is the queue manager's limit."
    ),
    row!(MCANAME = 3507, -, WITH_AGENT, ValueType::Text { maximum: 20 }, channel.agent_name,
        "Reserved; stored, not used."),
    row!(
        MCATYPE = 1517,
        "extended.channelAgentType",
        WITH_AGENT,
        ValueType::Choice(AGENT_TYPES),
        [channel.agent_is_thread = 1 | 2],
        "Whether the channel runs as a process or a thread; stored, not used."
    ),
    row!(
        MCAUSER = 3527,
        "receiverSecurity.channelAgentUserId",
        WITH_AGENT_USER,
        ValueType::Text { maximum: 64 },
        channel.agent_user,
        "User whose authority clients of the channel get; blank is the connecting user."
    ),
    row!(MODENAME = 3503, -, WITH_MODE, ValueType::Text { maximum: 8 }, channel.mode_name,
        "LU 6.2 mode; stored, not used."),
    row!(
        MONCHL = 122,
        "dataCollection.monitoring",
        WITH_MONITORING,
        ValueType::Choice(COLLECT_LEVEL),
        channel.monitoring,
        "Online monitoring of the channel."
    ),
    row!(
        MRDATA = 3535,
        "exits.messageRetry.userData",
        RECEIVING,
        ValueType::Text { maximum: 32 },
        channel.message_retry_exit_data,
        "Data for the message-retry exit."
    ),
    row!(
        MREXIT = 3534,
        "exits.messageRetry.name",
        RECEIVING,
        ValueType::Text { maximum: 128 },
        channel.message_retry_exit,
        "Message-retry exit; stored, never called."
    ),
    row!(
        MRRTY = 1544,
        "failedDelivery.retry.count",
        RECEIVING,
        integer(0, LARGEST, ""),
        channel.message_retry_count,
        "Number of attempts to put a message before it is undeliverable."
    ),
    row!(
        MRTMR = 1545,
        "failedDelivery.retry.delay",
        RECEIVING,
        integer(0, LARGEST, "milliseconds"),
        channel.message_retry_interval_ms,
        "Time between attempts to put a message."
    ),
    row!(
        MSGDATA = 3514,
        "exits.message.userData",
        MESSAGE,
        EXIT_DATA,
        channel.message_exit_data,
        "Data for the message exits."
    ),
    row!(
        MSGEXIT = 3509,
        "exits.message.name",
        MESSAGE,
        EXITS,
        channel.message_exits,
        "Message exits; stored, never called."
    ),
    row!(
        NETPRTY = 1565,
        "clusterRouting.networkPriority",
        CLUSTER_RECEIVER,
        integer(0, 9, ""),
        channel.network_priority,
        "Priority of the network connection for cluster workload balancing."
    ),
    row!(
        NPMSPEED = 1562,
        "batch.nonPersistentMessageSpeedFast",
        MESSAGE,
        ValueType::Choice(SPEEDS),
        [channel.nonpersistent_fast = 1 | 2],
        "Whether nonpersistent messages are sent outside batches."
    ),
    row!(PASSWORD = 3518, -, WITH_USER, ValueType::Secret { maximum: 12 },
        |view| Some(Value::masked(&view.channel()?.password)),
        |target, value| { target.channel()?.password = Field::from_value(value)?; Some(()) },
        "LU 6.2 password; stored, not used."),
    row!(PORT = 1522, -, AMQP, integer(1, 65_535, ""), channel.port,
        "TCP port for AMQP clients; stored, not used."),
    row!(
        PROPCTL = 190,
        "extended.messagePropertyControl",
        SENDING,
        ValueType::Choice(PROPERTY_CONTROLS),
        channel.property_control,
        "Handling of message properties for partners that do not support them."
    ),
    row!(
        PUTAUT = 1508,
        "receiverSecurity.putAuthority",
        RECEIVING,
        ValueType::Choice(PUT_AUTHORITIES),
        [channel.put_by_context = 1 | 2],
        "Whose authority is used to put received messages."
    ),
    row!(QMNAME = 2015, -, CLIENT, ValueType::Text { maximum: 48 }, channel.queue_manager,
        "Queue manager, or group of them, for the client connection."),
    row!(
        RCVDATA = 3516,
        "exits.receive.userData",
        NOT_AMQP,
        EXIT_DATA,
        channel.receive_exit_data,
        "Data for the receive exits."
    ),
    row!(
        RCVEXIT = 3511,
        "exits.receive.name",
        NOT_AMQP,
        EXITS,
        channel.receive_exits,
        "Receive exits; stored, never called."
    ),
    shown!(
        RESETSEQ = Some(1623),
        "extended.resetSequenceNumber",
        MESSAGE,
        ValueType::Integer { minimum: 0, maximum: LARGEST, unit: "", words: &[plain("NO", 0)] },
        |view| {
            view.channel()?;
            Some(Value::Integer(0))
        },
        "Sequence number of a pending RESET CHANNEL."
    ),
    row!(
        SCYDATA = 3513,
        "exits.security.userData",
        NOT_AMQP,
        ValueType::Text { maximum: 32 },
        channel.security_exit_data,
        "Data for the security exit."
    ),
    row!(
        SCYEXIT = 3508,
        "exits.security.name",
        NOT_AMQP,
        ValueType::Text { maximum: 128 },
        channel.security_exit,
        "Security exit; stored, never called."
    ),
    row!(
        SENDDATA = 3515,
        "exits.send.userData",
        NOT_AMQP,
        EXIT_DATA,
        channel.send_exit_data,
        "Data for the send exits."
    ),
    row!(SENDEXIT = 3510, "exits.send.name", NOT_AMQP, EXITS, channel.send_exits, "Send exits; stored, never called."),
    row!(
        SEQWRAP = 1509,
        "extended.sequenceNumberWrap",
        MESSAGE,
        integer(100, LARGEST, ""),
        channel.sequence_wrap,
        "Highest message sequence number before the number restarts at 1."
    ),
    row!(SHARECNV = 1615, -, CLIENT_AND_SERVER, integer(0, LARGEST, "conversations"),
        channel.sharing_conversations,
        "Maximum number of conversations on one connection."),
    row!(
        SHORTRTY = 1505,
        "connectionManagement.shortRetry.count",
        SENDING,
        integer(0, LARGEST, ""),
        channel.short_retry_count,
        "Number of attempts to connect in the short phase."
    ),
    row!(
        SHORTTMR = 1504,
        "connectionManagement.shortRetry.interval",
        SENDING,
        integer(0, LARGEST, "seconds"),
        channel.short_retry_interval_s,
        "Time between attempts to connect in the short phase."
    ),
    row!(
        SSLCAUTH = 1568,
        "transportSecurity.requirePartnerCertificate",
        WITH_CLIENT_CHECK,
        ValueType::Choice(CLIENT_CHECKS),
        channel.client_certificate_optional,
        "Whether a partner needs a certificate when the channel uses TLS."
    ),
    row!(
        SSLCIPH = 3544,
        "transportSecurity.cipherSpecification",
        ALL,
        ValueType::Text { maximum: 32 },
        channel.cipher_specification,
        "CipherSpec, or a group of them; blank means no TLS."
    ),
    row!(
        SSLPEER = 3545,
        "transportSecurity.certificatePeerName",
        ALL,
        ValueType::Text { maximum: 1024 },
        channel.peer_name,
        "Pattern that the distinguished name of the partner must match."
    ),
    row!(
        STATCHL = 129,
        "dataCollection.statistics",
        MESSAGE,
        ValueType::Choice(COLLECT_LEVEL),
        channel.statistics,
        "Whether statistics are collected for the channel."
    ),
    row!(TPNAME = 3504, -, WITH_MODE, ValueType::Text { maximum: 64 }, channel.transaction_program,
        "LU 6.2 transaction program; stored, not used."),
    row!(TPROOT = 3571, -, AMQP, ValueType::Text { maximum: 1024 }, channel.topic_root,
        "Root of the topics of AMQP clients."),
    row!(TMPMODEL = 3572, -, AMQP, ValueType::Name, channel.temporary_model,
        "Model of temporary queues of AMQP clients."),
    row!(TMPQPRFX = 3573, -, AMQP, ValueType::Text { maximum: 32 }, channel.temporary_prefix,
        "Prefix of the names of temporary queues of AMQP clients."),
    row!(TRPTYPE = 1501, -, NOT_AMQP, ValueType::Choice(TRANSPORTS), channel.transport,
        "Transport protocol; only TCP is supported."),
    row!(USECLTID = 1629, -, AMQP, ValueType::Choice(NO_YES), channel.use_client_identifier,
        "Whether the client identifier of an AMQP client is used as its user."),
    row!(
        USEDLQ = 234,
        "failedDelivery.useDeadLetterQueue",
        MESSAGE,
        ValueType::Choice(DEAD_LETTERS),
        [channel.use_dead_letter_queue = 1 | 2],
        "Whether messages that cannot be delivered go to the dead-letter queue."
    ),
    row!(USERID = 3517, -, WITH_USER, ValueType::Text { maximum: 12 }, channel.user_identifier,
        "LU 6.2 user; stored, not used."),
    row!(
        XMITQ = 3505,
        "sender.transmissionQueueName",
        SENDER,
        ValueType::Name,
        channel.transmission_queue,
        "Transmission queue whose messages the channel sends."
    ),
    row!(
        XMITQ = 3505,
        "server.transmissionQueueName",
        SERVER_CHANNEL,
        ValueType::Name,
        channel.transmission_queue,
        "Transmission queue whose messages the channel sends."
    ),
];

/// MQCHT_* number.
fn channel_type(kind: Kind) -> Option<i64> {
    let (_, word) = kind.type_parameter()?;
    TYPES.iter().find(|known| known.mqsc == word).map(|known| known.code)
}
