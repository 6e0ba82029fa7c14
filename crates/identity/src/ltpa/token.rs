//! An LTPA version 2 token: what is in the cookie, opened and minted.
//!
//! ```text
//! token     = base64( AES-128-CBC-PKCS5( plaintext ) )        key = initial vector = first 16 bytes of the shared key
//! plaintext = userData % expiry % base64( signature )         expiry: decimal milliseconds since 1970 UTC
//! userData  = name:value $ name:value ...                     sorted by name; at least `u`, usually `expire` too, ours `quaymaster`
//! u         = type:REALM/USER                                 `% $ : |` in values have a backslash before them
//! signature = RSA PKCS#1 v1.5 with SHA-1 over SHA-1(userData) so the data is hashed twice
//! ```
//!
//! Pure: no clock (the caller passes `now`), no registry (the caller looks the user up), no log. All failures look alike
//! from outside; the variants of [`TokenError`] exist for tests.
//! Source: Open Liberty 24.0.0.12, checked in both directions.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use cbc::cipher::block_padding::Pkcs7;
use cbc::cipher::{BlockDecryptMut, BlockEncryptMut, KeyIvInit};
use rsa::Pkcs1v15Sign;
use sha1::{Digest, Sha1};

use super::keys::LtpaKeys;

/// Longest token that is looked at, in characters. Usual ones have 320 to 400.
const MAXIMUM_CHARACTERS: usize = 8192;
/// How far the two expiry times of a token may lie apart, in milliseconds.
const EXPIRY_DIFFERENCE_ALLOWED_MS: u64 = 3000;

/// Our attribute. Liberty passes over attributes that it does not know.
const MARK: &str = "quaymaster";

type AesEncryptor = cbc::Encryptor<aes::Aes128>;
type AesDecryptor = cbc::Decryptor<aes::Aes128>;

/// What a token says, once its signature has been verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claims {
    pub user: String,
    /// The governing expiry, milliseconds since 1970 UTC. The token is good up to and including it.
    pub expires_ms: u64,
    /// What the token says of its user's password; `None` for one that another server made.
    pub password_mark: Option<String>,
}

/// Why a token is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    #[error("the token is damaged or was encrypted with another key")]
    Malformed,
    #[error("the two expiry times of the token differ")]
    ExpiryDisagreement,
    #[error("the token has expired")]
    Expired,
    #[error("the signature of the token is not valid")]
    Signature,
    #[error("the token is not for a user")]
    NotAUser,
    #[error("the token belongs to another realm")]
    Realm,
}

/// Opens a token and checks everything that needs no registry.
///
/// # Errors
/// By the first rule the token breaks; see [`TokenError`].
pub fn open(token: &str, keys: &LtpaKeys, realm: &str, now_ms: u64) -> Result<Claims, TokenError> {
    let plaintext = decrypt(token, keys).ok_or(TokenError::Malformed)?;
    check(&plaintext, keys, realm, now_ms)
}

/// Checks what is in a token, decrypted: all rules after the decryption.
///
/// # Errors
/// By the first rule the text breaks; see [`TokenError`].
pub fn check(plaintext: &str, keys: &LtpaKeys, realm: &str, now_ms: u64) -> Result<Claims, TokenError> {
    let parts = Parts::split(plaintext).ok_or(TokenError::Malformed)?;
    let attributes = parse_attributes(parts.user_data).ok_or(TokenError::Malformed)?;
    let expires_ms = governing_expiry(&attributes, parts.expiry_ms)?;
    if now_ms > expires_ms {
        return Err(TokenError::Expired);
    }
    verify(parts.user_data, &parts.signature, keys)?;
    let access_id = attributes.iter().find(|(name, _)| name == "u").map(|(_, value)| value);
    let user = user_of(access_id.ok_or(TokenError::NotAUser)?, realm)?;
    let password_mark = attributes.iter().find(|(name, _)| name == MARK).map(|(_, value)| value.clone());
    Ok(Claims { user: user.to_owned(), expires_ms, password_mark })
}

/// A token for a user of our realm, good until `expires_ms`.
///
/// # Errors
/// The signature cannot be computed, which keys that were parsed or generated rule out.
pub fn mint(
    keys: &LtpaKeys,
    realm: &str,
    user: &str,
    expires_ms: u64,
    password_mark: Option<&str>,
) -> rsa::Result<String> {
    let access_id = escape(&format!("user:{realm}/{user}"));
    let mark = password_mark.map(|mark| format!("${MARK}:{}", escape(mark))).unwrap_or_default();
    let user_data = format!("expire:{expires_ms}{mark}$u:{access_id}");
    let signature =
        keys.private().sign_with_rng(&mut rand::rngs::OsRng, Pkcs1v15Sign::new::<Sha1>(), &digest(&user_data))?;
    let plaintext = format!("{user_data}%{expires_ms}%{}", STANDARD.encode(signature));
    let key = keys.token_key();
    let encrypted = AesEncryptor::new(key.into(), key.into()).encrypt_padded_vec_mut::<Pkcs7>(plaintext.as_bytes());
    Ok(STANDARD.encode(encrypted))
}

fn decrypt(token: &str, keys: &LtpaKeys) -> Option<String> {
    if token.len() > MAXIMUM_CHARACTERS {
        return None;
    }
    let encrypted = STANDARD.decode(token).ok()?;
    let key = keys.token_key();
    let clear = AesDecryptor::new(key.into(), key.into()).decrypt_padded_vec_mut::<Pkcs7>(&encrypted).ok()?;
    String::from_utf8(clear).ok()
}

/// The three fields of the plaintext, split at its last two `%`.
struct Parts<'a> {
    user_data: &'a str,
    expiry_ms: u64,
    signature: Vec<u8>,
}

impl<'a> Parts<'a> {
    fn split(plaintext: &'a str) -> Option<Self> {
        let mut fields = plaintext.rsplitn(3, '%');
        let signature = STANDARD.decode(fields.next()?).ok()?;
        let expiry_ms = decimal(fields.next()?)?;
        Some(Self { user_data: fields.next()?, expiry_ms, signature })
    }
}

/// Digits only: no sign, no blank.
fn decimal(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// Names and unescaped values, refused when not sorted by name, as Liberty refuses them.
fn parse_attributes(user_data: &str) -> Option<Vec<(String, String)>> {
    let mut attributes: Vec<(String, String)> = Vec::new();
    for attribute in split_unescaped(user_data, b'$') {
        let (name, value) = split_once_unescaped(attribute, b':')?;
        let name = unescape(name);
        if attributes.last().is_some_and(|(previous, _)| *previous > name) {
            return None;
        }
        // `expire` may hold several strings, of which the last counts; every other value is one string.
        let value = if name == "expire" { split_unescaped(value, b'|').last()? } else { value };
        attributes.push((name, unescape(value)));
    }
    Some(attributes)
}

fn governing_expiry(attributes: &[(String, String)], outer_ms: u64) -> Result<u64, TokenError> {
    let Some((_, inner)) = attributes.iter().rfind(|(name, _)| name == "expire") else { return Ok(outer_ms) };
    let inner_ms = decimal(inner).ok_or(TokenError::Malformed)?;
    if inner_ms.abs_diff(outer_ms) > EXPIRY_DIFFERENCE_ALLOWED_MS {
        return Err(TokenError::ExpiryDisagreement);
    }
    Ok(inner_ms)
}

fn verify(user_data: &str, signature: &[u8], keys: &LtpaKeys) -> Result<(), TokenError> {
    keys.public().verify(Pkcs1v15Sign::new::<Sha1>(), &digest(user_data), signature).map_err(|_| TokenError::Signature)
}

/// What the signature scheme signs: SHA-1 of the SHA-1 of the data, still escaped.
fn digest(user_data: &str) -> [u8; 20] {
    Sha1::digest(Sha1::digest(user_data.as_bytes())).into()
}

/// The user of an access id `user:REALM/USER`. The realm may hold colons, the user slashes.
fn user_of<'a>(access_id: &'a str, realm: &str) -> Result<&'a str, TokenError> {
    let rest = access_id.strip_prefix("user:").ok_or(TokenError::NotAUser)?;
    let user = rest.strip_prefix(realm).and_then(|rest| rest.strip_prefix('/')).ok_or(TokenError::Realm)?;
    if user.is_empty() { Err(TokenError::NotAUser) } else { Ok(user) }
}

fn is_special(byte: u8) -> bool {
    matches!(byte, b'%' | b'$' | b':' | b'|')
}

/// Puts a backslash before each special character, and before a backslash that would else be read together with what
/// follows it. A lone backslash within a value stays as it is, as Liberty writes it.
fn escape(value: &str) -> String {
    let mut escaped = String::with_capacity(value.len() + 8);
    let mut characters = value.chars().peekable();
    while let Some(character) = characters.next() {
        let ambiguous = character == '\\'
            && characters.peek().is_none_or(|&next| next == '\\' || u8::try_from(next).is_ok_and(is_special));
        if ambiguous || u8::try_from(character).is_ok_and(is_special) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

/// A backslash before a special character or another backslash yields that character; any other stands for itself.
fn unescape(value: &str) -> String {
    let mut clear = String::with_capacity(value.len());
    let mut characters = value.chars().peekable();
    while let Some(character) = characters.next() {
        let escaped = (character == '\\')
            .then(|| characters.next_if(|&next| next == '\\' || u8::try_from(next).is_ok_and(is_special)));
        clear.push(escaped.flatten().unwrap_or(character));
    }
    clear
}

/// Positions of `separator` in `text` that no backslash escapes.
fn unescaped_positions(text: &str, separator: u8) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    let mut index = 0;
    std::iter::from_fn(move || {
        while index < bytes.len() {
            let at = index;
            let pair = bytes[at] == b'\\' && bytes.get(at + 1).is_some_and(|&next| next == b'\\' || is_special(next));
            index += if pair { 2 } else { 1 };
            if !pair && bytes[at] == separator {
                return Some(at);
            }
        }
        None
    })
}

fn split_unescaped(text: &str, separator: u8) -> impl Iterator<Item = &str> {
    let mut start = 0;
    unescaped_positions(text, separator).chain(std::iter::once(text.len())).map(move |end| {
        let part = &text[start..end];
        start = end + 1;
        part
    })
}

fn split_once_unescaped(text: &str, separator: u8) -> Option<(&str, &str)> {
    unescaped_positions(text, separator).next().map(|at| (&text[..at], &text[at + 1..]))
}

#[cfg(test)]
mod tests;
