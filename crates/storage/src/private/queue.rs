//! One private queue in memory: delivery order, identifier indexes, uncommitted marks, browse locks.
//!
//! Pure data: no clock, no disk, no lock. The caller passes `now`; the store holds the mutex and appends to the recovery
//! log before anything decided here is told to an application.
//!
//! Invariants
//! - A message is in exactly one of `available`, `held` and `quarantine`; in the indexes and in `expiry` exactly while available.
//! - So a search never walks over uncommitted messages, and an index never has to skip one.
//! - `bytes` is the sum of the body lengths of all messages but those in quarantine; `count` says how many they are.

mod entry;
mod expiry;
mod index;
mod scan;
mod slab;
mod survey;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::ops::{Bound, RangeBounds};

use hashbrown::HashMap;
use model::identifier::GroupId;
use model::timestamp::Timestamp;

use crate::private::message_count::MessageCount;
use crate::private::queue::expiry::Expiry;
use crate::private::queue::index::{IdentifierIndex, Postings};
use crate::private::queue::scan::{Progress, Scans};
use crate::private::queue::slab::Slab;
use crate::{Candidate, Depth, GroupMember, LockOwner, Selection};

#[cfg(test)]
use crate::private::queue::entry::GroupPart;
pub(crate) use crate::private::queue::entry::{Entry, Holder, Home, Key};
pub(crate) use crate::private::queue::scan::{Beginning, Terms};
pub(crate) use crate::private::queue::slab::Slot;

type Locks = HashMap<Key, LockOwner, foldhash::fast::RandomState>;

pub(crate) struct Queue {
    entries: Slab,
    available: BTreeMap<Key, Slot>,
    held: BTreeMap<Key, Slot>,
    quarantine: BTreeMap<Key, Slot>,
    by_message_id: IdentifierIndex,
    by_correlation_id: IdentifierIndex,
    by_group_id: IdentifierIndex,
    /// When available messages expire.
    expiry: Expiry,
    locks: Locks,
    scans: Scans,
    bytes: u64,
    /// As many as `entries` has but for those in quarantine.
    count: MessageCount,
    /// The queue is deleted; a remaining reference finds no messages and cannot put.
    pub(crate) dropped: bool,
    /// No definition of the queue is left: what becomes available goes into quarantine.
    is_undefined: bool,
}

/// The messages that a queue held, off the queue.
pub(crate) struct Emptied(Queue);

impl Emptied {
    pub(crate) fn len(&self) -> usize {
        self.0.entries.len()
    }

    pub(crate) fn into_entries(self) -> impl Iterator<Item = Entry> {
        let Self(mut whole) = self;
        let slots: Vec<Slot> = whole.slots().collect();
        slots.into_iter().map(move |slot| whole.entries.remove(slot))
    }
}

/// What one slice of a scan looks for.
pub(crate) struct Search<'a, 's> {
    pub(crate) selection: &'a Selection<'s>,
    /// Most messages to be found.
    pub(crate) maximum: usize,
    pub(crate) now: Timestamp,
    /// The message cannot be read yet: the slice ends before it.
    pub(crate) must_wait: &'a dyn Fn(&Entry) -> bool,
}

/// One slice of a scan.
#[derive(Default)]
pub(crate) struct Scanned {
    /// In delivery order.
    pub(crate) found: Vec<Slot>,
    /// Messages looked at.
    pub(crate) seen: usize,
    /// Nothing is behind them.
    pub(crate) is_last: bool,
    /// The message that cannot be read yet.
    pub(crate) waits_for: Option<Slot>,
}

impl Queue {
    pub(crate) fn new(count: MessageCount) -> Self {
        Self {
            entries: Slab::default(),
            available: BTreeMap::new(),
            held: BTreeMap::new(),
            quarantine: BTreeMap::new(),
            by_message_id: IdentifierIndex::new(|entry| entry.message_id.as_bytes()),
            by_correlation_id: IdentifierIndex::new(|entry| entry.correlation_id.as_bytes()),
            by_group_id: IdentifierIndex::new(|entry| entry.group_id().as_bytes()),
            expiry: Expiry::default(),
            locks: Locks::default(),
            scans: Scans::default(),
            bytes: 0,
            count,
            dropped: false,
            is_undefined: false,
        }
    }

    /// Messages, uncommitted ones counted, those in quarantine not.
    pub(crate) fn len(&self) -> usize {
        self.entries.len() - self.quarantine.len()
    }

    /// The messages that cannot be read back, in delivery order.
    pub(crate) fn quarantine(&self) -> impl ExactSizeIterator<Item = Slot> {
        self.quarantine.values().copied()
    }

    pub(crate) fn entry(&self, slot: Slot) -> &Entry {
        self.entries.get(slot)
    }

    /// Only for what no index looks at: cached content, home, backout count.
    pub(crate) fn entry_mut(&mut self, slot: Slot) -> &mut Entry {
        self.entries.get_mut(slot)
    }

    /// The place of the message, in any state.
    pub(crate) fn slot(&self, key: Key) -> Option<Slot> {
        [&self.available, &self.held, &self.quarantine].into_iter().find_map(|state| state.get(&key)).copied()
    }

    /// Adds a message in the state its `holder` says. Its key must be new.
    pub(crate) fn insert(&mut self, entry: Entry) -> Slot {
        debug_assert!(entry.holder != Holder::Quarantine, "a message enters well");
        self.bytes += u64::from(entry.body_bytes);
        let (key, holder) = (entry.key, entry.holder);
        let slot = self.entries.insert(entry);
        self.count.set(self.len());
        if holder == Holder::Nobody {
            self.show(key, slot);
        } else {
            self.held.insert(key, slot);
        }
        slot
    }

    /// Takes an available message out of sight. Its browse lock ends.
    pub(crate) fn hold(&mut self, slot: Slot, holder: Holder) {
        let key = self.entries.get(slot).key;
        self.hide(key, slot);
        self.held.insert(key, slot);
        self.entries.get_mut(slot).holder = holder;
    }

    /// Takes a message, available or held, off the queue for good, though it stays in the store.
    pub(crate) fn set_aside(&mut self, slot: Slot) {
        if self.entries.get(slot).holder == Holder::Nobody {
            self.hold(slot, Holder::Quarantine);
        }
        let entry = self.entries.get_mut(slot);
        entry.holder = Holder::Quarantine;
        self.bytes -= u64::from(entry.body_bytes);
        self.held.remove(&entry.key);
        self.quarantine.insert(entry.key, slot);
        self.count.set(self.len());
    }

    /// Makes a held message available at its place.
    pub(crate) fn release(&mut self, slot: Slot) {
        let entry = self.entries.get_mut(slot);
        entry.holder = Holder::Nobody;
        let key = entry.key;
        self.held.remove(&key);
        self.show(key, slot);
        if !self.scans.is_empty() {
            self.scans.came_back(key);
        }
        if self.is_undefined {
            self.set_aside(slot);
        }
    }

    /// No definition of the queue is left: sets every message aside, those that units of work hold at their outcome. Returns how
    /// many there are.
    pub(crate) fn set_all_aside(&mut self) -> usize {
        self.is_undefined = true;
        let available: Vec<Slot> = self.available.values().copied().collect();
        available.into_iter().for_each(|slot| self.set_aside(slot));
        self.entries.len()
    }

    pub(crate) fn remove(&mut self, slot: Slot) -> Entry {
        let entry = self.entries.get(slot);
        let (key, holder, bytes) = (entry.key, entry.holder, u64::from(entry.body_bytes));
        match holder {
            Holder::Nobody => self.hide(key, slot),
            Holder::Put(_) | Holder::Got(_) | Holder::Reading => drop(self.held.remove(&key)),
            Holder::Quarantine => drop(self.quarantine.remove(&key)),
        }
        if holder != Holder::Quarantine {
            self.bytes -= bytes;
        }
        let entry = self.entries.remove(slot);
        self.count.set(self.len());
        entry
    }

    /// The messages, in any state, whose record is in this extent of the log.
    pub(crate) fn keys_in_extent(&self, sequence: u32) -> Vec<Key> {
        let is_there = |entry: &&Entry| matches!(entry.home, Home::Log { place, .. } if place.extent() == sequence);
        self.slots().map(|slot| self.entries.get(slot)).filter(is_there).map(|entry| entry.key).collect()
    }

    /// Takes every message, in any state, at a cost that does not grow with their number.
    pub(crate) fn empty(&mut self) -> Emptied {
        let dropped = self.dropped;
        let mut scans = std::mem::take(&mut self.scans);
        scans.all_went();
        let whole = std::mem::replace(self, Self::new(self.count.clone()));
        self.count.set(0);
        self.dropped = dropped;
        self.scans = scans;
        Emptied(whole)
    }

    /// The messages whose body has a file of its own, and its number.
    pub(crate) fn body_files(&self) -> impl Iterator<Item = (Slot, NonZeroU64)> {
        self.slots().filter_map(|slot| Some((slot, self.entries.get(slot).body_file?)))
    }

    /// Of the next `seen` messages behind `after` that are not in quarantine: those with a file for their body, and the last
    /// one looked at; `None` at the end.
    pub(crate) fn bodies_behind(&self, after: Option<Key>, seen: usize) -> (Vec<Key>, Option<Key>) {
        let from = (after.map_or(Bound::Unbounded, Bound::Excluded), Bound::Unbounded);
        let of = |state: &BTreeMap<Key, Slot>| state.range(from).take(seen).map(|(key, slot)| (*key, *slot)).collect();
        let mut next: Vec<(Key, Slot)> = of(&self.available);
        next.extend::<Vec<_>>(of(&self.held));
        next.sort_unstable_by_key(|(key, _)| *key);
        next.truncate(seen);
        let last = next.last().filter(|_| next.len() == seen).map(|(key, _)| *key);
        let has_file = |(key, slot)| self.entries.get(slot).body_file.map(|_| key);
        (next.into_iter().filter_map(has_file).collect(), last)
    }

    /// What units of work have put and not committed behind these keys, each for its own rank.
    pub(crate) fn uncommitted_puts(&self, behind: impl Iterator<Item = Key>) -> Vec<Key> {
        let mut found = Vec::new();
        if self.held.is_empty() {
            return found;
        }
        for key in behind {
            let of_rank = self.held.range((Bound::Excluded(key), Bound::Included(Key::last_of(key.rank()))));
            let is_put = |slot: Slot| matches!(self.entries.get(slot).holder, Holder::Put(_));
            found.extend(of_rank.filter(|(_, slot)| is_put(**slot)).map(|(key, _)| *key));
        }
        found
    }

    /// The first available message that is behind one of these keys and of its rank.
    pub(crate) fn first_behind(&self, mut keys: impl Iterator<Item = Key>) -> Option<Key> {
        keys.find_map(|key| {
            let of_rank = (Bound::Excluded(key), Bound::Included(Key::last_of(key.rank())));
            self.available.range(of_rank).next().map(|(key, _)| *key)
        })
    }

    /// Whether the message is available; `None` when it is not there.
    pub(crate) fn is_available(&self, key: Key) -> Option<bool> {
        if self.available.contains_key(&key) { Some(true) } else { self.held.contains_key(&key).then_some(false) }
    }

    /// Every message, in any state.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.slots().map(|slot| self.entries.get(slot))
    }

    fn slots(&self) -> impl Iterator<Item = Slot> {
        [&self.available, &self.held, &self.quarantine].into_iter().flat_map(|state| state.values().copied())
    }

    pub(crate) fn has_held(&self) -> bool {
        !self.held.is_empty()
    }

    fn show(&mut self, key: Key, slot: Slot) {
        self.available.insert(key, slot);
        self.by_message_id.insert(&self.entries, slot);
        self.by_correlation_id.insert(&self.entries, slot);
        self.by_group_id.insert(&self.entries, slot);
        let expires = self.entries.get(slot).expires;
        if expires != Entry::NEVER {
            self.expiry.insert((expires, key));
        }
    }

    fn hide(&mut self, key: Key, slot: Slot) {
        self.available.remove(&key);
        self.by_message_id.remove(&self.entries, slot);
        self.by_correlation_id.remove(&self.entries, slot);
        self.by_group_id.remove(&self.entries, slot);
        let expires = self.entries.get(slot).expires;
        if expires != Entry::NEVER {
            self.expiry.remove((expires, key));
        }
        if !self.locks.is_empty() {
            self.locks.remove(&key);
        }
        if !self.scans.is_empty() {
            self.scans.went(key);
        }
    }

    /// The place behind which up to `count` available messages before `before` begin; `None`: they begin with the queue.
    pub(crate) fn back_from(&self, before: Option<Key>, count: usize) -> Option<Key> {
        let to = before.map_or(Bound::Unbounded, Bound::Excluded);
        self.available.range((Bound::Unbounded, to)).rev().nth(count).map(|(key, _)| *key)
    }

    /// The first available message behind `after` in delivery order that matches and has not expired.
    pub(crate) fn find(&self, selection: &Selection<'_>, after: Option<Key>, now: Timestamp) -> Option<Slot> {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let matches = |slot: &Slot| self.matches(*slot, selection, now);
        if let Some(position) = selection.position {
            let slot = Key::with_position(position).find_map(|key| self.available.get(&key).copied())?;
            let behind = after.is_none_or(|after| self.entries.get(slot).key > after);
            return (behind && matches(&slot)).then_some(slot);
        }
        match self.narrowest(selection) {
            Some(Postings::None) => None,
            Some(Postings::One(slot)) => {
                let behind = after.is_none_or(|after| self.entries.get(slot).key > after);
                (behind && matches(&slot)).then_some(slot)
            }
            Some(Postings::Many(slots)) => slots.range((from, Bound::Unbounded)).map(|(_, slot)| *slot).find(matches),
            None => self.available.range((from, Bound::Unbounded)).map(|(_, slot)| *slot).find(matches),
        }
    }

    pub(crate) fn open_scan(&mut self) -> u64 {
        self.scans.open()
    }

    pub(crate) fn close_scan(&mut self, number: u64) {
        self.scans.close(number);
    }

    /// Goes on with a scan. `refused` were given out before and are not given out again, unless they are taken and come back.
    pub(crate) fn scan(
        &mut self,
        number: u64,
        beginning: Option<&Beginning>,
        refused: &[Key],
        search: &Search<'_, '_>,
    ) -> Scanned {
        let mut progress = self.scans.take(number);
        progress.decide(refused);
        if let Some(beginning) = beginning {
            progress.begin(beginning);
        }
        let scanned = self.scan_on(&mut progress, search);
        self.scans.put_back(number, progress);
        scanned
    }

    fn scan_on(&self, progress: &mut Progress, search: &Search<'_, '_>) -> Scanned {
        let mut scanned = Scanned::default();
        let narrowed = match search.selection.position {
            Some(position) => Some(
                Key::with_position(position)
                    .find_map(|key| self.available.get(&key).copied())
                    .map_or(Postings::None, Postings::One),
            ),
            None => self.narrowest(search.selection),
        };
        let mut rank = progress.first_rank();
        while scanned.found.len() < search.maximum && scanned.seen < SEEN_MAXIMUM {
            let unseen = self.unseen(progress, narrowed.as_ref(), &mut rank);
            let Some(key) = progress.first_late().into_iter().chain(unseen).min() else {
                scanned.is_last = true;
                break;
            };
            let slot = self.available[&key];
            let entry = self.entries.get(slot);
            let fits = fits(entry, search.selection);
            if fits && (search.must_wait)(entry) {
                scanned.waits_for = Some(slot);
                break;
            }
            scanned.seen += 1;
            progress.see(key);
            if fits && self.admits(entry, search.selection, search.now) {
                progress.give_out(key);
                scanned.found.push(slot);
            } else if fits {
                progress.pass_over(key);
            }
        }
        scanned
    }

    /// The first message that the scan has never seen, and its rank; the ranks before have none.
    fn unseen(&self, progress: &Progress, narrowed: Option<&Postings<'_>>, rank: &mut usize) -> Option<Key> {
        loop {
            let from = (progress.unseen(*rank), Bound::Unbounded);
            let next = match narrowed {
                Some(Postings::None) => None,
                Some(Postings::One(slot)) => Some(self.entries.get(*slot).key).filter(|key| from.contains(key)),
                Some(Postings::Many(slots)) => slots.range(from).next().map(|(key, _)| *key),
                None => self.available.range(from).next().map(|(key, _)| *key),
            }?;
            if next.rank() == *rank {
                return Some(next);
            }
            *rank = next.rank();
        }
    }

    /// What was given out in this slice and not looked at is given out again by the next.
    pub(crate) fn give_back(&mut self, number: u64, keys: &[Key]) {
        let mut progress = self.scans.take(number);
        progress.give_back(keys);
        self.scans.put_back(number, progress);
    }

    /// The available message with this key, unless it has expired or is locked by another handle.
    pub(crate) fn available(&self, key: Key, owner: LockOwner, now: Timestamp) -> Option<Slot> {
        let slot = *self.available.get(&key)?;
        (self.entries.get(slot).expires > now.0 && self.visible_to(key, Some(owner))).then_some(slot)
    }

    /// The index that leaves the fewest messages to look at; `None` when no identifier is asked for.
    fn narrowest(&self, selection: &Selection<'_>) -> Option<Postings<'_>> {
        let message_id = selection.message_id.as_ref().map(|id| (&self.by_message_id, id.as_bytes()));
        let correlation_id = selection.correlation_id.as_ref().map(|id| (&self.by_correlation_id, id.as_bytes()));
        let group_id = selection.group_id.as_ref().map(|id| (&self.by_group_id, id.as_bytes()));
        [message_id, correlation_id, group_id]
            .into_iter()
            .flatten()
            .filter(|(_, id)| !index::is_unindexed(id))
            .map(|(index, id)| index.postings(&self.entries, id))
            .min_by_key(Postings::len)
    }

    fn matches(&self, slot: Slot, selection: &Selection<'_>, now: Timestamp) -> bool {
        let entry = self.entries.get(slot);
        fits(entry, selection) && self.admits(entry, selection, now)
    }

    /// Whether a message that fits may be had at this time.
    fn admits(&self, entry: &Entry, selection: &Selection<'_>, now: Timestamp) -> bool {
        let group = || self.group(entry.group_id(), selection.lock_owner, now);
        entry.expires > now.0
            && self.visible_to(entry.key, selection.lock_owner)
            && selection.accept.is_none_or(|accept| accept(&self.candidate(entry, &group)))
    }

    fn candidate<'a>(&'a self, entry: &'a Entry, group: &'a dyn Fn() -> Vec<GroupMember>) -> Candidate<'a> {
        Candidate {
            position: entry.key.position(),
            message_id: &entry.message_id,
            correlation_id: &entry.correlation_id,
            group_id: entry.group_id(),
            sequence_number: entry.sequence_number(),
            offset: entry.offset(),
            flags: entry.flags(),
            priority: entry.priority,
            body_length: entry.body_length(),
            group,
        }
    }

    /// Members of a group that `owner` could take, in (sequence, offset) order; of no group, nothing.
    fn group(&self, id: &GroupId, owner: Option<LockOwner>, now: Timestamp) -> Vec<GroupMember> {
        if id.is_none() {
            return Vec::new();
        }
        let slots: Vec<Slot> = match self.by_group_id.postings(&self.entries, id.as_bytes()) {
            Postings::None => Vec::new(),
            Postings::One(slot) => vec![slot],
            Postings::Many(slots) => slots.values().copied().collect(),
        };
        let mut members: Vec<GroupMember> = slots
            .into_iter()
            .map(|slot| self.entries.get(slot))
            .filter(|entry| entry.expires > now.0 && self.visible_to(entry.key, owner))
            .map(|entry| GroupMember {
                position: entry.key.position(),
                sequence_number: entry.sequence_number(),
                offset: entry.offset(),
                length: entry.body_length(),
                flags: entry.flags(),
            })
            .collect();
        members.sort_by_key(|member| (member.sequence_number, member.offset, member.position));
        members
    }

    fn visible_to(&self, key: Key, owner: Option<LockOwner>) -> bool {
        self.locks.is_empty() || self.locks.get(&key).is_none_or(|locker| Some(*locker) == owner)
    }

    /// True when `owner` now has, or had already, the lock of an available message.
    pub(crate) fn lock(&mut self, key: Key, owner: LockOwner) -> bool {
        if !self.available.contains_key(&key) || !self.visible_to(key, Some(owner)) {
            return false;
        }
        self.locks.insert(key, owner);
        true
    }

    pub(crate) fn unlock(&mut self, key: Key, owner: LockOwner) -> bool {
        let locked = self.locks.get(&key) == Some(&owner);
        if locked {
            self.locks.remove(&key);
        }
        locked
    }

    pub(crate) fn next_expiry(&self) -> Option<Timestamp> {
        self.expiry.first().map(|(expires, _)| Timestamp(expires))
    }

    /// An available message whose time has come; browse locks do not keep it.
    pub(crate) fn expired(&self, now: Timestamp) -> Option<Slot> {
        let (expires, key) = self.expiry.first()?;
        (expires <= now.0).then(|| self.available.get(&key).copied())?
    }

    pub(crate) fn depth(&self) -> Depth {
        Depth {
            current: self.count.get(),
            uncommitted: self.uncommitted(),
            quarantined: u32::try_from(self.quarantine.len()).unwrap_or(u32::MAX),
            oldest: self.oldest(),
            bytes: self.bytes,
            first_backouts: self.first_backouts(),
        }
    }

    fn first_backouts(&self) -> u32 {
        let first = |map: &BTreeMap<Key, Slot>| map.values().next().map(|slot| self.entries.get(*slot).backout_count);
        first(&self.available).into_iter().chain(first(&self.held)).max().unwrap_or_default()
    }

    pub(crate) fn count(&self) -> &MessageCount {
        &self.count
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn uncommitted(&self) -> u32 {
        u32::try_from(self.held.len()).unwrap_or(u32::MAX)
    }

    /// Within a rank the first message arrived first, so looking at the first of each rank is enough. Most queues have one rank.
    pub(crate) fn oldest(&self) -> Option<Timestamp> {
        let first_of_ranks = |map: &BTreeMap<Key, Slot>| {
            let first = map.first_key_value();
            let next = |(key, _): &(&Key, &Slot)| map.range(key.after_rank()?..).next();
            std::iter::successors(first, next).map(|(_, slot)| self.entries.get(*slot).arrived).min()
        };
        first_of_ranks(&self.available).into_iter().chain(first_of_ranks(&self.held)).min().map(Timestamp)
    }
}

/// What never changes of a message.
fn fits(entry: &Entry, selection: &Selection<'_>) -> bool {
    selection.message_id.is_none_or(|id| id == entry.message_id)
        && selection.correlation_id.is_none_or(|id| id == entry.correlation_id)
        && selection.group_id.is_none_or(|id| id == *entry.group_id())
        && selection.sequence_number.is_none_or(|number| number == entry.sequence_number())
        && selection.offset.is_none_or(|offset| offset == entry.offset())
}

/// Most messages that a slice of a scan looks at under the queue's lock.
const SEEN_MAXIMUM: usize = 256;
