//! What clients count while they work.

use serde::{Deserialize, Serialize};

use crate::client::ClientError;
use crate::measure::ResponseTimes;

/// What some of the clients measured. Errors and what found nothing have no response time.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) times: ResponseTimes,
    pub(crate) errors: u64,
    pub(crate) empty: u64,
    /// Bytes of content received by the transactions that count.
    pub(crate) received: u64,
    pub(crate) first_error: Option<String>,
}

/// A tally on its way from one process to another.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(crate) struct Written {
    /// Nanoseconds, and how often.
    times: Vec<(u64, u32)>,
    errors: u64,
    empty: u64,
    received: u64,
    first_error: Option<String>,
}

impl Tally {
    pub(crate) fn add(&mut self, other: Self) {
        self.times.add(&other.times);
        self.errors += other.errors;
        self.empty += other.empty;
        self.received += other.received;
        self.first_error = self.first_error.take().or(other.first_error);
    }

    /// Transactions that ended while measuring, however.
    pub(crate) fn ended(&self) -> u64 {
        self.completed() + self.errors
    }

    /// Those that did not fail. Nothing found is an answer as well.
    pub(crate) fn completed(&self) -> u64 {
        self.times.count() + self.empty
    }

    pub(crate) fn note(&mut self, error: &ClientError) {
        if self.first_error.is_none() {
            self.first_error = Some(error.chain());
        }
    }

    pub(crate) fn written(self) -> Written {
        Written {
            times: self.times.recorded(),
            errors: self.errors,
            empty: self.empty,
            received: self.received,
            first_error: self.first_error,
        }
    }
}

impl From<Written> for Tally {
    fn from(written: Written) -> Self {
        let mut times = ResponseTimes::new();
        times.add_recorded(&written.times);
        Self {
            times,
            errors: written.errors,
            empty: written.empty,
            received: written.received,
            first_error: written.first_error,
        }
    }
}
