//! What rules look at: a queue manager at one moment.
//!
//! Owns: how it is looked at: queues (`facts/queues.rs`), what dead letters say (`facts/dead_letters.rs`), everything else here.
//!
//! Never: judges.

mod counters;
mod dead_letters;
mod queues;

use std::sync::Arc;
use std::time::Duration;

use model::authority::AuthorityObject;
use model::definition::{AdministeredObject, QueueManagerDefinition};
use model::name::{QueueManagerName, QueueName};
use model::options::OpenOptions;
use model::timestamp::Timestamp;
use queue_manager::channel_status::{ChannelStatus, StoppedChannel};
use queue_manager::recent::{Noted, Refusal, RefusedClient};
use queue_manager::status::{ConnectionStatus, DiskSpace, QueueManagerStatus};
use queue_manager::{GroupLook, QuarantinedMessage, QueueManager};

pub(super) use self::counters::{Counters, Lately};
pub(super) use self::dead_letters::DeadLetters;
pub(super) use self::queues::{QueueFacts, QueueRole};

pub(super) struct Facts {
    pub(super) queue_manager: QueueManager,
    pub(super) name: QueueManagerName,
    pub(super) now: Timestamp,
    pub(super) definition: Arc<QueueManagerDefinition>,
    pub(super) status: QueueManagerStatus,
    /// Local queues that hold messages.
    pub(super) queues: Vec<QueueFacts>,
    pub(super) dead_letters: Arc<DeadLetters>,
    pub(super) connections: Vec<ConnectionStatus>,
    /// Definitions, and instances that run.
    pub(super) channels: Vec<Arc<AdministeredObject>>,
    pub(super) instances: Vec<ChannelStatus>,
    pub(super) stopped_channels: Vec<StoppedChannel>,
    /// Listeners that are to run and do not.
    pub(super) silent_listeners: Vec<Arc<AdministeredObject>>,
    /// The newest first.
    pub(super) refusals: Vec<Noted<Refusal>>,
    pub(super) refused_clients: Vec<Noted<RefusedClient>>,
    /// Messages that cannot be delivered, as they were when that was last asked.
    pub(super) quarantine: Arc<Vec<QuarantinedMessage>>,
    pub(super) disk: Option<DiskSpace>,
    pub(super) lately: Lately,
    /// `None`: the queue manager is in none.
    pub(super) group: Option<Arc<GroupLook>>,
    /// For the next look.
    pub(super) before: Before,
}

/// What a look keeps for the next one.
#[derive(Clone, Default)]
pub(super) struct Before {
    dead_letters: Option<Arc<DeadLetters>>,
    counters: Option<Arc<Counters>>,
    quarantine: Option<(Timestamp, Arc<Vec<QuarantinedMessage>>)>,
    lately: Lately,
}

/// How long what is known of the quarantine is good.
const QUARANTINE_AGE: Duration = Duration::from_secs(60);

const INPUT: OpenOptions =
    OpenOptions::INPUT_AS_Q_DEF.union(OpenOptions::INPUT_SHARED).union(OpenOptions::INPUT_EXCLUSIVE);

impl Facts {
    pub(super) async fn gather(queue_manager: &QueueManager, before: Before) -> Self {
        let now = queue_manager.now();
        let definition = queue_manager.definition();
        let queues = queues::gather(queue_manager, &definition.dead_letter_queue).await;
        let dead_letters = queues.iter().find(|queue| queue.role == QueueRole::DeadLetters);
        let dead_letters = DeadLetters::gather(queue_manager, dead_letters, before.dead_letters).await;
        let counters = Arc::new(Counters::read(queue_manager, now));
        let (counters, lately) = match (counters.since(before.counters.as_deref()), before.counters) {
            (Some(lately), _) => (counters, lately),
            // It is too soon: what the look before said is still so.
            (None, known) => (known.unwrap_or(counters), before.lately),
        };
        // All queues are asked for it, so it is not asked at each look.
        let quarantine = before.quarantine.filter(|(at, _)| now.since(*at) < QUARANTINE_AGE);
        let quarantine = quarantine.unwrap_or_else(|| (now, Arc::new(queue_manager.quarantine())));
        Self {
            name: queue_manager.name(),
            now,
            status: queue_manager.status(),
            queues,
            before: Before {
                dead_letters: Some(Arc::clone(&dead_letters)),
                counters: Some(counters),
                quarantine: Some(quarantine.clone()),
                lately: lately.clone(),
            },
            dead_letters,
            disk: queue_manager.disk_space(),
            lately,
            group: queue_manager.group_look().await,
            connections: queue_manager.connections(),
            channels: queue_manager.objects(AuthorityObject::Channel),
            instances: queue_manager.channel_statuses(),
            stopped_channels: queue_manager.stopped_channels(),
            silent_listeners: silent_listeners(queue_manager),
            refusals: queue_manager.refusals(),
            refused_clients: queue_manager.refused_clients(),
            quarantine: quarantine.1,
            definition,
            queue_manager: queue_manager.clone(),
        }
    }

    /// Names of the programs that have a queue open for getting, each once.
    pub(super) fn readers(&self, queue: &QueueName) -> Vec<&str> {
        let reads = |one: &&ConnectionStatus| {
            one.handles.iter().any(|handle| {
                handle.object_name == queue.as_str()
                    && OpenOptions::from_bits_truncate(handle.open_options).intersects(INPUT)
            })
        };
        let mut names: Vec<&str> =
            self.connections.iter().filter(reads).map(|one| one.application_name.trim()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

fn silent_listeners(queue_manager: &QueueManager) -> Vec<Arc<AdministeredObject>> {
    let running = queue_manager.started_objects(AuthorityObject::Listener);
    let is_silent = |object: &Arc<AdministeredObject>| match &**object {
        AdministeredObject::Listener(listener) => {
            queue_manager.is_to_listen(listener)
                && running.iter().all(|running| running.started.name != listener.name.as_str())
        }
        _ => false,
    };
    queue_manager.objects(AuthorityObject::Listener).into_iter().filter(is_silent).collect()
}
