//! The forms a password may be stored in, and checking a password against them.
//!
//! | form | kept how |
//! | --- | --- |
//! | no prefix | clear text |
//! | `{xor}` | base64 of the bytes, each XOR 0x5F |
//! | `{aes}` | first byte 0: AES-128-CBC; first byte 1: AES-256-GCM; under a key derived from a key string |
//! | `{hash}` | PBKDF2, one way |
//! | `{argon2id}` | a PHC string, one way, memory-hard: what we write ourselves |
//!
//! Names of forms are compared without case; `{custom}` and unknown ones are refused. A reversible password is turned
//! into a keyed digest when read, so that checks take the same time whatever is typed and no clear text stays in memory.
//! Nothing here is ever printed. Source: Open Liberty 24.0.0.12 and its published encodings.

mod aes_form;
mod hash_form;

use std::fmt;

use argon2::password_hash::{PasswordHashString, SaltString};
use argon2::{Algorithm, Argon2, Params, PasswordHash, PasswordHasher, PasswordVerifier, Version};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rand::RngCore;
use sha2::{Digest, Sha256};

use self::aes_form::DerivedKeys;
use self::hash_form::Pbkdf2Hash;

/// Memory of one of our own hashes, in KiB, with passes and lanes as the OWASP password storage guide recommends.
const ARGON2_MEMORY_KIB: u32 = 19_456;
const ARGON2_PASSES: u32 = 2;
const ARGON2_LANES: u32 = 1;
/// Dearest Argon2 parameters a configuration may ask for: memory in KiB, passes, lanes.
const ARGON2_MOST: (u32, u32, u32) = (1 << 20, 64, 64);
/// Longest stored form, in bytes.
const MAXIMUM_BYTES: usize = 16 << 10;

/// Why a stored password cannot be used. Never holds any part of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PasswordError {
    #[error("the password form {{{0}}} is unknown; expected {{xor}}, {{aes}}, {{hash}}, {{argon2id}} or clear text")]
    UnknownForm(String),
    #[error("the text after {{{0}}} is damaged")]
    Damaged(&'static str),
    #[error("the {{aes}} password does not decrypt with the configured key")]
    Key,
    #[error("the parameters of the {{{0}}} password are outside the supported range")]
    Parameters(&'static str),
    #[error("this password must be stored in a reversible form, not as {{{0}}}")]
    OneWay(&'static str),
    #[error("the password is longer than {MAXIMUM_BYTES} bytes")]
    TooLong,
    #[error("the password cannot be hashed")]
    Hashing,
}

/// Reads stored passwords of one configuration; derives the `{aes}` keys once, when first needed.
pub struct PasswordReader {
    keys: DerivedKeys,
    digest_key: [u8; 32],
}

/// A stored password that others can be compared with.
pub struct Password(Stored);

enum Stored {
    /// SHA-256 of the reader's random key and the clear password.
    Digest {
        key: [u8; 32],
        digest: [u8; 32],
    },
    Pbkdf2(Pbkdf2Hash),
    Argon2id(PasswordHashString),
}

impl PasswordReader {
    /// `key` is `wlp.password.encryption.key`; without it Liberty's built-in default applies.
    pub fn new(key: Option<&str>) -> Self {
        let mut digest_key = [0; 32];
        rand::rngs::OsRng.fill_bytes(&mut digest_key);
        Self { keys: DerivedKeys::new(key), digest_key }
    }

    /// A password to compare others with, in any form.
    ///
    /// # Errors
    /// By what is wrong with the stored text.
    pub fn read(&self, stored: &str) -> Result<Password, PasswordError> {
        let stored = Form::split(stored)?;
        Ok(Password(match stored {
            Form::Hash(text) => Stored::Pbkdf2(Pbkdf2Hash::parse(text).ok_or(PasswordError::Damaged("hash"))?),
            Form::Argon2id(text) => Stored::Argon2id(parse_argon2id(text)?),
            Form::Clear(_) | Form::Xor(_) | Form::Aes(_) => {
                let clear = self.decode_form(&stored)?;
                Stored::Digest { key: self.digest_key, digest: keyed_digest(&self.digest_key, &clear) }
            }
        }))
    }

    /// The clear text of a password that has to be used, such as that of a key file.
    ///
    /// # Errors
    /// `OneWay` for hashes; else by what is wrong with the stored text.
    pub fn decode(&self, stored: &str) -> Result<String, PasswordError> {
        self.decode_form(&Form::split(stored)?)
    }

    fn decode_form(&self, stored: &Form<'_>) -> Result<String, PasswordError> {
        match stored {
            Form::Clear(text) => Ok((*text).to_owned()),
            Form::Xor(text) => decode_xor(text).ok_or(PasswordError::Damaged("xor")),
            Form::Aes(text) => {
                let bytes = STANDARD.decode(text).map_err(|_| PasswordError::Damaged("aes"))?;
                self.keys.decode(&bytes)
            }
            Form::Hash(_) => Err(PasswordError::OneWay("hash")),
            Form::Argon2id(_) => Err(PasswordError::OneWay("argon2id")),
        }
    }
}

impl Password {
    /// Whether `given` is the password. Takes microseconds, or where [`Password::is_slow`] milliseconds.
    pub fn matches(&self, given: &str) -> bool {
        match &self.0 {
            Stored::Digest { key, digest } => keyed_digest(key, given) == *digest,
            Stored::Pbkdf2(hash) => hash.matches(given),
            Stored::Argon2id(hash) => {
                Argon2::default().verify_password(given.as_bytes(), &hash.password_hash()).is_ok()
            }
        }
    }

    /// Orders passwords by what a check costs.
    pub(super) fn dearness(&self) -> u8 {
        match self.0 {
            Stored::Digest { .. } => 0,
            Stored::Pbkdf2(_) => 1,
            Stored::Argon2id(_) => 2,
        }
    }

    /// A check has to compute a hash that is slow on purpose.
    pub fn is_slow(&self) -> bool {
        !matches!(self.0, Stored::Digest { .. })
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password")
    }
}

impl fmt::Debug for PasswordReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordReader")
    }
}

/// The form in which we store passwords: `{argon2id}` and a PHC string with a fresh salt.
///
/// # Errors
/// `Hashing` when the password is too long for the algorithm (4 GiB).
pub fn encode_argon2id(password: &str) -> Result<String, PasswordError> {
    let mut salt = [0; 16];
    rand::rngs::OsRng.fill_bytes(&mut salt);
    let salt = SaltString::encode_b64(&salt).map_err(|_| PasswordError::Hashing)?;
    let parameters = Params::new(ARGON2_MEMORY_KIB, ARGON2_PASSES, ARGON2_LANES, None);
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, parameters.map_err(|_| PasswordError::Hashing)?);
    let hash = argon2.hash_password(password.as_bytes(), &salt).map_err(|_| PasswordError::Hashing)?;
    Ok(format!("{{argon2id}}{hash}"))
}

/// The `{xor}` form: obfuscation only, for files that IBM's products have to read.
pub fn encode_xor(password: &str) -> String {
    let bytes: Vec<u8> = password.bytes().map(|byte| byte ^ XOR_BYTE).collect();
    format!("{{xor}}{}", STANDARD.encode(bytes))
}

const XOR_BYTE: u8 = 0x5F;

fn decode_xor(text: &str) -> Option<String> {
    let bytes = STANDARD.decode(text).ok()?;
    String::from_utf8(bytes.into_iter().map(|byte| byte ^ XOR_BYTE).collect()).ok()
}

/// The stored text behind its prefix.
enum Form<'a> {
    Clear(&'a str),
    Xor(&'a str),
    Aes(&'a str),
    Hash(&'a str),
    Argon2id(&'a str),
}

impl<'a> Form<'a> {
    /// Text that begins with `{`, letters or digits, `}` names its form; any other text is clear.
    fn split(stored: &'a str) -> Result<Self, PasswordError> {
        if stored.len() > MAXIMUM_BYTES {
            return Err(PasswordError::TooLong);
        }
        let named = stored.strip_prefix('{').and_then(|rest| rest.split_once('}'));
        let Some((name, text)) = named.filter(|(name, _)| is_form_name(name)) else { return Ok(Self::Clear(stored)) };
        match name.to_ascii_lowercase().as_str() {
            "xor" => Ok(Self::Xor(text)),
            "aes" => Ok(Self::Aes(text)),
            "hash" => Ok(Self::Hash(text)),
            "argon2id" => Ok(Self::Argon2id(text)),
            _ => Err(PasswordError::UnknownForm(name.to_owned())),
        }
    }
}

fn is_form_name(name: &str) -> bool {
    (1..=32).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn parse_argon2id(text: &str) -> Result<PasswordHashString, PasswordError> {
    let hash = PasswordHash::new(text).map_err(|_| PasswordError::Damaged("argon2id"))?;
    if hash.algorithm != Algorithm::Argon2id.ident() || hash.hash.is_none() || hash.salt.is_none() {
        return Err(PasswordError::Damaged("argon2id"));
    }
    let parameters = Params::try_from(&hash).map_err(|_| PasswordError::Parameters("argon2id"))?;
    let (memory, passes, lanes) = ARGON2_MOST;
    if parameters.m_cost() > memory || parameters.t_cost() > passes || parameters.p_cost() > lanes {
        return Err(PasswordError::Parameters("argon2id"));
    }
    PasswordHashString::new(text).map_err(|_| PasswordError::Damaged("argon2id"))
}

/// Digests rather than passwords are compared: where they differ tells nothing about the password.
fn keyed_digest(key: &[u8; 32], password: &str) -> [u8; 32] {
    Sha256::new().chain_update(key).chain_update(password.as_bytes()).finalize().into()
}

#[cfg(test)]
mod tests;
