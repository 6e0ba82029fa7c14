//! Certificates while the server runs: changed files are loaded, generated ones renewed, and certificates near their end logged.
//!
//! Open connections keep the certificate that they began with.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use handshake::identity::PairFiles;
use tokio::sync::watch;
use web::CertificateEnd;
use web::options::TlsOptions;

use super::prepare::now;
use super::{Server, until_stop};
use crate::certificate::{self, Certificate, WARNING_DAYS};
use crate::error::chain;

/// When each file was written last.
type Stamps = BTreeMap<PathBuf, Option<SystemTime>>;

/// Looks after the certificates until the server stops. `interval` of zero looks at no files, but at the days that are left.
pub(super) async fn watch(server: Arc<Server>, interval: Duration, mut stopped: watch::Receiver<bool>) {
    const WITHOUT_FILES: Duration = Duration::from_secs(3600);
    let pause = if interval.is_zero() { WITHOUT_FILES } else { interval };
    wait_for_pending(&server).await;
    let mut taken = stamps(&server.tls());
    let mut refused = None;
    let mut told = None;
    loop {
        let tls = server.tls();
        let certificates = certificates(&tls);
        server.web.set_certificates(ends(&certificates));
        let day = now().date_time().date();
        if told != Some(day) {
            told = Some(day);
            tell(&certificates);
        }
        let generated_ends =
            server.is_generated() && certificates.iter().any(|one| one.days_left(now()) < WARNING_DAYS);
        if tokio::time::timeout(pause, until_stop(&mut stopped)).await.is_ok() {
            return;
        }
        let found = stamps(&server.tls());
        let has_changed =
            !interval.is_zero() && !server.is_generated() && found != taken && refused.as_ref() != Some(&found);
        if !has_changed && !generated_ends {
            continue;
        }
        match server.renew_certificates() {
            Ok(()) => {
                tracing::info!("new connections use the new certificates");
                taken = stamps(&server.tls());
                refused = None;
            }
            Err(error) => {
                tracing::error!(
                    "the new certificates cannot be used, and the previous ones stay in use: {}",
                    chain(&error)
                );
                refused = Some(found);
            }
        }
    }
}

/// The RSA pair of a first start is made behind the ready line.
async fn wait_for_pending(server: &Server) {
    if let Some(pair) = server.tls().pending {
        // Fails only when the server stops.
        let _ = tokio::task::spawn_blocking(move || pair.wait()).await;
    }
}

fn pairs(tls: &TlsOptions) -> impl Iterator<Item = &PairFiles> {
    tls.pairs.iter().chain(tls.pending.iter().map(|pending| &pending.files))
}

fn files(tls: &TlsOptions) -> impl Iterator<Item = &PathBuf> {
    pairs(tls).flat_map(|pair| [&pair.certificate, &pair.key]).chain(&tls.client_ca)
}

fn stamps(tls: &TlsOptions) -> Stamps {
    let written = |file: &PathBuf| std::fs::metadata(file).and_then(|metadata| metadata.modified()).ok();
    files(tls).map(|file| (file.clone(), written(file))).collect()
}

/// Every certificate of the files; those that cannot be read now were read at start.
fn certificates(tls: &TlsOptions) -> Vec<Certificate> {
    let files = pairs(tls).map(|pair| &pair.certificate).chain(&tls.client_ca);
    files.flat_map(|file| certificate::read(file).unwrap_or_default()).collect()
}

fn ends(certificates: &[Certificate]) -> Vec<CertificateEnd> {
    let end = |one: &Certificate| CertificateEnd {
        file: one.file.display().to_string(),
        subject: one.subject.clone(),
        seconds: one.ends,
    };
    certificates.iter().map(end).collect()
}

fn tell(certificates: &[Certificate]) {
    for one in certificates {
        let (days, file) = (one.days_left(now()), one.file.display());
        if days < 0 {
            tracing::error!("the certificate of {} in {file} ended on {}: replace it", one.subject, one.last_day());
        } else if days < WARNING_DAYS {
            tracing::warn!(
                "the certificate of {} in {file} ends on {}, in {days} days: replace it",
                one.subject,
                one.last_day()
            );
        }
    }
}
