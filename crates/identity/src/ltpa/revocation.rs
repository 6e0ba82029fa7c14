//! Tokens that were logged out: refused until they would have expired anyway.
//!
//! Stricter than Liberty's default, under which a copied token stays good after a logout. Only tokens that verify come
//! here, so that strangers cannot fill the list; it is bounded all the same.

use std::collections::HashMap;

use parking_lot::RwLock;
use sha2::{Digest, Sha256};

/// Most tokens remembered. Beyond it the one that expires soonest is forgotten.
const CAPACITY: usize = 100_000;

#[derive(Debug, Default)]
pub(crate) struct Revocations {
    /// SHA-256 of the token to its expiry in milliseconds.
    expiry_of: RwLock<HashMap<[u8; 32], u64>>,
}

impl Revocations {
    pub(crate) fn add(&self, token: &str, expires_ms: u64, now_ms: u64) {
        let mut expiry_of = self.expiry_of.write();
        if expiry_of.len() >= CAPACITY {
            expiry_of.retain(|_, expiry| *expiry >= now_ms);
        }
        if expiry_of.len() >= CAPACITY {
            let soonest = expiry_of.iter().min_by_key(|(_, expiry)| **expiry).map(|(&hash, _)| hash);
            soonest.map(|hash| expiry_of.remove(&hash));
        }
        expiry_of.insert(hash(token), expires_ms);
    }

    pub(crate) fn contains(&self, token: &str) -> bool {
        let expiry_of = self.expiry_of.read();
        !expiry_of.is_empty() && expiry_of.contains_key(&hash(token))
    }
}

fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}
