//! What a start does before anything listens: recover the queue managers, and meanwhile make certificate and passwords.

use std::path::{Path, PathBuf};
use std::thread;

use handshake::identity::PairFiles;
use identity::ltpa::key_file;
use model::name::QueueManagerName;
use model::timestamp::Timestamp;
use queue_manager::{Clock, SystemClock};
use web::options::TlsOptions;

use crate::data_directory::DataDirectory;
use crate::developer::{self, SECRETS, User};
use crate::error::ServerError;
use crate::serve::plan::Plan;
use crate::serve::recover::{RecoverOptions, Recovered, recover};
use crate::serve::roll::{self, Entry};
use crate::tls;

/// All that has to stand before listeners open.
pub(crate) struct Prepared {
    /// Every queue manager of the data directory, in order.
    pub roll: Vec<Entry>,
    /// Those that start, recovered or with the reason why not.
    pub recovered: Vec<(QueueManagerName, Result<Recovered, ServerError>)>,
    pub tls: TlsOptions,
    /// The authority to trust, when the certificate is of our own making.
    pub authority: Option<PathBuf>,
    pub users: Vec<User>,
}

/// Each queue manager on a thread of its own, and the certificate on another.
///
/// # Errors
/// Something all of them need is missing. A queue manager that cannot be recovered is no error of the others.
pub(crate) fn prepare(plan: &Plan, data: &DataDirectory, server_user: &str) -> Result<Prepared, ServerError> {
    let server = &plan.configuration.server;
    let roll = roll::call(plan, data)?;
    let options = RecoverOptions::of(plan, data, server_user);
    thread::scope(|scope| {
        let starting = roll.iter().filter(|entry| entry.starts);
        let starts: Vec<_> =
            starting.map(|entry| (entry.name, scope.spawn(|| recover(&options, entry.name)))).collect();
        let certificate = scope.spawn(|| tls_options(plan, data));
        scope.spawn(|| make_ltpa_keys(plan, data));
        let users = if server.developer_defaults {
            developer::users(&plan.environment, Path::new(SECRETS), &data.initial_passwords())
        } else {
            Ok(Vec::new())
        };
        let recovered = starts.into_iter().map(|(name, start)| (name, finish(start))).collect();
        let (tls, authority) = finish(certificate)?;
        Ok((recovered, tls, authority, users?))
    })
    .map(|(recovered, tls, authority, users)| Prepared { roll, recovered, tls, authority, users })
}

/// Makes the default key file of a first start beside everything else; the web server, which reads it, would make it
/// too, only later. What goes wrong here goes wrong there again and is told then.
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

/// The certificate of `[tls]`, or one of our own making with its authority.
///
/// # Errors
/// Our own cannot be made.
pub(crate) fn tls_options(plan: &Plan, data: &DataDirectory) -> Result<(TlsOptions, Option<PathBuf>), ServerError> {
    let tls = &plan.configuration.tls;
    let pair = |certificate: &Option<PathBuf>, key: &Option<PathBuf>| {
        Some(PairFiles { certificate: certificate.clone()?, key: key.clone()? })
    };
    let (pairs, authority) = match pair(&tls.certificate, &tls.key) {
        Some(first) => {
            let second = pair(&tls.second_certificate, &tls.second_key);
            ([first].into_iter().chain(second).collect(), None)
        }
        None => {
            let files = tls::prepare(&data.tls(), now())?;
            (files.pairs.to_vec(), Some(files.authority))
        }
    };
    let options = TlsOptions {
        pairs,
        client_ca: tls.client_ca.clone(),
        client_required: tls.client_required,
        old_cipherspecs: tls.old_cipherspecs.clone(),
    };
    Ok((options, authority))
}

pub(crate) fn now() -> Timestamp {
    SystemClock.now()
}
