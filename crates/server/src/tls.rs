//! The server's own TLS certificate when `[tls]` names none.
//!
//! At first start an authority is made (`ca.key`, `ca.crt`) for five years; clients are told to trust `ca.crt`. It can sign for
//! this machine's names alone. A month before its end it is made anew, with the same key and name. The server's certificates
//! are made anew at every start and reload, so that they never expire and follow the machine's name: an ECDSA
//! P-256 one, and an RSA one for clients whose CipherSpecs need that. The RSA key (`server-rsa.key`) lasts, since making it
//! takes a tenth of a second, and up to half a second. A first start does not wait for it ([`PendingRsa`]). Files with keys
//! have mode 0600.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use aws_lc_rs::encoding::{AsDer, Pkcs8V1Der};
use aws_lc_rs::rsa::KeySize;
use handshake::cipher_spec::Family;
use handshake::identity::{PairFiles, PendingPair};
use model::timestamp::Timestamp;
use rcgen::{
    BasicConstraints, CertificateParams, CidrSubnet, DnType, ExtendedKeyUsagePurpose, GeneralSubtree, IsCa, Issuer,
    KeyPair, KeyUsagePurpose, NameConstraints, PKCS_ECDSA_P256_SHA256, SanType,
};
use sha2::{Digest, Sha256};
use time::{Duration, OffsetDateTime};

use crate::certificate;
use crate::data_directory::{create_folder, file_error, write_file};
use crate::error::ServerError;

/// Life of the authority: a key that somebody copies is worth nothing after it.
const AUTHORITY_DAYS: i64 = 5 * 365;
/// Addresses that the server's certificates are for.
const ADDRESSES: [IpAddr; 2] = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];

/// What the server shows, and whom its clients are told to trust.
pub(crate) struct Generated {
    /// The file of the authority.
    pub authority: PathBuf,
    pub ecdsa: PairFiles,
    pub rsa: Rsa,
}

pub(crate) enum Rsa {
    Made(PairFiles),
    /// There is no key yet. The caller says when it is made.
    Pending(Box<PendingRsa>),
}

/// The RSA pair of a first start, which is made once the server is ready. Dropped, it gives up: nobody waits for ever.
pub(crate) struct PendingRsa {
    pub pair: PendingPair,
    authority: Authority,
}

/// Who signs the server's certificates, and for what.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    /// Follows the server's certificate in its file.
    pem: String,
    names: Vec<String>,
    now: OffsetDateTime,
}

/// Makes what is missing in `folder` but for the key of [`PendingRsa`], and the server's certificate in any case.
///
/// # Errors
/// A file cannot be read or written, or `ca.key` is not a key.
pub(crate) fn prepare(folder: &Path, now: Timestamp) -> Result<Generated, ServerError> {
    create_folder(folder)?;
    let authority_file = folder.join("ca.crt");
    let authority = Authority::of(folder, &authority_file, now)?;
    let pair = |name: &str| PairFiles {
        certificate: folder.join(format!("{name}.crt")),
        key: folder.join(format!("{name}.key")),
    };
    let ecdsa = pair("server");
    let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)?;
    write_file(&ecdsa.key, key.serialize_pem().as_bytes(), 0o600)?;
    authority.sign(&ecdsa, &key, &[KeyUsagePurpose::DigitalSignature])?;
    let files = pair("server-rsa");
    let rsa = if files.key.exists() {
        authority.sign_rsa(&files)?;
        Rsa::Made(files)
    } else {
        Rsa::Pending(Box::new(PendingRsa { pair: PendingPair::new(Family::Rsa, files), authority }))
    };
    Ok(Generated { authority: authority_file, ecdsa, rsa })
}

impl PendingRsa {
    /// # Errors
    /// The key cannot be made, or a file not be written; clients that need an RSA certificate are refused.
    pub(crate) fn make(self) -> Result<PairFiles, ServerError> {
        let files = self.pair.files.clone();
        self.authority.sign_rsa(&files)?;
        self.pair.complete(&rustls::crypto::ring::default_provider())?;
        Ok(files)
    }
}

impl Drop for PendingRsa {
    fn drop(&mut self) {
        // Means nothing after `complete`.
        self.pair.give_up();
    }
}

impl Authority {
    fn of(folder: &Path, file: &Path, now: Timestamp) -> Result<Self, ServerError> {
        let key = authority_key(&folder.join("ca.key"))?;
        let parameters = authority_parameters(&key, now.date_time());
        if !file.exists() || must_be_renewed(file, now) {
            write_file(file, parameters.self_signed(&key)?.pem().as_bytes(), 0o644)?;
        }
        let pem = fs::read_to_string(file).map_err(|e| file_error("read", file, e))?;
        Ok(Self { issuer: Issuer::new(parameters, key), pem, names: names_within(file), now: now.date_time() })
    }

    fn sign(&self, pair: &PairFiles, key: &KeyPair, usages: &[KeyUsagePurpose]) -> Result<(), ServerError> {
        let certificate = server_parameters(self.now, &self.names, usages)?.signed_by(key, &self.issuer)?;
        write_file(&pair.certificate, format!("{}{}", certificate.pem(), self.pem).as_bytes(), 0o644)
    }

    fn sign_rsa(&self, pair: &PairFiles) -> Result<(), ServerError> {
        /// A reload may find no key while the first start still makes it: there is to be one key.
        static ONE_KEY: Mutex<()> = Mutex::new(());
        let _one = ONE_KEY.lock().unwrap_or_else(PoisonError::into_inner);
        // Static RSA lets the client encipher a secret to it.
        let usages = [KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyEncipherment];
        self.sign(pair, &rsa_key(&pair.key)?, &usages)
    }
}

fn rsa_key(file: &Path) -> Result<KeyPair, ServerError> {
    if file.exists() {
        let pem = fs::read_to_string(file).map_err(|e| file_error("read", file, e))?;
        return Ok(KeyPair::from_pem(&pem)?);
    }
    let made = aws_lc_rs::rsa::KeyPair::generate(KeySize::Rsa2048).map_err(|_| ServerError::RsaKey)?;
    let der: Pkcs8V1Der<'_> = made.as_der().map_err(|_| ServerError::RsaKey)?;
    let key = KeyPair::try_from(der.as_ref())?;
    write_file(file, key.serialize_pem().as_bytes(), 0o600)?;
    Ok(key)
}

fn authority_key(file: &Path) -> Result<KeyPair, ServerError> {
    if file.exists() {
        let pem = fs::read_to_string(file).map_err(|e| file_error("read", file, e))?;
        return Ok(KeyPair::from_pem(&pem)?);
    }
    let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)?;
    write_file(file, key.serialize_pem().as_bytes(), 0o600)?;
    Ok(key)
}

/// The name carries part of the key's hash, so that the authorities of two installations are told apart.
fn authority_parameters(key: &KeyPair, now: OffsetDateTime) -> CertificateParams {
    let hash = Sha256::digest(key.public_key_raw());
    let suffix: String = hash[..4].iter().map(|byte| format!("{byte:02x}")).collect();
    let mut parameters = CertificateParams::default();
    parameters.distinguished_name.push(DnType::CommonName, format!("Quaymaster {suffix}"));
    parameters.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    parameters.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    parameters.not_before = now - Duration::days(1);
    parameters.not_after = now + Duration::days(AUTHORITY_DAYS);
    let addresses = ADDRESSES.map(|address| match address {
        IpAddr::V4(address) => GeneralSubtree::IpAddress(CidrSubnet::from_v4_prefix(address.octets(), 32)),
        IpAddr::V6(address) => GeneralSubtree::IpAddress(CidrSubnet::from_v6_prefix(address.octets(), 128)),
    });
    let names = names().into_iter().map(GeneralSubtree::DnsName);
    parameters.name_constraints =
        Some(NameConstraints { permitted_subtrees: names.chain(addresses).collect(), excluded_subtrees: Vec::new() });
    parameters
}

/// 397 days is what browsers accept at most.
fn server_parameters(
    now: OffsetDateTime,
    names: &[String],
    usages: &[KeyUsagePurpose],
) -> Result<CertificateParams, ServerError> {
    let mut parameters = CertificateParams::new(names)?;
    for address in ADDRESSES {
        parameters.subject_alt_names.push(SanType::IpAddress(address));
    }
    parameters.distinguished_name.push(DnType::CommonName, "localhost");
    parameters.key_usages = usages.to_vec();
    parameters.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    parameters.use_authority_key_identifier_extension = true;
    parameters.not_before = now - Duration::days(1);
    parameters.not_after = now + Duration::days(397);
    Ok(parameters)
}

/// An authority that clients refuse or soon would. One that cannot be read is left to the reader that says so.
fn must_be_renewed(authority: &Path, now: Timestamp) -> bool {
    let read = certificate::read(authority).unwrap_or_default();
    read.iter().any(|one| !one.is_good_for_a_month(now))
}

/// The names that the server's certificates are for.
fn names() -> Vec<String> {
    let mut names = vec!["localhost".to_owned()];
    names.extend(host_name().filter(|name| name != "localhost"));
    names
}

/// Those of them that the authority may sign for. One that was made under another name of the machine, or before authorities
/// were constrained, still serves.
fn names_within(authority: &Path) -> Vec<String> {
    let Some(permitted) = certificate::permitted_names(authority) else { return names() };
    let (within, outside): (Vec<_>, Vec<_>) = names().into_iter().partition(|name| permitted.contains(name));
    for name in outside {
        tracing::warn!(
            "the generated certificate is not for {name}: the authority in {} was made under another name; remove it and ca.key, \
             restart the server, and let clients trust the new ca.crt",
            authority.display()
        );
    }
    within
}

/// The machine's name, when it is one that a certificate may hold.
fn host_name() -> Option<String> {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").ok()?.trim().to_ascii_lowercase();
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    (!name.is_empty() && name.len() <= 253 && name.chars().all(fits)).then_some(name)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// As a start that waits for the RSA pair: the authority's file, and both pairs.
    fn prepare_whole(folder: &Path, now: Timestamp) -> (PathBuf, [PairFiles; 2]) {
        let generated = prepare(folder, now).expect("prepared");
        let rsa = match generated.rsa {
            Rsa::Made(pair) => pair,
            Rsa::Pending(pending) => pending.make().expect("made"),
        };
        (generated.authority, [generated.ecdsa, rsa])
    }

    #[test]
    fn a_first_start_does_not_wait_for_the_rsa_key_and_whoever_makes_it_meanwhile_makes_the_same() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let now = Timestamp::from_millis(1_800_000_000_000);
        let pending = || match prepare(folder.path(), now).expect("prepared").rsa {
            Rsa::Pending(pending) => pending,
            Rsa::Made(pair) => panic!("{pair:?} was made before it was asked for"),
        };
        let (first, second) = (pending(), pending());
        assert!(!first.pair.files.key.exists());
        let made = std::thread::spawn(|| first.make().expect("made"));
        let files = second.make().expect("made");
        assert_eq!(made.join().expect("no panic"), files);
        let (rsa, provider) = (PendingPair::new(Family::Rsa, files), rustls::crypto::ring::default_provider());
        rsa.complete(&provider).expect("the key belongs to the certificate");
        // What is given up does not let anybody wait.
        let third = PendingRsa {
            pair: PendingPair::new(Family::Rsa, rsa.files),
            authority: Authority::of(folder.path(), &folder.path().join("ca.crt"), now).expect("read"),
        };
        let waits = third.pair.clone();
        drop(third);
        waits.wait();
    }

    #[test]
    fn the_authority_is_for_this_machine_and_five_years_and_is_made_anew_a_month_before_its_end() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = |day: u64| Timestamp::from_millis(1_800_000_000_000 + day * 86_400_000);
        let (file, _) = prepare_whole(folder.path(), at(0));
        let authority = |days: u64| {
            let one = certificate::read(&file).expect("readable").remove(0);
            one.days_left(at(days))
        };
        assert_eq!(authority(0), 5 * 365);
        assert_eq!(certificate::permitted_names(&file), Some(names()));
        let read = || fs::read_to_string(&file).expect("readable");
        let (first, key) = (read(), fs::read_to_string(folder.path().join("ca.key")).expect("readable"));
        prepare(folder.path(), at(5 * 365 - 40)).expect("made");
        assert_eq!(read(), first);
        prepare(folder.path(), at(5 * 365 - 20)).expect("made");
        assert_ne!(read(), first);
        assert_eq!(authority(5 * 365 - 20), 5 * 365);
        assert_eq!(fs::read_to_string(folder.path().join("ca.key")).expect("readable"), key);
        // The clock is set back to before it was made: clients would refuse it.
        prepare(folder.path(), at(0)).expect("made");
        assert_eq!(authority(0), 5 * 365);
    }

    #[test]
    fn an_authority_without_constraints_or_of_another_machine_name_still_serves() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let now = Timestamp::from_millis(1_800_000_000_000);
        let key = authority_key(&folder.path().join("ca.key")).expect("a key");
        for (constraints, expected) in [(None, names()), (Some("localhost"), vec!["localhost".to_owned()])] {
            let mut parameters = authority_parameters(&key, now.date_time());
            parameters.name_constraints = constraints.map(|name| NameConstraints {
                permitted_subtrees: vec![GeneralSubtree::DnsName(name.to_owned())],
                excluded_subtrees: Vec::new(),
            });
            let authority = folder.path().join("ca.crt");
            let pem = parameters.self_signed(&key).expect("signed").pem();
            write_file(&authority, pem.as_bytes(), 0o644).expect("written");
            prepare(folder.path(), now).expect("made");
            assert_eq!(fs::read_to_string(&authority).expect("readable"), pem, "it is kept");
            assert_eq!(names_within(&authority), expected);
        }
    }

    #[test]
    fn the_authority_and_the_rsa_key_last_and_the_server_certificates_are_new_at_every_start() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let read = |file: &Path| fs::read_to_string(file).expect("readable");
        let now = Timestamp::from_millis(1_800_000_000_000);
        let (authority, pairs) = prepare_whole(folder.path(), now);
        let before = (read(&authority), read(&pairs[1].key));
        let certificates = pairs.each_ref().map(|pair| read(&pair.certificate));
        assert_eq!(prepare_whole(folder.path(), now), (authority.clone(), pairs.clone()));
        assert_eq!((read(&authority), read(&pairs[1].key)), before);
        for (pair, before) in pairs.iter().zip(certificates) {
            assert_ne!(read(&pair.certificate), before);
        }
        for secret in ["ca.key", "server.key", "server-rsa.key"] {
            let mode = fs::metadata(folder.path().join(secret)).expect("there").permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{secret}");
        }
    }
}
