//! `tables list` and `tables run`: the published performance tables, measured here.

use std::io::Write;
use std::process::ExitCode;

use clap::Subcommand;
use tables::cli::{ListArguments, RunArguments};

use super::failure::Failure;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// List the experiments and the published tables that they measure.
    List(ListArguments),
    /// Measure published tables, and show both figures side by side.
    Run(RunArguments),
}

pub(super) fn run(command: &Command, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    match command {
        Command::List(arguments) => {
            tables::cli::list(arguments, out)?;
            out.flush()?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Run(arguments) => {
            let is_complete = tables::cli::run(arguments, env!("CARGO_PKG_VERSION"), out)
                .map_err(|error| Failure::new(failure_code(&error), error.chain()))?;
            out.flush()?;
            Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
    }
}

/// Bad usage is 2, as everywhere.
fn failure_code(error: &tables::TablesError) -> u8 {
    if matches!(error, tables::TablesError::Unknown { .. }) { 2 } else { 1 }
}
