//! `make bench`: every bar of the project measured in one run on this machine, what is compared interleaved.
//!
//! The speed of a machine drifts, so two figures are only ever compared when they were taken in turns: a round measures
//! every cell once, rounds alternate direction, and a ratio is the median over the rounds' ratios.
//!
//! Results go to standard output, `report.json` and `report.md`. The exit code is 1 when a bar does not hold.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use benches::effort::Effort;
use benches::report::Report;
use benches::{
    admin, backup, before, build_toolkit, channel, console, copybook, depth, engine, http_queues, lifecycle, lists,
    machine, message_api, packages, published, record_file, requester, rest, service, sharing, stub, tracing,
};
use clap::Parser;

/// Measures the bars of docs/performance.md.
#[derive(Debug, Parser)]
struct Arguments {
    /// Fewer and shorter rounds, a tenth of the messages: shows that everything runs, not what it is worth.
    #[arg(long)]
    quick: bool,
    /// Only these groups: engine, rest, message-api, http-queues, channel, java, mqi, connecting, idle, admin, lists, console, lifecycle, packages, backup, depth, copybook, files, service,
    /// sharing, requester, stub,
    /// toolkit, tracing, published.
    #[arg(long, value_name = "GROUP")]
    only: Vec<String>,
    /// Only this: the program of this build against an earlier one, every load on both in turns, at least seven rounds.
    #[arg(long, value_name = "PROGRAM", conflicts_with = "only")]
    before: Option<PathBuf>,
    /// Where data directories lie while measuring: the disk that is measured.
    #[arg(long, value_name = "DIR", default_value = "target/bench")]
    work: PathBuf,
    /// Where the reports go.
    #[arg(long, value_name = "DIR", default_value = "target/bench")]
    out: PathBuf,
}

type Group = fn(&Effort, &mut Report) -> Result<()>;

const GROUPS: [(&str, Group); 25] = [
    ("engine", engine::run),
    ("rest", rest::run),
    ("message-api", message_api::run),
    ("http-queues", http_queues::run),
    ("channel", channel::run),
    ("java", channel::run_java),
    ("mqi", channel::run_mqi),
    ("connecting", channel::run_connecting),
    ("idle", channel::run_idle),
    ("admin", admin::run),
    ("lists", lists::run),
    ("console", console::run),
    ("lifecycle", lifecycle::run),
    ("packages", packages::run),
    ("backup", backup::run),
    ("depth", depth::run),
    ("copybook", copybook::run),
    ("files", record_file::run),
    ("service", service::run),
    ("sharing", sharing::run),
    ("requester", requester::run),
    ("stub", stub::run),
    ("toolkit", build_toolkit::run),
    ("tracing", tracing::run),
    ("published", published::run),
];

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    for name in &arguments.only {
        anyhow::ensure!(GROUPS.iter().any(|(group, _)| group == name), "--only: there is no group '{name}'");
    }
    std::fs::create_dir_all(&arguments.work).context("cannot make the working folder")?;
    let work = arguments.work.canonicalize()?;
    let effort = if arguments.quick { Effort::quick(work) } else { Effort::full(work) };
    let mut report = Report::new(machine::describe(), arguments.quick);
    if let Some(program) = &arguments.before {
        before::run(&effort, program, &mut report)?;
    }
    for (name, group) in GROUPS.into_iter().filter(|_| arguments.before.is_none()) {
        if arguments.only.is_empty() || arguments.only.iter().any(|only| only == name) {
            eprintln!("measuring {name}");
            group(&effort, &mut report).with_context(|| format!("group {name}"))?;
        }
    }
    report.write(&arguments.out)?;
    println!("{}", report.to_markdown());
    Ok(if report.all_hold() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
