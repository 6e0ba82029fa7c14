//! POST of a command to a queue manager: MQSC as text, or the same in JSON.
//!
//! 200 says that the command was processed, not that it succeeded: that is in the body.

use http::StatusCode;

use command::json::{Refusal, Request};
use identity::Identity;

use crate::admin::{Intent, Reached, issuer};
use crate::answer::{self, Answer};
use crate::error::{self, ApiError};
use crate::request_body::RequestBody;
use crate::service::Call;
use crate::{media_type, query};

use super::body;

/// # Errors
/// 415 not JSON; 400 not a command; 403 the role or authority to look only; 404 no such queue manager.
pub(crate) async fn run(call: Call<'_>, identity: &Identity, body: &mut RequestBody<'_>) -> Result<Answer, ApiError> {
    media_type::require_json(call.headers())?;
    query::none(call.query())?;
    let reached = Reached::of(call)?;
    let body = body::read(call, body).await?;
    let prepared = Request::read(&body)
        .and_then(|request| request.prepare(reached.queue_manager.membership()))
        .map_err(refused)?;
    let intent = if prepared.only_reads() { Intent::Look } else { Intent::Change };
    let reply = prepared.run(&reached.queue_manager, &issuer(call, identity, intent)?).await;
    let mut answer = answer::json(StatusCode::OK, reply);
    reached.decorate(&mut answer);
    Ok(answer)
}

fn refused(refusal: Refusal) -> ApiError {
    match refusal {
        Refusal::Body(problem) => ApiError::new(&error::BODY_NOT_VALID, &[&problem]),
        Refusal::Attribute(name) => ApiError::new(&error::ATTRIBUTE_NOT_VALID, &[&name]),
        Refusal::Command(words) => ApiError::new(&error::COMMAND_NOT_VALID, &[&words]),
    }
}
