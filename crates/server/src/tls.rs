//! The server's own TLS certificate when `[tls]` names none.
//!
//! At first start an authority is made (`ca.key`, `ca.crt`), which lasts; clients are told to trust `ca.crt`. The server's
//! certificates are made anew at every start and reload, so that they never expire and follow the machine's name: an ECDSA
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
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    PKCS_ECDSA_P256_SHA256, SanType,
};
use sha2::{Digest, Sha256};
use time::{Duration, OffsetDateTime};

use crate::data_directory::{create_folder, file_error, write_file};
use crate::error::ServerError;

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
    let now = now.date_time();
    let authority_key = authority_key(&folder.join("ca.key"))?;
    let authority = authority_parameters(&authority_key, now);
    if !files.authority.exists() {
        let certificate = authority.self_signed(&authority_key)?;
        write_file(&files.authority, certificate.pem().as_bytes(), 0o644)?;
    }
    let authority_pem = fs::read_to_string(&files.authority).map_err(|e| file_error("read", &files.authority, e))?;
    let issuer = Issuer::new(authority, authority_key);
    let show = |pair: &PairFiles, key: &KeyPair, usages: &[KeyUsagePurpose]| -> Result<(), ServerError> {
        let certificate = server_parameters(now, usages)?.signed_by(key, &issuer)?;
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
    parameters.not_after = now + Duration::days(20 * 365);
    parameters
}

/// 397 days is what browsers accept at most.
fn server_parameters(now: OffsetDateTime, usages: &[KeyUsagePurpose]) -> Result<CertificateParams, ServerError> {
    let mut names = vec!["localhost".to_owned()];
    names.extend(host_name().filter(|name| name != "localhost"));
    let mut parameters = CertificateParams::new(names)?;
    for address in [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)] {
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
