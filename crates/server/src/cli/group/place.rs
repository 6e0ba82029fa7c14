//! `group join` and `group leave`: a queue manager's place in the group.
//!
//! A member joins by starting with `group.name` in its configuration. `join` is what comes before: it looks at everything that the start
//! needs, and reserves name and number.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use model::name::QueueManagerName;
use serde_json::json;
use storage::shared::administration::Verdict;

use super::columns::{checks_as_json, write_checks};
use super::{Group, patroni};
use crate::cli::exit_code::{FAILED, USAGE};
use crate::cli::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct JoinArguments {
    /// Queue manager that takes part [default: the first of server.queue_managers].
    #[arg(value_name = "QM")]
    name: Option<String>,
    /// Check, and reserve nothing.
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    group: Group,
}

#[derive(Debug, Args)]
pub(crate) struct LeaveArguments {
    /// Member that leaves.
    #[arg(value_name = "QM")]
    name: String,
    /// Also a member that holds something: what it had got goes back, its units of work in doubt are backed out, and its decisions are
    /// forgotten. For a member whose data directory is lost; it must never be started again.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    group: Group,
}

pub(super) fn join(arguments: &JoinArguments, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let plan = arguments.group.plan(None)?;
    let name = arguments.name.clone().unwrap_or_else(|| plan.member.to_string());
    let name = QueueManagerName::parse(&name)
        .map_err(|_| Failure::new(USAGE, format!("{name} is no name of a queue manager")))?
        .to_string();
    let (mut checks, hosts, reserved) = plan.administer(async |administrator| {
        let checks = administrator.readiness(&name).await?;
        let is_able = checks.iter().all(|check| check.verdict != Verdict::Failure);
        let reserved = match is_able && !arguments.check {
            true => Some(administrator.reserve(&name).await?),
            false => None,
        };
        Ok((checks, administrator.hosts().await, reserved))
    })?;
    checks.extend(patroni::checks(&hosts));
    let group = plan.name();
    let failed = checks.iter().filter(|check| check.verdict == Verdict::Failure).count();
    if arguments.group.json {
        let number = reserved.as_ref().map(|reserved| reserved.number);
        let checks = checks_as_json(&checks);
        writeln!(out, "{}", json!({"group": group, "member": name, "number": number, "checks": checks}))?;
    } else {
        write_checks(out, &checks)?;
        match &reserved {
            Some(reserved) if reserved.is_known => writeln!(out, "{name} is member {} of {group}.", reserved.number)?,
            Some(reserved) => writeln!(
                out,
                "{name} is member {} of {group}, and takes part when its server starts with group.name = \"{group}\".",
                reserved.number
            )?,
            None => {}
        }
    }
    match failed {
        0 => Ok(ExitCode::SUCCESS),
        _ => {
            Err(Failure::new(FAILED, format!("{name} cannot be a member of {group} yet: {failed} checks have failed")))
        }
    }
}

pub(super) fn leave(arguments: &LeaveArguments, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let plan = arguments.group.plan(None)?;
    let name = &arguments.name;
    let left = plan.administer(async |administrator| administrator.leave(name, arguments.force).await)?;
    let left = left.map_err(|refusal| Failure::of(FAILED, &refusal))?;
    let group = plan.name();
    if arguments.group.json {
        let answer = json!({
            "group": group, "member": name, "number": left.number, "returned": left.returned,
            "backedOut": left.backed_out, "forgotten": left.forgotten,
        });
        writeln!(out, "{answer}")?;
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(out, "{name} is no member of {group} any more; number {} is free.", left.number)?;
    for (count, what) in [
        (left.returned, "messages are given back"),
        (left.backed_out, "units of work in doubt are backed out"),
        (left.forgotten, "decisions are forgotten"),
    ] {
        if count > 0 {
            writeln!(out, "{count} {what}.")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
