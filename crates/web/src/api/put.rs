//! Putting and publishing: one message as a raw body or as an envelope; many as lines (`batch.rs`).

use std::borrow::Cow;

use bytes::Bytes;
use connection::error::ConnectionError;
use connection::pool::Lent;
use connection::verbs::Local;
use http::{HeaderName, StatusCode, header};
use identity::Identity;
use message_api::keys::Fingerprint;
use message_api::outgoing::{Outgoing, read_envelope};
use message_api::words::AsText;
use model::identifier::MessageId;
use model::message::Message;
use model::options::{ObjectDescriptor, PutFlags, PutOptions};
use queue_manager::Position;
use serde::Serialize;

use crate::answer::Answer;
use crate::error::{self, ApiError, Verb};
use crate::messaging::Target;
use crate::query;
use crate::request_body::RequestBody;
use crate::service::Call;

use super::keys::Said;
use super::{batch, headers, json, keys, not_a_message, selection};

/// What a put is answered with.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Placed {
    pub(super) id: MessageId,
    /// Where the message is on its queue, where it is one message on one queue of this server.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "write_position")]
    pub(super) position: Option<Position>,
}

fn write_position<S: serde::Serializer>(position: &Option<Position>, serializer: S) -> Result<S::Ok, S::Error> {
    match position {
        Some(position) => AsText(position.0).serialize(serializer),
        None => serializer.serialize_none(),
    }
}

/// How messages come in a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Parameters {
    is_envelope: bool,
    pub(super) is_atomic: bool,
    retains: bool,
}

impl Parameters {
    /// # Errors
    /// 400 an unknown parameter or value.
    fn read(call: Call<'_>, verb: Verb) -> Result<Self, ApiError> {
        let mut parameters = Self::default();
        query::each(call.query(), |name, value: Cow<'_, str>| {
            match name {
                "envelope" => parameters.is_envelope = selection::flag(name, &value)?,
                "atomic" => parameters.is_atomic = selection::flag(name, &value)?,
                "retain" if verb == Verb::PublishTo => parameters.retains = selection::flag(name, &value)?,
                _ => return Err(query::unknown(name)),
            }
            Ok(())
        })?;
        Ok(parameters)
    }

    /// Of a put, in syncpoint or not.
    pub(super) fn options(self, outgoing: &Outgoing, syncpoint: PutFlags) -> PutOptions {
        let mut options = options(outgoing, syncpoint);
        options.flags.set(PutFlags::RETAIN, self.retains);
        options
    }
}

/// Of a put, or of a request.
pub(super) fn options(outgoing: &Outgoing, syncpoint: PutFlags) -> PutOptions {
    let mut flags = PutFlags::FAIL_IF_QUIESCING | syncpoint;
    flags.set(PutFlags::NEW_MSG_ID, !outgoing.has_own_id);
    PutOptions { flags, context: None }
}

/// # Errors
/// 400, 403, 404, 409, 413, 415, 422 and what the queue manager refuses.
pub(super) async fn put(call: Call<'_>, identity: &Identity, body: &mut RequestBody<'_>) -> Result<Answer, ApiError> {
    let target = Target::of_operator(call, identity, Verb::PutTo)?;
    let object = target.queue()?;
    send(call, target, object, body).await
}

/// # Errors
/// As `put`.
pub(super) async fn publish(
    call: Call<'_>,
    identity: &Identity,
    body: &mut RequestBody<'_>,
) -> Result<Answer, ApiError> {
    let target = Target::of_operator(call, identity, Verb::PublishTo)?;
    let object = target.topic();
    send(call, target, object, body).await
}

async fn send(
    call: Call<'_>,
    target: Target<'_>,
    object: ObjectDescriptor,
    body: &mut RequestBody<'_>,
) -> Result<Answer, ApiError> {
    let parameters = Parameters::read(call, target.verb())?;
    let content_type = content_type(call)?;
    if is_lines(content_type) {
        return Box::pin(batch::put(call, target, object, parameters, body)).await;
    }
    let (outgoing, fingerprint) = read_one(call, &target, &object, parameters.is_envelope, body).await?;
    if outgoing.due.is_some() {
        return Box::pin(put_later(call, &target, &object, parameters, outgoing, fingerprint)).await;
    }
    if keys::is_given(call) {
        return Box::pin(put_with_key(call, &target, &object, parameters, outgoing, fingerprint)).await;
    }
    let options = parameters.options(&outgoing, PutFlags::NO_SYNCPOINT);
    let message = Box::new(outgoing.into_message());
    let put = target.pool().put1(target.acting(), &object, message, &options).await;
    let done = put.map_err(|error| target.change_failed(&error))?;
    Ok(json(StatusCode::CREATED, &Placed { id: done.message_id, position: done.position }))
}

/// Reads one message, and its body as it came.
///
/// # Errors
/// 400 it is none, 413 it is too long.
pub(super) async fn read_one(
    call: Call<'_>,
    target: &Target<'_>,
    object: &ObjectDescriptor,
    is_envelope: bool,
    body: &mut RequestBody<'_>,
) -> Result<(Outgoing, Bytes), ApiError> {
    let limits = &call.settings.options.limits;
    let longest = || target.longest(call, object);
    if is_envelope {
        let bytes = body.read_message(limits, &[], longest).await?;
        let outgoing = read_envelope(&bytes, call.now, &*call.shared.message_api.copybooks);
        let outgoing = outgoing.map_err(|problem| not_a_message(&problem))?;
        return Ok((outgoing, bytes));
    }
    let mut outgoing = headers::read(call.headers(), call.now)?;
    let bytes = body.read_message(limits, &[], longest).await?;
    outgoing.set_body(content_type(call)?, bytes.clone()).map_err(|problem| not_a_message(&problem))?;
    Ok((outgoing, bytes))
}

/// A message that is to be delivered later. No position: it is not on its queue yet.
async fn put_later(
    call: Call<'_>,
    target: &Target<'_>,
    object: &ObjectDescriptor,
    parameters: Parameters,
    outgoing: Outgoing,
    body: Bytes,
) -> Result<Answer, ApiError> {
    keys::local(call, target)?;
    if keys::is_given(call) {
        return put_with_key(call, target, object, parameters, outgoing, body).await;
    }
    let (options, due) = (parameters.options(&outgoing, PutFlags::NO_SYNCPOINT), outgoing.due);
    let message = Box::new(outgoing.into_message());
    let mut lent = target.pool().lend().await.map_err(|error| target.failed(&error))?;
    let put = lent.connection().put1_due(target.acting(), object, message, &options, due).await;
    given_back(target, lent, put.map(|put| Placed { id: put.message_id, position: put.position }))
}

/// The message and its receipt are one record of the log.
async fn put_with_key(
    call: Call<'_>,
    target: &Target<'_>,
    object: &ObjectDescriptor,
    parameters: Parameters,
    outgoing: Outgoing,
    body: Bytes,
) -> Result<Answer, ApiError> {
    let operation = match target.verb() {
        Verb::PublishTo => "publish",
        _ => "put",
    };
    let claim = keys::claim(call, target, [operation, target.object()], || fingerprint(call, &body));
    let kept = match claim.await? {
        Said::Go(kept) => kept,
        Said::Answered(answer) => return Ok(answer),
    };
    let mut lent = target.pool().lend().await.map_err(|error| target.failed(&error))?;
    let (alone, in_unit) =
        [PutFlags::NO_SYNCPOINT, PutFlags::SYNCPOINT].map(|it| parameters.options(&outgoing, it)).into();
    let due = outgoing.due;
    let message: Box<Message> = Box::new(outgoing.into_message());
    let takes_receipt = |local: &Local| due.is_none() && local.connection().takes_receipt(object, &message);
    if let Some(local) = lent.connection().local().filter(|local| takes_receipt(local)) {
        let receipt = |id, position| kept.receipt(&Placed { id, position }).expect("it has a key");
        let caller = target.acting().principal();
        let put = local.connection().put1_with_receipt(caller, object, message, &alone, &receipt).await;
        let placed = put.map(|put| Placed { id: put.message.descriptor.message_id, position: put.position });
        return given_back(target, lent, placed.map_err(ConnectionError::from));
    }
    match lent.connection().put1_due(target.acting(), object, message, &in_unit, due).await {
        Ok(done) => {
            let answer = json(StatusCode::CREATED, &Placed { id: done.message_id, position: done.position });
            keys::commit(target, lent, kept, whole(&answer)).await?;
            Ok(answer)
        }
        Err(error) => given_back(target, lent, Err(error)),
    }
}

/// The answer of a put that is done, or refused; its connection goes back.
fn given_back(target: &Target<'_>, lent: Lent, put: Result<Placed, ConnectionError>) -> Result<Answer, ApiError> {
    match put {
        Ok(placed) => {
            lent.give_back();
            Ok(json(StatusCode::CREATED, &placed))
        }
        Err(error) => {
            let refusal = target.change_failed(&error);
            lent.give_back_after(&error);
            Err(refusal)
        }
    }
}

/// The body of an answer that is whole.
pub(super) fn whole(answer: &Answer) -> &[u8] {
    match answer.body() {
        crate::answer::Body::Whole(bytes) => bytes,
        _ => &[],
    }
}

/// Of all that decides what a put does: the query, the headers of the message and the body.
pub(super) fn fingerprint(call: Call<'_>, body: &[u8]) -> Fingerprint {
    let decides = |name: &HeaderName| *name == header::CONTENT_TYPE || name.as_str().starts_with("mq-");
    let own = call.headers().iter().filter(|(name, _)| decides(name));
    let mut sum = Fingerprint::default();
    sum.add(call.query().unwrap_or_default().as_bytes());
    sum.add_named(own.map(|(name, value)| (name.as_str(), value.as_bytes())));
    sum.add(body);
    sum
}

/// # Errors
/// 400 it is not text.
fn content_type<'a>(call: Call<'a>) -> Result<Option<&'a str>, ApiError> {
    let Some(value) = call.parts.headers.get(header::CONTENT_TYPE) else { return Ok(None) };
    let text = value.to_str();
    text.map(Some).map_err(|_| ApiError::new(&error::MEDIA_TYPE, &["?", "a media type"]))
}

fn is_lines(content_type: Option<&str>) -> bool {
    let essence = content_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/x-ndjson") || essence.eq_ignore_ascii_case("application/jsonl")
}
