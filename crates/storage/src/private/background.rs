//! Threads of a store that do for its callers what a thread that serves connections must not do: wait for a disk, or
//! work for long.
//!
//! A caller hands over a job and waits for its result as a future. Threads are started when jobs come, up to a maximum,
//! and end when the store is closed; by then every job that was accepted is done.
//!
//! Invariants
//! - A caller has one job at a time, so there are never more jobs than calls of the store.
//! - A job whose caller has gone is left out when it has not begun. Otherwise its result is dropped, on the job's thread:
//!   a result that owns something gives it back then.

use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::thread::JoinHandle;

use parking_lot::{Condvar, Mutex};

use crate::RecoveryLogError;

type Job = Box<dyn FnOnce() + Send>;

pub(crate) struct Background {
    shared: Arc<Shared>,
    /// Of the threads.
    name: &'static str,
    maximum: usize,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    work: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    threads: Vec<JoinHandle<()>>,
    idle: usize,
    closed: bool,
}

impl Background {
    pub(crate) fn new(name: &'static str, maximum: usize) -> Self {
        Self { shared: Arc::default(), name, maximum }
    }

    /// Does the job on another thread, after those handed over before. Dropped, it leaves out a job that has not begun.
    ///
    /// # Errors
    /// No thread can be started, the store is closed, or the job has panicked.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, RecoveryLogError> {
        let parcel = Arc::new(Mutex::new(Parcel::Awaited(None)));
        let delivery = Delivery(Arc::clone(&parcel));
        self.post(move || {
            if delivery.is_awaited() {
                delivery.deliver(job());
            }
        })?;
        Awaited(parcel).await.ok_or(RecoveryLogError::Panic)
    }

    /// Has the job done, without waiting for it.
    ///
    /// # Errors
    /// As `run`; the job is not done then.
    pub(crate) fn post(&self, job: impl FnOnce() + Send + 'static) -> Result<(), RecoveryLogError> {
        let mut state = self.shared.state.lock();
        if state.closed {
            return Err(self.refused(io::ErrorKind::NotConnected.into()));
        }
        if state.idle <= state.jobs.len() && state.threads.len() < self.maximum {
            match self.start() {
                Ok(thread) => state.threads.push(thread),
                Err(error) if state.threads.is_empty() => return Err(self.refused(error)),
                Err(error) => tracing::debug!(%error, threads = self.name, "fewer threads do the work"),
            }
        }
        state.jobs.push_back(Box::new(job));
        drop(state);
        self.shared.work.notify_one();
        Ok(())
    }

    fn start(&self) -> io::Result<JoinHandle<()>> {
        let shared = Arc::clone(&self.shared);
        std::thread::Builder::new().name(self.name.to_owned()).spawn(move || shared.work())
    }

    fn refused(&self, source: io::Error) -> RecoveryLogError {
        RecoveryLogError::Disk { action: "hand work over to", file: format!("the threads {}", self.name), source }
    }

    /// Accepts no more jobs, and waits for those that were accepted.
    pub(crate) fn close(&self) {
        let threads = {
            let mut state = self.shared.state.lock();
            state.closed = true;
            std::mem::take(&mut state.threads)
        };
        self.shared.work.notify_all();
        for thread in threads {
            if thread.join().is_err() {
                tracing::error!(thread = self.name, "a thread of the store has panicked");
            }
        }
    }
}

impl Shared {
    fn work(&self) {
        while let Some(job) = self.next() {
            // What panics is a job; its caller is told by `Delivery`.
            let _ = catch_unwind(AssertUnwindSafe(job));
        }
    }

    fn next(&self) -> Option<Job> {
        let mut state = self.state.lock();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                return Some(job);
            }
            if state.closed {
                return None;
            }
            state.idle += 1;
            self.work.wait(&mut state);
            state.idle -= 1;
        }
    }
}

/// A result on its way from its job to its caller.
enum Parcel<T> {
    Awaited(Option<Waker>),
    Delivered(T),
    /// The job has panicked.
    Lost,
    /// The caller has it, or has gone.
    Over,
}

/// The job's end.
struct Delivery<T>(Arc<Mutex<Parcel<T>>>);

impl<T> Delivery<T> {
    fn is_awaited(&self) -> bool {
        matches!(*self.0.lock(), Parcel::Awaited(_))
    }

    fn deliver(&self, result: T) {
        self.settle(Parcel::Delivered(result));
    }

    fn settle(&self, outcome: Parcel<T>) {
        let mut parcel = self.0.lock();
        if let Parcel::Awaited(waker) = &mut *parcel {
            let waker = waker.take();
            *parcel = outcome;
            drop(parcel);
            waker.into_iter().for_each(Waker::wake);
        }
    }
}

impl<T> Drop for Delivery<T> {
    fn drop(&mut self) {
        self.settle(Parcel::Lost);
    }
}

/// The caller's end: `None` when the job has panicked.
struct Awaited<T>(Arc<Mutex<Parcel<T>>>);

impl<T> Future for Awaited<T> {
    type Output = Option<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<T>> {
        let mut parcel = self.0.lock();
        match std::mem::replace(&mut *parcel, Parcel::Over) {
            Parcel::Awaited(_) => {
                *parcel = Parcel::Awaited(Some(context.waker().clone()));
                Poll::Pending
            }
            Parcel::Delivered(result) => Poll::Ready(Some(result)),
            Parcel::Lost | Parcel::Over => Poll::Ready(None),
        }
    }
}

impl<T> Drop for Awaited<T> {
    fn drop(&mut self) {
        // A result that nobody takes is dropped without the lock.
        let left = std::mem::replace(&mut *self.0.lock(), Parcel::Over);
        drop(left);
    }
}

#[cfg(test)]
mod tests;
