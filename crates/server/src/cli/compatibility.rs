//! `config compat`: what this queue manager would make of another one's definitions.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use command::compatibility::{Compatibility, Finding, Verdict, compatibility};
use serde_json::json;

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
    let found = compatibility(&String::from_utf8_lossy(&bytes));
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

fn as_text(found: &Compatibility, out: &mut dyn Write) -> Result<(), Failure> {
    for verdict in [Verdict::Refused, Verdict::Ignored] {
        let of_verdict: Vec<_> = found.findings.iter().filter(|finding| finding.verdict == verdict).collect();
        if of_verdict.is_empty() {
            continue;
        }
        let heading = match verdict {
            Verdict::Refused => "Refused:",
            Verdict::Ignored | Verdict::Accepted => "Kept, without effect:",
        };
        writeln!(out, "{heading}")?;
        for finding in of_verdict {
            writeln!(out, "{}", line(finding))?;
        }
    }
    let (accepted, ignored, refused) =
        (found.count(Verdict::Accepted), found.count(Verdict::Ignored), found.count(Verdict::Refused));
    writeln!(
        out,
        "Commands read: {}. Commands and attributes accepted: {accepted}, without effect: {ignored}, refused: {refused}.",
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
        "findings": findings,
    })
}
