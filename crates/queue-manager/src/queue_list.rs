//! Every queue in order of names: what lists go through, and how they notice that queues have changed.
//!
//! The order is made once and kept until a queue comes or goes, so that a list costs nothing but what it shows. A list
//! shows the queues there were when it began; each is read when its turn comes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use model::authority::{Authority, AuthorityObject, Principal};
use model::definition::QueueDefinition;
use model::name::QueueName;
use model::timestamp::Timestamp;
use parking_lot::RwLock;

use crate::QueueManager;
use crate::engine::Engine;
use crate::queue::Queue;
use crate::status::{QueueStatus, status_of};

/// The order, while it is known.
#[derive(Default)]
pub(crate) struct Order {
    kept: RwLock<Option<Arc<[Arc<Queue>]>>>,
    changes: AtomicU64,
}

impl Order {
    /// A queue has come or gone. Called after the queues were changed.
    pub(crate) fn forget(&self) {
        *self.kept.write() = None;
        self.note_change();
    }

    /// A definition has changed.
    pub(crate) fn note_change(&self) {
        self.changes.fetch_add(1, Ordering::AcqRel);
    }

    fn of(&self, engine: &Engine) -> Arc<[Arc<Queue>]> {
        if let Some(kept) = &*self.kept.read() {
            return Arc::clone(kept);
        }
        // Locked before the queues are read: who changes them afterwards waits here to forget what is kept now.
        let mut kept = self.kept.write();
        let mut queues = engine.all_queues();
        queues.sort_unstable_by_key(|queue| queue.name);
        let queues: Arc<[_]> = queues.into();
        *kept = Some(Arc::clone(&queues));
        queues
    }
}

/// The queues of one moment, by name. Cheap to clone.
#[derive(Clone)]
pub struct QueueList {
    engine: Arc<Engine>,
    queues: Arc<[Arc<Queue>]>,
}

/// One queue of a list.
#[derive(Clone, Copy)]
pub struct ListedQueue<'a> {
    engine: &'a Engine,
    queue: &'a Arc<Queue>,
}

impl QueueList {
    pub fn len(&self) -> usize {
        self.queues.len()
    }

    pub fn is_empty(&self) -> bool {
        self.queues.is_empty()
    }

    /// By place in the order of names.
    pub fn get(&self, index: usize) -> Option<ListedQueue<'_>> {
        self.queues.get(index).map(|queue| ListedQueue { engine: &self.engine, queue })
    }

    /// The place of the first queue whose name is not before `name`.
    pub fn first_from(&self, name: &str) -> usize {
        self.queues.partition_point(|queue| queue.name.as_str() < name)
    }
}

impl ListedQueue<'_> {
    pub fn name(&self) -> &QueueName {
        &self.queue.name
    }

    /// As it is now.
    pub fn definition(&self) -> Arc<QueueDefinition> {
        self.queue.definition()
    }

    /// Deleted since the list was made.
    pub fn is_deleted(&self) -> bool {
        self.queue.is_deleted()
    }

    /// CURDEPTH; 0 for a queue that is not local.
    pub fn depth(&self) -> u32 {
        self.engine.store.current_depth(self.queue.id)
    }

    /// IPPROCS and OPPROCS.
    pub fn open_counts(&self) -> (u32, u32) {
        let in_use = *self.queue.in_use.lock();
        (in_use.input, in_use.output)
    }

    /// Of local queues.
    pub fn status(&self) -> Option<QueueStatus> {
        status_of(self.engine, self.queue)
    }

    pub fn may_be_displayed_to(&self, principal: &Principal) -> bool {
        let granted = self.engine.authorities.granted(principal, AuthorityObject::Queue, &self.queue.name);
        granted.contains(Authority::DISPLAY)
    }
}

impl QueueManager {
    pub fn queue_list(&self) -> QueueList {
        let engine = self.engine();
        QueueList { queues: engine.order.of(engine), engine: Arc::clone(engine) }
    }

    /// Start of the queue manager, and changes of queues' definitions since: whether a list is still good.
    pub fn queue_changes(&self) -> (Timestamp, u64) {
        let engine = self.engine();
        (engine.started, engine.order.changes.load(Ordering::Acquire))
    }

    /// Administrators see and change everything.
    pub fn is_administrator(&self, principal: &Principal) -> bool {
        self.engine().authorities.is_administrator(principal)
    }
}
