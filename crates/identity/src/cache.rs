//! A bounded table of things verified lately, split into shards so that request threads seldom meet.
//!
//! Read-mostly: a hit takes one shard's lock for reading. The key is a keyed 64-bit hash that callers compute; what is
//! stored must itself prove that it is the thing meant, for two things may share a hash (the later one stays).
//!
//! Invariant: a shard never holds more than its share of the capacity; when full, what is over already goes, then what
//! ends soonest.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use parking_lot::RwLock;

const SHARDS: usize = 16;

pub(super) struct VerifiedCache<V> {
    shards: [RwLock<HashMap<u64, V, RandomState>>; SHARDS],
    capacity_of_shard: usize,
}

/// What a cache needs to know in order to choose what goes first.
pub(super) trait Ends {
    /// When the entry stops being of use, in milliseconds.
    fn ends_ms(&self) -> u64;
}

impl<V: Ends> VerifiedCache<V> {
    pub(super) fn new(capacity: usize) -> Self {
        Self { shards: std::array::from_fn(|_| RwLock::default()), capacity_of_shard: (capacity / SHARDS).max(1) }
    }

    /// What `look` makes of the entry under `hash`. `look` runs under the lock and must be short.
    pub(super) fn find<R>(&self, hash: u64, look: impl FnOnce(&V) -> Option<R>) -> Option<R> {
        self.shard(hash).read().get(&hash).and_then(look)
    }

    pub(super) fn insert(&self, hash: u64, value: V, now_ms: u64) {
        let mut shard = self.shard(hash).write();
        if shard.len() >= self.capacity_of_shard && !shard.contains_key(&hash) {
            shard.retain(|_, entry| entry.ends_ms() >= now_ms);
        }
        if shard.len() >= self.capacity_of_shard && !shard.contains_key(&hash) {
            let soonest = shard.iter().min_by_key(|(_, entry)| entry.ends_ms()).map(|(&hash, _)| hash);
            soonest.map(|hash| shard.remove(&hash));
        }
        shard.insert(hash, value);
    }

    pub(super) fn remove(&self, hash: u64) {
        self.shard(hash).write().remove(&hash);
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.read().len()).sum()
    }

    fn shard(&self, hash: u64) -> &RwLock<HashMap<u64, V, RandomState>> {
        // The table inside uses the low bits too; the shard is chosen by the high ones.
        &self.shards[usize::try_from(hash >> 60).expect("four bits")]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Until(u64);

    impl Ends for Until {
        fn ends_ms(&self) -> u64 {
            self.0
        }
    }

    #[test]
    fn a_full_cache_drops_what_is_over_and_then_what_ends_soonest() {
        let cache = VerifiedCache::new(SHARDS * 2);
        cache.insert(1, Until(10), 0);
        cache.insert(2, Until(20), 0);
        cache.insert(3, Until(30), 15);
        assert!(cache.find(1, |_| Some(())).is_none(), "was over");
        cache.insert(4, Until(25), 15);
        assert!(cache.find(2, |_| Some(())).is_none(), "ended soonest");
        assert!(cache.find(3, |_| Some(())).is_some());
        assert_eq!(cache.len(), 2);
    }

    #[test]
    fn an_entry_is_replaced_without_pushing_others_out() {
        let cache = VerifiedCache::new(SHARDS * 2);
        cache.insert(1, Until(10), 0);
        cache.insert(2, Until(20), 0);
        cache.insert(2, Until(30), 0);
        assert_eq!(cache.find(1, |entry| Some(entry.0)), Some(10));
        assert_eq!(cache.find(2, |entry| Some(entry.0)), Some(30));
    }
}
