//! Idempotency keys: the same request again gets the answer of the first, and does nothing.
//!
//! The answer is a receipt of the queue manager's, durable in the record of what it is the answer to (`storage`, receipts). What
//! a receipt is found by is a digest of the user, the operation and the key; its value begins with a digest of the request, so
//! that another request under the same key is noticed.
//!
//! Invariant: of two requests with one key at the same time, one is carried out and the other is refused.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use model::reason::Reason;
use model::timestamp::Timestamp;
use parking_lot::Mutex;
use queue_manager::QueueManager;
use queue_manager::{Receipt, ReceiptKey};
use sha2::{Digest, Sha256};
use xxhash_rust::xxh3::{Xxh3Default, xxh3_64, xxh3_128_with_seed};

/// Longest key, in bytes.
pub const LONGEST_KEY: usize = 255;
const FINGERPRINT_BYTES: usize = 16;
/// Bytes of the answer to one put, about.
const SHORT_ANSWER: usize = 128;

/// The keys of requests that are carried out now.
#[derive(Default)]
pub struct Keys {
    running: Arc<Mutex<HashSet<ReceiptKey, foldhash::fast::RandomState>>>,
}

/// What the key of a request says.
pub enum Claim {
    /// This request is the first: carry it out, and commit with a receipt.
    First(Claimed),
    /// It was answered before, so.
    Answered(Bytes),
    /// Another request had this key.
    OtherRequest,
    /// It is being carried out.
    Running,
}

/// A key in the hands of the request that is carried out. Dropped, another request may try.
pub struct Claimed {
    key: ReceiptKey,
    fingerprint: u128,
    running: Arc<Mutex<HashSet<ReceiptKey, foldhash::fast::RandomState>>>,
}

/// What makes two requests the same. Who makes two different requests look the same deceives only itself: a key is its user's own.
#[derive(Clone, Default)]
pub struct Fingerprint(Xxh3Default);

impl Fingerprint {
    /// Adds a part; where one ends counts.
    pub fn add(&mut self, part: &[u8]) {
        self.0.update(&(part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    /// Adds parts with names, whose order does not count.
    pub fn add_named<'a>(&mut self, parts: impl Iterator<Item = (&'a str, &'a [u8])>) {
        let digests = parts.map(|(name, value)| xxh3_128_with_seed(value, xxh3_64(name.as_bytes())));
        self.0.update(&digests.fold(0, u128::wrapping_add).to_le_bytes());
    }

    fn digest(&self) -> u128 {
        self.0.digest128()
    }
}

/// No other user, operation, key or queue manager has the same: a digest that cannot be forged.
fn receipt_key(scope: &[&[u8]], key: &[u8], queue_manager: &str) -> ReceiptKey {
    let mut sum = Sha256::default();
    for part in scope.iter().copied().chain([key, queue_manager.as_bytes()]) {
        sum.update((part.len() as u64).to_le_bytes());
        sum.update(part);
    }
    ReceiptKey(*sum.finalize().first_chunk().expect("a digest of 32 bytes"))
}

impl Keys {
    /// Claims the key of a request. `scope` names the user and the operation.
    ///
    /// # Errors
    /// The receipt cannot be read back.
    pub async fn claim(
        &self,
        queue_manager: &QueueManager,
        scope: &[&[u8]],
        key: &[u8],
        fingerprint: &Fingerprint,
    ) -> Result<Claim, Reason> {
        let key = receipt_key(scope, key, queue_manager.name().as_str());
        let fingerprint = fingerprint.digest();
        // Claimed before the look: a request that ends between them leaves its receipt.
        if !self.running.lock().insert(key) {
            return Ok(Claim::Running);
        }
        let claimed = Claimed { key, fingerprint, running: Arc::clone(&self.running) };
        let Some(value) = queue_manager.receipt(&key).await? else { return Ok(Claim::First(claimed)) };
        match value.split_first_chunk::<FINGERPRINT_BYTES>() {
            Some((first, _)) if *first == fingerprint.to_le_bytes() => {
                Ok(Claim::Answered(value.slice(FINGERPRINT_BYTES..)))
            }
            _ => Ok(Claim::OtherRequest),
        }
    }
}

impl Claimed {
    /// To be durable with what the request did. `write` writes what a repetition gets.
    pub fn receipt(&self, write: impl FnOnce(&mut Vec<u8>), now: Timestamp, kept: Duration) -> Receipt {
        let mut value = Vec::with_capacity(FINGERPRINT_BYTES + SHORT_ANSWER);
        value.extend_from_slice(&self.fingerprint.to_le_bytes());
        write(&mut value);
        Receipt { key: self.key, expires: now.saturating_add(kept), value: value.into() }
    }
}

impl Drop for Claimed {
    fn drop(&mut self) {
        self.running.lock().remove(&self.key);
    }
}
