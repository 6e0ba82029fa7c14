//! The public keys of an issuer, as its JWKS document has them.
//!
//! Invariants
//! - A key verifies signatures of algorithms of its own kind, and of its curve, alone. Symmetric keys and keys for
//!   encryption are passed over.
//! - Of a document `MOST` keys are looked at.

use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};
use serde_json::Value;

/// Keys of one issuer.
const MOST: usize = 64;

#[derive(Default)]
pub(super) struct KeySet {
    keys: Vec<Key>,
    /// What they were made of, to tell whether another document has the same.
    source: Vec<Value>,
}

struct Key {
    id: Option<String>,
    /// Those that the key may verify.
    algorithms: Vec<Algorithm>,
    key: DecodingKey,
}

impl KeySet {
    /// # Errors
    /// It is no JWKS document, or has no key that can be used.
    pub(super) fn parse(document: &[u8]) -> Result<Self, String> {
        let document: Value = serde_json::from_slice(document).map_err(|error| format!("it is not JSON: {error}"))?;
        let source = document.get("keys").and_then(Value::as_array).ok_or("it has no list of keys")?;
        let source: Vec<Value> = source.iter().take(MOST).cloned().collect();
        let keys: Vec<Key> = source.iter().filter_map(Key::read).collect();
        if keys.is_empty() {
            return Err("it has no key that can be used".to_owned());
        }
        Ok(Self { keys, source })
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.source == other.source
    }

    /// The key of an id that fits the algorithm. A token without an id means the only key that fits.
    pub(super) fn find(&self, id: Option<&str>, algorithm: Algorithm) -> Option<&DecodingKey> {
        let mut fitting = self.keys.iter().filter(|key| key.algorithms.contains(&algorithm));
        match id {
            Some(id) => fitting.find(|key| key.id.as_deref() == Some(id)).map(|key| &key.key),
            None => fitting.next().filter(|_| fitting.next().is_none()).map(|key| &key.key),
        }
    }
}

impl Key {
    fn read(value: &Value) -> Option<Self> {
        let jwk: Jwk = serde_json::from_value(value.clone()).ok()?;
        if jwk.common.public_key_use.as_ref().is_some_and(|purpose| *purpose != PublicKeyUse::Signature) {
            return None;
        }
        let kinds: &[Algorithm] = match &jwk.algorithm {
            AlgorithmParameters::RSA(_) => &[
                Algorithm::RS256,
                Algorithm::RS384,
                Algorithm::RS512,
                Algorithm::PS256,
                Algorithm::PS384,
                Algorithm::PS512,
            ],
            AlgorithmParameters::EllipticCurve(key) => match key.curve {
                EllipticCurve::P256 => &[Algorithm::ES256],
                EllipticCurve::P384 => &[Algorithm::ES384],
                _ => return None,
            },
            AlgorithmParameters::OctetKeyPair(key) if key.curve == EllipticCurve::Ed25519 => &[Algorithm::EdDSA],
            _ => return None,
        };
        let algorithms = match jwk.common.key_algorithm {
            None => kinds.to_vec(),
            Some(stated) => {
                let stated = Algorithm::try_from(stated).ok().filter(|stated| kinds.contains(stated))?;
                vec![stated]
            }
        };
        let key = DecodingKey::from_jwk(&jwk).ok()?;
        Some(Self { id: jwk.common.key_id, algorithms, key })
    }
}
