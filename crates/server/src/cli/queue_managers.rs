//! `dspmq`: the queue managers of a data directory and how they are, with or without a server.

use std::io::Write;

use clap::Args;
use model::name::QueueManagerName;
use serde_json::json;

use super::Location;
use super::failure::Failure;
use crate::administration::client::{Client, ClientError};
use crate::administration::{Answer, Request};
use crate::data_directory::{DataDirectory, State};

/// IBM's exit code of a queue manager name that is not known.
const NAME_ERROR: u8 = 72;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Only this queue manager.
    #[arg(short = 'm', value_name = "QM")]
    queue_manager: Option<String>,
    /// What to show: status, default or all.
    #[arg(short = 'o', value_name = "WHAT", value_parser = ["status", "default", "all", "installation", "standby", "ha"])]
    options: Vec<String>,
    /// Accepted for compatibility.
    #[arg(short = 's', hide = true)]
    _s: bool,
    /// Accepted for compatibility.
    #[arg(short = 'n', hide = true)]
    _n: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    location: Location,
}

struct Row {
    name: String,
    status: &'static str,
    is_default: bool,
}

pub(super) fn run(arguments: &Arguments, out: &mut dyn Write) -> Result<(), Failure> {
    let mut rows = rows(&arguments.location.directory())?;
    if let Some(name) = &arguments.queue_manager {
        rows.retain(|row| row.name == *name);
        if rows.is_empty() {
            return Err(Failure::new(NAME_ERROR, format!("AMQ8118E: Queue manager {name} does not exist.")));
        }
    }
    if arguments.json {
        let list: Vec<_> =
            rows.iter().map(|row| json!({"name": row.name, "status": row.status, "default": row.is_default})).collect();
        writeln!(out, "{}", json!(list))?;
        return Ok(());
    }
    let asks = |what: &str| arguments.options.iter().any(|option| option == what || option == "all");
    let show_status = arguments.options.is_empty() || asks("status");
    for row in rows {
        let mut line = format!("{:<58}", format!("QMNAME({})", row.name));
        if show_status {
            line.push_str(&format!("STATUS({})", row.status));
        }
        if asks("default") {
            line.push_str(&format!(" DEFAULT({})", if row.is_default { "yes" } else { "no" }));
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

fn rows(directory: &DataDirectory) -> Result<Vec<Row>, Failure> {
    let hosted = match Client::connect(directory.root()) {
        Ok(mut client) => match client.ask(&Request::Status, &[])?.0 {
            Answer::Status(status) => status.queue_managers,
            _ => return Err(ClientError::Unexpected.into()),
        },
        Err(ClientError::NoServer { .. }) => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    let mut names: Vec<String> = directory.queue_managers()?.iter().map(ToString::to_string).collect();
    names.extend(hosted.iter().map(|manager| manager.name.clone()));
    names.sort_unstable();
    names.dedup();
    let rows = names.into_iter().map(|name| {
        let here = hosted.iter().position(|manager| manager.name == name);
        let running = here.is_some_and(|index| hosted[index].running);
        let status = if running { "Running" } else { ended(directory, &name) };
        Row { status, is_default: here == Some(0), name }
    });
    Ok(rows.collect())
}

fn ended(directory: &DataDirectory, name: &str) -> &'static str {
    let state = QueueManagerName::parse(name).ok().and_then(|name| directory.state(&name));
    match state {
        // The lock tells a server that is starting from one that was killed.
        Some(State::Running) if directory.is_locked() => "Starting",
        Some(State::Running) => "Ended unexpectedly",
        Some(State::EndedImmediately) => "Ended immediately",
        Some(State::EndedNormally) | None => "Ended normally",
    }
}
