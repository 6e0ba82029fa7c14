//! The body of a request: read whole by the handler that wants it, passed over before a handler that wants none.
//!
//! Every door's bodies are read here, so that what bounds them is in one place: their length, their pace, and the
//! memory that all of them together hold. A body is refused by its announced length before anything of it is read.
//! A handler that takes none runs after the body has come: an answer that overtakes the request's own body can get
//! lost on its way, and with it the message that it brings. Headers are bounded by hyper (431).
//!
//! Memory is charged for what has come, not for what is announced. Room for the whole announced length is reserved early all
//! the same, so that the body is not copied as it grows: reserved memory takes none until it is written to.
//!
//! Invariant: memory for a body is charged before it is written to; what has come in one piece is not charged.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::time::{Instant, timeout_at};

use crate::body_room::Room;
use crate::budget::{Budget, Charge};
use crate::connections::Watch;
use crate::error::{self, ApiError};
use crate::options::Limits;
use crate::self_wakes;

/// Longest body, in bytes, that comes with a request whose handler takes none; and one that needs no look at MAXMSGL before it
/// is read.
const SMALL: usize = 64 << 10;
/// Least memory set aside for a body that comes in pieces, unless it is announced to be shorter.
const FIRST_ROOM: usize = 256 << 10;
/// Memory is charged in steps of so many bytes.
const STEP: usize = 256 << 10;
/// A body gets its room whole once so much of it has come: the share is one to this.
const RESERVED_FROM: usize = 16;
/// How long a body may take before its pace matters.
const GRACE: Duration = Duration::from_secs(5);

/// The body of one request, and what it may cost.
pub(crate) struct RequestBody<'a> {
    /// `None` once it is streamed.
    incoming: Option<Incoming>,
    watch: &'a Arc<Watch>,
    budget: &'a Arc<Budget>,
    /// Held until the request has been answered: by then a message is on its queue, which counts it.
    charge: Option<Charge>,
    pace: Option<Pace>,
}

/// How long a body may be, and what is said of a longer one.
pub(crate) struct Allowed {
    pub(crate) bytes: usize,
    pub(crate) refusal: ApiError,
}

/// A body of which pieces have come, with what is put before it.
struct Gathering {
    whole: Room,
    announced: Option<usize>,
    most: usize,
}

/// When the next piece of a body has to be there.
#[derive(Clone, Copy)]
struct Pace {
    begun: Instant,
    seconds: u64,
    bytes_per_second: u64,
}

impl<'a> RequestBody<'a> {
    pub(crate) fn new(incoming: Incoming, watch: &'a Arc<Watch>, budget: &'a Arc<Budget>) -> Self {
        Self { incoming: Some(incoming), watch, budget, charge: None, pace: None }
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming.as_ref().map(Body::size_hint).unwrap_or_default()
    }

    /// Nothing is to come, or to come any more.
    pub(crate) fn is_at_end(&self) -> bool {
        self.incoming.as_ref().is_none_or(Body::is_end_stream)
    }

    /// What has not been read.
    pub(crate) fn into_rest(self) -> Option<Incoming> {
        self.incoming.filter(|incoming| !incoming.is_end_stream())
    }

    /// The body to be read piece by piece, also after the request's answer has begun.
    pub(crate) fn stream(&mut self, limits: &Limits) -> Streamed {
        let pause = Duration::from_secs(limits.body_seconds);
        Streamed { incoming: self.incoming.take(), watch: Arc::clone(self.watch), pause }
    }

    /// The whole body. One that arrives in one piece, as small ones do, is not copied.
    ///
    /// # Errors
    /// 413 longer than `most` (said before anything is read where the length was announced), 408 too slow, 400 broken
    /// off, 503 all memory for bodies is in use.
    pub(crate) async fn read(&mut self, limits: &Limits, most: usize) -> Result<Bytes, ApiError> {
        if self.is_at_end() {
            return Ok(Bytes::new());
        }
        self.read_allowed(limits, &[], most, None).await
    }

    /// As `read`, of a message, with `head` before it. `of_destination` says how long one may be where it goes; it is not asked
    /// about a short one.
    ///
    /// # Errors
    /// As `read`, and what `of_destination` refuses by.
    pub(crate) async fn read_message(
        &mut self,
        limits: &Limits,
        head: &[u8],
        of_destination: impl FnOnce() -> Option<Allowed>,
    ) -> Result<Bytes, ApiError> {
        if self.is_at_end() {
            return Ok(Bytes::copy_from_slice(head));
        }
        let most = limits.body_bytes;
        let hint = self.size_hint();
        let may_be_long = hint.upper().is_none_or(|longest| longest > SMALL as u64);
        let of_destination = if may_be_long { of_destination() } else { None };
        let (most, refusal) = match of_destination.filter(|allowed| allowed.bytes < most) {
            Some(Allowed { bytes, refusal }) => (bytes, Some(Box::new(refusal))),
            None => (most, None),
        };
        self.read_allowed(limits, head, most, refusal).await
    }

    /// `refusal` is what is said of a longer one, if not the usual.
    async fn read_allowed(
        &mut self,
        limits: &Limits,
        head: &[u8],
        most: usize,
        refusal: Option<Box<ApiError>>,
    ) -> Result<Bytes, ApiError> {
        let too_long = || refusal.map_or_else(|| too_large(most), |refusal| *refusal);
        let announced = self.size_hint().exact().map(|length| usize::try_from(length).unwrap_or(usize::MAX));
        if announced.is_some_and(|length| length > most) {
            return Err(too_long());
        }
        let first = self.next(limits, 0).await?.unwrap_or_default();
        if first.len() > most {
            return Err(too_long());
        }
        if self.is_at_end() {
            return Ok(if head.is_empty() { first } else { [head, &first].concat().into() });
        }
        let gathering = Gathering {
            whole: Room::new(),
            announced: announced.map(|length| head.len() + length),
            most: head.len() + most,
        };
        let whole = Box::pin(self.read_pieces(limits, head, first, gathering)).await?;
        whole.ok_or_else(too_long)
    }

    /// A body that comes in several pieces; `None` when it is too long. Boxed, so that short ones need not hold room for it.
    async fn read_pieces(
        &mut self,
        limits: &Limits,
        head: &[u8],
        first: Bytes,
        mut gathering: Gathering,
    ) -> Result<Option<Bytes>, ApiError> {
        self.add(limits, &mut gathering, head)?;
        let mut next = Some(first);
        while let Some(piece) = next {
            if gathering.whole.length() + piece.len() > gathering.most {
                return Ok(None);
            }
            self.add(limits, &mut gathering, &piece)?;
            // Before the next piece is waited for, so that its memory can take that one.
            drop(piece);
            next = self.next(limits, gathering.whole.length()).await?;
        }
        Ok(Some(gathering.whole.into_bytes()))
    }

    fn add(&mut self, limits: &Limits, gathering: &mut Gathering, piece: &[u8]) -> Result<(), ApiError> {
        let Gathering { whole, announced, most } = gathering;
        let length = whole.length() + piece.len();
        if length > whole.capacity() {
            let room = room_for(length, whole.capacity(), *announced, *most);
            whole.grow_to(room, announced.unwrap_or(0)).map_err(|_| no_memory())?;
        }
        let charge = self.charge.get_or_insert_with(|| self.budget.begin(self.watch.bodies_of_source()));
        if length > charge.bytes() {
            let step = length.next_multiple_of(STEP).min(whole.capacity());
            if !charge.grow_to(step, limits.body_memory_bytes) {
                return Err(no_memory());
            }
        }
        whole.add(piece);
        Ok(())
    }

    /// Reads a body to its end that no handler takes.
    ///
    /// # Errors
    /// 413 it is longer than what is read in vain, 408 too slow, 400 broken off.
    pub(crate) async fn pass_over(&mut self, limits: &Limits) -> Result<(), ApiError> {
        if self.size_hint().lower() > SMALL as u64 {
            return Err(too_large(SMALL));
        }
        let mut length = 0;
        while !self.is_at_end() {
            let Some(piece) = self.next(limits, length).await? else { return Ok(()) };
            length += piece.len();
            if length > SMALL {
                return Err(too_large(SMALL));
            }
        }
        Ok(())
    }

    /// The next piece of data, after `length` bytes.
    async fn next(&mut self, limits: &Limits, length: usize) -> Result<Option<Bytes>, ApiError> {
        // Most have come with their heads, and need no clock.
        let Some(incoming) = &mut self.incoming else { return Ok(None) };
        if let Poll::Ready(piece) = poll_fn(|context| Poll::Ready(poll_data(incoming, context))).await {
            return piece;
        }
        Box::pin(self.wait_for_next(limits, length)).await
    }

    async fn wait_for_next(&mut self, limits: &Limits, length: usize) -> Result<Option<Bytes>, ApiError> {
        let pace = *self.pace.get_or_insert_with(|| Pace {
            begun: Instant::now(),
            seconds: limits.body_seconds,
            bytes_per_second: limits.body_bytes_per_second,
        });
        let _reading = self.watch.reading();
        let Some(incoming) = &mut self.incoming else { return Ok(None) };
        let piece = poll_fn(|context| poll_data(incoming, context));
        match timeout_at(pace.begun + pace.allowed(length), piece).await {
            Ok(piece) => piece,
            Err(_) => Err(ApiError::new(
                &error::BODY_TOO_SLOW,
                &[&limits.body_seconds.to_string(), &limits.body_bytes_per_second.to_string()],
            )),
        }
    }
}

/// A body that is read piece by piece, for as long as it comes.
pub(crate) struct Streamed {
    incoming: Option<Incoming>,
    watch: Arc<Watch>,
    /// Longest wait for the next piece.
    pause: Duration,
}

impl Streamed {
    /// The next piece; `None` at the end.
    ///
    /// # Errors
    /// 408 none came for too long, 400 the body broke off.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, ApiError> {
        let Some(incoming) = &mut self.incoming else { return Ok(None) };
        let _reading = self.watch.reading();
        let piece = poll_fn(|context| poll_data(incoming, context));
        match tokio::time::timeout(self.pause, piece).await {
            Ok(piece) => piece,
            Err(_) => Err(ApiError::new(&error::BODY_TOO_SLOW, &[&self.pause.as_secs().to_string(), "1"])),
        }
    }
}

impl Pace {
    /// How long a body may have taken of which `length` bytes are there.
    fn allowed(self, length: usize) -> Duration {
        let whole = Duration::from_secs(self.seconds);
        match (length as u64).checked_div(self.bytes_per_second) {
            Some(seconds) => whole.min(GRACE.saturating_add(Duration::from_secs(seconds))),
            None => whole,
        }
    }
}

/// How much memory to reserve for a body of `length` bytes so far, which had `before` and can grow to `most`.
fn room_for(length: usize, before: usize, announced: Option<usize>, most: usize) -> usize {
    match announced {
        Some(announced) if length >= announced / RESERVED_FROM => announced.max(length),
        _ => length.max(before.saturating_mul(2)).max(FIRST_ROOM).min(announced.unwrap_or(most).max(length)),
    }
}

fn no_memory() -> ApiError {
    ApiError::overloaded("limits.body_memory_bytes")
}

/// The next piece of data; trailers are passed over.
fn poll_data(body: &mut Incoming, context: &mut Context<'_>) -> Poll<Result<Option<Bytes>, ApiError>> {
    loop {
        return match poll_frame(body, context) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(None) => Poll::Ready(Ok(None)),
            Poll::Ready(Some(Err(_))) => Poll::Ready(Err(ApiError::new(&error::BODY_BROKEN_OFF, &[]))),
            Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                Ok(data) => Poll::Ready(Ok(Some(data))),
                Err(_) => continue,
            },
        };
    }
}

/// The next frame. That it was taken is no reason to look at the connection when nothing comes behind it.
fn poll_frame(body: &mut Incoming, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
    self_wakes::void_if(|| {
        let polled = Pin::new(&mut *body).poll_frame(context);
        let is_whole = polled.is_ready() && body.is_end_stream();
        (polled, is_whole)
    })
}

fn too_large(most: usize) -> ApiError {
    ApiError::new(&error::BODY_TOO_LARGE, &[&most.to_string()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_body_gets_its_room_whole_once_a_part_of_it_has_come() {
        let megabytes = |count: usize| count << 20;
        let most = megabytes(100);
        assert_eq!(room_for(9000, 0, Some(megabytes(90)), most), FIRST_ROOM);
        assert_eq!(room_for(2000, 0, Some(10_000), most), 10_000);
        assert_eq!(room_for(FIRST_ROOM + 1, FIRST_ROOM, Some(megabytes(90)), most), 2 * FIRST_ROOM);
        assert_eq!(room_for(megabytes(6), megabytes(4), Some(megabytes(90)), most), megabytes(90));
        assert_eq!(room_for(megabytes(65), megabytes(64), None, most), most);
    }

    #[test]
    fn a_body_has_a_grace_then_a_pace_and_an_end() {
        let pace = |seconds, bytes_per_second| Pace { begun: Instant::now(), seconds, bytes_per_second };
        let seconds = Duration::from_secs;
        assert_eq!(pace(60, 1000).allowed(0), GRACE);
        assert_eq!(pace(60, 1000).allowed(10_000), GRACE + seconds(10));
        assert_eq!(pace(60, 1000).allowed(1 << 30), seconds(60));
        assert_eq!(pace(1, 1000).allowed(0), seconds(1));
        assert_eq!(pace(60, 0).allowed(0), seconds(60));
    }
}
