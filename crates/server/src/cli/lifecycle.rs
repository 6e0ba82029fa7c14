//! `crtmqm` and `dltmqm`: queue managers made and removed in a data directory that no server uses.
//!
//! Exit codes are IBM's: 5 running, 8 exists already, 16 does not exist, 71 anything else.

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::sync::Arc;

use clap::Args;
use model::authority::Principal;
use model::name::{QueueManagerName, QueueName};
use queue_manager::{Home, QueueManager, StartOptions, SystemClock};
use storage::StoreOptions;
use storage::private::log::disk::DirectoryDisk;

use super::Location;
use super::failure::Failure;
use crate::data_directory::{DataDirectory, Lock, State, create_folder};
use crate::error::{ServerError, chain};
use crate::server_user;

pub(super) const RUNNING: u8 = 5;
const EXISTS: u8 = 8;
pub(super) const UNKNOWN: u8 = 16;
pub(super) const UNEXPECTED: u8 = 71;

/// IBM's options of more than one letter after a single dash.
const LONG_OPTIONS: &[&str] =
    &["lc", "ll", "lp", "ls", "lf", "ld", "lla", "lln", "md", "oa", "sa", "sax", "si", "ss", "ic"];

#[derive(Debug, Args)]
pub(super) struct CrtmqmArguments {
    /// Name of the new queue manager.
    #[arg(value_name = "QM")]
    name: String,
    /// Description.
    #[arg(short = 'c', value_name = "TEXT")]
    description: Option<String>,
    /// Dead-letter queue.
    #[arg(short = 'u', value_name = "QUEUE")]
    dead_letter_queue: Option<String>,
    /// Default transmission queue.
    #[arg(short = 'd', value_name = "QUEUE")]
    default_transmission_queue: Option<String>,
    /// Handles one connection may hold.
    #[arg(long = "handles", short = 'H', value_name = "NUMBER")]
    maximum_handles: Option<u32>,
    /// Trigger interval in milliseconds.
    #[arg(short = 't', value_name = "MS")]
    trigger_interval: Option<u32>,
    /// Messages of one unit of work.
    #[arg(short = 'x', value_name = "NUMBER")]
    maximum_uncommitted: Option<u32>,
    /// The default queue manager is the server's first: accepted and ignored, as are the options about IBM's logs.
    #[arg(short = 'q')]
    default: bool,
    #[arg(short = 'z', hide = true)]
    z: bool,
    #[arg(short = 'p', hide = true, value_name = "PORT")]
    port: Option<u16>,
    #[arg(short = 'g', hide = true, value_name = "GROUP")]
    group: Option<String>,
    #[arg(long, hide = true)]
    lc: bool,
    #[arg(long, hide = true)]
    ll: bool,
    #[arg(long, hide = true)]
    lla: bool,
    #[arg(long, hide = true)]
    lln: bool,
    #[arg(long, hide = true, value_name = "NUMBER")]
    lp: Option<u32>,
    #[arg(long, hide = true, value_name = "NUMBER")]
    ls: Option<u32>,
    #[arg(long, hide = true, value_name = "PAGES")]
    lf: Option<u32>,
    #[arg(long, hide = true, value_name = "DIR")]
    ld: Option<String>,
    #[arg(long, hide = true, value_name = "DIR")]
    md: Option<String>,
    #[arg(long, hide = true, value_name = "WORD")]
    oa: Option<String>,
    #[arg(long, hide = true)]
    sa: bool,
    #[arg(long, hide = true)]
    sax: bool,
    #[arg(long, hide = true)]
    si: bool,
    #[arg(long, hide = true)]
    ss: bool,
    #[command(flatten)]
    location: Location,
}

#[derive(Debug, Args)]
pub(super) struct DltmqmArguments {
    /// Name of the queue manager.
    #[arg(value_name = "QM")]
    name: String,
    /// Accepted for compatibility.
    #[arg(short = 'z', hide = true)]
    z: bool,
    #[command(flatten)]
    location: Location,
}

/// Turns `-lc` of IBM's commands into `--lc`, and crtmqm's `-h NUMBER` into `--handles NUMBER`.
pub(super) fn spell_out(command: &str, arguments: &mut [OsString]) {
    if !matches!(command, "crtmqm" | "strmqm") {
        return;
    }
    for index in 2..arguments.len() {
        let option = arguments[index].to_string_lossy().into_owned();
        let Some(name) = option.strip_prefix('-') else { continue };
        let numbered = arguments.get(index + 1).is_some_and(|next| next.to_string_lossy().parse::<u32>().is_ok());
        if LONG_OPTIONS.contains(&name) {
            arguments[index] = format!("--{name}").into();
        } else if name == "h" && command == "crtmqm" && numbered {
            arguments[index] = "--handles".into();
        }
    }
}

pub(super) fn create(arguments: &CrtmqmArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let name = parse_name(&arguments.name)?;
    let mut directory = arguments.location.directory();
    directory.create()?;
    if directory.exists(&name) {
        return Err(Failure::new(EXISTS, format!("AMQ8110E: Queue manager {name} exists already.")));
    }
    let _lock = lock(&directory)?;
    let result = create_in(arguments, &directory, name);
    if result.is_err() {
        // Nothing of a queue manager that could not be made is left to be mistaken for one.
        let _ = fs::remove_dir_all(directory.queue_manager(&name));
    }
    result?;
    writeln!(out, "Queue manager {name} was created in {}.", directory.root().display())?;
    Ok(())
}

fn create_in(arguments: &CrtmqmArguments, directory: &DataDirectory, name: QueueManagerName) -> Result<(), Failure> {
    create_folder(&directory.log(&name))?;
    let disk = DirectoryDisk::open(directory.log(&name)).map_err(ServerError::from)?;
    let server_user = server_user::name();
    let options = StartOptions {
        name,
        home: Home::Disk(Arc::new(disk)),
        store: StoreOptions::default(),
        clock: Arc::new(SystemClock),
        server_user: server_user.clone(),
    };
    let manager = QueueManager::start(options).map_err(ServerError::from)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let altered = alter(arguments, &manager, &Principal::administrator(&server_user)).await;
        manager.stop().await;
        altered
    })?;
    directory.set_state(&name, State::EndedNormally)?;
    Ok(())
}

async fn alter(arguments: &CrtmqmArguments, manager: &QueueManager, caller: &Principal) -> Result<(), Failure> {
    let queue = |text: &Option<String>| {
        text.as_deref().map(QueueName::parse).transpose().map_err(|error| Failure::of(UNEXPECTED, &error))
    };
    let before = manager.definition();
    let mut definition = (*before).clone();
    if let Some(description) = &arguments.description {
        definition.description.clone_from(description);
    }
    definition.dead_letter_queue = queue(&arguments.dead_letter_queue)?.unwrap_or(definition.dead_letter_queue);
    definition.default_transmission_queue =
        queue(&arguments.default_transmission_queue)?.unwrap_or(definition.default_transmission_queue);
    definition.maximum_handles = arguments.maximum_handles.unwrap_or(definition.maximum_handles);
    definition.trigger_interval_ms = arguments.trigger_interval.unwrap_or(definition.trigger_interval_ms);
    definition.maximum_uncommitted_messages =
        arguments.maximum_uncommitted.unwrap_or(definition.maximum_uncommitted_messages);
    if definition == *before {
        return Ok(());
    }
    manager.alter_queue_manager(caller, definition).await.map_err(|error| Failure::of(UNEXPECTED, &error))
}

pub(super) fn delete(arguments: &DltmqmArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let name = parse_name(&arguments.name)?;
    let directory = arguments.location.directory();
    if !directory.exists(&name) {
        return Err(Failure::new(UNKNOWN, format!("AMQ8118E: Queue manager {name} does not exist.")));
    }
    let _lock = lock(&directory)?;
    let folder = directory.queue_manager(&name);
    // Renamed first, so that a crash leaves a whole queue manager or none.
    let doomed = folder.with_extension("deleted");
    fs::rename(&folder, &doomed)
        .and_then(|()| fs::remove_dir_all(&doomed))
        .map_err(|source| Failure::new(UNEXPECTED, format!("cannot delete {}: {source}", folder.display())))?;
    writeln!(out, "Queue manager {name} was deleted.")?;
    Ok(())
}

pub(super) fn parse_name(text: &str) -> Result<QueueManagerName, Failure> {
    match QueueManagerName::parse(text) {
        Ok(name) if !name.is_blank() => Ok(name),
        Ok(_) => Err(Failure::new(UNEXPECTED, "a queue manager name is needed")),
        Err(error) => Err(Failure::of(UNEXPECTED, &error)),
    }
}

fn lock(directory: &DataDirectory) -> Result<Lock, Failure> {
    directory.lock().map_err(|error| {
        let code = if matches!(error, ServerError::InUse { .. }) { RUNNING } else { UNEXPECTED };
        Failure::new(code, chain(&error))
    })
}
