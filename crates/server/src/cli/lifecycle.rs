//! `crtmqm` and `dltmqm`: queue managers made and removed, by the running server or in a data directory that none uses.
//!
//! Exit codes are IBM's: 5 running, 8 exists already, 16 does not exist, 49 ending, 72 a name that is not valid, 71
//! anything else.

use std::ffi::OsString;
use std::io::Write;

use clap::Args;
use model::name::QueueManagerName;

use super::Location;
use super::failure::Failure;
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
