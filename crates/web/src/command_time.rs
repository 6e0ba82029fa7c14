//! Processor time of administrative commands, by the kernel's clock of the thread that executes them: what of a request's cost is
//! the command's, and not TLS, HTTP or login.
//!
//! A command is what a handler below `/admin` does with a request, from its parameters to its answer's JSON, pieces of long lists
//! included: objects are read and written in one pass, so the two cannot be told apart. What a recovery log writes for a
//! change is not in it where another thread or a later turn of this one writes it.
//!
//! Two readings of the clock for each turn of a command; other requests, those for messages above all, read none.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll};

use bytes::Bytes;
use rustix::time::{ClockId, clock_gettime};

use crate::answer::{Answer, Body, Pieces};
use crate::error::ApiError;

/// Time used so far, and by how many commands.
#[derive(Debug, Default)]
pub(crate) struct CommandTime {
    nanoseconds: AtomicU64,
    commands: AtomicU64,
}

impl CommandTime {
    pub(crate) fn seconds(&self) -> f64 {
        std::time::Duration::from_nanos(self.nanoseconds.load(Relaxed)).as_secs_f64()
    }

    pub(crate) fn commands(&self) -> u64 {
        self.commands.load(Relaxed)
    }

    /// Executes a command that never waits.
    pub(crate) fn of(self: &Arc<Self>, command: impl FnOnce() -> Result<Answer, ApiError>) -> Result<Answer, ApiError> {
        self.commands.fetch_add(1, Relaxed);
        let answer = self.turn(command);
        Ok(self.with_pieces(answer?))
    }

    /// Executes one that may wait; what other tasks do meanwhile is not counted.
    pub(crate) async fn of_waiting(
        self: &Arc<Self>,
        command: impl Future<Output = Result<Answer, ApiError>> + Send,
    ) -> Result<Answer, ApiError> {
        self.commands.fetch_add(1, Relaxed);
        let answer = Turns { time: self, command: Box::pin(command) }.await;
        Ok(self.with_pieces(answer?))
    }

    fn turn<R>(&self, work: impl FnOnce() -> R) -> R {
        let before = thread_time();
        let result = work();
        self.nanoseconds.fetch_add(thread_time().saturating_sub(before), Relaxed);
        result
    }

    /// Counts what is made of the answer while it is sent.
    fn with_pieces(self: &Arc<Self>, mut answer: Answer) -> Answer {
        let body = answer.body_mut();
        if let Body::Pieces(_) = body
            && let Body::Pieces(pieces) = std::mem::replace(body, Body::Whole(Bytes::new()))
        {
            *body = Body::Pieces(Box::new(Counted { time: Arc::clone(self), pieces }));
        }
        answer
    }
}

/// Processor time of this thread in nanoseconds.
fn thread_time() -> u64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    let part = |value: i64| u64::try_from(value).unwrap_or_default();
    part(now.tv_sec) * 1_000_000_000 + part(now.tv_nsec)
}

struct Turns<'a, F> {
    time: &'a CommandTime,
    command: Pin<Box<F>>,
}

impl<F: Future> Future for Turns<'_, F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.get_mut();
        this.time.turn(|| this.command.as_mut().poll(context))
    }
}

struct Counted {
    time: Arc<CommandTime>,
    pieces: Box<dyn Pieces>,
}

impl Pieces for Counted {
    fn next_piece(&mut self) -> Option<Bytes> {
        let pieces = &mut self.pieces;
        self.time.turn(|| pieces.next_piece())
    }
}

#[cfg(test)]
mod tests;
