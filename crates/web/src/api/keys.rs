//! The header `Idempotency-Key`: the same request again gets the first answer, and does nothing.

use std::time::Duration;

use bytes::Bytes;
use connection::error::ConnectionError;
use connection::pool::Lent;
use http::{HeaderName, HeaderValue, StatusCode};
use message_api::keys::{Claim, Claimed, Fingerprint, LONGEST_KEY};
use model::timestamp::Timestamp;
use queue_manager::{QueueManager, Receipt};
use serde::Serialize;

use crate::answer::{self, Answer};
use crate::error::{self, ApiError};
use crate::messaging::Target;
use crate::service::Call;

use super::PLAIN_JSON;
use super::to_the_end::to_the_end;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
pub(super) const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
pub(super) const TRUE: HeaderValue = HeaderValue::from_static("true");

/// What the key of a request says.
pub(super) enum Said {
    /// Carry the request out.
    Go(Kept),
    /// It was answered before, so.
    Answered(Answer),
}

/// What a request that is carried out keeps for its repetitions: nothing when it has no key.
pub(super) struct Kept {
    claimed: Option<Claimed>,
    now: Timestamp,
    time: Duration,
}

impl Kept {
    fn new(call: Call<'_>, claimed: Option<Claimed>) -> Self {
        Self { claimed, now: call.now, time: call.settings.options.message_api.kept() }
    }

    /// The receipt of what the request did.
    pub(super) fn receipt(&self, answer: &impl Serialize) -> Option<Receipt> {
        let write = |out: &mut Vec<u8>| serde_json::to_writer(out, answer).expect("it has string keys only");
        self.claimed.as_ref().map(|claimed| claimed.receipt(write, self.now, self.time))
    }

    /// As `receipt`, of an answer as it was sent.
    pub(super) fn receipt_of_bytes(&self, answer: &[u8]) -> Option<Receipt> {
        let write = |out: &mut Vec<u8>| out.extend_from_slice(answer);
        self.claimed.as_ref().map(|claimed| claimed.receipt(write, self.now, self.time))
    }
}

pub(super) fn is_given(call: Call<'_>) -> bool {
    call.headers().contains_key(IDEMPOTENCY_KEY)
}

/// Looks at the key of a request. `operation` is what it does and to which object, `fingerprint` is made of all that its answer depends on.
///
/// # Errors
/// 400 too long a key, 409 another request with it is being carried out, 422 another request had it, 501 a remote queue manager.
pub(super) async fn claim(
    call: Call<'_>,
    target: &Target<'_>,
    operation: [&str; 2],
    fingerprint: impl FnOnce() -> Fingerprint,
) -> Result<Said, ApiError> {
    let Some(key) = call.headers().get(IDEMPOTENCY_KEY) else { return Ok(Said::Go(Kept::new(call, None))) };
    if key.is_empty() || key.len() > LONGEST_KEY {
        let key = String::from_utf8_lossy(key.as_bytes());
        return Err(ApiError::header(IDEMPOTENCY_KEY.as_str(), &key, "1 to 255 characters"));
    }
    let queue_manager = local(call, target)?;
    let principal = target.acting().principal();
    let [verb, object] = operation;
    let scope = [principal.user.as_bytes(), verb.as_bytes(), object.as_bytes()];
    let claim = call.shared.message_api.keys.claim(&queue_manager, &scope, key.as_bytes(), &fingerprint()).await;
    match claim.map_err(|reason| target.failed(&reason.into()))? {
        Claim::First(claimed) => Ok(Said::Go(Kept::new(call, Some(claimed)))),
        Claim::Answered(answer) => Ok(Said::Answered(replay(answer))),
        Claim::OtherRequest => Err(ApiError::new(&error::KEY_OF_ANOTHER, &[])),
        Claim::Running => Err(ApiError::new(&error::KEY_IN_USE, &[])),
    }
}

/// Commits what was put on this connection, with the receipt of its answer. Runs to its end when the client goes away, so that the key
/// stays claimed until its receipt is there: a repetition on another connection never finds the key free in between.
///
/// # Errors
/// What the queue manager refuses: nothing was put.
pub(super) async fn commit(target: &Target<'_>, lent: Lent, kept: Kept, answer: &[u8]) -> Result<(), ApiError> {
    let receipt = kept.receipt_of_bytes(answer);
    let committed = to_the_end(async move {
        let committed = commit_with(lent, receipt).await;
        drop(kept);
        committed
    });
    committed.await.map_err(|error| target.change_failed(&error))
}

async fn commit_with(mut lent: Lent, receipt: Option<Receipt>) -> Result<(), ConnectionError> {
    let committed = match (lent.connection().local(), receipt) {
        (Some(local), Some(receipt)) => {
            let done = local.connection().commit_together(Vec::new(), Some(receipt)).await;
            done.map_err(|refused| refused.reason.into())
        }
        // A key is claimed at a queue manager of this server only.
        _ => lent.connection().commit().await,
    };
    match &committed {
        Ok(()) => lent.give_back(),
        Err(error) => {
            // What was not committed is not there.
            let _ = lent.connection().back_out().await;
            lent.give_back_after(error);
        }
    }
    committed
}

/// The first answer of a key, again.
fn replay(answer: Bytes) -> Answer {
    let mut answer = answer::of_service(StatusCode::CREATED, Some(PLAIN_JSON), answer);
    answer.headers_mut().insert(REPLAYED, TRUE);
    answer
}

/// The queue manager, where it is one of this server.
///
/// # Errors
/// 501 it is a remote one.
pub(super) fn local(call: Call<'_>, target: &Target<'_>) -> Result<QueueManager, ApiError> {
    let name = target.queue_manager();
    if target.is_remote() {
        return Err(ApiError::new(&error::NOT_REMOTE, &[name]));
    }
    call.shared.queue_managers.admitting_one(name).map_err(|_| call.shared.unavailable(name))
}
