//! What this member has open of a shared queue, and what the group's database says of it.
//!
//! The table has one level for each queue and member. Only changes of the level are written: by the lazy lane, in the order in which
//! they were decided here. A level is raised before its handle is given to a program. It is lowered when the last handle of the level
//! is closed; that a queue is open, without input, is lowered a second later, so that a program that puts now and then writes nothing.
//!
//! Invariants
//! - `told` is at most what the database says, as long as the member's epoch lasts.
//! - Raising and lowering are sent under the lock of the counts, so the lane does them in the order of the counts.
//! - A put counts as open until its unit of work has ended: no peer can delete the queue meanwhile.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::{Mutex, RwLock};

use crate::shared::depth::Figures;
use crate::shared::driver::Driver;
use crate::shared::inbox::Told;
use crate::shared::lane::LAZY;
use crate::shared::operation::Operation;
use crate::{QueueId, StoreError};

/// What a member has a queue open for. Each level has those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum OpenLevel {
    #[default]
    Closed,
    /// For output, browsing or inquiry; or puts are under way.
    Open,
    Input,
    /// For input, and no other handle in the group may be.
    Exclusive,
}

impl OpenLevel {
    /// As the table has it.
    pub(super) fn number(self) -> i16 {
        match self {
            Self::Closed => 0,
            Self::Open => 1,
            Self::Input => 2,
            Self::Exclusive => 3,
        }
    }

    pub(super) fn of_number(number: i16) -> Self {
        match number {
            ..=0 => Self::Closed,
            1 => Self::Open,
            2 => Self::Input,
            3.. => Self::Exclusive,
        }
    }
}

/// Sweeps that find a queue without handles before the database is told.
const IDLE_SWEEPS: u8 = 4;

/// Handles of one queue at this member.
#[derive(Default)]
pub(super) struct Handles(Mutex<Counts>);

#[derive(Default)]
struct Counts {
    /// Of any level.
    open: u32,
    input: u32,
    exclusive: u32,
    told: OpenLevel,
    /// Handles for input that were opened in an earlier one are lost.
    generation: u32,
    idle_sweeps: u8,
    /// The queue moves: no handle does any work.
    is_suspended: bool,
}

impl Counts {
    fn wanted(&self, staged: i64) -> OpenLevel {
        if self.is_suspended {
            if staged > 0 { OpenLevel::Open } else { OpenLevel::Closed }
        } else if self.exclusive > 0 {
            OpenLevel::Exclusive
        } else if self.input > 0 {
            OpenLevel::Input
        } else if self.open > 0 || staged > 0 {
            OpenLevel::Open
        } else {
            OpenLevel::Closed
        }
    }

    /// True when there were handles for input.
    fn lose_input(&mut self) -> bool {
        let had_input = self.input > 0;
        self.generation += u32::from(had_input);
        (self.input, self.exclusive) = (0, 0);
        self.told = self.told.min(OpenLevel::Open);
        had_input
    }
}

/// A queue that this member has open. Dropped, it is closed without waiting for the database.
pub struct QueueHandle {
    driver: Arc<Driver>,
    figures: Arc<Figures>,
    level: OpenLevel,
    generation: u32,
    is_closed: bool,
}

impl QueueHandle {
    /// Counts a handle, which the database may not know of yet.
    ///
    /// # Errors
    /// `InUse`: another handle of this member is in the way.
    pub(super) fn count(driver: &Arc<Driver>, figures: &Arc<Figures>, level: OpenLevel) -> Result<Self, StoreError> {
        let mut counts = figures.handles.0.lock();
        let is_input = level >= OpenLevel::Input;
        let is_exclusive = level == OpenLevel::Exclusive;
        if is_input && counts.exclusive > 0 || is_exclusive && counts.input > 0 {
            return Err(StoreError::InUse);
        }
        counts.open += 1;
        counts.input += u32::from(is_input);
        counts.exclusive += u32::from(is_exclusive);
        let generation = counts.generation;
        drop(counts);
        let (driver, figures) = (Arc::clone(driver), Arc::clone(figures));
        Ok(Self { driver, figures, level, generation, is_closed: false })
    }

    /// It was open for input, and what it had in the group has ended: a peer has recovered this member, or took its place when the
    /// database lost a moment.
    pub fn is_lost(&self) -> bool {
        self.level >= OpenLevel::Input && self.figures.handles.0.lock().generation != self.generation
    }

    /// Other members may take its place when this returns, if the database can be reached.
    pub async fn close(mut self) {
        let Some(told) = self.uncount() else { return };
        // While the database is away nobody waits for it; it learns what is open when it is back.
        if let Some(generation) = self.driver.open_generation() {
            let over = std::pin::pin!(self.driver.until_over(generation));
            futures_util::future::select(told, over).await;
        }
    }

    /// Something to wait for: the last handle for input is closed.
    fn uncount(&mut self) -> Option<Told> {
        if std::mem::replace(&mut self.is_closed, true) {
            return None;
        }
        let mut counts = self.figures.handles.0.lock();
        counts.open -= 1;
        if self.level >= OpenLevel::Input && counts.generation == self.generation {
            counts.input -= 1;
            counts.exclusive -= u32::from(self.level == OpenLevel::Exclusive);
        }
        let wanted = counts.wanted(self.figures.staged_now());
        if counts.told < OpenLevel::Input || counts.told <= wanted {
            return None;
        }
        Some(lower(&self.driver, &self.figures, &mut counts, wanted))
    }
}

impl Drop for QueueHandle {
    fn drop(&mut self) {
        drop(self.uncount());
    }
}

fn lower(driver: &Driver, figures: &Figures, counts: &mut Counts, to: OpenLevel) -> Told {
    counts.told = to;
    driver.inboxes[LAZY].submit(Operation::Lower { queue: figures.queue, level: to })
}

impl Handles {
    /// Asks the database for a level. `None`: it has it.
    pub(super) fn raise(&self, driver: &Driver, figures: &Figures, level: OpenLevel) -> Option<Told> {
        let mut counts = self.0.lock();
        counts.idle_sweeps = 0;
        // Nothing is done with it until the queue has moved, or stays.
        let is_there = counts.told >= level || counts.is_suspended;
        (!is_there).then(|| driver.inboxes[LAZY].submit(Operation::Raise { queue: figures.queue, level }))
    }

    /// The database has this level. When nobody needs it any more, it is lowered at once.
    pub(super) fn raised(&self, driver: &Driver, figures: &Figures, level: OpenLevel) {
        let mut counts = self.0.lock();
        counts.told = counts.told.max(level);
        let wanted = counts.wanted(figures.staged_now());
        if counts.told >= OpenLevel::Input && counts.told > wanted {
            drop(lower(driver, figures, &mut counts, wanted));
        }
    }

    /// Now and then: a queue that nobody has had open for a while is closed.
    pub(super) fn sweep(&self, driver: &Driver, figures: &Figures) {
        let mut counts = self.0.lock();
        if counts.told == OpenLevel::Closed {
            return;
        }
        if counts.wanted(figures.staged_now()) > OpenLevel::Closed {
            counts.idle_sweeps = 0;
        } else if counts.idle_sweeps < IDLE_SWEEPS && !counts.is_suspended {
            counts.idle_sweeps += 1;
        } else {
            drop(lower(driver, figures, &mut counts, OpenLevel::Closed));
        }
    }

    /// What a new session has to tell the database. In a new epoch exclusive handles are lost, and then `lost` is called: another member
    /// may have had the queue meanwhile.
    pub(super) fn restate(&self, figures: &Figures, is_new_epoch: bool, lost: impl FnOnce()) -> OpenLevel {
        let mut counts = self.0.lock();
        let is_lost = is_new_epoch && counts.told == OpenLevel::Exclusive && counts.lose_input();
        counts.told = counts.told.min(counts.wanted(figures.staged_now()));
        let told = counts.told;
        drop(counts);
        if is_lost {
            lost();
        }
        told
    }

    /// Input is another member's now. Answers the level that is left.
    pub(super) fn lose_input(&self, figures: &Figures) -> OpenLevel {
        let mut counts = self.0.lock();
        counts.lose_input();
        counts.told = counts.wanted(figures.staged_now());
        counts.told
    }

    /// The queue moves. What this member does on it ends; then the database is told that it has it open no more.
    pub(super) fn suspend(&self, driver: &Driver, figures: &Figures) {
        figures.set_suspended(true);
        let mut counts = self.0.lock();
        counts.is_suspended = true;
        let wanted = counts.wanted(figures.staged_now());
        if counts.told > wanted {
            drop(lower(driver, figures, &mut counts, wanted));
        }
    }

    /// The queue stays where it is: its handles work again. One that is in the way of another member's finds out when it is used.
    pub(super) fn resume(&self, driver: &Driver, figures: &Figures) {
        let mut counts = self.0.lock();
        if !counts.is_suspended {
            return;
        }
        counts.is_suspended = false;
        let wanted = counts.wanted(figures.staged_now());
        if counts.told < wanted {
            drop(driver.inboxes[LAZY].submit(Operation::Raise { queue: figures.queue, level: wanted }));
        }
        drop(counts);
        figures.set_suspended(false);
    }

    /// The queue is gone: what is put to it has to ask.
    pub(super) fn forget(&self) {
        self.0.lock().told = OpenLevel::Closed;
    }
}

/// Queues whose row is gone.
#[derive(Default)]
pub(super) struct SealedQueues {
    count: AtomicUsize,
    queues: RwLock<HashSet<QueueId>>,
}

impl SealedQueues {
    pub(super) fn is_empty(&self) -> bool {
        self.count.load(Ordering::Acquire) == 0
    }

    pub(super) fn has(&self, queue: QueueId) -> bool {
        self.queues.read().contains(&queue)
    }

    pub(super) fn add(&self, queue: QueueId) {
        if self.queues.write().insert(queue) {
            self.count.fetch_add(1, Ordering::AcqRel);
        }
    }
}
