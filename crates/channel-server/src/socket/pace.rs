//! Heartbeats, silence, and the disconnect interval of one socket.
//!
//! No clock is read for a verb: a timer ticks, and between two ticks it is only noted that something came, went or was
//! asked for.
//!
//! Source: MQ reference, "HBINT", "DISCINT", 9.3: the heartbeat interval is the longer of both ends' and never when this
//! end has 0; the disconnect interval counts between calls, not while one waits, nor while a
//! consumer does.

use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Interval, MissedTickBehavior};

/// Heartbeat intervals of silence after which the partner counts as gone.
const PATIENCE: u32 = 3;

pub(super) struct Pace {
    timer: Option<Interval>,
    terms: PaceTerms,
    state: PaceState,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct PaceTerms {
    /// `None` for never.
    pub(super) heartbeat: Option<Duration>,
    pub(super) disconnect_interval: Option<Duration>,
    /// The partner answers at any time; otherwise only while it waits for an answer itself. One that has begun a segment
    /// owes the rest.
    pub(super) is_multiplexed: bool,
}

#[derive(Debug, Default)]
struct PaceState {
    heard: bool,
    spoke: bool,
    called: bool,
    /// What came last is not whole.
    is_within_segment: bool,
    /// How long nothing came, nothing went, nothing was asked for.
    silence: Duration,
    quiet: Duration,
    idle: Duration,
}

/// What a tick of the timer leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tick {
    Nothing,
    /// Ask whether the partner is still there.
    Heartbeat,
    /// It is not.
    Silent,
    /// It has asked for nothing within the disconnect interval.
    Idle,
}

impl Pace {
    pub(super) fn new(terms: PaceTerms) -> Self {
        let timer = terms.period().map(|period| {
            let mut timer = tokio::time::interval_at(tokio::time::Instant::now() + period, period);
            timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
            timer
        });
        Self { timer, terms, state: PaceState::default() }
    }

    /// Something came in, perhaps with the beginning of a segment at its end.
    pub(super) fn heard(&mut self, is_within_segment: bool) {
        self.state.heard = true;
        self.state.is_within_segment = is_within_segment;
    }

    /// Something went out.
    pub(super) fn spoke(&mut self) {
        self.state.spoke = true;
    }

    /// The partner asked for something.
    pub(super) fn called(&mut self) {
        self.state.called = true;
    }

    /// Ready at each tick.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        match &mut self.timer {
            Some(timer) => timer.poll_tick(context).map(|_| ()),
            None => Poll::Pending,
        }
    }

    /// Call at each tick. `is_busy`: a call of the partner is under way. `awaits_messages`: a consumer of it waits.
    pub(super) fn tick(&mut self, is_busy: bool, awaits_messages: bool) -> Tick {
        self.state.tick(&self.terms, is_busy, awaits_messages)
    }
}

impl PaceTerms {
    /// Between two ticks: the shorter of both intervals.
    fn period(&self) -> Option<Duration> {
        match (self.heartbeat, self.disconnect_interval) {
            (Some(heartbeat), Some(disconnect_interval)) => Some(heartbeat.min(disconnect_interval)),
            (one, other) => one.or(other),
        }
    }
}

impl PaceState {
    fn tick(&mut self, terms: &PaceTerms, is_busy: bool, awaits_messages: bool) -> Tick {
        let period = terms.period().unwrap_or_default();
        let longer = |time: Duration, goes_on: bool| if goes_on { time + period } else { Duration::ZERO };
        self.silence = longer(self.silence, !self.heard);
        self.quiet = longer(self.quiet, !self.spoke);
        self.idle = longer(self.idle, !self.called && !is_busy && !awaits_messages);
        (self.heard, self.spoke, self.called) = (false, false, false);
        if terms.disconnect_interval.is_some_and(|interval| self.idle >= interval) {
            return Tick::Idle;
        }
        let is_owed = terms.is_multiplexed || is_busy || self.is_within_segment;
        let Some(heartbeat) = terms.heartbeat.filter(|_| is_owed) else {
            self.silence = Duration::ZERO;
            return Tick::Nothing;
        };
        if self.silence >= heartbeat * PATIENCE {
            return Tick::Silent;
        }
        if self.silence >= heartbeat || self.quiet >= heartbeat { Tick::Heartbeat } else { Tick::Nothing }
    }
}

#[cfg(test)]
mod tests;
