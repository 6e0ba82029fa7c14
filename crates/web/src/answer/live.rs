//! Answers that go on for as long as their clients stay: one piece at a time, and its sender learns what became of it.
//!
//! A piece counts as written once its last byte has gone to the socket, or to TLS before it. What the client has read is not known.
//!
//! Invariants
//! - At most one piece of an answer is on its way, so that a client that stops reading costs the memory of one.
//! - While the answer goes on its connection works on a request: it is not idle, and makes no room for others.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Buf, Bytes};
use tokio::sync::{mpsc, oneshot};

use crate::budget::{Budget, Charge};
use crate::connections::{InRequest, Unread, Watch};

/// The body of such an answer.
pub(crate) struct Live {
    pieces: mpsc::Receiver<Piece>,
    _in_request: InRequest,
}

/// The end of the task that makes it.
pub(crate) struct Sender {
    pieces: mpsc::Sender<Piece>,
    watch: Arc<Watch>,
    budget: Arc<Budget>,
}

pub(crate) struct Piece {
    bytes: Bytes,
    left: Arc<AtomicUsize>,
    written: Option<oneshot::Sender<()>>,
    _charge: Charge,
    _unread: Unread,
}

/// So many bytes of a piece were written, and no more will be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unwritten {
    pub(crate) written: usize,
    /// The client is there and does not read.
    pub(crate) is_stalled: bool,
}

/// A body and what its pieces are sent by.
pub(crate) fn live(watch: &Arc<Watch>, budget: &Arc<Budget>) -> (Sender, Live) {
    let (sender, pieces) = mpsc::channel(1);
    let sender = Sender { pieces: sender, watch: Arc::clone(watch), budget: Arc::clone(budget) };
    (sender, Live { pieces, _in_request: watch.request() })
}

impl Sender {
    /// Sends a piece, and waits until it is written. `patience` is how long nothing of it may be written.
    ///
    /// # Errors
    /// The client has gone, or does not read.
    pub(crate) async fn send(&self, bytes: Bytes, patience: Duration) -> Result<(), Unwritten> {
        let length = bytes.len();
        if length == 0 {
            return Ok(());
        }
        let left = Arc::new(AtomicUsize::new(length));
        let (written, mut is_written) = oneshot::channel();
        let piece = Piece {
            bytes,
            left: Arc::clone(&left),
            written: Some(written),
            _charge: self.budget.charge(length),
            _unread: self.watch.unread(length),
        };
        if self.pieces.send(piece).await.is_err() {
            return Err(Unwritten { written: 0, is_stalled: false });
        }
        let mut before = length;
        loop {
            let waited = tokio::time::timeout(patience, &mut is_written).await;
            let now = left.load(Relaxed);
            match waited {
                Ok(Ok(())) => return Ok(()),
                Ok(Err(_)) => return Err(Unwritten { written: length - now, is_stalled: false }),
                Err(_) if now == before => return Err(Unwritten { written: length - now, is_stalled: true }),
                Err(_) => before = now,
            }
        }
    }

    /// Until the client has gone.
    pub(crate) async fn gone(&self) {
        self.pieces.closed().await;
    }
}

impl Live {
    pub(super) fn poll_piece(&mut self, context: &mut Context<'_>) -> Poll<Option<Piece>> {
        self.pieces.poll_recv(context)
    }
}

impl Buf for Piece {
    fn remaining(&self) -> usize {
        self.bytes.len()
    }

    fn chunk(&self) -> &[u8] {
        &self.bytes
    }

    fn advance(&mut self, count: usize) {
        self.bytes.advance(count);
        self.left.store(self.bytes.len(), Relaxed);
        if self.bytes.is_empty()
            && let Some(written) = self.written.take()
        {
            // Who sent it may have stopped waiting.
            let _ = written.send(());
        }
    }
}

#[cfg(test)]
mod tests;
