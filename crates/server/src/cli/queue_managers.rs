//! `dspmq`: the queue managers of a data directory and how they are, with or without a server.

use std::io::Write;

use clap::Args;
use queue_manager::registry::State;
use serde_json::json;

use super::Location;
use super::failure::Failure;
use super::lifecycle::NAME_ERROR;
use super::remote::{Remote, rest_failure};
use crate::administration::client::{Client, ClientError};
use crate::administration::{Answer, Request};
use crate::data_directory::DataDirectory;
use crate::installation;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Show only this queue manager.
    #[arg(short = 'm', value_name = "QM")]
    queue_manager: Option<String>,
    /// Columns to show: status, default, installation, standby or all.
    #[arg(short = 'o', value_name = "WHAT", value_parser = ["status", "default", "all", "installation", "standby", "ha"])]
    options: Vec<String>,
    /// Show only active queue managers: running, starting or ending.
    #[arg(short = 'a')]
    active: bool,
    /// Also show a line for the instance of each active queue manager.
    #[arg(short = 'x')]
    instances: bool,
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
    #[command(flatten)]
    remote: Remote,
}

struct Row {
    name: String,
    state: State,
    is_default: bool,
    problem: Option<String>,
}

pub(super) fn run(arguments: &Arguments, out: &mut dyn Write) -> Result<(), Failure> {
    let mut rows = match arguments.remote.is_given() {
        true => rows_over_rest(&arguments.remote)?,
        false => rows(&arguments.location.directory())?,
    };
    rows.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    if let Some(name) = &arguments.queue_manager {
        rows.retain(|row| row.name == *name);
        if rows.is_empty() {
            return Err(Failure::new(NAME_ERROR, format!("AMQ8118E: Queue manager {name} does not exist.")));
        }
    }
    if arguments.active {
        rows.retain(|row| !row.state.has_ended());
    }
    if arguments.json {
        let list: Vec<_> = rows.iter().map(Row::json).collect();
        writeln!(out, "{}", json!(list))?;
        return Ok(());
    }
    for row in rows {
        writeln!(out, "{}", arguments.line(&row).trim_end())?;
        if arguments.instances && !row.state.has_ended() {
            writeln!(out, "    INSTANCE({}) MODE(Active)", host_name())?;
        }
    }
    Ok(())
}

impl Arguments {
    fn line(&self, row: &Row) -> String {
        let asks = |what: &str| self.options.iter().any(|option| option == what || option == "all");
        let mut shown = Vec::new();
        if self.options.is_empty() || asks("status") {
            shown.push(format!("STATUS({})", row.state.text()));
        }
        if asks("default") {
            shown.push(format!("DEFAULT({})", if row.is_default { "yes" } else { "no" }));
        }
        if asks("standby") {
            shown.push("STANDBY(Not permitted)".to_owned());
        }
        if asks("installation") {
            let here = installation::describe(self.location.directory().root());
            let (path, version) = (&here.installation_path, here.version());
            shown.push(format!("INSTNAME({}) INSTPATH({path}) INSTVER({version})", here.name));
        }
        format!("{:<58}{}", format!("QMNAME({})", row.name), shown.join(" "))
    }
}

impl Row {
    fn json(&self) -> serde_json::Value {
        let mut row = json!({"name": self.name, "status": self.state.text(), "default": self.is_default});
        if let Some(problem) = &self.problem {
            row["problem"] = json!(problem);
        }
        row
    }
}

fn host_name() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_owned()
}

/// What the server knows, or what the data directory holds when there is none.
fn rows(directory: &DataDirectory) -> Result<Vec<Row>, Failure> {
    Ok(match Client::connect(directory.root()) {
        Ok(mut client) => match client.ask(&Request::Status, &[])?.0 {
            Answer::Status(status) => status.queue_managers.into_iter().map(Row::from).collect(),
            _ => return Err(ClientError::Unexpected.into()),
        },
        Err(ClientError::NoServer { .. }) => at_rest(directory)?,
        Err(error) => return Err(error.into()),
    })
}

/// What the administrative REST API lists; it does not tell which one is the default.
fn rows_over_rest(remote: &Remote) -> Result<Vec<Row>, Failure> {
    let answer = remote.client(None)?.queue_managers().map_err(|error| rest_failure(&error))?;
    let list: serde_json::Value = serde_json::from_slice(&answer.body).map_err(|error| Failure::of(1, &error))?;
    let row = |entry: &serde_json::Value| {
        let state = State::from_word(entry["state"].as_str()?).unwrap_or(State::Starting);
        Some(Row { name: entry["name"].as_str()?.to_owned(), state, is_default: false, problem: None })
    };
    Ok(list["qmgr"].as_array().into_iter().flatten().filter_map(row).collect())
}

impl From<crate::administration::QueueManagerStatus> for Row {
    fn from(status: crate::administration::QueueManagerStatus) -> Self {
        // A word of another version means something that is neither running nor ended.
        let state = status.state().unwrap_or(State::Starting);
        Self { name: status.name, state, is_default: status.is_default, problem: status.problem }
    }
}

fn at_rest(directory: &DataDirectory) -> Result<Vec<Row>, Failure> {
    // The lock tells a server that is starting or ending from one that was killed.
    let is_busy = directory.is_locked();
    let rows = directory.queue_managers()?.into_iter().map(|name| {
        let is_starting = is_busy && directory.saved(&name).is_some_and(|saved| saved.state == State::Running);
        let state = if is_starting { State::Starting } else { directory.state_at_rest(&name) };
        Row { name: name.to_string(), state, is_default: false, problem: None }
    });
    Ok(rows.collect())
}
