//! What a pool has done so far. Counted where a connection is made, closed or waited for: a reused one counts nothing.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Why a connection was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClosedBy {
    /// It was made because all others were in use, or none is kept.
    Overflow,
    /// It was idle for too long.
    Idle,
    /// It broke, or its queue manager ends.
    Lost,
    /// Its request ended in its middle: the client went away, or something was left open.
    Abandoned,
    /// Its pool was closed or made smaller: another configuration, the end of the queue manager or of the server.
    Retired,
}

impl ClosedBy {
    pub const ALL: [Self; 5] = [Self::Overflow, Self::Idle, Self::Lost, Self::Abandoned, Self::Retired];

    /// One word, for metrics.
    pub fn word(self) -> &'static str {
        match self {
            Self::Overflow => "overflow",
            Self::Idle => "idle",
            Self::Lost => "lost",
            Self::Abandoned => "abandoned",
            Self::Retired => "retired",
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Counters {
    created: AtomicU64,
    failed: AtomicU64,
    closed: [AtomicU64; ClosedBy::ALL.len()],
    waited: AtomicU64,
    overflowed: AtomicU64,
    refused: AtomicU64,
}

impl Counters {
    pub(crate) fn created(&self) {
        self.created.fetch_add(1, Relaxed);
    }

    pub(crate) fn failed(&self) {
        self.failed.fetch_add(1, Relaxed);
    }

    pub(crate) fn closed(&self, by: ClosedBy, count: usize) {
        self.closed[by as usize].fetch_add(count as u64, Relaxed);
    }

    pub(crate) fn waited(&self) {
        self.waited.fetch_add(1, Relaxed);
    }

    pub(crate) fn overflowed(&self) {
        self.overflowed.fetch_add(1, Relaxed);
    }

    pub(crate) fn refused(&self) {
        self.refused.fetch_add(1, Relaxed);
    }

    pub(crate) fn read(&self, in_use: usize, idle: usize, waiting: usize) -> Statistics {
        Statistics {
            in_use: in_use as u64,
            idle: idle as u64,
            waiting: waiting as u64,
            created: self.created.load(Relaxed),
            failed: self.failed.load(Relaxed),
            closed: self.closed.each_ref().map(|count| count.load(Relaxed)),
            waited: self.waited.load(Relaxed),
            overflowed: self.overflowed.load(Relaxed),
            refused: self.refused.load(Relaxed),
        }
    }
}

/// A moment's state of one pool, or of several added up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Connections lent just now.
    pub in_use: u64,
    pub idle: u64,
    /// Requests that wait for a connection just now.
    pub waiting: u64,
    pub created: u64,
    /// Attempts to connect that failed.
    pub failed: u64,
    /// By the order of [`ClosedBy::ALL`].
    pub closed: [u64; ClosedBy::ALL.len()],
    /// Requests that had to wait.
    pub waited: u64,
    /// Requests that got a connection of their own because all others were in use.
    pub overflowed: u64,
    /// Requests that got none because all were in use.
    pub refused: u64,
}

impl std::ops::AddAssign for Statistics {
    fn add_assign(&mut self, other: Self) {
        self.in_use += other.in_use;
        self.idle += other.idle;
        self.waiting += other.waiting;
        self.created += other.created;
        self.failed += other.failed;
        for (sum, count) in self.closed.iter_mut().zip(other.closed) {
            *sum += count;
        }
        self.waited += other.waited;
        self.overflowed += other.overflowed;
        self.refused += other.refused;
    }
}
