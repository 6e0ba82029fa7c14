//! A clock that is set, advanced and stopped.
//!
//! It has two faces. The time of day can be set to anything. The time by which waits end only goes forward: by what passes while the
//! clock runs, and by what it is advanced. Setting the time of day forward advances both.
//!
//! Never: wakes anybody. Who moves the clock tells those who wait.

use std::time::Duration;

use model::timestamp::Timestamp;
use parking_lot::Mutex;
use tokio::time::Instant;

/// A wait by a stopped clock is this long on the machine's, unless the clock is moved.
const VERY_LONG: Duration = Duration::from_secs(365 * 86_400);

#[derive(Debug)]
pub struct TestClock {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    is_running: bool,
    /// When it was touched last: by the machine's clock, and by both faces of this one.
    machine: Instant,
    day: Timestamp,
    waits: Instant,
}

impl State {
    fn passed(&self) -> Duration {
        if self.is_running { self.machine.elapsed() } else { Duration::ZERO }
    }

    /// Counts what has passed.
    fn touch(&mut self) {
        let passed = self.passed();
        self.machine = Instant::now();
        self.advance(passed);
    }

    fn advance(&mut self, by: Duration) {
        self.day = self.day.saturating_add(by);
        // What is beyond every moment that the machine knows stays where it is.
        self.waits = self.waits.checked_add(by).unwrap_or(self.waits);
    }
}

impl TestClock {
    /// Goes on from `now`.
    pub fn new(now: Timestamp) -> Self {
        let machine = Instant::now();
        Self { state: Mutex::new(State { is_running: true, machine, day: now, waits: machine }) }
    }

    pub fn now(&self) -> Timestamp {
        let state = self.state.lock();
        state.day.saturating_add(state.passed())
    }

    /// Where waits stand. Their ends are moments of this clock.
    pub fn instant(&self) -> Instant {
        let state = self.state.lock();
        state.waits + state.passed()
    }

    /// When the machine's clock has come to a moment of this one, unless this one is touched before.
    pub fn to_machine(&self, at: Instant) -> Instant {
        let state = self.state.lock();
        let left = at.saturating_duration_since(state.waits + state.passed());
        let now = Instant::now();
        if state.is_running || left.is_zero() { now + left.min(VERY_LONG) } else { now + VERY_LONG }
    }

    /// The moment of this clock that is as far away as a moment of the machine's.
    pub fn of_machine(&self, at: Instant) -> Instant {
        let left = at.saturating_duration_since(Instant::now());
        self.instant() + left.min(VERY_LONG)
    }

    pub fn is_running(&self) -> bool {
        self.state.lock().is_running
    }

    /// Stopped, it stands until it is moved or goes on.
    pub fn set_running(&self, is_running: bool) {
        let mut state = self.state.lock();
        state.touch();
        state.is_running = is_running;
    }

    pub fn advance(&self, by: Duration) {
        let mut state = self.state.lock();
        state.touch();
        state.advance(by);
    }

    /// Sets the time of day. Set back, it ends no wait.
    pub fn set(&self, to: Timestamp) {
        let mut state = self.state.lock();
        state.touch();
        let forward = to.since(state.day);
        if forward.is_zero() {
            state.day = to;
        } else {
            state.advance(forward);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Timestamp = Timestamp(1_800_000_000_000_000);

    fn stopped() -> TestClock {
        let clock = TestClock::new(START);
        clock.set_running(false);
        clock.set(START);
        clock
    }

    #[test]
    fn a_stopped_clock_stands_and_goes_as_far_as_it_is_advanced() {
        let clock = stopped();
        let begun = clock.instant();
        clock.advance(Duration::from_secs(3600));
        assert_eq!(clock.now(), START.saturating_add(Duration::from_secs(3600)));
        assert_eq!(clock.instant() - begun, Duration::from_secs(3600));
    }

    #[test]
    fn time_set_forward_ends_waits_and_time_set_back_does_not() {
        let clock = stopped();
        let begun = clock.instant();
        clock.set(START.saturating_add(Duration::from_secs(10)));
        assert_eq!(clock.instant() - begun, Duration::from_secs(10));
        clock.set(START);
        assert_eq!((clock.now(), clock.instant() - begun), (START, Duration::from_secs(10)));
    }

    #[test]
    fn a_wait_is_as_long_on_the_machine_as_the_clock_leaves_it() {
        let clock = TestClock::new(START);
        let end = clock.instant() + Duration::from_secs(600);
        let left = |clock: &TestClock| clock.to_machine(end).saturating_duration_since(Instant::now());
        assert!((599..=600).contains(&left(&clock).as_secs()));
        clock.advance(Duration::from_secs(500));
        assert!((90..=100).contains(&left(&clock).as_secs()));
        clock.set_running(false);
        assert!(left(&clock) > Duration::from_secs(86_400), "nothing ends while the clock stands");
        clock.advance(Duration::from_secs(500));
        assert!(left(&clock).is_zero());
    }

    #[test]
    fn a_moment_of_the_machine_is_as_far_away_by_this_clock() {
        let clock = stopped();
        clock.advance(Duration::from_secs(1000));
        let end = clock.of_machine(Instant::now() + Duration::from_secs(60));
        assert!((59..=60).contains(&(end - clock.instant()).as_secs()));
    }
}
