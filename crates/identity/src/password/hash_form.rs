//! The `{hash}` form of Liberty: PBKDF2, one way.
//!
//! ```text
//! base64( version = 1, then elements: tag (1), length (4, big-endian), data )
//! tags: 0x10 algorithm name, 0x20 iterations, 0x30 salt, 0x40 digest, 0x50 output length in bits
//! ```
//!
//! Elements left out have Liberty's defaults: PBKDF2WithHmacSHA1, 6384 iterations, 256 bits.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

const VERSION: u8 = 1;
const DEFAULT_ITERATIONS: u32 = 6384;
/// Dearest hash a configuration may ask for.
const MOST_ITERATIONS: u32 = 10_000_000;
const DIGEST_BYTES: std::ops::RangeInclusive<usize> = 16..=64;

pub(super) struct Pbkdf2Hash {
    function: Function,
    iterations: u32,
    salt: Vec<u8>,
    digest: Vec<u8>,
}

#[derive(Clone, Copy)]
enum Function {
    Sha1,
    Sha256,
    Sha512,
}

impl Pbkdf2Hash {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let bytes = STANDARD.decode(text).ok()?;
        let (&version, mut rest) = bytes.split_first()?;
        let mut hash =
            Self { function: Function::Sha1, iterations: DEFAULT_ITERATIONS, salt: Vec::new(), digest: Vec::new() };
        let mut bits = None;
        while let Some((tag, data, after)) = next_element(rest) {
            match tag {
                0x10 => hash.function = Function::parse(data)?,
                0x20 => hash.iterations = number(data)?,
                0x30 => hash.salt = data.to_vec(),
                0x40 => hash.digest = data.to_vec(),
                0x50 => bits = Some(number(data)?),
                _ => return None,
            }
            rest = after;
        }
        let length_fits = bits.is_none_or(|bits| usize::try_from(bits).is_ok_and(|bits| bits == hash.digest.len() * 8));
        let usable = version == VERSION
            && rest.is_empty()
            && length_fits
            && (1..=MOST_ITERATIONS).contains(&hash.iterations)
            && DIGEST_BYTES.contains(&hash.digest.len());
        usable.then_some(hash)
    }

    pub(super) fn matches(&self, given: &str) -> bool {
        let mut output = vec![0; self.digest.len()];
        let password = given.as_bytes();
        match self.function {
            Function::Sha1 => pbkdf2::pbkdf2_hmac::<Sha1>(password, &self.salt, self.iterations, &mut output),
            Function::Sha256 => pbkdf2::pbkdf2_hmac::<Sha256>(password, &self.salt, self.iterations, &mut output),
            Function::Sha512 => pbkdf2::pbkdf2_hmac::<Sha512>(password, &self.salt, self.iterations, &mut output),
        }
        // Their digests are compared: where the outputs differ must not show in the time taken.
        Sha256::digest(&output) == Sha256::digest(&self.digest)
    }
}

impl Function {
    fn parse(name: &[u8]) -> Option<Self> {
        match name {
            b"PBKDF2WithHmacSHA1" => Some(Self::Sha1),
            b"PBKDF2WithHmacSHA256" => Some(Self::Sha256),
            b"PBKDF2WithHmacSHA512" => Some(Self::Sha512),
            _ => None,
        }
    }
}

/// Tag, data and what follows.
fn next_element(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, rest) = bytes.split_first()?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let (data, after) = rest.split_at_checked(usize::try_from(u32::from_be_bytes(*length)).ok()?)?;
    Some((tag, data, after))
}

/// A big-endian number of at most four bytes.
fn number(data: &[u8]) -> Option<u32> {
    let fits = (1..=4).contains(&data.len());
    fits.then(|| data.iter().fold(0, |number, &byte| number << 8 | u32::from(byte)))
}
