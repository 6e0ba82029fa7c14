//! A few numbers over time, packed: a record where something has changed, and nothing where nothing has.
//!
//! A slot is a moment's number, counted by the caller. A record is the distance from the slot before as a varint, whose lowest bit
//! says that nothing is known from here on, and each number's difference from the one before as a zigzag varint. So a record of small
//! changes takes two or three bytes.
//!
//! Invariants
//! - Slots of records rise, and none is before `base`.
//! - A record that is forgotten becomes the base: what held in any slot that is kept is never lost by that.

use std::collections::VecDeque;

/// What holds from a slot on; `None`: nothing is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct State<const N: usize> {
    pub(super) slot: u32,
    pub(super) values: Option<[u64; N]>,
}

pub(super) struct Ring<const N: usize> {
    base: State<N>,
    last: State<N>,
    bytes: VecDeque<u8>,
}

/// Bytes by which a ring grows: doubling would waste more than it holds.
const STEP: usize = 64;

impl<const N: usize> Ring<N> {
    pub(super) fn starting(base: State<N>) -> Self {
        Self { base, last: base, bytes: VecDeque::new() }
    }

    pub(super) fn last(&self) -> State<N> {
        self.last
    }

    /// # Panics
    /// When the slot does not follow the last one.
    pub(super) fn push(&mut self, next: State<N>) {
        assert!(next.slot > self.last.slot || self.bytes.is_empty(), "slots of records rise");
        let distance = next.slot.checked_sub(self.last.slot).expect("no record is before the base");
        let before = self.last.values.unwrap_or([0; N]);
        self.write(u64::from(distance) << 1 | u64::from(next.values.is_none()));
        for (value, before) in next.values.iter().flatten().zip(before) {
            self.write(zigzag(value.wrapping_sub(before)));
        }
        self.last = next;
    }

    /// Begins anew where nothing is on record yet.
    pub(super) fn rebase(&mut self, base: State<N>) {
        debug_assert!(self.bytes.is_empty(), "records would lose what they are told against");
        (self.base, self.last) = (base, base);
    }

    /// Forgets the records before `slot`.
    pub(super) fn forget_before(&mut self, slot: u32) {
        loop {
            let mut reader = Reader { bytes: self.bytes.iter(), state: self.base };
            let Some(first) = reader.next() else { break };
            if first.slot >= slot {
                break;
            }
            let left = reader.bytes.len();
            self.base = first;
            self.bytes.drain(..self.bytes.len() - left);
        }
        if self.bytes.capacity() > 2 * (self.bytes.len() + STEP) {
            self.bytes.shrink_to(self.bytes.len() + STEP);
        }
    }

    pub(super) fn allocated(&self) -> usize {
        self.bytes.capacity()
    }

    /// What each slot says, from `first` to `last`.
    pub(super) fn slots(&self, first: u32, last: u32) -> impl Iterator<Item = Slot<N>> {
        let mut records = Reader { bytes: self.bytes.iter(), state: self.base }.peekable();
        let base = self.base;
        let mut held = None;
        (first..=last).map(move |slot| {
            if slot >= base.slot && held.is_none() {
                held = Some(base.values);
            }
            let mut changed = None;
            while let Some(record) = records.next_if(|record| record.slot <= slot) {
                held = Some(record.values);
                if record.slot == slot {
                    changed = record.values;
                }
            }
            match (changed, held.flatten()) {
                (Some(values), _) => Slot::Changed(values),
                (None, Some(values)) => Slot::Unchanged(values),
                (None, None) => Slot::Unknown,
            }
        })
    }

    fn write(&mut self, mut number: u64) {
        loop {
            if self.bytes.len() == self.bytes.capacity() {
                self.bytes.reserve_exact(STEP);
            }
            let low = u8::try_from(number & 0x7f).expect("seven bits");
            number >>= 7;
            if number == 0 {
                return self.bytes.push_back(low);
            }
            self.bytes.push_back(low | 0x80);
        }
    }
}

/// What is on record of a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot<const N: usize> {
    Unknown,
    /// As before.
    Unchanged([u64; N]),
    Changed([u64; N]),
}

struct Reader<'a, const N: usize> {
    bytes: std::collections::vec_deque::Iter<'a, u8>,
    state: State<N>,
}

impl<const N: usize> Reader<'_, N> {
    fn read(&mut self) -> Option<u64> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = *self.bytes.next()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
            shift += 7;
        }
    }
}

impl<const N: usize> Iterator for Reader<'_, N> {
    type Item = State<N>;

    fn next(&mut self) -> Option<State<N>> {
        let head = self.read()?;
        let slot = self.state.slot + u32::try_from(head >> 1).expect("a distance between slots");
        let values = if head & 1 == 1 {
            None
        } else {
            let mut values = self.state.values.unwrap_or([0; N]);
            for value in &mut values {
                *value = value.wrapping_add(unzigzag(self.read().expect("a record is whole")));
            }
            Some(values)
        };
        self.state = State { slot, values };
        Some(self.state)
    }
}

/// A difference, as one of two's complement, so that small ones of either sign are small numbers.
fn zigzag(difference: u64) -> u64 {
    (difference << 1) ^ (difference.cast_signed() >> 63).cast_unsigned()
}

fn unzigzag(number: u64) -> u64 {
    (number >> 1) ^ (number & 1).wrapping_neg()
}

#[cfg(test)]
mod tests;
