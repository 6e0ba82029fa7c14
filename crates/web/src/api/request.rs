//! A request and its reply in one call. What it means is `message_api::requests`.
//!
//! With an Idempotency-Key, the receipt of the request says where its reply comes: a repetition puts nothing, and waits for that.

use std::borrow::Cow;
use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use identity::Identity;
use message_api::requests::{Correlation, Exchanged, LateReply, NotExchanged, Request, Sent};
use model::name::QueueName;
use model::options::PutFlags;

use crate::answer::Answer;
use crate::error::{self, ApiError, Verb};
use crate::messaging::{Target, in_scope};
use crate::query;
use crate::request_body::RequestBody;
use crate::service::Call;

use super::get;
use super::keys::{self, REPLAYED, Said, TRUE};
use super::put::{self, fingerprint, whole};
use super::selection::{self, Shown};

const DEFAULT_WAIT: Duration = Duration::from_secs(30);

struct Wanted {
    wait: Option<Duration>,
    reply_queue: Option<QueueName>,
    correlation: Option<Correlation>,
    late: Option<LateReply>,
    is_envelope: bool,
    shown: Shown,
}

impl Wanted {
    /// # Errors
    /// 400 an unknown parameter or value; 403 the API key is not for a queue that is named.
    fn read(call: Call<'_>, identity: &Identity) -> Result<Self, ApiError> {
        let (reply_queue, correlation, late) = (None, None, None);
        let mut wanted =
            Self { wait: None, reply_queue, correlation, late, is_envelope: false, shown: Shown::default() };
        query::each(call.query(), |name, value: Cow<'_, str>| match name {
            "wait" => query::once(&mut wanted.wait, name, selection::wait(name, &value)?),
            "replyQueue" => {
                in_scope(identity, Verb::GetFrom, &value)?;
                query::once(&mut wanted.reply_queue, name, queue(&value)?)
            }
            "correlation" => query::once(&mut wanted.correlation, name, correlation_of(name, &value)?),
            "late" => query::once(&mut wanted.late, name, late_reply(identity, &value)?),
            "envelope" => {
                wanted.is_envelope = selection::flag(name, &value)?;
                Ok(())
            }
            _ if wanted.shown.take(call, name, &value)? => Ok(()),
            _ => Err(query::unknown(name)),
        })?;
        let keeps = matches!(wanted.late, Some(LateReply::Keep | LateReply::Move(_)));
        if keeps && wanted.reply_queue.is_none() {
            return Err(ApiError::parameter_expected("late", "keep", "expire, or a replyQueue beside it"));
        }
        Ok(wanted)
    }

    fn answer(&self, call: Call<'_>, exchanged: Exchanged) -> Result<Answer, ApiError> {
        // Times in the answer count from now, not from when the request came.
        let call = Call { now: call.shared.now(), ..call };
        match exchanged {
            // A record is shown as JSON, in a message.
            Exchanged::Reply(reply) if self.is_envelope || self.shown.copybook.is_some() => {
                Ok(get::envelope(call, &reply, None, &self.shown))
            }
            Exchanged::Reply(reply) => Ok(get::raw(call, &reply, None)),
            Exchanged::Nothing(id) => {
                let wait = self.wait.unwrap_or(DEFAULT_WAIT).as_millis().to_string();
                Err(ApiError::new(&error::NO_REPLY, &[&id.to_string(), &wait]))
            }
        }
    }
}

fn queue(text: &str) -> Result<QueueName, ApiError> {
    let name = QueueName::parse(text).ok().filter(|name| !name.is_blank());
    name.ok_or_else(|| ApiError::new(&error::NAME_NOT_VALID, &[text]))
}

fn correlation_of(name: &str, value: &str) -> Result<Correlation, ApiError> {
    Ok(match value {
        "messageId" => Correlation::MessageId,
        "correlationId" => Correlation::CorrelationId,
        "none" => Correlation::None,
        other => return Err(ApiError::parameter_expected(name, other, "messageId, correlationId or none")),
    })
}

fn late_reply(identity: &Identity, value: &str) -> Result<LateReply, ApiError> {
    Ok(match value {
        "expire" => LateReply::Expire,
        "keep" => LateReply::Keep,
        name => {
            in_scope(identity, Verb::PutTo, name)?;
            LateReply::Move(queue(name)?)
        }
    })
}

/// # Errors
/// Those of a put; 504 no reply came in time.
pub(super) async fn exchange(
    call: Call<'_>,
    identity: &Identity,
    body: &mut RequestBody<'_>,
) -> Result<Answer, ApiError> {
    let target = Target::of(call, identity, Verb::PutTo)?;
    let wanted = Wanted::read(call, identity)?;
    let object = target.queue()?;
    let (outgoing, bytes) = put::read_one(call, &target, &object, wanted.is_envelope, body).await?;
    if outgoing.due.is_some() {
        return Err(ApiError::new(&error::BODY_NOT_VALID, &["a request cannot be delivered later"]));
    }
    let _waiting = call.place_to_wait()?;
    let request = Request {
        object,
        options: put::options(&outgoing, PutFlags::empty()),
        message: Box::new(outgoing.into_message()),
        wait: wanted.wait.unwrap_or(DEFAULT_WAIT),
        reply_queue: wanted.reply_queue,
        correlation: wanted.correlation.unwrap_or_default(),
        late: wanted.late.unwrap_or_default(),
    };
    if keys::is_given(call) {
        return Box::pin(exchange_with_key(call, &target, &wanted, request, bytes)).await;
    }
    let requests = &call.shared.message_api.requests;
    let exchanged = requests.exchange(target.pool(), target.acting(), request, None).await;
    wanted.answer(call, exchanged.map_err(|problem| refusal(&target, problem))?)
}

async fn exchange_with_key(
    call: Call<'_>,
    target: &Target<'_>,
    wanted: &Wanted,
    request: Request,
    body: Bytes,
) -> Result<Answer, ApiError> {
    let requests = &call.shared.message_api.requests;
    let (pool, acting) = (target.pool(), target.acting());
    let (exchanged, is_repeated) =
        match keys::claim(call, target, ["request", target.object()], || fingerprint(call, &body)).await? {
            Said::Go(kept) => {
                let receipt = |sent: &Sent| kept.receipt(sent);
                (requests.exchange(pool, acting, request, Some(&receipt)).await, false)
            }
            Said::Answered(before) => {
                let sent: Sent = serde_json::from_slice(whole(&before))
                    .map_err(|problem| ApiError::new(&error::BODY_NOT_VALID, &[&problem.to_string()]))?;
                (requests.await_again(pool, acting, &sent, request.wait, request.late).await, true)
            }
        };
    let answered = exchanged.map_err(|problem| refusal(target, problem)).and_then(|it| wanted.answer(call, it));
    match answered {
        Ok(mut answer) if is_repeated => {
            answer.headers_mut().insert(REPLAYED, TRUE);
            Ok(answer)
        }
        Err(refusal) if is_repeated && refusal.status() == StatusCode::GATEWAY_TIMEOUT => {
            Err(refusal.with_header(REPLAYED, TRUE))
        }
        other => other,
    }
}

fn refusal(target: &Target<'_>, problem: NotExchanged) -> ApiError {
    match problem {
        NotExchanged::ReplyQueue { queue, source } => other(target, Verb::GetFrom, &queue).failed(&source),
        NotExchanged::LateQueue { queue, source } => other(target, Verb::PutTo, &queue).failed(&source),
        NotExchanged::Put(error) => target.change_failed(&error),
        NotExchanged::Get(error) => other(target, Verb::GetFrom, "the reply queue").change_failed(&error),
        NotExchanged::Remote => ApiError::new(&error::NOT_REMOTE, &[target.queue_manager()]),
    }
}

fn other<'a>(target: &Target<'a>, verb: Verb, object: &'a str) -> Target<'a> {
    Target::again(target.pool(), target.acting(), verb, object)
}
