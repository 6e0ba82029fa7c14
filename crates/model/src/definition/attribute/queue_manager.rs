//! Rows of the queue manager.
//!
//! Sources: MQ reference, "ALTER QMGR", "DISPLAY QMGR", 9.3 and 9.4; order and defaults as a 9.4.2 queue manager shows
//! them; numbers from the published constants (cmqc.h).

use crate::definition::attribute::field::{Field, date_text, time_text};
use crate::definition::attribute::word::{
    CONTROL, DISABLED_ENABLED, MANAGER_LEVEL, MANAGER_SWITCH, NO_YES, OFF_ON, RECORDING, plain,
};
use crate::definition::attribute::{Access, Attribute, Kind, Value, ValueType, Word};
use crate::group::GroupName;

const QMGR: &[Kind] = &[Kind::QueueManager];

/// The level of MQ whose commands and attributes we follow.
const COMMAND_LEVEL: i64 = 942;
const VERSION: &str = "09040200";
const COMMAND_QUEUE: &str = "SYSTEM.ADMIN.COMMAND.QUEUE";

const POLICIES: &[Word] = &[plain("ANY", 0), plain("RFC5280", 1)];
const CHANNEL_EVENTS: &[Word] = &[plain("DISABLED", 0), plain("ENABLED", 1), plain("EXCEPTION", 2)];
const COMMAND_EVENTS: &[Word] = &[plain("DISABLED", 0), plain("ENABLED", 1), plain("NODISPLAY", 3)];
const WORKLOAD_USE: &[Word] = &[plain("LOCAL", 0), plain("ANY", 1)];
const CLUSTER_QUEUES: &[Word] = &[plain("SCTQ", 0), plain("CHANNEL", 1)];
const OFF: &[Word] = &[plain("OFF", 0)];
const SCHEDULES: &[Word] = &[plain("MANUAL", 0), plain("AUTO", 1)];
/// MQCFCONLOS_*.
const ON_LOSS: &[Word] = &[plain("TERMINATE", 0), plain("TOLERATE", 1)];
/// MQSQQM_*.
const SHARED_QUEUE_MANAGERS: &[Word] = &[plain("USE", 0), plain("IGNORE", 1)];
/// MQIGQPA_*.
const IGQ_AUTHORITIES: &[Word] = &[plain("DEF", 1), plain("CTX", 2), plain("ONLYIGQ", 3), plain("ALTIGQ", 4)];
const ADDRESSES: &[Word] = &[plain("IPV4", 0), plain("IPV6", 1)];
const NO_LIMIT: &[Word] = &[plain("NOLIMIT", -1)];
const CLUSTER_LEVEL: &[Word] =
    &[plain("QMGR", -3), plain("NONE", -1), plain("LOW", 17), plain("MEDIUM", 33), plain("HIGH", 65)];
const PLATFORMS: &[Word] = &[plain("UNIX", 3)];
const MODES: &[Word] = &[plain("DISABLED", 0), plain("COMPAT", 1), plain("ENABLED", 2)];
const MESSAGES: &[Word] = &[plain("DISCARD", 2), plain("KEEP", 3)];
const RESPONSES: &[Word] = &[plain("NORMAL", 0), plain("SAFE", 1), plain("DISCARD", 2), plain("KEEP", 3)];
const SYNCPOINTS: &[Word] = &[plain("YES", 0), plain("IFPER", 1)];
const LOOKUPS: &[Word] = &[plain("ENABLED", 0), plain("DISABLED", 1)];
const SUITES: &[Word] = &[plain("NONE", 1), plain("128_BIT", 2), plain("192_BIT", 4), plain("128_BIT,192_BIT", 6)];
const SYNCPOINT: &[Word; 2] = &[plain("SYNCPT", 1), plain("NOSYNCPT", 0)];

const fn integer(minimum: i64, maximum: i64, unit: &'static str) -> ValueType {
    ValueType::Integer { minimum, maximum, unit, words: &[] }
}

/// The largest number most attributes take.
const LARGEST: i64 = 999_999_999;

pub(super) const ROWS: &[Attribute] = &[
    shown!(
        QMNAME = Some(2015),
        "name",
        QMGR,
        ValueType::Name,
        |view| Some(view.manager()?.name.to_value()),
        "Name of the queue manager."
    ),
    row!(ACCTCONO = 136, -, QMGR, ValueType::Choice(DISABLED_ENABLED), manager.accounting_connection_override,
        "Whether applications may override accounting when they connect."),
    row!(ACCTINT = 135, -, QMGR, integer(0, 604_800, "seconds"), manager.accounting_interval_s,
        "Time between accounting records of a long connection."),
    row!(ACCTMQI = 133, -, QMGR, ValueType::Choice(OFF_ON), manager.accounting_mqi,
        "Whether accounting data about MQI calls is collected."),
    row!(ACCTQ = 134, -, QMGR, ValueType::Choice(MANAGER_SWITCH), manager.accounting_queue,
        "Accounting of queues with ACCTQ(QMGR)."),
    row!(ACTIVREC = 138, -, QMGR, ValueType::Choice(RECORDING), manager.activity_recording,
        "Destination of activity reports."),
    row!(ACTVCONO = 239, -, QMGR, ValueType::Choice(DISABLED_ENABLED), manager.activity_connection_override,
        "Whether applications may override the activity trace when they connect."),
    row!(ACTVTRC = 240, -, QMGR, ValueType::Choice(OFF_ON), manager.activity_trace,
        "Whether the activity trace of applications is collected."),
    shown!(ADVCAP = Some(273), -, QMGR, ValueType::Choice(DISABLED_ENABLED),
        |view| { view.manager()?; Some(Value::Integer(1)) },
        "Whether the extended security features are available."),
    shown!(ALTDATE = Some(2027), -, QMGR, ValueType::Date,
        |view| Some(Value::Text(date_text(view.manager()?.history.altered))),
        "Date of the last change, in UTC."),
    shown!(ALTTIME = Some(2028), -, QMGR, ValueType::Time,
        |view| Some(Value::Text(time_text(view.manager()?.history.altered))),
        "Time of the last change, in UTC."),
    shown!(AMQPCAP = Some(265), -, QMGR, ValueType::Choice(NO_YES),
        |view| { view.manager()?; Some(Value::Integer(0)) },
        "Whether AMQP clients can connect."),
    row!(AUTHOREV = 47, -, QMGR, ValueType::Choice(DISABLED_ENABLED), manager.authority_event,
        "Whether not-authorised events are written."),
    row!(CCSID = 2, -, QMGR, integer(1208, 1208, ""), manager.ccsid,
        "Coded character set of the queue manager's own texts; always UTF-8."),
    row!(CERTLABL = 2121, -, QMGR, ValueType::Text { maximum: 64 },
        |view| Some(Value::Text(view.manager()?.effective_certificate_label())),
        |target, value| {
            let manager = target.manager()?;
            manager.certificate_label = String::from_value(value)?;
            Some(())
        },
        "Label of the channels' certificate; blank uses the default."),
    row!(CERTVPOL = 252, -, QMGR, ValueType::Choice(POLICIES), manager.strict_certificate_policy,
        "How strictly certificates of partners are checked."),
    row!(CHAD = 55, -, QMGR, ValueType::Choice(DISABLED_ENABLED), manager.channel_auto_definition,
        "Whether receiver and server-connection channels are defined automatically."),
    row!(CHADEV = 56, -, QMGR, ValueType::Choice(DISABLED_ENABLED), manager.channel_auto_definition_event,
        "Whether channel auto-definition events are written."),
    row!(CHADEXIT = 2026, -, QMGR, ValueType::Text { maximum: 128 }, manager.channel_auto_definition_exit,
        "Exit for automatic channel definition; stored, never called."),
    row!(CHLEV = 73, -, QMGR, ValueType::Choice(CHANNEL_EVENTS), manager.channel_event,
        "Which channel events are written."),
    row!(CHLAUTH = 248, -, QMGR, ValueType::Choice(DISABLED_ENABLED), manager.channel_authentication,
        "Whether channel authentication records are used."),
    row!(CLWLDATA = 2034, -, QMGR, ValueType::Text { maximum: 32 }, manager.cluster_workload_data,
        "Data for the cluster workload exit."),
    row!(CLWLEXIT = 2033, -, QMGR, ValueType::Text { maximum: 128 }, manager.cluster_workload_exit,
        "Cluster workload exit; stored, never called."),
    row!(CLWLLEN = 58, -, QMGR, integer(0, LARGEST, "bytes"), manager.cluster_workload_length,
        "Number of bytes of a message passed to the cluster workload exit."),
    row!(CLWLMRUC = 97, -, QMGR, integer(1, LARGEST, "channels"), manager.cluster_workload_channels,
        "Maximum number of cluster channels in use."),
    row!(CLWLUSEQ = 98, -, QMGR, ValueType::Choice(WORKLOAD_USE), manager.cluster_workload_use_any,
        "Whether puts prefer the local instance of a clustered queue."),
    row!(CMDEV = 99, -, QMGR, ValueType::Choice(COMMAND_EVENTS),
        |view| {
            let manager = view.manager()?;
            Some(Value::Integer(match (manager.command_event, manager.command_event_without_display) {
                (false, _) => 0,
                (true, false) => 1,
                (true, true) => 3,
            }))
        },
        |target, value| {
            let code = value.number()?;
            let manager = target.manager()?;
            manager.command_event = code != 0;
            manager.command_event_without_display = code == 3;
            Some(())
        },
        "Whether command events are written, and for DISPLAY too."),
    shown!(CMDLEVEL = Some(31), -, QMGR, integer(0, LARGEST, ""),
        |view| { view.manager()?; Some(Value::Integer(COMMAND_LEVEL)) },
        "Level of the supported MQ commands."),
    shown!(COMMANDQ = Some(2003), -, QMGR, ValueType::Name,
        |view| { view.manager()?; Some(Value::from(COMMAND_QUEUE)) },
        "Queue for PCF commands."),
    row!(CONFIGEV = 51, -, QMGR, ValueType::Choice(DISABLED_ENABLED), manager.configuration_event,
        "Whether configuration events are written."),
    row!(CONNAUTH = 2125, -, QMGR, ValueType::Name, manager.connection_authentication,
        "Authentication information object for the check of users."),
    shown!(CRDATE = Some(2004), -, QMGR, ValueType::Date,
        |view| Some(Value::Text(date_text(view.manager()?.history.created))),
        "Date of creation, in UTC."),
    shown!(CRTIME = Some(2005), -, QMGR, ValueType::Time,
        |view| Some(Value::Text(time_text(view.manager()?.history.created))),
        "Time of creation, in UTC."),
    row!(CUSTOM = 2119, -, QMGR, ValueType::Text { maximum: 128 }, manager.custom,
        "Reserved for features without an attribute."),
    row!(DEADQ = 2006, -, QMGR, ValueType::Name, manager.dead_letter_queue,
        "Queue for messages that cannot be delivered."),
    row!(DEFCLXQ = 250, -, QMGR, ValueType::Choice(CLUSTER_QUEUES), manager.cluster_transmission_per_channel,
        "Transmission queue of cluster-sender channels: one for all, or one each."),
    row!(DEFXMITQ = 2025, -, QMGR, ValueType::Name, manager.default_transmission_queue,
        "Transmission queue for remote queue managers without one of their own."),
    row!(DESCR = 2014, -, QMGR, ValueType::Text { maximum: 64 }, manager.description,
        "Free text about the queue manager."),
    shown!(DISTL = Some(34), -, QMGR, ValueType::Choice(NO_YES),
        |view| { view.manager()?; Some(Value::Integer(0)) },
        "Whether distribution lists are supported."),
    row!(IMGINTVL = 269, -, QMGR,
        ValueType::Integer { minimum: 1, maximum: LARGEST, unit: "minutes", words: OFF },
        manager.image_interval_minutes,
        "Target time between media images; stored, without effect."),
    row!(IMGLOGLN = 270, -, QMGR,
        ValueType::Integer { minimum: 1, maximum: LARGEST, unit: "megabytes", words: OFF },
        manager.image_log_length_mb,
        "Target amount of log between media images; stored, without effect."),
    row!(IMGRCOVO = 271, -, QMGR, ValueType::Choice(NO_YES), manager.image_recovery_objects,
        "Whether objects other than queues can be recovered from a media image."),
    row!(IMGRCOVQ = 272, -, QMGR, ValueType::Choice(NO_YES), manager.image_recovery_queues,
        "Whether queues with IMGRCOVQ(QMGR) can be recovered from a media image."),
    row!(IMGSCHED = 268, -, QMGR, ValueType::Choice(SCHEDULES), manager.image_automatic,
        "Whether media images are written automatically."),
    row!(INHIBTEV = 48, -, QMGR, ValueType::Choice(DISABLED_ENABLED), manager.inhibit_event,
        "Whether inhibit events are written."),
    row!(IPADDRV = 93, -, QMGR, ValueType::Choice(ADDRESSES), manager.prefer_ipv6,
        "IP version that channels prefer when a host has addresses of both."),
    row!(LOCALEV = 49, -, QMGR, ValueType::Choice(DISABLED_ENABLED), manager.local_event,
        "Whether local error events are written."),
    row!(LOGGEREV = 94, -, QMGR, ValueType::Choice(DISABLED_ENABLED), manager.logger_event,
        "Whether recovery log events are written."),
    row!(MARKINT = 68, -, QMGR,
        ValueType::Integer { minimum: 0, maximum: LARGEST, unit: "milliseconds", words: NO_LIMIT },
        manager.mark_browse_interval_ms,
        "Time for which a message stays marked as browsed."),
    row!(MAXHANDS = 11, -, QMGR, integer(0, LARGEST, "handles"), manager.maximum_handles,
        "Maximum number of open handles of one connection."),
    row!(MAXMSGL = 13, -, QMGR, integer(32_768, 104_857_600, "bytes"), manager.maximum_message_length,
        "Longest message of any queue."),
    row!(MAXPROPL = 192, -, QMGR,
        ValueType::Integer { minimum: 0, maximum: 104_857_600, unit: "bytes", words: NO_LIMIT },
        manager.maximum_properties_length,
        "Maximum length of the property data of a message."),
    shown!(MAXPRTY = Some(14), -, QMGR, integer(0, 9, ""),
        |view| { view.manager()?; Some(Value::Integer(9)) },
        "Highest message priority."),
    row!(MAXUMSGS = 33, -, QMGR, integer(1, LARGEST, "messages"), manager.maximum_uncommitted_messages,
        "Maximum number of messages in one unit of work."),
    row!(MONACLS = 124, -, QMGR, ValueType::Choice(CLUSTER_LEVEL), manager.monitoring_cluster_sender,
        "Monitoring of automatically defined cluster-sender channels."),
    row!(MONCHL = 122, -, QMGR, ValueType::Choice(MANAGER_LEVEL), manager.monitoring_channel,
        "Monitoring of channels with MONCHL(QMGR)."),
    row!(MONQ = 123, -, QMGR, ValueType::Choice(MANAGER_LEVEL), manager.monitoring_queue,
        "Monitoring of queues with MONQ(QMGR)."),
    row!(PARENT = 2102, -, QMGR, ValueType::Name, manager.parent,
        "Parent in a publish/subscribe hierarchy."),
    row!(PERFMEV = 53, -, QMGR, ValueType::Choice(DISABLED_ENABLED), manager.performance_event,
        "Whether performance events are written."),
    shown!(PLATFORM = Some(32), -, QMGR, ValueType::Choice(PLATFORMS),
        |view| { view.manager()?; Some(Value::Integer(3)) },
        "Kind of machine."),
    row!(PSMODE = 187, -, QMGR, ValueType::Choice(MODES),
        |view| {
            let manager = view.manager()?;
            Some(Value::Integer(match (manager.publish_subscribe_enabled, manager.publish_subscribe_compatible) {
                (false, _) => 0,
                (true, true) => 1,
                (true, false) => 2,
            }))
        },
        |target, value| {
            let code = value.number()?;
            let manager = target.manager()?;
            manager.publish_subscribe_enabled = code != 0;
            manager.publish_subscribe_compatible = code == 1;
            Some(())
        },
        "Whether publish/subscribe is enabled."),
    row!(PSCLUS = 249, -, QMGR, ValueType::Choice(DISABLED_ENABLED), manager.publish_subscribe_clusters,
        "Whether the queue manager takes part in publish/subscribe clusters."),
    row!(PSNPMSG = 203, -, QMGR, ValueType::Choice(MESSAGES), manager.undelivered_message,
        "Handling of nonpersistent input of queued publish/subscribe that cannot be processed."),
    row!(PSNPRES = 205, -, QMGR, ValueType::Choice(RESPONSES), manager.undelivered_response,
        "Handling of responses of queued publish/subscribe that cannot be delivered."),
    row!(PSRTYCNT = 206, -, QMGR, integer(0, LARGEST, "retries"), manager.publish_subscribe_retries,
        "Number of retries of a failed command message of queued publish/subscribe."),
    row!(PSSYNCPT = 207, -, QMGR, ValueType::Choice(SYNCPOINTS), manager.syncpoint_if_persistent,
        "Whether only persistent messages of queued publish/subscribe are handled under syncpoint."),
    row!(CFCONLOS = 245, -, QMGR, ValueType::Choice(ON_LOSS), [manager.terminates_on_loss = 1 | 0],
        "Whether a queue manager that cannot reach a structure with CFCONLOS(ASQMGR) ends, or refuses its queues.")
    .of_members(),
    row!(GROUPUR = 221, -, QMGR, ValueType::Choice(DISABLED_ENABLED), manager.group_units,
        "Whether applications that connect to the group have units of work that any member can end.")
    .of_members(),
    row!(IGQ = 64, -, QMGR, ValueType::Choice(DISABLED_ENABLED), manager.intra_group_queuing,
        "Whether messages for queues of other members of the group go by SYSTEM.QSG.TRANSMIT.QUEUE.")
    .of_members(),
    row!(IGQAUT = 65, -, QMGR, ValueType::Choice(IGQ_AUTHORITIES), manager.intra_group_authority,
        "Whose authority to put counts for messages that other members have sent by SYSTEM.QSG.TRANSMIT.QUEUE.")
    .of_members(),
    row!(IGQUSER = 2041, -, QMGR, ValueType::Text { maximum: 12 }, manager.intra_group_user,
        "User of the agent that delivers messages of other members; blank is the queue manager, which may put everywhere.")
    .of_members(),
    shown!(QSGNAME = Some(2040), -, QMGR, ValueType::Text { maximum: 4 },
        |view| Some(Value::from(view.manager()?.group.as_ref().map_or("", GroupName::as_str))),
        "Queue-sharing group of the queue manager.")
    .of_members(),
    shown!(QMID = Some(2032), -, QMGR, ValueType::Text { maximum: 48 },
        |view| Some(view.manager()?.identifier.to_value()),
        "Unique identifier made at creation."),
    row!(REMOTEEV = 50, -, QMGR, ValueType::Choice(DISABLED_ENABLED), manager.remote_event,
        "Whether remote error events are written."),
    row!(REPOS = 2035, -, QMGR, ValueType::Name, manager.repository,
        "Cluster for which this queue manager keeps the repository."),
    row!(REPOSNL = 2036, -, QMGR, ValueType::Name, manager.repository_name_list,
        "Namelist of clusters for which this queue manager keeps the repository."),
    row!(REVDNS = 254, -, QMGR, ValueType::Choice(LOOKUPS), [manager.reverse_name_lookup = 1 | 0],
        "Whether host names of channel partners are looked up."),
    row!(ROUTEREC = 137, -, QMGR, ValueType::Choice(RECORDING), manager.route_recording,
        "Destination of trace-route information."),
    row!(SCHINIT = 119, -, QMGR, ValueType::Choice(CONTROL), manager.channel_initiator_control,
        "Whether the channel initiator starts with the queue manager."),
    row!(SCMDSERV = 120, -, QMGR, ValueType::Choice(CONTROL), manager.command_server_control,
        "Whether the command server starts with the queue manager."),
    shown!(SPLCAP = Some(251), -, QMGR, ValueType::Choice(DISABLED_ENABLED),
        |view| { view.manager()?; Some(Value::Integer(0)) },
        "Whether message-level security policies are supported."),
    row!(SQQMNAME = 77, -, QMGR, ValueType::Choice(SHARED_QUEUE_MANAGERS), [manager.uses_shared_queue_manager = 1 | 0],
        "Whether a shared queue that is named with another member of the group is opened here, or its messages go to that member.")
    .of_members(),
    row!(SSLCRLNL = 2050, -, QMGR, ValueType::Name, manager.ssl_revocation_name_list,
        "Namelist of authentication information objects for revoked certificates."),
    row!(SSLCRYP = 2051, -, QMGR, ValueType::Secret { maximum: 256 },
        |view| Some(Value::masked(&view.manager()?.ssl_hardware)),
        |target, value| { target.manager()?.ssl_hardware = Field::from_value(value)?; Some(()) },
        "Cryptographic hardware, with the password of its token; stored, not used."),
    row!(SSLEV = 75, -, QMGR, ValueType::Choice(DISABLED_ENABLED), manager.ssl_event,
        "Whether TLS events are written."),
    row!(SSLFIPS = 92, -, QMGR, ValueType::Choice(NO_YES), manager.ssl_fips,
        "Whether only certified cryptography is allowed; stored, not enforced."),
    row!(SSLKEYR = 2049, -, QMGR, ValueType::Text { maximum: 256 }, manager.ssl_key_repository,
        "Key repository; stored, not used: certificates are configured in the server."),
    row!(SSLRKEYC = 76, -, QMGR, integer(0, LARGEST, "bytes"), manager.ssl_key_reset_bytes,
        "Bytes after which a channel negotiates a new secret key; 0 means never."),
    row!(STATACLS = 130, -, QMGR, ValueType::Choice(CLUSTER_LEVEL), manager.statistics_cluster_sender,
        "Statistics of automatically defined cluster-sender channels."),
    row!(STATCHL = 129, -, QMGR, ValueType::Choice(MANAGER_LEVEL), manager.statistics_channel,
        "Statistics of channels with STATCHL(QMGR)."),
    row!(STATINT = 131, -, QMGR, integer(0, 604_800, "seconds"), manager.statistics_interval_s,
        "Time between statistics messages."),
    row!(STATMQI = 127, -, QMGR, ValueType::Choice(OFF_ON), manager.statistics_mqi,
        "Whether statistics about MQI calls are collected."),
    row!(STATQ = 128, -, QMGR, ValueType::Choice(MANAGER_SWITCH), manager.statistics_queue,
        "Statistics of queues with STATQ(QMGR)."),
    row!(STRSTPEV = 52, -, QMGR, ValueType::Choice(DISABLED_ENABLED), manager.start_stop_event,
        "Whether start and stop events are written."),
    row!(SUITEB = 247, -, QMGR, ValueType::Choice(SUITES), manager.suite_b,
        "Suite B strengths required of channels; stored, not enforced."),
    shown!(SYNCPT = Some(30), -, QMGR, ValueType::Flag(SYNCPOINT),
        |view| { view.manager()?; Some(Value::Integer(1)) },
        "Units of work are supported."),
    row!(TREELIFE = 183, -, QMGR, integer(0, 604_000, "seconds"), manager.tree_life_s,
        "Lifetime of unused nodes of the topic tree."),
    row!(TRIGINT = 25, -, QMGR, integer(0, LARGEST, "milliseconds"), manager.trigger_interval_ms,
        "Time after which a queue triggered on first may trigger again."),
    shown!(VERSION = Some(2120), -, QMGR, ValueType::Text { maximum: 8 },
        |view| { view.manager()?; Some(Value::from(VERSION)) },
        "Version of MQ that the queue manager is compatible with."),
    shown!(XRCAP = Some(243), -, QMGR, ValueType::Choice(NO_YES),
        |view| { view.manager()?; Some(Value::Integer(0)) },
        "Whether telemetry clients can connect."),
];
