//! POST of a message to a topic: one MQPUT1 to a topic string outside syncpoint. From v2 on.

use identity::Identity;

use crate::answer::Answer;
use crate::error::{ApiError, Verb};
use crate::request_body::RequestBody;
use crate::routes::Version;
use crate::service::Call;

use super::Target;
use super::put::{Prepared, put_to};

/// # Errors
/// As for a put.
pub(crate) async fn publish(
    call: Call<'_>,
    identity: &Identity,
    body: &mut RequestBody<'_>,
) -> Result<Answer, ApiError> {
    let target = Target::of(call, identity, Verb::PublishTo)?;
    let prepared = Prepared::read(call, call.version >= Version::V3)?;
    let topic = target.topic();
    put_to(call, &target, &topic, prepared, body).await
}
