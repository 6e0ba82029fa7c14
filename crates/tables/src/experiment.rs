//! The experiments: which there are, what each covers of the published figures, and running them.
//!
//! To add one: a file below `experiment/` with `run(&mut Session, &mut Findings)`, and a row here. `run` prepares servers through
//! `session.setting()`, describes each point as a `Load`, has all that are to be compared measured in one
//! `session.measure`, and pushes tables and charts; what was pushed stays when it fails later.

mod administration;
mod console;
mod messaging;
mod pooling;
mod queues;
mod requester;
mod resources;
mod updates;
mod users;

use std::time::{Duration, Instant};

use crate::error::TablesError;
use crate::outcome::{Chart, ExperimentOutcome, NotApplicable, Table};
use crate::published::published;
use crate::session::Session;

pub struct Experiment {
    /// Of published.json.
    pub letter: char,
    pub name: &'static str,
    pub title: &'static str,
    /// What is run, in sentences.
    pub about: &'static [&'static str],
    /// Identifiers of the published tables that are measured.
    pub tables: &'static [&'static str],
    /// Titles of the published charts without numbers that are drawn.
    pub charts: &'static [&'static str],
    /// Seconds of a quick run.
    pub quick_seconds: u64,
    pub(crate) run: fn(&mut Session, &mut Findings) -> Result<(), TablesError>,
}

/// What an experiment has found so far.
#[derive(Debug, Default)]
pub struct Findings {
    pub tables: Vec<Table>,
    pub charts: Vec<Chart>,
    pub notes: Vec<String>,
}

pub static EXPERIMENTS: &[Experiment] = &[
    resources::EXPERIMENT,
    queues::EXPERIMENT,
    updates::EXPERIMENT,
    users::EXPERIMENT,
    messaging::EXPERIMENT,
    pooling::EXPERIMENT,
    requester::EXPERIMENT,
    console::EXPERIMENT,
];

/// Those that a word means: a name, a letter, or `all`.
///
/// # Errors
/// None is called so.
pub fn named(word: &str) -> Result<Vec<&'static Experiment>, TablesError> {
    let is_meant =
        |experiment: &&Experiment| word == "all" || experiment.name == word || word.chars().eq([experiment.letter]);
    let found: Vec<_> = EXPERIMENTS.iter().filter(is_meant).collect();
    if found.is_empty() {
        let names: Vec<_> = EXPERIMENTS.iter().map(|experiment| experiment.name).collect();
        return Err(TablesError::Unknown { name: word.to_owned(), known: names.join(", ") });
    }
    Ok(found)
}

impl Experiment {
    /// Runs it to its end or its failure.
    pub fn run(&self, session: &mut Session) -> ExperimentOutcome {
        session.begin(self.name, Duration::from_secs(self.quick_seconds));
        let begin = now();
        let mut found = Findings::default();
        let failed = (self.run)(session, &mut found).err().map(|error| error.chain());
        session.end();
        found.notes.extend(session.take_limits());
        ExperimentOutcome {
            letter: self.letter,
            name: self.name.to_owned(),
            title: self.title.to_owned(),
            about: self.about.iter().map(|&sentence| sentence.to_owned()).collect(),
            seconds: begin.elapsed().as_secs_f64(),
            tables: found.tables,
            charts: found.charts,
            notes: found.notes,
            failed,
        }
    }
}

/// Why statements of this platform's own things cannot be measured here, by what they are about.
const REASONS: &[(&str, &str)] = &[
    ("zIIP", "this platform has no specialty processors: all processor time is of one kind"),
    ("AsyncIO", "a setting of the other server's operating system; sockets here are served by epoll, always"),
];
/// Tables that say too little of their conditions to be run again.
const TABLES_WITHOUT_CONDITIONS: &[(&str, &str)] = &[(
    "api-requester-rmf-extract",
    "an example of how processor time was read there: without the number of clients, the payload and the rate of that minute there \
     is nothing to run again; the requester experiment shows the same kinds of figures, processor time and percent of one processor",
)];
const OTHER_REASON: &str = "this platform has no specialty processors to offload work to";

/// What the documents measured that this platform has not.
pub fn not_applicable() -> Vec<NotApplicable> {
    let all = published();
    let reason = |about: &str| REASONS.iter().find(|(word, _)| *word == about).map_or(OTHER_REASON, |(_, text)| text);
    let statements = all.statements.iter().filter(|statement| !statement.comparable_here);
    let statements = statements.map(|statement| NotApplicable {
        document: all.document_title(&statement.document).to_owned(),
        text: statement.text.clone(),
        printed: statement.printed.text(),
        reason: reason(&statement.experiment).to_owned(),
    });
    let charts = all.charts_without_numbers.iter();
    let charts = charts.filter(|chart| REASONS.iter().any(|(word, _)| *word == chart.experiment));
    let charts = charts.map(|chart| NotApplicable {
        document: all.document_title(&chart.document).to_owned(),
        text: chart.title.clone(),
        printed: crate::outcome::CHART_ONLY.to_owned(),
        reason: reason(&chart.experiment).to_owned(),
    });
    let tables = TABLES_WITHOUT_CONDITIONS.iter().filter_map(|(id, reason)| {
        let table = all.table(id)?;
        let figures: Vec<_> = table.rows.iter().filter_map(|row| row.cells.first()?.printed.as_deref()).collect();
        Some(NotApplicable {
            document: all.document_title(&table.document).to_owned(),
            text: format!("{}: {}", table.pointer, table.note.as_deref().unwrap_or_default()),
            printed: format!("{} figures, from {} on", figures.len(), figures.first()?),
            reason: (*reason).to_owned(),
        })
    });
    statements.chain(charts).chain(tables).collect()
}

#[expect(clippy::disallowed_methods, reason = "how long an experiment took is shown beside it")]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests;
