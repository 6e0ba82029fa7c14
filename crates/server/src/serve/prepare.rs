//! What a start does before anything listens: recover the queue managers, and meanwhile make certificate and passwords.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use model::name::QueueManagerName;
use model::timestamp::Timestamp;
use queue_manager::{Clock, Home, QueueManager, StartOptions, SystemClock};
use storage::StoreOptions;
use storage::private::log::disk::DirectoryDisk;
use web::auth::ltpa::key_file;
use web::options::TlsOptions;

use crate::data_directory::{DataDirectory, State, create_folder};
use crate::developer::{self, SECRETS, User};
use crate::error::ServerError;
use crate::serve::plan::Plan;
use crate::tls;

/// All that has to stand before listeners open.
pub(crate) struct Prepared {
    pub queue_managers: Vec<QueueManager>,
    pub tls: TlsOptions,
    /// The authority to trust, when the certificate is of our own making.
    pub authority: Option<PathBuf>,
    pub users: Vec<User>,
}

/// Each queue manager on a thread of its own, and the certificate on another.
///
/// # Errors
/// The first of them that failed.
pub(crate) fn prepare(plan: &Plan, data: &DataDirectory, server_user: &str) -> Result<Prepared, ServerError> {
    let server = &plan.configuration.server;
    thread::scope(|scope| {
        let starts: Vec<_> = server
            .queue_managers
            .iter()
            .map(|name| scope.spawn(|| start_queue_manager(plan, data, *name, server_user)))
            .collect();
        let certificate = scope.spawn(|| tls_options(plan, data));
        scope.spawn(|| make_ltpa_keys(plan, data));
        let users = if server.developer_defaults {
            developer::users(&plan.environment, Path::new(SECRETS), &data.initial_passwords())
        } else {
            Ok(Vec::new())
        };
        let queue_managers: Vec<_> = starts.into_iter().map(finish).collect();
        let (tls, authority) = finish(certificate)?;
        let queue_managers = queue_managers.into_iter().collect::<Result<_, _>>()?;
        Ok(Prepared { queue_managers, tls, authority, users: users? })
    })
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

fn start_queue_manager(
    plan: &Plan,
    data: &DataDirectory,
    name: QueueManagerName,
    server_user: &str,
) -> Result<QueueManager, ServerError> {
    if plan.options.ephemeral {
        return Ok(QueueManager::start(start_options(plan, name, Home::Ephemeral, server_user))?);
    }
    create_folder(&data.log(&name))?;
    let disk = DirectoryDisk::open(data.log(&name))?;
    let home = Home::Disk(Arc::new(disk));
    let manager = QueueManager::start(start_options(plan, name, home, server_user))?;
    data.set_state(&name, State::Running)?;
    Ok(manager)
}

fn start_options(plan: &Plan, name: QueueManagerName, home: Home, server_user: &str) -> StartOptions {
    let store = StoreOptions { buffer_pool_bytes: plan.configuration.limits.buffer_pool, ..StoreOptions::default() };
    StartOptions { name, home, store, clock: Arc::new(SystemClock), server_user: server_user.to_owned() }
}

/// The certificate of `[tls]`, or one of our own making with its authority.
///
/// # Errors
/// Our own cannot be made.
pub(crate) fn tls_options(plan: &Plan, data: &DataDirectory) -> Result<(TlsOptions, Option<PathBuf>), ServerError> {
    let tls = &plan.configuration.tls;
    let (certificate, key, authority) = match (&tls.certificate, &tls.key) {
        (Some(certificate), Some(key)) => (certificate.clone(), key.clone(), None),
        _ => {
            let files = tls::prepare(&data.tls(), now())?;
            (files.certificate, files.key, Some(files.authority))
        }
    };
    let options =
        TlsOptions { certificate, key, client_ca: tls.client_ca.clone(), client_required: tls.client_required };
    Ok((options, authority))
}

pub(crate) fn now() -> Timestamp {
    SystemClock.now()
}
