//! Quotas of a store: how much memory and disk its messages may take, and how much they do.
//!
//! A quota of disk is kept by `log/quota_disk.rs`, as a disk that is full. The quota of memory is kept here: a put is refused before
//! anything of it is anywhere. Without a quota nothing is counted.

use std::num::NonZeroU64;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::StoreError;
use crate::private::pool::Pool;

/// What a message takes in memory besides its content: measured with a million messages, and rounded up.
const MESSAGE_BYTES: u64 = 300;

/// How far a quota is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuotaUse {
    pub used_bytes: u64,
    /// At least 1.
    pub maximum_bytes: u64,
}

impl QuotaUse {
    /// May be more than 100 for a moment, and for a queue manager that started with more.
    pub fn percent(&self) -> u64 {
        self.used_bytes.saturating_mul(100) / self.maximum_bytes
    }
}

/// Those of a store; `None`: there is no such quota.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Quotas {
    pub disk: Option<QuotaUse>,
    pub memory: Option<QuotaUse>,
}

/// Of memory: all messages of a store, and the content of those in the buffer pool.
pub(crate) struct MemoryQuota {
    maximum: u64,
    messages: AtomicU64,
}

impl MemoryQuota {
    /// `messages`: those that are there.
    pub(crate) fn new(maximum: NonZeroU64, messages: u64) -> Self {
        Self { maximum: maximum.get(), messages: AtomicU64::new(messages) }
    }

    /// The part of it that the buffer pool may have: the rest is for messages whose content is on disk.
    pub(crate) fn pool_bytes(maximum: Option<NonZeroU64>, buffer_pool: u64, has_disk: bool) -> u64 {
        let part = |maximum: NonZeroU64| if has_disk { maximum.get() / 4 * 3 } else { maximum.get() };
        maximum.map_or(buffer_pool, |maximum| buffer_pool.min(part(maximum)))
    }

    /// One message more, unless it is one too many.
    ///
    /// # Errors
    /// `NoMemory`.
    pub(crate) fn admit(&self, pool: &Pool) -> Result<(), StoreError> {
        let before = self.messages.fetch_add(1, Ordering::Relaxed);
        if self.bytes(before + 1, pool) > self.maximum {
            self.release();
            return Err(StoreError::NoMemory);
        }
        Ok(())
    }

    pub(crate) fn release(&self) {
        self.messages.fetch_sub(1, Ordering::Relaxed);
    }

    pub(crate) fn usage(&self, pool: &Pool) -> QuotaUse {
        let used_bytes = self.bytes(self.messages.load(Ordering::Relaxed), pool);
        QuotaUse { used_bytes, maximum_bytes: self.maximum }
    }

    fn bytes(&self, messages: u64, pool: &Pool) -> u64 {
        messages.saturating_mul(MESSAGE_BYTES).saturating_add(pool.used())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_and_their_content_count_until_they_are_gone() {
        let maximum = NonZeroU64::new(1000).expect("not zero");
        let pool = Pool::new(MemoryQuota::pool_bytes(Some(maximum), 1 << 30, true), true);
        let quota = MemoryQuota::new(maximum, 0);
        assert!(quota.admit(&pool).is_ok() && pool.admit(600));
        assert_eq!(quota.usage(&pool), QuotaUse { used_bytes: 900, maximum_bytes: 1000 });
        assert!(matches!(quota.admit(&pool), Err(StoreError::NoMemory)));
        assert_eq!(quota.usage(&pool).percent(), 90);
        pool.release(600);
        assert!(quota.admit(&pool).is_ok() && quota.admit(&pool).is_ok() && quota.admit(&pool).is_err());
        quota.release();
        assert!(quota.admit(&pool).is_ok());
        assert!(!pool.admit(751), "a quarter is left to messages without content");
    }
}
