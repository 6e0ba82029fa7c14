//! Whether the process works, and whether it serves.

use bytes::Bytes;
use http::StatusCode;

use crate::answer::{self, Answer};
use crate::server::Shared;

pub(crate) fn live() -> Answer {
    answer::text(StatusCode::OK, Bytes::from_static(b"live\n"))
}

/// 200 between `set_ready` and the beginning of a shutdown, else 503.
pub(crate) fn ready(shared: &Shared) -> Answer {
    if shared.is_ready() {
        answer::text(StatusCode::OK, Bytes::from_static(b"ready\n"))
    } else {
        answer::text(StatusCode::SERVICE_UNAVAILABLE, Bytes::from_static(b"not ready\n"))
    }
}
