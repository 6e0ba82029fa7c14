//! What a lane is asked to do, and what it answers.

use std::collections::HashSet;
use std::sync::{Arc, Weak};

use model::timestamp::Timestamp;
use parking_lot::Mutex;
use tokio::sync::{Notify, oneshot};

use crate::shared::handles::OpenLevel;
use crate::shared::inbox::Inbox;
use crate::shared::row::{MovedRow, NewRow};
use crate::shared::store::Deletion;
use crate::{ClusterNumber, DeliveryKey, QueueId, Receipt, StoreError, StoredMessage};

/// A message in the table that is this member's, or that was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub(super) queue: QueueId,
    pub(super) key: DeliveryKey,
}

/// A got message of an open unit of work.
#[derive(Debug, Clone, Copy)]
pub(super) struct Claim {
    pub(super) place: Place,
    /// Of the member when it got it: in a later one it is not this member's any more.
    pub(super) epoch: i64,
    pub(super) in_parts: bool,
    /// Bytes of its body.
    pub(super) length: i64,
}

/// Which message is wanted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Wanted {
    First,
    Correlation([u8; 24]),
    Message([u8; 24]),
    /// This one, if it is as it was looked at. `is_locked`: a browser that asks for it has its lock.
    Seen {
        key: DeliveryKey,
        backouts: u32,
        is_locked: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Manner {
    /// Outside a unit of work: gone once the batch is committed.
    Take,
    /// In a unit of work: this member's until the unit ends.
    Claim,
}

#[derive(Debug, Clone)]
pub(super) struct Taking {
    pub(super) queue: QueueId,
    pub(super) wanted: Wanted,
    pub(super) manner: Manner,
    pub(super) now: Timestamp,
}

/// Its number in the database, which no other unit of the member ever had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct UnitNumber(pub(super) i64);

impl UnitNumber {
    /// The lower bits count within the epoch.
    const COUNT_BITS: u32 = 31;

    pub(super) fn new(epoch: i64, count: i64) -> Self {
        Self((epoch << Self::COUNT_BITS) + count)
    }

    /// Of the member, when the unit began to end. Nothing of it is done in another one.
    pub(super) fn epoch(self) -> i64 {
        self.0 >> Self::COUNT_BITS
    }
}

/// Which database decides a unit of work with parts in several places, and its number for the unit there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Decision {
    pub(crate) cluster: ClusterNumber,
    pub(crate) number: i64,
}

/// Units of work that this database is about to decide: their jobs are not over.
#[derive(Clone, Default)]
pub(super) struct AllDeciding(Arc<DecidingState>);

#[derive(Default)]
struct DecidingState {
    numbers: Mutex<HashSet<i64>>,
    fewer: Notify,
}

impl AllDeciding {
    pub(super) fn begin(&self, number: UnitNumber) -> Deciding {
        self.0.numbers.lock().insert(number.0);
        Deciding { number, all: self.clone() }
    }

    pub(super) fn has(&self, number: i64) -> bool {
        self.0.numbers.lock().contains(&number)
    }

    /// Returns when the job of this one is over.
    pub(super) async fn until_over(&self, number: i64) {
        loop {
            let fewer = self.0.fewer.notified();
            if !self.has(number) {
                return;
            }
            fewer.await;
        }
    }
}

/// With the job of a deciding commit: dropped with it, whatever has become of it.
pub(super) struct Deciding {
    pub(super) number: UnitNumber,
    all: AllDeciding,
}

impl Drop for Deciding {
    fn drop(&mut self) {
        self.all.0.numbers.lock().remove(&self.number.0);
        self.all.0.fewer.notify_waiters();
    }
}

/// A receipt on its way into the table.
#[derive(Clone)]
pub(super) struct NewReceipt {
    pub(super) receipt: Receipt,
    pub(super) now: Timestamp,
}

/// A unit of work as the database needs to know it.
#[derive(Default)]
pub(super) struct Work {
    pub(super) puts: Vec<NewRow>,
    pub(super) gets: Vec<Claim>,
}

pub(super) enum Operation {
    Put(NewRow),
    Take(Taking),
    /// Of a browser; nobody else gets the message until it is released.
    Lock(Place),
    Commit {
        work: Work,
        /// The unit has parts elsewhere too: this row makes them committed.
        decision: Option<Deciding>,
        /// What is answered to a request that may come again.
        receipt: Option<NewReceipt>,
    },
    BackOut(Vec<Claim>),
    /// Locks, and claims that never were a unit's: no count is raised. Those of an earlier epoch a peer has given back.
    Release {
        places: Vec<Place>,
        epoch: i64,
    },
    /// All of them or none.
    ClaimAll {
        queue: QueueId,
        seen: Vec<Wanted>,
        now: Timestamp,
    },
    Prepare {
        work: Work,
        number: UnitNumber,
        xid: Option<Vec<u8>>,
        /// `None`: a coordinator does.
        decided_by: Option<ClusterNumber>,
        /// Databases with a part of it, if any member may end it.
        places: Option<Vec<i32>>,
    },
    FinishPrepared {
        /// `None`: this one.
        member: Option<i32>,
        number: UnitNumber,
        commits: bool,
    },
    /// Decisions that every part has followed.
    Forget(Vec<UnitNumber>),
    TakeExpired {
        queue: QueueId,
        now: Timestamp,
        maximum: i64,
    },
    /// Up to so many messages that nobody holds.
    ClearStep {
        queue: QueueId,
        maximum: i64,
        /// Also those that units of work hold: the queue is being deleted.
        with_held: bool,
    },
    /// This member has the queue open so, at least.
    Raise {
        queue: QueueId,
        level: OpenLevel,
    },
    /// This member has the queue open so, at most.
    Lower {
        queue: QueueId,
        level: OpenLevel,
    },
    /// The definition goes, if no other member has the queue open and it is empty or may be purged.
    /// Messages of a queue that moves here, in order. Only in the epoch in which the move goes on.
    Import {
        epoch: i64,
        rows: Vec<MovedRow>,
    },
    /// No member can open the queue any more, if none has it open, nothing of it is held, and it is empty or messages may be there.
    SealQueue {
        queue: QueueId,
        /// Handles of this member count too.
        with_own: bool,
        with_messages: bool,
    },
    DeleteQueue {
        queue: QueueId,
        key: String,
        version: i64,
        purge: bool,
    },
}

/// What became of a wish to have a queue open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Raised {
    Done,
    /// Another member is in the way.
    InUse,
    /// The queue is deleted.
    Gone,
}

pub(super) enum Answer {
    Done,
    Raised(Raised),
    Deleted(Deletion),
    Taken(Option<Taken>),
    AllTaken(Option<Vec<Taken>>),
    /// `None`: another has it, or it is gone.
    Locked(Option<Guard>),
    Expired(Vec<StoredMessage>),
    Cleared(u32),
    Finished(Finished),
}

/// What the end of a prepared unit of work has come to.
#[derive(Default)]
pub(super) struct Finished {
    /// False: another has ended it.
    pub(super) was_prepared: bool,
    pub(super) messages: Vec<EndedMessage>,
}

/// A message that a prepared unit of work held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndedMessage {
    pub queue: QueueId,
    /// Of a queue that delivers by arrival: 9.
    pub priority: u8,
    /// It is on the queue now: it was put and committed, or got and backed out.
    pub is_there: bool,
}

pub(super) struct Taken {
    pub(super) claim: Claim,
    pub(super) message: StoredMessage,
    /// Gives a claim back that no unit of work has taken over.
    pub(super) guard: Option<Guard>,
}

/// Releases a message when it is dropped.
pub(super) struct Guard {
    pub(super) place: Place,
    pub(super) epoch: i64,
    pub(super) inbox: Weak<Inbox>,
    pub(super) is_kept: bool,
}

impl Drop for Guard {
    fn drop(&mut self) {
        if !self.is_kept
            && let Some(inbox) = self.inbox.upgrade()
        {
            inbox.release(vec![self.place], self.epoch);
        }
    }
}

impl Guard {
    /// A browser has the message now; answers the epoch in which it got it.
    pub(super) fn keep(mut self) -> i64 {
        self.is_kept = true;
        self.epoch
    }
}

impl Taken {
    /// A unit of work has it now.
    pub(super) fn keep(mut self) -> (Claim, StoredMessage) {
        if let Some(guard) = &mut self.guard {
            guard.is_kept = true;
        }
        (self.claim, self.message)
    }
}

pub(super) struct Job {
    pub(super) operation: Operation,
    /// `None` once the caller was told something else.
    pub(super) answer: Option<oneshot::Sender<Result<Answer, StoreError>>>,
}

impl Job {
    /// An answer that nobody waits for gives its claims back as it is dropped.
    pub(super) fn tell(&mut self, answer: Result<Answer, StoreError>) {
        if let Some(sender) = self.answer.take() {
            drop(sender.send(answer));
        }
    }

    /// Its caller was told something else. `None`: then nothing of it is done.
    pub(super) fn left_over(self) -> Option<Self> {
        let operation = match self.operation {
            Operation::Commit { work, .. } | Operation::Prepare { work, .. } if !work.gets.is_empty() => {
                Operation::BackOut(work.gets)
            }
            kept @ (Operation::BackOut(_) | Operation::Release { .. } | Operation::Forget(_)) => kept,
            _ => return None,
        };
        Some(Self { operation, answer: None })
    }

    /// It ends a unit of work that has got messages in another epoch, or began to end in one: peers may have asked already what was
    /// decided then.
    pub(super) fn is_of_another_epoch(&self, epoch: i64) -> bool {
        let (work, number) = match &self.operation {
            Operation::Commit { work, decision, .. } => (work, decision.as_ref().map(|deciding| deciding.number)),
            Operation::Prepare { work, number, .. } => (work, Some(*number)),
            Operation::Import { epoch: of, .. } => return *of != epoch,
            _ => return false,
        };
        work.gets.iter().any(|claim| claim.epoch != epoch) || number.is_some_and(|number| number.epoch() != epoch)
    }

    /// It would change a queue that no member can open any more.
    pub(super) fn is_for_sealed(&self, is_sealed: impl Fn(QueueId) -> bool) -> bool {
        match &self.operation {
            Operation::Put(row) => is_sealed(row.message.queue),
            Operation::Take(taking) => is_sealed(taking.queue),
            Operation::Lock(place) => is_sealed(place.queue),
            Operation::ClaimAll { queue, .. } | Operation::TakeExpired { queue, .. } => is_sealed(*queue),
            Operation::Commit { work, .. } | Operation::Prepare { work, .. } => {
                work.puts.iter().any(|row| is_sealed(row.message.queue))
            }
            _ => false,
        }
    }

    /// Bytes that it adds to a batch.
    pub(super) fn size(&self) -> usize {
        match &self.operation {
            Operation::Put(row) => row.message.size(),
            Operation::Commit { work, .. } | Operation::Prepare { work, .. } => {
                work.puts.iter().map(|row| row.message.size()).sum()
            }
            _ => 0,
        }
    }

    /// It has a transaction of its own.
    pub(super) fn is_alone(&self) -> bool {
        matches!(
            self.operation,
            Operation::ClaimAll { .. }
                | Operation::Prepare { .. }
                | Operation::FinishPrepared { .. }
                | Operation::TakeExpired { .. }
                | Operation::ClearStep { .. }
                | Operation::Import { .. }
                | Operation::SealQueue { .. }
                | Operation::DeleteQueue { .. }
        )
    }
}

impl Operation {
    /// Its commit is waited for until it is on disk: messages that must not be lost enter or leave for good.
    pub(super) fn must_last(&self) -> bool {
        match self {
            Self::Put(row) => row.message.persistent,
            Self::Take(taking) => taking.manner == Manner::Take,
            Self::Commit { work, decision, receipt } => decision.is_some() || receipt.is_some() || work.must_last(),
            Self::Prepare { .. }
            | Self::FinishPrepared { .. }
            | Self::TakeExpired { .. }
            | Self::ClearStep { .. }
            | Self::Import { .. }
            | Self::SealQueue { .. }
            | Self::DeleteQueue { .. } => true,
            Self::Lock(_)
            | Self::BackOut(_)
            | Self::Release { .. }
            | Self::ClaimAll { .. }
            | Self::Forget(_)
            | Self::Raise { .. }
            | Self::Lower { .. } => false,
        }
    }
}

impl Operation {
    /// It may leave a queue without messages, though no program gets them.
    pub(super) fn may_empty(&self) -> Option<QueueId> {
        match self {
            Self::TakeExpired { queue, .. } | Self::ClearStep { queue, with_held: false, .. } => Some(*queue),
            _ => None,
        }
    }

    /// Messages that it adds to queues.
    pub(super) fn rows(&self) -> &[NewRow] {
        match self {
            Self::Put(row) => std::slice::from_ref(row),
            Self::Commit { work, .. } | Self::Prepare { work, .. } => &work.puts,
            _ => &[],
        }
    }

    /// The queue whose messages it locks while it chooses.
    pub(super) fn chooses_from(&self) -> Option<QueueId> {
        match self {
            Self::Take(taking) => Some(taking.queue),
            Self::ClaimAll { queue, .. } | Self::TakeExpired { queue, .. } | Self::ClearStep { queue, .. } => {
                Some(*queue)
            }
            _ => None,
        }
    }

    /// Queues that have messages then which they had not before, as far as the operation itself says it.
    pub(super) fn arrivals(&self) -> impl Iterator<Item = QueueId> + Clone {
        let (rows, places, claims): (&[NewRow], &[Place], &[Claim]) = match self {
            Self::Put(row) => (std::slice::from_ref(row), &[], &[]),
            Self::Commit { work, .. } => (&work.puts, &[], &[]),
            Self::Release { places, .. } => (&[], places, &[]),
            Self::BackOut(claims) => (&[], &[], claims),
            _ => (&[], &[], &[]),
        };
        let rows = rows.iter().map(|row| row.message.queue);
        let places = places.iter().map(|place| place.queue);
        rows.chain(places).chain(claims.iter().map(|claim| claim.place.queue))
    }
}

impl Work {
    fn must_last(&self) -> bool {
        // A message that was got for good must not come back after a crash, persistent or not.
        self.puts.iter().any(|row| row.message.persistent) || !self.gets.is_empty()
    }
}
