//! The messages of one queue in chunks, so that growing never copies them and removing leaves no hole for long.

use crate::private::queue::entry::Entry;

/// Number of a message within its queue's memory; used again after the message is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot(u32);

const CHUNK_BITS: u32 = 5;
const CHUNK: usize = 1 << CHUNK_BITS;

enum Place {
    Taken(Entry),
    /// The next free slot.
    Free(Option<u32>),
}

#[derive(Default)]
pub(super) struct Slab {
    chunks: Vec<Vec<Place>>,
    free: Option<u32>,
    length: usize,
}

impl Slab {
    pub(super) fn len(&self) -> usize {
        self.length
    }

    pub(super) fn insert(&mut self, entry: Entry) -> Slot {
        self.length += 1;
        if let Some(number) = self.free {
            let place = self.place_mut(number);
            let Place::Free(next) = std::mem::replace(place, Place::Taken(entry)) else {
                unreachable!("the free list names free slots only")
            };
            self.free = next;
            return Slot(number);
        }
        if self.chunks.last().is_none_or(|chunk| chunk.len() == CHUNK) {
            self.chunks.push(Vec::with_capacity(CHUNK));
        }
        let full = (self.chunks.len() - 1) * CHUNK;
        let chunk = self.chunks.last_mut().expect("one was just made sure of");
        chunk.push(Place::Taken(entry));
        Slot(u32::try_from(full + chunk.len() - 1).expect("a queue holds fewer than 2^32 messages"))
    }

    pub(super) fn remove(&mut self, slot: Slot) -> Entry {
        let free = self.free;
        let Place::Taken(entry) = std::mem::replace(self.place_mut(slot.0), Place::Free(free)) else {
            unreachable!("a slot is removed once")
        };
        self.free = Some(slot.0);
        self.length -= 1;
        if self.length == 0 {
            self.chunks.truncate(1);
            self.chunks.iter_mut().for_each(Vec::clear);
            self.free = None;
        }
        entry
    }

    pub(super) fn get(&self, slot: Slot) -> &Entry {
        let number = slot.0 as usize;
        match &self.chunks[number >> CHUNK_BITS][number & (CHUNK - 1)] {
            Place::Taken(entry) => entry,
            Place::Free(_) => unreachable!("indexes name taken slots only"),
        }
    }

    pub(super) fn get_mut(&mut self, slot: Slot) -> &mut Entry {
        match self.place_mut(slot.0) {
            Place::Taken(entry) => entry,
            Place::Free(_) => unreachable!("indexes name taken slots only"),
        }
    }

    fn place_mut(&mut self, number: u32) -> &mut Place {
        let number = number as usize;
        &mut self.chunks[number >> CHUNK_BITS][number & (CHUNK - 1)]
    }
}
