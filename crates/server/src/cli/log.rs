//! `log inspect`: a recovery log, read-only, also beside a running server. `log quarantine`: the messages that a running
//! server cannot deliver. `log verify` and `log salvage` are in `damage.rs`.

mod damage;

use std::io::Write;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use model::name::QueueManagerName;
use serde_json::{Value, json};
use storage::private::log::disk::DirectoryDisk;
use storage::private::log::inspect::{Item, describe, inspect};

use super::failure::Failure;
use super::{Location, mqsc};
use crate::administration::client::ClientError;
use crate::administration::{Answer, QuarantineAction, QuarantinedMessage, Request};
use crate::data_directory::DataDirectory;
use crate::error::ServerError;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Show anchor, extents, batches and records of a queue manager's log, without message bodies. Exit code 1 if it is
    /// damaged or incomplete.
    Inspect(InspectArguments),
    /// Read and check the whole log of a queue manager, running or not: extents, batches, records, bodies. One line for each
    /// thing that is wrong. Exit code 1 if it is damaged.
    Verify(damage::VerifyArguments),
    /// Write what can be read of a damaged log to a folder, as a backup for `quaymaster restore`. The queue manager must not
    /// run; its log stays as it is. One line for each thing that is lost. Messages that were got may come back.
    Salvage(damage::SalvageArguments),
    /// Messages that a running queue manager cannot deliver: it could not read them from disk, or no definition of their queue is
    /// left.
    #[command(subcommand)]
    Quarantine(Quarantine),
}

#[derive(Debug, Subcommand)]
pub(super) enum Quarantine {
    /// List the messages: key, queue, MsgId, length of the body and the file that holds it. A queue without a definition is
    /// shown as # and its number.
    List(ListArguments),
    /// Write the body of a message to standard output as far as it can be read, unchecked. The message stays.
    Export(KeyArguments),
    /// Remove a message for good.
    Remove(KeyArguments),
}

#[derive(Debug, Args)]
pub(super) struct ListArguments {
    /// Print a JSON object for each message.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    door: QuarantineDoor,
}

#[derive(Debug, Args)]
pub(super) struct KeyArguments {
    /// Key of the message, as the list and the server's log show it.
    #[arg(value_name = "KEY")]
    key: u64,
    #[command(flatten)]
    door: QuarantineDoor,
}

#[derive(Debug, Args)]
struct QuarantineDoor {
    /// Queue manager [default: the server's first].
    #[arg(long = "qmgr", short = 'm', value_name = "QM")]
    queue_manager: Option<String>,
    #[command(flatten)]
    location: Location,
}

#[derive(Debug, Args)]
pub(super) struct InspectArguments {
    /// Queue manager [default: the only one of the data directory].
    #[arg(value_name = "QM")]
    queue_manager: Option<String>,
    /// Print a JSON object for each item.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    location: Location,
}

pub(super) fn run(command: &Command, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    match command {
        Command::Inspect(arguments) => show(arguments, out),
        Command::Verify(arguments) => damage::verify(arguments, out),
        Command::Salvage(arguments) => damage::salvage(arguments, out),
        Command::Quarantine(command) => quarantine(command, out).map(|()| ExitCode::SUCCESS),
    }
}

fn quarantine(command: &Quarantine, out: &mut dyn Write) -> Result<(), Failure> {
    let (door, action) = match command {
        Quarantine::List(arguments) => (&arguments.door, QuarantineAction::List),
        Quarantine::Export(arguments) => (&arguments.door, QuarantineAction::Export(arguments.key)),
        Quarantine::Remove(arguments) => (&arguments.door, QuarantineAction::Remove(arguments.key)),
    };
    let name = door.queue_manager.as_deref().unwrap_or_default();
    let (mut client, queue_manager) = mqsc::connect(&door.location.directory(), name)?;
    let request = Request::Quarantine { queue_manager: Some(queue_manager), action };
    match (client.ask(&request, &[])?, command) {
        ((Answer::Quarantine, body), Quarantine::List(arguments)) => {
            let messages: Vec<QuarantinedMessage> =
                serde_json::from_slice(&body).map_err(|_| ClientError::Unexpected)?;
            for message in &messages {
                match arguments.json {
                    true => writeln!(out, "{}", json!(message))?,
                    false => writeln!(
                        out,
                        "{} {} {} {} bytes {}",
                        message.key, message.queue, message.message_id, message.length, message.file
                    )?,
                }
            }
        }
        ((Answer::Salvaged, body), Quarantine::Export(_)) => out.write_all(&body)?,
        ((Answer::Done { .. }, _), Quarantine::Remove(_)) => {}
        _ => return Err(ClientError::Unexpected.into()),
    }
    Ok(out.flush()?)
}

fn show(arguments: &InspectArguments, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let directory = arguments.location.directory();
    let name = queue_manager(arguments.queue_manager.as_deref(), &directory)?;
    let disk = DirectoryDisk::read_only(directory.log(&name));
    let mut damaged = false;
    for item in inspect(&disk).map_err(ServerError::from)? {
        damaged |= is_damage(&item);
        if arguments.json {
            writeln!(out, "{}", object(&item))?;
        } else {
            writeln!(out, "{}", describe(&item))?;
        }
    }
    out.flush()?;
    Ok(if damaged { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn is_damage(item: &Item) -> bool {
    matches!(
        item,
        Item::UnreadableAnchor { .. }
            | Item::UnreadableExtent { .. }
            | Item::Lost { .. }
            | Item::Malformed { .. }
            | Item::End { more_at: Some(_), .. }
    )
}

pub(super) fn queue_manager(name: Option<&str>, directory: &DataDirectory) -> Result<QueueManagerName, Failure> {
    let known = directory.queue_managers()?;
    let place = directory.root().display();
    match (name, known.as_slice()) {
        (None, [only]) => Ok(*only),
        (None, []) => Err(Failure::new(1, format!("{place} has no queue manager"))),
        (None, _) => Err(Failure::new(2, format!("{place} has several queue managers; name one"))),
        (Some(name), _) => known
            .iter()
            .find(|known| known.as_str() == name)
            .copied()
            .ok_or_else(|| Failure::new(1, format!("AMQ8118E: Queue manager {name} does not exist in {place}."))),
    }
}

/// What an item is, where it stands, and the sentence that the text form prints.
fn object(item: &Item) -> Value {
    let (kind, extent, offset) = match item {
        Item::Anchor { extent, offset, .. } => ("anchor", Some(*extent), Some(*offset)),
        Item::UnreadableAnchor { .. } => ("unreadableAnchor", None, None),
        Item::Lost { .. } => ("lost", None, None),
        Item::Extent { sequence, .. } => ("extent", Some(*sequence), None),
        Item::UnreadableExtent { sequence, .. } => ("unreadableExtent", Some(*sequence), None),
        Item::Batch { extent, offset, .. } => ("batch", Some(*extent), Some(*offset)),
        Item::Unit { .. } => ("unit", None, None),
        Item::Put { offset, moved: false, .. } => ("put", None, Some(*offset)),
        Item::Put { offset, moved: true, .. } => ("moved", None, Some(*offset)),
        Item::Get { offset, .. } => ("get", None, Some(*offset)),
        Item::BackoutCount { offset, .. } => ("backoutCount", None, Some(*offset)),
        Item::SaveDefinition { offset, .. } => ("saveDefinition", None, Some(*offset)),
        Item::DeleteDefinition { offset, .. } => ("deleteDefinition", None, Some(*offset)),
        Item::DropQueue { offset, .. } => ("dropQueue", None, Some(*offset)),
        Item::ClearQueue { offset, .. } => ("clearQueue", None, Some(*offset)),
        Item::Receipt { offset, .. } => ("receipt", None, Some(*offset)),
        Item::End { extent, offset, more_at: None } => ("end", Some(*extent), Some(*offset)),
        Item::End { extent, offset, more_at: Some(_) } => ("damaged", Some(*extent), Some(*offset)),
        Item::Malformed { extent, offset } => ("malformed", Some(*extent), Some(*offset)),
        Item::OtherFile { .. } => ("file", None, None),
    };
    json!({ "kind": kind, "extent": extent, "offset": offset, "text": describe(item).trim_start() })
}
