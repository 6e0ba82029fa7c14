//! `tables list` and `tables run`, for the program that wires them.

mod results;

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use time::OffsetDateTime;
use time::macros::format_description;

use self::results::Results;
use crate::error::TablesError;
use crate::experiment::{self, EXPERIMENTS, Experiment};
use crate::machine::Machine;
use crate::outcome::{FORMAT, Made, Outcome};
use crate::published::published;
use crate::render::Format;
use crate::repeat::Effort;
use crate::session::Session;
use crate::setting::Setting;

/// Lists the experiments and the published tables that they measure.
#[derive(Debug, Clone, clap::Args)]
pub struct ListArguments {
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Measures published tables, and shows both figures side by side.
///
/// Starts its own servers in a temporary folder, on free ports, and ends them. Exits with 1 if an experiment did not
/// finish; its results so far are shown. A signal ends the run; results of finished experiments stay written.
#[derive(Debug, Clone, clap::Args)]
pub struct RunArguments {
    /// Name or letter of an experiment, as `tables list` shows them, or all.
    #[arg(value_name = "NAME|all", required = true)]
    names: Vec<String>,
    /// Use short repetitions: all experiments take five minutes.
    #[arg(long)]
    quick: bool,
    /// Format of the result. An HTML page is written to --out, the other formats also to standard output.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Folder for the result in this format and as JSON, written after each experiment [default: ./quaymaster-tables
    /// for html, else none].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Folder for the servers' data, on the disk to measure [default: the system's temporary folder].
    #[arg(long, value_name = "DIR")]
    work: Option<PathBuf>,
    /// Number of repetitions of each point [default: as many as its spread requires].
    #[arg(long, value_name = "N")]
    repetitions: Option<NonZeroUsize>,
    /// Chromium that opens the console [default: chromium, chromium-browser or google-chrome on PATH].
    #[arg(long, value_name = "PATH")]
    browser: Option<PathBuf>,
    /// Program to measure [default: this one].
    #[arg(long, value_name = "PATH", hide = true)]
    program: Option<PathBuf>,
}

/// # Errors
/// Standard output is closed.
pub fn list(arguments: &ListArguments, out: &mut dyn Write) -> io::Result<()> {
    if arguments.json {
        let all: Vec<_> = EXPERIMENTS
            .iter()
            .map(|experiment| {
                serde_json::json!({
                    "letter": experiment.letter, "name": experiment.name, "title": experiment.title,
                    "tables": experiment.tables, "charts": experiment.charts, "quickSeconds": experiment.quick_seconds,
                })
            })
            .collect();
        return writeln!(out, "{}", serde_json::Value::from(all));
    }
    for experiment in EXPERIMENTS {
        writeln!(out, "{}  {:<10} {}", experiment.letter, experiment.name, experiment.title)?;
        for id in experiment.tables {
            if let Some(table) = published().table(id) {
                let document = published().document_title(&table.document);
                writeln!(out, "{:14}{document}: {}", "", table.pointer)?;
            }
        }
        for title in experiment.charts {
            writeln!(out, "{:14}chart: {title}", "")?;
        }
    }
    Ok(())
}

/// Runs the experiments and writes what they found; false when one did not finish. `version` is the program's.
///
/// # Errors
/// No such experiment, no folder to work in, or a result that cannot be written.
pub fn run(arguments: &RunArguments, version: &str, out: &mut dyn Write) -> Result<bool, TablesError> {
    let mut experiments: Vec<&Experiment> = Vec::new();
    for name in &arguments.names {
        for experiment in experiment::named(name)? {
            if !experiments.iter().any(|known| known.letter == experiment.letter) {
                experiments.push(experiment);
            }
        }
    }
    let outcome = measure(arguments, &experiments, version, out)?;
    for experiment in &outcome.experiments {
        if let Some(failure) = &experiment.failed {
            eprintln!("quaymaster: {} did not finish: {failure}", experiment.name);
        }
    }
    Ok(outcome.is_complete())
}

/// What is found is written after each experiment: a signal that ends the run in a later one takes nothing away.
fn measure(
    arguments: &RunArguments,
    experiments: &[&Experiment],
    version: &str,
    out: &mut dyn Write,
) -> Result<Outcome, TablesError> {
    let begin = now();
    let mut session = session(arguments)?;
    let mut results = Results::new(arguments.format, arguments.out.as_deref(), out)?;
    let mut outcome = Outcome {
        format: FORMAT,
        about: "Published performance tables, measured with Quaymaster".to_owned(),
        made: made(arguments, &session, version),
        experiments: Vec::new(),
        outstanding: experiments.iter().map(|experiment| experiment.name.to_owned()).collect(),
        not_applicable: experiment::not_applicable(),
    };
    results.begin(&outcome);
    for experiment in experiments {
        outcome.add(experiment.run(&mut session), begin.elapsed().as_secs_f64());
        results.add(&outcome);
    }
    results.end(&outcome)?;
    Ok(outcome)
}

fn session(arguments: &RunArguments) -> Result<Session, TablesError> {
    let own = || {
        std::env::current_exe().map_err(|source| TablesError::File {
            what: "find",
            path: PathBuf::from("this program"),
            source,
        })
    };
    let program = arguments.program.clone().map_or_else(own, Ok)?;
    let work = arguments.work.clone().unwrap_or_else(std::env::temp_dir);
    let repetitions = arguments.repetitions.map(NonZeroUsize::get);
    let effort = Effort { quick: arguments.quick, budget: Duration::ZERO, repetitions };
    let setting = Setting::new(program, &work)?.browsing_with(arguments.browser.clone());
    Ok(Session::new(setting, effort))
}

fn made(arguments: &RunArguments, session: &Session, version: &str) -> Made {
    Made {
        at: moment(),
        command: command(arguments),
        version: version.to_owned(),
        effort: session.effort().describe(),
        quick: arguments.quick,
        seconds: 0.0,
        machine: Machine::of(session.setting().folder()),
    }
}

/// What was called, without where its files went.
fn command(arguments: &RunArguments) -> String {
    let mut words = vec!["quaymaster tables run".to_owned()];
    words.extend(arguments.names.iter().cloned());
    if arguments.quick {
        words.push("--quick".to_owned());
    }
    if let Some(repetitions) = arguments.repetitions {
        words.push(format!("--repetitions {repetitions}"));
    }
    words.push(format!("--format {}", arguments.format.word()));
    words.join(" ")
}

#[expect(clippy::disallowed_methods, reason = "how long it took is shown beside the figures")]
fn now() -> Instant {
    Instant::now()
}

fn moment() -> String {
    let form = format_description!("[year]-[month]-[day] [hour]:[minute] UTC");
    OffsetDateTime::now_utc().format(form).unwrap_or_default()
}

#[cfg(test)]
mod tests;
