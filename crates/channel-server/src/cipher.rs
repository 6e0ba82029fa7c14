//! CipherSpecs: what TLS negotiated as MQ names it, and whether that is what a channel's SSLCIPH asks for.
//!
//! Only suites with ephemeral keys and authenticated encryption are spoken. CipherSpecs of other suites are known by name, so
//! that a channel that asks for one is refused with the reason rather than as if its name were misspelt.
//!
//! Source: MQ security, "Enabling CipherSpecs", 9.4.

use rustls::{CipherSuite, ProtocolVersion};

/// How what was negotiated compares with an SSLCIPH.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fit {
    Fits,
    Differs,
    /// A CipherSpec of MQ's that this server does not speak.
    NotSpoken,
    /// Not a CipherSpec at all.
    Unknown,
}

/// A CipherSpec that is spoken.
struct Spoken {
    name: &'static str,
    suite: CipherSuite,
    protocol: ProtocolVersion,
}

const fn v1_2(name: &'static str, suite: CipherSuite) -> Spoken {
    Spoken { name, suite, protocol: ProtocolVersion::TLSv1_2 }
}

const fn v1_3(name: &'static str, suite: CipherSuite) -> Spoken {
    Spoken { name, suite, protocol: ProtocolVersion::TLSv1_3 }
}

const SPOKEN: [Spoken; 7] = [
    v1_2("ECDHE_ECDSA_AES_128_GCM_SHA256", CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256),
    v1_2("ECDHE_ECDSA_AES_256_GCM_SHA384", CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384),
    v1_2("ECDHE_RSA_AES_128_GCM_SHA256", CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256),
    v1_2("ECDHE_RSA_AES_256_GCM_SHA384", CipherSuite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384),
    v1_3("TLS_AES_128_GCM_SHA256", CipherSuite::TLS13_AES_128_GCM_SHA256),
    v1_3("TLS_AES_256_GCM_SHA384", CipherSuite::TLS13_AES_256_GCM_SHA384),
    v1_3("TLS_CHACHA20_POLY1305_SHA256", CipherSuite::TLS13_CHACHA20_POLY1305_SHA256),
];

/// CipherSpecs of static RSA, CBC, CCM, RC4, 3DES or no encryption: refused by name.
pub(crate) const NOT_SPOKEN: [&str; 29] = [
    "ECDHE_ECDSA_3DES_EDE_CBC_SHA256",
    "ECDHE_ECDSA_AES_128_CBC_SHA256",
    "ECDHE_ECDSA_AES_256_CBC_SHA384",
    "ECDHE_ECDSA_NULL_SHA256",
    "ECDHE_ECDSA_RC4_128_SHA256",
    "ECDHE_RSA_3DES_EDE_CBC_SHA256",
    "ECDHE_RSA_AES_128_CBC_SHA256",
    "ECDHE_RSA_AES_256_CBC_SHA384",
    "ECDHE_RSA_NULL_SHA256",
    "ECDHE_RSA_RC4_128_SHA256",
    "TLS_AES_128_CCM_8_SHA256",
    "TLS_AES_128_CCM_SHA256",
    "TLS_RSA_WITH_3DES_EDE_CBC_SHA",
    "TLS_RSA_WITH_AES_128_CBC_SHA",
    "TLS_RSA_WITH_AES_128_CBC_SHA256",
    "TLS_RSA_WITH_AES_128_GCM_SHA256",
    "TLS_RSA_WITH_AES_256_CBC_SHA",
    "TLS_RSA_WITH_AES_256_CBC_SHA256",
    "TLS_RSA_WITH_AES_256_GCM_SHA384",
    "TLS_RSA_WITH_DES_CBC_SHA",
    "TLS_RSA_WITH_NULL_NULL",
    "TLS_RSA_WITH_NULL_SHA256",
    "TLS_RSA_WITH_RC4_128_SHA256",
    "TLS_RSA_EXPORT_WITH_RC2_40_MD5",
    "RC4_MD5_US",
    "RC4_SHA_US",
    "NULL_MD5",
    "NULL_SHA",
    "TRIPLE_DES_SHA_US",
];

/// The suites to offer, as `rustls` knows them.
pub(crate) fn is_spoken(suite: CipherSuite) -> bool {
    SPOKEN.iter().any(|spoken| spoken.suite == suite)
}

/// SECPROT and the CipherSpec of a suite.
pub(crate) fn names(suite: CipherSuite) -> Option<(&'static str, &'static str)> {
    let spoken = SPOKEN.iter().find(|spoken| spoken.suite == suite)?;
    Some((if spoken.protocol == ProtocolVersion::TLSv1_3 { "TLSV13" } else { "TLSV12" }, spoken.name))
}

/// Does the negotiated CipherSpec fit the SSLCIPH of a channel?
pub(crate) fn fit(wanted: &str, negotiated: &str) -> Fit {
    let Some(spoken) = SPOKEN.iter().find(|spoken| spoken.name == negotiated) else { return Fit::Differs };
    let fits = match wanted {
        // All that is spoken is 1.2 or higher.
        "ANY" | "ANY_TLS12_OR_HIGHER" => true,
        "ANY_TLS12" => spoken.protocol == ProtocolVersion::TLSv1_2,
        "ANY_TLS13" | "ANY_TLS13_OR_HIGHER" => spoken.protocol == ProtocolVersion::TLSv1_3,
        name if SPOKEN.iter().any(|known| known.name == name) => spoken.name == name,
        name if NOT_SPOKEN.contains(&name) => return Fit::NotSpoken,
        _ => return Fit::Unknown,
    };
    if fits { Fit::Fits } else { Fit::Differs }
}

#[cfg(test)]
mod tests;
