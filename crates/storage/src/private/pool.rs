//! The bound on message content held in memory, shared by all queues of a store.
//!
//! Admission only: content that came in stays until its message is gone. What is refused lives on disk alone.

use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) struct Pool {
    maximum: u64,
    used: AtomicU64,
    /// How often content had to stay outside.
    misses: AtomicU64,
}

impl Pool {
    pub(crate) fn new(maximum: u64) -> Self {
        Self { maximum, used: AtomicU64::new(0), misses: AtomicU64::new(0) }
    }

    /// True when there was room for `bytes`, which now count until `release`.
    pub(crate) fn admit(&self, bytes: usize) -> bool {
        let bytes = bytes as u64;
        let before = self.used.fetch_add(bytes, Ordering::Relaxed);
        let admitted = before.saturating_add(bytes) <= self.maximum;
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
