//! Signatures of Standard Webhooks: a receiver learns that a message comes from this server, unchanged and lately.
//!
//! ```text
//! secret      whsec_ BASE64, of 24 to 64 bytes
//! signed      ID . TIMESTAMP . BODY, where the timestamp is in seconds since 1970
//! signature   v1, BASE64 of HMAC-SHA256; one for each secret, between spaces
//! ```
//! Source: Standard Webhooks 1.0, "Signature scheme".

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, Mac};
use rand::RngCore;
use rand::rngs::OsRng;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::Sha256;

const PREFIX: &str = "whsec_";
const LENGTHS: std::ops::RangeInclusive<usize> = 24..=64;
const MADE_LENGTH: usize = 32;

/// What the server and a receiver share. It is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

impl Secret {
    /// A new one that cannot be guessed.
    pub fn make() -> Self {
        let mut bytes = vec![0; MADE_LENGTH];
        OsRng.fill_bytes(&mut bytes);
        Self(bytes)
    }

    /// `None`: it does not begin with `whsec_`, is no base64, or has another length than 24 to 64 bytes.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = STANDARD.decode(text.strip_prefix(PREFIX)?).ok()?;
        LENGTHS.contains(&bytes.len()).then_some(Self(bytes))
    }

    /// For the receiver, once, and for the file of definitions.
    pub fn text(&self) -> String {
        format!("{PREFIX}{}", STANDARD.encode(&self.0))
    }

    fn sign(&self, id: &str, seconds: u64, body: &[u8]) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes keys of any length");
        mac.update(format!("{id}.{seconds}.").as_bytes());
        mac.update(body);
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text())
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("a secret is whsec_ and base64 of 24 to 64 bytes"))
    }
}

/// The value of `webhook-signature`.
pub fn sign(secrets: &[Secret], id: &str, seconds: u64, body: &[u8]) -> String {
    let signatures: Vec<String> = secrets.iter().map(|secret| secret.sign(id, seconds, body)).collect();
    signatures.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUBLISHED: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const ID: &str = "msg_p5jXN8AQM9LWM0D4loKWxJek";

    #[test]
    fn the_published_example_has_the_published_signature() {
        let secret = Secret::parse(PUBLISHED).expect("a secret");
        let signature = sign(&[secret], ID, 1_614_265_330, b"{\"test\": 2432232314}");
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn each_secret_signs_by_itself() {
        let (old, new) = (Secret::parse(PUBLISHED).expect("a secret"), Secret::make());
        let both = sign(&[old.clone(), new.clone()], ID, 1, b"x");
        let alone = [old, new].map(|secret| sign(&[secret], ID, 1, b"x"));
        assert_eq!(both, alone.join(" "));
        assert_ne!(alone[0], alone[1]);
    }

    #[test]
    fn a_secret_has_a_prefix_a_length_and_no_trace_in_what_is_printed() {
        let made = Secret::make();
        assert_eq!(Secret::parse(&made.text()), Some(made.clone()));
        assert_eq!(format!("{made:?}"), "Secret");
        let of_length = |length: usize| format!("whsec_{}", STANDARD.encode(vec![7; length]));
        assert!([24, 64].iter().all(|&length| Secret::parse(&of_length(length)).is_some()));
        for text in [of_length(23), of_length(65), "whsec_".to_owned(), "whsec_?".to_owned(), PUBLISHED[6..].to_owned()]
        {
            assert_eq!(Secret::parse(&text), None, "{text}");
        }
    }
}
