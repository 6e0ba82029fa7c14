//! What `mq_prometheus` reads by commands: statuses of queue managers, queues, channels, topics and subscriptions.

mod publish;

use std::collections::{BTreeMap, HashMap};

use command::pcf::ChannelNumbers;
use model::authority::AuthorityObject;
use model::definition::AdministeredObject;
use model::timestamp::Timestamp;
use queue_manager::channel_status::ChannelStatus;
use queue_manager::registry::State;
use queue_manager::status::QueueStatus;
use queue_manager::{QueueManager, QueueManagers};

use super::{Labels, Subject, filled};
use crate::metrics::{Family, Page, number};

pub(super) async fn families(page: &mut Page, queue_managers: &QueueManagers, subjects: &[Subject]) {
    states(page, queue_managers, subjects);
    let all: Vec<_> = subjects
        .iter()
        .map(|subject| (subject.labels.of_queue_manager.clone(), Running::of(&subject.queue_manager)))
        .collect();
    page.families(&QUEUE_MANAGER, &all);
    let all: Vec<_> = subjects.iter().flat_map(queues).collect();
    page.families(&QUEUE, &all);
    ages(page, &all);
    let all: Vec<_> = subjects.iter().flat_map(channels).collect();
    page.families(&CHANNEL, &all);
    publish::families(page, subjects).await;
}

/// `MQQMSTA_*`; 0 stands for a queue manager that does not run.
fn states(page: &mut Page, queue_managers: &QueueManagers, subjects: &[Subject]) {
    const STATUS: &str = "ibmmq_qmgr_status";
    page.family(STATUS, "gauge", "Queue Manager Status");
    for known in queue_managers.list() {
        let status = match known.state {
            State::Starting => 1,
            State::Running => 2,
            State::Quiescing => 3,
            _ => 0,
        };
        let running = subjects.iter().find(|subject| subject.queue_manager.name() == known.name);
        let labels = match running {
            Some(subject) => subject.labels.of_queue_manager.clone(),
            None => Labels::new(known.name.as_str(), "").of_queue_manager,
        };
        page.sample(STATUS, &labels, status);
    }
}

struct Running {
    connections: u32,
    uptime_s: f64,
    command_server: bool,
    listeners: usize,
    services: usize,
}

impl Running {
    fn of(queue_manager: &QueueManager) -> Self {
        let status = queue_manager.status();
        let running = |family| queue_manager.started_objects(family).len();
        Self {
            connections: status.connections,
            uptime_s: seconds(queue_manager.now(), status.started),
            command_server: status.command_server,
            listeners: running(AuthorityObject::Listener),
            services: running(AuthorityObject::Service),
        }
    }
}

/// Whole ones, as commands tell them.
fn seconds(now: Timestamp, then: Timestamp) -> f64 {
    number(now.since(then).as_secs())
}

/// `MQSVC_STATUS_RUNNING`.
const SERVICE_RUNNING: f64 = 2.0;

#[expect(clippy::cast_precision_loss, reason = "there are few of them")]
const QUEUE_MANAGER: [Family<Running>; 6] = [
    ("ibmmq_qmgr_connection_count", "gauge", "Connection Count", |q| q.connections.into()),
    ("ibmmq_qmgr_uptime", "gauge", "Up time", |q| q.uptime_s),
    ("ibmmq_qmgr_command_server_status", "gauge", "Command Server Status", |q| {
        if q.command_server { SERVICE_RUNNING } else { 0.0 }
    }),
    // Channels of clients need no channel initiator: it is there as long as the queue manager.
    ("ibmmq_qmgr_channel_initiator_status", "gauge", "Channel Initiator Status", |_| SERVICE_RUNNING),
    ("ibmmq_qmgr_active_listeners", "gauge", "Active Listener Count", |q| q.listeners as f64),
    ("ibmmq_qmgr_active_services", "gauge", "Active Service Count", |q| q.services as f64),
];

struct Queue {
    status: QueueStatus,
    maximum_depth: u32,
    is_transmission: bool,
    now: Timestamp,
}

fn queues(subject: &Subject) -> Vec<(String, Queue)> {
    let now = subject.queue_manager.now();
    let mut all: Vec<_> = subject
        .queues
        .iter()
        .filter_map(|(name, (labels, local))| {
            let status = subject.queue_manager.queue_status(name)?;
            let is_transmission = local.usage == model::definition::queue::Usage::Transmission;
            Some((labels.clone(), Queue { status, maximum_depth: local.maximum_depth, is_transmission, now }))
        })
        .collect();
    all.sort_by_key(|(_, queue)| queue.status.name);
    all
}

const QUEUE: [Family<Queue>; 8] = [
    ("ibmmq_queue_depth", "gauge", "Queue depth", |q| q.status.depth.current.into()),
    ("ibmmq_queue_input_handles", "gauge", "Input Handles", |q| q.status.open_input.into()),
    ("ibmmq_queue_output_handles", "gauge", "Output Handles", |q| q.status.open_output.into()),
    ("ibmmq_queue_uncommitted_messages", "gauge", "Uncommitted Messages (Count)", |q| {
        q.status.depth.uncommitted.into()
    }),
    ("ibmmq_queue_oldest_message_age", "gauge", "Oldest Message", |q| {
        q.status.depth.oldest.map_or(0.0, |oldest| seconds(q.now, oldest))
    }),
    ("ibmmq_queue_qfile_current_size", "gauge", "Queue File Current Size", |q| {
        number(q.status.depth.bytes.div_ceil(1 << 20))
    }),
    ("ibmmq_queue_attribute_max_depth", "gauge", "Queue Max Depth", |q| q.maximum_depth.into()),
    ("ibmmq_queue_attribute_usage", "gauge", "Queue Usage", |q| f64::from(u8::from(q.is_transmission))),
];

type Last = fn(&QueueStatus) -> Option<Timestamp>;

/// Of queues that had a put or a get since the start.
fn ages(page: &mut Page, all: &[(String, Queue)]) {
    let families: [(_, _, Last); 2] = [
        ("ibmmq_queue_time_since_put", "Time Since Put", |status| status.last_put),
        ("ibmmq_queue_time_since_get", "Time Since Get", |status| status.last_get),
    ];
    for (name, help, last) in families {
        page.family(name, "gauge", help);
        for (labels, queue) in all {
            if let Some(last) = last(&queue.status) {
                page.sample(name, labels, seconds(queue.now, last));
            }
        }
    }
}

/// The instances of a channel from one address. The labels of `mq_prometheus` do not tell them apart.
struct Instances {
    status: ChannelStatus,
    numbers: ChannelNumbers,
    /// Of the channel from all addresses.
    all: u32,
    most: u32,
    most_per_client: u32,
    now: Timestamp,
}

impl Instances {
    fn add(&mut self, other: &ChannelStatus) {
        let of = &mut self.status;
        of.messages += other.messages;
        of.bytes_sent += other.bytes_sent;
        of.bytes_received += other.bytes_received;
        of.buffers_sent += other.buffers_sent;
        of.buffers_received += other.buffers_received;
        of.last_message = of.last_message.max(other.last_message);
    }
}

fn channels(subject: &Subject) -> Vec<(String, Instances)> {
    let queue_manager = &subject.queue_manager;
    let statuses = queue_manager.channel_statuses();
    let definitions = queue_manager.objects(AuthorityObject::Channel);
    let definitions: HashMap<&str, _> = definitions
        .iter()
        .filter_map(|object| match &**object {
            AdministeredObject::Channel(channel) => Some((channel.name.as_str(), channel)),
            _ => None,
        })
        .collect();
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    for status in &statuses {
        *numbers.entry(&status.instance.channel).or_default() += 1;
    }
    let mut all: BTreeMap<String, Instances> = BTreeMap::new();
    for status in &statuses {
        let instance = &status.instance;
        let definition = definitions.get(instance.channel.as_str());
        let labels = format!(
            "{},channel=\"{}\",description=\"{}\",type=\"{}\",rqmname=\"{}\",connname=\"{}\",jobname=\"-\",sslciph=\"{}\"",
            subject.labels.common,
            instance.channel,
            filled(definition.map_or("", |channel| &channel.description)),
            instance.channel_type,
            filled(&instance.remote_queue_manager),
            filled(&instance.connection_name),
            filled(&instance.cipher),
        );
        if let Some(known) = all.get_mut(&labels) {
            known.add(status);
            continue;
        }
        let instances = Instances {
            status: status.clone(),
            numbers: ChannelNumbers::of(instance),
            all: numbers[instance.channel.as_str()],
            most: definition.map_or(0, |channel| channel.maximum_instances),
            most_per_client: definition.map_or(0, |channel| channel.maximum_instances_per_client),
            now: queue_manager.now(),
        };
        all.insert(labels, instances);
    }
    all.into_iter().collect()
}

/// Of three: stopped, in between, running.
fn simplified(status: i32) -> f64 {
    match status {
        3 => 2.0,
        0 | 6 | 8 | 9 => 0.0,
        _ => 1.0,
    }
}

const CHANNEL: [Family<Instances>; 14] = [
    ("ibmmq_channel_messages", "counter", "Messages (API Calls for SVRCONN)", |c| number(c.status.messages)),
    ("ibmmq_channel_bytes_sent", "counter", "Bytes sent", |c| number(c.status.bytes_sent)),
    ("ibmmq_channel_bytes_rcvd", "counter", "Bytes rcvd", |c| number(c.status.bytes_received)),
    ("ibmmq_channel_buffers_sent", "counter", "Buffers sent", |c| number(c.status.buffers_sent)),
    ("ibmmq_channel_buffers_rcvd", "counter", "Buffers rcvd", |c| number(c.status.buffers_received)),
    ("ibmmq_channel_status", "gauge", "Channel Status", |c| c.numbers.status.into()),
    ("ibmmq_channel_status_squash", "gauge", "Channel Status - Simplified", |c| simplified(c.numbers.status)),
    ("ibmmq_channel_substate", "gauge", "Channel Substate", |c| c.numbers.substate.into()),
    ("ibmmq_channel_type", "gauge", "Channel Type", |c| c.numbers.channel_type.into()),
    ("ibmmq_channel_time_since_msg", "gauge", "Time Since Msg", |c| {
        c.status.last_message.map_or(0.0, |last| seconds(c.now, last))
    }),
    ("ibmmq_channel_start_epoch", "gauge", "Start Time (epoch ms)", |c| {
        number(c.status.started.map_or(0, Timestamp::as_millis))
    }),
    ("ibmmq_channel_cur_inst", "gauge", "Current Instances", |c| c.all.into()),
    ("ibmmq_channel_attribute_max_inst", "gauge", "MaxInst", |c| c.most.into()),
    ("ibmmq_channel_attribute_max_instc", "gauge", "MaxInstC", |c| c.most_per_client.into()),
];
