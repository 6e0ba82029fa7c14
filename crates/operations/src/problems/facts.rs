//! What rules look at: a queue manager at one moment.
//!
//! Never: judges. Empty queues are left out here, for most queues are empty and no rule is about them.

use std::time::Duration;

use model::definition::queue::{DefinitionType, LocalQueue, Usage};
use model::name::{QueueManagerName, QueueName};
use model::timestamp::Timestamp;
use queue_manager::QueueManager;
use queue_manager::queue_list::ListedQueue;

/// Queues of one slice of a look.
const SLICE: usize = 512;
/// QSVCINT as it is defined when none is asked for.
const NO_SERVICE_INTERVAL: u32 = 999_999_999;

pub(super) struct Facts {
    pub(super) queue_manager: QueueManagerName,
    pub(super) now: Timestamp,
    /// Local queues that hold messages.
    pub(super) queues: Vec<QueueFacts>,
}

/// A local queue with messages.
#[derive(Debug, Clone)]
pub(super) struct QueueFacts {
    pub(super) name: QueueName,
    pub(super) depth: u32,
    pub(super) maximum_depth: u32,
    /// When the oldest message came.
    pub(super) oldest: Option<Timestamp>,
    pub(super) readers: u32,
    pub(super) writers: u32,
    pub(super) last_put: Option<Timestamp>,
    pub(super) last_get: Option<Timestamp>,
    pub(super) is_get_inhibited: bool,
    /// QSVCINT, where one is defined.
    pub(super) service_interval: Option<Duration>,
    pub(super) role: QueueRole,
}

/// What a queue is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QueueRole {
    OfApplications,
    DeadLetters,
    Transmission,
    Temporary,
    /// SYSTEM.*
    System,
}

impl Facts {
    pub(super) async fn gather(queue_manager: &QueueManager) -> Self {
        let now = queue_manager.now();
        let definition = queue_manager.definition();
        let list = queue_manager.queue_list();
        let mut queues = Vec::new();
        for slice in 0..list.len().div_ceil(SLICE) {
            let places = slice * SLICE..list.len().min((slice + 1) * SLICE);
            let listed = places.filter_map(|place| list.get(place)).filter(|queue| queue.depth() > 0);
            queues.extend(listed.filter_map(|queue| QueueFacts::of(&queue, &definition.dead_letter_queue)));
            tokio::task::yield_now().await;
        }
        Self { queue_manager: queue_manager.name(), now, queues }
    }
}

impl QueueFacts {
    fn of(queue: &ListedQueue<'_>, dead_letter_queue: &QueueName) -> Option<Self> {
        let local = queue.definition().as_local()?;
        let status = queue.status()?;
        Some(Self {
            name: *queue.name(),
            depth: status.depth.current,
            maximum_depth: local.maximum_depth,
            oldest: status.depth.oldest,
            readers: status.open_input,
            writers: status.open_output,
            last_put: status.last_put,
            last_get: status.last_get,
            is_get_inhibited: local.get_inhibited,
            service_interval: (local.service_interval_ms < NO_SERVICE_INTERVAL)
                .then(|| Duration::from_millis(local.service_interval_ms.into())),
            role: QueueRole::of(queue.name(), local, dead_letter_queue),
        })
    }
}

impl QueueRole {
    fn of(name: &QueueName, local: &LocalQueue, dead_letter_queue: &QueueName) -> Self {
        if name == dead_letter_queue {
            return Self::DeadLetters;
        }
        match (local.definition_type, local.usage) {
            (DefinitionType::TemporaryDynamic, _) => Self::Temporary,
            _ if name.as_str().starts_with("SYSTEM.") => Self::System,
            (_, Usage::Transmission) => Self::Transmission,
            (_, Usage::Normal) => Self::OfApplications,
        }
    }
}
