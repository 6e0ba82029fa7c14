//! The text of an API key: `qm_` ID `_` SECRET CHECKSUM, in lower-case hexadecimal digits.
//!
//! ```text
//! part      digits  what
//! ID            12  48 random bits, which lists and logs show
//! SECRET        64  256 random bits
//! CHECKSUM       8  the first 4 bytes of SHA-256 of everything before it
//! ```
//! The prefix and the checksum let tools that look for leaked secrets recognise a key without asking the server.

use rand::RngCore;
use sha2::{Digest, Sha256};

/// How every key begins.
pub const PREFIX: &str = "qm_";

const ID_DIGITS: usize = 12;
const SECRET_DIGITS: usize = 64;
const CHECKSUM_DIGITS: usize = 8;
const LENGTH: usize = PREFIX.len() + ID_DIGITS + 1 + SECRET_DIGITS + CHECKSUM_DIGITS;

/// The parts of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyText<'a> {
    pub id: &'a str,
    /// Its digits.
    pub(super) secret: &'a str,
}

/// A key that was made a moment ago.
pub(super) struct Made {
    pub(super) id: String,
    pub(super) hash: [u8; 32],
    pub(super) text: String,
}

/// Whether a text is meant to be a key.
pub fn is_api_key(text: &str) -> bool {
    text.starts_with(PREFIX)
}

/// `None` when the text cannot be a key.
pub fn parse(text: &str) -> Option<KeyText<'_>> {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if text.len() != LENGTH || !text.is_ascii() {
        return None;
    }
    let (checked, sum) = text.split_at(LENGTH - CHECKSUM_DIGITS);
    let (id, secret) = checked.strip_prefix(PREFIX)?.split_once('_')?;
    let are_digits = |part: &str, count: usize| part.len() == count && part.bytes().all(is_digit);
    let is_whole = are_digits(id, ID_DIGITS) && are_digits(secret, SECRET_DIGITS) && checksum(checked) == sum;
    is_whole.then_some(KeyText { id, secret })
}

pub(super) fn make() -> Made {
    let mut random = [0; (ID_DIGITS + SECRET_DIGITS) / 2];
    rand::rngs::OsRng.fill_bytes(&mut random);
    let (id, secret) = random.split_at(ID_DIGITS / 2);
    let (id, secret) = (hexadecimal(id), hexadecimal(secret));
    let checked = format!("{PREFIX}{id}_{secret}");
    let text = format!("{checked}{}", checksum(&checked));
    Made { id, hash: hash(&secret), text }
}

/// What is kept of a secret.
pub(super) fn hash(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

fn checksum(checked: &str) -> String {
    hexadecimal(&Sha256::digest(checked.as_bytes())[..CHECKSUM_DIGITS / 2])
}

pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(digit).collect()
}

fn digit(value: u8) -> char {
    char::from_digit(value.into(), 16).expect("four bits")
}

/// The bytes of an even number of digits.
pub(super) fn bytes<const LENGTH: usize>(digits: &str) -> Option<[u8; LENGTH]> {
    let mut bytes = [0; LENGTH];
    if digits.len() != LENGTH * 2 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&digits[2 * index..2 * index + 2], 16).ok()?;
    }
    Some(bytes)
}
