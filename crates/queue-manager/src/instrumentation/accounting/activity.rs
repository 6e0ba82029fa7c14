//! What was done to one queue: by one connection, for accounting, or by all, for statistics.
//!
//! Pure data; the owner holds the lock.
//!
//! Source: MQ monitoring, "Queue accounting message data", "Queue statistics message data", 9.3.

use std::time::Duration;

use model::descriptor::Persistence;
use model::pcf::{Parameter, ParameterValue};

use crate::instrumentation::accounting::calls::{index, large, small};
use crate::instrumentation::accounting::number as n;

/// Messages of one kind of call, by persistence.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Traffic {
    pub(crate) count: [u64; 2],
    pub(crate) bytes: [u64; 2],
    /// Bytes; meaningful while `count` is above zero.
    least: [u64; 2],
    most: [u64; 2],
}

impl Traffic {
    fn add(&mut self, persistence: Persistence, bytes: u64) {
        let at = index(persistence);
        self.least[at] = if self.sees_first(at) { bytes } else { self.least[at].min(bytes) };
        self.most[at] = self.most[at].max(bytes);
        self.count[at] += 1;
        self.bytes[at] += bytes;
    }

    fn sees_first(&self, at: usize) -> bool {
        self.count[at] == 0
    }
}

/// How long messages lay on the queue until they were got, in microseconds, by persistence.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct TimeOnQueue {
    count: [u64; 2],
    sum: [u64; 2],
    least: [u64; 2],
    most: [u64; 2],
}

impl TimeOnQueue {
    fn add(&mut self, persistence: Persistence, time: Duration) {
        let (at, time) = (index(persistence), u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
        self.least[at] = if self.count[at] == 0 { time } else { self.least[at].min(time) };
        self.most[at] = self.most[at].max(time);
        self.count[at] += 1;
        self.sum[at] = self.sum[at].saturating_add(time);
    }

    fn average(&self) -> [u64; 2] {
        [0, 1].map(|at| self.sum[at].checked_div(self.count[at]).unwrap_or(0))
    }

    /// In microseconds, whatever the persistence.
    pub(crate) fn average_of_all(&self) -> u64 {
        let sum = self.sum[0].saturating_add(self.sum[1]);
        sum.checked_div(self.count.iter().sum()).unwrap_or(0)
    }
}

/// A message that was put, got or browsed, as far as figures go.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Passed {
    pub(crate) persistence: Persistence,
    pub(crate) bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Activity {
    pub(crate) opens: u64,
    pub(crate) puts: [u64; 2],
    puts_failed: u64,
    pub(crate) put1s: [u64; 2],
    put1s_failed: u64,
    /// MQPUT and MQPUT1 together.
    pub(crate) put: Traffic,
    pub(crate) got: Traffic,
    pub(crate) gets_failed: u64,
    pub(crate) browsed: Traffic,
    pub(crate) browses_failed: u64,
    pub(crate) time: TimeOnQueue,
}

impl Activity {
    pub(crate) fn opened(&mut self) {
        self.opens += 1;
    }

    pub(crate) fn put(&mut self, is_put1: bool, outcome: Option<Passed>) {
        match (outcome, is_put1) {
            (Some(passed), is_put1) => {
                let counter = if is_put1 { &mut self.put1s } else { &mut self.puts };
                counter[index(passed.persistence)] += 1;
                self.put.add(passed.persistence, passed.bytes);
            }
            (None, true) => self.put1s_failed += 1,
            (None, false) => self.puts_failed += 1,
        }
    }

    /// `on_queue` is how long the message had lain there.
    pub(crate) fn got(&mut self, outcome: Option<Passed>, on_queue: Duration) {
        match outcome {
            Some(passed) => {
                self.got.add(passed.persistence, passed.bytes);
                self.time.add(passed.persistence, on_queue);
            }
            None => self.gets_failed += 1,
        }
    }

    pub(crate) fn browsed(&mut self, outcome: Option<Passed>) {
        match outcome {
            Some(passed) => self.browsed.add(passed.persistence, passed.bytes),
            None => self.browses_failed += 1,
        }
    }

    pub(super) fn opens(&self) -> Parameter {
        Parameter::integer(n::MQIAMO_OPENS, small(self.opens))
    }

    /// The rest of a group of queue accounting.
    pub(super) fn accounted(&self) -> Vec<Parameter> {
        vec![
            list(n::MQIAMO_PUTS, self.puts),
            one(n::MQIAMO_PUTS_FAILED, self.puts_failed),
            list(n::MQIAMO_PUT1S, self.put1s),
            one(n::MQIAMO_PUT1S_FAILED, self.put1s_failed),
            long(n::MQIAMO64_PUT_BYTES, self.put.bytes),
            list(n::MQIAMO_PUT_MIN_BYTES, self.put.least),
            list(n::MQIAMO_PUT_MAX_BYTES, self.put.most),
            list(n::MQIAMO_GETS, self.got.count),
            one(n::MQIAMO_GETS_FAILED, self.gets_failed),
            long(n::MQIAMO64_GET_BYTES, self.got.bytes),
            list(n::MQIAMO_GET_MIN_BYTES, self.got.least),
            list(n::MQIAMO_GET_MAX_BYTES, self.got.most),
            list(n::MQIAMO_BROWSES, self.browsed.count),
            one(n::MQIAMO_BROWSES_FAILED, self.browses_failed),
            long(n::MQIAMO64_BROWSE_BYTES, self.browsed.bytes),
            list(n::MQIAMO_BROWSE_MIN_BYTES, self.browsed.least),
            list(n::MQIAMO_BROWSE_MAX_BYTES, self.browsed.most),
            long(n::MQIAMO64_Q_TIME_MIN, self.time.least),
            long(n::MQIAMO64_Q_TIME_AVG, self.time.average()),
            long(n::MQIAMO64_Q_TIME_MAX, self.time.most),
        ]
    }

    /// The middle of a group of queue statistics: between the depths, and what became of messages nobody got.
    pub(crate) fn counted(&self) -> Vec<Parameter> {
        vec![
            long(n::MQIAMO64_AVG_Q_TIME, self.time.average()),
            list(n::MQIAMO_PUTS, self.puts),
            one(n::MQIAMO_PUTS_FAILED, self.puts_failed),
            list(n::MQIAMO_PUT1S, self.put1s),
            one(n::MQIAMO_PUT1S_FAILED, self.put1s_failed),
            long(n::MQIAMO64_PUT_BYTES, self.put.bytes),
            list(n::MQIAMO_GETS, self.got.count),
            one(n::MQIAMO_GETS_FAILED, self.gets_failed),
            long(n::MQIAMO64_GET_BYTES, self.got.bytes),
            list(n::MQIAMO_BROWSES, self.browsed.count),
            one(n::MQIAMO_BROWSES_FAILED, self.browses_failed),
            long(n::MQIAMO64_BROWSE_BYTES, self.browsed.bytes),
        ]
    }
}

fn one(parameter: i32, number: u64) -> Parameter {
    Parameter::integer(parameter, small(number))
}

fn list<const N: usize>(parameter: i32, numbers: [u64; N]) -> Parameter {
    Parameter::integers(parameter, numbers.map(small).into())
}

fn long(parameter: i32, numbers: [u64; 2]) -> Parameter {
    Parameter { id: parameter, value: ParameterValue::Integers64(numbers.map(large).into()) }
}

#[cfg(test)]
mod tests;
