//! `backup` and `restore`: the messages and definitions of one queue manager in a folder or a stream, and back.
//!
//! A backup of a queue manager that runs copies its files while the server keeps them as they are; the server itself
//! does no more than that. Without a running queue manager the command opens the log itself.

use std::io::{BufWriter, IsTerminal, StdinLock, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use model::name::QueueManagerName;
use queue_manager::{Clock, SystemClock};
use serde_json::json;
use storage::private::log::backup::pace::{Pace, Paced};
use storage::private::log::backup::{self, BackupError, Contents, Copied, stream};
use storage::private::log::disk::{DirectoryDisk, Disk};
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
    /// is copied then. With - the whole backup is written to standard output as a tar archive.
    #[arg(long, value_name = "FOLDER|-")]
    to: PathBuf,
    /// Copy as fast as the disk allows. Without it, the backup of a queue manager that runs works a tenth of the time, and
    /// leaves the rest to the queue manager.
    #[arg(long)]
    full_speed: bool,
    /// Print the answer as JSON; with --to - on standard error.
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
    /// Folder of the backup. With - the backup is a tar archive on standard input.
    #[arg(long, value_name = "FOLDER|-")]
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

/// Where a backup goes.
enum To<'a> {
    Folder(DirectoryDisk),
    Stream(BufWriter<&'a mut dyn Write>),
}

/// Bytes that are written to a stream at once.
const PIECE: usize = 1 << 20;

fn is_stream(path: &Path) -> bool {
    path.as_os_str() == "-"
}

pub(super) fn back_up(arguments: &BackupArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let directory = arguments.location.directory();
    let name = queue_manager(arguments.queue_manager.as_deref(), &directory)?;
    if !is_stream(&arguments.to) {
        create_folder(&arguments.to)?;
        let folder = DirectoryDisk::open(arguments.to.clone()).map_err(ServerError::from)?;
        let copied = back_up_to(To::Folder(folder), arguments, &directory, &name)?;
        return arguments.say(&name, copied, out);
    }
    if std::io::stdout().is_terminal() {
        let sentence = "standard output is a terminal; write the backup to a file or into a pipe";
        return Err(Failure::new(USAGE, sentence));
    }
    let copied = back_up_to(To::Stream(BufWriter::with_capacity(PIECE, out)), arguments, &directory, &name)?;
    arguments.say(&name, copied, &mut std::io::stderr())
}

fn back_up_to(
    to: To<'_>,
    arguments: &BackupArguments,
    directory: &DataDirectory,
    name: &QueueManagerName,
) -> Result<Copied, Failure> {
    match running(directory, name)? {
        Some(client) => back_up_running(client, directory, name, to, arguments.full_speed),
        None => back_up_at_rest(directory, name, to),
    }
}

fn copy(
    log: &dyn Disk,
    point: Point,
    name: &QueueManagerName,
    to: To<'_>,
    pace: Option<&Arc<Pace>>,
    still_stands: impl FnOnce() -> Result<(), BackupError>,
) -> Result<Copied, Failure> {
    let paced = pace.map(|pace| Paced::new(log, pace));
    let log = paced.as_ref().map_or(log, |paced| paced as &dyn Disk);
    match to {
        To::Folder(folder) => {
            let paced = pace.map(|pace| Paced::new(&folder, pace));
            let backup = paced.as_ref().map_or(&folder as &dyn Disk, |paced| paced);
            backup::back_up(log, point, name.as_str(), backup, still_stands)
        }
        To::Stream(mut output) => stream::back_up(log, point, name.as_str(), &mut output, still_stands),
    }
    .map_err(Failure::from)
}

impl BackupArguments {
    fn say(&self, name: &QueueManagerName, copied: Copied, out: &mut dyn Write) -> Result<(), Failure> {
        let Copied { files, bytes, new_bytes } = copied;
        if self.json {
            let answer =
                json!({ "queueManager": name.as_str(), "files": files, "bytes": bytes, "newBytes": new_bytes });
            writeln!(out, "{answer}")?;
            return Ok(());
        }
        let place = place(&self.to, "standard output");
        writeln!(
            out,
            "Queue manager {name} was backed up to {place}: {files} files, {bytes} bytes, {new_bytes} of them new."
        )?;
        Ok(())
    }
}

/// How sentences name a folder, or the stream.
fn place(path: &Path, stream: &str) -> String {
    if is_stream(path) { stream.to_owned() } else { path.display().to_string() }
}

/// A connection to the server that runs the queue manager; `None` when none does.
pub(super) fn running(directory: &DataDirectory, name: &QueueManagerName) -> Result<Option<Client>, Failure> {
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
    to: To<'_>,
    full_speed: bool,
) -> Result<Copied, Failure> {
    let point = hold(&mut client, name)?;
    let log = DirectoryDisk::read_only(directory.log(name));
    let pace = (!full_speed).then(Pace::start);
    copy(&log, point, name, to, pace.as_ref(), || release(client))
}

/// Has the server keep its log as it is up to a point, until the connection ends.
pub(super) fn hold(client: &mut Client, name: &QueueManagerName) -> Result<Point, Failure> {
    let request = Request::Hold { queue_manager: name.to_string() };
    let (Answer::Held { oldest, end }, _) = client.ask(&request, &[])? else {
        return Err(ClientError::Unexpected.into());
    };
    Ok(Point { oldest, end })
}

/// Succeeds when the log was held up to now.
pub(super) fn release(mut client: Client) -> Result<(), BackupError> {
    match client.ask(&Request::Release, &[]) {
        Ok(_) => Ok(()),
        Err(error) => Err(BackupError::GivenUp { why: chain(&error) }),
    }
}

/// As a start of the queue manager, which reads the log and then ends in an orderly way.
fn back_up_at_rest(directory: &DataDirectory, name: &QueueManagerName, to: To<'_>) -> Result<Copied, Failure> {
    let log = Arc::new(DirectoryDisk::open(directory.log(name)).map_err(ServerError::from)?);
    let (store, _) =
        PrivateStore::open(Arc::clone(&log) as Arc<_>, StoreOptions::default()).map_err(ServerError::from)?;
    let held = block_on(store.hold()).map_err(|error| Failure::of(FAILED, &error))?.expect("the store is on a disk");
    let release = || match held.stands() {
        true => Ok(()),
        false => Err(BackupError::GivenUp { why: "no disk space is left for the recovery log".to_owned() }),
    };
    copy(log.as_ref(), held.point(), name, to, None, release)
}

pub(super) fn restore(arguments: &RestoreArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let source = Source::of(&arguments.from)?;
    if arguments.verify {
        return arguments.say(&source.verify()?, None, out);
    }
    let mut place = None;
    let contents = source.restore(|log| {
        let begun = Place::begin(arguments, log)?;
        Ok(Arc::clone(&place.insert(begun).log) as Arc<_>)
    })?;
    let name = place.expect("it was restored to a place").complete()?;
    arguments.say(&contents, Some(name), out)
}

/// Where a backup comes from.
enum Source {
    Folder(DirectoryDisk),
    Stream(StdinLock<'static>),
}

impl Source {
    fn of(path: &Path) -> Result<Self, Failure> {
        if is_stream(path) {
            return Ok(Self::Stream(std::io::stdin().lock()));
        }
        if !path.is_dir() {
            return Err(Failure::new(FAILED, format!("{} is no folder", path.display())));
        }
        Ok(Self::Folder(DirectoryDisk::read_only(path.to_owned())))
    }

    fn verify(self) -> Result<Contents, Failure> {
        Ok(match self {
            Self::Folder(folder) => backup::verify(&folder)?,
            Self::Stream(mut input) => stream::verify(&mut input)?,
        })
    }

    /// `begin` is told whose log it is, and says where to write.
    fn restore(self, begin: impl FnOnce(&str) -> Result<Arc<dyn Disk>, Failure>) -> Result<Contents, Failure> {
        match self {
            Self::Folder(folder) => {
                let log = begin(&Contents::of(&folder)?.name)?;
                Ok(backup::restore(&folder, log.as_ref())?)
            }
            Self::Stream(mut input) => stream::restore(&mut input, begin),
        }
    }
}

/// A queue manager on its way into the data directory: its log is written where no start looks for it. Dropped before it is
/// complete, it leaves nothing.
struct Place {
    name: QueueManagerName,
    directory: DataDirectory,
    door: Option<Door>,
    log: Arc<DirectoryDisk>,
}

impl Place {
    fn begin(arguments: &RestoreArguments, log: &str) -> Result<Self, Failure> {
        let name = arguments.queue_manager.as_deref().unwrap_or(log);
        let name = parse_name(name).map_err(|failure| failure.with_code(USAGE))?;
        let mut directory = arguments.location.directory();
        directory.create()?;
        let door = server_door::knock(&directory).map_err(|failure| failure.with_code(FAILED))?;
        if directory.exists(&name) {
            let sentence =
                format!("AMQ8110E: Queue manager {name} exists already. Delete it first, or give another name.");
            return Err(Failure::new(FAILED, sentence));
        }
        let place = directory.restoring(&name);
        if place.exists() {
            std::fs::remove_dir_all(&place)?;
        }
        create_folder(&place.join("log"))?;
        let log = Arc::new(DirectoryDisk::open(place.join("log")).map_err(ServerError::from)?);
        Ok(Self { name, directory, door: Some(door), log })
    }

    /// Reads the log as a start does, and makes it a queue manager's.
    fn complete(mut self) -> Result<QueueManagerName, Failure> {
        let log = Arc::clone(&self.log) as Arc<_>;
        queue_manager::rename(log, StoreOptions::default(), self.name, SystemClock.now()).map_err(ServerError::from)?;
        match self.door.take() {
            Some(Door::Server(client)) => {
                let request = Request::TakeInRestored { name: self.name.to_string() };
                server_door::done(client, &request).map_err(|failure| failure.with_code(FAILED))?;
            }
            Some(Door::Locked(_lock)) => self.directory.take_in_restored(&self.name)?,
            None => unreachable!("a door is taken once"),
        }
        Ok(self.name)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // What stays all the same is removed by the next try. What was taken in is not there any more.
        let _ = std::fs::remove_dir_all(self.directory.restoring(&self.name));
    }
}

impl RestoreArguments {
    fn say(&self, contents: &Contents, restored: Option<QueueManagerName>, out: &mut dyn Write) -> Result<(), Failure> {
        let (files, from) = (contents.files.len(), place(&self.from, "standard input"));
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

impl From<BackupError> for Failure {
    fn from(error: BackupError) -> Self {
        Self::of(FAILED, &error)
    }
}
