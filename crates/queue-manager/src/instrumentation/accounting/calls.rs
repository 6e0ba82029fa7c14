//! Counters of MQI calls, of one connection or of the whole queue manager, and how records tell them.
//!
//! Counted without a lock, from any thread; read and set to zero at the end of an interval, counter by counter, so that
//! a call that is counted meanwhile belongs to one interval or to the next, never to both.
//!
//! Source: MQ monitoring, "MQI accounting message data", "MQI statistics message data", "Reference notes", 9.3.

use std::sync::atomic::{AtomicU64, Ordering};

use model::descriptor::Persistence;
use model::options::ObjectKind;
use model::pcf::{Parameter, ParameterValue};

use crate::instrumentation::accounting::number as n;

/// One figure, or a list of figures by persistence, by type of object, or by what a call did.
#[derive(Debug)]
pub(crate) struct Counters<const N: usize>([AtomicU64; N]);

impl<const N: usize> Default for Counters<N> {
    fn default() -> Self {
        Self(std::array::from_fn(|_| AtomicU64::new(0)))
    }
}

impl<const N: usize> Counters<N> {
    pub(crate) fn add(&self, index: usize, amount: u64) {
        self.0[index].fetch_add(amount, Ordering::Relaxed);
    }

    pub(crate) fn at(&self, index: usize) -> u64 {
        self.0[index].load(Ordering::Relaxed)
    }

    pub(crate) fn sum(&self) -> u64 {
        (0..N).map(|index| self.at(index)).sum()
    }
}

impl Counters<1> {
    pub(crate) fn one(&self) {
        self.add(0, 1);
    }
}

impl Counters<2> {
    pub(crate) fn by(&self, persistence: Persistence, amount: u64) {
        self.add(index(persistence), amount);
    }
}

impl Counters<OBJECT_TYPES> {
    pub(crate) fn of(&self, kind: ObjectKind) {
        self.add(object_type(kind), 1);
    }
}

/// Lists by persistence hold nonpersistent messages first.
pub(crate) fn index(persistence: Persistence) -> usize {
    usize::from(persistence == Persistence::Persistent)
}

/// Lists by type of object have a place for each MQOT_ up to 12, whether it can be opened or not.
pub(super) const OBJECT_TYPES: usize = 13;

/// MQOT_*.
fn object_type(kind: ObjectKind) -> usize {
    match kind {
        ObjectKind::Queue => 1,
        ObjectKind::NameList => 2,
        ObjectKind::Process => 3,
        ObjectKind::QueueManager => 5,
        ObjectKind::Topic => 8,
    }
}

/// What MQSUB did: the index of its lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subscribing {
    Created = 0,
    Altered = 1,
    Resumed = 2,
}

#[derive(Debug, Default)]
pub(crate) struct Calls {
    pub(crate) opens: Counters<OBJECT_TYPES>,
    pub(crate) opens_failed: Counters<OBJECT_TYPES>,
    pub(crate) closes: Counters<OBJECT_TYPES>,
    pub(crate) closes_failed: Counters<OBJECT_TYPES>,
    pub(crate) puts: Counters<2>,
    pub(crate) puts_failed: Counters<1>,
    pub(crate) put1s: Counters<2>,
    pub(crate) put1s_failed: Counters<1>,
    pub(crate) put_bytes: Counters<2>,
    pub(crate) gets: Counters<2>,
    pub(crate) gets_failed: Counters<1>,
    pub(crate) get_bytes: Counters<2>,
    pub(crate) browses: Counters<2>,
    pub(crate) browses_failed: Counters<1>,
    pub(crate) browse_bytes: Counters<2>,
    pub(crate) commits: Counters<1>,
    pub(crate) commits_failed: Counters<1>,
    pub(crate) back_outs: Counters<1>,
    pub(crate) inquiries: Counters<OBJECT_TYPES>,
    pub(crate) inquiries_failed: Counters<OBJECT_TYPES>,
    pub(crate) sets: Counters<OBJECT_TYPES>,
    pub(crate) sets_failed: Counters<OBJECT_TYPES>,
    pub(crate) durable_subscribes: Counters<3>,
    pub(crate) other_subscribes: Counters<3>,
    pub(crate) subscribes_failed: Counters<1>,
    pub(crate) durable_unsubscribes: Counters<2>,
    pub(crate) other_unsubscribes: Counters<2>,
    pub(crate) unsubscribes_failed: Counters<1>,
    pub(crate) requests: Counters<1>,
    pub(crate) requests_failed: Counters<1>,
    pub(crate) statuses: Counters<1>,
    pub(crate) statuses_failed: Counters<1>,
    pub(crate) topic_puts: Counters<2>,
    pub(crate) topic_puts_failed: Counters<1>,
    pub(crate) topic_put1s: Counters<2>,
    pub(crate) topic_put1s_failed: Counters<1>,
    pub(crate) topic_put_bytes: Counters<2>,
}

/// How a figure is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Integer,
    Integers,
    Integers64,
}

struct Figure<'a> {
    parameter: i32,
    form: Form,
    counters: &'a [AtomicU64],
}

fn one(parameter: i32, counters: &Counters<1>) -> Figure<'_> {
    Figure { parameter, form: Form::Integer, counters: &counters.0 }
}

impl Calls {
    /// Every figure, in the order of the records.
    fn figures(&self) -> [Figure<'_>; 37] {
        let list = |parameter, counters| Figure { parameter, form: Form::Integers, counters };
        let long = |parameter, counters| Figure { parameter, form: Form::Integers64, counters };
        [
            list(n::MQIAMO_OPENS, &self.opens.0),
            list(n::MQIAMO_OPENS_FAILED, &self.opens_failed.0),
            list(n::MQIAMO_CLOSES, &self.closes.0),
            list(n::MQIAMO_CLOSES_FAILED, &self.closes_failed.0),
            list(n::MQIAMO_PUTS, &self.puts.0),
            one(n::MQIAMO_PUTS_FAILED, &self.puts_failed),
            list(n::MQIAMO_PUT1S, &self.put1s.0),
            one(n::MQIAMO_PUT1S_FAILED, &self.put1s_failed),
            long(n::MQIAMO64_PUT_BYTES, &self.put_bytes.0),
            list(n::MQIAMO_GETS, &self.gets.0),
            one(n::MQIAMO_GETS_FAILED, &self.gets_failed),
            long(n::MQIAMO64_GET_BYTES, &self.get_bytes.0),
            list(n::MQIAMO_BROWSES, &self.browses.0),
            one(n::MQIAMO_BROWSES_FAILED, &self.browses_failed),
            long(n::MQIAMO64_BROWSE_BYTES, &self.browse_bytes.0),
            one(n::MQIAMO_COMMITS, &self.commits),
            one(n::MQIAMO_COMMITS_FAILED, &self.commits_failed),
            one(n::MQIAMO_BACKOUTS, &self.back_outs),
            list(n::MQIAMO_INQS, &self.inquiries.0),
            list(n::MQIAMO_INQS_FAILED, &self.inquiries_failed.0),
            list(n::MQIAMO_SETS, &self.sets.0),
            list(n::MQIAMO_SETS_FAILED, &self.sets_failed.0),
            list(n::MQIAMO_SUBS_DUR, &self.durable_subscribes.0),
            list(n::MQIAMO_SUBS_NDUR, &self.other_subscribes.0),
            one(n::MQIAMO_SUBS_FAILED, &self.subscribes_failed),
            list(n::MQIAMO_UNSUBS_DUR, &self.durable_unsubscribes.0),
            list(n::MQIAMO_UNSUBS_NDUR, &self.other_unsubscribes.0),
            one(n::MQIAMO_UNSUBS_FAILED, &self.unsubscribes_failed),
            one(n::MQIAMO_SUBRQS, &self.requests),
            one(n::MQIAMO_SUBRQS_FAILED, &self.requests_failed),
            one(n::MQIAMO_STATS, &self.statuses),
            one(n::MQIAMO_STATS_FAILED, &self.statuses_failed),
            list(n::MQIAMO_TOPIC_PUTS, &self.topic_puts.0),
            one(n::MQIAMO_TOPIC_PUTS_FAILED, &self.topic_puts_failed),
            list(n::MQIAMO_TOPIC_PUT1S, &self.topic_put1s.0),
            one(n::MQIAMO_TOPIC_PUT1S_FAILED, &self.topic_put1s_failed),
            long(n::MQIAMO64_TOPIC_PUT_BYTES, &self.topic_put_bytes.0),
        ]
    }

    /// Whether no call was counted since the counters were taken last.
    pub(crate) fn is_empty(&self) -> bool {
        self.figures().iter().all(|figure| figure.counters.iter().all(|one| one.load(Ordering::Relaxed) == 0))
    }

    /// Adds what was counted here to `total`, and begins anew.
    pub(crate) fn move_to(&self, total: &Self) {
        for (from, to) in self.figures().iter().zip(total.figures()) {
            for (from, to) in from.counters.iter().zip(to.counters) {
                let amount = from.swap(0, Ordering::Relaxed);
                if amount > 0 {
                    to.fetch_add(amount, Ordering::Relaxed);
                }
            }
        }
    }

    /// What was counted, as parameters of a record; counting begins anew.
    pub(crate) fn take(&self) -> Vec<Parameter> {
        self.figures()
            .iter()
            .map(|figure| {
                let taken = figure.counters.iter().map(|counter| counter.swap(0, Ordering::Relaxed));
                let value = match figure.form {
                    Form::Integer => ParameterValue::Integer(small(taken.sum())),
                    Form::Integers => ParameterValue::Integers(taken.map(small).collect()),
                    Form::Integers64 => ParameterValue::Integers64(taken.map(large).collect()),
                };
                Parameter { id: figure.parameter, value }
            })
            .collect()
    }
}

/// As a record of 32 bits holds it: what is more stays at the greatest number.
pub(crate) fn small(number: u64) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

pub(crate) fn large(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
