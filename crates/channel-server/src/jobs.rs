//! What is under way on one socket: futures that the socket's own task polls, each only when it was woken.
//!
//! A conversation is one such job for as long as it lives, an asynchronous consumer another, so that no task is made for a
//! verb. Waking a job while the socket's task runs costs a push to a list; otherwise it wakes
//! the task. Knows nothing of sockets or verbs.
//!
//! Invariants
//! - A job is polled by one thread at a time, and only by `Jobs::run`.
//! - A job whose handle was dropped is never polled again; its future is dropped with the handle, or at the end of the
//!   poll that is under way.
//! - Once `Jobs` is dropped, no list holds a job: a waker that is kept longer keeps nothing else alive.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use parking_lot::Mutex;

type JobFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The jobs of one socket, in the hands of the task that runs them.
pub(crate) struct Jobs {
    ready: Arc<Ready>,
    /// Swapped with the list of those that are ready, so that neither is allocated anew.
    running: Vec<Arc<Job>>,
}

/// Lets others add jobs to a socket.
#[derive(Clone)]
pub(crate) struct Spawner {
    ready: Arc<Ready>,
}

/// Keeps a job alive.
pub(crate) struct JobHandle {
    job: Arc<Job>,
}

#[derive(Default)]
struct Ready {
    state: Mutex<ReadyState>,
}

#[derive(Default)]
struct ReadyState {
    jobs: Vec<Arc<Job>>,
    /// The socket's task, while it sleeps.
    task: Option<Waker>,
    /// Nobody runs jobs any more.
    is_over: bool,
}

struct Job {
    /// Absent while it is polled, and when it has ended.
    future: Mutex<Option<JobFuture>>,
    is_cancelled: AtomicBool,
    /// Stands in the list already.
    is_ready: AtomicBool,
    ready: Arc<Ready>,
}

impl Jobs {
    pub(crate) fn new() -> Self {
        Self { ready: Arc::default(), running: Vec::new() }
    }

    pub(crate) fn spawner(&self) -> Spawner {
        Spawner { ready: self.ready.clone() }
    }

    /// Polls every job that is ready, and those that become ready meanwhile, `rounds` times at most. True when none is
    /// ready any more.
    pub(crate) fn run(&mut self, rounds: usize) -> bool {
        for _ in 0..rounds {
            std::mem::swap(&mut self.running, &mut self.ready.state.lock().jobs);
            if self.running.is_empty() {
                return true;
            }
            for job in self.running.drain(..) {
                job.poll();
            }
        }
        self.ready.state.lock().jobs.is_empty()
    }

    /// Whoever makes a job ready from now on wakes this task. False when one is ready already.
    pub(crate) fn sleep(&self, task: &Waker) -> bool {
        let mut state = self.ready.state.lock();
        if !state.jobs.is_empty() {
            return false;
        }
        if !state.task.as_ref().is_some_and(|known| known.will_wake(task)) {
            state.task = Some(task.clone());
        }
        true
    }

    /// The task runs: there is no need to wake it.
    pub(crate) fn awake(&self) {
        self.ready.state.lock().task = None;
    }
}

impl Drop for Jobs {
    fn drop(&mut self) {
        let mut state = self.ready.state.lock();
        state.is_over = true;
        let jobs = std::mem::take(&mut state.jobs);
        drop(state);
        drop(jobs);
    }
}

impl Spawner {
    /// Adds a job, which is polled for the first time when the socket's task next runs its jobs.
    pub(crate) fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) -> JobHandle {
        let job = Arc::new(Job {
            future: Mutex::new(Some(Box::pin(future))),
            is_cancelled: AtomicBool::new(false),
            is_ready: AtomicBool::new(false),
            ready: self.ready.clone(),
        });
        job.clone().wake();
        JobHandle { job }
    }
}

impl JobHandle {
    /// Has the job polled soon.
    pub(crate) fn wake(&self) {
        self.job.wake_by_ref();
    }
}

impl Drop for JobHandle {
    fn drop(&mut self) {
        self.job.is_cancelled.store(true, Ordering::Release);
        let future = self.job.future.lock().take();
        drop(future);
    }
}

impl Job {
    fn poll(self: &Arc<Self>) {
        self.is_ready.store(false, Ordering::Release);
        let Some(mut future) = self.future.lock().take() else { return };
        let waker = Waker::from(self.clone());
        let is_over = future.as_mut().poll(&mut Context::from_waker(&waker)) == Poll::Ready(());
        if !is_over {
            *self.future.lock() = Some(future);
            if self.is_cancelled.load(Ordering::Acquire) {
                let cancelled = self.future.lock().take();
                drop(cancelled);
            }
        }
    }
}

impl Wake for Job {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if self.is_ready.swap(true, Ordering::AcqRel) {
            return;
        }
        let mut state = self.ready.state.lock();
        if state.is_over {
            return;
        }
        state.jobs.push(self.clone());
        let task = state.task.take();
        drop(state);
        if let Some(task) = task {
            task.wake();
        }
    }
}

#[cfg(test)]
mod tests;
