//! The threads that serve connections, each with a runtime of its own; and the places of connections (`places.rs`).
//!
//! A connection stays on the thread it was given to, so that serving it never wakes another thread: with tasks shared
//! between threads, a durable put cost four sleeps and wake-ups of threads, dearer than everything else together.
//!
//! Few connections are gathered on few threads: one thread that is woken for several of them does with half the sleeps of
//! two, and a sync of the recovery log has one to wake. Ten clients' persistent put and get cost 51 µs so, and 63 spread.
//!
//! All doors of a server share the threads, and each counts its own connections only (`Seats`), so that many idle ones of
//! one door do not scatter the few busy ones of another. Every door fills them from the first on: a request that comes by one
//! door and is answered by a program behind another then wakes no other thread on its way. Ten clients' persistent request
//! and reply by HTTP, with a responder on a channel, cost 79 µs so, and 97 with the doors on a thread each.

mod alarm;
pub mod places;

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use tokio::task::AbortHandle;

use self::alarm::Alarm;

/// How often a thread wakes for nothing. A timer that ends before all others of its thread costs a wake-up when it is set, and
/// one that ends later costs none: with this one nearly all waits of requests, which are seconds, are of the second kind.
const TICK: Duration = Duration::from_secs(1);

/// What a thread does once it has run out of work; it is called again at the time it returns, if nothing wakes the
/// thread before.
pub type BeforeSleep = fn() -> Option<Instant>;

/// Dropping it ends the threads and whatever they still serve.
pub struct Workers {
    workers: Vec<Worker>,
}

struct Worker {
    runtime: Handle,
    thread: ThreadId,
    /// The thread ends when this is dropped.
    _alive: oneshot::Sender<()>,
}

/// The threads as one door fills them.
pub struct Seats {
    workers: Arc<Workers>,
    /// For each thread, the door's connections there.
    taken: Vec<Arc<AtomicUsize>>,
}

/// A thread for one connection, which is counted while this lives.
pub struct Seat {
    runtime: Handle,
    thread: ThreadId,
    taken: Arc<AtomicUsize>,
}

impl Workers {
    /// One thread a processor, named `NAME-0` and so on. A thread calls `before_sleep` each time it has run out of work:
    /// there it may do what its tasks have left to it, and wake them.
    ///
    /// # Errors
    /// No more threads or descriptors.
    pub fn start(name: &str, before_sleep: BeforeSleep) -> io::Result<Self> {
        Self::with(name, std::thread::available_parallelism().map_or(2, usize::from), before_sleep, Priority::Usual)
    }

    /// One thread, which does nothing before it sleeps: for what has to answer however busy others are. Where the system
    /// allows it, the thread goes before others.
    ///
    /// # Errors
    /// As `start`.
    pub fn one(name: &str) -> io::Result<Self> {
        Self::with(name, 1, || None, Priority::Raised)
    }

    fn with(name: &str, count: usize, before_sleep: BeforeSleep, priority: Priority) -> io::Result<Self> {
        (0..count.max(1))
            .map(|number| Worker::start(name, number, before_sleep, priority))
            .collect::<io::Result<_>>()
            .map(|workers| Self { workers })
    }
}

impl Worker {
    fn start(name: &str, number: usize, before_sleep: BeforeSleep, priority: Priority) -> io::Result<Self> {
        let alarm = Arc::new(Alarm::new()?);
        let hook = {
            let alarm = Arc::clone(&alarm);
            move || {
                if let Some(time) = before_sleep() {
                    alarm.set(time);
                }
            }
        };
        let runtime = Builder::new_current_thread().enable_all().on_thread_park(hook).build()?;
        let handle = runtime.handle().clone();
        let (alive, ended) = oneshot::channel::<()>();
        let thread = std::thread::Builder::new().name(format!("{name}-{number}")).spawn(move || {
            priority.take();
            runtime.spawn(alarm::listen(alarm));
            runtime.spawn(tick());
            // Ends with an error, which only says that the sender is gone.
            let _ = runtime.block_on(ended);
            runtime.shutdown_background();
        })?;
        Ok(Self { runtime: handle, thread: thread.thread().id(), _alive: alive })
    }
}

#[derive(Clone, Copy)]
enum Priority {
    Usual,
    Raised,
}

impl Priority {
    /// Niceness of a raised thread.
    const RAISED: i32 = -10;

    /// Of the thread that calls.
    fn take(self) {
        if matches!(self, Self::Raised)
            && let Err(error) = rustix::process::setpriority_process(None, Self::RAISED)
        {
            tracing::debug!(%error, "a thread cannot go before others");
        }
    }
}

async fn tick() {
    let mut tick = tokio::time::interval(TICK);
    loop {
        tick.tick().await;
    }
}

impl Seats {
    /// One for each door.
    pub fn new(workers: Arc<Workers>) -> Self {
        let taken = workers.workers.iter().map(|_| Arc::default()).collect();
        Self { workers, taken }
    }

    /// Of the thread that gets the first connections: who accepts there hands over what stays there without waking
    /// another thread.
    pub fn first(&self) -> &Handle {
        &self.workers.workers[0].runtime
    }

    /// On the first thread that serves fewer than `few` of this door, or else on the one that serves the fewest.
    pub fn take(&self, few: usize) -> Seat {
        let threads = self.workers.workers.iter().zip(&self.taken);
        let thread = threads.min_by_key(|(_, taken)| (taken.load(Relaxed) + 1).max(few));
        let (worker, taken) = thread.expect("there is a thread at least");
        taken.fetch_add(1, Relaxed);
        Seat { runtime: worker.runtime.clone(), thread: worker.thread, taken: Arc::clone(taken) }
    }

    /// Runs a connection where `take` says.
    pub fn spawn(&self, few: usize, connection: impl Future<Output = ()> + Send + 'static) {
        self.take(few).spawn(connection);
    }
}

impl Seat {
    /// Whether it is on the thread that asks.
    pub fn is_here(&self) -> bool {
        std::thread::current().id() == self.thread
    }

    /// Returns what ends it early.
    pub fn spawn(self, connection: impl Future<Output = ()> + Send + 'static) -> AbortHandle {
        let task = self.runtime.clone().spawn(async move {
            connection.await;
            drop(self);
        });
        task.abort_handle()
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.taken.fetch_sub(1, Relaxed);
    }
}

#[cfg(test)]
mod tests;
