//! From an identifier to the available messages that carry it, in delivery order.
//!
//! The table holds slots, not identifiers: it hashes the stored message. Messages that share an identifier are in an
//! ordered map of their own, so that the first of a million costs what the first of one costs. The identifier of zeros
//! means "none" and is not indexed.

use std::collections::BTreeMap;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry as TableEntry;

use crate::private::queue::entry::{Entry, Key};
use crate::private::queue::slab::{Slab, Slot};

type Identifier = [u8; 24];

/// An empty index gives back its memory when it has room for more than this many messages.
const KEPT_CAPACITY: usize = 64;

pub(super) struct IdentifierIndex {
    identifier: fn(&Entry) -> &Identifier,
    hasher: RandomState,
    table: HashTable<Posting>,
    shared: Vec<Shared>,
    free: Vec<u32>,
}

#[derive(Clone, Copy)]
enum Posting {
    One(Slot),
    /// Index into `shared`.
    Many(u32),
}

struct Shared {
    identifier: Identifier,
    slots: BTreeMap<Key, Slot>,
}

pub(super) enum Postings<'a> {
    None,
    One(Slot),
    Many(&'a BTreeMap<Key, Slot>),
}

impl Postings<'_> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::None => 0,
            Self::One(_) => 1,
            Self::Many(slots) => slots.len(),
        }
    }
}

pub(super) fn is_unindexed(identifier: &Identifier) -> bool {
    *identifier == [0; 24]
}

impl IdentifierIndex {
    pub(super) fn new(identifier: fn(&Entry) -> &Identifier) -> Self {
        Self {
            identifier,
            hasher: RandomState::default(),
            table: HashTable::new(),
            shared: Vec::new(),
            free: Vec::new(),
        }
    }

    pub(super) fn postings(&self, entries: &Slab, identifier: &Identifier) -> Postings<'_> {
        let hash = self.hasher.hash_one(identifier);
        match self.table.find(hash, |posting| self.identifier_of(entries, posting) == identifier) {
            None => Postings::None,
            Some(Posting::One(slot)) => Postings::One(*slot),
            Some(Posting::Many(number)) => Postings::Many(&self.shared[*number as usize].slots),
        }
    }

    pub(super) fn insert(&mut self, entries: &Slab, slot: Slot) {
        let entry = entries.get(slot);
        let identifier = *(self.identifier)(entry);
        if is_unindexed(&identifier) {
            return;
        }
        let Self { identifier: of, hasher, table, shared, free } = self;
        let of_posting = |posting: &Posting, shared: &[Shared]| match posting {
            Posting::One(slot) => *of(entries.get(*slot)),
            Posting::Many(number) => shared[*number as usize].identifier,
        };
        let found = table.entry(
            hasher.hash_one(identifier),
            |posting| of_posting(posting, shared) == identifier,
            |posting| hasher.hash_one(of_posting(posting, shared)),
        );
        match found {
            TableEntry::Vacant(vacant) => {
                vacant.insert(Posting::One(slot));
            }
            TableEntry::Occupied(mut occupied) => match *occupied.get() {
                Posting::Many(number) => {
                    shared[number as usize].slots.insert(entry.key, slot);
                }
                Posting::One(first) => {
                    let slots = BTreeMap::from([(entries.get(first).key, first), (entry.key, slot)]);
                    let several = Shared { identifier, slots };
                    let number = free.pop().unwrap_or_else(|| {
                        u32::try_from(shared.len()).expect("fewer shared identifiers than messages")
                    });
                    match shared.get_mut(number as usize) {
                        Some(place) => *place = several,
                        None => shared.push(several),
                    }
                    *occupied.get_mut() = Posting::Many(number);
                }
            },
        }
    }

    pub(super) fn remove(&mut self, entries: &Slab, slot: Slot) {
        let entry = entries.get(slot);
        let identifier = *(self.identifier)(entry);
        if is_unindexed(&identifier) {
            return;
        }
        let hash = self.hasher.hash_one(identifier);
        let Self { identifier: of, table, shared, free, .. } = self;
        let found = table.find_entry(hash, |posting| match posting {
            Posting::One(slot) => *of(entries.get(*slot)) == identifier,
            Posting::Many(number) => shared[*number as usize].identifier == identifier,
        });
        let Ok(mut found) = found else { unreachable!("every available message with an identifier is indexed") };
        if let Posting::Many(number) = *found.get() {
            let slots = &mut shared[number as usize].slots;
            slots.remove(&entry.key);
            if let (1, Some((_, last))) = (slots.len(), slots.first_key_value()) {
                *found.get_mut() = Posting::One(*last);
                slots.clear();
                free.push(number);
            }
        } else {
            found.remove();
        }
        if self.table.is_empty() && self.table.capacity() > KEPT_CAPACITY {
            self.table = HashTable::new();
            self.shared = Vec::new();
            self.free = Vec::new();
        }
    }

    fn identifier_of<'a>(&'a self, entries: &'a Slab, posting: &Posting) -> &'a Identifier {
        match posting {
            Posting::One(slot) => (self.identifier)(entries.get(*slot)),
            Posting::Many(number) => &self.shared[*number as usize].identifier,
        }
    }
}
