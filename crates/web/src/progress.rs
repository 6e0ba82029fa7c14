//! One request on its way, beside what it asks for: who sends it, how long it has waited for messages, and the line that the log gets
//! when it took long.
//!
//! Time that a request waits for a message because it asks to does not count as slow.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use http::StatusCode;
use http::request::Parts;
use tokio::time::Instant;

use crate::connections::Waiting;
use crate::error::ApiError;
use crate::metrics;
use crate::service::{Call, Peer};

#[derive(Default)]
pub(crate) struct Progress {
    waited_us: AtomicU64,
    user: OnceLock<Arc<str>>,
}

/// A request that waits for a message, until it is dropped.
pub(crate) struct WaitingCall<'a> {
    progress: &'a Progress,
    since: Instant,
    _place: Waiting,
}

impl Drop for WaitingCall<'_> {
    fn drop(&mut self) {
        let waited = u64::try_from(self.since.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.progress.waited_us.fetch_add(waited, Relaxed);
    }
}

impl<'a> Call<'a> {
    /// A place among the requests that wait.
    ///
    /// # Errors
    /// 503: too many wait.
    pub(crate) fn place_to_wait(&self) -> Result<Waiting, ApiError> {
        let place = self.watch.waiting(&self.settings.options.limits);
        place.ok_or_else(|| ApiError::overloaded("limits.waiting_requests"))
    }

    /// A place of a request that waits for a message, if it wants to.
    ///
    /// # Errors
    /// As `place_to_wait`.
    pub(crate) fn wait_for_message(&self, wait: Option<Duration>) -> Result<Option<WaitingCall<'a>>, ApiError> {
        if wait.is_none() {
            return Ok(None);
        }
        let place = self.place_to_wait()?;
        Ok(Some(WaitingCall { progress: self.progress, since: metrics::moment(), _place: place }))
    }
}

impl Progress {
    pub(crate) fn is_of(&self, user: &Arc<str>) {
        // A request has one user.
        let _ = self.user.set(user.clone());
    }

    /// Tells the log of an answered request that took longer than `limit`, beside what it waited for messages.
    pub(crate) fn tell_if_slow(&self, limit: Duration, took: Duration, parts: &Parts, status: StatusCode, peer: &Peer) {
        let waited = Duration::from_micros(self.waited_us.load(Relaxed));
        let took = took.saturating_sub(waited);
        if took < limit {
            return;
        }
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        tracing::warn!(
            method = %parts.method,
            path = parts.uri.path(),
            status = status.as_u16(),
            milliseconds = milliseconds(took),
            waited_milliseconds = milliseconds(waited),
            user = self.user.get().map_or("", |user| &**user),
            address = %peer.address,
            "a request took longer than server.slow_request_milliseconds"
        );
    }
}
