//! `log inspect`: a recovery log, read-only, also beside a running server.

use std::io::Write;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use model::name::QueueManagerName;
use serde_json::{Value, json};
use storage::private::log::disk::DirectoryDisk;
use storage::private::log::inspect::{Item, describe, inspect};

use super::Location;
use super::failure::Failure;
use crate::data_directory::DataDirectory;
use crate::error::ServerError;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Show extents, batches and records of a queue manager's log, without message bodies. Exit code 1 if it is
    /// damaged.
    Inspect(InspectArguments),
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
    let Command::Inspect(arguments) = command;
    let directory = arguments.location.directory();
    let name = queue_manager(arguments.queue_manager.as_deref(), &directory)?;
    let disk = DirectoryDisk::read_only(directory.log(&name));
    let mut damaged = false;
    for item in inspect(&disk).map_err(ServerError::from)? {
        damaged |=
            matches!(item, Item::UnreadableExtent { .. } | Item::Malformed { .. } | Item::End { more_at: Some(_), .. });
        if arguments.json {
            writeln!(out, "{}", object(&item))?;
        } else {
            writeln!(out, "{}", describe(&item))?;
        }
    }
    out.flush()?;
    Ok(if damaged { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn queue_manager(name: Option<&str>, directory: &DataDirectory) -> Result<QueueManagerName, Failure> {
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
        Item::End { extent, offset, more_at: None } => ("end", Some(*extent), Some(*offset)),
        Item::End { extent, offset, more_at: Some(_) } => ("damaged", Some(*extent), Some(*offset)),
        Item::Malformed { extent, offset } => ("malformed", Some(*extent), Some(*offset)),
        Item::OtherFile { .. } => ("file", None, None),
    };
    json!({ "kind": kind, "extent": extent, "offset": offset, "text": describe(item).trim_start() })
}
