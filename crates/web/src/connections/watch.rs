//! What one connection is doing, and since when. Written by the connection, read by the housekeeping and by whoever looks for
//! a connection that can make room.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::task::{Poll, Waker};

use parking_lot::Mutex;
use workers::places::Occupant;

use super::{Connections, Uses};
use crate::budget::Budget;
use crate::options::Limits;
use crate::self_wakes::SelfWakes;

pub(crate) struct Watch {
    phase: AtomicU8,
    since: AtomicU64,
    order: AtomicU8,
    requests: AtomicU32,
    /// Of these requests, those whose bodies have not come.
    reading: AtomicU32,
    /// Bytes of answers that their client has not read, and since when there are any.
    unread: AtomicUsize,
    unread_since: AtomicU64,
    /// HTTP/2: bytes between requests may be pings, so they do not begin a request head.
    is_multiplexed: AtomicBool,
    /// An answer waits for its client to read.
    is_writing: AtomicBool,
    /// The last request was answered before all of it had come.
    is_ahead: AtomicBool,
    waker: Mutex<Option<Waker>>,
    /// Of all connections from the same address.
    source: Arc<Uses>,
    all: Arc<Connections>,
}

/// Nothing has been asked; a kept connection may stay so for `idle_seconds`.
const IDLE: u8 = 0;
/// Bytes of a handshake or request head have come, the rest has to follow within `header_seconds`.
const HEAD: u8 = 1;
/// At least one request is being worked on.
const BUSY: u8 = 2;

pub(super) const GO_ON: u8 = 0;
pub(super) const DRAIN: u8 = 1;
pub(super) const CLOSE: u8 = 2;

/// How much a connection would be missed, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Worth {
    /// Nobody waits for anything on it.
    Idle,
    /// The body of its request has not come.
    Reading,
    /// Its client has not read an answer.
    Unread,
}

impl Watch {
    pub(super) fn new(all: Arc<Connections>, source: Arc<Uses>, order: u8) -> Self {
        Self {
            phase: AtomicU8::new(HEAD),
            since: AtomicU64::new(all.coarse_now.load(Relaxed)),
            order: AtomicU8::new(order),
            requests: AtomicU32::new(0),
            reading: AtomicU32::new(0),
            unread: AtomicUsize::new(0),
            unread_since: AtomicU64::new(0),
            is_multiplexed: AtomicBool::new(false),
            is_writing: AtomicBool::new(false),
            is_ahead: AtomicBool::new(false),
            waker: Mutex::default(),
            source,
            all,
        }
    }

    /// What the connections of its address take together.
    pub(super) fn source(&self) -> &Arc<Uses> {
        &self.source
    }

    /// Seconds that it may stay in the phase it is in, and since when it is; `None` without limit.
    pub(super) fn allowed(&self, limits: &Limits) -> Option<(u64, u64)> {
        let seconds = match self.phase.load(Relaxed) {
            IDLE => limits.idle_seconds,
            HEAD => limits.header_seconds,
            _ => return None,
        };
        Some((seconds, self.since.load(Relaxed)))
    }

    /// Bytes of answers that have not been read, and since when.
    pub(super) fn unread_answers(&self) -> Option<(usize, u64)> {
        let bytes = self.unread.load(Relaxed);
        (bytes > 0).then(|| (bytes, self.unread_since.load(Relaxed)))
    }

    pub(super) fn tell(&self, order: u8) {
        self.order.fetch_max(order, Relaxed);
        if let Some(waker) = &*self.waker.lock() {
            waker.wake_by_ref();
        }
    }

    #[cfg(test)]
    pub(super) fn is_told_to_close(&self) -> bool {
        self.order.load(Relaxed) == CLOSE
    }

    fn enter(&self, phase: u8) {
        self.since.store(self.all.coarse_now.load(Relaxed), Relaxed);
        self.phase.store(phase, Relaxed);
    }

    pub(crate) fn set_multiplexed(&self) {
        self.is_multiplexed.store(true, Relaxed);
    }

    /// The first bytes after a pause have come.
    pub(super) fn note_arrival(&self) {
        if self.phase.load(Relaxed) == IDLE && !self.is_multiplexed.load(Relaxed) {
            self.enter(HEAD);
        }
    }

    /// Some of an answer has left, or it `is_pending`.
    pub(super) fn note_progress(&self, is_pending: bool, has_left: bool) {
        if self.is_writing.load(Relaxed) != is_pending {
            self.is_writing.store(is_pending, Relaxed);
        }
        if has_left && self.phase.load(Relaxed) == IDLE {
            self.enter(IDLE);
        }
    }

    /// A request is being worked on until what it returns is dropped. To be called while the connection is driven, so that
    /// whoever drives it knows what it is about.
    pub(crate) fn request(self: &Arc<Self>) -> InRequest {
        self.requests.fetch_add(1, Relaxed);
        self.enter(BUSY);
        if self.is_ahead.load(Relaxed) {
            self.is_ahead.store(false, Relaxed);
        }
        InRequest(Arc::clone(self))
    }

    /// A request waits for its body until what it returns is dropped.
    pub(crate) fn reading(self: &Arc<Self>) -> Reading {
        self.reading.fetch_add(1, Relaxed);
        Reading(Arc::clone(self))
    }

    /// A request waits for a message until what it returns is dropped. `None`: too many do, of all or of its address.
    pub(crate) fn waiting(self: &Arc<Self>, limits: &Limits) -> Option<Waiting> {
        let waiting = Waiting(Arc::clone(self));
        let all = self.all.waits.fetch_add(1, Relaxed);
        let own = self.source.waits.fetch_add(1, Relaxed);
        let most_of_one = limits.waiting_requests.min(limits.connections_per_address);
        (all < limits.waiting_requests && own < most_of_one).then_some(waiting)
    }

    /// An answer of so many bytes waits for its client until what it returns is dropped.
    pub(crate) fn unread(self: &Arc<Self>, bytes: usize) -> Unread {
        if self.unread.fetch_add(bytes, Relaxed) == 0 {
            self.unread_since.store(self.all.coarse_now.load(Relaxed), Relaxed);
        }
        self.source.unread.fetch_add(bytes, Relaxed);
        Unread { watch: Arc::clone(self), bytes }
    }

    /// Bytes of answers that have not been read at the address that the connection comes from.
    pub(crate) fn unread_of_source(&self) -> usize {
        self.source.unread.load(Relaxed)
    }

    /// Bytes of request bodies of the address that the connection comes from.
    pub(crate) fn bodies_of_source(&self) -> &Arc<Budget> {
        &self.source.bodies
    }

    /// Closes the connection, whatever it is doing.
    pub(crate) fn give_up(&self) {
        self.tell(CLOSE);
    }

    /// A request was answered before all of it had come.
    pub(crate) fn note_answered_ahead(&self) {
        self.is_ahead.store(true, Relaxed);
    }

    pub(super) fn is_answered_ahead(&self) -> bool {
        self.is_ahead.load(Relaxed)
    }

    /// Drives a handshake to its end. `None`: the connection is to close, and no request can have come yet.
    pub(crate) async fn unless_closing<H: Future>(&self, handshake: H) -> Option<H::Output> {
        let mut handshake = std::pin::pin!(handshake);
        std::future::poll_fn(|context| {
            *self.waker.lock() = Some(context.waker().clone());
            match self.order.load(Relaxed) {
                GO_ON => handshake.as_mut().poll(context).map(Some),
                _ => Poll::Ready(None),
            }
        })
        .await
    }

    /// Drives a connection to its end, obeying the housekeeping.
    pub(crate) async fn supervise<C>(&self, connection: C, drain: impl Fn(Pin<&mut C>))
    where
        C: Future<Output = hyper::Result<()>>,
    {
        let mut connection = std::pin::pin!(connection);
        let mut wakes = None;
        let mut is_draining = false;
        let driven = std::future::poll_fn(|context| {
            let wakes = wakes.get_or_insert_with(|| {
                // A task's waker stays the same as long as the task lives.
                *self.waker.lock() = Some(context.waker().clone());
                SelfWakes::of(context.waker())
            });
            match self.order.load(Relaxed) {
                CLOSE => return Poll::Ready(Ok(())),
                DRAIN if !is_draining => {
                    is_draining = true;
                    drain(connection.as_mut());
                }
                _ => {}
            }
            let polled = wakes.poll(|context| connection.as_mut().poll(context));
            // Of half a request head nothing has been done, and the rest may never come. It may have come while the answer
            // before it is still on its way.
            let has_half_a_head = self.phase.load(Relaxed) == HEAD && !self.is_writing.load(Relaxed);
            if is_draining && polled.is_pending() && has_half_a_head {
                return Poll::Ready(Ok(()));
            }
            polled
        });
        if let Err(error) = driven.await {
            tracing::debug!(%error, "an HTTP connection ended early");
        }
    }
}

impl Occupant for Watch {
    /// How much it would be missed, and since when.
    type Worth = (Worth, u64);

    /// `None` while it works on a request.
    fn worth(&self) -> Option<(Worth, u64)> {
        let requests = self.requests.load(Relaxed);
        let worth = match requests {
            0 if self.unread.load(Relaxed) > 0 => Worth::Unread,
            0 => Worth::Idle,
            _ if self.reading.load(Relaxed) >= requests => Worth::Reading,
            _ => return None,
        };
        Some((worth, self.since.load(Relaxed)))
    }

    fn end(&self) {
        self.tell(CLOSE);
    }
}

pub(crate) struct InRequest(Arc<Watch>);

impl Drop for InRequest {
    fn drop(&mut self) {
        if self.0.requests.fetch_sub(1, Relaxed) == 1 {
            self.0.enter(IDLE);
        }
    }
}

pub(crate) struct Reading(Arc<Watch>);

impl Drop for Reading {
    fn drop(&mut self) {
        self.0.reading.fetch_sub(1, Relaxed);
    }
}

pub(crate) struct Waiting(Arc<Watch>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.source.waits.fetch_sub(1, Relaxed);
        self.0.all.waits.fetch_sub(1, Relaxed);
    }
}

pub(crate) struct Unread {
    watch: Arc<Watch>,
    bytes: usize,
}

impl Drop for Unread {
    fn drop(&mut self) {
        self.watch.unread.fetch_sub(self.bytes, Relaxed);
        self.watch.source.unread.fetch_sub(self.bytes, Relaxed);
    }
}
