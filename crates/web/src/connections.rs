//! Which HTTP connections are open, what each is doing, and since when: limits in time and number, and shutdown.
//!
//! One housekeeping task looks at all connections a few times a second, so that a request costs no timer of its own:
//! a connection only notes its phase and the coarse time in atomics.
//!
//! Invariants
//! - A connection is in the table exactly while its `Entry` lives.
//! - A connection that works on a request is never closed for being slow, only by the end of a shutdown's grace.

use std::collections::HashMap;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Instant;

use crate::options::Limits;
use crate::self_wakes::SelfWakes;

/// How often the housekeeping looks, and how exact time limits are.
pub(crate) const TICK: Duration = Duration::from_millis(250);

/// All connections of the HTTPS and HTTP listeners.
pub(crate) struct Connections {
    table: Mutex<HashMap<u64, Arc<Watch>>>,
    next: AtomicU64,
    started: Instant,
    /// Milliseconds since `started`, renewed each tick.
    coarse_now: AtomicU64,
    draining: AtomicBool,
}

/// What one connection is doing. Written by the connection, read by the housekeeping.
pub(crate) struct Watch {
    phase: AtomicU8,
    since: AtomicU64,
    order: AtomicU8,
    requests: AtomicU32,
    /// HTTP/2: bytes between requests may be pings, so they do not begin a request head.
    is_multiplexed: AtomicBool,
    /// An answer waits for its client to read.
    is_writing: AtomicBool,
    waker: Mutex<Option<Waker>>,
    all: Arc<Connections>,
}

/// Removes the connection from the table when dropped.
pub(crate) struct Entry {
    number: u64,
    pub(crate) watch: Arc<Watch>,
}

/// Nothing has been asked; a kept connection may stay so for `idle_seconds`.
const IDLE: u8 = 0;
/// Bytes of a handshake or request head have come, the rest has to follow within `header_seconds`.
const HEAD: u8 = 1;
/// At least one request is being worked on.
const BUSY: u8 = 2;

const GO_ON: u8 = 0;
const DRAIN: u8 = 1;
const CLOSE: u8 = 2;

impl Connections {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            table: Mutex::default(),
            next: AtomicU64::new(0),
            started: Instant::now(),
            coarse_now: AtomicU64::new(0),
            draining: AtomicBool::new(false),
        })
    }

    /// Admits a connection. At the limit the one that has idled longest makes room; when none idles, `None`.
    pub(crate) fn admit(self: &Arc<Self>, limit: usize) -> Option<Entry> {
        let mut table = self.table.lock();
        if table.len() >= limit {
            let (&number, idlest) = table
                .iter()
                .filter(|(_, watch)| watch.phase.load(Relaxed) == IDLE)
                .min_by_key(|(_, watch)| watch.since.load(Relaxed))?;
            idlest.tell(CLOSE);
            table.remove(&number);
        }
        let number = self.next.fetch_add(1, Relaxed);
        let watch = Arc::new(Watch {
            phase: AtomicU8::new(HEAD),
            since: AtomicU64::new(self.coarse_now.load(Relaxed)),
            order: AtomicU8::new(if self.draining.load(Relaxed) { DRAIN } else { GO_ON }),
            requests: AtomicU32::new(0),
            is_multiplexed: AtomicBool::new(false),
            is_writing: AtomicBool::new(false),
            waker: Mutex::default(),
            all: Arc::clone(self),
        });
        table.insert(number, Arc::clone(&watch));
        Some(Entry { number, watch })
    }

    /// Looks at every connection, and closes those that are too slow or idle for too long.
    pub(crate) fn sweep(&self, limits: &Limits) {
        let now = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.coarse_now.store(now, Relaxed);
        for watch in self.table.lock().values() {
            let seconds = match watch.phase.load(Relaxed) {
                IDLE => limits.idle_seconds,
                HEAD => limits.header_seconds,
                _ => continue,
            };
            // One tick more, for the coarse time may be that old.
            let allowed = Duration::from_secs(seconds) + TICK;
            let for_now = Duration::from_millis(now.saturating_sub(watch.since.load(Relaxed)));
            if for_now > allowed {
                watch.tell(CLOSE);
            }
        }
    }

    pub(crate) fn open(&self) -> usize {
        self.table.lock().len()
    }

    /// Connections close that work on no request, the others after the one they work on. Repeat it until `open` is 0.
    pub(crate) fn drain(&self) {
        self.draining.store(true, Relaxed);
        self.tell_all(DRAIN);
    }

    pub(crate) fn close(&self) {
        self.tell_all(CLOSE);
    }

    fn tell_all(&self, order: u8) {
        for watch in self.table.lock().values() {
            watch.tell(order);
        }
    }
}

impl Watch {
    fn tell(&self, order: u8) {
        self.order.fetch_max(order, Relaxed);
        if let Some(waker) = &*self.waker.lock() {
            waker.wake_by_ref();
        }
    }

    fn enter(&self, phase: u8) {
        self.since.store(self.all.coarse_now.load(Relaxed), Relaxed);
        self.phase.store(phase, Relaxed);
    }

    pub(crate) fn set_multiplexed(&self) {
        self.is_multiplexed.store(true, Relaxed);
    }

    /// The first bytes after a pause have come.
    fn note_arrival(&self) {
        if self.phase.load(Relaxed) == IDLE && !self.is_multiplexed.load(Relaxed) {
            self.enter(HEAD);
        }
    }

    /// A request is being worked on until what it returns is dropped. To be called while the connection is driven, so that
    /// whoever drives it knows what it is about.
    pub(crate) fn request(self: &Arc<Self>) -> InRequest {
        self.requests.fetch_add(1, Relaxed);
        self.enter(BUSY);
        InRequest(Arc::clone(self))
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

impl Drop for Entry {
    fn drop(&mut self) {
        self.watch.all.table.lock().remove(&self.number);
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

/// A socket that notes in its `Watch` when the head of a request begins and that an answer makes progress.
pub(crate) struct WatchedSocket<S> {
    pub(crate) socket: S,
    pub(crate) watch: Arc<Watch>,
}

impl<S: AsyncRead + Unpin> AsyncRead for WatchedSocket<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.socket).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.watch.note_arrival();
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> WatchedSocket<S> {
    fn note_progress(&self, polled: &Poll<io::Result<usize>>) {
        if self.watch.is_writing.load(Relaxed) != polled.is_pending() {
            self.watch.is_writing.store(polled.is_pending(), Relaxed);
        }
        if matches!(polled, Poll::Ready(Ok(written)) if *written > 0) && self.watch.phase.load(Relaxed) == IDLE {
            self.watch.enter(IDLE);
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WatchedSocket<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.socket).poll_write(context, bytes);
        self.note_progress(&polled);
        polled
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.socket).poll_write_vectored(context, pieces);
        self.note_progress(&polled);
        polled
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }
}
