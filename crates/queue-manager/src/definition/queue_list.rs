//! Every queue in order of names: what lists go through, and how they notice that queues have changed.
//!
//! The order is made once and kept until a queue comes or goes, so that a list costs nothing but what it shows. A list
//! shows the queues there were when it began, and their definitions as they were then; depths and other figures are read
//! when the turn of a queue comes.
//!
//! What most lists show of a queue lies side by side: looked up queue by queue in memory that no cache holds, each of ten
//! thousand cost three times what each of a thousand did.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use model::authority::{Authority, AuthorityObject, Principal};
use model::definition::QueueDefinition;
use model::definition::attribute::Kind;
use model::definition::queue::{DefinitionType, LocalQueue};
use model::name::QueueName;
use model::timestamp::Timestamp;
use parking_lot::RwLock;
use storage::{MessageCount, StoredQueue};

use crate::QueueManager;
pub use crate::definition::visible_queues::SEEN_WITH;
use crate::definition::visible_queues::{Visible, VisibleQueues};
use crate::engine::Engine;
use crate::instrumentation::status::{QueueStatus, Traffic, status_of};
use crate::queue::Queue;

/// A queue in its place.
struct Entry {
    name: QueueName,
    kind: Kind,
    count: Option<MessageCount>,
    stored: Option<StoredQueue>,
    definition: Arc<QueueDefinition>,
    says: Says,
    queue: Arc<Queue>,
}

/// What of a definition the lists of the console ask of every queue.
#[derive(Clone, Copy)]
struct Says {
    /// Most queues have none: a search in descriptions reads no definition of theirs.
    has_description: bool,
    is_dynamic: bool,
}

/// The order, while it is known.
#[derive(Default)]
pub(crate) struct Order {
    kept: RwLock<Option<Arc<[Entry]>>>,
    changes: AtomicU64,
    /// How often the order was made.
    made: AtomicU64,
    visible: VisibleQueues,
}

impl Order {
    /// A queue has come or gone. Called after the queues were changed.
    pub(crate) fn forget(&self) {
        *self.kept.write() = None;
        self.note_change();
    }

    /// A definition has changed, and was shown by the queue before.
    pub(crate) fn changed(&self, queue: &Queue) {
        let mut kept = self.kept.write();
        // A list that is being read keeps the order as it was; the next one makes it anew.
        match kept.as_mut().and_then(Arc::get_mut) {
            Some(entries) => {
                if let Ok(place) = entries.binary_search_by_key(&queue.name, |entry| entry.name) {
                    entries[place].define(queue.definition());
                }
            }
            None => *kept = None,
        }
        drop(kept);
        self.note_change();
    }

    fn note_change(&self) {
        self.changes.fetch_add(1, Ordering::AcqRel);
    }

    /// Also which order it is.
    fn of(&self, engine: &Engine) -> (Arc<[Entry]>, u64) {
        let kept = self.kept.read();
        if let Some(queues) = &*kept {
            return (Arc::clone(queues), self.made.load(Ordering::Relaxed));
        }
        drop(kept);
        // Locked before the queues are read: who changes them afterwards waits here to forget what is kept now.
        let mut kept = self.kept.write();
        let mut queues = engine.all_queues();
        queues.sort_unstable_by_key(|queue| queue.name);
        let queues: Arc<[_]> = queues.into_iter().map(|queue| Entry::of(queue, engine)).collect();
        *kept = Some(Arc::clone(&queues));
        (queues, self.made.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

impl Entry {
    fn of(queue: Arc<Queue>, engine: &Engine) -> Self {
        let definition = queue.definition();
        let (kind, count) = (definition.attribute_kind(), queue.count().cloned());
        let stored = count.is_some().then(|| engine.store.stored_queue(queue.id)).flatten();
        let says = Says::of(&definition);
        Self { name: queue.name, kind, count, stored, definition, says, queue }
    }

    fn define(&mut self, definition: Arc<QueueDefinition>) {
        self.says = Says::of(&definition);
        self.definition = definition;
    }
}

impl Says {
    fn of(definition: &QueueDefinition) -> Self {
        let is_dynamic = |local: &LocalQueue| local.definition_type != DefinitionType::Predefined;
        Self {
            has_description: !definition.description.is_empty(),
            is_dynamic: definition.as_local().is_some_and(is_dynamic),
        }
    }
}

/// The queues of one moment, by name. Cheap to clone.
#[derive(Clone)]
pub struct QueueList {
    engine: Arc<Engine>,
    queues: Arc<[Entry]>,
    order: u64,
    /// Changes there had been when the list was made.
    changes: u64,
}

/// Which queues of a list a user may display.
pub struct VisibleInList(Visible);

/// One queue of a list.
#[derive(Clone, Copy)]
pub struct ListedQueue<'a> {
    engine: &'a Engine,
    entry: &'a Entry,
    changes: u64,
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
        self.queues.get(index).map(|entry| ListedQueue { engine: &self.engine, entry, changes: self.changes })
    }

    /// What `may_be_seen_by` says of each queue, decided for all of them at once.
    pub fn visible_to(&self, principal: &Principal) -> VisibleInList {
        let names = self.queues.iter().map(|entry| &entry.name);
        VisibleInList(self.engine.order.visible.of(principal, &self.engine.authorities, self.order, names))
    }

    /// The place of the first queue whose name is not before `name`.
    pub fn first_from(&self, name: &str) -> usize {
        self.queues.partition_point(|entry| entry.name.as_str() < name)
    }
}

impl VisibleInList {
    /// By place in the order of names.
    pub fn has(&self, index: usize) -> bool {
        self.0.as_ref().is_none_or(|visible| visible.get(index) == Some(&true))
    }
}

impl<'a> ListedQueue<'a> {
    pub fn name(&self) -> &'a QueueName {
        &self.entry.name
    }

    pub fn kind(&self) -> Kind {
        self.entry.kind
    }

    /// As it was when the list was made.
    pub fn definition(&self) -> &'a Arc<QueueDefinition> {
        &self.entry.definition
    }

    /// DESCR, as it was when the list was made.
    pub fn description(&self) -> &'a str {
        if self.entry.says.has_description { &self.entry.definition.description } else { "" }
    }

    /// Made from a model queue.
    pub fn is_dynamic(&self) -> bool {
        self.entry.says.is_dynamic
    }

    /// Deleted since the list was made.
    pub fn is_deleted(&self) -> bool {
        self.engine.order.changes.load(Ordering::Acquire) != self.changes && self.entry.queue.is_deleted()
    }

    /// CURDEPTH; 0 for a queue that is not local.
    pub fn depth(&self) -> u32 {
        self.entry.count.as_ref().map_or(0, MessageCount::get)
    }

    pub fn is_local(&self) -> bool {
        self.entry.count.is_some()
    }

    /// Another queue of the same name, later, has another number.
    pub fn number(&self) -> u32 {
        self.entry.queue.id.0
    }

    pub fn traffic(&self) -> Traffic {
        self.entry.queue.counters.traffic()
    }

    /// IPPROCS and OPPROCS.
    pub fn open_counts(&self) -> (u32, u32) {
        let in_use = *self.entry.queue.in_use.lock();
        (in_use.input, in_use.output)
    }

    /// Gets that wait.
    pub fn waiters(&self) -> u32 {
        self.entry.queue.waiters.count()
    }

    /// Since the start of the process.
    pub fn last_put(&self) -> Option<Timestamp> {
        self.entry.queue.counters.last_put()
    }

    pub fn last_get(&self) -> Option<Timestamp> {
        self.entry.queue.counters.last_get()
    }

    /// Bytes of bodies, uncommitted messages and the oldest of a queue that holds messages. Of one that is empty the store is not
    /// asked.
    pub fn bytes(&self) -> u64 {
        self.stored().map_or(0, StoredQueue::bytes)
    }

    pub fn uncommitted(&self) -> u32 {
        self.stored().map_or(0, StoredQueue::uncommitted)
    }

    pub fn oldest(&self) -> Option<Timestamp> {
        self.stored().and_then(StoredQueue::oldest)
    }

    fn stored(&self) -> Option<&'a StoredQueue> {
        self.entry.stored.as_ref().filter(|_| self.depth() > 0)
    }

    /// Of local queues.
    pub fn status(&self) -> Option<QueueStatus> {
        status_of(&self.engine.store, &self.entry.queue)
    }

    /// By DISPLAY QUEUE.
    pub fn may_be_displayed_to(&self, principal: &Principal) -> bool {
        self.granted(principal).contains(Authority::DISPLAY)
    }

    /// By DISPLAY QUEUE or by MQINQ.
    pub fn may_be_seen_by(&self, principal: &Principal) -> bool {
        self.granted(principal).intersects(SEEN_WITH)
    }

    fn granted(&self, principal: &Principal) -> Authority {
        self.engine.authorities.granted(principal, AuthorityObject::Queue, &self.entry.name)
    }
}

impl QueueManager {
    pub fn queue_list(&self) -> QueueList {
        let engine = self.engine();
        // Read before the queues are: what changes meanwhile is looked for.
        let changes = engine.order.changes.load(Ordering::Acquire);
        let (queues, order) = engine.order.of(engine);
        QueueList { queues, order, engine: Arc::clone(engine), changes }
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
