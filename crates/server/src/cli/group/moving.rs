//! `group move`: a shared queue goes to the database of another structure, by a command of a running member.

use std::io::Write;

use clap::Args;
use model::name::{ObjectName, QueueManagerName, QueueName};

use super::super::Location;
use super::super::exit_code::COMMAND_FAILED;
use super::super::failure::Failure;
use super::super::mqsc_door::MqscDoor;
use super::super::remote::Remote;
use crate::administration::Outcome;

/// A move takes as long as its messages do.
const WAIT_SECONDS: u32 = 24 * 60 * 60;

#[derive(Debug, Args)]
pub(in crate::cli) struct MoveArguments {
    /// Name of the queue.
    #[arg(value_name = "QUEUE", value_parser = name)]
    queue: QueueName,
    /// Structure to which it goes.
    #[arg(long, value_name = "NAME", value_parser = name)]
    structure: ObjectName,
    /// Queue manager that moves it, a running member of the group [default: the server's first].
    #[arg(long, value_name = "QM", value_parser = name)]
    qmgr: Option<QueueManagerName>,
    #[command(flatten)]
    location: Location,
    #[command(flatten)]
    remote: Remote,
}

fn name(text: &str) -> Result<ObjectName, String> {
    ObjectName::parse(text).map_err(|error| error.to_string())
}

pub(super) fn run(arguments: &MoveArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let MoveArguments { queue, structure, qmgr, location, remote } = arguments;
    let member = qmgr.as_ref().map_or("", QueueManagerName::as_str);
    let mut door = match remote.is_given() {
        true => MqscDoor::rest(remote, None, member)?,
        false => MqscDoor::socket(&location.directory(), member, Some(WAIT_SECONDS))?,
    };
    let (lines, outcome) = door.run(&format!("MOVE QLOCAL('{queue}') TOCFSTRUCT('{structure}')"))?;
    if outcome != Outcome::Succeeded {
        return Err(Failure::new(COMMAND_FAILED, lines.join(" ")));
    }
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    Ok(())
}
