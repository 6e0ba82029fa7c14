//! What tests of applications hold in their hands while a server runs for them: faults by rule, the clock, recorded calls
//! of APIs, and recorded messages.
//!
//! Decides which call or request a fault hits, and what time it is. Never: injects a fault itself, knows HTTP, channels or the queue
//! manager, or waits. The queue manager asks about calls in one place, the web door about requests in another.
//!
//! Invariant: a server that was not started for tests has no `TestControl`.

pub mod clock;
pub mod exchanges;
pub mod faults;
pub mod traffic;

use std::sync::Arc;

use model::timestamp::Timestamp;

use crate::clock::TestClock;
use crate::exchanges::Exchanges;
use crate::faults::Faults;
use crate::traffic::Traffic;

/// One for a server.
#[derive(Debug)]
pub struct TestControl {
    pub faults: Faults,
    pub clock: Arc<TestClock>,
    pub exchanges: Exchanges,
    pub traffic: Traffic,
}

impl TestControl {
    /// No rule, and a clock that goes on from `now`.
    pub fn new(now: Timestamp) -> Self {
        let clock = Arc::new(TestClock::new(now));
        Self { faults: Faults::default(), clock, exchanges: Exchanges::default(), traffic: Traffic::default() }
    }
}
