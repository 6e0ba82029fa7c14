//! `group status`: how the group is, read in the database.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};
use storage::shared::MemberState;
use storage::shared::administration::not_connected;
use storage::shared::administration::{Check, DatabaseFacts, GroupStatus, Host, HostRole, MemberLook};

use super::columns::{checks_as_json, write_checks, write_rows};
use super::{Group, patroni, problems};
use crate::cli::exit_code::ATTENTION;
use crate::cli::failure::Failure;
use crate::error::ServerError;
use crate::serve::group::GroupPlan;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Show all queues, also those without messages.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    group: Group,
}

/// Queues that are shown without `--all`.
const MOST_QUEUES: usize = 20;

pub(super) fn run(arguments: &Arguments, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let plan = arguments.group.plan(None)?;
    let status = plan.administer(async |administrator| administrator.status().await)?;
    let mut checks = status.checks();
    checks.extend(patroni::checks(&status.database.hosts));
    let problems = problems(&checks);
    if arguments.group.json {
        writeln!(out, "{}", as_json(&status, &problems))?;
    } else {
        write_text(out, &status, arguments.all)?;
        write_checks(out, problems.iter().copied())?;
    }
    Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(ATTENTION) })
}

/// All that is looked at in a group, for `doctor`.
pub(crate) fn all_checks(plan: &GroupPlan) -> Result<Vec<Check>, Failure> {
    let name = plan.member.to_string();
    let looked = plan
        .administer(async |administrator| Ok((administrator.status().await?, administrator.readiness(&name).await?)));
    let (status, mut ready) = match looked {
        Err(ServerError::Group(error)) => return Ok(vec![not_connected(&error)]),
        looked => looked?,
    };
    let mut checks = status.checks();
    // What a member needs beside what the group's state has told.
    ready.retain(|check| checks.iter().all(|known| known.subject != check.subject));
    checks.extend(ready.into_iter().filter(|check| check.subject != "name"));
    checks.extend(patroni::checks(&status.database.hosts));
    Ok(checks)
}

fn write_text(out: &mut dyn Write, status: &GroupStatus, all: bool) -> io::Result<()> {
    let database = &status.database;
    writeln!(out, "Group {}, tables of version {}", status.group, status.schema_version)?;
    writeln!(out, "Database {}", database_text(database))?;
    if database.hosts.len() > 1 {
        let rows: Vec<_> = database.hosts.iter().map(|host| vec![host.name.clone(), role(host)]).collect();
        writeln!(out)?;
        write_rows(out, &["HOST", "ROLE"], &rows)?;
    }
    writeln!(out)?;
    let heading = ["MEMBER", "NUMBER", "STATE", "EPOCH", "LAST BEAT", "CLAIMS", "IN DOUBT", "ADDRESS"];
    let rows: Vec<_> = status.members.iter().map(|member| member_row(status, member)).collect();
    write_rows(out, &heading, &rows)?;
    write_queues(out, status, all)?;
    writeln!(out)
}

fn database_text(database: &DatabaseFacts) -> String {
    let mut parts = vec![format!("{} {} at {}", database.engine, database.version, database.host)];
    if database.timeline > 0 {
        parts.push(format!("timeline {}", database.timeline));
    }
    parts.push(match database.synchronous_standby_names.as_deref() {
        None | Some("") => "no synchronous standby".to_owned(),
        Some(names) => format!("synchronous standby {names}"),
    });
    if let Some(dead) = database.dead_rows {
        parts.push(format!("{dead} dead rows of messages"));
    }
    if let Some(oldest) = database.holders.iter().find(|holder| holder.age.is_some()) {
        let pid = oldest.pid.map_or_else(String::new, |pid| format!(" pid {pid}"));
        let age = oldest.age.unwrap_or_default().as_secs();
        parts.push(format!("oldest {} {}{pid} {age} s", oldest.kind, oldest.name));
    }
    parts.join(", ")
}

fn role(host: &Host) -> String {
    match &host.role {
        HostRole::Primary { timeline: 0 } => "primary".to_owned(),
        HostRole::Primary { timeline } => format!("primary, timeline {timeline}"),
        HostRole::Standby => "standby".to_owned(),
        HostRole::Unreachable { why } => format!("away: {why}"),
    }
}

fn member_row(status: &GroupStatus, member: &MemberLook) -> Vec<String> {
    let beat = match (member.state, member.since_beat) {
        (MemberState::Active, Some(since)) => format!("{:.1} s", since.as_secs_f32()),
        (MemberState::Active, None) => format!("over {:.1} s", member.watched.as_secs_f32()),
        _ => "-".to_owned(),
    };
    let in_doubt = status.in_doubt.iter().filter(|unit| unit.member == member.number).count();
    vec![
        member.name.clone(),
        member.number.to_string(),
        member.state.word().to_owned(),
        member.epoch.to_string(),
        beat,
        member.claims.to_string(),
        in_doubt.to_string(),
        member.address.clone(),
    ]
}

fn write_queues(out: &mut dyn Write, status: &GroupStatus, all: bool) -> io::Result<()> {
    let shown: Vec<_> = status.queues.iter().filter(|queue| all || queue.messages != 0).collect();
    let most = if all { shown.len() } else { MOST_QUEUES };
    if !shown.is_empty() {
        let rows = shown.iter().take(most).map(|queue| {
            let name = queue.name.clone().unwrap_or_else(|| "(deleted)".to_owned());
            vec![name, queue.messages.to_string(), queue.bytes.to_string()]
        });
        writeln!(out)?;
        write_rows(out, &["QUEUE", "MESSAGES", "BYTES"], &rows.collect::<Vec<_>>())?;
    }
    let left = status.queues.len() - shown.len().min(most);
    if left > 0 && !all {
        writeln!(out, "{left} more queues: --all shows them.")?;
    }
    Ok(())
}

fn as_json(status: &GroupStatus, problems: &[&Check]) -> Value {
    let members: Vec<_> = status.members.iter().map(|member| member_json(status, member)).collect();
    let queues =
        status.queues.iter().map(|queue| json!({"name": queue.name, "messages": queue.messages, "bytes": queue.bytes}));
    json!({
        "group": status.group,
        "schemaVersion": status.schema_version,
        "database": database_json(&status.database),
        "members": members,
        "queues": queues.collect::<Vec<_>>(),
        "problems": checks_as_json(problems.iter().copied()),
    })
}

fn member_json(status: &GroupStatus, member: &MemberLook) -> Value {
    let seconds = |duration: std::time::Duration| (duration.as_secs_f64() * 1000.0).round() / 1000.0;
    let in_doubt = status.in_doubt.iter().filter(|unit| unit.member == member.number).map(|unit| {
        let xid = unit.xid.as_ref().map(|xid| {
            json!({"formatId": xid.format_id, "global": hex(&xid.global_transaction), "branch": hex(&xid.branch)})
        });
        let disposition = if unit.is_of_group { "GROUP" } else { "QMGR" };
        json!({"number": unit.number, "xid": xid, "messages": unit.messages, "disposition": disposition})
    });
    json!({
        "name": member.name,
        "number": member.number,
        "state": member.state.word(),
        "epoch": member.epoch,
        "secondsSinceBeat": member.since_beat.map(seconds),
        "secondsWatched": seconds(member.watched),
        "claims": member.claims,
        "inDoubt": in_doubt.collect::<Vec<_>>(),
        "address": member.address,
        "schemaVersion": member.level,
    })
}

fn database_json(database: &DatabaseFacts) -> Value {
    let hosts: Vec<_> = database.hosts.iter().map(|host| json!({"name": host.name, "role": role(host)})).collect();
    let standbys = database.standbys.iter().map(|standby| {
        json!({
            "name": standby.name, "state": standby.state, "synchronous": standby.synchronous,
            "behindBytes": standby.behind_bytes,
        })
    });
    let holders = database.holders.iter().map(|holder| {
        json!({
            "kind": holder.kind, "pid": holder.pid, "name": holder.name, "user": holder.user, "state": holder.state,
            "seconds": holder.age.map(|age| age.as_secs()),
        })
    });
    json!({
        "engine": database.engine,
        "version": database.version,
        "host": database.host,
        "timeline": database.timeline,
        "hosts": hosts,
        "synchronousStandbyNames": database.synchronous_standby_names,
        "standbys": standbys.collect::<Vec<_>>(),
        "encrypted": database.is_encrypted,
        "deadRows": database.dead_rows,
        "liveRows": database.live_rows,
        "secondsSinceVacuum": database.since_vacuum.map(|since| since.as_secs()),
        "holders": holders.collect::<Vec<_>>(),
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}
