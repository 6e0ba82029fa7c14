//! The queue manager's own attributes.
//!
//! Those that describe clusters, channels and statistics are kept as set; the parts that act on them say so in their
//! own documentation. Defaults are those of a new queue manager on Linux.
//! Source: MQ reference, "ALTER QMGR", "DISPLAY QMGR", "Attributes for the queue manager", 9.3 and 9.4.

use serde::{Deserialize, Serialize};

use crate::definition::{Collect, EventSwitch, History};
use crate::group::GroupName;
use crate::name::{ObjectName, QueueManagerName, QueueName};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct QueueManagerDefinition {
    pub name: QueueManagerName,
    /// QSGNAME: as the configuration says at each start; never stored.
    #[serde(skip)]
    pub group: Option<GroupName>,
    /// CFCONLOS(TERMINATE) or (TOLERATE): what becomes of the queue manager that cannot reach a structure.
    pub terminates_on_loss: bool,
    /// GROUPUR(ENABLED).
    pub group_units: bool,
    /// IGQ(ENABLED): messages for other members of the group go by its own transmission queue.
    pub intra_group_queuing: bool,
    /// IGQAUT.
    pub intra_group_authority: IntraGroupAuthority,
    /// IGQUSER, at most 12 characters; blank is the queue manager's own.
    pub intra_group_user: String,
    /// SQQMNAME(USE): a shared queue that is named with another member is opened there, not here.
    pub uses_shared_queue_manager: bool,
    /// DESCR, at most 64 characters.
    pub description: String,
    /// QMID: made at creation, never altered.
    pub identifier: String,
    /// DEADQ.
    pub dead_letter_queue: QueueName,
    /// DEFXMITQ.
    pub default_transmission_queue: QueueName,
    /// CCSID, fixed at creation here: 1208.
    pub ccsid: u32,
    /// MAXMSGL in bytes, 32 KiB to 100 MiB.
    pub maximum_message_length: u32,
    /// MAXHANDS, handles one connection may hold, 0 to 999,999,999.
    pub maximum_handles: u32,
    /// MAXUMSGS, messages of one unit of work, 1 to 999,999,999.
    pub maximum_uncommitted_messages: u32,
    /// MAXPROPL in bytes; `None` is NOLIMIT.
    pub maximum_properties_length: Option<u32>,
    /// TRIGINT in milliseconds.
    pub trigger_interval_ms: u32,
    /// MARKINT in milliseconds; `None` is NOLIMIT.
    pub mark_browse_interval_ms: Option<u32>,
    /// CONNAUTH: AUTHINFO object.
    pub connection_authentication: ObjectName,
    pub inhibit_event: bool,
    pub local_event: bool,
    pub remote_event: bool,
    pub start_stop_event: bool,
    pub performance_event: bool,
    pub authority_event: bool,
    pub command_event: bool,
    /// CMDEV(NODISPLAY): command events, except for DISPLAY. Counts only with `command_event`.
    pub command_event_without_display: bool,
    pub configuration_event: bool,
    pub logger_event: bool,
    pub channel_event: EventSwitch,
    pub ssl_event: bool,
    /// CHADEV.
    pub channel_auto_definition_event: bool,
    /// PSMODE(ENABLED); PSMODE(COMPAT) is enabled with `publish_subscribe_compatible`.
    pub publish_subscribe_enabled: bool,
    pub publish_subscribe_compatible: bool,
    /// PSCLUS.
    pub publish_subscribe_clusters: bool,
    /// PSNPMSG and PSNPRES: what becomes of nonpersistent input and responses that cannot be handled.
    pub undelivered_message: Undelivered,
    pub undelivered_response: Undelivered,
    /// PSRTYCNT.
    pub publish_subscribe_retries: u32,
    /// PSSYNCPT(IFPER).
    pub syncpoint_if_persistent: bool,
    /// TREELIFE in seconds.
    pub tree_life_s: u32,
    /// PARENT in a hierarchy.
    pub parent: QueueManagerName,
    /// ACCTCONO.
    pub accounting_connection_override: bool,
    /// ACCTINT in seconds.
    pub accounting_interval_s: u32,
    pub accounting_mqi: bool,
    pub accounting_queue: Collect,
    /// STATINT in seconds.
    pub statistics_interval_s: u32,
    pub statistics_mqi: bool,
    pub statistics_queue: Collect,
    pub statistics_channel: Collect,
    /// STATACLS and MONACLS: automatically defined cluster-sender channels.
    pub statistics_cluster_sender: Collect,
    pub monitoring_cluster_sender: Collect,
    pub monitoring_queue: Collect,
    pub monitoring_channel: Collect,
    /// ACTIVREC and ROUTEREC.
    pub activity_recording: Recording,
    pub route_recording: Recording,
    /// ACTVCONO and ACTVTRC.
    pub activity_connection_override: bool,
    pub activity_trace: bool,
    /// CERTLABL; blank is `ibmwebspheremq` and the name in lower case.
    pub certificate_label: String,
    /// CERTVPOL(RFC5280).
    pub strict_certificate_policy: bool,
    /// CHAD and CHADEXIT.
    pub channel_auto_definition: bool,
    pub channel_auto_definition_exit: String,
    /// CHLAUTH.
    pub channel_authentication: bool,
    pub cluster_workload_data: String,
    pub cluster_workload_exit: String,
    /// CLWLLEN in bytes.
    pub cluster_workload_length: u32,
    /// CLWLMRUC.
    pub cluster_workload_channels: u32,
    /// CLWLUSEQ(ANY).
    pub cluster_workload_use_any: bool,
    /// DEFCLXQ(CHANNEL).
    pub cluster_transmission_per_channel: bool,
    /// REPOS and REPOSNL.
    pub repository: ObjectName,
    pub repository_name_list: ObjectName,
    /// IMGINTVL in minutes, IMGLOGLN in megabytes; 0 is OFF.
    pub image_interval_minutes: u32,
    pub image_log_length_mb: u32,
    /// IMGRCOVO and IMGRCOVQ.
    pub image_recovery_objects: bool,
    pub image_recovery_queues: bool,
    /// IMGSCHED(AUTO).
    pub image_automatic: bool,
    /// IPADDRV(IPV6).
    pub prefer_ipv6: bool,
    /// REVDNS.
    pub reverse_name_lookup: bool,
    /// SCHINIT and SCMDSERV.
    pub channel_initiator_control: Control,
    pub command_server_control: Control,
    /// SSLCRLNL, SSLCRYP, SSLKEYR, SSLFIPS, SSLRKEYC (bytes; 0 for never).
    pub ssl_revocation_name_list: ObjectName,
    pub ssl_hardware: String,
    pub ssl_key_repository: String,
    pub ssl_fips: bool,
    pub ssl_key_reset_bytes: u32,
    /// SUITEB as the sum of its published numbers: 1 none, 2 128-bit, 4 192-bit.
    pub suite_b: u8,
    pub custom: String,
    pub history: History,
}

/// PSNPMSG and PSNPRES.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Undelivered {
    #[default]
    Normal,
    Safe,
    Discard,
    Keep,
}

/// ACTIVREC and ROUTEREC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Recording {
    Disabled,
    Queue,
    #[default]
    Message,
}

/// SCHINIT and SCMDSERV: what starts with the queue manager.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Control {
    #[default]
    QueueManager,
    Manual,
}

/// Whose authority to put counts for messages of other members (MQIGQPA_*).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum IntraGroupAuthority {
    /// DEF: of the user in the descriptor that the message has on the transmission queue.
    #[default]
    Default,
    /// CTX: and of the user in the message's own descriptor.
    Context,
    /// ONLYIGQ: of IGQUSER.
    OnlyAgent,
    /// ALTIGQ: of IGQUSER, and of the user in the message's own descriptor.
    AlternateOrAgent,
}

impl QueueManagerDefinition {
    /// CERTLABL as it counts.
    pub fn effective_certificate_label(&self) -> String {
        if self.certificate_label.is_empty() {
            format!("ibmwebspheremq{}", self.name.as_str().to_ascii_lowercase())
        } else {
            self.certificate_label.clone()
        }
    }
}

impl Default for QueueManagerDefinition {
    fn default() -> Self {
        Self {
            name: QueueManagerName::BLANK,
            group: None,
            terminates_on_loss: false,
            group_units: false,
            intra_group_queuing: false,
            intra_group_authority: IntraGroupAuthority::Default,
            intra_group_user: String::new(),
            uses_shared_queue_manager: false,
            description: String::new(),
            identifier: String::new(),
            dead_letter_queue: QueueName::BLANK,
            default_transmission_queue: QueueName::BLANK,
            ccsid: 1208,
            maximum_message_length: 4_194_304,
            maximum_handles: 256,
            maximum_uncommitted_messages: 10_000,
            maximum_properties_length: None,
            trigger_interval_ms: 999_999_999,
            mark_browse_interval_ms: Some(5000),
            connection_authentication: ObjectName::BLANK,
            inhibit_event: false,
            local_event: false,
            remote_event: false,
            start_stop_event: true,
            performance_event: false,
            authority_event: false,
            command_event: false,
            command_event_without_display: false,
            configuration_event: false,
            logger_event: false,
            channel_event: EventSwitch::Disabled,
            ssl_event: false,
            channel_auto_definition_event: false,
            publish_subscribe_enabled: true,
            publish_subscribe_compatible: false,
            publish_subscribe_clusters: true,
            undelivered_message: Undelivered::Discard,
            undelivered_response: Undelivered::Normal,
            publish_subscribe_retries: 5,
            syncpoint_if_persistent: true,
            tree_life_s: 1800,
            parent: QueueManagerName::BLANK,
            accounting_connection_override: false,
            accounting_interval_s: 1800,
            accounting_mqi: false,
            accounting_queue: Collect::Off,
            statistics_interval_s: 1800,
            statistics_mqi: false,
            statistics_queue: Collect::Off,
            statistics_channel: Collect::Off,
            statistics_cluster_sender: Collect::QueueManager,
            monitoring_cluster_sender: Collect::QueueManager,
            monitoring_queue: Collect::Off,
            monitoring_channel: Collect::Off,
            activity_recording: Recording::Message,
            route_recording: Recording::Message,
            activity_connection_override: false,
            activity_trace: false,
            certificate_label: String::new(),
            strict_certificate_policy: false,
            channel_auto_definition: false,
            channel_auto_definition_exit: String::new(),
            channel_authentication: true,
            cluster_workload_data: String::new(),
            cluster_workload_exit: String::new(),
            cluster_workload_length: 100,
            cluster_workload_channels: 999_999_999,
            cluster_workload_use_any: false,
            cluster_transmission_per_channel: false,
            repository: ObjectName::BLANK,
            repository_name_list: ObjectName::BLANK,
            image_interval_minutes: 60,
            image_log_length_mb: 0,
            image_recovery_objects: true,
            image_recovery_queues: true,
            image_automatic: false,
            prefer_ipv6: false,
            reverse_name_lookup: true,
            channel_initiator_control: Control::QueueManager,
            command_server_control: Control::QueueManager,
            ssl_revocation_name_list: ObjectName::BLANK,
            ssl_hardware: String::new(),
            ssl_key_repository: String::new(),
            ssl_fips: false,
            ssl_key_reset_bytes: 0,
            suite_b: 1,
            custom: String::new(),
            history: History::default(),
        }
    }
}
