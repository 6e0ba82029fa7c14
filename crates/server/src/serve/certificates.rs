//! Certificates while the server runs: changed files are loaded, generated ones renewed, and certificates near their end logged.
//!
//! Open connections keep the certificate that they began with.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use handshake::identity::PairFiles;
use model::timestamp::Timestamp;
use tokio::sync::watch;
use tokio::time::Instant;
use web::CertificateEnd;
use web::options::TlsOptions;

use super::prepare::now;
use super::{Server, until_stop};
use crate::certificate::{self, Certificate, WARNING_DAYS};
use crate::error::chain;

/// What changes when a file is written or replaced: its time, length and inode. A file that cannot be looked at has none.
type Stamps = BTreeMap<PathBuf, Option<(SystemTime, u64, u64)>>;

/// Generated certificates are renewed this often at most, also when they cannot be written.
const BETWEEN_RENEWALS: Duration = Duration::from_secs(3600);

/// Looks after the certificates until the server stops. `interval` of zero looks at no files, but at the days that are left.
pub(super) async fn watch(server: Arc<Server>, interval: Duration, mut stopped: watch::Receiver<bool>) {
    const WITHOUT_FILES: Duration = Duration::from_secs(3600);
    let pause = if interval.is_zero() { WITHOUT_FILES } else { interval };
    wait_for_pending(&server).await;
    let mut taken = stamps(&server);
    let mut refused = None;
    let mut told = None;
    let mut renewed: Option<Instant> = None;
    loop {
        let tls = server.tls();
        let certificates = certificates(&tls);
        server.web.set_certificates(ends(&certificates));
        let day = now().date_time().date();
        if told != Some(day) {
            told = Some(day);
            tell(&certificates);
        }
        if tokio::time::timeout(pause, until_stop(&mut stopped)).await.is_ok() {
            return;
        }
        // Before the files are read: what is written meanwhile differs from it, and is looked at the next time.
        let found = stamps(&server);
        let has_changed = !interval.is_zero() && found != taken && refused.as_ref() != Some(&found);
        let is_due = server.is_generated()
            && renewed.is_none_or(|at| at.elapsed() >= BETWEEN_RENEWALS)
            && must_be_renewed(&tls, now());
        if !has_changed && !is_due {
            continue;
        }
        if is_due {
            renewed = Some(Instant::now());
        }
        match server.renew_certificates() {
            Ok(()) => {
                tracing::info!("new connections use the new certificates");
                taken = found;
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

/// Whether clients refuse one of the server's own certificates or soon will. One that is not good yet was made before the clock was
/// set back.
fn must_be_renewed(tls: &TlsOptions, now: Timestamp) -> bool {
    let mut own = pairs(tls).flat_map(|pair| certificate::read(&pair.certificate).unwrap_or_default());
    own.any(|one| !one.is_good_for_a_month(now))
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

/// Of the files that somebody else writes.
fn stamps(server: &Server) -> Stamps {
    let tls = server.tls();
    let own = if server.is_generated() { None } else { Some(pairs(&tls)) };
    let files = own.into_iter().flatten().flat_map(|pair| [&pair.certificate, &pair.key]).chain(&tls.client_ca);
    files.map(|file| (file.clone(), stamp(file))).collect()
}

fn stamp(file: &Path) -> Option<(SystemTime, u64, u64)> {
    let metadata = std::fs::metadata(file).ok()?;
    Some((metadata.modified().ok()?, metadata.len(), metadata.ino()))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tls;

    #[test]
    fn the_servers_own_certificates_are_renewed_a_month_before_their_end_or_when_they_have_not_begun() {
        const DAY: u64 = 3000;
        let folders = [(); 2].map(|()| tempfile::tempdir().expect("a temporary folder"));
        let at = |day: u64| Timestamp::from_millis(1_800_000_000_000 + day * 86_400_000);
        let made = tls::prepare(folders[0].path(), at(DAY)).expect("made");
        let mut tls = TlsOptions { pairs: vec![made.ecdsa.clone()], ..TlsOptions::default() };
        let due = [DAY - 10, DAY, DAY + 360, DAY + 370].map(|day| must_be_renewed(&tls, at(day)));
        assert_eq!(due, [true, false, false, true]);
        // An authority of five years that ends in ten days. It signs clients, and is for somebody else to renew.
        let clients = tls::prepare(folders[1].path(), at(DAY + 10 - 5 * 365)).expect("made").authority.clone();
        tls.client_ca = Some(clients);
        assert!(certificates(&tls).iter().any(|one| one.days_left(at(DAY)) < 30));
        assert!(!must_be_renewed(&tls, at(DAY)));
    }
}
