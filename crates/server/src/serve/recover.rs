//! Opens one queue manager: its folder, its log, its engine. Blocks while the log is read.

use std::sync::Arc;

use model::name::QueueManagerName;
use queue_manager::{Home, QueueManager, StartOptions, SystemClock};
use storage::StoreOptions;
use storage::private::log::disk::DirectoryDisk;

use crate::data_directory::{DataDirectory, create_folder};
use crate::error::ServerError;
use crate::serve::plan::Plan;

/// A queue manager that has been recovered, and that nobody knows yet.
pub(crate) struct Recovered {
    pub manager: QueueManager,
    /// `None` with `--ephemeral`.
    pub disk: Option<Arc<DirectoryDisk>>,
}

/// What every start of a queue manager in this server has in common.
#[derive(Debug, Clone)]
pub(crate) struct RecoverOptions {
    pub data: DataDirectory,
    pub ephemeral: bool,
    pub store: StoreOptions,
    pub server_user: String,
}

impl RecoverOptions {
    pub(crate) fn of(plan: &Plan, data: &DataDirectory, server_user: &str) -> Self {
        let limits = &plan.configuration.limits;
        Self {
            data: data.clone(),
            ephemeral: plan.options.ephemeral,
            store: StoreOptions { buffer_pool_bytes: limits.buffer_pool, ..StoreOptions::default() },
            server_user: server_user.to_owned(),
        }
    }
}

/// Recovers a queue manager, making it when it is absent.
///
/// # Errors
/// The log is damaged, in use, or cannot be read or written.
pub(crate) fn recover(options: &RecoverOptions, name: QueueManagerName) -> Result<Recovered, ServerError> {
    let (home, disk) = if options.ephemeral {
        (Home::Ephemeral, None)
    } else {
        let folder = options.data.log(&name);
        create_folder(&folder)?;
        let disk = Arc::new(DirectoryDisk::open(folder)?);
        (Home::Disk(Arc::clone(&disk) as Arc<_>), Some(disk))
    };
    let manager = QueueManager::start(StartOptions {
        name,
        home,
        store: options.store.clone(),
        clock: Arc::new(SystemClock),
        server_user: options.server_user.clone(),
    })?;
    Ok(Recovered { manager, disk })
}
