//! Transactions: deliveries completed and messages put and published, all or nothing.

use std::sync::Arc;

use connection::target::Acting;
use http::StatusCode;
use identity::Identity;
use message_api::deliveries::{NotDone, Put, Token};
use message_api::outgoing::read_envelope;
use model::name::{ObjectName, QueueName};
use model::options::{ObjectDescriptor, ObjectKind, PutFlags, PutOptions};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use crate::answer::Answer;
use crate::error::{self, ApiError, Verb};
use crate::messaging::{Target, in_scope};
use crate::query;
use crate::request_body::RequestBody;
use crate::service::Call;

use super::keys::{Kept, Said};
use super::put::fingerprint;
use super::to_the_end::to_the_end;
use super::{deliveries, keys, not_a_message};

/// Deliveries and messages of one transaction.
const MOST: usize = 1000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Transaction<'a> {
    #[serde(default)]
    complete: Vec<String>,
    #[serde(default, borrow)]
    put: Vec<ToQueue<'a>>,
    #[serde(default, borrow)]
    publish: Vec<ToTopic<'a>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToQueue<'a> {
    queue: String,
    #[serde(borrow)]
    message: &'a RawValue,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToTopic<'a> {
    topic: String,
    #[serde(borrow)]
    message: &'a RawValue,
    #[serde(default)]
    retain: bool,
}

/// # Errors
/// 400, 403, 404, 409, 410, 422, and what the queue manager refuses. Nothing was done then.
pub(super) async fn run(call: Call<'_>, identity: &Identity, body: &mut RequestBody<'_>) -> Result<Answer, ApiError> {
    query::none(call.query())?;
    let target = Target::of_queue_manager(call, identity, Verb::PutTo)?;
    let limits = &call.settings.options.limits;
    let bytes = body.read(limits, limits.body_bytes).await?;
    let kept = match keys::claim(call, &target, ["transaction", ""], || fingerprint(call, &bytes)).await? {
        Said::Go(kept) => kept,
        Said::Answered(mut answer) => {
            *answer.status_mut() = StatusCode::OK;
            return Ok(answer);
        }
    };
    let not_valid = |problem: &str| ApiError::new(&error::BODY_NOT_VALID, &[problem]);
    let transaction: Transaction<'_> = serde_json::from_slice(&bytes).map_err(|error| not_valid(&error.to_string()))?;
    if transaction.complete.len() + transaction.put.len() + transaction.publish.len() > MOST {
        return Err(not_valid("a transaction has at most 1000 deliveries and messages"));
    }
    let mut tokens = Vec::with_capacity(transaction.complete.len());
    for token in &transaction.complete {
        let parsed = Token::parse(token).ok_or_else(|| ApiError::new(&error::DELIVERY_UNKNOWN, &[token]))?;
        if tokens.contains(&parsed) {
            return Err(not_valid(&format!("the delivery '{token}' is there twice")));
        }
        tokens.push(parsed);
    }
    for one in &transaction.put {
        in_scope(identity, Verb::PutTo, &one.queue)?;
    }
    for one in &transaction.publish {
        in_scope(identity, Verb::PublishTo, &one.topic)?;
    }
    let puts = puts(call, &transaction)?;
    let names: Vec<String> = puts.iter().map(|put| named(&put.object)).collect();
    let job = Job {
        pool: Arc::clone(target.pool()),
        principal: target.acting().principal().clone(),
        adopts: matches!(target.acting(), Acting::For(_)),
        tokens,
        puts,
    };
    let done = job.run(call, kept).await;
    done.map_err(|error| refusal(&target, &names, error))
}

/// What a transaction needs to run to its end, also when its client goes away.
struct Job {
    pool: Arc<connection::pool::Pool>,
    principal: model::authority::Principal,
    adopts: bool,
    tokens: Vec<Token>,
    puts: Vec<Put>,
}

impl Job {
    async fn run(self, call: Call<'_>, kept: Kept) -> Result<Answer, NotDone> {
        let deliveries = Arc::clone(&call.shared.message_api.deliveries);
        let transacted = to_the_end(async move {
            let acting = if self.adopts { Acting::For(&self.principal) } else { Acting::AsConnected(&self.principal) };
            let receipt = |ids: &[model::identifier::MessageId]| kept.receipt_of_bytes(&answer_of(ids));
            deliveries.transact(&self.pool, acting, &self.tokens, self.puts, receipt).await
        });
        let ids = transacted.await?;
        Ok(crate::answer::of_service(StatusCode::OK, Some(super::PLAIN_JSON), answer_of(&ids).into()))
    }
}

fn answer_of(ids: &[model::identifier::MessageId]) -> Vec<u8> {
    let messages: Vec<_> = ids.iter().map(|id| json!({ "id": id })).collect();
    serde_json::to_vec(&json!({ "messages": messages })).expect("it has string keys only")
}

/// The messages, those of queues first.
fn puts(call: Call<'_>, transaction: &Transaction<'_>) -> Result<Vec<Put>, ApiError> {
    let mut puts = Vec::with_capacity(transaction.put.len() + transaction.publish.len());
    for one in &transaction.put {
        let name = QueueName::parse(&one.queue).ok().filter(|name| !name.is_blank());
        let name = name.ok_or_else(|| ApiError::new(&error::NAME_NOT_VALID, &[&one.queue]))?;
        let object = ObjectDescriptor { name, ..ObjectDescriptor::default() };
        puts.push(put(call, object, one.message, false, puts.len())?);
    }
    for one in &transaction.publish {
        let (object, name) = (ObjectKind::Topic, ObjectName::BLANK);
        let object = ObjectDescriptor { object, name, topic_string: one.topic.clone(), ..ObjectDescriptor::default() };
        puts.push(put(call, object, one.message, one.retain, puts.len())?);
    }
    Ok(puts)
}

fn put(
    call: Call<'_>,
    object: ObjectDescriptor,
    message: &RawValue,
    retains: bool,
    before: usize,
) -> Result<Put, ApiError> {
    let outgoing = read_envelope(message.get().as_bytes(), call.now, &*call.shared.message_api.copybooks);
    let outgoing = outgoing.map_err(|problem| not_a_message(&problem).in_line(before + 1))?;
    let due = outgoing.due;
    let mut flags = PutFlags::SYNCPOINT | PutFlags::FAIL_IF_QUIESCING;
    flags.set(PutFlags::NEW_MSG_ID, !outgoing.has_own_id);
    flags.set(PutFlags::RETAIN, retains);
    let options = PutOptions { flags, context: None };
    Ok(Put { object, message: Box::new(outgoing.into_message()), due, options })
}

fn named(object: &ObjectDescriptor) -> String {
    match object.object {
        ObjectKind::Topic => object.topic_string.clone(),
        _ => object.name.to_string(),
    }
}

fn refusal(target: &Target<'_>, names: &[String], problem: NotDone) -> ApiError {
    match problem {
        NotDone::Delivery { token, problem } => deliveries::refusal(target, token, problem),
        NotDone::OtherQueueManager(token) => ApiError::new(&error::DELIVERY_UNKNOWN, &[&token.to_string()]),
        NotDone::Put { index, source } => {
            let name = names.get(index).map_or("", String::as_str);
            target.with_object(name).failed(&source).in_line(index + 1)
        }
        NotDone::Connection(error) => target.change_failed(&error),
        NotDone::Remote => ApiError::new(&error::NOT_REMOTE, &[target.queue_manager()]),
    }
}
