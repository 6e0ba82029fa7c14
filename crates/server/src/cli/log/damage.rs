//! `log verify` and `log salvage`: what is wrong with a recovery log, and what can still be had of it.
//!
//! The log of a running queue manager is held while it is checked, as for a backup. Neither command changes a log.

use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use model::name::{QueueManagerName, QueueName};
use queue_manager::{Clock, SalvagedQueues, SystemClock, salvaged_queues};
use serde_json::{Value, json};
use storage::QueueId;
use storage::private::log::disk::DirectoryDisk;
use storage::private::log::salvage::Salvaged;
use storage::private::log::survey::{Damaged, Finding, Survey, Totals};

use super::queue_manager;
use crate::cli::Location;
use crate::cli::backup::{hold, release, running};
use crate::cli::exit_code::{FAILED, INCOMPLETE};
use crate::cli::failure::{Failure, warn};
use crate::data_directory::{DataDirectory, create_folder};
use crate::error::ServerError;

#[derive(Debug, Args)]
pub(in crate::cli) struct VerifyArguments {
    /// Queue manager [default: the only one of the data directory].
    #[arg(value_name = "QM")]
    queue_manager: Option<String>,
    /// Print the answer as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    location: Location,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct SalvageArguments {
    /// Queue manager [default: the only one of the data directory].
    #[arg(value_name = "QM")]
    queue_manager: Option<String>,
    /// Empty folder for what can be read; `quaymaster restore` makes a queue manager of it.
    #[arg(long, value_name = "FOLDER")]
    to: PathBuf,
    /// Print the answer as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    location: Location,
}

pub(super) fn verify(arguments: &VerifyArguments, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let directory = arguments.location.directory();
    let name = queue_manager(arguments.queue_manager.as_deref(), &directory)?;
    let mut survey = checked(&directory, &name)?;
    let names = match named(name, &survey) {
        Ok(SalvagedQueues { mut names, lost, .. }) => {
            survey.lack_definitions(&lost);
            names.retain(|id, _| !lost.contains(id));
            names
        }
        // A definition of another version: the lines name queues by number.
        Err(_) => HashMap::new(),
    };
    let Totals { extents, batches, messages, definitions, bytes } = survey.totals();
    let is_damaged = survey.is_damaged();
    if arguments.json {
        let answer = json!({
            "queueManager": name.as_str(),
            "whole": !is_damaged,
            "extents": extents,
            "batches": batches,
            "messages": messages,
            "definitions": definitions,
            "bytes": bytes,
            "findings": objects(&survey, &names),
        });
        writeln!(out, "{answer}")?;
    } else {
        lines(&survey, &names, out)?;
        let verdict = if is_damaged { "damaged" } else { "whole" };
        writeln!(
            out,
            "The recovery log of {name} is {verdict}: {extents} extents, {batches} batches, {messages} messages, \
             {definitions} definitions, {bytes} bytes."
        )?;
    }
    out.flush()?;
    Ok(if is_damaged { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
}

fn checked(directory: &DataDirectory, name: &QueueManagerName) -> Result<Survey, Failure> {
    let log = DirectoryDisk::read_only(directory.log(name));
    let mut server = running(directory, name)?;
    let point = server.as_mut().map(|client| hold(client, name)).transpose()?;
    let mut survey = Survey::read(&log, point, Damaged::PassedOver).map_err(ServerError::from)?;
    survey.check_bodies(&log).map_err(ServerError::from)?;
    if let Some(client) = server {
        release(client).map_err(Failure::from)?;
    }
    Ok(survey)
}

pub(super) fn salvage(arguments: &SalvageArguments, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let directory = arguments.location.directory();
    let name = queue_manager(arguments.queue_manager.as_deref(), &directory)?;
    if running(&directory, &name)?.is_some() {
        let sentence = format!("queue manager {name} runs; end it with endmqm {name}, or check it with log verify");
        return Err(Failure::new(FAILED, sentence));
    }
    // No server can start the queue manager meanwhile.
    let log = DirectoryDisk::open(directory.log(&name)).map_err(ServerError::from)?;
    let mut survey = Survey::read(&log, None, Damaged::Salvaged).map_err(ServerError::from)?;
    let mut queues = named(name, &survey)?;
    survey.leave_out(std::mem::take(&mut queues.unusable));
    create_folder(&arguments.to)?;
    let folder = DirectoryDisk::open(arguments.to.clone()).map_err(ServerError::from)?;
    let salvaged = survey.write(&log, &folder, name.as_str(), &queues.additions).map_err(Failure::from)?;
    let is_complete = !survey.is_damaged() && queues.lost.is_empty();
    if arguments.json {
        writeln!(out, "{}", answer(name, &survey, &queues, salvaged, is_complete))?;
    } else {
        arguments.say(name, &survey, &queues, salvaged, out)?;
    }
    out.flush()?;
    if is_complete {
        return Ok(ExitCode::SUCCESS);
    }
    warn(
        "not all of the log could be read: messages may be missing, and messages that were got before may be there again; \
         look through the queues before programs get from them",
    );
    Ok(ExitCode::from(INCOMPLETE))
}

fn named(name: QueueManagerName, survey: &Survey) -> Result<SalvagedQueues, Failure> {
    let with_messages: Vec<QueueId> = survey.queues().into_iter().map(|(id, _)| id).collect();
    salvaged_queues(name, survey.definitions(), &with_messages, SystemClock.now())
        .map_err(|error| ServerError::from(error).into())
}

impl SalvageArguments {
    fn say(
        &self,
        name: QueueManagerName,
        survey: &Survey,
        queues: &SalvagedQueues,
        salvaged: Salvaged,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        lines(survey, &queues.names, out)?;
        for (id, messages) in survey.queues() {
            let lost = if queues.lost.contains(&id) { "; its definition is lost" } else { "" };
            writeln!(out, "queue {}: {messages} messages found{lost}", queues.names[&id])?;
        }
        let Salvaged { messages, definitions, files, bytes } = salvaged;
        let to = self.to.display();
        writeln!(
            out,
            "Queue manager {name} was salvaged to {to}: {messages} messages, {definitions} definitions, {files} files, \
             {bytes} bytes. Make a queue manager of it with quaymaster restore NAME --from {to}."
        )?;
        Ok(())
    }
}

fn answer(
    name: QueueManagerName,
    survey: &Survey,
    queues: &SalvagedQueues,
    salvaged: Salvaged,
    is_complete: bool,
) -> Value {
    let of = |(id, messages): (QueueId, usize)| {
        let is_lost = queues.lost.contains(&id);
        json!({ "queue": queues.names[&id].as_str(), "messages": messages, "definitionLost": is_lost })
    };
    json!({
        "queueManager": name.as_str(),
        "complete": is_complete,
        "messages": salvaged.messages,
        "definitions": salvaged.definitions,
        "files": salvaged.files,
        "bytes": salvaged.bytes,
        "queues": survey.queues().into_iter().map(of).collect::<Vec<_>>(),
        "findings": objects(survey, &queues.names),
    })
}

fn lines(survey: &Survey, names: &HashMap<QueueId, QueueName>, out: &mut dyn Write) -> Result<(), Failure> {
    for finding in survey.findings() {
        writeln!(out, "{}", line(finding, names))?;
    }
    Ok(())
}

fn objects(survey: &Survey, names: &HashMap<QueueId, QueueName>) -> Vec<Value> {
    let of = |finding: &Finding| {
        let place = finding.place();
        json!({
            "kind": finding.kind(),
            "damage": finding.is_damage(),
            "extent": place.map(|place| place.extent),
            "offset": place.map(|place| place.offset),
            "text": line(finding, names),
        })
    };
    survey.findings().iter().map(of).collect()
}

/// With the name of the queue where it is known.
fn line(finding: &Finding, names: &HashMap<QueueId, QueueName>) -> String {
    match finding {
        Finding::UnreadableMessage { queue, key, message_id, file } if names.contains_key(queue) => {
            let queue = names[queue];
            format!("message {key} of queue {queue} (MsgId {message_id}): {file} is missing or damaged")
        }
        other => other.to_string(),
    }
}
