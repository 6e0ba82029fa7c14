//! The two `{aes}` forms of Liberty.
//!
//! ```text
//! byte 0 = 0: AES-128-CBC-PKCS5 of the rest; the initial vector is the key itself
//! byte 0 = 1: length of the initial vector (16), initial vector, AES-256-GCM ciphertext with its 16-byte tag
//! clear text: count n, n random bytes, the password in UTF-8
//! ```
//!
//! Keys come from a key string by PBKDF2 with fixed salts, which takes tens to hundreds of milliseconds: once each.

use std::sync::OnceLock;

use aes::Aes256;
use aes_gcm::AesGcm;
use aes_gcm::aead::{Aead, KeyInit};
use cbc::cipher::block_padding::Pkcs7;
use cbc::cipher::consts::U16;
use cbc::cipher::{BlockDecryptMut, KeyIvInit};
use sha1::Sha1;
use sha2::Sha512;

use super::PasswordError;

/// What the unresolved variable of the default configuration reads: the built-in key string.
const DEFAULT_KEY_STRING: &str = "${wlp.password.encryption.key}";
const CBC_ITERATIONS: u32 = 84_756;
const GCM_ITERATIONS: u32 = 300_000;
const GCM_VECTOR_BYTES: usize = 16;

pub(super) struct DerivedKeys {
    key_string: String,
    cbc: OnceLock<[u8; 16]>,
    gcm: OnceLock<[u8; 32]>,
}

impl DerivedKeys {
    pub(super) fn new(key_string: Option<&str>) -> Self {
        let key_string = key_string.unwrap_or(DEFAULT_KEY_STRING).to_owned();
        Self { key_string, cbc: OnceLock::new(), gcm: OnceLock::new() }
    }

    pub(super) fn decode(&self, bytes: &[u8]) -> Result<String, PasswordError> {
        let clear = match bytes.split_first() {
            Some((0, rest)) => self.decrypt_cbc(rest)?,
            Some((1, rest)) => self.decrypt_gcm(rest)?,
            _ => return Err(PasswordError::Damaged("aes")),
        };
        let (&random_bytes, rest) = clear.split_first().ok_or(PasswordError::Key)?;
        let password = rest.get(usize::from(random_bytes)..).ok_or(PasswordError::Key)?;
        String::from_utf8(password.to_vec()).map_err(|_| PasswordError::Key)
    }

    fn decrypt_cbc(&self, encrypted: &[u8]) -> Result<Vec<u8>, PasswordError> {
        let key = self.cbc.get_or_init(|| {
            pbkdf2::pbkdf2_hmac_array::<Sha1, 16>(self.key_string.as_bytes(), &CBC_SALT, CBC_ITERATIONS)
        });
        cbc::Decryptor::<aes::Aes128>::new(key.into(), key.into())
            .decrypt_padded_vec_mut::<Pkcs7>(encrypted)
            .map_err(|_| PasswordError::Key)
    }

    fn decrypt_gcm(&self, rest: &[u8]) -> Result<Vec<u8>, PasswordError> {
        let (&vector_bytes, rest) = rest.split_first().ok_or(PasswordError::Damaged("aes"))?;
        if usize::from(vector_bytes) != GCM_VECTOR_BYTES || rest.len() < GCM_VECTOR_BYTES {
            return Err(PasswordError::Damaged("aes"));
        }
        let (vector, encrypted) = rest.split_at(GCM_VECTOR_BYTES);
        let key = self.gcm.get_or_init(|| {
            pbkdf2::pbkdf2_hmac_array::<Sha512, 32>(self.key_string.as_bytes(), &GCM_SALT, GCM_ITERATIONS)
        });
        AesGcm::<Aes256, U16>::new(key.into()).decrypt(vector.into(), encrypted).map_err(|_| PasswordError::Key)
    }
}

const CBC_SALT: [u8; 20] = [
    0xa7, 0xa2, 0x83, 0x39, 0x4c, 0x5a, 0xb3, 0x4f, 0x32, 0x15, 0x0a, 0x9e, 0x2f, 0x17, 0x11, 0x38, 0xc3, 0x2e, 0x7d,
    0x80,
];

const GCM_SALT: [u8; 128] = [
    0xa7, 0xc1, 0x16, 0x0f, 0x87, 0x0b, 0x66, 0x4b, 0xa5, 0x44, 0xa2, 0xa7, 0x60, 0x53, 0xeb, 0xbb, 0xd3, 0x1d, 0x1a,
    0x6a, 0xee, 0x45, 0x3c, 0xfa, 0x6c, 0x49, 0x6f, 0x7a, 0x29, 0xed, 0xb2, 0xb1, 0xe4, 0x66, 0x39, 0xf6, 0x42, 0x30,
    0x36, 0x6f, 0x23, 0x5c, 0x3b, 0x87, 0x24, 0x0f, 0x0e, 0xc1, 0xd5, 0x6b, 0x3f, 0xee, 0x57, 0x2b, 0xc7, 0x4a, 0x00,
    0x6b, 0x89, 0xfe, 0xf9, 0xf9, 0xd2, 0xa1, 0xd4, 0x24, 0xf6, 0x56, 0x89, 0xb0, 0x8e, 0x0a, 0x55, 0x18, 0x18, 0x87,
    0xe2, 0x3f, 0x3b, 0x31, 0x34, 0xb4, 0x86, 0x6c, 0xac, 0x10, 0x04, 0xd9, 0x3a, 0x4b, 0x09, 0xe7, 0x7e, 0x7f, 0xa0,
    0x7a, 0xc2, 0xa2, 0x47, 0xf8, 0x9b, 0xdf, 0x39, 0xd4, 0xa3, 0x56, 0x4c, 0x8d, 0x71, 0x84, 0x68, 0xd8, 0x87, 0xf7,
    0x56, 0x79, 0xd0, 0xc7, 0xb3, 0xc6, 0x49, 0x07, 0x0c, 0x04, 0x18, 0xaf, 0xc0, 0x6b,
];
