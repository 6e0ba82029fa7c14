//! One invocation's means: the setting, the effort, the progress bar, and loads repeated in rounds.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use workload::Report;
use workload::report::Judgement;

use crate::drive::{Load, Run};
use crate::error::TablesError;
use crate::outcome::{Cell, Measured};
use crate::repeat::{self, Effort};
use crate::setting::Setting;

pub struct Session {
    setting: Setting,
    effort: Effort,
    bar: ProgressBar,
    /// Loads whose rate the driver limited, and why; how many there were in all.
    limited: Vec<(String, String)>,
    loads: usize,
}

/// What the repetitions of one load found.
#[derive(Debug, Clone)]
pub struct Samples {
    pub name: String,
    /// What makes the same run.
    pub command: String,
    pub runs: Vec<Run>,
    /// Why there are no more of them.
    pub failure: Option<String>,
}

impl Session {
    pub fn new(setting: Setting, effort: Effort) -> Self {
        let bar = ProgressBar::new(0);
        if let Ok(style) = ProgressStyle::with_template("{prefix} {wide_bar} {pos}/{len} {msg}") {
            bar.set_style(style);
        }
        Self { setting, effort, bar, limited: Vec::new(), loads: 0 }
    }

    pub fn setting(&self) -> &Setting {
        &self.setting
    }

    pub fn effort(&self) -> Effort {
        self.effort
    }

    pub fn is_quick(&self) -> bool {
        self.effort.quick
    }

    /// Gives an experiment its time and its name on the progress bar.
    pub(crate) fn begin(&mut self, name: &str, budget: Duration) {
        self.effort.budget = budget;
        self.bar.reset();
        self.bar.set_length(0);
        self.bar.set_prefix(name.to_owned());
    }

    pub(crate) fn end(&self) {
        self.bar.finish_and_clear();
    }

    /// Where the driver was what limited the rate, since this was asked last.
    pub(crate) fn take_limits(&mut self) -> Option<String> {
        let (limited, loads) = (std::mem::take(&mut self.limited), std::mem::take(&mut self.loads));
        let (_, reason) = limited.first()?;
        let names: Vec<&str> = limited.iter().map(|(name, _)| name.as_str()).collect();
        Some(format!(
            "The load driver, and not the server, limited rate and round trip in {} of {loads} loads ({reason}); costs \
             count the server alone. They are: {}.",
            limited.len(),
            names.join("; ")
        ))
    }

    /// Says what is being done, on a terminal.
    pub fn tell(&self, what: impl Into<String>) {
        self.bar.set_message(what.into());
        self.bar.tick();
    }

    /// Repeats all loads in rounds. `part` of the experiment's time is theirs, from 0 to 1.
    ///
    /// A load that fails, or completes nothing, is not tried again; the others go on.
    pub fn measure(&mut self, loads: &[Load], part: f64) -> Vec<Samples> {
        let (time, warmup) = (self.effort.length(loads.len(), part), self.effort.warmup());
        let choices: Vec<_> = loads.iter().map(|load| load.settled(self.effort.quick, time, warmup)).collect();
        let mut all: Vec<Samples> = loads
            .iter()
            .zip(&choices)
            .map(|(load, choices)| Samples {
                name: load.name.clone(),
                command: load.command(choices),
                runs: Vec::new(),
                failure: None,
            })
            .collect();
        self.bar.inc_length((loads.len() * self.effort.most_rounds()) as u64);
        let begin = now();
        let mut rounds = 0;
        let has_time = |rounds| self.effort.has_time(rounds, begin.elapsed(), part);
        while !self.effort.is_enough(rounds, has_time(rounds), spreads(loads, &all)) {
            for place in repeat::order(rounds, loads.len()) {
                self.tell(loads[place].name.clone());
                all[place].add(|| loads[place].run(choices[place].clone()));
                self.bar.inc(1);
            }
            rounds += 1;
        }
        self.loads += all.len();
        for samples in &all {
            let limit = samples.runs.iter().find_map(|run| run.report.client_limit.clone());
            self.limited.extend(limit.map(|limit| (samples.name.clone(), limit)));
        }
        all
    }
}

/// Of the loads that work.
fn spreads(loads: &[Load], all: &[Samples]) -> Vec<Option<f64>> {
    let working = loads.iter().zip(all).filter(|(_, samples)| samples.failure.is_none());
    working.map(|(load, samples)| samples.measured(load.main).and_then(|measured| measured.spread_percent())).collect()
}

#[expect(clippy::disallowed_methods, reason = "how long rounds take decides how many there are")]
fn now() -> Instant {
    Instant::now()
}

impl Samples {
    fn add(&mut self, run: impl FnOnce() -> Result<Run, TablesError>) {
        if self.failure.is_some() {
            return;
        }
        match run() {
            Ok(run) if run.report.transactions == 0 => {
                let error = run.report.first_error.clone();
                self.failure = Some(error.unwrap_or_else(|| "no transaction was completed".to_owned()));
            }
            Ok(run) => self.runs.push(run),
            Err(error) => self.failure = Some(error.chain()),
        }
    }

    /// A figure of each repetition, and their median.
    pub fn measured(&self, figure: impl Fn(&Run) -> Option<f64>) -> Option<Measured> {
        let values: Vec<f64> = self.runs.iter().filter_map(figure).collect();
        Measured::of(&values)
    }

    /// The same as a cell, with the reason where there is none, and a note where requests failed.
    pub fn cell(&self, figure: impl Fn(&Run) -> Option<f64>) -> Cell {
        let cell = match (self.measured(figure), &self.failure) {
            (Some(measured), _) => Cell::measured(Some(measured)),
            (None, Some(failure)) => Cell::missing(failure.clone()),
            (None, None) => Cell::measured(None),
        };
        self.told(cell.made_by(&self.command))
    }

    /// A figure made of this load's repetition and another's of the same round.
    pub fn cell_with(&self, other: &Self, figure: impl Fn(&Run, &Run) -> Option<f64>) -> Cell {
        let values: Vec<f64> = self.runs.iter().zip(&other.runs).filter_map(|(a, b)| figure(a, b)).collect();
        let cell = match (Measured::of(&values), self.failure.as_ref().or(other.failure.as_ref())) {
            (None, Some(failure)) => Cell::missing(failure.clone()),
            (measured, _) => Cell::measured(measured),
        };
        match self.command == other.command {
            true => cell.made_by(&self.command),
            false => cell.made_by(&format!("{}\n{}", self.command, other.command)),
        }
    }

    fn told(&self, cell: Cell) -> Cell {
        self.troubles().into_iter().fold(cell, Cell::noting)
    }

    /// What a reader has to know of these runs before believing their figures.
    fn troubles(&self) -> Vec<String> {
        let sum = |count: fn(&Report) -> u64| self.runs.iter().map(|run| count(&run.report)).sum::<u64>();
        let first = || self.runs.iter().find_map(|run| run.report.first_error.clone()).unwrap_or_default();
        let mut all = Vec::new();
        match sum(|report| report.errors) {
            0 => {}
            errors => all.push(format!("{errors} failed: {}", first())),
        }
        match sum(|report| report.empty) {
            0 => {}
            empty => all.push(format!("{empty} found no message in time")),
        }
        if self.runs.iter().any(|run| run.report.judgement == Judgement::Broken) {
            all.push(format!(
                "the ledger is broken: {} lost, {} seen twice, {} damaged, {} misdelivered, {} refused but found",
                sum(|report| report.verdict.lost.unwrap_or_default()),
                sum(|report| report.verdict.duplicated),
                sum(|report| report.verdict.damaged),
                sum(|report| report.verdict.misdelivered),
                sum(|report| report.verdict.refused_but_found)
            ));
        }
        // What failed is told by its own words where nothing else is.
        all.extend(self.failure.clone().filter(|_| all.is_empty()));
        all
    }
}
