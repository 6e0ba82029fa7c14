//! `doctor`: looks at everything that can be looked at without a change, and says of what is not well what to do.
//!
//! Configuration and certificates, disk and quotas, the server of the data directory and its queues, and the database and members of its group.

mod machine;
mod queues;

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use storage::shared::administration::{Check, Verdict};

use super::configured::Configured;
use super::exit_code::{ATTENTION, FAILED};
use super::failure::Failure;
use super::group::{all_checks, checks_as_json, write_checks};
use super::{config, health};
use crate::configuration::Configuration;
use crate::data_directory::DataDirectory;
use crate::error::chain;
use crate::serve::group::GroupPlan;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    configured: Configured,
    /// Print the answer as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let checks = look(&arguments.configured);
    match arguments.json {
        true => writeln!(out, "{}", json!({"checks": checks_as_json(&checks)}))?,
        false => write_checks(out, &checks)?,
    }
    out.flush()?;
    Ok(match checks.iter().map(|check| check.verdict).max() {
        None | Some(Verdict::Fine) => ExitCode::SUCCESS,
        Some(Verdict::Warning) => ExitCode::from(ATTENTION),
        Some(Verdict::Failure) => ExitCode::from(FAILED),
    })
}

/// All checks.
pub(super) fn look(configured: &Configured) -> Vec<Check> {
    let (file, configuration) = match configured.load(&[]) {
        Ok(loaded) => loaded,
        Err(error) => return vec![Check::failure("configuration", chain(&error))],
    };
    let mut checks = vec![Check::fine("configuration", format!("{} is valid", file.display()))];
    let (notes, problems) = config::check_certificates(&configuration);
    checks.extend(notes.into_iter().map(|note| Check::warning("certificates", note)));
    checks.extend(problems.into_iter().map(|problem| Check::failure("certificates", problem)));
    checks.push(machine::disk(configured.directory().root()));
    checks.extend(server(&configured.directory()));
    checks.extend(group(&configuration));
    checks
}

fn server(directory: &DataDirectory) -> Vec<Check> {
    let status = match health::status_of(directory) {
        Ok(status) => status,
        Err(error) => return vec![Check::warning("server", chain(&error))],
    };
    let mut checks: Vec<Check> =
        health::problems(&status).into_iter().map(|problem| Check::failure("server", problem)).collect();
    if checks.is_empty() {
        checks.push(Check::fine("server", "all queue managers that should run do run"));
    }
    checks.extend(machine::descriptors(status.process));
    let running = status.queue_managers.iter().filter(|manager| manager.is_running());
    for manager in running {
        checks.extend(manager.quotas.iter().map(|quota| machine::quota(&manager.name, quota)));
        checks.extend(queues::look(directory, &manager.name));
    }
    checks
}

fn group(configuration: &Configuration) -> Vec<Check> {
    match GroupPlan::of(configuration, false) {
        Ok(None) => vec![Check::fine("group", "the configuration names no group")],
        Ok(Some(plan)) => all_checks(&plan).unwrap_or_else(|failure| vec![Check::failure("group", failure.sentence())]),
        Err(error) => vec![Check::failure("group", chain(&error))],
    }
}
