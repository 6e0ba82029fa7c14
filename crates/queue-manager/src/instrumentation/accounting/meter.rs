//! What calls cost: CPU time by the kernel's clock of the thread, and time on the wall.
//!
//! Connections share threads, so a call is measured poll by poll: between two polls others run, and that is not counted.
//! What other threads do for a call (the log's writer, a neighbour that syncs for many) is not counted either, and what
//! this thread does for neighbours while it leads a sync is. Time on the wall runs from the first poll to the end,
//! waits included.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use rustix::time::{ClockId, clock_gettime};

#[derive(Debug, Default)]
pub(crate) struct Meter {
    cpu_nanoseconds: AtomicU64,
    elapsed_nanoseconds: AtomicU64,
}

impl Meter {
    /// CPU and elapsed time in microseconds since this was asked last.
    pub(crate) fn take(&self) -> (u64, u64) {
        let take = |counter: &AtomicU64| {
            let nanoseconds = counter.load(Ordering::Relaxed);
            // What does not make a whole microsecond is left for the next interval.
            counter.fetch_sub(nanoseconds - nanoseconds % 1000, Ordering::Relaxed);
            nanoseconds / 1000
        };
        (take(&self.cpu_nanoseconds), take(&self.elapsed_nanoseconds))
    }

    /// Measures a call that does not wait.
    pub(super) fn measure<T>(&self, call: impl FnOnce() -> T) -> T {
        let (cpu, since) = (read(ClockId::ThreadCPUTime), read(ClockId::Monotonic));
        let outcome = call();
        add(&self.cpu_nanoseconds, cpu, ClockId::ThreadCPUTime);
        add(&self.elapsed_nanoseconds, since, ClockId::Monotonic);
        outcome
    }
}

/// Nanoseconds.
fn read(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    let part = |value| u64::try_from(value).unwrap_or(0);
    part(time.tv_sec) * 1_000_000_000 + part(time.tv_nsec)
}

fn add(counter: &AtomicU64, since: u64, clock: ClockId) {
    counter.fetch_add(read(clock).saturating_sub(since), Ordering::Relaxed);
}

/// A call being measured; dropped before its end, it is measured up to there.
pub(crate) struct Metered<'a, F> {
    call: Pin<Box<F>>,
    meter: Option<&'a Meter>,
    /// By the monotonic clock; `None` before the first poll.
    since: Option<u64>,
}

impl<'a, F> Metered<'a, F> {
    /// Without a meter the call is only passed on.
    pub(crate) fn new(call: Pin<Box<F>>, meter: Option<&'a Meter>) -> Self {
        Self { call, meter, since: None }
    }
}

impl<F: Future> Future for Metered<'_, F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let Some(meter) = self.meter else { return self.call.as_mut().poll(context) };
        self.since.get_or_insert_with(|| read(ClockId::Monotonic));
        let cpu = read(ClockId::ThreadCPUTime);
        let polled = self.call.as_mut().poll(context);
        add(&meter.cpu_nanoseconds, cpu, ClockId::ThreadCPUTime);
        polled
    }
}

impl<F> Drop for Metered<'_, F> {
    fn drop(&mut self) {
        if let (Some(meter), Some(since)) = (self.meter, self.since) {
            add(&meter.elapsed_nanoseconds, since, ClockId::Monotonic);
        }
    }
}

#[cfg(test)]
mod tests;
