//! What the v1 administrative REST resources show of running things: one row a member, by its dotted name.
//!
//! The counterpart of `status.rs`, whose rows say the same in MQSC's words. Rows call back with what they read, so that
//! a list of thousands of queues copies no text. Definitions are shown by the attribute table, not here.
//!
//! Source: MQ administration REST reference 9.1 to 9.4, `queue`, `qmgr`, `subscription`, response attributes.

use std::cell::OnceCell;
use std::collections::HashMap;

use model::definition::attribute::{self, Kind, Value};
use model::definition::{Collect, SubscriptionDefinition};
use model::options::OpenOptions;
use model::timestamp::Timestamp;
use queue_manager::QueueManager;
use queue_manager::channel_status::ChannelStatus;
use queue_manager::queue_list::ListedQueue;
use queue_manager::status::{ConnectionStatus, HandleStatus, QueueStatus};

use crate::command::{Request, Selection};
use crate::status::{self, ManagerView};

/// What a member holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Json<'a> {
    Integer(i64),
    Truth(bool),
    Text(&'a str),
    /// Shown as a timestamp in UTC; `None` as a blank text.
    Moment(Option<Timestamp>),
    /// A list of `host(port)`, shown as an array of hosts and ports.
    Connections(&'a str),
    /// An array of texts.
    Texts(&'a [String]),
}

/// One member of an answer.
pub struct Row {
    /// Dotted, from the object it stands in.
    pub json: &'static str,
    /// Calls back once, or not at all when the subject is of another kind.
    pub read: Read,
}

/// Hands what it finds to its second argument.
pub type Read = fn(&Live<'_>, &mut dyn FnMut(Json<'_>));

/// What rows read from.
#[derive(Clone, Copy)]
pub enum Live<'a> {
    Nothing,
    Queue(&'a QueueLive<'a>),
    Handle(HandleLive<'a>),
    QueueManager(&'a ManagerLive),
    Subscription(&'a SubscriptionLive<'a>),
    Installation(&'a Installation),
    Channel(&'a ChannelLive<'a>),
    Instance(&'a ChannelStatus),
}

/// A queue and what is counted of it.
pub struct QueueLive<'a> {
    queue: ListedQueue<'a>,
    moment: &'a Moment,
    status: OnceCell<Option<QueueStatus>>,
}

/// An open handle and the connection it belongs to.
#[derive(Clone, Copy)]
pub struct HandleLive<'a> {
    connection: &'a ConnectionStatus,
    handle: &'a HandleStatus,
}

/// What is the same for all queues of one list.
pub struct Moment {
    monitoring: Collect,
    now: Timestamp,
    handles: Option<Handles>,
}

/// Open handles by the name of their queue.
struct Handles {
    connections: Vec<ConnectionStatus>,
    /// Places of a connection and of a handle in it.
    of_queue: HashMap<String, Vec<(usize, usize)>>,
}

/// A queue manager, whether it runs or not.
pub struct ManagerLive {
    pub name: String,
    /// A word of `state`.
    pub state: &'static str,
    pub is_default: bool,
    pub installation_name: String,
    /// While it runs.
    pub running: Option<RunningManager>,
}

/// What only a running queue manager can tell.
pub struct RunningManager {
    view: ManagerView,
    publish_subscribe: &'static str,
}

/// A channel, whether it runs or not.
pub struct ChannelLive<'a> {
    name: &'a str,
    instances: &'a [ChannelStatus],
}

/// The installation that the server belongs to, as `dspmqver` describes it.
#[derive(Debug, Clone, Default)]
pub struct Installation {
    pub name: String,
    pub description: String,
    /// Full text: name and release.
    pub operating_system: String,
    pub installation_path: String,
    pub data_path: String,
    /// Build level.
    pub level: String,
}

pub struct SubscriptionLive<'a> {
    definition: &'a SubscriptionDefinition,
    /// Topic string of the topic object.
    of_topic_object: Option<&'a str>,
}

impl Moment {
    /// `with_handles` also looks at who has what open.
    pub fn of(queue_manager: &QueueManager, with_handles: bool) -> Self {
        Self {
            monitoring: queue_manager.definition().monitoring_queue,
            now: queue_manager.now(),
            handles: with_handles.then(|| Handles::of(queue_manager.connections())),
        }
    }
}

impl Handles {
    fn of(connections: Vec<ConnectionStatus>) -> Self {
        let mut of_queue = HashMap::<_, Vec<_>>::new();
        for (place, connection) in connections.iter().enumerate() {
            for (index, handle) in connection.handles.iter().enumerate() {
                if handle.object_type == "QUEUE" {
                    of_queue.entry(handle.object_name.clone()).or_default().push((place, index));
                }
            }
        }
        Self { connections, of_queue }
    }
}

impl<'a> QueueLive<'a> {
    pub fn new(queue: ListedQueue<'a>, moment: &'a Moment) -> Self {
        Self { queue, moment, status: OnceCell::new() }
    }

    /// Calls back with each open handle of the queue.
    pub fn each_handle(&self, mut see: impl FnMut(&Live<'_>)) {
        let Some(handles) = &self.moment.handles else { return };
        for &(connection, handle) in handles.of_queue.get(self.queue.name().as_str()).into_iter().flatten() {
            let connection = &handles.connections[connection];
            see(&Live::Handle(HandleLive { connection, handle: &connection.handles[handle] }));
        }
    }

    /// `None` when the queue has gone.
    fn status(&self) -> Option<&QueueStatus> {
        self.status.get_or_init(|| self.queue.status()).as_ref()
    }

    /// MONQ as it counts.
    fn rate(&self) -> &'static str {
        let of_queue = self.queue.definition().as_local().map_or(Collect::Off, |local| local.monitoring);
        match of_queue.in_effect(self.moment.monitoring) {
            Collect::Low => "low",
            Collect::Medium => "medium",
            Collect::High => "high",
            Collect::QueueManager | Collect::None | Collect::Off | Collect::On => "off",
        }
    }

    fn is_monitored(&self) -> bool {
        self.rate() != "off"
    }

    /// Times are measured only while the queue is monitored.
    fn time(&self, of: impl FnOnce(&QueueStatus) -> Option<Timestamp>) -> Json<'static> {
        Json::Moment(self.status().filter(|_| self.is_monitored()).and_then(of))
    }

    /// Seconds; -1 while the queue is not monitored.
    fn oldest_message_age(&self) -> i64 {
        if !self.is_monitored() {
            return -1;
        }
        let oldest = self.status().and_then(|status| status.depth.oldest);
        oldest.map_or(0, |oldest| i64::try_from(self.moment.now.since(oldest).as_secs()).unwrap_or(i64::MAX))
    }
}

/// What the attribute table says of every queue manager here.
fn of_every_manager(keyword: &str) -> Option<Value> {
    attribute::find(Kind::QueueManager, keyword)?.default_value(Kind::QueueManager)
}

impl Installation {
    /// `9.4.2.0`, from VERSION's `09040200`.
    pub fn version(&self) -> String {
        let version = of_every_manager("VERSION");
        let digits = version.as_ref().and_then(Value::text).unwrap_or_default().as_bytes();
        let parts: Vec<_> = digits
            .chunks(2)
            .filter_map(|pair| std::str::from_utf8(pair).ok()?.parse::<u8>().ok())
            .map(|part| part.to_string())
            .collect();
        parts.join(".")
    }

    /// CMDLEVEL of every queue manager.
    pub fn command_level(&self) -> i64 {
        of_every_manager("CMDLEVEL").and_then(|level| level.number()).unwrap_or_default()
    }
}

impl RunningManager {
    pub fn of(queue_manager: &QueueManager) -> Self {
        let definition = queue_manager.definition();
        let publish_subscribe = match (definition.publish_subscribe_enabled, definition.publish_subscribe_compatible) {
            (false, _) => "stopped",
            (true, true) => "compatibility",
            (true, false) => "running",
        };
        let name = queue_manager.name().as_str().to_owned();
        Self { view: ManagerView { name, status: queue_manager.status() }, publish_subscribe }
    }

    /// The word that DISPLAY QMSTATUS shows.
    fn word(&self, keyword: &str) -> String {
        let request = Request { selection: Selection::All, condition: None };
        let shown = status::show(status::QUEUE_MANAGER_STATUS, &self.view, &request).unwrap_or_default();
        let found = shown.into_iter().find(|shown| shown.keyword == keyword);
        found.map(|shown| shown.kind.word_or_text(&shown.value)).unwrap_or_default()
    }
}

impl RunningManager {
    fn channel_initiator(&self) -> &'static str {
        match self.word("CHINIT").as_str() {
            "RUNNING" => "running",
            "STARTING" => "starting",
            "STOPPING" => "stopping",
            _ => "stopped",
        }
    }

    fn ldap_connection(&self) -> &'static str {
        match self.word("LDAPCONN").as_str() {
            "CONNECTED" => "connected",
            "ERROR" => "error",
            _ => "disconnected",
        }
    }
}

impl<'a> ChannelLive<'a> {
    /// `instances` are those of every channel.
    pub fn new(name: &'a str, instances: &'a [ChannelStatus]) -> Self {
        Self { name, instances }
    }

    /// Calls back with each instance that runs.
    pub fn each_instance(&self, see: &mut dyn FnMut(&Live<'_>)) {
        for status in self.instances.iter().filter(|status| status.instance.channel == self.name) {
            see(&Live::Instance(status));
        }
    }
}

impl<'a> SubscriptionLive<'a> {
    /// `of_topic_object` is the topic string of the topic object the subscription names.
    pub fn new(definition: &'a SubscriptionDefinition, of_topic_object: Option<&'a str>) -> Self {
        Self { definition, of_topic_object }
    }

    /// The part of the topic string that the topic object does not bring.
    fn defined_string(&self) -> &'a str {
        let whole = self.definition.topic_string.as_str();
        let rest = self.of_topic_object.and_then(|prefix| whole.strip_prefix(prefix));
        rest.map_or(whole, |rest| rest.strip_prefix('/').unwrap_or(rest))
    }
}

macro_rules! rows {
    ($variant:ident($subject:ident): $($json:literal => $value:expr;)*) => {
        &[$(Row {
            json: $json,
            read: |live, see| {
                if let Live::$variant($subject) = live {
                    let _ = $subject;
                    if let Some(value) = Into::<Option<Json<'_>>>::into($value) {
                        see(value);
                    }
                }
            },
        },)*]
    };
}

/// The name of a `queue`, for lists that show nothing else of its definition.
pub static QUEUE_NAME: Row = Row {
    json: "name",
    read: |live, see| {
        if let Live::Queue(queue) = live {
            see(Json::Text(queue.queue.name().as_str()));
        }
    },
};

/// Members of `queue`, local queues only.
pub static QUEUE_STATUS: &[Row] = rows! { Queue(queue):
    "status.currentDepth" => Json::Integer(queue.queue.depth().into());
    "status.openInputCount" => Json::Integer(queue.queue.open_counts().0.into());
    "status.openOutputCount" => Json::Integer(queue.queue.open_counts().1.into());
    "status.lastGet" => queue.time(|status| status.last_get);
    "status.lastPut" => queue.time(|status| status.last_put);
    "status.mediaRecoveryLogExtent" => Json::Text("");
    "status.monitoringRate" => Json::Text(queue.rate());
    "status.oldestMessageAge" => Json::Integer(queue.oldest_message_age());
    "status.onQueueTime.longSamplePeriod" => Json::Integer(-1);
    "status.onQueueTime.shortSamplePeriod" => Json::Integer(-1);
    "status.uncommittedMessages" => Json::Integer(queue.status().map_or(0, |status| status.depth.uncommitted.into()));
};

/// Members of an element of `applicationHandle`.
pub static APPLICATION_HANDLE: &[Row] = rows! { Handle(open):
    "asynchronousConsumerState" => Json::Text("none");
    "channelName" => Json::Text(&open.connection.channel);
    "connectionName" => Json::Text(&open.connection.connection_name);
    "description" => Json::Text("");
    "openOptions" => Json::Texts(&open_options(open.handle));
    "processId" => Json::Integer(open.connection.process_id.into());
    "qmgrTransactionId" => Json::Text("");
    "state" => Json::Text("active");
    "tag" => Json::Text(&open.connection.application_name);
    "threadId" => Json::Integer(0);
    "type" => Json::Text(application_type(open.connection));
    "unitOfWorkId" => Json::Text("");
    "unitOfWorkType" => Json::Text("qmgr");
    "userId" => Json::Text(&open.connection.user);
};

/// Members of `qmgr`.
pub static QUEUE_MANAGER: &[Row] = rows! { QueueManager(manager):
    "name" => Json::Text(&manager.name);
    "state" => Json::Text(manager.state);
    "extended.installationName" => Json::Text(&manager.installation_name);
    "extended.isDefaultQmgr" => Json::Truth(manager.is_default);
    "extended.permitStandby" => Json::Text("notPermitted");
    "status.publishSubscribeState" => manager.running.as_ref().map(|running| Json::Text(running.publish_subscribe));
    "status.connectionCount" => {
        manager.running.as_ref().map(|running| Json::Integer(running.view.status.connections.into()))
    };
    "status.channelInitiatorState" => manager.running.as_ref().map(|running| Json::Text(running.channel_initiator()));
    "status.ldapConnectionState" => manager.running.as_ref().map(|running| Json::Text(running.ldap_connection()));
    "status.started" => manager.running.as_ref().map(|running| Json::Moment(Some(running.view.status.started)));
};

/// Members of `installation`.
pub static INSTALLATION: &[Row] = rows! { Installation(installation):
    "name" => Json::Text(&installation.name);
    "platform" => Json::Text("unix");
    "version" => Json::Text(&installation.version());
    "extended.level" => Json::Text(&installation.level);
    "extended.operatingSystem" => Json::Text(&installation.operating_system);
    "extended.description" => Json::Text(&installation.description);
    "extended.installationPath" => Json::Text(&installation.installation_path);
    "extended.dataPath" => Json::Text(&installation.data_path);
    "extended.maximumCommandLevel" => Json::Integer(installation.command_level());
    "extended.primary" => Json::Truth(true);
};

/// Members of an element of `currentStatus` of a channel.
pub static CHANNEL_INSTANCE: &[Row] = rows! { Instance(status):
    "connectionManagement.heartbeatInterval" => Json::Integer(status.instance.heartbeat_interval_s.into());
    "connectionManagement.localAddress" => Json::Text(&status.instance.local_address);
    "extended.buffersReceived" => number(status.buffers_received);
    "extended.buffersSent" => number(status.buffers_sent);
    "extended.bytesReceived" => number(status.bytes_received);
    "extended.bytesSent" => number(status.bytes_sent);
    "extended.messageCount" => number(status.messages);
    "extended.remoteProduct" => Json::Text(&status.instance.remote_product);
    "extended.remoteVersion" => Json::Text(&status.instance.remote_version);
    "general.connection" => Json::Connections(&status.instance.connection_name);
    "general.maximumMessageLength" => Json::Integer(status.instance.maximum_message_length.into());
    "general.remoteQmgrName" => Json::Text(&status.instance.remote_queue_manager);
    "general.state" => Json::Text(status.instance.state.word());
    "general.stopRequested" => Json::Truth(status.stop_requested);
    "general.transmissionQueueName" => Json::Text(&status.instance.transmission_queue);
    "timestamps.lastMessage" => Json::Moment(status.last_message);
    "timestamps.started" => Json::Moment(status.started);
    "transportSecurity.certificateIssuerName" => Json::Text(&status.instance.certificate_issuer);
    "transportSecurity.certificatePeerName" => Json::Text(&status.instance.certificate_subject);
    "transportSecurity.cipherSpecification" => Json::Text(&status.instance.cipher);
    "transportSecurity.protocol" => Json::Text(&status.instance.security_protocol);
};

fn number(count: u64) -> Json<'static> {
    Json::Integer(i64::try_from(count).unwrap_or(i64::MAX))
}

/// Members of `subscription` that its definition does not hold by itself.
pub static SUBSCRIPTION: &[Row] = rows! { Subscription(subscription):
    "topic.definedString" => Json::Text(subscription.defined_string());
};

fn open_options(handle: &HandleStatus) -> Vec<String> {
    let options = OpenOptions::from_bits_retain(handle.open_options);
    options.iter_names().map(|(name, _)| format!("MQOO_{name}")).collect()
}

/// MQAT_QMGR and its like are the queue manager's own work.
fn application_type(connection: &ConnectionStatus) -> &'static str {
    match connection.application_type {
        7 | 26 => "queueManagerProcess",
        _ => "userApplication",
    }
}
