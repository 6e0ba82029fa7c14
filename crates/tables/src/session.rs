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

/// What the repetitions of one point found.
#[derive(Debug, Clone)]
pub struct Samples<R = Run> {
    pub name: String,
    /// What makes the same run, where a command does.
    pub command: Option<String>,
    pub runs: Vec<R>,
    /// Why there are no more of them.
    pub failure: Option<String>,
}

/// What one repetition of a point found.
pub trait Repetition {
    /// The run of the load driver, where it was a load.
    fn load(&self) -> Option<&Run>;

    fn report(&self) -> Option<&Report> {
        self.load().map(|run| &run.report)
    }
}

impl Repetition for Run {
    fn load(&self) -> Option<&Run> {
        Some(self)
    }
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
        self.measure_with(loads, part, |_, run| run())
    }

    /// The same, with something around each run: `around` gets the load's place and what runs it once.
    pub fn measure_with<R: Repetition>(
        &mut self,
        loads: &[Load],
        part: f64,
        mut around: impl FnMut(usize, &mut dyn FnMut() -> Result<Run, TablesError>) -> Result<R, TablesError>,
    ) -> Vec<Samples<R>> {
        let (time, warmup) = (self.effort.length(loads.len(), part), self.effort.warmup());
        let choices: Vec<_> = loads.iter().map(|load| load.settled(self.effort.quick, time, warmup)).collect();
        let points = loads
            .iter()
            .zip(&choices)
            .map(|(load, choices)| Samples { command: Some(load.command(choices)), ..Samples::new(load.name.clone()) });
        let all = self.rounds(
            points.collect(),
            part,
            |place, found: &R| found.load().and_then(loads[place].main),
            |place| around(place, &mut || loads[place].run(choices[place].clone())),
        );
        self.loads += all.len();
        for samples in &all {
            let limit = samples.runs.iter().find_map(|run| run.report()?.client_limit.clone());
            self.limited.extend(limit.map(|limit| (samples.name.clone(), limit)));
        }
        all
    }

    /// Repeats points in rounds, whatever they are: `run` does one once, `main` is the figure whose spread is to be small.
    pub fn rounds<R: Repetition>(
        &mut self,
        mut all: Vec<Samples<R>>,
        part: f64,
        main: impl Fn(usize, &R) -> Option<f64>,
        mut run: impl FnMut(usize) -> Result<R, TablesError>,
    ) -> Vec<Samples<R>> {
        self.bar.inc_length((all.len() * self.effort.most_rounds()) as u64);
        let begin = now();
        let mut rounds = 0;
        let has_time = |rounds| self.effort.has_time(rounds, begin.elapsed(), part);
        while !self.effort.is_enough(rounds, has_time(rounds), spreads(&all, &main)) {
            for place in repeat::order(rounds, all.len()) {
                self.tell(all[place].name.clone());
                all[place].add(|| run(place));
                self.bar.inc(1);
            }
            rounds += 1;
        }
        all
    }
}

/// Of the points that work.
fn spreads<R: Repetition>(all: &[Samples<R>], main: impl Fn(usize, &R) -> Option<f64>) -> Vec<Option<f64>> {
    let working = all.iter().enumerate().filter(|(_, samples)| samples.failure.is_none());
    let spread = |(place, samples): (usize, &Samples<R>)| samples.measured(|run| main(place, run))?.spread_percent();
    working.map(spread).collect()
}

#[expect(clippy::disallowed_methods, reason = "how long rounds take decides how many there are")]
fn now() -> Instant {
    Instant::now()
}

impl<R: Repetition> Samples<R> {
    /// A point that is still to be run.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), command: None, runs: Vec::new(), failure: None }
    }

    fn add(&mut self, run: impl FnOnce() -> Result<R, TablesError>) {
        if self.failure.is_some() {
            return;
        }
        match run() {
            Ok(run) => match run.report().filter(|report| report.transactions == 0) {
                Some(report) => {
                    let error = report.first_error.clone();
                    self.failure = Some(error.unwrap_or_else(|| "no transaction was completed".to_owned()));
                }
                None => self.runs.push(run),
            },
            Err(error) => self.failure = Some(error.chain()),
        }
    }

    /// A figure of each repetition, and their median.
    pub fn measured(&self, figure: impl Fn(&R) -> Option<f64>) -> Option<Measured> {
        let values: Vec<f64> = self.runs.iter().filter_map(figure).collect();
        Measured::of(&values)
    }

    /// The same as a cell, with the reason where there is none, and a note where requests failed.
    pub fn cell(&self, figure: impl Fn(&R) -> Option<f64>) -> Cell {
        let cell = match (self.measured(figure), &self.failure) {
            (Some(measured), _) => Cell::measured(Some(measured)),
            (None, Some(failure)) => Cell::missing(failure.clone()),
            (None, None) => Cell::measured(None),
        };
        self.told(made_by(cell, self.command.as_deref()))
    }

    /// A figure made of this load's repetition and another's of the same round.
    pub fn cell_with(&self, other: &Self, figure: impl Fn(&R, &R) -> Option<f64>) -> Cell {
        let values: Vec<f64> = self.runs.iter().zip(&other.runs).filter_map(|(a, b)| figure(a, b)).collect();
        let cell = match (Measured::of(&values), self.failure.as_ref().or(other.failure.as_ref())) {
            (None, Some(failure)) => Cell::missing(failure.clone()),
            (measured, _) => Cell::measured(measured),
        };
        match (&self.command, &other.command) {
            (Some(own), Some(others)) if own != others => cell.made_by(&format!("{own}\n{others}")),
            (own, others) => made_by(cell, own.as_deref().or(others.as_deref())),
        }
    }

    fn told(&self, cell: Cell) -> Cell {
        self.troubles().into_iter().fold(cell, Cell::noting)
    }

    /// What a reader has to know of these runs before believing their figures.
    fn troubles(&self) -> Vec<String> {
        let sum = |count: fn(&Report) -> u64| self.runs.iter().filter_map(R::report).map(count).sum::<u64>();
        let first = || self.runs.iter().find_map(|run| run.report()?.first_error.clone()).unwrap_or_default();
        let mut all = Vec::new();
        match sum(|report| report.errors) {
            0 => {}
            errors => all.push(format!("{errors} failed: {}", first())),
        }
        match sum(|report| report.empty) {
            0 => {}
            empty => all.push(format!("{empty} found no message in time")),
        }
        if self.runs.iter().filter_map(R::report).any(|report| report.judgement == Judgement::Broken) {
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

fn made_by(cell: Cell, command: Option<&str>) -> Cell {
    match command {
        Some(command) => cell.made_by(command),
        None => cell,
    }
}
