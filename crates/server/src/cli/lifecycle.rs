//! `crtmqm` and `dltmqm`: queue managers made and removed, by the running server or in a data directory that none uses.
//!
//! Exit codes are IBM's: 5 running, 8 exists already, 16 does not exist, 49 ending, 72 a name that is not valid, 71
//! anything else.

use std::ffi::OsString;
use std::io::Write;

use clap::Args;
use model::name::QueueManagerName;

use super::Location;
use super::failure::{Failure, warn};
use super::server_door::{self, Door};
use crate::administration::Request;
use crate::creation::{self, NewQueueManager};
use crate::error::ServerError;
use crate::server_user;

pub(super) const RUNNING: u8 = 5;
pub(super) const EXISTS: u8 = 8;
pub(super) const UNKNOWN: u8 = 16;
pub(super) const ENDING: u8 = 49;
pub(super) const UNEXPECTED: u8 = 71;
pub(super) const NAME_ERROR: u8 = 72;

/// IBM's options of more than one letter after a single dash.
const LONG_OPTIONS: &[&str] =
    &["lc", "ll", "lp", "ls", "lf", "ld", "lla", "lln", "md", "oa", "sa", "sax", "si", "ss", "ic", "tp"];

#[derive(Debug, Args)]
pub(super) struct CrtmqmArguments {
    /// Name of the new queue manager.
    #[arg(value_name = "QM")]
    name: String,
    /// Description of the queue manager.
    #[arg(short = 'c', value_name = "TEXT")]
    description: Option<String>,
    /// Name of the dead-letter queue.
    #[arg(short = 'u', value_name = "QUEUE")]
    dead_letter_queue: Option<String>,
    /// Name of the default transmission queue.
    #[arg(short = 'd', value_name = "QUEUE")]
    default_transmission_queue: Option<String>,
    /// Maximum number of open handles of one connection. -h NUMBER is accepted too.
    #[arg(long = "handles", short = 'H', value_name = "NUMBER")]
    maximum_handles: Option<u32>,
    /// Trigger interval in milliseconds.
    #[arg(short = 't', value_name = "MS")]
    trigger_interval: Option<u32>,
    /// Maximum number of uncommitted messages in one unit of work.
    #[arg(short = 'x', value_name = "NUMBER")]
    maximum_uncommitted: Option<u32>,
    /// Port of a listener SYSTEM.LISTENER.TCP.1, which starts and ends with the queue manager.
    #[arg(short = 'p', value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,
    /// Accepted without effect: the server's first queue manager is the default.
    #[arg(short = 'q')]
    default: bool,
    #[command(flatten)]
    ignored: Ignored,
    #[command(flatten)]
    location: Location,
}

/// Options of IBM's command that have nothing to set here. A note names those that are given.
#[derive(Debug, Args)]
struct Ignored {
    /// Accepted without effect: messages are few in any case.
    #[arg(short = 'z', hide = true)]
    z: bool,
    /// Accepted without effect: authorities are set with setmqaut.
    #[arg(short = 'g', hide = true, value_name = "GROUP")]
    group: Option<String>,
    /// Accepted without effect: the log frees its extents by itself.
    #[arg(long, hide = true)]
    lc: bool,
    /// Accepted without effect: the log frees its extents by itself.
    #[arg(long, hide = true)]
    ll: bool,
    /// Accepted without effect: the log frees its extents by itself.
    #[arg(long, hide = true)]
    lla: bool,
    /// Accepted without effect: the log frees its extents by itself.
    #[arg(long, hide = true)]
    lln: bool,
    /// Accepted without effect: the log grows as needed.
    #[arg(long, hide = true, value_name = "NUMBER")]
    lp: Option<u32>,
    /// Accepted without effect: the log grows as needed.
    #[arg(long, hide = true, value_name = "NUMBER")]
    ls: Option<u32>,
    /// Accepted without effect: the size of an extent is fixed.
    #[arg(long, hide = true, value_name = "PAGES")]
    lf: Option<u32>,
    /// Accepted without effect: the log is in the data directory.
    #[arg(long, hide = true, value_name = "DIR")]
    ld: Option<String>,
    /// Accepted without effect: everything is in the data directory.
    #[arg(long, hide = true, value_name = "DIR")]
    md: Option<String>,
    /// Accepted without effect: authorities belong to users and to groups.
    #[arg(long, hide = true, value_name = "WORD")]
    oa: Option<String>,
    /// Accepted without effect: `quaymaster serve` starts the queue manager.
    #[arg(long, hide = true)]
    sa: bool,
    /// Accepted without effect: `quaymaster serve` starts the queue manager.
    #[arg(long, hide = true)]
    sax: bool,
    /// Accepted without effect: `quaymaster serve` starts the queue manager.
    #[arg(long, hide = true)]
    si: bool,
    /// Accepted without effect: `quaymaster serve` starts the queue manager.
    #[arg(long, hide = true)]
    ss: bool,
}

impl Ignored {
    /// Ignored options that a user might rely on.
    fn given(&self) -> Vec<&'static str> {
        let options = [
            ("-g", self.group.is_some()),
            ("-lc", self.lc),
            ("-ll", self.ll),
            ("-lla", self.lla),
            ("-lln", self.lln),
            ("-lp", self.lp.is_some()),
            ("-ls", self.ls.is_some()),
            ("-lf", self.lf.is_some()),
            ("-ld", self.ld.is_some()),
            ("-md", self.md.is_some()),
            ("-oa", self.oa.is_some()),
            ("-sa", self.sa),
            ("-sax", self.sax),
            ("-si", self.si),
            ("-ss", self.ss),
        ];
        options.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect()
    }
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
    if !matches!(command, "crtmqm" | "strmqm" | "endmqm") {
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
    let new = arguments.new_queue_manager();
    let mut directory = arguments.location.directory();
    directory.create()?;
    match server_door::knock(&directory)? {
        Door::Server(client) => {
            server_door::done(client, &Request::CreateQueueManager { name: name.to_string(), new })?;
        }
        Door::Locked(_lock) => {
            if directory.exists(&name) {
                return Err(Failure::new(EXISTS, format!("AMQ8110E: Queue manager {name} exists already.")));
            }
            creation::create(&directory, name, &new, &server_user::name()).map_err(unexpected)?;
        }
    }
    let ignored = arguments.ignored.given();
    if !ignored.is_empty() {
        warn(&format!("crtmqm: {} has no effect here", ignored.join(", ")));
    }
    writeln!(out, "Queue manager {name} was created in {}.", directory.root().display())?;
    Ok(())
}

impl CrtmqmArguments {
    fn new_queue_manager(&self) -> NewQueueManager {
        NewQueueManager {
            description: self.description.clone(),
            dead_letter_queue: self.dead_letter_queue.clone(),
            default_transmission_queue: self.default_transmission_queue.clone(),
            maximum_handles: self.maximum_handles,
            trigger_interval_ms: self.trigger_interval,
            maximum_uncommitted: self.maximum_uncommitted,
            listener_port: self.port,
        }
    }
}

pub(super) fn delete(arguments: &DltmqmArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let name = parse_name(&arguments.name)?;
    let directory = arguments.location.directory();
    if !directory.root().is_dir() {
        return Err(unknown(name));
    }
    match server_door::knock(&directory)? {
        Door::Server(client) => {
            server_door::done(client, &Request::DeleteQueueManager { name: name.to_string() })?;
        }
        Door::Locked(_lock) => {
            if !directory.exists(&name) {
                return Err(unknown(name));
            }
            directory.delete(&name).map_err(unexpected)?;
        }
    }
    writeln!(out, "Queue manager {name} was deleted.")?;
    Ok(())
}

pub(super) fn unknown(name: QueueManagerName) -> Failure {
    Failure::new(UNKNOWN, format!("AMQ8118E: Queue manager {name} does not exist."))
}

pub(super) fn parse_name(text: &str) -> Result<QueueManagerName, Failure> {
    match QueueManagerName::parse(text) {
        Ok(name) if !name.is_blank() => Ok(name),
        Ok(_) => Err(Failure::new(NAME_ERROR, "a queue manager name is needed")),
        Err(error) => Err(Failure::of(NAME_ERROR, &error)),
    }
}

fn unexpected(error: ServerError) -> Failure {
    Failure::of(UNEXPECTED, &error)
}
