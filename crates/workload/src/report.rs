//! What one run found, as text for people and JSON for programs.

use std::fmt;

use serde::Serialize;

use crate::ledger::Verdict;
use crate::measure::{Bucket, ResponseTimeSummary};

/// One run. Rates and processor time cover the measured time only, the verdict everything.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    pub scenario: &'static str,
    pub clients: u32,
    /// Bytes of a put's body.
    pub request_size: usize,
    /// Measured time.
    pub seconds: f64,
    pub transactions: u64,
    pub transactions_per_second: f64,
    /// Of one transaction, think time left out; in a run with a rate from when it was due.
    pub response_time: ResponseTimeSummary,
    /// The distribution of response times.
    pub percentiles: Vec<Bucket>,
    /// Transactions that failed while measuring.
    pub errors: u64,
    /// The first error of the whole run.
    pub first_error: Option<String>,
    /// Gets and browses that found nothing while measuring.
    pub empty: u64,
    /// Bytes of content in the answers to the transactions that went well.
    pub received_bytes: u64,
    pub received_bytes_per_transaction: f64,
    /// Transactions a second that were to begin, in a run with a rate.
    pub rate: Option<f64>,
    /// Of these, how many had not begun at the end.
    pub not_begun: Option<u64>,
    pub warm_up: WarmUpReport,
    pub processes: Vec<ProcessReport>,
    /// Of all processors of the machine, by all processes.
    pub machine_busy_percent: Option<f64>,
    /// Why the client limited the rate, when it did.
    pub client_limit: Option<String>,
    pub verdict: Verdict,
    pub judgement: Judgement,
}

/// What the verdict comes to, from good to bad.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Judgement {
    /// Nothing lost, doubled, damaged or misdelivered, as far as the scenario was to look.
    Clean,
    /// No transaction was completed while measuring: there is nothing to judge by.
    NothingDone,
    /// What was left could not be looked for, most likely because the server is gone.
    NotExamined,
    /// Something was lost, doubled, damaged or misdelivered.
    Broken,
}

/// What came before measuring.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct WarmUpReport {
    pub seconds: f64,
    /// `None` where clients are processes, which count by themselves.
    pub transactions: Option<u64>,
    /// Whether the rate became steady, where that was wanted.
    pub is_steady: Option<bool>,
}

/// Processor time of one process, or a part of it, while measuring.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProcessReport {
    pub name: String,
    pub pid: u32,
    /// What is counted, in words.
    pub counts: String,
    pub threads: u64,
    /// User and system time.
    pub cpu_ms: f64,
    /// The part of it outside the kernel.
    pub user_ms: f64,
    /// Of one processor: 100 for each that is busy all the time.
    pub cpu_percent: f64,
    /// `None` when no transaction was completed, or the process ended.
    pub cpu_ms_per_transaction: Option<f64>,
    /// It ended before the end; its time is what was seen last.
    pub ended: bool,
}

impl Report {
    /// Nothing lost, doubled, damaged or misdelivered. Failed requests are reported but are no such breach.
    pub fn is_clean(&self) -> bool {
        self.verdict.is_clean()
    }

    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a report has only string keys and finite numbers")
    }

    pub fn process(&self, name: &str) -> Option<&ProcessReport> {
        self.processes.iter().find(|process| process.name == name)
    }

    /// Processor time of the named process in microseconds a transaction.
    pub fn cpu_us_per_transaction(&self, name: &str) -> Option<f64> {
        self.process(name)?.cpu_ms_per_transaction.map(|ms| ms * 1e3)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: {} clients, {} bytes, {:.1} s measured",
            self.scenario, self.clients, self.request_size, self.seconds
        )?;
        writeln!(f, "  transactions      {} ({:.1} /s)", self.transactions, self.transactions_per_second)?;
        if let (Some(rate), Some(not_begun)) = (self.rate, self.not_begun) {
            writeln!(f, "  to begin          {rate:.1} /s   not begun {not_begun}")?;
        }
        let times = &self.response_time;
        writeln!(
            f,
            "  response time ms  mean {:.3}  p50 {:.3}  p90 {:.3}  p95 {:.3}  p99 {:.3}  p99.9 {:.3}  max {:.3}",
            times.mean_us / 1e3,
            times.p50_us / 1e3,
            times.p90_us / 1e3,
            times.p95_us / 1e3,
            times.p99_us / 1e3,
            times.p999_us / 1e3,
            times.max_us / 1e3
        )?;
        writeln!(f, "  errors            {}   found nothing {}", self.errors, self.empty)?;
        if let Some(error) = &self.first_error {
            writeln!(f, "  first error       {error}")?;
        }
        writeln!(f, "  received          {:.0} bytes a transaction", self.received_bytes_per_transaction)?;
        if self.warm_up.is_steady == Some(false) {
            writeln!(f, "  warm-up           not steady after {:.0} s", self.warm_up.seconds)?;
        }
        self.processes.iter().try_for_each(|process| display_process(process, f))?;
        if let Some(busy) = self.machine_busy_percent {
            writeln!(f, "  all processors    {busy:.0} % busy")?;
        }
        if let Some(limit) = &self.client_limit {
            writeln!(f, "  client limited    {limit}")?;
        }
        display_verdict(&self.verdict, self.judgement, f)
    }
}

fn display_process(process: &ProcessReport, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "  cpu {:<13} {:.0} ms, {:.1} %", process.name, process.cpu_ms, process.cpu_percent)?;
    if let Some(each) = process.cpu_ms_per_transaction {
        write!(f, ", {each:.4} ms a transaction")?;
    }
    let ended = if process.ended { ", ended" } else { "" };
    writeln!(f, ", {} threads ({}{ended})", process.threads, process.counts)
}

fn display_verdict(verdict: &Verdict, judgement: Judgement, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(
        f,
        "  puts              answered {}  refused {}  unanswered {} (of these found {})",
        verdict.answered_puts, verdict.refused_puts, verdict.unknown_puts, verdict.unknown_puts_found
    )?;
    writeln!(f, "  gets              answered {}  unanswered {}", verdict.got, verdict.unknown_gets)?;
    let lost = verdict.lost.map_or_else(|| "not examined".to_owned(), |lost| lost.to_string());
    writeln!(
        f,
        "  ledger            lost {lost}  left {}  seen twice {}  damaged {}  misdelivered {}  refused but found {}  \
         foreign {}",
        verdict.left,
        verdict.duplicated,
        verdict.damaged,
        verdict.misdelivered,
        verdict.refused_but_found,
        verdict.foreign
    )?;
    f.write_str(match judgement {
        Judgement::Clean => "  verdict           clean",
        Judgement::NothingDone => "  verdict           none: no transaction was completed",
        Judgement::NotExamined => "  verdict           none: what was left could not be looked for",
        Judgement::Broken => "  verdict           broken",
    })
}
