//! Opens one queue manager: its folder, its log, its engine. Blocks while the log is read.

use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::Duration;

use model::name::QueueManagerName;
use queue_manager::durable_limit::DurableLimits;
use queue_manager::{Clock, Home, QueueManager, Snapshot, StartOptions, SystemClock};
use storage::private::log::disk::DirectoryDisk;
use storage::{StoreOptions, VerificationRate};
use test_control::TestControl;

use crate::data_directory::{DataDirectory, create_folder, folder_name};
use crate::error::ServerError;
use crate::record_lines::{LineFiles, RecordLines};
use crate::serve::group::GroupPlan;
use crate::serve::plan::Plan;

/// A queue manager that has been recovered and is not registered yet.
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
    pub durable: DurableLimits,
    pub server_user: String,
    pub group: Option<GroupPlan>,
    /// `None`: records go to their queues alone.
    pub lines: Option<LineFiles>,
    /// `None`: the server was not started for tests.
    pub test_control: Option<Arc<TestControl>>,
}

impl RecoverOptions {
    pub(crate) fn of(plan: &Plan, data: &DataDirectory, server_user: &str) -> Self {
        let limits = &plan.configuration.limits;
        let accounting = &plan.configuration.accounting;
        let own_folder = (!plan.options.ephemeral).then(|| data.record_lines());
        let folder = accounting.folder.clone().or(own_folder).filter(|_| accounting.json_lines);
        Self {
            data: data.clone(),
            ephemeral: plan.options.ephemeral,
            store: StoreOptions {
                buffer_pool_bytes: limits.buffer_pool,
                disk_quota_bytes: NonZeroU64::new(limits.disk_quota),
                memory_quota_bytes: NonZeroU64::new(limits.memory_quota),
                maximum_receipts: plan.configuration.message_api.keys,
                verification: NonZeroU64::new(limits.verification_bytes_per_second).map(|bytes_per_second| {
                    let interval = Duration::from_secs(limits.verification_seconds);
                    VerificationRate { bytes_per_second, interval }
                }),
                ..StoreOptions::default()
            },
            durable: DurableLimits {
                of_queue_manager: limits.durable_subscriptions,
                of_user: limits.durable_subscriptions_per_user,
            },
            test_control: plan.options.test_control.clone(),
            server_user: server_user.to_owned(),
            group: plan.group.clone(),
            lines: folder.map(|folder| LineFiles {
                folder,
                file_bytes: accounting.file_bytes,
                files: accounting.files,
            }),
        }
    }
}

/// By which the queue managers of a server work.
pub(crate) fn clock(test_control: Option<&TestControl>) -> Arc<dyn Clock> {
    match test_control {
        None => Arc::new(SystemClock),
        Some(control) => Arc::clone(&control.clock) as Arc<dyn Clock>,
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
    open(options, name, home, disk)
}

/// Starts an ephemeral queue manager as it was when the snapshot was taken.
///
/// # Errors
/// The snapshot has something that cannot be read.
pub(crate) fn restore(options: &RecoverOptions, snapshot: Arc<Snapshot>) -> Result<Recovered, ServerError> {
    open(options, snapshot.queue_manager(), Home::Restored(snapshot), None)
}

fn open(
    options: &RecoverOptions,
    name: QueueManagerName,
    home: Home,
    disk: Option<Arc<DirectoryDisk>>,
) -> Result<Recovered, ServerError> {
    let start = StartOptions {
        name,
        home,
        store: options.store.clone(),
        clock: clock(options.test_control.as_deref()),
        server_user: options.server_user.clone(),
    };
    let manager = match options.group.as_ref().and_then(|group| group.of_member(&name)) {
        Some(group) => QueueManager::start_member(start, group)?,
        None => QueueManager::start(start)?,
    };
    if let Some(control) = &options.test_control {
        manager.put_in_hand(Arc::clone(control));
    }
    manager.limit_durable_subscriptions(options.durable);
    if let Some(lines) = &options.lines {
        manager.set_record_sink(Arc::new(RecordLines::new(lines.clone(), &folder_name(&name))));
    }
    Ok(Recovered { manager, disk })
}
