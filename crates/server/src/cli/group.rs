//! `group create`: the tables of a queue-sharing group, in the databases that the configuration names; `group move`.

mod moving;

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::json;

use super::Location;
use super::exit_code::FAILED;
use super::failure::Failure;
use crate::configuration::{Environment, FlagValue, load};
use crate::error::ServerError;
use crate::serve::group::GroupPlan;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Make the tables of a group in its database, before its first member starts. Tables that are there stay as they are.
    Create(CreateArguments),
    /// Move a shared queue, with its messages, to the database of another structure. Puts and gets are inhibited meanwhile. A move that was
    /// interrupted goes on by itself.
    Move(moving::MoveArguments),
}

#[derive(Debug, Args)]
pub(super) struct CreateArguments {
    /// Name of the group [default: group.name of the configuration].
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Address of the database [default: group.database of the configuration].
    #[arg(long, value_name = "URL")]
    database: Option<String>,
    /// Configuration file [default: DIR/quaymaster.toml if it exists].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print the answer as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    location: Location,
}

pub(super) fn run(command: Command, out: &mut dyn Write) -> Result<(), Failure> {
    match command {
        Command::Create(arguments) => create(arguments, out),
        Command::Move(arguments) => moving::run(&arguments, out),
    }
}

fn create(arguments: CreateArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let CreateArguments { name, database, config, json, location } = arguments;
    let flag = |path, flag, value: Option<String>| value.map(|value| FlagValue { path, flag, values: vec![value] });
    let flags: Vec<_> = [flag("group.name", "NAME", name), flag("group.database", "--database", database)]
        .into_iter()
        .flatten()
        .collect();
    let environment = Environment::of_process();
    let config = config.or_else(|| environment.get("QUAYMASTER_CONFIG").map(PathBuf::from));
    let file = config.clone().unwrap_or_else(|| location.directory().configuration_file());
    let configuration = load(&file, config.is_some(), &environment, &flags).map_err(ServerError::from)?;
    let Some(plan) = GroupPlan::of(&configuration, false).map_err(ServerError::from)? else {
        return Err(Failure::new(FAILED, "name the group, or set group.name in the configuration".to_owned()));
    };
    let group = plan.create()?;
    match json {
        true => writeln!(out, "{}", json!({"group": group}))?,
        false => writeln!(out, "The database has the tables of group {group}.")?,
    }
    Ok(())
}
