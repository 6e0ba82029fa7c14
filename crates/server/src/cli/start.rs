//! `strmqm` and `endmqm`: a queue manager started and ended in the server that runs, or with a server in the background.
//!
//! Exit codes are IBM's: 5 running already, 16 does not exist, 40 not running, 49 ending, 72 a name that is not valid, 71
//! anything else.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use clap::Args;

use super::Location;
use super::failure::Failure;
use super::lifecycle::{UNEXPECTED, parse_name, unknown};
use super::server_door::{self, Door};
use crate::administration::client::{Client, ClientError};
use crate::administration::{Answer, Ending, Request};
use crate::data_directory::DataDirectory;
use crate::serve::ending::EndMode;

pub(super) const NOT_RUNNING: u8 = 40;
const POLL: Duration = Duration::from_millis(20);

#[derive(Debug, Args)]
pub(super) struct StrmqmArguments {
    /// Queue manager [default: $MQ_QMGR_NAME, else QM1].
    #[arg(value_name = "QM", env = "MQ_QMGR_NAME", hide_env = true, default_value = "QM1", hide_default_value = true)]
    name: String,
    /// Accepted for compatibility.
    #[arg(short = 'z', hide = true)]
    z: bool,
    /// Accepted for compatibility.
    #[arg(long, hide = true)]
    si: bool,
    /// Accepted for compatibility.
    #[arg(long, hide = true)]
    ss: bool,
    /// Further options of `quaymaster serve`, for a server that this command starts.
    #[arg(last = true, value_name = "OPTION")]
    options: Vec<String>,
    #[command(flatten)]
    location: Location,
}

#[derive(Debug, Args)]
pub(super) struct EndmqmArguments {
    /// Queue manager.
    #[arg(value_name = "QM")]
    name: String,
    /// Quiesce, and return at once. The queue manager ends when all applications have disconnected. This is the
    /// default.
    #[arg(short = 'c', group = "mode")]
    controlled: bool,
    /// Quiesce, and return when the queue manager has ended.
    #[arg(short = 'w', group = "mode")]
    wait: bool,
    /// End when running calls have completed, and back out open units of work.
    #[arg(short = 'i', group = "mode")]
    immediate: bool,
    /// End without waiting for running calls.
    #[arg(short = 'p', group = "mode")]
    preemptive: bool,
    /// Quiesce, and end immediately after this many seconds.
    #[arg(short = 't', value_name = "SECONDS", group = "target")]
    within: Option<u64>,
    /// Quiesce, and end preemptively after this many seconds.
    #[arg(long = "tp", value_name = "SECONDS", group = "target")]
    within_preemptive: Option<u64>,
    /// Accepted for compatibility: clients decide whether they reconnect.
    #[arg(short = 'r', hide = true)]
    reconnect: bool,
    /// Accepted for compatibility.
    #[arg(short = 'z', hide = true)]
    z: bool,
    #[command(flatten)]
    location: Location,
}

pub(super) fn start(arguments: &StrmqmArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let name = parse_name(&arguments.name)?;
    let mut directory = arguments.location.directory();
    if !directory.root().is_dir() {
        return Err(unknown(name));
    }
    directory.create()?;
    let lock = match server_door::knock(&directory)? {
        Door::Server(client) => {
            server_door::done(client, &Request::StartQueueManager { name: name.to_string() })?;
            writeln!(out, "Queue manager {name} was started.")?;
            return Ok(());
        }
        Door::Locked(lock) => lock,
    };
    if !directory.exists(&name) {
        return Err(unknown(name));
    }
    // The server that is about to start needs it.
    drop(lock);
    let mut child = spawn(arguments, &directory, name.as_str())?;
    while !is_running(&directory, name.as_str()) {
        if let Some(status) = child.try_wait()? {
            let log = directory.root().join("server.log");
            let last = fs::read_to_string(&log).unwrap_or_default();
            let reason = last.lines().last().unwrap_or_default();
            return Err(Failure::new(UNEXPECTED, format!("the server ended with {status}: {reason}")));
        }
        sleep(POLL);
    }
    writeln!(out, "Queue manager {name} was started (process {}, log in server.log).", child.id())?;
    Ok(())
}

/// In a process group of its own, so that the terminal's interrupt does not reach it.
fn spawn(arguments: &StrmqmArguments, directory: &DataDirectory, name: &str) -> Result<Child, Failure> {
    let log = directory.root().join("server.log");
    let open = OpenOptions::new().create(true).append(true).open(&log);
    let log = open.map_err(|error| Failure::new(UNEXPECTED, format!("cannot open {}: {error}", log.display())))?;
    let child = Command::new(std::env::current_exe()?)
        .args(["serve", "--only-named", "--end-with-last", "--qmgr", name, "--data"])
        .arg(directory.root())
        .args(&arguments.options)
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        .process_group(0)
        .spawn()?;
    Ok(child)
}

fn is_running(directory: &DataDirectory, name: &str) -> bool {
    let status = Client::connect(directory.root()).and_then(|mut client| client.ask(&Request::Status, &[]));
    match status {
        Ok((Answer::Status(status), _)) => {
            status.ready && status.queue_managers.iter().any(|manager| manager.name == name && manager.is_running())
        }
        _ => false,
    }
}

pub(super) fn end(arguments: &EndmqmArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let name = parse_name(&arguments.name)?;
    let directory = arguments.location.directory();
    let client = match Client::connect(directory.root()) {
        Ok(client) => client,
        Err(ClientError::NoServer { .. }) if directory.exists(&name) => {
            return Err(Failure::new(NOT_RUNNING, format!("AMQ8146E: Queue manager {name} is not running.")));
        }
        Err(ClientError::NoServer { .. }) => return Err(unknown(name)),
        Err(error) => return Err(Failure::of(UNEXPECTED, &error)),
    };
    let ending = arguments.ending();
    if arguments.wait {
        writeln!(out, "Waiting for queue manager {name} to end.")?;
        out.flush()?;
    }
    server_door::done(client, &Request::EndQueueManager { name: name.to_string(), ending })?;
    match ending.waits {
        true => writeln!(out, "Queue manager {name} has ended.")?,
        false => writeln!(out, "Queue manager {name} quiesces: it ends when all applications have disconnected.")?,
    }
    Ok(())
}

impl EndmqmArguments {
    fn ending(&self) -> Ending {
        let mode = match (self.immediate, self.preemptive) {
            (_, true) => EndMode::Preemptive,
            (true, _) => EndMode::Immediate,
            _ => EndMode::Quiesce,
        };
        let within_seconds = self.within.or(self.within_preemptive);
        let waits = self.wait || mode > EndMode::Quiesce || within_seconds.is_some();
        Ending { mode, waits, within_seconds, may_preempt: self.within_preemptive.is_some() }
    }
}
