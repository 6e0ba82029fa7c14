//! A load on queues: some clients send, then receive and delete what they sent, again and again.
//!
//! The two are apart, so that each has a processor time and a rate of its own. A queue holds few messages at a time, which
//! suits servers that search their queues.

use std::cell::RefCell;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use workload::batch;
use workload::processor::processor_time;

use super::manner;
use super::queue::{CLIENTS, Connection, HttpQueue, Taking};
use crate::interleave::{Cell, Measured};

/// Messages that each client sends before it receives: its queue's depth.
const DEPTH: usize = 100;

/// What of a load is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Figure {
    SendCost,
    TakeCost,
    SendRate,
    TakeRate,
}

impl Figure {
    pub(super) const ALL: [Self; 4] = [Self::SendCost, Self::TakeCost, Self::SendRate, Self::TakeRate];

    /// Less is better.
    pub(super) fn is_cost(self) -> bool {
        matches!(self, Self::SendCost | Self::TakeCost)
    }

    pub(super) fn unit(self) -> &'static str {
        if self.is_cost() { "µs" } else { "/s" }
    }

    pub(super) fn column(self) -> &'static str {
        match self {
            Self::SendCost => "send: CPU µs",
            Self::TakeCost => "receive and delete: CPU µs",
            Self::SendRate => "send: messages a second",
            Self::TakeRate => "receive and delete: messages a second",
        }
    }

    /// The best of these cells.
    pub(super) fn best(self, cells: impl Iterator<Item = &'static str>, measured: &Measured) -> Option<&'static str> {
        let by_median = |a: &&str, b: &&str| measured.median(a).total_cmp(&measured.median(b));
        if self.is_cost() { cells.min_by(by_median) } else { cells.max_by(by_median) }
    }
}

/// One figure of each kind, in the order of `Figure::ALL`.
type Figures = [f64; Figure::ALL.len()];

pub(super) struct Load<'a> {
    pub(super) queue: &'a dyn HttpQueue,
    /// Messages of a request.
    pub(super) together: usize,
    /// How long one measurement takes.
    length: Duration,
    /// Names of the cells.
    names: [&'static str; Figure::ALL.len()],
    /// What the last measurement brought, until it is taken.
    left: RefCell<[Option<f64>; Figure::ALL.len()]>,
}

impl<'a> Load<'a> {
    pub(super) fn new(queue: &'a dyn HttpQueue, together: usize, length: Duration) -> Self {
        let load = named(queue, together);
        // A cell's name lasts as long as the program.
        let name = |figure: Figure| &*format!("{load}: {}", figure.column()).leak();
        Self { queue, together, length, names: Figure::ALL.map(name), left: RefCell::default() }
    }

    pub(super) fn name(&self) -> String {
        named(self.queue, self.together)
    }

    pub(super) fn cell(&self, figure: Figure) -> &'static str {
        self.names[figure as usize]
    }

    /// A cell for each figure. The one that is asked first in a round runs the load, the others take what is left.
    pub(super) fn cells(&self) -> [Cell<'_>; Figure::ALL.len()] {
        Figure::ALL.map(|figure| Cell::new(self.cell(figure), move || self.figure(figure)))
    }

    fn figure(&self, figure: Figure) -> Result<f64> {
        let mut left = self.left.borrow_mut();
        if left[figure as usize].is_none() {
            *left = self.run(self.length)?.map(Some);
        }
        left[figure as usize].take().context("a figure of each kind")
    }

    /// Runs the load for a while.
    ///
    /// # Errors
    /// The server refuses something, or its process is gone.
    #[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
    #[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
    pub(super) fn run(&self, length: Duration) -> Result<Figures> {
        let pids = self.queue.pids()?;
        let (turn, is_over) = (Barrier::new(CLIENTS + 1), AtomicBool::new(false));
        let (mut cpu, mut time, mut pieces) = ([Duration::ZERO; 2], [Duration::ZERO; 2], 0_usize);
        std::thread::scope(|scope| {
            let (queue, together, turn, is_over) = (self.queue, self.together, &turn, &is_over);
            let clients: Vec<_> = (0..CLIENTS)
                .map(|number| scope.spawn(move || client(queue, number, together, turn, is_over)))
                .collect();
            let phase = || {
                let before = used(&pids)?;
                let started = Instant::now();
                turn.wait();
                turn.wait();
                let took = started.elapsed();
                anyhow::Ok((used(&pids)?.saturating_sub(before), took))
            };
            let begun = Instant::now();
            let mut measured: Result<()> = Ok(());
            while measured.is_ok() && begun.elapsed() < length {
                measured = (0..2).try_for_each(|part| {
                    let (used, took) = phase()?;
                    cpu[part] += used;
                    time[part] += took;
                    Ok(())
                });
                pieces += 1;
            }
            is_over.store(true, Ordering::Relaxed);
            turn.wait();
            clients.into_iter().try_for_each(|client| client.join().map_err(|_| anyhow!("a client panicked"))?)?;
            measured
        })?;
        let messages = (pieces * CLIENTS * DEPTH) as f64;
        let cost = |part: usize| cpu[part].as_secs_f64() * 1e6 / messages;
        let rate = |part: usize| messages / time[part].as_secs_f64();
        Ok([cost(0), cost(1), rate(0), rate(1)])
    }
}

fn used(pids: &[u32]) -> Result<Duration> {
    pids.iter().map(|pid| Ok(processor_time(*pid, false)?.used)).sum()
}

fn named(queue: &dyn HttpQueue, together: usize) -> String {
    let at_once = if queue.taking() == Taking::AtOnce { ", at once" } else { "" };
    format!("{}, {}, {}{at_once}", queue.name(), queue.persistence().word(), manner(together))
}

/// Sends in one turn and receives in the next. Takes part in every turn to the end, also when something failed: the others
/// wait for it.
fn client(queue: &dyn HttpQueue, number: usize, together: usize, turn: &Barrier, is_over: &AtomicBool) -> Result<()> {
    batch::enter();
    let mut connection = Connection::new(queue.address(), queue.credentials());
    let mut result: Result<()> = Ok(());
    let mut sends = true;
    loop {
        turn.wait();
        if is_over.load(Ordering::Relaxed) {
            return result.with_context(|| queue.name());
        }
        if result.is_ok() {
            result = (0..DEPTH / together).try_for_each(|_| match sends {
                true => queue.send(&mut connection, number, together),
                false => queue.take(&mut connection, number, together),
            });
        }
        sends = !sends;
        turn.wait();
    }
}
