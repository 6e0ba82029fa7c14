//! `group repair`: shows what is stuck, and mends it when it is told to.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use storage::shared::administration::{Finding, Stuck};

use super::Group;
use crate::cli::exit_code::ATTENTION;
use crate::cli::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// What to look at: members, claims, units, decisions, queues, parts, depths, receipts [default: all].
    #[arg(value_name = "KIND", value_parser = ["members", "claims", "units", "decisions", "queues", "parts", "depths", "receipts"])]
    kinds: Vec<String>,
    /// Mend what is found. Without it, nothing is changed.
    #[arg(long)]
    apply: bool,
    #[command(flatten)]
    group: Group,
}

/// What was found, and how much of each kind was mended.
type Work = (Vec<Finding>, Vec<(Stuck, i64)>);

pub(super) fn run(arguments: &Arguments, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let plan = arguments.group.plan(None)?;
    let is_asked = |kind: &Stuck| arguments.kinds.is_empty() || arguments.kinds.iter().any(|name| name == kind.name());
    let kinds: Vec<Stuck> = Stuck::ALL.into_iter().filter(is_asked).collect();
    let (findings, mended): Work = plan.administer(async |administrator| {
        if !arguments.apply {
            return Ok((administrator.find_stuck(&kinds).await?, Vec::new()));
        }
        // One kind may leave work for the next: a member that is recovered gives back what it holds.
        let (mut findings, mut mended) = (Vec::new(), Vec::new());
        for kind in kinds {
            let found = administrator.find_stuck(&[kind]).await?;
            if !found.is_empty() {
                mended.push((kind, administrator.mend(kind).await?));
            }
            findings.extend(found);
        }
        Ok((findings, mended))
    })?;
    match arguments.group.json {
        true => write_json(out, &plan.name(), &findings, &mended)?,
        false => write_text(out, &plan.name(), &findings, &mended, arguments.apply)?,
    }
    Ok(if findings.is_empty() || arguments.apply { ExitCode::SUCCESS } else { ExitCode::from(ATTENTION) })
}

fn write_json(out: &mut dyn Write, group: &str, findings: &[Finding], mended: &[(Stuck, i64)]) -> std::io::Result<()> {
    let finding = |one: &Finding| json!({"kind": one.stuck.name(), "count": one.count, "text": one.text});
    let findings: Vec<_> = findings.iter().map(finding).collect();
    let mended: serde_json::Map<_, _> =
        mended.iter().map(|(kind, count)| (kind.name().to_owned(), json!(count))).collect();
    writeln!(out, "{}", json!({"group": group, "findings": findings, "mended": mended}))
}

fn write_text(
    out: &mut dyn Write,
    group: &str,
    findings: &[Finding],
    mended: &[(Stuck, i64)],
    is_applied: bool,
) -> std::io::Result<()> {
    if findings.is_empty() {
        return writeln!(out, "Nothing is stuck in group {group}.");
    }
    for finding in findings {
        writeln!(out, "{:<10} {}", finding.stuck.name(), finding.text)?;
    }
    for (kind, count) in mended {
        writeln!(out, "Mended {}: {count}.", kind.name())?;
    }
    if !is_applied {
        writeln!(out, "Nothing was changed. Do it with --apply.")?;
    }
    Ok(())
}
