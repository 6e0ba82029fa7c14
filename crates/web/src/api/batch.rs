//! Many messages in one request, one envelope a line, each answered by a line in the same order.
//!
//! Without `atomic` each message counts by itself, and answers are sent while the request still comes. Lines that are there
//! together are put in one unit of work, so that they share one sync of the log; a message that is refused takes no other with it.
//! With `atomic` all messages are one unit of work, which is read whole first.

use std::sync::Arc;

use bytes::Bytes;
use http::StatusCode;
use message_api::copybooks::Copybooks;
use message_api::keys::Fingerprint;
use message_api::outgoing::{Outgoing, read_envelope};
use model::authority::Principal;
use model::options::{ObjectDescriptor, PutFlags};
use model::timestamp::Timestamp;
use queue_manager::QueueManagers;
use serde_json::json;
use tokio::sync::mpsc;

use connection::pool::{Lent, Pool};
use connection::target::Acting;

use crate::answer::{self, Answer};
use crate::error::{self, ApiError, Verb};
use crate::messaging::Target;
use crate::request_body::RequestBody;
use crate::service::Call;

use super::keys::Said;
use super::lines::{LINES, Lines, write_line};
use super::put::{Parameters, Placed, fingerprint};
use super::{keys, not_a_message};

/// Most lines of one unit of work.
const MOST_TOGETHER: usize = 100;
/// Most messages of an atomic batch with a key: its answer is kept, and has to fit into a receipt.
const MOST_WITH_KEY: usize = 500;
/// About as many bytes has the line that answers a message.
const ANSWER_BYTES: usize = 96;
/// Answers that wait for their client before no more lines are read.
const UNREAD_ANSWERS: usize = 16;

pub(super) async fn put(
    call: Call<'_>,
    target: Target<'_>,
    object: ObjectDescriptor,
    parameters: Parameters,
    body: &mut RequestBody<'_>,
) -> Result<Answer, ApiError> {
    if parameters.is_atomic {
        return put_atomic(call, &target, &object, parameters, body).await;
    }
    if keys::is_given(call) {
        return Err(ApiError::header("Idempotency-Key", "?", "to be left out, or a batch with ?atomic"));
    }
    let lent = target.pool().lend().await.map_err(|error| target.failed(&error))?;
    let (answers, answered) = mpsc::channel(UNREAD_ANSWERS);
    let batch = Batch {
        pool: Arc::clone(target.pool()),
        principal: target.acting().principal().clone(),
        adopts: matches!(target.acting(), Acting::For(_)),
        verb: target.verb(),
        object_name: target.object().to_owned(),
        object,
        parameters,
        copybooks: Arc::clone(&call.shared.message_api.copybooks),
        queue_managers: call.shared.queue_managers.clone(),
    };
    let lines = Lines::new(body.stream(&call.settings.options.limits));
    tokio::spawn(batch.run(lent, lines, answers));
    Ok(answer::streamed(StatusCode::OK, LINES, answered))
}

/// A batch that is being carried out, whether its client still reads or not.
struct Batch {
    pool: Arc<Pool>,
    principal: Principal,
    adopts: bool,
    verb: Verb,
    object_name: String,
    object: ObjectDescriptor,
    parameters: Parameters,
    copybooks: Arc<dyn Copybooks>,
    /// For their clock.
    queue_managers: QueueManagers,
}

impl Batch {
    async fn run(self, mut lent: Lent, mut lines: Lines, answers: mpsc::Sender<Bytes>) {
        let acting = if self.adopts { Acting::For(&self.principal) } else { Acting::AsConnected(&self.principal) };
        let target = Target::again(&self.pool, acting, self.verb, &self.object_name);
        let mut together = Vec::new();
        loop {
            let next = lines.next(&mut together, MOST_TOGETHER).await;
            let mut out = Vec::with_capacity(ANSWER_BYTES * together.len());
            if !together.is_empty() {
                self.put_together(&target, &mut lent, &together, &mut out).await;
                together.clear();
            }
            let is_over = match next {
                Ok(more) => !more,
                Err(error) => {
                    write_line(&mut out, &json!({ "error": error.as_problem() }));
                    true
                }
            };
            // A client that has gone gets no answers; what it has sent is put all the same.
            if !out.is_empty() && answers.send(out.into()).await.is_err() {
                tracing::debug!("the client of a batch has gone");
            }
            if is_over {
                break;
            }
        }
        lent.give_back();
    }

    /// Puts each line for itself, all in one unit of work; writes for each what became of it.
    async fn put_together(&self, target: &Target<'_>, lent: &mut Lent, lines: &[Bytes], out: &mut Vec<u8>) {
        let mut results = Vec::with_capacity(lines.len());
        let now = self.queue_managers.clock().now();
        for line in lines {
            let outgoing = match read_line(line, now, &*self.copybooks) {
                Ok(outgoing) => outgoing,
                Err(error) => {
                    results.push(Err(error));
                    continue;
                }
            };
            let (options, due) = (self.parameters.options(&outgoing, PutFlags::SYNCPOINT), outgoing.due);
            let message = Box::new(outgoing.into_message());
            let put = lent.connection().put1_due(target.acting(), &self.object, message, &options, due).await;
            let put = put.map(|done| Placed { id: done.message_id, position: done.position });
            results.push(put.map_err(|error| target.failed(&error)));
        }
        let committed = lent.connection().commit().await;
        if committed.is_err() {
            // What was not committed is not there.
            let _ = lent.connection().back_out().await;
        }
        for result in results {
            match (result, &committed) {
                (Ok(placed), Ok(())) => write_line(out, &placed),
                (Ok(_), Err(error)) => write_line(out, &json!({ "error": target.change_failed(error).as_problem() })),
                (Err(error), _) => write_line(out, &json!({ "error": error.as_problem() })),
            }
        }
    }
}

fn read_line(line: &[u8], now: Timestamp, copybooks: &dyn Copybooks) -> Result<Outgoing, ApiError> {
    read_envelope(line, now, copybooks).map_err(|problem| not_a_message(&problem))
}

async fn put_atomic(
    call: Call<'_>,
    target: &Target<'_>,
    object: &ObjectDescriptor,
    parameters: Parameters,
    body: &mut RequestBody<'_>,
) -> Result<Answer, ApiError> {
    let limits = &call.settings.options.limits;
    let bytes = body.read(limits, limits.body_bytes).await?;
    let operation = match target.verb() {
        Verb::PublishTo => "publish a batch",
        _ => "put a batch",
    };
    let sum = || -> Fingerprint { fingerprint(call, &bytes) };
    let kept = match keys::claim(call, target, [operation, target.object()], sum).await? {
        Said::Go(kept) => kept,
        Said::Answered(mut answer) => {
            *answer.status_mut() = StatusCode::OK;
            answer.headers_mut().insert(http::header::CONTENT_TYPE, LINES);
            return Ok(answer);
        }
    };
    let mut messages = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
        let outgoing = read_line(line, call.now, &*call.shared.message_api.copybooks);
        messages.push(outgoing.map_err(|error| error.in_line(messages.len() + 1))?);
    }
    if keys::is_given(call) && messages.len() > MOST_WITH_KEY {
        let problem = format!("an atomic batch with an Idempotency-Key has at most {MOST_WITH_KEY} messages");
        return Err(ApiError::new(&error::BODY_NOT_VALID, &[&problem]));
    }
    let mut lent = target.pool().lend().await.map_err(|error| target.failed(&error))?;
    let mut out = Vec::new();
    for (index, outgoing) in messages.into_iter().enumerate() {
        let (options, due) = (parameters.options(&outgoing, PutFlags::SYNCPOINT), outgoing.due);
        let message = Box::new(outgoing.into_message());
        match lent.connection().put1_due(target.acting(), object, message, &options, due).await {
            Ok(done) => write_line(&mut out, &Placed { id: done.message_id, position: done.position }),
            Err(error) => {
                let refusal = target.failed(&error).in_line(index + 1);
                let _ = lent.connection().back_out().await;
                lent.give_back_after(&error);
                return Err(refusal);
            }
        }
    }
    keys::commit(target, lent, kept, &out).await?;
    Ok(answer::of_service(StatusCode::OK, Some(LINES), out.into()))
}
