//! Channel definitions of every type: server connections that clients come in by, and the others as definitions only.
//!
//! One structure holds the attributes of all types; the attribute table says which type has which. What a type lacks
//! keeps its default. Defaults are those of SYSTEM.DEF.* on distributed platforms.
//! Source: MQ reference, "DEFINE CHANNEL", "Channel attributes", 9.3 and 9.4; defaults as a 9.4.2 queue manager shows
//! them.

use serde::{Deserialize, Serialize};

use crate::definition::attribute::Kind;
use crate::definition::queue::{Disposition, PropertyControl};
use crate::definition::{Collect, History};
use crate::name::{ChannelName, ObjectName, QueueName};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ChannelDefinition {
    /// At most 20 characters.
    pub name: ChannelName,
    /// CHLTYPE; fixed once defined.
    pub channel_type: ChannelType,
    /// DESCR, at most 64 characters.
    pub description: String,
    /// TRPTYPE.
    pub transport: Transport,
    /// CONNAME: `host(port),host2(port2)`.
    pub connection_name: String,
    /// LOCLADDR.
    pub local_address: String,
    /// XMITQ.
    pub transmission_queue: QueueName,
    /// CLUSTER and CLUSNL.
    pub cluster: ObjectName,
    pub cluster_name_list: ObjectName,
    /// CLWLPRTY, CLWLRANK, 0 to 9; CLWLWGHT, 1 to 99; NETPRTY, 0 to 9.
    pub cluster_workload_priority: u8,
    pub cluster_workload_rank: u8,
    pub cluster_workload_weight: u8,
    pub network_priority: u8,
    /// MAXMSGL, 0 to 104,857,600 bytes; 0 is the queue manager's.
    pub maximum_message_length: u32,
    /// HBINT in seconds; 0 is never.
    pub heartbeat_interval_s: u32,
    /// KAINT in seconds; `None` is AUTO.
    pub keep_alive_interval_s: Option<u32>,
    /// DISCINT in seconds; 0 is never.
    pub disconnect_interval_s: u32,
    /// BATCHHB and BATCHINT in milliseconds, BATCHLIM in kilobytes, BATCHSZ in messages.
    pub batch_heartbeat_ms: u32,
    pub batch_interval_ms: u32,
    pub batch_limit_kb: u32,
    pub batch_size: u32,
    /// SHORTRTY, SHORTTMR; LONGRTY, LONGTMR.
    pub short_retry_count: u32,
    pub short_retry_interval_s: u32,
    pub long_retry_count: u32,
    pub long_retry_interval_s: u32,
    /// MRRTY, MRTMR, MREXIT, MRDATA.
    pub message_retry_count: u32,
    pub message_retry_interval_ms: u32,
    pub message_retry_exit: String,
    pub message_retry_exit_data: String,
    /// SEQWRAP.
    pub sequence_wrap: u32,
    /// CONVERT(YES).
    pub convert: bool,
    /// NPMSPEED(FAST).
    pub nonpersistent_fast: bool,
    /// PROPCTL.
    pub property_control: PropertyControl,
    /// PUTAUT(CTX).
    pub put_by_context: bool,
    /// USEDLQ.
    pub use_dead_letter_queue: bool,
    /// MCANAME, MCATYPE(THREAD), MCAUSER.
    pub agent_name: String,
    pub agent_is_thread: bool,
    pub agent_user: String,
    /// MODENAME and TPNAME, of LU 6.2.
    pub mode_name: String,
    pub transaction_program: String,
    /// USERID and PASSWORD, of LU 6.2.
    pub user_identifier: String,
    pub password: String,
    /// SCYEXIT, SCYDATA.
    pub security_exit: String,
    pub security_exit_data: String,
    /// SENDEXIT, SENDDATA; RCVEXIT, RCVDATA; MSGEXIT, MSGDATA.
    pub send_exits: Vec<String>,
    pub send_exit_data: Vec<String>,
    pub receive_exits: Vec<String>,
    pub receive_exit_data: Vec<String>,
    pub message_exits: Vec<String>,
    pub message_exit_data: Vec<String>,
    /// COMPHDR and COMPMSG, in order of preference.
    pub header_compression: Vec<Compression>,
    pub message_compression: Vec<Compression>,
    /// SSLCIPH, SSLPEER, SSLCAUTH(OPTIONAL), CERTLABL.
    pub cipher_specification: String,
    pub peer_name: String,
    pub client_certificate_optional: bool,
    pub certificate_label: String,
    /// MONCHL and STATCHL.
    pub monitoring: Collect,
    pub statistics: Collect,
    /// SHARECNV: conversations that share one connection.
    pub sharing_conversations: u32,
    /// MAXINST and MAXINSTC.
    pub maximum_instances: u32,
    pub maximum_instances_per_client: u32,
    /// AFFINITY(NONE), CLNTWGHT 0 to 99, DEFRECON, QMNAME.
    pub no_affinity: bool,
    pub client_weight: u8,
    pub default_reconnect: Reconnect,
    pub queue_manager: String,
    /// PORT of an AMQP channel.
    pub port: u32,
    /// AMQPKA in milliseconds; `None` is AUTO.
    pub amqp_keep_alive_ms: Option<u32>,
    /// TPROOT, TMPMODEL, TMPQPRFX, USECLTID.
    pub topic_root: String,
    pub temporary_model: QueueName,
    pub temporary_prefix: String,
    pub use_client_identifier: bool,
    /// QSGDISP: not that of a shared queue.
    pub disposition: Disposition,
    /// DEFCDISP.
    pub default_disposition: DefaultDisposition,
    pub history: History,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub enum ChannelType {
    Sender,
    Server,
    Receiver,
    Requester,
    ClientConnection,
    #[default]
    ServerConnection,
    ClusterReceiver,
    ClusterSender,
    Amqp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Transport {
    #[default]
    Tcp,
    Lu62,
    Netbios,
    Spx,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Compression {
    None,
    RunLength,
    ZlibFast,
    ZlibHigh,
    /// Of headers.
    System,
    Lz4Fast,
    Lz4High,
    Any,
}

/// DEFCDISP: which instances START and STOP CHANNEL are about, unless CHLDISP says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum DefaultDisposition {
    #[default]
    Private,
    Shared,
    /// Of message channels: shared, and tied to one queue manager.
    FixedShared,
}

/// DEFRECON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Reconnect {
    #[default]
    No,
    Yes,
    QueueManager,
    Disabled,
}

impl ChannelType {
    pub const fn kind(self) -> Kind {
        match self {
            Self::Sender => Kind::SenderChannel,
            Self::Server => Kind::ServerChannel,
            Self::Receiver => Kind::ReceiverChannel,
            Self::Requester => Kind::RequesterChannel,
            Self::ClientConnection => Kind::ClientConnection,
            Self::ServerConnection => Kind::ServerConnection,
            Self::ClusterReceiver => Kind::ClusterReceiver,
            Self::ClusterSender => Kind::ClusterSender,
            Self::Amqp => Kind::AmqpChannel,
        }
    }

    pub const fn of(kind: Kind) -> Option<Self> {
        Some(match kind {
            Kind::SenderChannel => Self::Sender,
            Kind::ServerChannel => Self::Server,
            Kind::ReceiverChannel => Self::Receiver,
            Kind::RequesterChannel => Self::Requester,
            Kind::ClientConnection => Self::ClientConnection,
            Kind::ServerConnection => Self::ServerConnection,
            Kind::ClusterReceiver => Self::ClusterReceiver,
            Kind::ClusterSender => Self::ClusterSender,
            Kind::AmqpChannel => Self::Amqp,
            _ => return None,
        })
    }
}

impl Default for ChannelDefinition {
    fn default() -> Self {
        Self::blank(ChannelType::default())
    }
}

impl ChannelDefinition {
    /// A channel of this type as DEFINE starts from.
    pub fn blank(channel_type: ChannelType) -> Self {
        let is_clustered = matches!(channel_type, ChannelType::ClusterReceiver | ChannelType::ClusterSender);
        let is_server_connection = channel_type == ChannelType::ServerConnection;
        Self {
            name: ChannelName::BLANK,
            channel_type,
            description: String::new(),
            transport: Transport::Tcp,
            connection_name: String::new(),
            local_address: String::new(),
            transmission_queue: QueueName::BLANK,
            cluster: ObjectName::BLANK,
            cluster_name_list: ObjectName::BLANK,
            cluster_workload_priority: 0,
            cluster_workload_rank: 0,
            cluster_workload_weight: 50,
            network_priority: 0,
            maximum_message_length: 4_194_304,
            heartbeat_interval_s: 300,
            keep_alive_interval_s: None,
            disconnect_interval_s: if is_server_connection { 0 } else { 6000 },
            batch_heartbeat_ms: 0,
            batch_interval_ms: 0,
            batch_limit_kb: 5000,
            batch_size: 50,
            short_retry_count: 10,
            short_retry_interval_s: 60,
            long_retry_count: 999_999_999,
            long_retry_interval_s: 1200,
            message_retry_count: 10,
            message_retry_interval_ms: 1000,
            message_retry_exit: String::new(),
            message_retry_exit_data: String::new(),
            sequence_wrap: 999_999_999,
            convert: false,
            nonpersistent_fast: true,
            property_control: PropertyControl::Compatibility,
            put_by_context: false,
            use_dead_letter_queue: true,
            agent_name: String::new(),
            agent_is_thread: is_clustered,
            agent_user: String::new(),
            mode_name: String::new(),
            transaction_program: String::new(),
            user_identifier: String::new(),
            password: String::new(),
            security_exit: String::new(),
            security_exit_data: String::new(),
            send_exits: Vec::new(),
            send_exit_data: Vec::new(),
            receive_exits: Vec::new(),
            receive_exit_data: Vec::new(),
            message_exits: Vec::new(),
            message_exit_data: Vec::new(),
            header_compression: vec![Compression::None],
            message_compression: vec![Compression::None],
            cipher_specification: String::new(),
            peer_name: String::new(),
            client_certificate_optional: false,
            certificate_label: String::new(),
            monitoring: Collect::QueueManager,
            statistics: Collect::QueueManager,
            sharing_conversations: 10,
            maximum_instances: 999_999_999,
            maximum_instances_per_client: 999_999_999,
            no_affinity: false,
            client_weight: 0,
            default_reconnect: Reconnect::No,
            queue_manager: String::new(),
            port: 5672,
            amqp_keep_alive_ms: None,
            topic_root: "SYSTEM.BASE.TOPIC".to_owned(),
            temporary_model: QueueName::literal("SYSTEM.DEFAULT.MODEL.QUEUE"),
            temporary_prefix: "AMQP.*".to_owned(),
            use_client_identifier: false,
            disposition: Disposition::QueueManager,
            default_disposition: DefaultDisposition::Private,
            history: History::default(),
        }
    }

    /// The MQSC keyword of an attribute that this type cannot do without and that is blank, if there is one.
    ///
    /// Source: MQ reference, "DEFINE CHANNEL", CONNAME and XMITQ, 9.3.
    pub fn missing(&self) -> Option<&'static str> {
        let needs_connection = matches!(
            self.channel_type,
            ChannelType::Sender | ChannelType::Requester | ChannelType::ClientConnection | ChannelType::ClusterSender
        );
        let needs_queue = matches!(self.channel_type, ChannelType::Sender | ChannelType::Server);
        if needs_connection && self.connection_name.trim().is_empty() {
            return Some("CONNAME");
        }
        (needs_queue && self.transmission_queue.is_blank()).then_some("XMITQ")
    }
}

/// One place a channel connects to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelAddress {
    pub host: String,
    pub port: u16,
}

/// Port of a CONNAME that names none.
pub const DEFAULT_PORT: u16 = 1414;

/// The addresses in a CONNAME, in order; `None` when it is not of the form `host(port),host2(port2)`.
pub fn addresses(connection_name: &str) -> Option<Vec<ChannelAddress>> {
    if connection_name.trim().is_empty() {
        return Some(Vec::new());
    }
    connection_name.split(',').map(|part| address(part.trim())).collect()
}

fn address(text: &str) -> Option<ChannelAddress> {
    let (host, port) = match text.split_once('(') {
        Some((host, rest)) => (host.trim_end(), rest.strip_suffix(')')?.trim().parse().ok()?),
        None => (text, DEFAULT_PORT),
    };
    let is_host = !host.is_empty() && !host.contains([' ', '(', ')']);
    is_host.then(|| ChannelAddress { host: host.to_owned(), port })
}

#[cfg(test)]
mod tests;
