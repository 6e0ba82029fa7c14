//! An LTPA key file: the shared secret that encrypts tokens and the RSA pair that signs them.
//!
//! The file is Java properties. Its two secrets are encrypted with Triple DES in ECB mode with PKCS#5 padding, under
//! SHA-1 of the password followed by four zero bytes. Clear layouts, big-endian:
//!
//! ```text
//! shared key   24 bytes; tokens use the first 16
//! private key  length of d (4), d (128 or 129), e (3), p (65), q (65)      the older form: e (3), p (65), q (65)
//! public key   modulus (129, leading zero), e (3)
//! ```
//!
//! The private exponent is always computed anew from e, p and q; a stored one is not trusted.
//! This module touches no disk. Source: Open Liberty 24.0.0.12, checked in both directions.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use cbc::cipher::block_padding::Pkcs7;
use cbc::cipher::{BlockDecryptMut, BlockEncryptMut, KeyInit};
use document::properties;
use rand::RngCore;
use rsa::traits::{PrivateKeyParts, PublicKeyParts};
use rsa::{BigUint, RsaPrivateKey, RsaPublicKey};
use sha1::{Digest, Sha1};
use sha2::Sha256;

/// Liberty's password for key files when none is configured; anybody knows it.
pub const DEFAULT_PASSWORD: &str = "WebAS";

/// First line of the files we make: tells them from files that come from elsewhere.
pub const OWN_COMMENT: &str = "#LTPA keys made by Quaymaster";

const VERSION: &str = "com.ibm.websphere.ltpa.version";
const SHARED_KEY: &str = "com.ibm.websphere.ltpa.3DESKey";
const PRIVATE_KEY: &str = "com.ibm.websphere.ltpa.PrivateKey";
const PUBLIC_KEY: &str = "com.ibm.websphere.ltpa.PublicKey";
const REALM: &str = "com.ibm.websphere.ltpa.Realm";
const CREATION_DATE: &str = "com.ibm.websphere.CreationDate";
const CREATION_HOST: &str = "com.ibm.websphere.CreationHost";

const MODULUS_BITS: usize = 1024;
const MODULUS_BYTES: usize = MODULUS_BITS / 8;
const EXPONENT_BYTES: usize = 3;
const PRIME_BYTES: usize = 65;
/// Bytes of the older private form: e, p, q.
const PRIMES_FORM_BYTES: usize = EXPONENT_BYTES + 2 * PRIME_BYTES;

type TripleDesEncryptor = ecb::Encryptor<des::TdesEde3>;
type TripleDesDecryptor = ecb::Decryptor<des::TdesEde3>;

/// The keys of one file. Never printed.
#[derive(Clone)]
pub struct LtpaKeys {
    shared: [u8; 24],
    private: RsaPrivateKey,
    public: RsaPublicKey,
}

/// Why a key file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeysError {
    #[error("it has no {0}")]
    Missing(&'static str),
    #[error("its {0} is not base64")]
    Base64(&'static str),
    #[error("it cannot be decrypted with ltpa.keys_password")]
    Password,
    #[error("its {0} has an unknown layout (keys other than RSA of 1024 bits are not supported)")]
    Layout(&'static str),
    #[error("its public and private keys do not belong together")]
    Mismatch,
    #[error("an RSA key cannot be made")]
    Generation,
}

impl LtpaKeys {
    /// New random keys. Takes some ten milliseconds of processor time.
    ///
    /// # Errors
    /// `Generation` when no key comes out, which a working random source rules out.
    pub fn generate() -> Result<Self, KeysError> {
        let mut random = rand::rngs::OsRng;
        let private = RsaPrivateKey::new(&mut random, MODULUS_BITS).map_err(|_| KeysError::Generation)?;
        let mut shared = [0; 24];
        random.fill_bytes(&mut shared);
        Ok(Self { shared, public: private.to_public_key(), private })
    }

    /// Reads the contents of a key file.
    ///
    /// # Errors
    /// By what is wrong with the file; `Password` when its secrets do not decrypt.
    pub fn parse(contents: &[u8], password: &str) -> Result<Self, KeysError> {
        let entries = properties::parse(contents);
        let cipher_key = key_encryption_key(password);
        let shared = decrypt(&base64_entry(&entries, SHARED_KEY)?, &cipher_key)?;
        let shared: [u8; 24] = shared.try_into().map_err(|_| KeysError::Layout(SHARED_KEY))?;
        let private = parse_private(&decrypt(&base64_entry(&entries, PRIVATE_KEY)?, &cipher_key)?)?;
        let public = parse_public(&base64_entry(&entries, PUBLIC_KEY)?)?;
        if private.n() != public.n() || private.e() != public.e() {
            return Err(KeysError::Mismatch);
        }
        Ok(Self { shared, private, public })
    }

    /// The contents of a key file that Liberty reads. `date` is informative, in whatever form.
    pub fn to_file(&self, password: &str, date: &str) -> String {
        let cipher_key = key_encryption_key(password);
        let entries = [
            (VERSION, "1.0".to_owned()),
            (SHARED_KEY, STANDARD.encode(encrypt(&self.shared, &cipher_key))),
            (PRIVATE_KEY, STANDARD.encode(encrypt(&self.private_layout(), &cipher_key))),
            (PUBLIC_KEY, STANDARD.encode(self.public_layout())),
            (REALM, "defaultRealm".to_owned()),
            (CREATION_DATE, date.to_owned()),
            (CREATION_HOST, "localhost".to_owned()),
        ];
        let lines = entries.iter().map(|(key, value)| properties::entry(key, value) + "\n");
        std::iter::once(format!("{OWN_COMMENT}\n")).chain(lines).collect()
    }

    /// Key of the tokens' cipher, and its initial vector too.
    /// What a token says of the stored password of its user, so that a change ends it: 24 bits, too few to tell a password
    /// from others to a reader with the keys.
    pub(crate) fn password_mark(&self, user: &str, stored: &str) -> String {
        let digest = Sha256::new()
            .chain_update(b"password mark")
            .chain_update(self.token_key())
            .chain_update(Sha256::digest(user))
            .chain_update(stored)
            .finalize();
        digest[..3].iter().map(|byte| format!("{byte:02x}")).collect()
    }

    pub(super) fn token_key(&self) -> &[u8; 16] {
        self.shared.first_chunk().expect("24 bytes hold 16")
    }

    pub(super) fn private(&self) -> &RsaPrivateKey {
        &self.private
    }

    pub(super) fn public(&self) -> &RsaPublicKey {
        &self.public
    }

    fn private_layout(&self) -> Vec<u8> {
        let d = self.private.d().to_bytes_be();
        let d_bytes = if d.len() == MODULUS_BYTES && d[0] >= 0x80 { MODULUS_BYTES + 1 } else { MODULUS_BYTES };
        let mut layout = Vec::with_capacity(4 + d_bytes + PRIMES_FORM_BYTES);
        layout.extend_from_slice(&u32::try_from(d_bytes).expect("128 or 129").to_be_bytes());
        push_padded(&mut layout, &d, d_bytes);
        push_padded(&mut layout, &self.private.e().to_bytes_be(), EXPONENT_BYTES);
        let (p, q) = (&self.private.primes()[0], &self.private.primes()[1]);
        for prime in [p.max(q), p.min(q)] {
            push_padded(&mut layout, &prime.to_bytes_be(), PRIME_BYTES);
        }
        layout
    }

    fn public_layout(&self) -> Vec<u8> {
        let mut layout = Vec::with_capacity(MODULUS_BYTES + 1 + EXPONENT_BYTES);
        push_padded(&mut layout, &self.public.n().to_bytes_be(), MODULUS_BYTES + 1);
        push_padded(&mut layout, &self.public.e().to_bytes_be(), EXPONENT_BYTES);
        layout
    }
}

impl std::fmt::Debug for LtpaKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LtpaKeys")
    }
}

/// `bytes` with zeros before it up to `width`.
fn push_padded(layout: &mut Vec<u8>, bytes: &[u8], width: usize) {
    assert!(bytes.len() <= width, "a number of a 1024-bit key fits its field");
    layout.resize(layout.len() + width - bytes.len(), 0);
    layout.extend_from_slice(bytes);
}

fn parse_private(layout: &[u8]) -> Result<RsaPrivateKey, KeysError> {
    let numbers = if layout.len() == PRIMES_FORM_BYTES {
        layout
    } else {
        let (length, rest) = layout.split_first_chunk().ok_or(KeysError::Layout(PRIVATE_KEY))?;
        let d_bytes = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX);
        rest.get(d_bytes..).filter(|rest| rest.len() == PRIMES_FORM_BYTES).ok_or(KeysError::Layout(PRIVATE_KEY))?
    };
    let (e, primes) = numbers.split_at(EXPONENT_BYTES);
    let (p, q) = primes.split_at(PRIME_BYTES);
    let [e, p, q] = [e, p, q].map(BigUint::from_bytes_be);
    // The RSA arithmetic divides by p - 1 and q - 1 and inverts modulo both.
    let usable = |prime: &BigUint| prime.bits() > MODULUS_BITS / 4 && prime.to_bytes_le()[0] % 2 == 1;
    if !usable(&p) || !usable(&q) || e.to_bytes_le()[0].is_multiple_of(2) {
        return Err(KeysError::Layout(PRIVATE_KEY));
    }
    let private = RsaPrivateKey::from_p_q(p, q, e).map_err(|_| KeysError::Layout(PRIVATE_KEY))?;
    if private.size() != MODULUS_BYTES {
        return Err(KeysError::Layout(PRIVATE_KEY));
    }
    Ok(private)
}

fn parse_public(layout: &[u8]) -> Result<RsaPublicKey, KeysError> {
    if layout.len() != MODULUS_BYTES + 1 + EXPONENT_BYTES {
        return Err(KeysError::Layout(PUBLIC_KEY));
    }
    let (modulus, exponent) = layout.split_at(MODULUS_BYTES + 1);
    RsaPublicKey::new(BigUint::from_bytes_be(modulus), BigUint::from_bytes_be(exponent))
        .map_err(|_| KeysError::Layout(PUBLIC_KEY))
}

fn base64_entry(entries: &BTreeMap<String, String>, key: &'static str) -> Result<Vec<u8>, KeysError> {
    let text = entries.get(key).ok_or(KeysError::Missing(key))?;
    STANDARD.decode(text.trim_ascii()).map_err(|_| KeysError::Base64(key))
}

fn key_encryption_key(password: &str) -> [u8; 24] {
    let mut key = [0; 24];
    key[..20].copy_from_slice(&Sha1::digest(password.as_bytes()));
    key
}

fn encrypt(clear: &[u8], key: &[u8; 24]) -> Vec<u8> {
    TripleDesEncryptor::new(key.into()).encrypt_padded_vec_mut::<Pkcs7>(clear)
}

fn decrypt(encrypted: &[u8], key: &[u8; 24]) -> Result<Vec<u8>, KeysError> {
    TripleDesDecryptor::new(key.into()).decrypt_padded_vec_mut::<Pkcs7>(encrypted).map_err(|_| KeysError::Password)
}

#[cfg(test)]
mod tests;
