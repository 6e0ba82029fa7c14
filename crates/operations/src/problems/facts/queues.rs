//! Local queues at one moment. Empty ones are left out, for most queues are empty and no rule is about them.

use std::time::Duration;

use model::definition::queue::{DefinitionType, LocalQueue, Usage};
use model::name::QueueName;
use model::timestamp::Timestamp;
use queue_manager::QueueManager;
use queue_manager::queue_list::ListedQueue;

/// Queues of one slice of a look.
const SLICE: usize = 512;
/// QSVCINT as it is defined when none is asked for.
const NO_SERVICE_INTERVAL: u32 = 999_999_999;

/// A local queue with messages.
#[derive(Debug, Clone)]
pub(in super::super) struct QueueFacts {
    pub(in super::super) name: QueueName,
    pub(in super::super) depth: u32,
    pub(in super::super) maximum_depth: u32,
    /// When the oldest message came.
    pub(in super::super) oldest: Option<Timestamp>,
    pub(in super::super) readers: u32,
    pub(in super::super) writers: u32,
    pub(in super::super) last_put: Option<Timestamp>,
    pub(in super::super) last_get: Option<Timestamp>,
    pub(in super::super) is_get_inhibited: bool,
    /// How often the first message has come back.
    pub(in super::super) first_backouts: u32,
    /// BOTHRESH and BOQNAME; 0 and blank where there is none.
    pub(in super::super) backout_threshold: u32,
    pub(in super::super) backout_queue: QueueName,
    /// QSVCINT, where one is defined.
    pub(in super::super) service_interval: Option<Duration>,
    pub(in super::super) role: QueueRole,
}

/// What a queue is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum QueueRole {
    OfApplications,
    DeadLetters,
    Transmission,
    Temporary,
    /// SYSTEM.*
    System,
}

/// Local queues that hold messages, by name. Gives its thread back after each slice.
pub(in super::super) async fn gather(queue_manager: &QueueManager, dead_letter_queue: &QueueName) -> Vec<QueueFacts> {
    let list = queue_manager.queue_list();
    let mut queues = Vec::new();
    for slice in 0..list.len().div_ceil(SLICE) {
        let places = slice * SLICE..list.len().min((slice + 1) * SLICE);
        let listed = places.filter_map(|place| list.get(place)).filter(|queue| queue.depth() > 0);
        queues.extend(listed.filter_map(|queue| QueueFacts::of(&queue, dead_letter_queue)));
        tokio::task::yield_now().await;
    }
    queues
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
            first_backouts: status.depth.first_backouts,
            backout_threshold: local.backout_threshold,
            backout_queue: local.backout_requeue_queue,
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
