//! How many messages each queue holds, readable without the queue's lock and without finding the queue.
//!
//! A queue writes its count under its own lock. Counts of queues that were made one after the other lie side by side, so
//! that a list of thousands of queues reads memory in order: found queue by queue, ten thousand depths cost three times
//! as much a queue as one thousand, which fit the processor's cache.
//!
//! Invariant: the memory of a block lives as long as one of its queues; a queue that has gone leaves nothing behind but
//! its place among at most [`BLOCK`] neighbours.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use crate::QueueId;

/// Queues whose counts lie in one piece of memory.
const BLOCK: usize = 256;

type Block = [AtomicU32; BLOCK];

/// The count of one queue. Cheap to clone; clones see the same count.
#[derive(Clone)]
pub struct MessageCount {
    block: Arc<Block>,
    index: usize,
}

impl MessageCount {
    /// Messages on the queue, uncommitted ones counted; 0 once the queue has gone.
    pub fn get(&self) -> u32 {
        self.block[self.index].load(Ordering::Relaxed)
    }

    pub(crate) fn set(&self, messages: usize) {
        self.block[self.index].store(u32::try_from(messages).unwrap_or(u32::MAX), Ordering::Relaxed);
    }
}

/// The counts of all queues of a store.
#[derive(Default)]
pub(crate) struct MessageCounts {
    /// By the number of the first queue's block.
    blocks: Mutex<BTreeMap<u32, Weak<Block>>>,
}

impl MessageCounts {
    pub(crate) fn of(&self, queue: QueueId) -> MessageCount {
        let (number, index) = (queue.0 / WIDTH, queue.0 % WIDTH);
        let mut blocks = self.blocks.lock();
        let block = blocks.get(&number).and_then(Weak::upgrade).unwrap_or_else(|| {
            blocks.retain(|_, block| block.strong_count() > 0);
            let block = Arc::new([const { AtomicU32::new(0) }; BLOCK]);
            blocks.insert(number, Arc::downgrade(&block));
            block
        });
        MessageCount { block, index: index as usize }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "BLOCK is small")]
const WIDTH: u32 = BLOCK as u32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_share_memory_and_not_counts() {
        let counts = MessageCounts::default();
        let (one, two) = (counts.of(QueueId(1)), counts.of(QueueId(2)));
        one.set(7);
        two.set(9);
        assert!(Arc::ptr_eq(&one.block, &two.block));
        assert_eq!((one.get(), two.get(), counts.of(QueueId(1)).get()), (7, 9, 7));
    }

    #[test]
    fn blocks_whose_queues_have_all_gone_are_given_back() {
        let counts = MessageCounts::default();
        let kept = counts.of(QueueId(1));
        for number in 1..100 {
            drop(counts.of(QueueId(number * WIDTH)));
        }
        assert_eq!(counts.blocks.lock().len(), 2, "the one that is kept and the last");
        assert_eq!(kept.get(), 0);
    }
}
