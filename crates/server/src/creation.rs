//! A queue manager made: by `crtmqm` in a data directory that no server uses, or by the running server on its behalf.

use std::fs;
use std::sync::Arc;

use model::authority::Principal;
use model::name::{QueueManagerName, QueueName};
use queue_manager::registry::State;
use queue_manager::{Home, QueueManager, StartOptions, SystemClock};
use serde::{Deserialize, Serialize};
use storage::StoreOptions;
use storage::private::log::disk::DirectoryDisk;

use crate::data_directory::{DataDirectory, Saved, create_folder};
use crate::error::ServerError;

/// The listener that `crtmqm -p` makes.
const LISTENER: &str = "SYSTEM.LISTENER.TCP.1";

/// Options of `crtmqm` for the new queue manager. An absent one has its default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct NewQueueManager {
    pub description: Option<String>,
    pub dead_letter_queue: Option<String>,
    pub default_transmission_queue: Option<String>,
    pub maximum_handles: Option<u32>,
    pub trigger_interval_ms: Option<u32>,
    pub maximum_uncommitted: Option<u32>,
    /// Port of a listener that starts and ends with the queue manager.
    pub listener_port: Option<u16>,
}

/// Makes it, with its SYSTEM objects. The caller holds the data directory's lock and knows that the name is free.
///
/// Blocks; not to be called on a thread that runs tasks. Nothing of a queue manager that could not be made is left.
///
/// # Errors
/// The folder cannot be written, or a value is not valid.
pub(crate) fn create(
    data: &DataDirectory,
    name: QueueManagerName,
    new: &NewQueueManager,
    server_user: &str,
) -> Result<(), ServerError> {
    let result = create_in(data, name, new, server_user);
    if result.is_err() {
        // To be mistaken for a queue manager it would take a log; what stays without one is harmless.
        let _ = fs::remove_dir_all(data.queue_manager(&name));
    }
    result
}

fn create_in(
    data: &DataDirectory,
    name: QueueManagerName,
    new: &NewQueueManager,
    server_user: &str,
) -> Result<(), ServerError> {
    create_folder(&data.log(&name))?;
    let disk = DirectoryDisk::open(data.log(&name))?;
    let manager = QueueManager::start(StartOptions {
        name,
        home: Home::Disk(Arc::new(disk)),
        store: StoreOptions::default(),
        clock: Arc::new(SystemClock),
        server_user: server_user.to_owned(),
    })?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(ServerError::Runtime)?;
    runtime.block_on(async {
        let altered = alter(new, &manager, &Principal::administrator(server_user)).await;
        manager.stop().await;
        altered
    })?;
    data.save(&name, Saved { state: State::EndedNormally, resumes: false })
}

async fn alter(new: &NewQueueManager, manager: &QueueManager, caller: &Principal) -> Result<(), ServerError> {
    let name = manager.name();
    let refused = |problem: String| ServerError::NewQueueManager { name, problem };
    let queue = |text: &Option<String>| {
        text.as_deref().map(QueueName::parse).transpose().map_err(|error| refused(error.to_string()))
    };
    if let Some(port) = new.listener_port {
        let listener = format!("DEFINE LISTENER({LISTENER}) TRPTYPE(TCP) PORT({port}) CONTROL(QMGR) REPLACE");
        let answer = command::run(manager, caller, &listener).await;
        if answer.outcome != command::Outcome::Succeeded {
            return Err(refused(answer.lines.join(" ")));
        }
    }
    let before = manager.definition();
    let mut definition = (*before).clone();
    if let Some(description) = &new.description {
        definition.description.clone_from(description);
    }
    definition.dead_letter_queue = queue(&new.dead_letter_queue)?.unwrap_or(definition.dead_letter_queue);
    definition.default_transmission_queue =
        queue(&new.default_transmission_queue)?.unwrap_or(definition.default_transmission_queue);
    definition.maximum_handles = new.maximum_handles.unwrap_or(definition.maximum_handles);
    definition.trigger_interval_ms = new.trigger_interval_ms.unwrap_or(definition.trigger_interval_ms);
    definition.maximum_uncommitted_messages =
        new.maximum_uncommitted.unwrap_or(definition.maximum_uncommitted_messages);
    if definition == *before {
        return Ok(());
    }
    manager.alter_queue_manager(caller, definition).await.map_err(|error| refused(error.to_string()))
}
