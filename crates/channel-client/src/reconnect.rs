//! Whether and how patiently a lost connection is made again. Pure data: the clock and the sockets are elsewhere.
//!
//! Source: MQ reference, MQCNO_RECONNECT*; MQ Configuring, "Channels stanza of the client configuration file": ReconDelay
//! and MQReconnectTimeout, 9.3.

use std::sync::Arc;
use std::time::Duration;

use model::reason::Reason;

/// MQCNO_RECONNECT*.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reconnect {
    /// MQCNO_RECONNECT_DISABLED: a lost connection is 2009 from then on.
    #[default]
    Disabled,
    /// MQCNO_RECONNECT: to any queue manager that the connection names lead to.
    Any,
    /// MQCNO_RECONNECT_Q_MGR: to the same queue manager, known by its identifier.
    SameQueueManager,
}

/// How long to try, and the pauses between the tries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patience {
    /// MQReconnectTimeout: after this the connection is lost, with 2548.
    pub limit: Duration,
    /// ReconDelay: pause before each try, and its random part. The last one is used for all further tries. Never empty.
    delays: Vec<(Duration, Duration)>,
}

impl Default for Patience {
    /// The published defaults: half an hour, `(1000,200)(2000,200)(4000,1000)`.
    fn default() -> Self {
        let ms = Duration::from_millis;
        Self {
            limit: Duration::from_secs(1800),
            delays: vec![(ms(1000), ms(200)), (ms(2000), ms(200)), (ms(4000), ms(1000))],
        }
    }
}

impl Patience {
    /// `delays` as ReconDelay has them: pause and random part. `None` when there are none.
    pub fn new(limit: Duration, delays: Vec<(Duration, Duration)>) -> Option<Self> {
        (!delays.is_empty()).then_some(Self { limit, delays })
    }

    /// Pause before try number `attempt`, from 0. `chance` lies between 0 and 1.
    pub fn pause(&self, attempt: usize, chance: f64) -> Duration {
        let (fixed, random) = self.delays[attempt.min(self.delays.len() - 1)];
        fixed + random.mul_f64(chance.clamp(0.0, 1.0))
    }
}

/// What a program is told of while its connection is made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A try follows this pause.
    Reconnecting(Duration),
    Reconnected,
    /// It is not made again, for this reason: 2548, 2546 or 2556.
    Failed(Reason),
}

/// Told of events by the call that makes the connection again. It answers `Reconnecting` with the pause to make; with `None` the
/// connection is given up (2548). The connection ignores its other answers.
pub type Observer = Arc<dyn Fn(Event) -> Option<Duration> + Send + Sync>;

/// Whether a connection that could not be made for this reason is worth trying again: the queue manager may yet come,
/// while a wrong channel or password stays wrong.
pub fn is_passing(reason: Reason) -> bool {
    reason.ends_connection()
        || matches!(
            reason,
            Reason::HostNotAvailable
                | Reason::ChannelNotAvailable
                | Reason::StandbyQMgr
                | Reason::ReconnectQmidMismatch
                | Reason::MaxConnsLimitReached
                | Reason::ResourceProblem
        )
}

#[cfg(test)]
mod tests;
