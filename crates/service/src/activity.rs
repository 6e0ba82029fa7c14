//! Whether something deployed is started, what is under way with it, and what has been done.
//!
//! Owns: counts, how long requests took (`activity/latency.rs`), the last ones that went wrong (`activity/failures.rs`).
//!
//! Invariant: once `stop` has returned and `in_flight` has been seen at zero, nothing begins until `start`.

mod failures;
mod latency;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

pub use self::failures::Failure;
use self::failures::Failures;
pub use self::latency::Latency;

#[derive(Debug)]
pub struct Activity {
    started: AtomicBool,
    in_flight: AtomicU64,
    counters: Counters,
    latency: latency::Counts,
    failures: Failures,
}

#[derive(Debug, Default)]
struct Counters {
    requests: AtomicU64,
    succeeded: AtomicU64,
    refused: AtomicU64,
    failed: AtomicU64,
    unanswered: AtomicU64,
    abandoned: AtomicU64,
    /// Microseconds of requests that were answered.
    total: AtomicU64,
    longest: AtomicU64,
    /// `u64::MAX` before the first.
    shortest: AtomicU64,
}

/// The counters at one moment. Not one cut through all: a request may end between two of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statistics {
    /// Begun since the server started, those under way included.
    pub requests: u64,
    pub in_flight: u64,
    /// Answered with 2xx.
    pub succeeded: u64,
    /// Answered with 4xx.
    pub refused: u64,
    /// Answered with any other status.
    pub failed: u64,
    /// Of those that succeeded by their status: no reply came in time, which 204 says.
    pub unanswered: u64,
    /// Without an answer, because the client went away.
    pub abandoned: u64,
    pub total: Duration,
    pub shortest: Option<Duration>,
    pub longest: Option<Duration>,
}

/// How a request ends, as its caller sees it.
#[derive(Debug, Clone, Copy)]
pub struct Ending<'a> {
    /// HTTP status.
    pub status: u16,
    /// The body of the answer.
    pub said: &'a [u8],
    /// A reply was awaited and did not come.
    pub is_unanswered: bool,
}

/// A request under way; dropped without an answer it counts as abandoned.
#[derive(Debug)]
pub struct InFlight<'a> {
    activity: &'a Activity,
    begun: Instant,
    is_answered: bool,
}

impl Activity {
    pub fn new(started: bool) -> Self {
        let counters = Counters { shortest: AtomicU64::new(u64::MAX), ..Counters::default() };
        Self {
            started: AtomicBool::new(started),
            in_flight: AtomicU64::new(0),
            counters,
            latency: latency::Counts::default(),
            failures: Failures::default(),
        }
    }

    pub fn is_started(&self) -> bool {
        self.started.load(Ordering::SeqCst)
    }

    pub fn start(&self) {
        self.started.store(true, Ordering::SeqCst);
    }

    /// New requests are refused from now on; those under way go on.
    pub fn stop(&self) {
        self.started.store(false, Ordering::SeqCst);
    }

    pub fn in_flight(&self) -> u64 {
        self.in_flight.load(Ordering::SeqCst)
    }

    /// Begins a request that came at `begun`; `None` while stopped.
    pub fn admit(&self, begun: Instant) -> Option<InFlight<'_>> {
        // Counted before the look: who stops and then sees nothing under way can be sure that nothing begins.
        self.in_flight.fetch_add(1, Ordering::SeqCst);
        if !self.is_started() {
            self.in_flight.fetch_sub(1, Ordering::SeqCst);
            return None;
        }
        self.counters.requests.fetch_add(1, Ordering::Relaxed);
        Some(InFlight { activity: self, begun, is_answered: false })
    }

    pub fn statistics(&self) -> Statistics {
        let counters = &self.counters;
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let shortest = read(&counters.shortest);
        let has_answers = shortest != u64::MAX;
        Statistics {
            requests: read(&counters.requests),
            in_flight: self.in_flight(),
            succeeded: read(&counters.succeeded),
            refused: read(&counters.refused),
            failed: read(&counters.failed),
            unanswered: read(&counters.unanswered),
            abandoned: read(&counters.abandoned),
            total: Duration::from_micros(read(&counters.total)),
            shortest: has_answers.then(|| Duration::from_micros(shortest)),
            longest: has_answers.then(|| Duration::from_micros(read(&counters.longest))),
        }
    }
}

impl Activity {
    pub fn latency(&self) -> Latency {
        self.latency.read()
    }

    /// The last requests that went wrong, the newest first.
    pub fn failures(&self) -> Vec<Failure> {
        self.failures.all()
    }
}

impl InFlight<'_> {
    /// The request is answered.
    pub fn ended(self, ending: Ending<'_>) {
        let Ending { status, said, is_unanswered } = ending;
        let activity = self.activity;
        if is_unanswered {
            activity.counters.unanswered.fetch_add(1, Ordering::Relaxed);
        }
        if is_unanswered || status >= 400 {
            activity.failures.add(status, self.begun.elapsed(), said);
        }
        self.answered(status);
    }

    fn answered(mut self, status: u16) {
        self.is_answered = true;
        let counters = &self.activity.counters;
        let counter = match status {
            200..=299 => &counters.succeeded,
            400..=499 => &counters.refused,
            _ => &counters.failed,
        };
        counter.fetch_add(1, Ordering::Relaxed);
        let taken = u64::try_from(self.begun.elapsed().as_micros()).unwrap_or(u64::MAX - 1);
        counters.total.fetch_add(taken, Ordering::Relaxed);
        self.activity.latency.add(taken);
        // Most requests are neither: then the counters are only read.
        if taken > counters.longest.load(Ordering::Relaxed) {
            counters.longest.fetch_max(taken, Ordering::Relaxed);
        }
        if taken < counters.shortest.load(Ordering::Relaxed) {
            counters.shortest.fetch_min(taken, Ordering::Relaxed);
        }
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        if !self.is_answered {
            self.activity.counters.abandoned.fetch_add(1, Ordering::Relaxed);
        }
        self.activity.in_flight.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_counted_by_their_status_and_a_dropped_request_is_abandoned() {
        let activity = Activity::new(true);
        assert_eq!(activity.statistics().shortest, None);
        for status in [200, 204, 404, 500, 503] {
            let said = format!("said {status}");
            let ending = Ending { status, said: said.as_bytes(), is_unanswered: status == 204 };
            activity.admit(Instant::now()).expect("started").ended(ending);
        }
        let under_way = activity.admit(Instant::now()).expect("started");
        drop(activity.admit(Instant::now()));
        let seen = activity.statistics();
        assert_eq!((seen.requests, seen.in_flight, seen.abandoned), (7, 1, 1));
        assert_eq!((seen.succeeded, seen.refused, seen.failed, seen.unanswered), (2, 1, 2, 1));
        let failures = activity.failures();
        let failures: Vec<_> = failures.iter().map(|failure| (failure.status, failure.said.as_str())).collect();
        assert_eq!(failures, [(503, "said 503"), (500, "said 500"), (404, "said 404"), (204, "said 204")]);
        (0..20).for_each(|_| {
            let ending = Ending { status: 500, said: &[b'\n'; 600], is_unanswered: false };
            activity.admit(Instant::now()).expect("started").ended(ending);
        });
        let failures = activity.failures();
        assert_eq!((failures.len(), failures[9].said.len()), (failures::MOST, 512));
        assert!(seen.shortest <= seen.longest && seen.longest.is_some());
        drop(under_way);
        assert_eq!(activity.in_flight(), 0);
    }

    #[test]
    fn while_stopped_nothing_begins_and_nothing_is_counted() {
        let activity = Activity::new(false);
        assert!(activity.admit(Instant::now()).is_none());
        assert_eq!((activity.in_flight(), activity.statistics().requests), (0, 0));
        activity.start();
        let under_way = activity.admit(Instant::now()).expect("started");
        activity.stop();
        assert!(activity.admit(Instant::now()).is_none());
        assert_eq!(activity.in_flight(), 1);
        drop(under_way);
    }

    #[test]
    fn who_stops_and_sees_nothing_under_way_sees_nothing_begin() {
        let activity = Activity::new(true);
        std::thread::scope(|scope| {
            let worker = scope.spawn(|| {
                let mut begun = 0_u64;
                while let Some(one) = activity.admit(Instant::now()) {
                    begun += 1;
                    one.ended(Ending { status: 200, said: b"", is_unanswered: false });
                }
                begun
            });
            while activity.statistics().requests < 1000 {
                std::thread::yield_now();
            }
            activity.stop();
            while activity.in_flight() > 0 {
                std::thread::yield_now();
            }
            let at_rest = activity.statistics().requests;
            assert_eq!(worker.join().expect("no panic"), at_rest);
        });
    }
}
