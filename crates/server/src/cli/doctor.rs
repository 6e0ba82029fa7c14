//! `doctor`: looks at everything that can be looked at without a change, and says of what is not well what to do.
//!
//! Configuration and certificates, the server of the data directory, and the database and members of its group.

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
    let checks = look(arguments);
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

fn look(arguments: &Arguments) -> Vec<Check> {
    let (file, configuration) = match arguments.configured.load(&[]) {
        Ok(loaded) => loaded,
        Err(error) => return vec![Check::failure("configuration", chain(&error))],
    };
    let mut checks = vec![Check::fine("configuration", format!("{} is valid", file.display()))];
    let (notes, problems) = config::check_certificates(&configuration);
    checks.extend(notes.into_iter().map(|note| Check::warning("certificates", note)));
    checks.extend(problems.into_iter().map(|problem| Check::failure("certificates", problem)));
    checks.extend(server(&arguments.configured.directory()));
    checks.extend(group(&configuration));
    checks
}

fn server(directory: &DataDirectory) -> Vec<Check> {
    match health::problems(directory) {
        Ok(problems) if problems.is_empty() => vec![Check::fine("server", "all queue managers that should run do run")],
        Ok(problems) => problems.into_iter().map(|problem| Check::failure("server", problem)).collect(),
        Err(error) => vec![Check::warning("server", chain(&error))],
    }
}

fn group(configuration: &Configuration) -> Vec<Check> {
    match GroupPlan::of(configuration, false) {
        Ok(None) => vec![Check::fine("group", "the configuration names no group")],
        Ok(Some(plan)) => all_checks(&plan).unwrap_or_else(|failure| vec![Check::failure("group", failure.sentence())]),
        Err(error) => vec![Check::failure("group", chain(&error))],
    }
}
