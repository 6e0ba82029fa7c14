//! Measuring: the driver's clock, and response times.

use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use serde::Serialize;

pub use crate::processor::{Process, ProcessorTime, processor_time, run_time_of_all};

/// Longest response time told apart from longer ones, in nanoseconds: ten minutes.
const LONGEST_NS: u64 = 600_000_000_000;
/// Percentiles of a result that halve the distance to 100: so many steps for each half.
const STEPS_A_HALF: u32 = 4;

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
    pub p95_us: f64,
    pub p99_us: f64,
    pub p999_us: f64,
    pub max_us: f64,
}

/// So many response times were at most so long.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bucket {
    /// Of 100.
    pub percentile: f64,
    pub at_most_us: f64,
    pub count: u64,
}

impl Default for ResponseTimes {
    fn default() -> Self {
        Self::new()
    }
}

#[expect(clippy::cast_precision_loss, reason = "response times stay far below 2^53 ns")]
fn us(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e3
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

    pub fn summary(&self) -> ResponseTimeSummary {
        if self.0.is_empty() {
            return ResponseTimeSummary::default();
        }
        let at = |quantile| us(self.0.value_at_quantile(quantile));
        ResponseTimeSummary {
            mean_us: self.0.mean() / 1e3,
            p50_us: at(0.50),
            p90_us: at(0.90),
            p95_us: at(0.95),
            p99_us: at(0.99),
            p999_us: at(0.999),
            max_us: us(self.0.max()),
        }
    }

    /// The distribution, finer towards the longest.
    pub fn buckets(&self) -> Vec<Bucket> {
        let mut counted = 0;
        let steps = self.0.iter_quantiles(STEPS_A_HALF).map(|step| {
            counted += step.count_since_last_iteration();
            Bucket { percentile: step.quantile() * 100.0, at_most_us: us(step.value_iterated_to()), count: counted }
        });
        steps.collect()
    }

    /// Every recorded value in nanoseconds with its count: what another process needs to add these to its own.
    pub(crate) fn recorded(&self) -> Vec<(u64, u32)> {
        self.0.iter_recorded().map(|step| (step.value_iterated_to(), step.count_at_value())).collect()
    }

    /// Takes over what `recorded` of another process says.
    pub(crate) fn add_recorded(&mut self, recorded: &[(u64, u32)]) {
        for &(value, count) in recorded {
            self.0.saturating_record_n(value, count);
        }
    }
}

#[cfg(test)]
mod tests;
