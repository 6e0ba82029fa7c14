//! `chkmqstarted`, `chkmqready` and `chkmqhealthy`: exit codes for a supervisor of the server. They print only what is wrong.
//!
//! Without a name they are about the queue managers that are meant to run: those named at the server's start, or started
//! since. One that lies in the data directory and was never asked for does not count. A pod that serves nothing beside the first
//! one is started and healthy, and never ready.

use std::process::ExitCode;

use clap::Args;

use super::Location;
use super::exit_code::{FAILED, REPLICA, STANDBY};
use super::failure::Failure;
use crate::administration::client::{Client, ClientError};
use crate::administration::{Answer, QueueManagerStatus, Request, Status};
use crate::container::{Container, Spare};
use crate::data_directory::DataDirectory;
use crate::error::chain;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Check only this queue manager.
    #[arg(short = 'm', value_name = "QM")]
    queue_manager: Option<String>,
    #[command(flatten)]
    location: Location,
}

/// Whether the start is over: recovery, drop-ins and the start of the listeners, with or without a queue manager that runs.
pub(super) fn started(arguments: &Arguments) -> ExitCode {
    if Container::of_process().spare().is_some() {
        return ExitCode::SUCCESS;
    }
    verdict(status(arguments), |status| match &arguments.queue_manager {
        _ if !status.ready => Some("the server has not started, or is stopping".to_owned()),
        Some(name) => problem_of(status, name),
        None => None,
    })
}

/// Whether work can be sent: the administration socket opens last, so a server that answers there is ready.
pub(super) fn ready(arguments: &Arguments) -> ExitCode {
    let container = Container::of_process();
    if let Some(spare) = container.spare() {
        let code = match spare {
            Spare::Standby => STANDBY,
            Spare::Replica => REPLICA,
        };
        return Failure::new(code, container.spare_sentence()).report();
    }
    verdict(status(arguments), |status| {
        if !status.ready {
            return Some("the server is not ready".to_owned());
        }
        match &arguments.queue_manager {
            Some(name) => problem_of(status, name),
            None if status.queue_managers.iter().any(QueueManagerStatus::is_running) => None,
            None => {
                let because = status.queue_managers.iter().filter(|manager| manager.problem.is_some());
                let because = because.filter_map(problem).map(|sentence| format!("; {sentence}"));
                Some(format!("no queue manager is running{}", because.collect::<String>()))
            }
        }
    })
}

pub(super) fn healthy(arguments: &Arguments) -> ExitCode {
    if Container::of_process().spare().is_some() {
        return ExitCode::SUCCESS;
    }
    verdict(status(arguments), |status| match &arguments.queue_manager {
        Some(name) => problem_of(status, name),
        None => status.queue_managers.iter().filter(|manager| manager.is_expected).find_map(problem),
    })
}

/// What is not well with the queue managers of a server.
pub(super) fn problems(status: &Status) -> Vec<String> {
    status.queue_managers.iter().filter(|manager| manager.is_expected).filter_map(problem).collect()
}

fn problem_of(status: &Status, name: &str) -> Option<String> {
    match status.queue_managers.iter().find(|manager| manager.name == name) {
        Some(manager) => problem(manager),
        None => Some(format!("queue manager {name} does not exist")),
    }
}

fn problem(manager: &QueueManagerStatus) -> Option<String> {
    if manager.is_running() {
        return None;
    }
    let state = manager.state().map_or(&*manager.state, |state| state.text()).to_lowercase();
    let why = manager.problem.as_ref().map_or_else(String::new, |problem| format!(": {problem}"));
    Some(format!("queue manager {} is not running ({state}){why}", manager.name))
}

fn status(arguments: &Arguments) -> Result<Status, ClientError> {
    status_of(&arguments.location.directory())
}

/// `Err`: no server answers.
pub(super) fn status_of(directory: &DataDirectory) -> Result<Status, ClientError> {
    let mut client = Client::connect(directory.root())?;
    match client.ask(&Request::Status, &[])?.0 {
        Answer::Status(status) => Ok(status),
        _ => Err(ClientError::Unexpected),
    }
}

fn verdict(status: Result<Status, ClientError>, problem: impl FnOnce(&Status) -> Option<String>) -> ExitCode {
    let problem = match &status {
        Ok(status) => problem(status),
        Err(error) => Some(chain(error)),
    };
    match problem {
        None => ExitCode::SUCCESS,
        Some(sentence) => Failure::new(FAILED, sentence).report(),
    }
}
