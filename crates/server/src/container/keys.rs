//! Certificates in the folders of IBM's image.
//!
//! ```text
//! /etc/mqm/pki/keys/LABEL/{tls.key,tls.crt,ca.crt}   the first label in the alphabet is the server's certificate
//! /etc/mqm/pki/trust/NAME/*.crt                      signers of clients' certificates
//! ```
//! A `tls.crt` of one certificate is followed by `ca.crt`, its issuers. With a certificate there, the developer channels want TLS.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Found, cannot_prepare, cannot_read, files, folders, read_if_there, text_of};
use crate::configuration::ConfigurationError;
use crate::data_directory::write_file;

const BEGIN: &str = "-----BEGIN CERTIFICATE-----";

/// `settings` is `/etc/mqm`, `folder` that of generated files.
pub(super) fn read(
    settings: &Path,
    folder: &Path,
    has_developer_defaults: bool,
    found: &mut Found,
) -> Result<(), ConfigurationError> {
    let pki = settings.join("pki");
    let labels: Vec<PathBuf> = folders(&pki.join("keys"))?.into_iter().filter(|label| is_pair(label)).collect();
    let mut signers: Vec<PathBuf> =
        labels.iter().map(|label| label.join("ca.crt")).filter(|file| file.is_file()).collect();
    for trusted in folders(&pki.join("trust"))? {
        signers.extend(files(&trusted, "crt")?);
    }
    if let Some(label) = labels.first() {
        let certificate = chain_of(label, folder)?;
        found.set("tls.certificate", text_of(&certificate));
        found.set("tls.key", text_of(&label.join("tls.key")));
        let name = label.file_name().unwrap_or_default().to_string_lossy();
        found.scripts.insert("15-tls.mqsc", format!("ALTER QMGR CERTLABL('{}')\n", name.replace('\'', "''")));
        if has_developer_defaults {
            let channel = |name: &str| {
                format!("ALTER CHANNEL({name}) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(OPTIONAL)\n")
            };
            let script = ["DEV.APP.SVRCONN", "DEV.ADMIN.SVRCONN"].map(channel).concat();
            found.scripts.insert("20-dev-tls.mqsc", script);
        }
        for other in &labels[1..] {
            let name = label.display();
            found.note(format!("{}: not used, the certificate is that of {name}", other.display()));
        }
    }
    if !signers.is_empty() {
        let bundle = folder.join("signers.pem");
        let texts: Result<Vec<String>, _> = signers.iter().map(|file| pem_text(file)).collect();
        write(&bundle, &texts?.concat())?;
        found.set("tls.client_ca", text_of(&bundle));
    }
    if !folders(&settings.join("metrics/pki/keys"))?.is_empty() {
        found.note("/etc/mqm/metrics/pki/keys is not used: the metrics listener has no TLS");
    }
    Ok(())
}

/// The text of a PEM file, ended by one line feed.
fn pem_text(file: &Path) -> Result<String, ConfigurationError> {
    let text = fs::read_to_string(file).map_err(|error| cannot_read(file, error))?;
    Ok(format!("{}\n", text.trim_end()))
}

fn is_pair(label: &Path) -> bool {
    label.join("tls.key").is_file() && label.join("tls.crt").is_file()
}

/// The file with the certificate and its issuers: `tls.crt` itself, which may be replaced while the server runs, unless its
/// issuers are in `ca.crt` alone.
fn chain_of(label: &Path, folder: &Path) -> Result<PathBuf, ConfigurationError> {
    let file = label.join("tls.crt");
    let certificate = pem_text(&file)?;
    let issuers = read_if_there(&label.join("ca.crt"))?;
    let Some(issuers) = issuers.filter(|_| certificate.matches(BEGIN).count() == 1) else { return Ok(file) };
    let whole = folder.join("chain.pem");
    write(&whole, &format!("{certificate}{}", String::from_utf8_lossy(&issuers)))?;
    Ok(whole)
}

fn write(file: &Path, text: &str) -> Result<(), ConfigurationError> {
    write_file(file, text.as_bytes(), 0o600).map_err(|error| cannot_prepare(file, io::Error::other(error)))
}
