//! Queue definitions: local, alias, remote and model.
//!
//! Defaults are those of SYSTEM.DEFAULT.*.QUEUE on distributed platforms.
//! Source: MQ reference, "DEFINE QLOCAL" and relatives, "Attributes for queues", 9.3.

use serde::{Deserialize, Serialize};

use crate::definition::attribute::Kind;
use crate::definition::{Collect, History};
use crate::name::{ObjectName, QueueManagerName, QueueName};
use crate::text::Text;

/// One queue of any kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct QueueDefinition {
    pub name: QueueName,
    /// DESCR, at most 64 characters.
    pub description: String,
    /// PUT(DISABLED).
    pub put_inhibited: bool,
    /// DEFPRTY, 0 to 9.
    pub default_priority: u8,
    /// DEFPSIST(YES).
    pub default_persistent: bool,
    /// DEFPRESP.
    pub default_put_response: PutResponse,
    /// DEFBIND.
    pub default_bind: Bind,
    /// CLUSTER and CLUSNL.
    pub cluster: ObjectName,
    pub cluster_name_list: ObjectName,
    pub cluster_workload_priority: u8,
    pub cluster_workload_rank: u8,
    /// CAPEXPRY in tenths of a second; -1 is NOLIMIT.
    pub cap_expiry: i32,
    pub custom: String,
    /// QSGDISP.
    pub disposition: Disposition,
    pub history: History,
    pub kind: QueueKind,
}

/// Where a definition belongs in a queue-sharing group (MQQSGD_*). A queue manager in no group has the first alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Disposition {
    /// This queue manager's own.
    #[default]
    QueueManager,
    /// Made of the group's definition of that name, and made anew when that changes.
    Copy,
    /// One queue for the whole group: local queues only.
    Shared,
    /// The definition that each member makes its copy of. No program opens it.
    Group,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum QueueKind {
    Local(Box<LocalQueue>),
    Alias(AliasQueue),
    Remote(RemoteQueue),
    Model(Box<ModelQueue>),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LocalQueue {
    /// GET(DISABLED).
    pub get_inhibited: bool,
    /// MAXDEPTH, 0 to 999,999,999 messages.
    pub maximum_depth: u32,
    /// MAXMSGL, 0 to 104,857,600 bytes.
    pub maximum_message_length: u32,
    pub message_delivery_sequence: DeliverySequence,
    /// SHARE: may more than one handle be open for input?
    pub shareable: bool,
    /// DEFSOPT(SHARED): what MQOO_INPUT_AS_Q_DEF means.
    pub default_input_shared: bool,
    /// HARDENBO.
    pub harden_backout: bool,
    /// BOTHRESH, 0 to 999,999,999; acted on by applications.
    pub backout_threshold: u32,
    /// BOQNAME.
    pub backout_requeue_queue: QueueName,
    pub usage: Usage,
    pub trigger: Trigger,
    /// INITQ.
    pub initiation_queue: QueueName,
    /// PROCESS.
    pub process: ObjectName,
    /// RETINTVL in hours.
    pub retention_interval_hours: u32,
    /// QDEPTHHI and QDEPTHLO, percent of MAXDEPTH.
    pub depth_high_percent: u8,
    pub depth_low_percent: u8,
    pub depth_maximum_event: bool,
    pub depth_high_event: bool,
    pub depth_low_event: bool,
    pub service_interval_event: ServiceIntervalEvent,
    /// QSVCINT in milliseconds.
    pub service_interval_ms: u32,
    pub distribution_lists: bool,
    /// NPMCLASS(HIGH).
    pub nonpersistent_class_high: bool,
    pub property_control: PropertyControl,
    pub default_read_ahead: ReadAhead,
    pub monitoring: Collect,
    pub statistics: Collect,
    pub accounting: Collect,
    pub cluster_workload_use_queue: ClusterWorkloadUse,
    /// CLCHNAME.
    pub cluster_channel_name: String,
    /// SCOPE(CELL).
    pub scope_cell: bool,
    /// IMGRCOVQ.
    pub image_recovery: ImageRecovery,
    /// MAXFSIZE in megabytes; `None` is DEFAULT.
    pub maximum_file_size_mb: Option<u32>,
    pub stream_queue: QueueName,
    /// STRMQOS(MUSTDUP).
    pub stream_must_duplicate: bool,
    pub definition_type: DefinitionType,
    /// CFSTRUCT: where the messages of a shared queue are; at most 12 characters.
    pub structure: ObjectName,
    /// INDXTYPE.
    pub index_type: IndexType,
    /// Identity of the messages in the store. Not an attribute; 0 until the queue manager assigns it.
    pub store_id: u32,
    /// How far the move of a shared queue has come. Not an attribute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moving: Option<Moving>,
}

impl LocalQueue {
    /// It moves to another database, and its messages are at rest.
    pub fn is_in_transit(&self) -> bool {
        self.moving.as_ref().is_some_and(|moving| moving.stage != MovingStage::Leaving)
    }
}

/// What a queue of z/OS is indexed by. Kept: every queue is indexed by all identifiers here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum IndexType {
    #[default]
    None,
    MessageId,
    CorrelId,
    MessageToken,
    GroupId,
}

/// A shared queue that moves to the database of another structure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moving {
    pub stage: MovingStage,
    /// Identity of its messages at the other place: where it goes, or at the end where it was.
    pub store_id: u32,
    pub structure: ObjectName,
    /// The member that does it.
    pub by: QueueManagerName,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum MovingStage {
    /// Its messages are where they were.
    Arriving,
    /// They stay there.
    Returning,
    /// They are where they were to go.
    Leaving,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AliasQueue {
    /// TARGET (TARGQ).
    pub target: ObjectName,
    pub target_type: AliasTarget,
    pub get_inhibited: bool,
    pub property_control: PropertyControl,
    pub default_read_ahead: ReadAhead,
    pub scope_cell: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RemoteQueue {
    /// RNAME.
    pub remote_queue: QueueName,
    /// RQMNAME.
    pub remote_queue_manager: QueueManagerName,
    /// XMITQ; blank takes the local queue named as the remote queue manager, then DEFXMITQ.
    pub transmission_queue: QueueName,
    pub scope_cell: bool,
}

/// A template: opening it makes a dynamic queue of its local part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelQueue {
    /// `definition_type` says which dynamic kind it makes.
    pub local: LocalQueue,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum DeliverySequence {
    #[default]
    Priority,
    Fifo,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Usage {
    #[default]
    Normal,
    Transmission,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum DefinitionType {
    #[default]
    Predefined,
    PermanentDynamic,
    TemporaryDynamic,
    /// A permanent dynamic queue that the whole group has.
    SharedDynamic,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum PutResponse {
    #[default]
    Synchronous,
    Asynchronous,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Bind {
    #[default]
    OnOpen,
    NotFixed,
    Group,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum PropertyControl {
    #[default]
    Compatibility,
    None,
    All,
    ForceRfh2,
    Version6Compatible,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ReadAhead {
    #[default]
    No,
    Yes,
    Disabled,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum AliasTarget {
    #[default]
    Queue,
    Topic,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ServiceIntervalEvent {
    #[default]
    None,
    High,
    Ok,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ClusterWorkloadUse {
    #[default]
    QueueManager,
    Any,
    Local,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ImageRecovery {
    #[default]
    QueueManager,
    Yes,
    No,
}

/// TRIGGER, TRIGTYPE, TRIGMPRI, TRIGDPTH, TRIGDATA.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Trigger {
    /// TRIGGER / NOTRIGGER.
    pub enabled: bool,
    pub kind: TriggerType,
    /// Lowest priority that counts, 0 to 9.
    pub message_priority: u8,
    /// 1 to 999,999,999 messages, for `Depth`.
    pub depth: u32,
    pub data: Text<64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum TriggerType {
    None,
    #[default]
    First,
    Every,
    Depth,
}

impl Default for Trigger {
    fn default() -> Self {
        Self { enabled: false, kind: TriggerType::First, message_priority: 0, depth: 1, data: Text::BLANK }
    }
}

impl Default for LocalQueue {
    fn default() -> Self {
        Self {
            get_inhibited: false,
            maximum_depth: 5000,
            maximum_message_length: 4_194_304,
            message_delivery_sequence: DeliverySequence::Priority,
            shareable: true,
            default_input_shared: true,
            harden_backout: true,
            backout_threshold: 0,
            backout_requeue_queue: QueueName::BLANK,
            usage: Usage::Normal,
            trigger: Trigger::default(),
            initiation_queue: QueueName::BLANK,
            process: ObjectName::BLANK,
            retention_interval_hours: 999_999_999,
            depth_high_percent: 80,
            depth_low_percent: 20,
            depth_maximum_event: true,
            depth_high_event: false,
            depth_low_event: false,
            service_interval_event: ServiceIntervalEvent::None,
            service_interval_ms: 999_999_999,
            distribution_lists: false,
            nonpersistent_class_high: false,
            property_control: PropertyControl::Compatibility,
            default_read_ahead: ReadAhead::No,
            monitoring: Collect::QueueManager,
            statistics: Collect::QueueManager,
            accounting: Collect::QueueManager,
            cluster_workload_use_queue: ClusterWorkloadUse::QueueManager,
            cluster_channel_name: String::new(),
            scope_cell: false,
            image_recovery: ImageRecovery::QueueManager,
            maximum_file_size_mb: None,
            stream_queue: QueueName::BLANK,
            stream_must_duplicate: false,
            definition_type: DefinitionType::Predefined,
            structure: ObjectName::BLANK,
            index_type: IndexType::None,
            store_id: 0,
            moving: None,
        }
    }
}

/// SYSTEM.DEFAULT.MODEL.QUEUE: temporary dynamic queues for one handle at a time.
impl Default for ModelQueue {
    fn default() -> Self {
        Self {
            local: LocalQueue {
                shareable: false,
                default_input_shared: false,
                definition_type: DefinitionType::TemporaryDynamic,
                ..LocalQueue::default()
            },
        }
    }
}

impl Default for QueueDefinition {
    fn default() -> Self {
        Self::new(QueueName::BLANK, QueueKind::Local(Box::default()))
    }
}

impl QueueDefinition {
    pub fn new(name: QueueName, kind: QueueKind) -> Self {
        Self {
            name,
            description: String::new(),
            put_inhibited: false,
            default_priority: 0,
            default_persistent: false,
            default_put_response: PutResponse::Synchronous,
            default_bind: Bind::OnOpen,
            cluster: ObjectName::BLANK,
            cluster_name_list: ObjectName::BLANK,
            cluster_workload_priority: 0,
            cluster_workload_rank: 0,
            cap_expiry: -1,
            custom: String::new(),
            disposition: Disposition::QueueManager,
            history: History::default(),
            kind,
        }
    }

    pub fn local(name: QueueName) -> Self {
        Self::new(name, QueueKind::Local(Box::default()))
    }

    /// A queue of `kind` as DEFINE starts from; `None` when `kind` is no kind of queue.
    pub fn blank(kind: Kind) -> Option<Self> {
        let kind = match kind {
            Kind::QueueLocal => QueueKind::Local(Box::default()),
            Kind::QueueAlias => QueueKind::Alias(AliasQueue::default()),
            Kind::QueueRemote => QueueKind::Remote(RemoteQueue::default()),
            Kind::QueueModel => QueueKind::Model(Box::default()),
            _ => return None,
        };
        Some(Self::new(QueueName::BLANK, kind))
    }

    /// The kind by which the attribute table knows it.
    pub fn attribute_kind(&self) -> Kind {
        match &self.kind {
            QueueKind::Local(_) => Kind::QueueLocal,
            QueueKind::Alias(_) => Kind::QueueAlias,
            QueueKind::Remote(_) => Kind::QueueRemote,
            QueueKind::Model(_) => Kind::QueueModel,
        }
    }

    /// The local part, for a local queue.
    pub fn as_local(&self) -> Option<&LocalQueue> {
        match &self.kind {
            QueueKind::Local(local) => Some(local),
            QueueKind::Alias(_) | QueueKind::Remote(_) | QueueKind::Model(_) => None,
        }
    }

    pub fn as_local_mut(&mut self) -> Option<&mut LocalQueue> {
        match &mut self.kind {
            QueueKind::Local(local) => Some(local),
            QueueKind::Alias(_) | QueueKind::Remote(_) | QueueKind::Model(_) => None,
        }
    }
}
