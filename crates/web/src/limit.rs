//! Reading request bodies: at most so many bytes, within so much time.
//!
//! Headers are bounded by hyper (431), connections and idle time by `connections.rs`.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use hyper::body::{Body, Frame, Incoming};

use crate::error::{self, ApiError};
use crate::options::Limits;
use crate::self_wakes;

/// Most bytes set aside for a body because its client announced them; beyond it memory grows with what arrives.
const TRUSTED_LENGTH: usize = 256 << 10;

/// The whole body. One that arrives in one piece, as small ones do, is not copied.
///
/// # Errors
/// 413 longer than `limits.body_bytes` (said before anything is read where the length was announced), 408 not there
/// within `limits.body_seconds`, 400 broken off.
pub(crate) async fn read(body: Incoming, limits: &Limits) -> Result<Bytes, ApiError> {
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    let mut collected = pin!(collect(body, limits.body_bytes));
    // Most have come with their heads, and need no clock.
    if let Poll::Ready(result) = poll_fn(|context| Poll::Ready(collected.as_mut().poll(context))).await {
        return result;
    }
    let within = Duration::from_secs(limits.body_seconds);
    match tokio::time::timeout(within, collected).await {
        Ok(result) => result,
        Err(_) => Err(ApiError::new(&error::BODY_TOO_SLOW, &[&limits.body_seconds.to_string()])),
    }
}

async fn collect(mut body: Incoming, maximum: usize) -> Result<Bytes, ApiError> {
    let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if announced > maximum {
        return Err(too_large(maximum));
    }
    let Some(first) = next(&mut body, 0, maximum).await? else { return Ok(Bytes::new()) };
    if body.is_end_stream() {
        return Ok(first);
    }
    let mut whole = BytesMut::with_capacity(announced.min(TRUSTED_LENGTH).max(first.len()));
    whole.extend_from_slice(&first);
    while let Some(piece) = next(&mut body, whole.len(), maximum).await? {
        whole.extend_from_slice(&piece);
    }
    Ok(whole.freeze())
}

/// The next piece of data, after `length` bytes; trailers are passed over.
async fn next(body: &mut Incoming, length: usize, maximum: usize) -> Result<Option<Bytes>, ApiError> {
    while let Some(frame) = poll_fn(|context| poll_frame(body, context)).await {
        let frame = frame.map_err(|_| ApiError::new(&error::BODY_BROKEN_OFF, &[]))?;
        if let Ok(data) = frame.into_data() {
            return if data.len() > maximum - length { Err(too_large(maximum)) } else { Ok(Some(data)) };
        }
    }
    Ok(None)
}

/// The next frame. That it was taken is no reason to look at the connection when nothing comes behind it.
fn poll_frame(body: &mut Incoming, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
    self_wakes::void_if(|| {
        let polled = Pin::new(&mut *body).poll_frame(context);
        let is_whole = polled.is_ready() && body.is_end_stream();
        (polled, is_whole)
    })
}

fn too_large(maximum: usize) -> ApiError {
    ApiError::new(&error::BODY_TOO_LARGE, &[&maximum.to_string()])
}
