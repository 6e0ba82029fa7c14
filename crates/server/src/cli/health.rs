//! `chkmqready` and `chkmqhealthy`: exit codes for whoever supervises the server. They print only what is wrong.

use std::process::ExitCode;

use clap::Args;

use super::Location;
use crate::administration::client::{Client, ClientError};
use crate::administration::{Answer, Request, Status};
use crate::error::chain;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    location: Location,
}

/// The administration socket opens last of all, so whoever answers there is ready.
pub(super) fn ready(arguments: &Arguments) -> ExitCode {
    verdict(status(arguments), |status| (!status.ready).then(|| "the server is not ready".to_owned()))
}

pub(super) fn healthy(arguments: &Arguments) -> ExitCode {
    verdict(status(arguments), |status| {
        let ended = status.queue_managers.iter().find(|manager| !manager.running)?;
        Some(format!("queue manager {} has ended", ended.name))
    })
}

fn status(arguments: &Arguments) -> Result<Status, ClientError> {
    let mut client = Client::connect(arguments.location.directory().root())?;
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
        Some(sentence) => {
            eprintln!("quaymaster: {sentence}");
            ExitCode::FAILURE
        }
    }
}
