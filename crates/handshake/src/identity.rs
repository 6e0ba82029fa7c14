//! The certificates a server shows: one, or an ECDSA and an RSA one, of which each client gets the one it can use.
//!
//! The files of the second may still be written while the first is shown ([`PendingPair`]).
//!
//! Invariant: with two, the first is shown to a client that can use both. Only a client that needs the second waits for it.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use rustls::crypto::CryptoProvider;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::{CipherSuite, SignatureAlgorithm};

use crate::cipher_spec::{CipherSpec, Family};
use crate::files::{FileError, PersonalCertificate};

/// PEM files of a certificate with its issuers, and of its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairFiles {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

/// The second pair of a server, while another thread makes its files. Clones are of one pair.
#[derive(Debug, Clone)]
pub struct PendingPair {
    pub family: Family,
    pub files: PairFiles,
    /// Set once; `None` when there will be none.
    made: Arc<OnceLock<Option<Pair>>>,
}

#[derive(Debug)]
pub struct Identity {
    pairs: Vec<Pair>,
    pending: Option<PendingPair>,
}

#[derive(Debug)]
struct Pair {
    family: Family,
    certified: Arc<CertifiedKey>,
}

impl PendingPair {
    pub fn new(family: Family, files: PairFiles) -> Self {
        Self { family, files, made: Arc::default() }
    }

    /// Reads the files, which are written now, and lets those go on who wait for the pair.
    ///
    /// # Errors
    /// A file cannot be read, or the key does not belong to the certificate: there will be no second pair.
    pub fn complete(&self, provider: &CryptoProvider) -> Result<(), FileError> {
        let loaded = Pair::load(&self.files, provider);
        let (pair, result) = loaded.map_or_else(|error| (None, Err(error)), |pair| (Some(pair), Ok(())));
        // The first word holds.
        let _ = self.made.set(pair);
        result
    }

    /// There will be no second pair.
    pub fn give_up(&self) {
        let _ = self.made.set(None);
    }

    /// Waits for [`complete`](Self::complete) or [`give_up`](Self::give_up).
    pub fn wait(&self) {
        self.made.wait();
    }
}

impl Identity {
    /// The first pair, and a second one of another family, there already or pending.
    ///
    /// # Errors
    /// A file cannot be read, a key does not belong to its certificate, or both certificates are of one family.
    pub fn load(
        pairs: &[PairFiles],
        pending: Option<&PendingPair>,
        provider: &CryptoProvider,
    ) -> Result<Self, FileError> {
        let mut loaded: Vec<Pair> = Vec::new();
        for files in pairs {
            let pair = Pair::load(files, provider)?;
            if loaded.iter().any(|other| other.family == pair.family) {
                let name = pair.family.name();
                let problem = format_args!(
                    "the other certificate is an {name} one too, and only one of them could ever be shown: name an ECDSA and an RSA one"
                );
                return Err(FileError::new(&files.certificate, &problem));
            }
            loaded.push(pair);
        }
        Ok(Self { pairs: loaded, pending: pending.cloned() })
    }

    /// In the order of the pairs.
    pub fn families(&self) -> Vec<Family> {
        let pending = self.pending.iter().map(|pair| pair.family);
        self.pairs.iter().map(|pair| pair.family).chain(pending).collect()
    }

    /// Waits for a pending pair only when no other fits.
    fn choose(&self, hello: &ClientHello<'_>) -> Option<&Pair> {
        let fitting = |pair: &&Pair| pair.fits(hello);
        let pending = || {
            let pair = self.pending.as_ref().filter(|pair| suits(hello, pair.family))?;
            pair.made.wait().as_ref().filter(fitting)
        };
        self.pairs.iter().find(fitting).or_else(pending).or_else(|| self.pairs.first())
    }
}

impl Pair {
    fn load(paths: &PairFiles, provider: &CryptoProvider) -> Result<Self, FileError> {
        let PersonalCertificate { chain, key } = PersonalCertificate::read(&paths.certificate, &paths.key)?;
        let certified =
            CertifiedKey::from_der(chain, key, provider).map_err(|error| FileError::new(&paths.key, &error))?;
        let family = match certified.key.algorithm() {
            SignatureAlgorithm::RSA => Family::Rsa,
            // Ed25519 serves the suites of ECDSA.
            _ => Family::Ecdsa,
        };
        Ok(Self { family, certified: Arc::new(certified) })
    }

    fn fits(&self, hello: &ClientHello<'_>) -> bool {
        self.certified.key.choose_scheme(hello.signature_schemes()).is_some() && suits(hello, self.family)
    }
}

/// Whether the client offers a suite that works with a certificate of this family.
fn suits(hello: &ClientHello<'_>, family: Family) -> bool {
    hello.cipher_suites().iter().any(|suite| fits(*suite, family))
}

/// Whether a suite works with a certificate of this family, as far as rustls speaks it.
fn fits(suite: CipherSuite, family: Family) -> bool {
    match suite {
        // No CipherSpec has these names.
        CipherSuite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256 => family == Family::Ecdsa,
        CipherSuite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256 => family == Family::Rsa,
        _ => CipherSpec::of_suite(suite)
            .is_some_and(|one| !one.is_old() && (one.family == family || one.family == Family::Either)),
    }
}

impl ResolvesServerCert for Identity {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let pair = match (&self.pairs[..], &self.pending) {
            // rustls says best what does not fit.
            ([one], None) => Some(one),
            _ => self.choose(&hello),
        };
        pair.map(|pair| Arc::clone(&pair.certified))
    }
}
