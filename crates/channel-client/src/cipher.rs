//! CipherSpec names and what they mean to TLS.
//!
//! Only TLS 1.2 with ECDHE and authenticated encryption, and TLS 1.3: what else has a published name is refused by it.
//! Names of Java's suites are taken too, as people copy them from there.
//!
//! Source: MQ Securing, "Enabling CipherSpecs", 9.3.

use rustls::crypto::CryptoProvider;
use rustls::crypto::ring::cipher_suite as suite;
use rustls::{SupportedCipherSuite, SupportedProtocolVersion};

use rustls::version::{TLS12, TLS13};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the CipherSpec '{name}' is not supported: ANY_TLS12_OR_HIGHER, for example, is")]
pub struct CipherError {
    pub name: String,
}

/// What a CipherSpec allows.
#[derive(Debug, Clone)]
pub struct CipherSpecification {
    pub versions: Vec<&'static SupportedProtocolVersion>,
    pub suites: Vec<SupportedCipherSuite>,
}

impl CipherSpecification {
    /// # Errors
    /// A name that is not published, or a suite that is not supported here.
    pub fn named(name: &str) -> Result<Self, CipherError> {
        let all = || rustls::crypto::ring::ALL_CIPHER_SUITES.to_vec();
        let spec =
            |versions: &[&'static SupportedProtocolVersion], suites| Ok(Self { versions: versions.to_vec(), suites });
        let both = [&TLS13, &TLS12];
        match name.trim().to_ascii_uppercase().as_str() {
            "ANY" | "ANY_TLS12_OR_HIGHER" | "*TLS12ORHIGHER" => spec(&both, all()),
            "ANY_TLS13" | "ANY_TLS13_OR_HIGHER" | "*TLS13" | "*TLS13ORHIGHER" => spec(&both[..1], all()),
            "ANY_TLS12" | "*TLS12" => spec(&both[1..], all()),
            "TLS_AES_128_GCM_SHA256" => spec(&both[..1], vec![suite::TLS13_AES_128_GCM_SHA256]),
            "TLS_AES_256_GCM_SHA384" => spec(&both[..1], vec![suite::TLS13_AES_256_GCM_SHA384]),
            "TLS_CHACHA20_POLY1305_SHA256" => spec(&both[..1], vec![suite::TLS13_CHACHA20_POLY1305_SHA256]),
            "ECDHE_ECDSA_AES_128_GCM_SHA256" | "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256" => {
                spec(&both[1..], vec![suite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256])
            }
            "ECDHE_ECDSA_AES_256_GCM_SHA384" | "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384" => {
                spec(&both[1..], vec![suite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384])
            }
            "ECDHE_RSA_AES_128_GCM_SHA256" | "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256" => {
                spec(&both[1..], vec![suite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256])
            }
            "ECDHE_RSA_AES_256_GCM_SHA384" | "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384" => {
                spec(&both[1..], vec![suite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384])
            }
            _ => Err(CipherError { name: name.chars().take(40).collect() }),
        }
    }

    /// The provider, with these suites only.
    pub(crate) fn provider(&self) -> CryptoProvider {
        CryptoProvider { cipher_suites: self.suites.clone(), ..rustls::crypto::ring::default_provider() }
    }
}

#[cfg(test)]
mod tests;
