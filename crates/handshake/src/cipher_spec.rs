//! CipherSpecs: their published names, and what each asks of a server: a suite, a protocol, a family of certificates, a library.
//!
//! docs/tls.md shows the table, and a test compares the two.
//!
//! Source: MQ security, "Enabling CipherSpecs", 9.4.

use rustls::CipherSuite;

/// Which certificate a suite works with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    Ecdsa,
    Rsa,
    /// TLS 1.3: either.
    Either,
}

impl Family {
    /// Of a certificate: `Either` is none.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ecdsa => "ECDSA",
            Self::Rsa => "RSA",
            Self::Either => "ECDSA or RSA",
        }
    }
}

/// Who speaks a suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Library {
    Rustls,
    /// Only where `tls.old_cipherspecs` names the CipherSpec.
    S2n,
}

/// A CipherSpec that can be spoken.
#[derive(Debug, PartialEq, Eq)]
pub struct CipherSpec {
    pub name: &'static str,
    pub suite: CipherSuite,
    /// SECPROT: `TLSV12` or `TLSV13`.
    pub protocol: &'static str,
    pub family: Family,
    pub library: Library,
}

impl CipherSpec {
    /// `None`: it cannot be spoken, or is no CipherSpec.
    pub fn named(name: &str) -> Option<&'static Self> {
        ALL.iter().find(|one| one.name == name)
    }

    pub fn of_suite(suite: CipherSuite) -> Option<&'static Self> {
        ALL.iter().find(|one| one.suite == suite)
    }

    pub fn is_old(&self) -> bool {
        self.library == Library::S2n
    }
}

const fn v1_2(name: &'static str, suite: CipherSuite, family: Family) -> CipherSpec {
    CipherSpec { name, suite, protocol: "TLSV12", family, library: Library::Rustls }
}

const fn v1_3(name: &'static str, suite: CipherSuite) -> CipherSpec {
    CipherSpec { name, suite, protocol: "TLSV13", family: Family::Either, library: Library::Rustls }
}

const fn old(name: &'static str, suite: CipherSuite, family: Family) -> CipherSpec {
    CipherSpec { name, suite, protocol: "TLSV12", family, library: Library::S2n }
}

/// By name.
pub const ALL: &[CipherSpec] = &[
    old("ECDHE_ECDSA_AES_128_CBC_SHA256", CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256, Family::Ecdsa),
    v1_2("ECDHE_ECDSA_AES_128_GCM_SHA256", CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, Family::Ecdsa),
    old("ECDHE_ECDSA_AES_256_CBC_SHA384", CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384, Family::Ecdsa),
    v1_2("ECDHE_ECDSA_AES_256_GCM_SHA384", CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, Family::Ecdsa),
    old("ECDHE_RSA_AES_128_CBC_SHA256", CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256, Family::Rsa),
    v1_2("ECDHE_RSA_AES_128_GCM_SHA256", CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, Family::Rsa),
    old("ECDHE_RSA_AES_256_CBC_SHA384", CipherSuite::TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384, Family::Rsa),
    v1_2("ECDHE_RSA_AES_256_GCM_SHA384", CipherSuite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384, Family::Rsa),
    v1_3("TLS_AES_128_GCM_SHA256", CipherSuite::TLS13_AES_128_GCM_SHA256),
    v1_3("TLS_AES_256_GCM_SHA384", CipherSuite::TLS13_AES_256_GCM_SHA384),
    v1_3("TLS_CHACHA20_POLY1305_SHA256", CipherSuite::TLS13_CHACHA20_POLY1305_SHA256),
    old("TLS_RSA_WITH_AES_128_CBC_SHA256", CipherSuite::TLS_RSA_WITH_AES_128_CBC_SHA256, Family::Rsa),
    old("TLS_RSA_WITH_AES_128_GCM_SHA256", CipherSuite::TLS_RSA_WITH_AES_128_GCM_SHA256, Family::Rsa),
    old("TLS_RSA_WITH_AES_256_CBC_SHA256", CipherSuite::TLS_RSA_WITH_AES_256_CBC_SHA256, Family::Rsa),
    old("TLS_RSA_WITH_AES_256_GCM_SHA384", CipherSuite::TLS_RSA_WITH_AES_256_GCM_SHA384, Family::Rsa),
];

/// CipherSpecs of CCM, RC4, 3DES, DES, SHA-1 or no encryption: refused by name.
pub const NOT_SPOKEN: [&str; 21] = [
    "ECDHE_ECDSA_3DES_EDE_CBC_SHA256",
    "ECDHE_ECDSA_NULL_SHA256",
    "ECDHE_ECDSA_RC4_128_SHA256",
    "ECDHE_RSA_3DES_EDE_CBC_SHA256",
    "ECDHE_RSA_NULL_SHA256",
    "ECDHE_RSA_RC4_128_SHA256",
    "TLS_AES_128_CCM_8_SHA256",
    "TLS_AES_128_CCM_SHA256",
    "TLS_RSA_WITH_3DES_EDE_CBC_SHA",
    "TLS_RSA_WITH_AES_128_CBC_SHA",
    "TLS_RSA_WITH_AES_256_CBC_SHA",
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

/// Names that stand for more than one CipherSpec.
pub const WILDCARDS: [&str; 5] = ["ANY", "ANY_TLS12", "ANY_TLS12_OR_HIGHER", "ANY_TLS13", "ANY_TLS13_OR_HIGHER"];
