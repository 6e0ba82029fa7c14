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

/// Longest key, in bytes.
pub const LONGEST_KEY: usize = 255;
const FINGERPRINT_BYTES: usize = 16;

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
    fingerprint: [u8; FINGERPRINT_BYTES],
    running: Arc<Mutex<HashSet<ReceiptKey, foldhash::fast::RandomState>>>,
}

/// What makes two requests the same.
#[derive(Clone, Default)]
pub struct Fingerprint(Sha256);

impl Fingerprint {
    /// Adds a part; where one ends counts.
    #[must_use]
    pub fn with(mut self, part: &[u8]) -> Self {
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
        self
    }

    fn digest(self) -> [u8; FINGERPRINT_BYTES] {
        first_half(self.0)
    }
}

fn first_half(sum: Sha256) -> [u8; 16] {
    let sum = sum.finalize();
    *sum.first_chunk().expect("a digest of 32 bytes")
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
        fingerprint: Fingerprint,
    ) -> Result<Claim, Reason> {
        let scoped = scope.iter().fold(Fingerprint::default(), |sum, part| sum.with(part)).with(key);
        let queue_manager_name = queue_manager.name();
        let key = ReceiptKey(scoped.with(queue_manager_name.as_str().as_bytes()).digest());
        let fingerprint = fingerprint.digest();
        // Claimed before the look: a request that ends between them leaves its receipt.
        if !self.running.lock().insert(key) {
            return Ok(Claim::Running);
        }
        let claimed = Claimed { key, fingerprint, running: Arc::clone(&self.running) };
        let Some(value) = queue_manager.receipt(&key).await? else { return Ok(Claim::First(claimed)) };
        match value.split_first_chunk::<FINGERPRINT_BYTES>() {
            Some((first, _)) if *first == fingerprint => Ok(Claim::Answered(value.slice(FINGERPRINT_BYTES..))),
            _ => Ok(Claim::OtherRequest),
        }
    }
}

impl Claimed {
    /// To be committed with what the request did. `answer` is what a repetition gets.
    pub fn receipt(&self, answer: &[u8], now: Timestamp, kept: Duration) -> Receipt {
        let value = [&self.fingerprint[..], answer].concat().into();
        Receipt { key: self.key, expires: now.saturating_add(kept), value }
    }
}

impl Drop for Claimed {
    fn drop(&mut self) {
        self.running.lock().remove(&self.key);
    }
}
