//! Queues while the queue manager runs: where messages go, who waits for them, and what becomes of them.
//!
//! Owns: `Queue` (a definition, who has it open, what was counted), name resolution (`resolve.rs`), the last step of every
//! put (`delivery.rs`), waits (`waiters.rs`), what a handle remembers of its place (`cursor.rs`), groups and segments
//! (`group.rs`, `segmentation.rs`), delayed delivery (`delayed.rs`), dynamic queues, triggers, expiry, reports, transmission and dead-letter queues, and what people are told who
//! ask why a queue gives nothing (`insight.rs`).
//!
//! Never: checks a program's options (`verb`) or a command's parameters (`definition`). The messages themselves are in the
//! store.
//!
//! Invariants
//! - The kind of a queue never changes while the object lives. `resolve.rs` lets messages meet local queues only.
//! - Once `is_deleted`, the queue is no longer found by name, and its name may belong to another queue.
//! - Every message enters a queue through `delivery.rs`, so that limits, counts, waits and triggers see all of them.
//! - A waiter that is woken and does not take the message passes the wake-up on.
//! - A message that the queue manager holds and cannot deliver takes the steps of `dead_letter.rs`, in that order.

pub(crate) mod cursor;
pub(crate) mod dead_letter;
pub(crate) mod delayed;
pub(crate) mod delivery;
pub(crate) mod dynamic;
mod emptying;
pub(crate) mod expiry;
pub(crate) mod group;
pub mod insight;
pub(crate) mod quarantine;
pub(crate) mod report;
pub(crate) mod resolve;
pub(crate) mod segmentation;
pub(crate) mod transmission;
pub(crate) mod trigger;
pub(crate) mod waiters;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use model::definition::queue::{DefinitionType, LocalQueue};
use model::definition::{QueueDefinition, QueueKind};
use model::name::QueueName;
use model::options::OpenOptions;
use model::reason::Reason;
use model::timestamp::Timestamp;
use parking_lot::{Mutex, RwLock};
use storage::{MessageCount, Position, QueueId, Store};

use crate::instrumentation::event::performance::Performance;
use crate::instrumentation::monitoring::watch::Watch;
use crate::instrumentation::statistics::QueueFigures;
use crate::instrumentation::status::Traffic;
use crate::queue::waiters::Waiters;

pub(crate) struct Queue {
    pub(crate) name: QueueName,
    /// In the store; 0 for queues that hold no messages.
    pub(crate) id: QueueId,
    /// As the store keeps it; `None` for queues that hold no messages.
    count: Option<MessageCount>,
    /// Who made a dynamic queue: that user needs no authority record for it.
    pub(crate) creator: Option<Arc<str>>,
    definition: RwLock<Arc<QueueDefinition>>,
    pub(crate) in_use: Mutex<InUse>,
    is_deleted: AtomicBool,
    /// A deletion is being tried: nobody may open the queue or put to it meanwhile.
    is_closing: AtomicBool,
    /// Puts on their way into the store, those without a handle included.
    puts_in_flight: AtomicU32,
    /// Raised by a forced change; handles opened before it are no longer valid (2041).
    pub(crate) forced_changes: AtomicU32,
    pub(crate) waiters: Waiters,
    pub(crate) counters: Counters,
    /// Messages marked by cooperating browsers, and until when; `None` is for ever.
    pub(crate) marks: Mutex<HashMap<Position, Option<Timestamp>>>,
    /// No message expires before this; `u64::MAX` when none expires at all.
    next_expiry: AtomicU64,
    /// No body on the queue is longer than this, in bytes.
    longest: AtomicUsize,
    /// When the queue last caused a trigger message of type FIRST.
    pub(crate) last_trigger: Mutex<Option<Timestamp>>,
    pub(crate) performance: Mutex<Performance>,
    /// For STATQ; absent until something is counted.
    pub(crate) figures: OnceLock<Box<QueueFigures>>,
    /// For monitoring; absent until that watches the queue.
    pub(crate) watch: OnceLock<Box<Watch>>,
    /// The log says that no program reads this transmission queue.
    pub(crate) is_known_unread: AtomicBool,
}

/// Open handles, by what they were opened for.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct InUse {
    /// Handles of any kind.
    pub(crate) handles: u32,
    /// IPPROCS.
    pub(crate) input: u32,
    /// One of `input` is exclusive.
    pub(crate) exclusive: bool,
    /// OPPROCS.
    pub(crate) output: u32,
}

/// Since the start of the process.
#[derive(Default)]
pub(crate) struct Counters {
    pub(crate) puts: AtomicU64,
    pub(crate) gets: AtomicU64,
    pub(crate) browses: AtomicU64,
    /// Microseconds since 1970; 0 for never.
    pub(crate) last_put: AtomicU64,
    pub(crate) last_get: AtomicU64,
    /// HIQDEPTH since the last reset.
    highest_depth: AtomicU32,
    reset: Mutex<Reset>,
}

/// Where counting for RESET QSTATS begins.
#[derive(Debug, Clone, Copy, Default)]
struct Reset {
    /// `None`: with the process.
    at: Option<Timestamp>,
    puts: u64,
    gets: u64,
}

/// What RESET QSTATS shows: since the last reset, or the start of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueStatistics {
    pub highest_depth: u32,
    pub messages_in: u64,
    pub messages_out: u64,
    /// Seconds.
    pub interval_s: u64,
}

impl Counters {
    pub(crate) fn count_put(&self, now: Timestamp) {
        self.puts.fetch_add(1, Ordering::Relaxed);
        self.last_put.store(now.0, Ordering::Relaxed);
    }

    pub(crate) fn count_get(&self, now: Timestamp) {
        self.gets.fetch_add(1, Ordering::Relaxed);
        self.last_get.store(now.0, Ordering::Relaxed);
    }

    pub(crate) fn traffic(&self) -> Traffic {
        Traffic { puts: self.puts.load(Ordering::Relaxed), gets: self.gets.load(Ordering::Relaxed) }
    }

    pub(crate) fn last_put(&self) -> Option<Timestamp> {
        moment(&self.last_put)
    }

    pub(crate) fn last_get(&self) -> Option<Timestamp> {
        moment(&self.last_get)
    }

    /// The queue holds that many messages now.
    pub(crate) fn note_depth(&self, depth: u32) {
        if depth > self.highest_depth.load(Ordering::Relaxed) {
            self.highest_depth.fetch_max(depth, Ordering::Relaxed);
        }
    }

    /// What was counted since the last reset, from which counting begins anew.
    pub(crate) fn reset(&self, started: Timestamp, now: Timestamp, depth: u32) -> QueueStatistics {
        let mut reset = self.reset.lock();
        let (puts, gets) = (self.puts.load(Ordering::Relaxed), self.gets.load(Ordering::Relaxed));
        let statistics = QueueStatistics {
            highest_depth: self.highest_depth.swap(depth, Ordering::Relaxed).max(depth),
            messages_in: puts - reset.puts,
            messages_out: gets - reset.gets,
            interval_s: now.since(reset.at.unwrap_or(started)).as_secs(),
        };
        *reset = Reset { at: Some(now), puts, gets };
        statistics
    }

    pub(crate) fn count_browse(&self) {
        self.browses.fetch_add(1, Ordering::Relaxed);
    }
}

fn moment(counter: &AtomicU64) -> Option<Timestamp> {
    Some(counter.load(Ordering::Relaxed)).filter(|&at| at > 0).map(Timestamp)
}

impl Queue {
    /// A local queue's messages are in `store` by now.
    pub(crate) fn new(definition: QueueDefinition, creator: Option<Arc<str>>, store: &Store) -> Self {
        let id = QueueId(definition.as_local().map_or(0, |local| local.store_id));
        Self {
            name: definition.name,
            id,
            count: store.message_count(id),
            creator,
            definition: RwLock::new(Arc::new(definition)),
            in_use: Mutex::default(),
            is_deleted: AtomicBool::new(false),
            is_closing: AtomicBool::new(false),
            puts_in_flight: AtomicU32::new(0),
            forced_changes: AtomicU32::new(0),
            waiters: Waiters::default(),
            counters: Counters::default(),
            marks: Mutex::default(),
            next_expiry: AtomicU64::new(u64::MAX),
            // Other members put to a shared queue what is not known here.
            longest: AtomicUsize::new(if id.is_shared() { usize::MAX } else { 0 }),
            last_trigger: Mutex::new(None),
            performance: Mutex::default(),
            figures: OnceLock::new(),
            watch: OnceLock::new(),
            is_known_unread: AtomicBool::new(false),
        }
    }

    /// A queue whose messages were there before this process: nothing is known of them.
    pub(crate) fn recovered(definition: QueueDefinition, store: &Store) -> Self {
        let queue = Self::new(definition, None, store);
        *queue.performance.lock() = Performance::recovered();
        queue.longest.store(usize::MAX, Ordering::Relaxed);
        queue.set_next_expiry(store.next_expiry(queue.id));
        queue
    }

    pub(crate) fn definition(&self) -> Arc<QueueDefinition> {
        self.definition.read().clone()
    }

    /// Reads the definition in place. `read` must be quick and take no lock.
    pub(crate) fn with<R>(&self, read: impl FnOnce(&QueueDefinition) -> R) -> R {
        read(&self.definition.read())
    }

    /// As `with`, for a queue that is known to be local.
    ///
    /// # Panics
    /// When the queue is of another kind.
    pub(crate) fn with_local<R>(&self, read: impl FnOnce(&QueueDefinition, &LocalQueue) -> R) -> R {
        let definition = self.definition.read();
        read(&definition, definition.as_local().expect("resolve.rs leads messages to local queues only"))
    }

    pub(crate) fn set_definition(&self, definition: QueueDefinition) {
        *self.definition.write() = Arc::new(definition);
    }

    /// CURDEPTH; 0 for a queue that is not local.
    pub(crate) fn depth(&self) -> u32 {
        self.count.as_ref().map_or(0, MessageCount::get)
    }

    pub(crate) fn count(&self) -> Option<&MessageCount> {
        self.count.as_ref()
    }

    pub(crate) fn is_local(&self) -> bool {
        self.with(|definition| definition.as_local().is_some())
    }

    pub(crate) fn definition_type(&self) -> DefinitionType {
        self.with(|definition| definition.as_local().map_or(DefinitionType::Predefined, |local| local.definition_type))
    }

    pub(crate) fn is_temporary(&self) -> bool {
        self.definition_type() == DefinitionType::TemporaryDynamic
    }

    pub(crate) fn is_deleted(&self) -> bool {
        self.is_deleted.load(Ordering::Acquire)
    }

    /// Handles find out at their next verb, waiters at once.
    fn mark_deleted(&self) {
        self.is_deleted.store(true, Ordering::Release);
        self.waiters.wake_all();
    }

    /// 2016 while gets are inhibited, for an alias by itself.
    pub(crate) fn check_get_enabled(&self) -> Result<(), Reason> {
        let inhibited = self.with(|definition| match &definition.kind {
            QueueKind::Local(local) => local.get_inhibited || local.is_in_transit(),
            QueueKind::Alias(alias) => alias.get_inhibited,
            QueueKind::Remote(_) | QueueKind::Model(_) => false,
        });
        if inhibited { Err(Reason::GetInhibited) } else { Ok(()) }
    }

    /// A put is on its way; while it is, the queue cannot be deleted.
    ///
    /// # Errors
    /// `QDeleted` (2052).
    pub(crate) fn begin_put(&self) -> Result<PutInFlight<'_>, Reason> {
        self.puts_in_flight.fetch_add(1, Ordering::SeqCst);
        let flight = PutInFlight(self);
        if self.is_closing.load(Ordering::SeqCst) { Err(Reason::QDeleted) } else { Ok(flight) }
    }

    /// Keeps everybody out for a deletion.
    ///
    /// # Errors
    /// `ObjectInUse` (2042): more than `own` handles are open, or a put is on its way.
    pub(crate) fn begin_deletion(&self, own: Option<u32>) -> Result<Deletion<'_>, Reason> {
        self.is_closing.store(true, Ordering::SeqCst);
        let deletion = Deletion { queue: self, is_done: false };
        let is_open = own.is_some_and(|own| self.in_use.lock().handles > own);
        if is_open || self.puts_in_flight.load(Ordering::SeqCst) > 0 { Err(Reason::ObjectInUse) } else { Ok(deletion) }
    }

    /// For a temporary dynamic queue: deleted, even if it is in use.
    pub(crate) fn delete_regardless(&self) {
        self.is_closing.store(true, Ordering::SeqCst);
        self.mark_deleted();
    }

    /// The queue is in another database now, and this one stands for nothing: handles find out at their next verb, waiters at once.
    pub(crate) fn move_away(&self) {
        self.forced_changes.fetch_add(1, Ordering::AcqRel);
        self.waiters.wake_all();
    }

    /// Counts a new handle.
    ///
    /// # Errors
    /// `ObjectInUse` (2042): exclusive input, and another handle has it open for input; or a handle has it exclusively; or it is
    /// being deleted.
    pub(crate) fn open_for(&self, options: OpenOptions, shareable: bool) -> Result<(), Reason> {
        let mut in_use = self.in_use.lock();
        if self.is_closing.load(Ordering::SeqCst) {
            return Err(Reason::ObjectInUse);
        }
        let exclusive = options.contains(OpenOptions::INPUT_EXCLUSIVE);
        if exclusive || options.contains(OpenOptions::INPUT_SHARED) {
            if in_use.exclusive || in_use.input > 0 && (exclusive || !shareable) {
                return Err(Reason::ObjectInUse);
            }
            in_use.input += 1;
            in_use.exclusive = exclusive;
        }
        in_use.output += u32::from(options.contains(OpenOptions::OUTPUT));
        in_use.handles += 1;
        Ok(())
    }

    /// Undoes `open_for`. True when this was the last handle open for input.
    pub(crate) fn close_for(&self, options: OpenOptions) -> bool {
        let mut in_use = self.in_use.lock();
        in_use.handles -= 1;
        in_use.output -= u32::from(options.contains(OpenOptions::OUTPUT));
        if !options.intersects(OpenOptions::INPUT_EXCLUSIVE | OpenOptions::INPUT_SHARED) {
            return false;
        }
        in_use.input -= 1;
        in_use.exclusive = false;
        in_use.input == 0
    }

    pub(crate) fn note_body(&self, length: usize) {
        if length > self.longest.load(Ordering::Relaxed) {
            self.longest.fetch_max(length, Ordering::Relaxed);
        }
    }

    pub(crate) fn longest_body(&self) -> usize {
        self.longest.load(Ordering::Relaxed)
    }

    pub(crate) fn note_expiry(&self, expires: Option<Timestamp>) {
        // Most messages expire after one that is known already.
        if let Some(expires) = expires
            && expires.0 < self.next_expiry.load(Ordering::SeqCst)
        {
            self.next_expiry.fetch_min(expires.0, Ordering::SeqCst);
        }
    }

    pub(crate) fn set_next_expiry(&self, next: Option<Timestamp>) {
        self.next_expiry.store(next.map_or(u64::MAX, |at| at.0), Ordering::SeqCst);
    }

    pub(crate) fn next_expiry(&self) -> Option<Timestamp> {
        let next = self.next_expiry.load(Ordering::SeqCst);
        (next != u64::MAX).then_some(Timestamp(next))
    }

    pub(crate) fn has_expired_messages(&self, now: Timestamp) -> bool {
        self.next_expiry.load(Ordering::Relaxed) <= now.0
    }
}

pub(crate) struct PutInFlight<'a>(&'a Queue);

impl Drop for PutInFlight<'_> {
    fn drop(&mut self) {
        self.0.puts_in_flight.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A deletion being tried. Dropped before `done`, the queue stays.
pub(crate) struct Deletion<'a> {
    queue: &'a Queue,
    is_done: bool,
}

impl Deletion<'_> {
    pub(crate) fn done(mut self) {
        self.is_done = true;
        self.queue.mark_deleted();
    }
}

impl Drop for Deletion<'_> {
    fn drop(&mut self) {
        if !self.is_done {
            self.queue.is_closing.store(false, Ordering::SeqCst);
        }
    }
}
