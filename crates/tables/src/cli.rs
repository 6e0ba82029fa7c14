//! `tables list` and `tables run`, for the program that wires them.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use time::OffsetDateTime;
use time::macros::format_description;

use crate::error::TablesError;
use crate::experiment::{self, EXPERIMENTS, Experiment};
use crate::machine::Machine;
use crate::outcome::{FORMAT, Made, Outcome};
use crate::published::published;
use crate::render::{self, Format};
use crate::repeat::Effort;
use crate::session::Session;
use crate::setting::Setting;

/// Where results go when they are a page.
const DEFAULT_OUT: &str = "quaymaster-tables";

/// Shows the experiments and which published tables each measures.
#[derive(Debug, Clone, clap::Args)]
pub struct ListArguments {
    /// As JSON.
    #[arg(long)]
    json: bool,
}

/// Measures published tables here and shows both side by side.
///
/// Starts servers of its own in a temporary folder, on free ports, and ends them. Exits with 1 when an experiment came
/// to no end; what it found until then is shown.
#[derive(Debug, Clone, clap::Args)]
pub struct RunArguments {
    /// Name or letter of an experiment, as `tables list` shows them, or all.
    #[arg(value_name = "NAME|all", required = true)]
    names: Vec<String>,
    /// Short repetitions: all in five minutes.
    #[arg(long)]
    quick: bool,
    /// Form of the result; a page is written into --out, the others go to standard output too.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Folder for the result in this form and as JSON [default: ./quaymaster-tables for html, none for the others].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Where servers keep their data meanwhile: on the disk that is to be measured [default: the system's temporary folder].
    #[arg(long, value_name = "DIR")]
    work: Option<PathBuf>,
    /// Repetitions of each point, instead of as many as its spread asks for.
    #[arg(long, value_name = "N")]
    repetitions: Option<usize>,
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

/// Runs the experiments and writes what they found; false when one came to no end. `version` is the program's.
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
    let outcome = measure(arguments, &experiments, version)?;
    write(arguments, &outcome, out)?;
    for experiment in &outcome.experiments {
        if let Some(failure) = &experiment.failed {
            eprintln!("quaymaster: {} came to no end: {failure}", experiment.name);
        }
    }
    Ok(outcome.is_complete())
}

fn measure(arguments: &RunArguments, experiments: &[&Experiment], version: &str) -> Result<Outcome, TablesError> {
    let begin = now();
    let own = || {
        std::env::current_exe().map_err(|source| TablesError::File {
            what: "find",
            path: PathBuf::from("this program"),
            source,
        })
    };
    let program = arguments.program.clone().map_or_else(own, Ok)?;
    let work = arguments.work.clone().unwrap_or_else(std::env::temp_dir);
    let setting = Setting::new(program, &work)?;
    let machine = Machine::of(setting.folder());
    let effort =
        Effort { quick: arguments.quick, budget: Duration::ZERO, repetitions: arguments.repetitions.map(|n| n.max(1)) };
    let mut session = Session::new(setting, effort);
    let at = moment();
    let found = experiments.iter().map(|experiment| experiment.run(&mut session)).collect();
    Ok(Outcome {
        format: FORMAT,
        about: "Published performance tables, measured with Quaymaster".to_owned(),
        made: Made {
            at,
            command: command(arguments),
            version: version.to_owned(),
            effort: effort.describe(),
            quick: arguments.quick,
            seconds: begin.elapsed().as_secs_f64(),
            machine,
        },
        experiments: found,
        not_applicable: experiment::not_applicable(),
    })
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

fn write(arguments: &RunArguments, outcome: &Outcome, out: &mut dyn Write) -> Result<(), TablesError> {
    let text = match arguments.format {
        Format::Text => render::text::render(outcome),
        Format::Json => outcome.to_json() + "\n",
        Format::Html => render::html::render(outcome)?,
    };
    let folder = match (&arguments.out, arguments.format) {
        (Some(folder), _) => Some(folder.as_path()),
        (None, Format::Html) => Some(Path::new(DEFAULT_OUT)),
        (None, _) => None,
    };
    if arguments.format != Format::Html {
        let _ = out.write_all(text.as_bytes());
    }
    let Some(folder) = folder else { return Ok(()) };
    let file = |what| move |source| TablesError::File { what, path: folder.to_owned(), source };
    std::fs::create_dir_all(folder).map_err(file("make"))?;
    let json = folder.join("tables.json");
    write_file(&json, &(outcome.to_json() + "\n"))?;
    let mut written = vec![json];
    if arguments.format != Format::Json {
        let path = folder.join(format!("tables.{}", arguments.format.extension()));
        write_file(&path, &text)?;
        written.insert(0, path);
    }
    for path in written {
        // In a pipe after a text or JSON result this would be in the way.
        if arguments.format == Format::Html || io::stderr().is_terminal() {
            eprintln!("wrote {}", path.display());
        }
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "a result is written once and may be lost")]
fn write_file(path: &Path, text: &str) -> Result<(), TablesError> {
    std::fs::write(path, text).map_err(|source| TablesError::File { what: "write", path: path.to_owned(), source })
}

#[expect(clippy::disallowed_methods, reason = "how long it took is shown beside the figures")]
fn now() -> Instant {
    Instant::now()
}

fn moment() -> String {
    let form = format_description!("[year]-[month]-[day] [hour]:[minute] UTC");
    OffsetDateTime::now_utc().format(form).unwrap_or_default()
}
