//! What services, APIs and API requesters have done lately: counts, rates, times and the last failures.
//!
//! Owns: samples of their counters, from which a window of the last minutes is worked out. The counters are `service::activity`'s.
//!
//! Invariants
//! - One sample in `STEP`, `SAMPLES` of them: what is kept is bounded by what is deployed.
//! - What is deployed after the first sample counts from 0; what was there before counts from its first sample on.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use message_api::time_text::write_moment;
use model::timestamp::Timestamp;
use parking_lot::Mutex;
use serde_json::{Value, json};
use service::activity::{Activity, Latency, Statistics};
use tokio::time::Instant;

/// Between two samples.
pub const STEP: Duration = Duration::from_secs(30);
/// They reach back over five minutes.
const SAMPLES: usize = 11;

/// What is deployed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sort {
    Service,
    Api,
    Requester,
}

impl Sort {
    pub fn word(self) -> &'static str {
        match self {
            Self::Service => "service",
            Self::Api => "api",
            Self::Requester => "requester",
        }
    }
}

/// One that is deployed, as it is now.
#[derive(Debug, Clone)]
pub struct Observed {
    pub sort: Sort,
    pub name: String,
    /// Queue manager and queue that its requests go to, of those of this server.
    pub requests_go_to: Option<(String, String)>,
    pub is_two_way: bool,
    pub is_started: bool,
    pub statistics: Statistics,
    pub latency: Latency,
    /// The newest first.
    pub failures: Vec<service::activity::Failure>,
}

impl Observed {
    pub fn of(sort: Sort, name: &str, activity: &Activity) -> Self {
        Self {
            sort,
            name: name.to_owned(),
            requests_go_to: None,
            is_two_way: false,
            is_started: activity.is_started(),
            statistics: activity.statistics(),
            latency: activity.latency(),
            failures: activity.failures(),
        }
    }
}

/// What came in a time.
#[derive(Debug, Clone)]
pub struct Window {
    pub time: Duration,
    /// Finished, those without an answer counted.
    pub finished: u64,
    pub refused: u64,
    pub failed: u64,
    pub unanswered: u64,
    pub latency: Latency,
}

struct Sample {
    at: Instant,
    statistics: Statistics,
    latency: Latency,
}

/// Samples of everything that is deployed.
#[derive(Default)]
pub struct Activities(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    samples: HashMap<(Sort, String), VecDeque<Sample>>,
    first: Option<Instant>,
}

const NOTHING: Statistics = Statistics {
    requests: 0,
    in_flight: 0,
    succeeded: 0,
    refused: 0,
    failed: 0,
    unanswered: 0,
    abandoned: 0,
    total: Duration::ZERO,
    shortest: None,
    longest: None,
};

impl Activities {
    /// Takes a sample, if it is time for one.
    pub fn sample(&self, all: &[Observed]) {
        let now = Instant::now();
        let mut kept = self.0.lock();
        let is_first = kept.first.is_none();
        let first = *kept.first.get_or_insert(now);
        kept.samples.retain(|(sort, name), _| all.iter().any(|one| one.sort == *sort && one.name == *name));
        for one in all {
            let samples = kept.samples.entry((one.sort, one.name.clone())).or_insert_with(|| {
                // One that was not there before has done nothing before.
                let begin = Sample { at: first, statistics: NOTHING, latency: Latency::default() };
                if is_first { VecDeque::new() } else { VecDeque::from([begin]) }
            });
            if samples.back().is_none_or(|last| now.duration_since(last.at) >= STEP) {
                if samples.len() == SAMPLES {
                    samples.pop_front();
                }
                samples.push_back(Sample { at: now, statistics: one.statistics, latency: one.latency });
            }
        }
    }

    /// The last minutes of one.
    pub fn window(&self, one: &Observed) -> Window {
        let now = Instant::now();
        let kept = self.0.lock();
        let since = kept.samples.get(&(one.sort, one.name.clone())).and_then(VecDeque::front);
        let (at, before, latency) = match since {
            Some(sample) => (sample.at, sample.statistics, sample.latency),
            None => (kept.first.unwrap_or(now), NOTHING, Latency::default()),
        };
        let seen = &one.statistics;
        let since = |now: u64, before: u64| now.saturating_sub(before);
        let finished = |of: &Statistics| of.succeeded + of.refused + of.failed + of.abandoned;
        Window {
            time: now.duration_since(at),
            finished: since(finished(seen), finished(&before)),
            refused: since(seen.refused, before.refused),
            failed: since(seen.failed, before.failed),
            unanswered: since(seen.unanswered, before.unanswered),
            latency: one.latency.since(&latency),
        }
    }

    /// All of them as JSON, by kind and name.
    pub fn shown(&self, mut all: Vec<Observed>, now: Timestamp) -> Value {
        all.sort_unstable_by(|one, other| (one.sort, &one.name).cmp(&(other.sort, &other.name)));
        let of = |sort: Sort| -> Vec<Value> {
            all.iter().filter(|one| one.sort == sort).map(|one| self.one(one, now)).collect()
        };
        json!({
            "at": write_moment(now), "services": of(Sort::Service), "apis": of(Sort::Api), "requesters": of(Sort::Requester),
        })
    }

    fn one(&self, one: &Observed, now: Timestamp) -> Value {
        let window = self.window(one);
        let seconds = window.time.as_secs_f64().max(1.0);
        let tenths = |count: u64| (precise(count) / seconds * 10.0).round() / 10.0;
        let milliseconds = |time: Option<Duration>| time.map(|time| (time.as_secs_f64() * 10_000.0).round() / 10.0);
        let failure = |failure: &service::activity::Failure| {
            let ago = failure.at.elapsed();
            let at = Timestamp(now.0.saturating_sub(u64::try_from(ago.as_micros()).unwrap_or(u64::MAX)));
            json!({
                "at": write_moment(at), "status": failure.status,
                "milliseconds": milliseconds(Some(failure.taken)), "answer": failure.said,
            })
        };
        let Statistics { requests, in_flight, succeeded, refused, failed, unanswered, abandoned, .. } = one.statistics;
        json!({
            "name": one.name,
            "state": if one.is_started { "started" } else { "stopped" },
            "requests": requests, "inFlight": in_flight, "succeeded": succeeded, "refused": refused, "failed": failed,
            "unanswered": unanswered, "abandoned": abandoned,
            "recent": {
                "seconds": window.time.as_secs(), "requests": window.finished, "perSecond": tenths(window.finished),
                "refused": window.refused, "failed": window.failed, "unanswered": window.unanswered,
                "p50": milliseconds(window.latency.percentile(50)), "p95": milliseconds(window.latency.percentile(95)),
            },
            "errors": one.failures.iter().map(failure).collect::<Vec<_>>(),
        })
    }
}

#[expect(clippy::cast_precision_loss, reason = "a rate needs no more than 53 bits")]
fn precise(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use service::activity::Ending;

    use super::*;

    fn end(activity: &Activity, status: u16, times: usize) {
        for _ in 0..times {
            let ending = Ending { status, said: b"no", is_unanswered: status == 204 };
            activity.admit(Instant::now()).expect("started").ended(ending);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_window_is_of_the_last_minutes_and_what_is_deployed_later_counts_whole() {
        let (old, new) = (Activity::new(true), Activity::new(true));
        let observed = |activity: &Activity, name: &str| Observed::of(Sort::Service, name, activity);
        let activities = Activities::default();
        end(&old, 500, 3);
        activities.sample(&[observed(&old, "old")]);
        end(&old, 200, 10);
        end(&new, 204, 2);
        let counts = |activity: &Activity, name: &str| {
            let window = activities.window(&observed(activity, name));
            (window.finished, window.failed, window.unanswered)
        };
        assert_eq!((counts(&old, "old"), counts(&new, "new")), ((10, 0, 0), (2, 0, 2)));
        for _ in 0..20 {
            tokio::time::advance(STEP).await;
            activities.sample(&[observed(&old, "old"), observed(&new, "new")]);
        }
        assert_eq!((counts(&old, "old"), counts(&new, "new")), ((0, 0, 0), (0, 0, 0)), "five minutes later");
        let shown = activities.shown(vec![observed(&new, "new"), observed(&old, "old")], Timestamp::from_millis(1));
        let names: Vec<_> = shown["services"].as_array().expect("a list").iter().map(|one| &one["name"]).collect();
        assert_eq!(names, ["new", "old"]);
        assert_eq!(
            (&shown["services"][0]["errors"][0]["status"], &shown["services"][1]["failed"]),
            (&json!(204), &json!(3))
        );
    }
}
