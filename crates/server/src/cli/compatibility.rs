//! `config compat`: what this queue manager would make of another one's definitions.
//!
//! The script runs on a queue manager in memory, which is gone when the command ends.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use command::compatibility::{Compatibility, Finding, Verdict, compatibility};
use model::authority::Principal;
use model::name::QueueManagerName;
use queue_manager::{Home, QueueManager, StartOptions, SystemClock};
use serde_json::json;
use storage::StoreOptions;

use super::failure::Failure;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Script of MQSC commands, as dmpmqcfg writes it.
    file: PathBuf,
    /// Print JSON, including accepted commands.
    #[arg(long)]
    json: bool,
}

/// Exit code 10 when something is refused.
pub(super) fn run(arguments: &Arguments, out: &mut dyn Write) -> Result<(), Failure> {
    let file = arguments.file.display();
    let bytes = std::fs::read(&arguments.file).map_err(|e| Failure::new(1, format!("cannot read {file}: {e}")))?;
    let found = look(&String::from_utf8_lossy(&bytes))?;
    if arguments.json {
        writeln!(out, "{:#}", as_json(&found))?;
    } else {
        as_text(&found, out)?;
    }
    match found.count(Verdict::Refused) {
        0 => Ok(()),
        // The last line of the text says it.
        _ => Err(Failure::new(10, "")),
    }
}

/// Runs the script as its owner would, on a new queue manager without a disk.
fn look(script: &str) -> Result<Compatibility, Failure> {
    const OWNER: &str = "owner";
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let queue_manager = QueueManager::start(StartOptions {
            name: QueueManagerName::literal("QM1"),
            home: Home::Ephemeral,
            store: StoreOptions::default(),
            clock: Arc::new(SystemClock),
            server_user: OWNER.to_owned(),
        })
        .map_err(|error| Failure::of(1, &error))?;
        let found = compatibility(&queue_manager, &Principal::administrator(OWNER), script).await;
        queue_manager.stop().await;
        Ok(found)
    })
}

fn as_text(found: &Compatibility, out: &mut dyn Write) -> Result<(), Failure> {
    let headings = [(Verdict::Refused, "Refused:"), (Verdict::Ignored, "Accepted, without effect here:")];
    for (verdict, heading) in headings {
        let mut is_first = true;
        let told = |finding: &&Finding| finding.verdict == verdict && !finding.reason.is_empty();
        for finding in found.findings.iter().filter(told) {
            if std::mem::take(&mut is_first) {
                writeln!(out, "{heading}")?;
            }
            writeln!(out, "{}", line(finding))?;
        }
    }
    if let Some(end) = found.end {
        writeln!(out, "Nothing after line {end} is run: the script ends there.")?;
    }
    let [accepted, ignored, refused] =
        [Verdict::Accepted, Verdict::Ignored, Verdict::Refused].map(|verdict| found.count(verdict));
    let [no_effect, bad] = [Verdict::Ignored, Verdict::Refused].map(|verdict| found.count_attributes(verdict));
    writeln!(
        out,
        "Commands read: {}. Accepted: {accepted}, accepted without effect here: {ignored}, refused: {refused}. \
         Attributes without effect here: {no_effect}, refused: {bad}.",
        found.commands
    )?;
    Ok(())
}

fn line(finding: &Finding) -> String {
    let attribute = finding.attribute.as_deref().map(|attribute| format!(" {attribute}")).unwrap_or_default();
    format!("  line {}: {}{attribute}: {}", finding.line, finding.command, finding.reason)
}

fn as_json(found: &Compatibility) -> serde_json::Value {
    let findings: Vec<_> = found
        .findings
        .iter()
        .map(|finding| {
            json!({
                "line": finding.line,
                "command": finding.command,
                "attribute": finding.attribute,
                "verdict": finding.verdict.word(),
                "reason": finding.reason,
            })
        })
        .collect();
    json!({
        "commands": found.commands,
        "accepted": found.count(Verdict::Accepted),
        "ignored": found.count(Verdict::Ignored),
        "refused": found.count(Verdict::Refused),
        "attributesIgnored": found.count_attributes(Verdict::Ignored),
        "attributesRefused": found.count_attributes(Verdict::Refused),
        "endLine": found.end,
        "findings": findings,
    })
}
