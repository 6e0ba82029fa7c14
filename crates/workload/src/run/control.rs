//! Orders for the clients of a run: whether to work, for how many transactions, and when to stop.
//!
//! Invariants
//! - Nobody works in `Resting`: once `is_at_rest` says so, every transaction begun before has ended.
//! - In a phase with tickets exactly so many transactions begin, however they end.
//! - Whoever waits is woken by every change of phase.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU8, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::Thread;

use tokio::sync::watch;

/// What a run is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Phase {
    /// Clients connect and wait.
    Starting = 0,
    WarmingUp = 1,
    /// Nobody begins a transaction.
    Resting = 2,
    Measuring = 3,
    Stopping = 4,
}

impl Phase {
    fn of(number: u8) -> Self {
        [Self::Starting, Self::WarmingUp, Self::Resting, Self::Measuring]
            .into_iter()
            .find(|phase| *phase as u8 == number)
            .unwrap_or(Self::Stopping)
    }

    pub(crate) fn is_working(self) -> bool {
        matches!(self, Self::WarmingUp | Self::Measuring)
    }
}

/// Shared by the clients and the timekeeper.
pub(crate) struct Control {
    phase: AtomicU8,
    news: watch::Sender<Phase>,
    /// Transactions that may still begin in this phase; without a limit it is never counted.
    tickets: AtomicI64,
    is_limited: AtomicBool,
    /// Transactions that ended since the run began.
    ended: AtomicU64,
    /// Transactions that have begun and not ended.
    under_way: AtomicU64,
    /// Who waits for the last ticket's transaction to end, and at what count of `ended`.
    keeper: Mutex<Option<Thread>>,
    due: AtomicU64,
}

/// What a client is to do now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Begin a transaction; `Control::leave` ends it.
    Work,
    /// Wait for the next phase.
    Wait,
    Stop,
}

impl Control {
    pub(crate) fn new() -> Self {
        Self {
            phase: AtomicU8::new(Phase::Starting as u8),
            news: watch::Sender::new(Phase::Starting),
            tickets: AtomicI64::new(0),
            is_limited: AtomicBool::new(false),
            ended: AtomicU64::new(0),
            under_way: AtomicU64::new(0),
            keeper: Mutex::new(None),
            due: AtomicU64::new(u64::MAX),
        }
    }

    pub(crate) fn phase(&self) -> Phase {
        Phase::of(self.phase.load(Ordering::SeqCst))
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<Phase> {
        self.news.subscribe()
    }

    /// Begins a phase in which any number of transactions, or so many, may begin. The calling thread is unparked when the
    /// last of them has ended. With a limit nobody may be at work before.
    pub(crate) fn begin(&self, phase: Phase, tickets: Option<u64>) {
        // Limits of a phase that ends hold until it has ended.
        if phase.is_working() {
            self.is_limited.store(tickets.is_some(), Ordering::SeqCst);
            self.tickets.store(tickets.map_or(0, |count| i64::try_from(count).unwrap_or(i64::MAX)), Ordering::SeqCst);
            let due = tickets.map_or(u64::MAX, |count| self.ended().saturating_add(count));
            self.due.store(due, Ordering::SeqCst);
            *self.keeper.lock().unwrap_or_else(PoisonError::into_inner) = Some(std::thread::current());
        }
        self.phase.store(phase as u8, Ordering::SeqCst);
        self.news.send_replace(phase);
    }

    pub(crate) fn stop(&self) {
        self.begin(Phase::Stopping, None);
    }

    /// Whether every transaction of a phase with tickets has ended.
    pub(crate) fn is_done(&self) -> bool {
        self.ended() >= self.due.load(Ordering::SeqCst)
    }

    pub(crate) fn is_at_rest(&self) -> bool {
        self.under_way.load(Ordering::SeqCst) == 0
    }

    /// Transactions that ended since the run began, however.
    pub(crate) fn ended(&self) -> u64 {
        self.ended.load(Ordering::SeqCst)
    }

    /// Asks for a turn.
    pub(crate) fn enter(&self) -> Turn {
        // Before the phase is read: whoever has seen nobody under way may rely on it.
        self.under_way.fetch_add(1, Ordering::SeqCst);
        let phase = self.phase();
        if phase.is_working() && self.takes_ticket() {
            return Turn::Work;
        }
        self.under_way.fetch_sub(1, Ordering::SeqCst);
        if phase == Phase::Stopping { Turn::Stop } else { Turn::Wait }
    }

    fn takes_ticket(&self) -> bool {
        !self.is_limited.load(Ordering::SeqCst) || self.tickets.fetch_sub(1, Ordering::SeqCst) > 0
    }

    /// Ends a transaction that `enter` allowed.
    pub(crate) fn leave(&self) {
        self.under_way.fetch_sub(1, Ordering::SeqCst);
        let ended = self.ended.fetch_add(1, Ordering::SeqCst) + 1;
        if ended == self.due.load(Ordering::SeqCst)
            && let Some(keeper) = &*self.keeper.lock().unwrap_or_else(PoisonError::into_inner)
        {
            keeper.unpark();
        }
    }
}

#[cfg(test)]
mod tests;
