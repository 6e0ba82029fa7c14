//! What scans of a queue have seen: each looks at a message once, however often it looks at the queue.
//!
//! Positions only grow, so a scan need not remember the messages it has seen: of each rank it knows the last one. What
//! becomes available before that place afterwards (a commit, a back out) is put on its list of late ones, by the queue.
//! A message that is taken leaves every list: a scan remembers nothing of messages that are not available.
//!
//! Invariant: an available message behind `floor` and not behind the mark of its rank is in exactly one of `late`, `passed_over`
//! and `in_hand`, or was refused.

use std::collections::BTreeSet;
use std::ops::Bound;

use hashbrown::HashMap;
use model::identifier::{CorrelationId, GroupId, MessageId};

use crate::Selection;
use crate::private::queue::entry::{Key, RANKS};

/// Scans of one queue by number. Most queues have none: whoever changes the queue asks `is_empty` first.
#[derive(Default)]
pub(super) struct Scans {
    next: u64,
    open: HashMap<u64, Box<Progress>, foldhash::fast::RandomState>,
}

/// The part of a selection that always says the same of a message. Another one begins a scan anew.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Terms {
    message_id: Option<MessageId>,
    correlation_id: Option<CorrelationId>,
    group_id: Option<GroupId>,
    sequence_number: Option<u32>,
    offset: Option<u32>,
    position: Option<crate::Position>,
    lock_owner: Option<crate::LockOwner>,
}

impl Terms {
    pub(crate) fn of(selection: &Selection<'_>) -> Self {
        Self {
            message_id: selection.message_id,
            correlation_id: selection.correlation_id,
            group_id: selection.group_id,
            sequence_number: selection.sequence_number,
            offset: selection.offset,
            position: selection.position,
            lock_owner: selection.lock_owner,
        }
    }
}

/// How a look at the queue begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Beginning {
    pub(crate) terms: Terms,
    /// What comes before this is not looked at.
    pub(crate) after: Option<Key>,
}

#[derive(Default)]
pub(super) struct Progress {
    terms: Terms,
    /// Nothing is known of messages up to this one.
    floor: Option<Key>,
    /// Of each rank, the last message seen.
    marks: [Option<Key>; RANKS],
    /// Before the marks, to be seen by this look.
    late: BTreeSet<Key>,
    /// Seen by this look, not refused: to be seen by the next one.
    passed_over: BTreeSet<Key>,
    /// Given out for a decision.
    in_hand: Vec<Key>,
}

impl Scans {
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    pub(super) fn open(&mut self) -> u64 {
        self.next += 1;
        self.open.insert(self.next, Box::default());
        self.next
    }

    pub(super) fn close(&mut self, number: u64) {
        self.open.remove(&number);
        if self.open.is_empty() {
            self.open = HashMap::default();
        }
    }

    /// Out of the queue while the queue is searched; `put_back` follows under the same lock.
    pub(super) fn take(&mut self, number: u64) -> Box<Progress> {
        self.open.remove(&number).expect("a scan is open until it is closed")
    }

    pub(super) fn put_back(&mut self, number: u64, progress: Box<Progress>) {
        self.open.insert(number, progress);
    }

    /// The message became available, and perhaps was seen before.
    pub(super) fn came_back(&mut self, key: Key) {
        for progress in self.open.values_mut() {
            if progress.has_passed(key) {
                progress.late.insert(key);
            }
        }
    }

    /// The message is no longer available.
    pub(super) fn went(&mut self, key: Key) {
        for progress in self.open.values_mut() {
            if progress.has_passed(key) && !progress.late.remove(&key) && !progress.passed_over.remove(&key) {
                progress.in_hand.retain(|held| *held != key);
            }
        }
    }

    /// No message is left. The marks stay: positions are not used again.
    pub(super) fn all_went(&mut self) {
        for progress in self.open.values_mut() {
            progress.late.clear();
            progress.passed_over.clear();
            progress.in_hand.clear();
        }
    }
}

impl Progress {
    fn has_passed(&self, key: Key) -> bool {
        self.floor.is_none_or(|floor| key > floor) && self.marks[key.rank()].is_some_and(|mark| key <= mark)
    }

    /// The decision about what was given out: what is not refused is seen again by the next look.
    pub(super) fn decide(&mut self, refused: &[Key]) {
        let in_hand = std::mem::take(&mut self.in_hand);
        self.passed_over.extend(in_hand.into_iter().filter(|key| !refused.contains(key)));
    }

    pub(super) fn begin(&mut self, beginning: &Beginning) {
        let Beginning { terms, after } = *beginning;
        if terms != self.terms || after < self.floor {
            *self = Self { terms, floor: after, ..Self::default() };
        }
        self.late.append(&mut self.passed_over);
        if let Some(after) = after.filter(|after| Some(*after) > self.floor) {
            self.floor = Some(after);
            self.late = self.late.split_off(&after);
            self.late.remove(&after);
        }
    }

    /// The first of the late ones.
    pub(super) fn first_late(&self) -> Option<Key> {
        self.late.first().copied()
    }

    /// The first rank that has messages to be seen.
    pub(super) fn first_rank(&self) -> usize {
        self.floor.map_or(0, Key::rank)
    }

    /// Where the messages of a rank begin that were never seen.
    pub(super) fn unseen(&self, rank: usize) -> Bound<Key> {
        match self.marks[rank].max(self.floor.filter(|floor| floor.rank() == rank)) {
            Some(last) => Bound::Excluded(last),
            None => Bound::Included(Key::first_of(rank)),
        }
    }

    /// The message has been seen.
    pub(super) fn see(&mut self, key: Key) {
        if !self.late.remove(&key) {
            self.marks[key.rank()] = Some(key);
        }
    }

    pub(super) fn pass_over(&mut self, key: Key) {
        self.passed_over.insert(key);
    }

    pub(super) fn give_out(&mut self, key: Key) {
        self.in_hand.push(key);
    }

    /// These were given out and not looked at: this look sees them again, if they are still there.
    pub(super) fn give_back(&mut self, keys: &[Key]) {
        let Self { in_hand, late, .. } = self;
        late.extend(in_hand.extract_if(.., |key| keys.contains(key)));
    }
}
