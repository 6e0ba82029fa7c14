//! Certificates of peers: as the server under test makes its own at its first start, ECDSA on P-256, and for one run.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

/// Of every store of keys or certificates that is made here.
pub const STORE_PASSWORD: &str = "store-password";

/// A self-signed certificate for 127.0.0.1 and its key, in PEM.
#[derive(Debug, Clone)]
pub struct Certificate {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

impl Certificate {
    /// Makes `certificate.pem` and `key.pem` in `folder`.
    pub fn make(folder: &Path) -> Result<Self> {
        run(Command::new("openssl")
            .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"])
            .args(["-days", "30", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"])
            // A certificate that may sign others is believed by no client as a server's own.
            .args(["-addext", "basicConstraints=critical,CA:FALSE"])
            .args(["-keyout", "key.pem", "-out", "certificate.pem"])
            .current_dir(folder))?;
        Ok(Self { certificate: folder.join("certificate.pem"), key: folder.join("key.pem") })
    }

    /// Both in a PKCS #12 store, as Java reads keys.
    pub fn key_store(&self, file: &Path) -> Result<()> {
        run(Command::new("openssl")
            .args(["pkcs12", "-export", "-name", "server", "-passout", &format!("pass:{STORE_PASSWORD}")])
            .arg("-in")
            .arg(&self.certificate)
            .arg("-inkey")
            .arg(&self.key)
            .arg("-out")
            .arg(file))
    }
}

/// A PKCS #12 store that trusts the certificate in a PEM file, for Java.
pub fn trust_store(certificate: &Path, file: &Path) -> Result<()> {
    run(Command::new("keytool")
        .args(["-importcert", "-noprompt", "-alias", "server", "-storetype", "PKCS12", "-storepass", STORE_PASSWORD])
        .arg("-keystore")
        .arg(file)
        .arg("-file")
        .arg(certificate))
}

/// A client that trusts the certificates in a PEM file.
pub fn trusting(certificates: &Path) -> Result<Arc<ClientConfig>> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(certificates)? {
        roots.add(certificate?)?;
    }
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

fn run(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("{program} is not installed"))?;
    let said = [output.stdout, output.stderr].concat();
    ensure!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&said));
    Ok(())
}
