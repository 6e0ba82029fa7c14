//! `group create|join|leave|move|repair|status|upgrade`: a queue-sharing group, in the databases that the configuration names.
//!
//! `move` is a command of a running member. The others work on the databases, and need none.

mod columns;
mod moving;
mod patroni;
mod place;
mod repair;
mod status;

use std::io::Write;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;
use storage::shared::Roles;
use storage::shared::administration::Check;

use super::configured::Configured;
use super::exit_code::FAILED;
use super::failure::Failure;
use crate::configuration::FlagValue;
use crate::error::ServerError;
use crate::serve::group::GroupPlan;

pub(super) use columns::{checks_as_json, write_checks};
pub(super) use status::all_checks;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Make the tables of a group in its database, before its first member starts. Tables that are there stay as they are.
    Create(CreateArguments),
    /// Check what a queue manager needs to be a member, and reserve its name and number. It takes part when its server starts.
    Join(place::JoinArguments),
    /// Take a member out for good. It has ended, and holds no message and no unit of work.
    Leave(place::LeaveArguments),
    /// Move a shared queue, with its messages, to the database of another structure. Puts and gets are inhibited meanwhile. A move that was
    /// interrupted goes on by itself.
    Move(moving::MoveArguments),
    /// Show what is stuck in the group, and mend it with --apply.
    Repair(repair::Arguments),
    /// Show the database, members and queues of the group, and what needs attention.
    Status(status::Arguments),
    /// Bring the tables of the group to the version of this program. A member does it at its start if it may.
    Upgrade(UpgradeArguments),
}

#[derive(Debug, Args)]
pub(super) struct CreateArguments {
    /// Name of the group [default: group.name of the configuration].
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Role of the database that owns the tables. The user of --database is a member of it, or an administrator [default: that user].
    #[arg(long, value_name = "ROLE")]
    owner: Option<String>,
    /// Role of the members. It gets the rights that members need and no others; may be granted later with the same command.
    #[arg(long, value_name = "ROLE")]
    member_role: Option<String>,
    #[command(flatten)]
    group: Group,
}

#[derive(Debug, Args)]
pub(super) struct UpgradeArguments {
    #[command(flatten)]
    group: Group,
}

/// Which group a command is about.
#[derive(Debug, Args)]
pub(super) struct Group {
    /// Address of the database [default: group.database of the configuration].
    #[arg(long, value_name = "URL")]
    database: Option<String>,
    #[command(flatten)]
    configured: Configured,
    /// Print the answer as JSON.
    #[arg(long)]
    json: bool,
}

impl Group {
    fn plan(&self, name: Option<String>) -> Result<GroupPlan, Failure> {
        let flag = |path, flag, value: Option<String>| value.map(|value| FlagValue { path, flag, values: vec![value] });
        let flags = [flag("group.name", "NAME", name), flag("group.database", "--database", self.database.clone())];
        let flags: Vec<_> = flags.into_iter().flatten().collect();
        let (_, configuration) = self.configured.load(&flags).map_err(ServerError::from)?;
        let plan = GroupPlan::of(&configuration, false).map_err(ServerError::from)?;
        plan.ok_or_else(|| Failure::new(FAILED, "name the group, or set group.name in the configuration"))
    }
}

pub(super) fn run(command: Command, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let code = match command {
        Command::Create(arguments) => create(arguments, out)?,
        Command::Join(arguments) => place::join(&arguments, out)?,
        Command::Leave(arguments) => place::leave(&arguments, out)?,
        Command::Move(arguments) => moving::run(&arguments, out).map(|()| ExitCode::SUCCESS)?,
        Command::Repair(arguments) => repair::run(&arguments, out)?,
        Command::Status(arguments) => status::run(&arguments, out)?,
        Command::Upgrade(arguments) => upgrade(&arguments, out)?,
    };
    out.flush()?;
    Ok(code)
}

fn create(arguments: CreateArguments, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let CreateArguments { name, owner, member_role, group } = arguments;
    let plan = group.plan(name)?;
    plan.create(&Roles { owner, member: member_role })?;
    let name = plan.name();
    match group.json {
        true => writeln!(out, "{}", json!({"group": name}))?,
        false => writeln!(out, "The database has the tables of group {name}.")?,
    }
    Ok(ExitCode::SUCCESS)
}

fn upgrade(arguments: &UpgradeArguments, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let plan = arguments.group.plan(None)?;
    let (name, version) = (plan.name(), plan.upgrade()?);
    match arguments.group.json {
        true => writeln!(out, "{}", json!({"group": name, "schemaVersion": version}))?,
        false => writeln!(out, "The tables of group {name} have version {version} or later.")?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Of checks as they are shown after what they are about.
fn problems(checks: &[Check]) -> Vec<&Check> {
    use storage::shared::administration::Verdict;
    let mut problems: Vec<&Check> = checks.iter().filter(|check| check.verdict != Verdict::Fine).collect();
    problems.sort_by_key(|check| std::cmp::Reverse(check.verdict));
    problems
}
