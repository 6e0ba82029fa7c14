//! The bound on message content held in memory, shared by all queues of a store.
//!
//! Admission only: content that came in stays until its message is gone. What is refused lives on disk alone.
//!
//! Where a disk takes what is refused, long content is admitted to a part of the pool only. A few long messages would fill it
//! at once otherwise, and each read of them from disk costs little beside what it costs to send them.

use std::sync::atomic::{AtomicU64, Ordering};

/// Content of this length is long, in bytes.
pub(crate) const LONG: usize = 1 << 20;
/// Long content is admitted to one part in so many.
const PART_OF_LONG: u64 = 4;

pub(crate) struct Pool {
    maximum: u64,
    /// For long content.
    maximum_of_long: u64,
    used: AtomicU64,
    /// How often content had to stay outside.
    misses: AtomicU64,
}

impl Pool {
    /// `has_disk`: what is refused lives on disk.
    pub(crate) fn new(maximum: u64, has_disk: bool) -> Self {
        let maximum_of_long = if has_disk { maximum / PART_OF_LONG } else { maximum };
        Self { maximum, maximum_of_long, used: AtomicU64::new(0), misses: AtomicU64::new(0) }
    }

    /// True when there was room for `bytes`, which now count until `release`.
    pub(crate) fn admit(&self, bytes: usize) -> bool {
        let maximum = if bytes < LONG { self.maximum } else { self.maximum_of_long };
        let bytes = bytes as u64;
        let before = self.used.fetch_add(bytes, Ordering::Relaxed);
        let admitted = before.saturating_add(bytes) <= maximum;
        if !admitted {
            self.used.fetch_sub(bytes, Ordering::Relaxed);
            self.misses.fetch_add(1, Ordering::Relaxed);
        }
        admitted
    }

    pub(crate) fn release(&self, bytes: usize) {
        self.used.fetch_sub(bytes as u64, Ordering::Relaxed);
    }

    pub(crate) fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    pub(crate) fn misses(&self) -> u64 {
        self.misses.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_content_is_admitted_to_a_part_of_the_pool_when_a_disk_takes_the_rest() {
        let megabytes = |count: usize| count << 20;
        let pool = Pool::new(256 << 20, true);
        let long = (0..100).filter(|_| pool.admit(megabytes(4))).count();
        let short = (0..1000).filter(|_| pool.admit(megabytes(1) - 1)).count();
        assert_eq!((long, short), (16, 192));
        pool.release(megabytes(4));
        assert!(!pool.admit(megabytes(4)) && pool.admit(megabytes(1) - 1));
        let alone = Pool::new(256 << 20, false);
        assert!(alone.admit(megabytes(100)) && alone.admit(megabytes(100)) && !alone.admit(megabytes(100)));
    }
}
