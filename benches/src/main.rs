//! `make bench`: every bar of the project measured in one run on this machine, what is compared interleaved.
//!
//! The speed of a machine drifts, so two figures are only ever compared when they were taken in turns: a round measures
//! every cell once, rounds alternate direction, and a ratio is the median over the rounds' ratios.
//!
//! Results go to standard output, `report.json` and `report.md`. The exit code is 1 when a bar does not hold.

mod depth;
mod disk_floor;
mod engine;
mod fill;
mod interleave;
mod lifecycle;
mod machine;
mod nginx;
mod postgresql;
mod report;
mod rest;
mod throughput;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Parser;

use crate::report::Report;

/// Measures the bars of docs/performance.md.
#[derive(Debug, Parser)]
struct Arguments {
    /// Fewer and shorter rounds, a tenth of the messages: shows that everything runs, not what it is worth.
    #[arg(long)]
    quick: bool,
    /// Only these groups: engine, rest, lifecycle, depth.
    #[arg(long, value_name = "GROUP")]
    only: Vec<String>,
    /// Where data directories lie while measuring: the disk that is measured.
    #[arg(long, value_name = "DIR", default_value = "target/bench")]
    work: PathBuf,
    /// Where the reports go.
    #[arg(long, value_name = "DIR", default_value = "target/bench")]
    out: PathBuf,
}

/// How much to measure.
#[derive(Debug, Clone)]
struct Effort {
    rounds: usize,
    /// Of one in-process cell.
    engine: Duration,
    /// Of one REST cell, after its warm-up.
    rest: Duration,
    warmup: Duration,
    /// Messages where the bar says a million.
    messages: u64,
    work: PathBuf,
}

impl Effort {
    fn new(arguments: &Arguments) -> Self {
        let ms = Duration::from_millis;
        let work = arguments.work.clone();
        if arguments.quick {
            Self { rounds: 3, engine: ms(300), rest: ms(1_000), warmup: ms(200), messages: 100_000, work }
        } else {
            Self { rounds: 5, engine: ms(2_000), rest: ms(4_000), warmup: ms(700), messages: 1_000_000, work }
        }
    }
}

type Group = fn(&Effort, &mut Report) -> Result<()>;

const GROUPS: [(&str, Group); 4] =
    [("engine", engine::run), ("rest", rest::run), ("lifecycle", lifecycle::run), ("depth", depth::run)];

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    for name in &arguments.only {
        anyhow::ensure!(GROUPS.iter().any(|(group, _)| group == name), "--only: there is no group '{name}'");
    }
    std::fs::create_dir_all(&arguments.work).context("cannot make the working folder")?;
    let mut effort = Effort::new(&arguments);
    effort.work = effort.work.canonicalize()?;
    let mut report = Report::new(machine::describe(), arguments.quick);
    for (name, group) in GROUPS {
        if arguments.only.is_empty() || arguments.only.iter().any(|only| only == name) {
            eprintln!("measuring {name}");
            group(&effort, &mut report).with_context(|| format!("group {name}"))?;
        }
    }
    report.write(&arguments.out)?;
    println!("{}", report.to_markdown());
    Ok(if report.all_hold() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
