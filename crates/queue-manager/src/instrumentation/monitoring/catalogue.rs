//! What is monitored: classes, their types, the elements of each type, and where an element's value comes from.
//!
//! Names of elements are the published ones: exporters make the names of their metrics of them. Numbers of classes are the published ones
//! too. Types and elements are numbered in the order of these tables; programs learn the numbers from the descriptions.
//!
//! Source: MQ monitoring, "Metrics published on the system topics"; MQ constants, MQIAMO_MONITOR_*.

use crate::instrumentation::accounting::calls::Counters;
use crate::instrumentation::monitoring::disk::DiskUse;
use crate::instrumentation::monitoring::machine::MachineUse;
use crate::instrumentation::monitoring::watch::Watched;
use crate::instrumentation::statistics::tally::Taken;

/// MQIAMO_MONITOR_*: how a value is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// A number as it is at the moment.
    Plain = 1,
    /// Counted in the interval.
    Delta = 2,
    Hundredths = 100,
    /// Hundredths of a percent.
    Percent = 10_000,
    Microseconds = 1_000_000,
    Mebibytes = 1_048_576,
}

impl Unit {
    /// A value as metrics have it: seconds, bytes, percent.
    #[expect(clippy::cast_precision_loss, reason = "metrics are floats; beyond 2^53 the last digits go")]
    pub(super) fn scaled(self, value: u64) -> f64 {
        let value = value as f64;
        match self {
            Self::Plain | Self::Delta => value,
            Self::Hundredths | Self::Percent => value / 100.0,
            Self::Microseconds => value / 1e6,
            Self::Mebibytes => value * f64::from(1 << 20),
        }
    }
}

/// `S` is what values are read from.
pub(super) struct Element<S> {
    name: &'static str,
    pub(super) unit: Unit,
    pub(super) value: fn(&S) -> u64,
}

pub(super) struct Type<S: 'static> {
    pub(super) name: &'static str,
    meaning: &'static str,
    pub(super) elements: &'static [Element<S>],
}

/// A type without its values.
pub(super) struct Described {
    pub(super) name: &'static str,
    pub(super) meaning: &'static str,
    pub(super) elements: Vec<(&'static str, Unit)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Processor,
    Disk,
    Calls,
    Queues,
}

impl Class {
    pub(super) const ALL: [Self; 4] = [Self::Processor, Self::Disk, Self::Calls, Self::Queues];

    pub(super) const fn number(self) -> i32 {
        match self {
            Self::Processor => 0,
            Self::Disk => 1,
            Self::Calls => 2,
            Self::Queues => 3,
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Processor => "CPU",
            Self::Disk => "DISK",
            Self::Calls => "STATMQI",
            Self::Queues => "STATQ",
        }
    }

    pub(super) const fn meaning(self) -> &'static str {
        match self {
            Self::Processor => "Processors and memory",
            Self::Disk => "Recovery log and its file system",
            Self::Calls => "MQI calls of all applications",
            Self::Queues => "One queue",
        }
    }

    /// Its values are those of one queue, which the topic string names.
    pub(super) const fn is_of_queues(self) -> bool {
        matches!(self, Self::Queues)
    }

    pub(super) fn types(self) -> Vec<Described> {
        match self {
            Self::Processor => described(PROCESSOR),
            Self::Disk => described(DISK),
            Self::Calls => described(CALLS),
            Self::Queues => described(QUEUES),
        }
    }
}

fn described<S>(types: &[Type<S>]) -> Vec<Described> {
    let elements = |of: &Type<S>| of.elements.iter().map(|element| (element.name, element.unit)).collect();
    types.iter().map(|of| Described { name: of.name, meaning: of.meaning, elements: elements(of) }).collect()
}

const fn delta<S>(name: &'static str, value: fn(&S) -> u64) -> Element<S> {
    Element { name, unit: Unit::Delta, value }
}

const fn plain<S>(name: &'static str, value: fn(&S) -> u64) -> Element<S> {
    Element { name, unit: Unit::Plain, value }
}

const fn percent<S>(name: &'static str, value: fn(&S) -> u64) -> Element<S> {
    Element { name, unit: Unit::Percent, value }
}

const fn hundredths<S>(name: &'static str, value: fn(&S) -> u64) -> Element<S> {
    Element { name, unit: Unit::Hundredths, value }
}

const fn microseconds<S>(name: &'static str, value: fn(&S) -> u64) -> Element<S> {
    Element { name, unit: Unit::Microseconds, value }
}

const fn mebibytes<S>(name: &'static str, value: fn(&S) -> u64) -> Element<S> {
    Element { name, unit: Unit::Mebibytes, value }
}

pub(super) const PROCESSOR: &[Type<MachineUse>] = &[
    Type {
        name: "SystemSummary",
        meaning: "The machine",
        elements: &[
            percent("User CPU time percentage", |machine| machine.user_share),
            percent("System CPU time percentage", |machine| machine.system_share),
            hundredths("CPU load - one minute average", |machine| machine.load[0]),
            hundredths("CPU load - five minute average", |machine| machine.load[1]),
            hundredths("CPU load - fifteen minute average", |machine| machine.load[2]),
            percent("RAM free percentage", |machine| machine.free_share),
            mebibytes("RAM total bytes", |machine| machine.memory_mib),
        ],
    },
    Type {
        name: "QMgrSummary",
        meaning: "The process of the queue manager",
        elements: &[
            percent("User CPU time - percentage estimate for queue manager", |machine| machine.own_user_share),
            percent("System CPU time - percentage estimate for queue manager", |machine| machine.own_system_share),
            mebibytes("RAM total bytes - estimate for queue manager", |machine| machine.own_mib),
        ],
    },
];

pub(super) const DISK: &[Type<DiskUse>] = &[
    Type {
        name: "QMgrSummary",
        meaning: "The file system of the queue manager",
        elements: &[
            mebibytes("Queue Manager file system - bytes in use", DiskUse::used_mebibytes),
            percent("Queue Manager file system - free space", DiskUse::free_share),
        ],
    },
    Type {
        name: "Log",
        meaning: "The recovery log",
        elements: &[
            plain("Log - bytes in use", |disk| disk.log_bytes),
            plain("Log file system - bytes in use", DiskUse::used_bytes),
            plain("Log file system - bytes max", |disk| disk.space.total),
            delta("Log - physical bytes written", |disk| disk.written_bytes),
            microseconds("Log - write latency", |disk| disk.write_us),
            plain("Log - write size", |disk| disk.write_bytes),
        ],
    },
];

/// Of lists by persistence.
const NONPERSISTENT: usize = 0;
const PERSISTENT: usize = 1;

fn persistent(counters: &Counters<2>) -> u64 {
    counters.at(PERSISTENT)
}

fn nonpersistent(counters: &Counters<2>) -> u64 {
    counters.at(NONPERSISTENT)
}

pub(super) const CALLS: &[Type<Taken>] = &[
    Type {
        name: "CONNDISC",
        meaning: "MQCONN and MQDISC",
        elements: &[
            delta("MQCONN/MQCONNX count", |taken| taken.connects),
            delta("Failed MQCONN/MQCONNX count", |taken| taken.connects_failed),
            plain("Concurrent connections - high water mark", |taken| taken.connections_most),
            delta("MQDISC count", |taken| taken.disconnects.iter().sum()),
        ],
    },
    Type {
        name: "OPENCLOSE",
        meaning: "MQOPEN and MQCLOSE",
        elements: &[
            delta("MQOPEN count", |taken| taken.calls.opens.sum()),
            delta("Failed MQOPEN count", |taken| taken.calls.opens_failed.sum()),
            delta("MQCLOSE count", |taken| taken.calls.closes.sum()),
            delta("Failed MQCLOSE count", |taken| taken.calls.closes_failed.sum()),
        ],
    },
    Type {
        name: "INQSET",
        meaning: "MQINQ and MQSET",
        elements: &[
            delta("MQINQ count", |taken| taken.calls.inquiries.sum()),
            delta("Failed MQINQ count", |taken| taken.calls.inquiries_failed.sum()),
            delta("MQSET count", |taken| taken.calls.sets.sum()),
            delta("Failed MQSET count", |taken| taken.calls.sets_failed.sum()),
        ],
    },
    Type {
        name: "PUT",
        meaning: "MQPUT and MQPUT1 to queues",
        elements: &[
            delta("Interval total MQPUT/MQPUT1 count", |taken| taken.calls.puts.sum() + taken.calls.put1s.sum()),
            delta("Interval total MQPUT/MQPUT1 byte count", |taken| taken.calls.put_bytes.sum()),
            delta("Non-persistent message MQPUT count", |taken| nonpersistent(&taken.calls.puts)),
            delta("Persistent message MQPUT count", |taken| persistent(&taken.calls.puts)),
            delta("Failed MQPUT count", |taken| taken.calls.puts_failed.sum()),
            delta("Non-persistent message MQPUT1 count", |taken| nonpersistent(&taken.calls.put1s)),
            delta("Persistent message MQPUT1 count", |taken| persistent(&taken.calls.put1s)),
            delta("Failed MQPUT1 count", |taken| taken.calls.put1s_failed.sum()),
            delta("Put non-persistent messages - byte count", |taken| nonpersistent(&taken.calls.put_bytes)),
            delta("Put persistent messages - byte count", |taken| persistent(&taken.calls.put_bytes)),
            delta("MQSTAT count", |taken| taken.calls.statuses.sum()),
        ],
    },
    Type {
        name: "GET",
        meaning: "MQGET",
        elements: &[
            delta("Interval total destructive get- count", |taken| taken.calls.gets.sum()),
            delta("Interval total destructive get - byte count", |taken| taken.calls.get_bytes.sum()),
            delta("Non-persistent message destructive get - count", |taken| nonpersistent(&taken.calls.gets)),
            delta("Persistent message destructive get - count", |taken| persistent(&taken.calls.gets)),
            delta("Failed MQGET - count", |taken| taken.calls.gets_failed.sum()),
            delta("Got non-persistent messages - byte count", |taken| nonpersistent(&taken.calls.get_bytes)),
            delta("Got persistent messages - byte count", |taken| persistent(&taken.calls.get_bytes)),
            delta("Non-persistent message browse - count", |taken| nonpersistent(&taken.calls.browses)),
            delta("Persistent message browse - count", |taken| persistent(&taken.calls.browses)),
            delta("Failed browse count", |taken| taken.calls.browses_failed.sum()),
            delta("Non-persistent message browse - byte count", |taken| nonpersistent(&taken.calls.browse_bytes)),
            delta("Persistent message browse - byte count", |taken| persistent(&taken.calls.browse_bytes)),
            delta("Expired message count", |taken| taken.expired),
            delta("Purged queue count", |taken| taken.purged),
        ],
    },
    Type {
        name: "SYNCPOINT",
        meaning: "MQCMIT and MQBACK",
        elements: &[
            delta("Commit count", |taken| taken.calls.commits.sum()),
            delta("Rollback count", |taken| taken.calls.back_outs.sum()),
        ],
    },
    Type {
        name: "SUBSCRIBE",
        meaning: "MQSUB, MQSUBRQ and the ends of subscriptions",
        elements: &[
            delta("Create durable subscription count", |taken| taken.calls.durable_subscribes.at(CREATED)),
            delta("Alter durable subscription count", |taken| taken.calls.durable_subscribes.at(ALTERED)),
            delta("Resume durable subscription count", |taken| taken.calls.durable_subscribes.at(RESUMED)),
            delta("Create non-durable subscription count", |taken| taken.calls.other_subscribes.at(CREATED)),
            delta("Delete durable subscription count", |taken| taken.calls.durable_unsubscribes.at(REMOVED)),
            delta("Delete non-durable subscription count", |taken| taken.calls.other_unsubscribes.at(REMOVED)),
            delta("Failed create/alter/resume subscription count", |taken| taken.calls.subscribes_failed.sum()),
            delta("Subscription delete failure count", |taken| taken.calls.unsubscribes_failed.sum()),
            delta("MQSUBRQ count", |taken| taken.calls.requests.sum()),
            delta("Failed MQSUBRQ count", |taken| taken.calls.requests_failed.sum()),
            plain("Durable subscriber - high water mark", |taken| taken.durable.high[0]),
            plain("Durable subscriber - low water mark", |taken| taken.durable.low[0]),
            plain("Non-durable subscriber - high water mark", |taken| taken.other.high[0]),
            plain("Non-durable subscriber - low water mark", |taken| taken.other.low[0]),
        ],
    },
    Type {
        name: "PUBLISH",
        meaning: "MQPUT and MQPUT1 to topics",
        elements: &[
            delta("Topic MQPUT/MQPUT1 interval total", |taken| {
                taken.calls.topic_puts.sum() + taken.calls.topic_put1s.sum()
            }),
            delta("Interval total topic bytes put", |taken| taken.calls.topic_put_bytes.sum()),
            delta("Published to subscribers - message count", |taken| taken.published.iter().sum()),
            delta("Published to subscribers - byte count", |taken| taken.published_bytes.iter().sum()),
            delta("Non-persistent - topic MQPUT/MQPUT1 count", |taken| {
                nonpersistent(&taken.calls.topic_puts) + nonpersistent(&taken.calls.topic_put1s)
            }),
            delta("Persistent - topic MQPUT/MQPUT1 count", |taken| {
                persistent(&taken.calls.topic_puts) + persistent(&taken.calls.topic_put1s)
            }),
            delta("Failed topic MQPUT/MQPUT1 count", |taken| {
                taken.calls.topic_puts_failed.sum() + taken.calls.topic_put1s_failed.sum()
            }),
        ],
    },
];

/// Of lists of MQSUB, and of ends of subscriptions: `accounting/calls.rs`.
const CREATED: usize = 0;
const ALTERED: usize = 1;
const RESUMED: usize = 2;
const REMOVED: usize = 1;

/// Nonpersistent and persistent together.
fn both(numbers: &[u64; 2]) -> u64 {
    numbers.iter().sum()
}

pub(super) const QUEUES: &[Type<Watched>] = &[
    Type {
        name: "OPENCLOSE",
        meaning: "MQOPEN and MQCLOSE",
        elements: &[
            delta("MQOPEN count", |queue| queue.counts.activity.opens),
            delta("MQCLOSE count", |queue| queue.counts.closes),
        ],
    },
    Type {
        name: "INQSET",
        meaning: "MQINQ and MQSET",
        elements: &[
            delta("MQINQ count", |queue| queue.counts.inquiries),
            delta("MQSET count", |queue| queue.counts.sets),
        ],
    },
    Type {
        name: "PUT",
        meaning: "MQPUT and MQPUT1",
        elements: &[
            delta("MQPUT/MQPUT1 count", |queue| both(&queue.counts.activity.put.count)),
            delta("MQPUT byte count", |queue| both(&queue.counts.activity.put.bytes)),
            delta("MQPUT non-persistent message count", |queue| queue.counts.activity.puts[NONPERSISTENT]),
            delta("MQPUT persistent message count", |queue| queue.counts.activity.puts[PERSISTENT]),
            delta("rolled back MQPUT count", |queue| queue.counts.rolled_back_puts),
            delta("MQPUT1 non-persistent message count", |queue| queue.counts.activity.put1s[NONPERSISTENT]),
            delta("MQPUT1 persistent message count", |queue| queue.counts.activity.put1s[PERSISTENT]),
            delta("non-persistent byte count", |queue| queue.counts.activity.put.bytes[NONPERSISTENT]),
            delta("persistent byte count", |queue| queue.counts.activity.put.bytes[PERSISTENT]),
            // Every message is put on its queue here, also when a getter waits for it.
            percent("queue avoided puts", |_| 0),
            percent("queue avoided bytes", |_| 0),
        ],
    },
    Type {
        name: "GET",
        meaning: "MQGET",
        elements: &[
            delta("MQGET count", |queue| {
                both(&queue.counts.activity.got.count) + both(&queue.counts.activity.browsed.count)
            }),
            delta("MQGET byte count", |queue| {
                both(&queue.counts.activity.got.bytes) + both(&queue.counts.activity.browsed.bytes)
            }),
            delta("destructive MQGET non-persistent message count", |queue| {
                queue.counts.activity.got.count[NONPERSISTENT]
            }),
            delta("destructive MQGET persistent message count", |queue| queue.counts.activity.got.count[PERSISTENT]),
            delta("rolled back MQGET count", |queue| queue.counts.rolled_back_gets),
            delta("destructive MQGET non-persistent byte count", |queue| {
                queue.counts.activity.got.bytes[NONPERSISTENT]
            }),
            delta("destructive MQGET persistent byte count", |queue| queue.counts.activity.got.bytes[PERSISTENT]),
            delta("MQGET browse non-persistent message count", |queue| {
                queue.counts.activity.browsed.count[NONPERSISTENT]
            }),
            delta("MQGET browse persistent message count", |queue| queue.counts.activity.browsed.count[PERSISTENT]),
            delta("MQGET browse non-persistent byte count", |queue| queue.counts.activity.browsed.bytes[NONPERSISTENT]),
            delta("MQGET browse persistent byte count", |queue| queue.counts.activity.browsed.bytes[PERSISTENT]),
            delta("destructive MQGET fails", |queue| queue.counts.activity.gets_failed),
            delta("destructive MQGET fails with MQRC_NO_MSG_AVAILABLE", |queue| queue.counts.gets_failed.no_message),
            delta("destructive MQGET fails with MQRC_TRUNCATED_MSG_FAILED", |queue| queue.counts.gets_failed.truncated),
            delta("MQGET browse fails", |queue| queue.counts.activity.browses_failed),
            delta("MQGET browse fails with MQRC_NO_MSG_AVAILABLE", |queue| queue.counts.browses_failed.no_message),
            delta("MQGET browse fails with MQRC_TRUNCATED_MSG_FAILED", |queue| queue.counts.browses_failed.truncated),
        ],
    },
    Type {
        name: "GENERAL",
        meaning: "The queue itself",
        elements: &[
            delta("messages expired", |queue| queue.counts.expired),
            delta("queue purged count", |queue| queue.counts.purges),
            microseconds("average queue time", |queue| queue.counts.activity.time.average_of_all()),
            plain("Queue depth", |queue| queue.depth.into()),
            plain("open input count", |queue| queue.open_input.into()),
            plain("open output count", |queue| queue.open_output.into()),
        ],
    },
];
