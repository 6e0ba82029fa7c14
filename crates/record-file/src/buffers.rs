//! Buffers that are used again: memory that is new for each block costs a fault of the processor for each of its pages.

use std::sync::{Mutex, PoisonError};

/// Those that nobody uses at the moment. There are no more than blocks are under way.
#[derive(Default)]
pub(crate) struct Buffers(Mutex<Vec<Vec<u8>>>);

impl Buffers {
    /// An empty one with room for so many bytes.
    pub(crate) fn take(&self, room: usize) -> Vec<u8> {
        let mut buffer = self.spare().pop().unwrap_or_default();
        buffer.reserve(room);
        buffer
    }

    pub(crate) fn give(&self, mut buffer: Vec<u8>) {
        buffer.clear();
        self.spare().push(buffer);
    }

    fn spare(&self) -> std::sync::MutexGuard<'_, Vec<Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
