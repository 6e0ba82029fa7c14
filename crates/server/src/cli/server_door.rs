//! Whether a server runs on a data directory: then it does what a life-cycle command asks, else the command does.
//!
//! The lock decides. A server holds it from before its socket opens until after it has closed, so a command that finds it
//! taken and the socket closed waits a moment for the one or the other.

use std::thread::sleep;
use std::time::Duration;

use super::failure::Failure;
use super::lifecycle::{ENDING, EXISTS, RUNNING, UNEXPECTED, UNKNOWN};
use super::start::NOT_RUNNING;
use crate::administration::client::{Client, ClientError};
use crate::administration::{Answer, Refusal, RefusalKind, Request};
use crate::data_directory::{DataDirectory, Lock};
use crate::error::{ServerError, chain};

pub(super) enum Door {
    /// A server is there and listens.
    Server(Client),
    /// There is none, and none can start while this is held.
    Locked(Lock),
}

const POLL: Duration = Duration::from_millis(20);
/// How often to look again: half a minute, enough for a recovery of millions of messages.
const LOOKS: u32 = 1500;

/// # Errors
/// 5 when a server is starting or ending for too long; 71 when the directory cannot be used.
pub(super) fn knock(directory: &DataDirectory) -> Result<Door, Failure> {
    for _ in 0..LOOKS {
        match Client::connect(directory.root()) {
            Ok(client) => return Ok(Door::Server(client)),
            Err(ClientError::NoServer { .. }) => {}
            Err(error) => return Err(Failure::of(UNEXPECTED, &error)),
        }
        match directory.lock() {
            Ok(lock) => return Ok(Door::Locked(lock)),
            Err(ServerError::InUse { .. }) => sleep(POLL),
            Err(error) => return Err(Failure::of(UNEXPECTED, &error)),
        }
    }
    let sentence = format!(
        "the server on {} is starting or ending and does not answer; try again later",
        directory.root().display()
    );
    Err(Failure::new(RUNNING, sentence))
}

/// Asks the server for something that has no answer but that it is done.
///
/// # Errors
/// The server's refusal with IBM's exit code for it.
pub(super) fn done(mut client: Client, request: &Request) -> Result<(), Failure> {
    match client.ask(request, &[]) {
        Ok((Answer::Done { .. }, _)) => Ok(()),
        Ok(_) => Err(Failure::of(UNEXPECTED, &ClientError::Unexpected)),
        Err(ClientError::Refused(refusal)) => Err(failure_of(&refusal)),
        Err(error) => Err(Failure::new(UNEXPECTED, chain(&error))),
    }
}

fn failure_of(refusal: &Refusal) -> Failure {
    let code = match refusal.kind {
        RefusalKind::UnknownQueueManager => UNKNOWN,
        RefusalKind::QueueManagerEnded => NOT_RUNNING,
        RefusalKind::AlreadyRunning => RUNNING,
        RefusalKind::Ending => ENDING,
        RefusalKind::AlreadyExists => EXISTS,
        RefusalKind::Reason | RefusalKind::Invalid | RefusalKind::Failed => UNEXPECTED,
    };
    Failure::new(code, &*refusal.sentence)
}
