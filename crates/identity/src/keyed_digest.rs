//! What tables of verified secrets are looked up by: SHA-256 under a random key of the table.
//!
//! The secret itself is never kept. The whole digest is compared, so a hit means the very bytes that were verified, and without the key
//! a stranger cannot choose secrets that share a place in the table.

use rand::RngCore;
use sha2::{Digest, Sha256};

/// SHA-256 that has taken in a random block already.
pub(super) struct Digester(Sha256);

/// The digest of one secret.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct KeyedDigest([u8; 32]);

impl Digester {
    pub(super) fn new() -> Self {
        let mut key = [0; 64];
        rand::rngs::OsRng.fill_bytes(&mut key);
        Self(Sha256::new_with_prefix(key))
    }

    pub(super) fn digest(&self, secret: &[u8]) -> KeyedDigest {
        KeyedDigest(self.0.clone().chain_update(secret).finalize().into())
    }
}

impl KeyedDigest {
    pub(super) fn hash(&self) -> u64 {
        u64::from_le_bytes(*self.0.first_chunk().expect("32 bytes hold 8"))
    }
}
