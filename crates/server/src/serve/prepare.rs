//! What a start does before anything listens: recover the queue managers, and meanwhile make certificate and passwords.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use handshake::identity::PairFiles;
use identity::api_key::ApiKeys;
use identity::ltpa::key_file;
use model::name::QueueManagerName;
use model::timestamp::Timestamp;
use queue_manager::{Clock, SystemClock};
use web::options::TlsOptions;

use crate::data_directory::{DataDirectory, file_error};
use crate::developer::{self, SECRETS, User};
use crate::error::ServerError;
use crate::serve::plan::Plan;
use crate::serve::recover::{RecoverOptions, Recovered, recover};
use crate::serve::roll::{self, Entry};
use crate::tls::{self, PendingRsa, Rsa};

/// All that has to stand before listeners open.
pub(crate) struct Prepared {
    /// Every queue manager of the data directory, in order.
    pub roll: Vec<Entry>,
    /// Those that start, recovered or with the reason why not.
    pub recovered: Vec<(QueueManagerName, Result<Recovered, ServerError>)>,
    pub tls: TlsAtStart,
    pub users: Vec<User>,
    pub api_keys: Arc<ApiKeys>,
}

/// The certificates that the first connections are shown.
pub(crate) struct TlsAtStart {
    pub options: TlsOptions,
    /// The authority to trust, when the certificates are of our own making.
    pub authority: Option<PathBuf>,
    /// What a first start makes once it is ready.
    pub pending_rsa: Option<Box<PendingRsa>>,
}

/// Each queue manager on a thread of its own, and the certificate on another.
///
/// # Errors
/// Something all of them need is missing. A queue manager that cannot be recovered is no error of the others.
pub(crate) fn prepare(plan: &Plan, data: &DataDirectory, server_user: &str) -> Result<Prepared, ServerError> {
    let server = &plan.configuration.server;
    let roll = roll::call(plan, data)?;
    let options = RecoverOptions::of(plan, data, server_user);
    let api_keys = Arc::new(ApiKeys::open(&data.api_keys())?);
    thread::scope(|scope| {
        let starting = roll.iter().filter(|entry| entry.starts);
        let starts: Vec<_> =
            starting.map(|entry| (entry.name, scope.spawn(|| recover(&options, entry.name)))).collect();
        let certificate = scope.spawn(|| tls_options_at_start(plan, data));
        scope.spawn(|| make_ltpa_keys(plan, data));
        let users = if server.developer_defaults {
            developer::users(&plan.environment, Path::new(SECRETS), &data.initial_passwords())
        } else {
            Ok(Vec::new())
        };
        let recovered = starts.into_iter().map(|(name, start)| (name, finish(start))).collect();
        let tls = finish(certificate)?;
        Ok((recovered, tls, users?))
    })
    .map(|(recovered, tls, users)| Prepared { roll, recovered, tls, users, api_keys })
}

/// Makes the default key file of a first start beside everything else; the web server, which reads it, would make it
/// too, only later. An error here occurs there again and is reported then.
fn make_ltpa_keys(plan: &Plan, data: &DataDirectory) {
    let ltpa = &plan.configuration.ltpa;
    let file = data.ltpa_keys();
    if ltpa.keys_file.is_none() && ltpa.keys_password.is_none() && !file.exists() {
        let _ = key_file::load_or_make(&file, None, &now().date_time().to_string());
    }
}

fn finish<T>(task: thread::ScopedJoinHandle<'_, Result<T, ServerError>>) -> Result<T, ServerError> {
    task.join().unwrap_or(Err(ServerError::StartUpTask))
}

/// The certificates of `[tls]`, or those of our own making.
///
/// # Errors
/// Our own cannot be made.
pub(crate) fn tls_options(plan: &Plan, data: &DataDirectory) -> Result<TlsOptions, ServerError> {
    let TlsAtStart { mut options, pending_rsa, .. } = tls_options_at_start(plan, data)?;
    if let Some(pending) = pending_rsa {
        options.pending = None;
        options.pairs.push(pending.make()?);
    }
    Ok(options)
}

/// As [`tls_options`], but the RSA pair of a first start may be pending. Old CipherSpecs want its files at once.
fn tls_options_at_start(plan: &Plan, data: &DataDirectory) -> Result<TlsAtStart, ServerError> {
    let tls = &plan.configuration.tls;
    let mut options = TlsOptions {
        pairs: Vec::new(),
        pending: None,
        authority: None,
        client_ca: tls.client_ca.clone(),
        client_required: tls.client_required,
        old_cipherspecs: tls.old_cipherspecs.clone(),
    };
    let pair = |certificate: &Option<PathBuf>, key: &Option<PathBuf>| {
        Some(PairFiles { certificate: certificate.clone()?, key: key.clone()? })
    };
    if let Some(first) = pair(&tls.certificate, &tls.key) {
        options.pairs.push(first);
        options.pairs.extend(pair(&tls.second_certificate, &tls.second_key));
        return Ok(TlsAtStart { options, authority: None, pending_rsa: None });
    }
    let generated = tls::prepare(&data.tls(), now())?;
    options.pairs.push(generated.ecdsa);
    let authority = &generated.authority;
    let pem = std::fs::read_to_string(authority).map_err(|error| file_error("read", authority, error))?;
    options.authority = Some(pem.into());
    let mut pending_rsa = None;
    match generated.rsa {
        Rsa::Made(pair) => options.pairs.push(pair),
        Rsa::Pending(pending) if !options.old_cipherspecs.is_empty() => options.pairs.push(pending.make()?),
        Rsa::Pending(pending) => {
            options.pending = Some(pending.pair.clone());
            pending_rsa = Some(pending);
        }
    }
    Ok(TlsAtStart { options, authority: Some(generated.authority), pending_rsa })
}

pub(crate) fn now() -> Timestamp {
    SystemClock.now()
}
