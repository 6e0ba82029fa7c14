//! Certificates made by the `openssl` command, as people make them.

use std::path::PathBuf;
use std::process::Command;

use handshake::files;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tempfile::TempDir;

/// A folder of PEM files `NAME.crt` and `NAME.key`.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    /// A self-signed certificate. OpenSSL writes CA:TRUE into it unless told otherwise.
    pub(crate) fn self_signed(&self, name: &str, more: &[&str]) -> &Self {
        self.of_kind(name, &["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"], more)
    }

    /// With an RSA key.
    pub(crate) fn rsa(&self, name: &str) -> &Self {
        self.of_kind(name, &["-newkey", "rsa:2048"], &[])
    }

    fn of_kind(&self, name: &str, kind: &[&str], more: &[&str]) -> &Self {
        self.openssl(name, &[&["req", "-x509", "-nodes", "-subj", "/O=Example/CN=orders"], kind, more].concat());
        self
    }

    /// One with the subject and the names of localhost.
    pub(crate) fn of_localhost(&self, name: &str, more: &[&str]) -> &Self {
        self.self_signed(name, &[&["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"], more].concat())
    }

    fn openssl(&self, name: &str, arguments: &[&str]) {
        let mut command = Command::new("openssl");
        command.args(arguments).arg("-keyout").arg(self.file(name, "key")).arg("-out").arg(self.file(name, "crt"));
        let output = command.output().expect("openssl is installed");
        assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    pub(crate) fn file(&self, name: &str, kind: &str) -> PathBuf {
        self.0.path().join(format!("{name}.{kind}"))
    }

    pub(crate) fn chain(&self, name: &str) -> Vec<CertificateDer<'static>> {
        files::certificates(&self.file(name, "crt")).expect("a certificate")
    }

    pub(crate) fn key(&self, name: &str) -> PrivateKeyDer<'static> {
        files::key(&self.file(name, "key")).expect("a key")
    }
}
