//! The memory that a body gathers in.
//!
//! A body longer than `MAPPED` has memory of its own from the system, which has it back at once when the body is dropped. The
//! allocator keeps what is freed for a while: a flood of long bodies would leave several times the budget resident.
//!
//! Memory that is reserved and not written to takes none of the machine's.

use std::io;

use bytes::Bytes;
use memmap2::{MmapMut, MmapOptions};

/// Bytes that the allocator serves; beyond, the system does. Mapping costs a fault for each page, which the allocator's memory seldom
/// does.
const MAPPED: usize = 4 << 20;

pub(crate) enum Room {
    Allocated(Vec<u8>),
    Mapped { memory: MmapMut, length: usize },
}

impl Room {
    pub(crate) fn new() -> Self {
        Self::Allocated(Vec::new())
    }

    pub(crate) fn length(&self) -> usize {
        match self {
            Self::Allocated(bytes) => bytes.len(),
            Self::Mapped { length, .. } => *length,
        }
    }

    pub(crate) fn capacity(&self) -> usize {
        match self {
            Self::Allocated(bytes) => bytes.capacity(),
            Self::Mapped { memory, .. } => memory.len(),
        }
    }

    /// Makes room for `capacity` bytes in all, of a body that will have `expected` bytes or more.
    ///
    /// # Errors
    /// There is no memory.
    pub(crate) fn grow_to(&mut self, capacity: usize, expected: usize) -> io::Result<()> {
        match self {
            Self::Allocated(bytes) if capacity.max(expected) <= MAPPED => {
                bytes.try_reserve_exact(capacity.saturating_sub(bytes.len()))?;
            }
            Self::Allocated(_) | Self::Mapped { .. } => {
                let mut memory = MmapOptions::new().len(capacity).no_reserve_swap().map_anon()?;
                let length = self.length();
                memory[..length].copy_from_slice(self.bytes());
                *self = Self::Mapped { memory, length };
            }
        }
        Ok(())
    }

    /// Adds a piece for which there is room.
    pub(crate) fn add(&mut self, piece: &[u8]) {
        match self {
            Self::Allocated(bytes) => bytes.extend_from_slice(piece),
            Self::Mapped { memory, length } => {
                memory[*length..][..piece.len()].copy_from_slice(piece);
                *length += piece.len();
            }
        }
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Self::Allocated(bytes) => bytes,
            Self::Mapped { memory, length } => &memory[..*length],
        }
    }

    pub(crate) fn into_bytes(self) -> Bytes {
        match self {
            Self::Allocated(bytes) => bytes.into(),
            Self::Mapped { memory, length } => Bytes::from_owner(memory).slice(..length),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(pieces: &[(usize, usize)], expected: usize) -> Room {
        let mut room = Room::new();
        for (&(capacity, length), fill) in pieces.iter().zip(0..) {
            room.grow_to(capacity, expected).expect("memory");
            room.add(&vec![fill; length]);
        }
        room
    }

    #[test]
    fn a_short_body_is_allocated_and_a_long_one_is_mapped() {
        let short = filled(&[(100, 60), (200, 100)], 200);
        assert!(matches!(short, Room::Allocated(_)));
        let long = filled(&[(100, 60), (200, 100)], MAPPED + 1);
        assert!(matches!(long, Room::Mapped { .. }));
        let grown = filled(&[(100, 60), (MAPPED + 1, 100)], 0);
        assert!(matches!(grown, Room::Mapped { .. }) && grown.capacity() == MAPPED + 1);
        let expected = [vec![0; 60], vec![1; 100]].concat();
        for room in [short, long, grown] {
            assert_eq!(room.length(), 160);
            assert_eq!(room.into_bytes(), expected);
        }
    }
}
