//! Measuring: response times, and the processor time of processes as the kernel counts it.
//!
//! This file owns the driver's clock.

use std::io;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use serde::Serialize;

/// Longest response time told apart from longer ones, in nanoseconds: ten minutes.
const LONGEST_NS: u64 = 600_000_000_000;
/// Entry of the auxiliary vector that holds clock ticks per second.
const AT_CLKTCK: u64 = 17;

#[expect(clippy::disallowed_methods, reason = "the one owner of the driver's clock")]
pub fn now() -> Instant {
    Instant::now()
}

/// Response times with three significant digits.
#[derive(Debug, Clone)]
pub struct ResponseTimes(Histogram<u32>);

/// Response times in microseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct ResponseTimeSummary {
    pub mean_us: f64,
    pub p50_us: f64,
    pub p90_us: f64,
    pub p99_us: f64,
    pub max_us: f64,
}

impl Default for ResponseTimes {
    fn default() -> Self {
        Self::new()
    }
}

impl ResponseTimes {
    pub fn new() -> Self {
        Self(Histogram::new_with_bounds(1_000, LONGEST_NS, 3).expect("the bounds are in order and the digits few"))
    }

    pub fn record(&mut self, elapsed: Duration) {
        self.0.saturating_record(u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX));
    }

    pub fn add(&mut self, other: &Self) {
        self.0.add(&other.0).expect("both have the same bounds");
    }

    pub fn count(&self) -> u64 {
        self.0.len()
    }

    #[expect(clippy::cast_precision_loss, reason = "response times stay far below 2^53 ns")]
    pub fn summary(&self) -> ResponseTimeSummary {
        if self.0.is_empty() {
            return ResponseTimeSummary::default();
        }
        let at = |quantile| self.0.value_at_quantile(quantile) as f64 / 1e3;
        ResponseTimeSummary {
            mean_us: self.0.mean() / 1e3,
            p50_us: at(0.50),
            p90_us: at(0.90),
            p99_us: at(0.99),
            max_us: self.0.max() as f64 / 1e3,
        }
    }
}

/// A process to watch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    pub name: String,
    pub pid: u32,
    /// Also what its ended and waited-for children used.
    pub with_children: bool,
}

/// Processor time used so far, and threads now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessorTime {
    pub used: Duration,
    pub threads: u64,
}

/// Reads `/proc/PID/stat`: user plus system time of all threads, ended ones included; to the nanosecond where no thread has
/// ended.
///
/// # Errors
/// The process is gone, or this is not Linux.
pub fn processor_time(pid: u32, with_children: bool) -> io::Result<ProcessorTime> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let per_second = ticks_per_second();
    let mut time = parse_stat(&stat, with_children, per_second).ok_or(io::ErrorKind::InvalidData)?;
    if !with_children && let Ok(run) = run_time(pid) {
        time.used = finer(time.used, run, Duration::from_micros(1_000_000 / per_second.max(1)));
    }
    Ok(time)
}

/// What the threads of all these processes have run so far, by the scheduler's count in nanoseconds: many processes that do
/// little each are lost in the clock ticks of `processor_time`. One that is gone counts for nothing.
pub fn run_time_of_all(pids: &[u32]) -> Duration {
    pids.iter().filter_map(|pid| run_time(*pid).ok()).sum()
}

/// The sum over the threads that live now.
fn run_time(pid: u32) -> io::Result<Duration> {
    let mut run = Duration::ZERO;
    for thread in std::fs::read_dir(format!("/proc/{pid}/task"))? {
        let text = std::fs::read_to_string(thread?.path().join("schedstat"))?;
        let nanoseconds = text.split_ascii_whitespace().next().and_then(|number| number.parse().ok());
        run += Duration::from_nanos(nanoseconds.unwrap_or_default());
    }
    Ok(run)
}

/// The scheduler's count where it agrees with that of clock ticks to a few of them: no thread has ended then.
fn finer(ticks: Duration, run: Duration, tick: Duration) -> Duration {
    let (low, high) = (ticks.saturating_sub(tick), ticks + tick * 3);
    if (low..=high).contains(&run) { run } else { ticks }
}

/// Fields 14 to 17 and 20 of `/proc/PID/stat`, counted from 1. Field 2, the name, may hold blanks and parentheses.
fn parse_stat(stat: &str, with_children: bool, ticks_per_second: u64) -> Option<ProcessorTime> {
    let after_name = &stat[stat.rfind(')')? + 1..];
    let fields: Vec<&str> = after_name.split_ascii_whitespace().collect();
    let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
    let mut ticks = field(14)? + field(15)?;
    if with_children {
        ticks += field(16)? + field(17)?;
    }
    let used = Duration::from_micros(ticks.saturating_mul(1_000_000) / ticks_per_second.max(1));
    Some(ProcessorTime { used, threads: field(20)? })
}

/// Clock ticks per second, from the auxiliary vector; 100 where that cannot be read.
fn ticks_per_second() -> u64 {
    let Ok(vector) = std::fs::read("/proc/self/auxv") else { return 100 };
    let (words, _) = vector.as_chunks::<8>();
    let (entries, _) = words.as_chunks::<2>();
    entries
        .iter()
        .map(|entry| entry.map(u64::from_ne_bytes))
        .find_map(|[kind, value]| (kind == AT_CLKTCK).then_some(value))
        .unwrap_or(100)
}

#[cfg(test)]
mod tests;
