//! What a run found, as text for people and JSON for programs.

use std::fmt;

use serde::Serialize;

use crate::ledger::Verdict;
use crate::measure::ResponseTimeSummary;

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
    /// Of one transaction, think time left out.
    pub response_time: ResponseTimeSummary,
    /// Transactions that failed while measuring.
    pub errors: u64,
    /// The first error of the whole run.
    pub first_error: Option<String>,
    /// Gets and browses that found nothing while measuring.
    pub empty: u64,
    pub processes: Vec<ProcessReport>,
    pub verdict: Verdict,
}

/// Processor time of one process while measuring.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProcessReport {
    pub name: String,
    pub pid: u32,
    pub threads: u64,
    pub cpu_ms: f64,
    /// `None` when no transaction was completed.
    pub cpu_ms_per_transaction: Option<f64>,
}

impl Report {
    /// Nothing lost, doubled or damaged. Failed requests are reported but are no such breach.
    pub fn is_clean(&self) -> bool {
        self.verdict.is_clean()
    }

    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a report has only string keys and finite numbers")
    }

    /// Processor time of the named process in microseconds a transaction.
    pub fn cpu_us_per_transaction(&self, name: &str) -> Option<f64> {
        self.processes.iter().find(|process| process.name == name)?.cpu_ms_per_transaction.map(|ms| ms * 1e3)
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
        let times = &self.response_time;
        writeln!(
            f,
            "  response time ms  mean {:.3}  p50 {:.3}  p90 {:.3}  p99 {:.3}  max {:.3}",
            times.mean_us / 1e3,
            times.p50_us / 1e3,
            times.p90_us / 1e3,
            times.p99_us / 1e3,
            times.max_us / 1e3
        )?;
        writeln!(f, "  errors            {}   found nothing {}", self.errors, self.empty)?;
        if let Some(error) = &self.first_error {
            writeln!(f, "  first error       {error}")?;
        }
        for process in &self.processes {
            write!(f, "  cpu {:<13} {:.0} ms", process.name, process.cpu_ms)?;
            if let Some(each) = process.cpu_ms_per_transaction {
                write!(f, ", {each:.4} ms a transaction")?;
            }
            writeln!(f, ", {} threads", process.threads)?;
        }
        display_verdict(&self.verdict, f)
    }
}

fn display_verdict(verdict: &Verdict, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(
        f,
        "  puts              answered {}  refused {}  unanswered {} (of these found {})",
        verdict.answered_puts, verdict.refused_puts, verdict.unknown_puts, verdict.unknown_puts_found
    )?;
    writeln!(f, "  gets              answered {}  unanswered {}", verdict.got, verdict.unknown_gets)?;
    let lost = verdict.lost.map_or_else(|| "not examined".to_owned(), |lost| lost.to_string());
    write!(
        f,
        "  ledger            lost {lost}  seen twice {}  damaged {}  refused but found {}  foreign {}",
        verdict.duplicated, verdict.damaged, verdict.refused_but_found, verdict.foreign
    )
}
