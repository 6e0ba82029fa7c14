//! The one place that asks the machine for the time.
//!
//! A clock has two faces: the time of day, and moments at which waits end. Only the clock of a server that is started for tests can be
//! moved. Who moves it calls `QueueManager::clock_moved`, so that every wait looks again.

use std::time::{SystemTime, UNIX_EPOCH};

use model::timestamp::Timestamp;
use test_control::clock::TestClock;
use tokio::time::Instant;

pub trait Clock: Send + Sync {
    fn now(&self) -> Timestamp;

    /// Where waits stand: their ends are moments of this clock.
    fn instant(&self) -> Instant {
        Instant::now()
    }

    /// When the machine's clock has come to a moment of this one, unless this one is moved before.
    fn to_machine(&self, at: Instant) -> Instant {
        at
    }

    /// The moment of this clock that is as far away as a moment of the machine's.
    fn of_machine(&self, at: Instant) -> Instant {
        at
    }
}

/// The machine's clock.
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one owner of the wall clock")]
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(u64::try_from(since.as_micros()).unwrap_or(u64::MAX))
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        self.now()
    }

    fn instant(&self) -> Instant {
        self.instant()
    }

    fn to_machine(&self, at: Instant) -> Instant {
        self.to_machine(at)
    }

    fn of_machine(&self, at: Instant) -> Instant {
        self.of_machine(at)
    }
}
