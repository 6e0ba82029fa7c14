//! Key repositories of programs: a PEM file, or PKCS#12 with its password. Which certificate is shown.
//!
//! Source: MQ Securing, "Supplying the key repository password for an IBM MQ MQI client on AIX, Linux, and Windows", "Digital
//! certificate labels, understanding the requirements", 9.4.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use channel_client::key_repository::KeyRepository;
use channel_client::options::ConnectOptions;
use channel_client::tls::{CertificateFiles, OwnCertificate, TlsOptions, Trust};
use model::reason::Reason;

use super::{Channel, Finder};
use crate::connect::asserted_user;
use crate::pkcs12;

/// What may be left out of a repository's name, in this order; IBM's clients add `.kdb`.
const ENDINGS: [&str; 4] = ["", ".pem", ".p12", ".pfx"];
/// Longest repository that is read, in bytes.
const LONGEST_FILE: u64 = 16 << 20;
/// How `runmqicred` begins what it encrypted.
const ENCRYPTED: &str = "<MQI>!";
/// How bytes of a password are kept in a stash file of the first form.
const STASH_MASK: u8 = 0xF5;

/// How a key database becomes a repository that can be read.
const CONVERT: &str = "Convert it: runmqakm -cert -export -db key.kdb -stashed -label LABEL -target key.p12 -target_type pkcs12, \
                       and name key.p12, with its password in MQKEYRPWD.";
const NAME_A_LABEL: &str = "Name one of its labels in CertificateLabel of MQCD or MQSCO, or in MQCERTLABL.";

impl Finder<'_> {
    /// The signers of a key repository, and the certificate that is shown.
    pub(super) fn keys_of(&self, path: &Path, channel: &Channel) -> Result<TlsOptions, Reason> {
        let Some((file, content)) = ENDINGS.iter().find_map(|ending| content_of(path, ending)) else {
            let known = format!("{0}, {0}.pem, {0}.p12 or {0}.pfx", path.display());
            let is_database = content_of(path, ".kdb").is_some();
            return match is_database {
                true => self.no_database(path),
                false => self.unusable(&format!("There is no key repository {known}"), "Name a file that is there."),
            };
        };
        let label = self.label(channel);
        if content.windows(11).any(|part| part == b"-----BEGIN ") {
            return self.pem(&file, &content, label);
        }
        // Every file of PKCS#12 is a SEQUENCE of ASN.1.
        match content.first() {
            Some(0x30) => self.pkcs12(&file, &content, label),
            _ => self.no_database(&file),
        }
    }

    fn unusable<T>(&self, problem: &str, action: &str) -> Result<T, Reason> {
        self.refuse(Reason::KeyRepositoryError, problem, action)
    }

    fn no_database<T>(&self, path: &Path) -> Result<T, Reason> {
        let problem = format!(
            "The key repository {} is neither PEM nor PKCS#12; the form of .kdb files is not published",
            path.display()
        );
        self.unusable(&problem, CONVERT)
    }

    /// What names the certificate: the channel, the program, the environment, the file; the first counts.
    fn label<'a>(&'a self, channel: &'a Channel) -> Option<&'a str> {
        let program = self.keys.map(|keys| keys.certificate_label.as_str());
        let named = [Some(channel.certificate_label.as_str()), program, self.settings.variable("MQCERTLABL")];
        let named = named.into_iter().flatten().map(str::trim).find(|label| !label.is_empty());
        named.or_else(|| self.settings.attribute("SSL", "CertificateLabel").filter(|label| !label.is_empty()))
    }

    /// The signers to trust, with one certificate and its key in front of them or without.
    fn pem(&self, file: &Path, content: &[u8], label: Option<&str>) -> Result<TlsOptions, Reason> {
        let has_key = content.windows(16).any(|part| part == b"PRIVATE KEY-----");
        if let Some(label) = label.filter(|_| !has_key) {
            let problem =
                format!("The key repository {} has no key, so no certificate '{label}' can be shown", file.display());
            return self.refuse(
                Reason::SslInitializationError,
                &problem,
                "Add the certificate and its key, or state no label.",
            );
        }
        let mut tls = TlsOptions::trusting(Trust::CaFile(file.to_owned()));
        let own = CertificateFiles { certificate: file.to_owned(), key: file.to_owned() };
        tls.certificate = has_key.then(|| own.into());
        Ok(tls)
    }

    fn pkcs12(&self, file: &Path, content: &[u8], label: Option<&str>) -> Result<TlsOptions, Reason> {
        let password = self.password(file)?;
        let repository = match pkcs12::read(content, &password) {
            Ok(repository) => Arc::new(repository),
            Err(error) => {
                let problem = format!("The key repository {}: {}", file.display(), model::causes::chain(&error));
                let action = "Check the password (MQSCO KeyRepoPassword, MQKEYRPWD, mqclient.ini, stash file). \
                              `openssl pkcs12 -info -in FILE` shows what openssl makes of the file.";
                return self.unusable(&problem, action);
            }
        };
        let mut tls = TlsOptions::trusting(Trust::Repository(Arc::clone(&repository)));
        tls.certificate = match label {
            None => self.unnamed(&repository),
            Some(label) => match OwnCertificate::of(&repository, label) {
                Ok(certificate) => Some(certificate),
                Err(error) => return self.refuse(Reason::SslInitializationError, &error.to_string(), NAME_A_LABEL),
            },
        };
        Ok(tls)
    }

    /// What IBM's clients show when no label is stated, else the only certificate.
    fn unnamed(&self, repository: &KeyRepository) -> Option<OwnCertificate> {
        let label = format!("ibmwebspheremq{}", asserted_user(self.settings).to_lowercase());
        let only = || match &repository.personal[..] {
            [one] => Some(Arc::clone(&one.certificate)),
            _ => None,
        };
        repository.labelled(&label).or_else(only).map(OwnCertificate::Read)
    }

    /// Of the program, the environment, `mqclient.ini` or the stash file; the first that is there counts.
    fn password(&self, file: &Path) -> Result<String, Reason> {
        let program = self.keys.and_then(|keys| keys.password.as_deref()).filter(|password| !password.is_empty());
        let stated = program
            .or_else(|| self.settings.variable("MQKEYRPWD"))
            .or_else(|| self.settings.attribute("SSL", "SSLKeyRepositoryPassword"));
        let shown = file.display();
        match stated {
            Some(password) if password.starts_with(ENCRYPTED) => self.unusable(
                &format!(
                    "The password of the key repository {shown} is encrypted by runmqicred, whose form is not published"
                ),
                "Give the password itself, in MQKEYRPWD or in an mqclient.ini that only the program's user reads.",
            ),
            Some(password) => Ok(password.to_owned()),
            None => {
                let stash = file.with_extension("sth");
                let Ok(stashed) = std::fs::read(&stash) else {
                    let problem = format!(
                        "The key repository {shown} has no password: none is stated, and there is no {}",
                        stash.display()
                    );
                    return self.unusable(&problem, "Set MQKEYRPWD, or KeyRepoPasswordPtr of MQSCO.");
                };
                let unreadable = format!("The stash file {} has a form that is not published", stash.display());
                unstashed(&stashed).map_or_else(|| self.unusable(&unreadable, "Set MQKEYRPWD."), Ok)
            }
        }
    }
}

/// What may mend a connection that failed: a repository has several certificates, and none was named.
pub(crate) fn advice(options: &ConnectOptions) -> Option<String> {
    let tls = options.tls.as_ref().filter(|tls| tls.certificate.is_none())?;
    let Trust::Repository(repository) = &tls.trust else { return None };
    let has_several = repository.personal.len() > 1;
    has_several.then(|| {
        format!(
            "A queue manager that requires a certificate gets none of the key repository, which has several: {}. {NAME_A_LABEL}",
            repository.labels()
        )
    })
}

/// A file whose name is `path` and this ending, and what is in it.
fn content_of(path: &Path, ending: &str) -> Option<(PathBuf, Vec<u8>)> {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    let file = PathBuf::from(name);
    file.metadata().ok().filter(|found| found.is_file() && found.len() <= LONGEST_FILE)?;
    let content = std::fs::read(&file).ok()?;
    Some((file, content))
}

/// The password of a stash file in the first form of IBM's tools; later forms do not come out as text.
fn unstashed(bytes: &[u8]) -> Option<String> {
    let plain: Vec<u8> = bytes.iter().map(|byte| byte ^ STASH_MASK).take_while(|byte| *byte != 0).collect();
    let has_ended = plain.len() < bytes.len();
    let text = String::from_utf8(plain).ok()?;
    (has_ended && !text.is_empty() && !text.chars().any(char::is_control)).then_some(text)
}

#[cfg(test)]
mod tests;
