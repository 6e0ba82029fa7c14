//! The server's own TLS certificate when `[tls]` names none.
//!
//! At first start an authority is made (`ca.key`, `ca.crt`) for five years; clients are told to trust `ca.crt`. It can sign for
//! this machine's names alone. A month before its end it is made anew, with the same key and name. The server's certificates
//! are made anew at every start and reload, so that they never expire and follow the machine's name: an ECDSA
//! P-256 one, and an RSA one for clients whose CipherSpecs need that. The RSA key (`server-rsa.key`) lasts, since making it
//! takes a tenth of a second. Files with keys have mode 0600.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::{Path, PathBuf};

use aws_lc_rs::encoding::{AsDer, Pkcs8V1Der};
use aws_lc_rs::rsa::KeySize;
use handshake::identity::PairFiles;
use model::timestamp::Timestamp;
use rcgen::{
    BasicConstraints, CertificateParams, CidrSubnet, DnType, ExtendedKeyUsagePurpose, GeneralSubtree, IsCa, Issuer,
    KeyPair, KeyUsagePurpose, NameConstraints, PKCS_ECDSA_P256_SHA256, SanType,
};
use sha2::{Digest, Sha256};
use time::{Duration, OffsetDateTime};

use crate::certificate::{self, WARNING_DAYS};
use crate::data_directory::{create_folder, file_error, write_file};
use crate::error::ServerError;

/// Life of the authority: a key that somebody copies is worth nothing after it.
const AUTHORITY_DAYS: i64 = 5 * 365;
/// Addresses that the server's certificates are for.
const ADDRESSES: [IpAddr; 2] = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];

/// Where the files stand.
#[derive(Debug, Clone)]
pub(crate) struct Files {
    pub authority: PathBuf,
    /// ECDSA, then RSA.
    pub pairs: [PairFiles; 2],
}

impl Files {
    pub(crate) fn in_folder(folder: &Path) -> Self {
        let pair = |name: &str| PairFiles {
            certificate: folder.join(format!("{name}.crt")),
            key: folder.join(format!("{name}.key")),
        };
        Self { authority: folder.join("ca.crt"), pairs: [pair("server"), pair("server-rsa")] }
    }
}

/// Makes what is missing in `folder`, and the server's certificate in any case.
///
/// # Errors
/// A file cannot be read or written, or `ca.key` is not a key.
pub(crate) fn prepare(folder: &Path, now: Timestamp) -> Result<Files, ServerError> {
    create_folder(folder)?;
    let files = Files::in_folder(folder);
    let timestamp = now;
    let now = now.date_time();
    let authority_key = authority_key(&folder.join("ca.key"))?;
    let authority = authority_parameters(&authority_key, now);
    if !files.authority.exists() || ends_soon(&files.authority, timestamp) {
        let certificate = authority.self_signed(&authority_key)?;
        write_file(&files.authority, certificate.pem().as_bytes(), 0o644)?;
    }
    let authority_pem = fs::read_to_string(&files.authority).map_err(|e| file_error("read", &files.authority, e))?;
    let names = names_within(&files.authority);
    let issuer = Issuer::new(authority, authority_key);
    let show = |pair: &PairFiles, key: &KeyPair, usages: &[KeyUsagePurpose]| -> Result<(), ServerError> {
        let certificate = server_parameters(now, &names, usages)?.signed_by(key, &issuer)?;
        write_file(&pair.certificate, format!("{}{authority_pem}", certificate.pem()).as_bytes(), 0o644)
    };
    let [ecdsa, rsa] = &files.pairs;
    let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)?;
    write_file(&ecdsa.key, key.serialize_pem().as_bytes(), 0o600)?;
    show(ecdsa, &key, &[KeyUsagePurpose::DigitalSignature])?;
    // Static RSA lets the client encipher a secret to it.
    show(rsa, &rsa_key(&rsa.key)?, &[KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyEncipherment])?;
    Ok(files)
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

/// An authority that clients would soon refuse. One that cannot be read is left to the reader that says so.
fn ends_soon(authority: &Path, now: Timestamp) -> bool {
    let read = certificate::read(authority).unwrap_or_default();
    read.iter().any(|one| one.days_left(now) < WARNING_DAYS)
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

    #[test]
    fn the_authority_is_for_this_machine_and_five_years_and_is_made_anew_a_month_before_its_end() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = |day: u64| Timestamp::from_millis(1_800_000_000_000 + day * 86_400_000);
        let files = prepare(folder.path(), at(0)).expect("made");
        let authority = |days: u64| {
            let one = certificate::read(&files.authority).expect("readable").remove(0);
            one.days_left(at(days))
        };
        assert_eq!(authority(0), 5 * 365);
        assert_eq!(certificate::permitted_names(&files.authority), Some(names()));
        let read = || fs::read_to_string(&files.authority).expect("readable");
        let (first, key) = (read(), fs::read_to_string(folder.path().join("ca.key")).expect("readable"));
        prepare(folder.path(), at(5 * 365 - 40)).expect("made");
        assert_eq!(read(), first);
        prepare(folder.path(), at(5 * 365 - 20)).expect("made");
        assert_ne!(read(), first);
        assert_eq!(authority(5 * 365 - 20), 5 * 365);
        assert_eq!(fs::read_to_string(folder.path().join("ca.key")).expect("readable"), key);
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
        let first = prepare(folder.path(), now).expect("made");
        let (authority, certificates) =
            (read(&first.authority), first.pairs.each_ref().map(|pair| read(&pair.certificate)));
        let rsa_key = read(&first.pairs[1].key);
        let second = prepare(folder.path(), now).expect("made again");
        assert_eq!(read(&second.authority), authority);
        assert_eq!(read(&second.pairs[1].key), rsa_key);
        for (pair, before) in second.pairs.iter().zip(certificates) {
            assert_ne!(read(&pair.certificate), before);
        }
        for secret in ["ca.key", "server.key", "server-rsa.key"] {
            let mode = fs::metadata(folder.path().join(secret)).expect("there").permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{secret}");
        }
    }
}
