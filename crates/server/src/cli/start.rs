//! `strmqm` and `endmqm`: a server in the background for one queue manager, and its end.
//!
//! Exit codes are IBM's: 5 running already, 16 does not exist, 40 not running, 71 anything else.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use clap::Args;

use super::failure::Failure;
use super::lifecycle::{RUNNING, UNEXPECTED, UNKNOWN, parse_name};
use super::{Location, mqsc};
use crate::administration::client::{Client, ClientError};
use crate::administration::{Answer, Request};
use crate::data_directory::DataDirectory;

const NOT_RUNNING: u8 = 40;
const POLL: Duration = Duration::from_millis(20);

#[derive(Debug, Args)]
pub(super) struct StrmqmArguments {
    /// Queue manager [default: QM1].
    #[arg(value_name = "QM", default_value = "QM1")]
    name: String,
    /// Accepted for compatibility.
    #[arg(short = 'z', hide = true)]
    z: bool,
    #[arg(long, hide = true)]
    si: bool,
    #[arg(long, hide = true)]
    ss: bool,
    /// Further options of `quaymaster serve`.
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
    /// End in a controlled way and return at once.
    #[arg(short = 'c')]
    controlled: bool,
    /// Wait until it has ended, as is always done here.
    #[arg(short = 'w')]
    wait: bool,
    /// Do not wait for requests in progress.
    #[arg(short = 'i')]
    immediate: bool,
    /// As -i.
    #[arg(short = 'p')]
    preemptive: bool,
    /// Accepted for compatibility.
    #[arg(short = 'z', hide = true)]
    z: bool,
    #[command(flatten)]
    location: Location,
}

pub(super) fn start(arguments: &StrmqmArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let name = parse_name(&arguments.name)?;
    let mut directory = arguments.location.directory();
    if !directory.exists(&name) {
        return Err(Failure::new(
            UNKNOWN,
            format!("AMQ8118E: Queue manager {name} does not exist; crtmqm creates it."),
        ));
    }
    directory.create()?;
    if directory.is_locked() {
        let place = directory.root().display();
        let sentence = match is_running(&directory, name.as_str()) {
            true => format!("queue manager {name} is running already"),
            false => format!("a server is running on {place} without {name}; restart it with --qmgr {name} as well"),
        };
        return Err(Failure::new(RUNNING, sentence));
    }
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
        .args(["serve", "--qmgr", name, "--data"])
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
            status.ready && status.queue_managers.iter().any(|manager| manager.name == name && manager.running)
        }
        _ => false,
    }
}

pub(super) fn end(arguments: &EndmqmArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let name = parse_name(&arguments.name)?;
    let directory = arguments.location.directory();
    let mut client = match Client::connect(directory.root()) {
        Ok(client) => client,
        Err(ClientError::NoServer { .. }) if directory.exists(&name) => {
            return Err(Failure::new(NOT_RUNNING, format!("AMQ8146E: Queue manager {name} is not running.")));
        }
        Err(ClientError::NoServer { .. }) => {
            return Err(Failure::new(UNKNOWN, format!("AMQ8118E: Queue manager {name} does not exist.")));
        }
        Err(error) => return Err(error.into()),
    };
    let immediate = arguments.immediate || arguments.preemptive;
    let request = Request::Stop { queue_manager: Some(name.to_string()), immediate };
    match client.ask(&request, &[]) {
        Ok(_) => {}
        Err(ClientError::Refused(refusal)) if mqsc::is_about_queue_manager(refusal.kind) => {
            let code = if directory.exists(&name) { NOT_RUNNING } else { UNKNOWN };
            return Err(Failure::new(code, refusal.sentence));
        }
        Err(error) => return Err(error.into()),
    }
    while !arguments.controlled && is_running(&directory, name.as_str()) {
        sleep(POLL);
    }
    let word = if arguments.controlled { "is ending" } else { "has ended" };
    writeln!(out, "Queue manager {name} {word}.")?;
    Ok(())
}
