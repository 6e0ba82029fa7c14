//! What the experiments found: tables of published and measured figures side by side, and charts. Serialises to the JSON
//! result; renderers read it and add nothing.
//!
//! Invariants
//! - A figure that is not there says why: `state` and `reason`.
//! - Medians, lowest and highest come from repetitions of the same run; a ratio is measured over published, in one unit.

use serde::Serialize;

use crate::machine::Machine;
use crate::published::{PublishedCell, PublishedTable, Statement, published};

/// Version of the JSON form.
pub const FORMAT: u32 = 1;

/// One invocation of `tables run`.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    pub format: u32,
    pub about: String,
    pub made: Made,
    pub experiments: Vec<ExperimentOutcome>,
    /// Names of those that were asked for and are still to be run: none at the end.
    pub outstanding: Vec<String>,
    /// What the documents measured and no machine here can.
    pub not_applicable: Vec<NotApplicable>,
}

/// When, on what and how.
#[derive(Debug, Clone, Serialize)]
pub struct Made {
    /// UTC.
    pub at: String,
    pub command: String,
    pub version: String,
    /// How often points were repeated.
    pub effort: String,
    pub quick: bool,
    pub seconds: f64,
    pub machine: Machine,
}

#[derive(Debug, Clone, Serialize)]
pub struct ExperimentOutcome {
    pub letter: char,
    pub name: String,
    pub title: String,
    /// What was run, in sentences.
    pub about: Vec<String>,
    pub seconds: f64,
    pub tables: Vec<Table>,
    pub charts: Vec<Chart>,
    pub notes: Vec<String>,
    /// Why it did not finish.
    pub failed: Option<String>,
}

#[derive(Debug, Clone, Default, Serialize)]
pub struct Table {
    pub id: String,
    pub title: String,
    /// Document and place of the published figures; none for tables that are ours alone.
    pub source: Option<String>,
    /// What the columns stand for.
    pub column_meaning: Option<String>,
    pub columns: Vec<String>,
    pub rows: Vec<Row>,
    /// What the published figures count.
    pub published_counts: Option<String>,
    pub caveats: Vec<String>,
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, Default, Serialize)]
pub struct Row {
    pub name: String,
    pub unit: String,
    /// One a column of the table.
    pub cells: Vec<Cell>,
    pub note: Option<String>,
}

#[derive(Debug, Clone, Default, Serialize)]
pub struct Cell {
    pub published: Option<Printed>,
    pub state: State,
    /// Why there is no measured figure.
    pub reason: Option<String>,
    pub measured: Option<Measured>,
    /// Measured over published.
    pub ratio: Option<f64>,
    /// Processes whose time is counted.
    pub counts: Vec<String>,
    /// What makes the same run; a line for each of two that a figure compares.
    pub command: Option<String>,
    pub note: Option<String>,
}

/// A published figure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Printed {
    /// As the document has it, or `chart only`.
    pub text: String,
    /// In the unit of the row; `None` for words, ranges and pictures.
    pub value: Option<f64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    Measured,
    /// The original measures something that this platform has not.
    NotApplicable,
    /// There is a figure to be had, and this run has not got it.
    #[default]
    NotMeasured,
}

/// A figure over its repetitions, in the unit of its row.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Measured {
    pub median: f64,
    pub low: f64,
    pub high: f64,
    pub repetitions: usize,
}

/// A statement or table that is not measured here.
#[derive(Debug, Clone, Serialize)]
pub struct NotApplicable {
    pub document: String,
    pub text: String,
    pub printed: String,
    pub reason: String,
}

/// A picture of figures.
#[derive(Debug, Clone, Serialize)]
pub struct Chart {
    pub id: String,
    pub title: String,
    pub kind: ChartKind,
    pub x: Axis,
    pub y: Axis,
    pub series: Vec<Series>,
    /// What a reader has to know: that the published chart has no numbers, say.
    pub note: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChartKind {
    /// Points joined by lines, over the numbers on the x axis.
    Lines,
    /// A row for each name; dots along the x axis, which has the unit.
    Dots,
}

#[derive(Debug, Clone, Serialize)]
pub struct Axis {
    pub label: String,
    pub logarithmic: bool,
}

#[derive(Debug, Clone, Serialize)]
pub struct Series {
    pub name: String,
    /// Colour and mark: 0 for what was published alone, and the same number for what was published and its measured
    /// counterpart, from 1.
    pub hue: usize,
    pub origin: Origin,
    pub points: Vec<Point>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    Published,
    Measured,
}

#[derive(Debug, Clone, Serialize)]
pub struct Point {
    /// Where on the axis of names or numbers.
    pub at: Place,
    pub value: f64,
    /// Lowest and highest of the repetitions.
    pub range: Option<(f64, f64)>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Place {
    Number(f64),
    Name(String),
}

impl Measured {
    /// `None` without a finite value.
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut values: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        let (low, high) = (*values.first()?, *values.last()?);
        let middle = values.len() / 2;
        let median = match values.len() % 2 {
            1 => values[middle],
            _ => f64::midpoint(values[middle - 1], values[middle]),
        };
        Some(Self { median, low, high, repetitions: values.len() })
    }

    /// What lies between lowest and highest, in percent of the median; `None` for a median of 0 or one repetition.
    pub fn spread_percent(&self) -> Option<f64> {
        (self.repetitions > 1 && self.median != 0.0).then(|| (self.high - self.low) / self.median.abs() * 100.0)
    }
}

impl Printed {
    pub fn of(cell: &PublishedCell) -> Self {
        let text = cell.printed.clone().unwrap_or_else(|| CHART_ONLY.to_owned());
        Self { text, value: cell.value }
    }

    pub fn chart_only() -> Self {
        Self { text: CHART_ONLY.to_owned(), value: None }
    }

    pub fn of_statement(statement: &Statement) -> Self {
        Self { text: statement.printed.text(), value: statement.value }
    }
}

/// What stands where the document has a picture and no number.
pub const CHART_ONLY: &str = "chart only";

impl Cell {
    pub fn measured(measured: Option<Measured>) -> Self {
        match measured {
            Some(measured) => Self { state: State::Measured, measured: Some(measured), ..Self::default() },
            None => Self::missing("no transaction was completed"),
        }
    }

    pub fn not_applicable(reason: impl Into<String>) -> Self {
        Self { state: State::NotApplicable, reason: Some(reason.into()), ..Self::default() }
    }

    pub fn missing(reason: impl Into<String>) -> Self {
        Self { state: State::NotMeasured, reason: Some(reason.into()), ..Self::default() }
    }

    /// Sets it beside a published figure of the same unit.
    #[must_use]
    pub fn beside(mut self, printed: Printed) -> Self {
        let over = |value: f64| (value != 0.0).then(|| self.measured.map(|measured| measured.median / value)).flatten();
        self.ratio = printed.value.and_then(over);
        self.published = Some(printed);
        self
    }

    #[must_use]
    pub fn counting(mut self, counts: &[&str]) -> Self {
        self.counts = counts.iter().map(|&name| name.to_owned()).collect();
        self
    }

    #[must_use]
    pub fn made_by(mut self, command: &str) -> Self {
        self.command = Some(command.to_owned());
        self
    }

    /// Beside what is noted already.
    #[must_use]
    pub fn noting(mut self, note: impl Into<String>) -> Self {
        let note = note.into();
        self.note = Some(match self.note.take() {
            Some(before) => format!("{before}; {note}"),
            None => note,
        });
        self
    }
}

impl Table {
    /// A table with the head and the caveats of a published one, and no rows yet.
    pub fn like(table: &PublishedTable, title: &str) -> Self {
        Self {
            id: table.id.clone(),
            title: title.to_owned(),
            source: Some(format!("{}, {}", published().document_title(&table.document), table.pointer)),
            column_meaning: table.column_meaning.clone(),
            columns: table.columns.clone(),
            rows: Vec::new(),
            published_counts: table.counted_in.clone(),
            caveats: table.note.iter().chain(&table.caveats).cloned().collect(),
            notes: Vec::new(),
        }
    }

    /// A table that no document has.
    pub fn ours(id: &str, title: &str, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|&column| column.to_owned()).collect();
        Self { id: id.to_owned(), title: title.to_owned(), columns, ..Self::default() }
    }
}

impl Row {
    pub fn new(name: impl Into<String>, unit: impl Into<String>, cells: Vec<Cell>) -> Self {
        Self { name: name.into(), unit: unit.into(), cells, note: None }
    }

    #[must_use]
    pub fn noting(mut self, note: Option<String>) -> Self {
        self.note = note;
        self
    }
}

impl Point {
    pub fn new(at: Place, measured: &Measured) -> Self {
        Self { at, value: measured.median, range: Some((measured.low, measured.high)) }
    }

    pub fn published(at: Place, value: f64) -> Self {
        Self { at, value, range: None }
    }
}

impl Axis {
    pub fn linear(label: &str) -> Self {
        Self { label: label.to_owned(), logarithmic: false }
    }

    pub fn logarithmic(label: &str) -> Self {
        Self { label: label.to_owned(), logarithmic: true }
    }
}

impl Outcome {
    /// Adds an experiment that was outstanding. `seconds` is how long the run has taken until now.
    pub fn add(&mut self, experiment: ExperimentOutcome, seconds: f64) {
        self.outstanding.retain(|name| *name != experiment.name);
        self.experiments.push(experiment);
        self.made.seconds = seconds;
    }

    /// True when every experiment came to its end.
    pub fn is_complete(&self) -> bool {
        self.experiments.iter().all(|experiment| experiment.failed.is_none())
    }

    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("an outcome has only string keys and finite numbers")
    }
}

#[cfg(test)]
mod tests;
