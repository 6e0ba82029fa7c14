//! What all repetitions of a plan found: the median run, how far the others lay apart, and what it was measured on.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::error::WorkloadError;
use crate::machine::{Machine, Versions};
use crate::plan::{Choices, Plan};
use crate::report::{Judgement, Report};

/// The JSON result. At its top level stands the run whose rate is the median.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    #[serde(flatten)]
    pub report: Report,
    pub spread: Spread,
    pub machine: Machine,
    pub versions: Versions,
    pub seed: u64,
    /// All that was chosen, with the defaults of what was not.
    pub plan: Choices,
    /// Why the repetition behind the last of `repetitions` was not carried out: none is tried after it.
    pub failure: Option<String>,
    /// Every run, in the order of time.
    pub repetitions: Vec<Report>,
}

/// How far repetitions lay apart.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Spread {
    pub transactions_per_second: Figure,
    pub mean_us: Figure,
    pub p99_us: Figure,
    /// By process. A process that ended in some run has the figure of the others.
    pub cpu_ms_per_transaction: BTreeMap<String, Figure>,
    pub cpu_percent: BTreeMap<String, Figure>,
}

/// One figure over all repetitions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Figure {
    pub median: f64,
    pub low: f64,
    pub high: f64,
    /// From low to high, in percent of the median.
    pub spread_percent: f64,
    pub repetitions: usize,
}

/// Carries the plan out as often as it says. Blocks until the end; call it outside of any async runtime.
///
/// # Errors
/// As `run`, of the first repetition; that of a later one is reported with the results of the others.
pub fn repeat(plan: &Plan) -> Result<Outcome, WorkloadError> {
    let mut reports = vec![crate::run(plan)?];
    for _ in 1..plan.repetitions {
        match crate::run(plan) {
            Ok(report) => reports.push(report),
            Err(error) => return Ok(Outcome::of(plan, reports, Some(model::causes::chain(&error)))),
        }
    }
    Ok(Outcome::of(plan, reports, None))
}

impl Outcome {
    /// # Panics
    /// Without a report: a plan is carried out once at least.
    fn of(plan: &Plan, reports: Vec<Report>, failure: Option<String>) -> Self {
        let mut by_rate: Vec<&Report> = reports.iter().collect();
        by_rate.sort_by(|a, b| a.transactions_per_second.total_cmp(&b.transactions_per_second));
        let report = by_rate[by_rate.len() / 2].clone();
        Self {
            report,
            spread: Spread::of(&reports),
            machine: Machine::read(),
            versions: Versions::read(),
            seed: plan.seed,
            plan: plan.choices.clone(),
            failure,
            repetitions: reports,
        }
    }

    /// The worst of all repetitions.
    pub fn judgement(&self) -> Judgement {
        self.repetitions.iter().map(|report| report.judgement).max().unwrap_or(Judgement::NothingDone)
    }

    /// Whether all repetitions were carried out, and none is to be complained of.
    pub fn is_well(&self) -> bool {
        self.failure.is_none() && self.judgement() == Judgement::Clean
    }

    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("an outcome has only string keys and finite numbers")
    }
}

impl Spread {
    pub fn of(reports: &[Report]) -> Self {
        let figure = |value: fn(&Report) -> f64| Figure::of(reports.iter().map(value).collect());
        let mut costs: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        let mut shares: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for process in reports.iter().flat_map(|report| &report.processes) {
            costs.entry(process.name.clone()).or_default().extend(process.cpu_ms_per_transaction);
            shares.entry(process.name.clone()).or_default().push(process.cpu_percent);
        }
        let figures = |all: BTreeMap<String, Vec<f64>>| {
            all.into_iter().map(|(name, values)| (name, Figure::of(values))).collect()
        };
        Self {
            transactions_per_second: figure(|report| report.transactions_per_second),
            mean_us: figure(|report| report.response_time.mean_us),
            p99_us: figure(|report| report.response_time.p99_us),
            cpu_ms_per_transaction: figures(costs),
            cpu_percent: figures(shares),
        }
    }
}

impl Figure {
    /// All zero of no values.
    pub fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let (Some(&low), Some(&high)) = (values.first(), values.last()) else { return Self::default() };
        let half = values.len() / 2;
        let median = if values.len() % 2 == 1 { values[half] } else { f64::midpoint(values[half - 1], values[half]) };
        let spread_percent = if median == 0.0 { 0.0 } else { (high - low) / median * 100.0 };
        Self { median, low, high, spread_percent, repetitions: values.len() }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.report)?;
        if self.repetitions.len() > 1 {
            writeln!(f, "\n  {} repetitions, of which this is the median; from low to high:", self.repetitions.len())?;
            let errors: u64 = self.repetitions.iter().map(|report| report.errors).sum();
            let not_clean = self.repetitions.iter().filter(|report| report.judgement != Judgement::Clean).count();
            writeln!(f, "  of all            errors {errors}   verdicts that are not clean {not_clean}")?;
            let line = |name: &str, unit: &str, figure: &Figure| {
                let Figure { low, high, spread_percent, .. } = figure;
                format!("  {name:<17} {low:.4} to {high:.4} {unit} ({spread_percent:.1} %)")
            };
            writeln!(f, "{}", line("rate", "/s", &self.spread.transactions_per_second))?;
            write!(f, "{}", line("mean", "us", &self.spread.mean_us))?;
            for (name, figure) in &self.spread.cpu_ms_per_transaction {
                write!(f, "\n{}", line(&format!("cpu {name}"), "ms a transaction", figure))?;
            }
        }
        if let Some(failure) = &self.failure {
            write!(f, "\n  failed            repetition {}: {failure}", self.repetitions.len() + 1)?;
        }
        let Machine { cpu, processors, memory_bytes, kernel, .. } = &self.machine;
        let gibibytes = memory_bytes >> 30;
        write!(f, "\n  machine           {processors} x {cpu}, {gibibytes} GiB, Linux {kernel}")?;
        write!(f, "\n  driver            {} ({}), seed {}", self.versions.driver, self.versions.build, self.seed)
    }
}

#[cfg(test)]
mod tests;
