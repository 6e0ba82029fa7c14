//! `backup` and `restore`: the messages and definitions of one queue manager in a folder, and back.
//!
//! A backup of a queue manager that runs copies its files while the server keeps them as they are; the server itself
//! does no more than that. Without a running queue manager the command opens the log itself.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use model::name::QueueManagerName;
use queue_manager::{Clock, SystemClock};
use serde_json::json;
use storage::private::log::backup::{self, BackupError, Contents, Copied};
use storage::private::log::disk::DirectoryDisk;
use storage::private::log::hold::Point;
use storage::{PrivateStore, StoreOptions, block_on};

use super::Location;
use super::exit_code::{FAILED, USAGE};
use super::failure::Failure;
use super::lifecycle::parse_name;
use super::log::queue_manager;
use super::server_door::{self, Door};
use crate::administration::client::{Client, ClientError};
use crate::administration::{Answer, QueueManagerStatus, Request};
use crate::data_directory::{DataDirectory, create_folder};
use crate::error::{ServerError, chain};

#[derive(Debug, Args)]
pub(super) struct BackupArguments {
    /// Queue manager [default: the only one of the data directory].
    #[arg(value_name = "QM")]
    queue_manager: Option<String>,
    /// Folder of the backup: empty, or with an earlier backup of the queue manager, which it replaces. Only what is new
    /// is copied then.
    #[arg(long, value_name = "FOLDER")]
    to: PathBuf,
    /// Print the answer as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    location: Location,
}

#[derive(Debug, Args)]
pub(super) struct RestoreArguments {
    /// Name of the queue manager to restore [default: the name that it had].
    #[arg(value_name = "QM")]
    queue_manager: Option<String>,
    /// Folder of the backup.
    #[arg(long, value_name = "FOLDER")]
    from: PathBuf,
    /// Read the backup and compare its checksums; restore nothing.
    #[arg(long)]
    verify: bool,
    /// Print the answer as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    location: Location,
}

pub(super) fn back_up(arguments: &BackupArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let directory = arguments.location.directory();
    let name = queue_manager(arguments.queue_manager.as_deref(), &directory)?;
    create_folder(&arguments.to)?;
    let folder = DirectoryDisk::open(arguments.to.clone()).map_err(ServerError::from)?;
    let copied = match running(&directory, &name)? {
        Some(client) => back_up_running(client, &directory, &name, &folder)?,
        None => back_up_at_rest(&directory, &name, &folder)?,
    };
    let Copied { files, bytes, new_bytes } = copied;
    if arguments.json {
        let answer = json!({ "queueManager": name.as_str(), "files": files, "bytes": bytes, "newBytes": new_bytes });
        writeln!(out, "{answer}")?;
        return Ok(());
    }
    let place = arguments.to.display();
    writeln!(
        out,
        "Queue manager {name} was backed up to {place}: {files} files, {bytes} bytes, {new_bytes} of them new."
    )?;
    Ok(())
}

/// A connection to the server that runs the queue manager; `None` when none does.
fn running(directory: &DataDirectory, name: &QueueManagerName) -> Result<Option<Client>, Failure> {
    let mut client = match Client::connect(directory.root()) {
        Ok(client) => client,
        Err(ClientError::NoServer { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let (Answer::Status(status), _) = client.ask(&Request::Status, &[])? else {
        return Err(ClientError::Unexpected.into());
    };
    let is_it = |known: &QueueManagerStatus| known.name == name.as_str() && known.is_running();
    Ok(status.queue_managers.iter().any(is_it).then_some(client))
}

fn back_up_running(
    mut client: Client,
    directory: &DataDirectory,
    name: &QueueManagerName,
    folder: &DirectoryDisk,
) -> Result<Copied, Failure> {
    let request = Request::Hold { queue_manager: name.to_string() };
    let (Answer::Held { oldest, end }, _) = client.ask(&request, &[])? else {
        return Err(ClientError::Unexpected.into());
    };
    let log = DirectoryDisk::read_only(directory.log(name));
    let release = || match client.ask(&Request::Release, &[]) {
        Ok(_) => Ok(()),
        Err(error) => Err(BackupError::GivenUp { why: chain(&error) }),
    };
    backup::back_up(&log, Point { oldest, end }, name.as_str(), folder, release).map_err(failed)
}

/// As a start of the queue manager, which reads the log and then ends in an orderly way.
fn back_up_at_rest(
    directory: &DataDirectory,
    name: &QueueManagerName,
    folder: &DirectoryDisk,
) -> Result<Copied, Failure> {
    let log = Arc::new(DirectoryDisk::open(directory.log(name)).map_err(ServerError::from)?);
    let (store, _) =
        PrivateStore::open(Arc::clone(&log) as Arc<_>, StoreOptions::default()).map_err(ServerError::from)?;
    let held = block_on(store.hold()).map_err(|error| Failure::of(FAILED, &error))?.expect("the store is on a disk");
    let release = || match held.stands() {
        true => Ok(()),
        false => Err(BackupError::GivenUp { why: "no disk space is left for the recovery log".to_owned() }),
    };
    backup::back_up(log.as_ref(), held.point(), name.as_str(), folder, release).map_err(failed)
}

pub(super) fn restore(arguments: &RestoreArguments, out: &mut dyn Write) -> Result<(), Failure> {
    if !arguments.from.is_dir() {
        return Err(Failure::new(FAILED, format!("{} is no folder", arguments.from.display())));
    }
    let folder = DirectoryDisk::read_only(arguments.from.clone());
    if arguments.verify {
        let contents = backup::verify(&folder).map_err(failed)?;
        return arguments.say(&contents, None, out);
    }
    let contents = Contents::of(&folder).map_err(failed)?;
    let name = arguments.queue_manager.as_deref().unwrap_or(&contents.name);
    let name = parse_name(name).map_err(|failure| failure.with_code(USAGE))?;
    let mut directory = arguments.location.directory();
    directory.create()?;
    let door = server_door::knock(&directory).map_err(|failure| failure.with_code(FAILED))?;
    if directory.exists(&name) {
        let sentence = format!("AMQ8110E: Queue manager {name} exists already. Delete it first, or give another name.");
        return Err(Failure::new(FAILED, sentence));
    }
    write_log(&folder, &directory, name)?;
    match door {
        Door::Server(client) => {
            let request = Request::TakeInRestored { name: name.to_string() };
            server_door::done(client, &request).map_err(|failure| failure.with_code(FAILED))?;
        }
        Door::Locked(_lock) => directory.take_in_restored(&name)?,
    }
    arguments.say(&contents, Some(name), out)
}

/// Writes the log where no start looks for it, and reads it as a start does.
fn write_log(backup: &DirectoryDisk, directory: &DataDirectory, name: QueueManagerName) -> Result<(), Failure> {
    let place = directory.restoring(&name);
    if place.exists() {
        std::fs::remove_dir_all(&place)?;
    }
    create_folder(&place.join("log"))?;
    let log = Arc::new(DirectoryDisk::open(place.join("log")).map_err(ServerError::from)?);
    let written = backup::restore(backup, log.as_ref()).map_err(failed).and_then(|_| {
        queue_manager::rename(log, StoreOptions::default(), name, SystemClock.now())
            .map_err(|error| ServerError::from(error).into())
    });
    if written.is_err() {
        // What stays is removed by the next try.
        let _ = std::fs::remove_dir_all(&place);
    }
    written
}

impl RestoreArguments {
    fn say(&self, contents: &Contents, restored: Option<QueueManagerName>, out: &mut dyn Write) -> Result<(), Failure> {
        let (files, from) = (contents.files.len(), self.from.display());
        let bytes: u64 = contents.files.iter().map(|file| file.bytes).sum();
        if self.json {
            let restored = restored.map(|name| name.to_string());
            let answer = json!({ "backupOf": contents.name, "restored": restored, "files": files, "bytes": bytes });
            writeln!(out, "{answer}")?;
            return Ok(());
        }
        match restored {
            Some(name) => writeln!(
                out,
                "Queue manager {name} was restored from {from}: {files} files, {bytes} bytes. Start it with strmqm {name}."
            )?,
            None => writeln!(out, "The backup of {} in {from} is whole: {files} files, {bytes} bytes.", contents.name)?,
        }
        Ok(())
    }
}

fn failed(error: BackupError) -> Failure {
    Failure::of(FAILED, &error)
}
