//! The threads that serve connections, each with a runtime of its own.
//!
//! A connection stays on the thread it was given to, so that serving it never wakes another thread: with tasks shared
//! between threads, a durable put cost four sleeps and wake-ups of threads, dearer than everything else together.
//!
//! Few connections are gathered on few threads: one thread that is woken for several of them does with half the sleeps of
//! two, and a sync of the recovery log has one to wake. Ten clients' persistent put and get cost 51 µs so, and 63 spread.

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

/// Dropping it ends the threads and whatever they still serve.
pub(crate) struct Workers {
    workers: Vec<Worker>,
}

struct Worker {
    runtime: Handle,
    load: Arc<AtomicUsize>,
    /// The thread ends when this is dropped.
    _alive: oneshot::Sender<()>,
}

/// Counts one connection while it lives.
struct Load(Arc<AtomicUsize>);

impl Workers {
    /// One thread a processor.
    ///
    /// # Errors
    /// No more threads or descriptors.
    pub(crate) fn start() -> io::Result<Self> {
        Self::with(std::thread::available_parallelism().map_or(2, usize::from))
    }

    fn with(count: usize) -> io::Result<Self> {
        (0..count).map(Worker::start).collect::<io::Result<_>>().map(|workers| Self { workers })
    }

    /// Runs the future on the first worker that serves fewer than `few`, or else on the one that serves the fewest.
    pub(crate) fn spawn(&self, few: usize, connection: impl Future<Output = ()> + Send + 'static) {
        let worker = self.workers.iter().min_by_key(|worker| (worker.load.load(Relaxed) + 1).max(few));
        let worker = worker.expect("there is a thread for each processor");
        let load = Load::add(&worker.load);
        worker.runtime.spawn(async move {
            connection.await;
            drop(load);
        });
    }
}

impl Worker {
    fn start(number: usize) -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (alive, ended) = oneshot::channel::<()>();
        std::thread::Builder::new().name(format!("https-{number}")).spawn(move || {
            // Ends with an error, which only says that the sender is gone.
            let _ = runtime.block_on(ended);
            runtime.shutdown_background();
        })?;
        Ok(Self { runtime: handle, load: Arc::default(), _alive: alive })
    }
}

impl Load {
    fn add(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Relaxed);
        Self(Arc::clone(count))
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

#[cfg(test)]
mod tests;
