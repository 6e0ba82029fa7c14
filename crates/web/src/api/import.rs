//! Import: lines of an export put to a queue, each with its own identifiers, context and times.
//!
//! Lines that are there together are one unit of work; a line that is refused takes no other with it. The answer is sent while
//! the request still comes: a line for each line that was refused, and one with the counts after each unit of work.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use connection::pool::{Lent, Pool};
use connection::target::Acting;
use http::StatusCode;
use identity::Identity;
use message_api::copybooks::Copybooks;
use message_api::outgoing::read_envelope;
use model::authority::Principal;
use model::options::{ObjectDescriptor, OpenOptions, PutFlags, PutOptions};
use queue_manager::QueueManagers;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::answer::{self, Answer};
use crate::error::{self, ApiError, Verb};
use crate::messaging::Target;
use crate::query;
use crate::request_body::RequestBody;
use crate::service::Call;

use super::lines::{LINES, Lines, write_line};
use super::not_a_message;

/// Most lines of one unit of work.
const MOST_TOGETHER: usize = 100;
/// Answers that wait for their client before no more lines are read.
const UNREAD_ANSWERS: usize = 16;

/// # Errors
/// 400, 403 also when the user may not set the context of messages, 404, 503.
pub(super) async fn import(
    call: Call<'_>,
    identity: &Identity,
    body: &mut RequestBody<'_>,
) -> Result<Answer, ApiError> {
    let target = Target::of_operator(call, identity, Verb::PutTo)?;
    let mut has_new_context = None;
    query::each(call.query(), |name, value: Cow<'_, str>| match name {
        "context" => {
            let is_new = match &*value {
                "keep" => false,
                "new" => true,
                other => return Err(ApiError::parameter_expected(name, other, "keep or new")),
            };
            query::once(&mut has_new_context, name, is_new)
        }
        _ => Err(query::unknown(name)),
    })?;
    let object = target.queue()?;
    let (option, context) = match has_new_context {
        Some(true) => (OpenOptions::empty(), PutFlags::empty()),
        _ => (OpenOptions::SET_ALL_CONTEXT, PutFlags::SET_ALL_CONTEXT),
    };
    // Whoever may not is told before the first line.
    let options = OpenOptions::OUTPUT | OpenOptions::FAIL_IF_QUIESCING | option;
    let opened = target.pool().open(target.acting(), &object, options).await;
    let (mut lent, opened) = opened.map_err(|error| target.failed(&error))?;
    lent.connection().close(opened.handle).await.map_err(|error| target.failed(&error))?;
    let (answers, answered) = mpsc::channel(UNREAD_ANSWERS);
    let import = Import {
        pool: Arc::clone(target.pool()),
        principal: target.acting().principal().clone(),
        adopts: matches!(target.acting(), Acting::For(_)),
        object_name: target.object().to_owned(),
        object,
        options: PutOptions { flags: PutFlags::SYNCPOINT | PutFlags::FAIL_IF_QUIESCING | context, context: None },
        copybooks: Arc::clone(&call.shared.message_api.copybooks),
        queue_managers: call.shared.queue_managers.clone(),
        counts: Counts::default(),
    };
    let lines = Lines::new(body.stream(&call.settings.options.limits));
    tokio::spawn(import.run(lent, lines, answers));
    Ok(answer::streamed(StatusCode::OK, LINES, answered))
}

#[derive(Default)]
struct Counts {
    lines: usize,
    imported: u64,
    failed: u64,
}

impl Counts {
    fn shown(&self) -> Value {
        json!({ "imported": self.imported, "failed": self.failed })
    }
}

/// An import that is being carried out, whether its client still reads or not.
struct Import {
    pool: Arc<Pool>,
    principal: Principal,
    adopts: bool,
    object_name: String,
    object: ObjectDescriptor,
    options: PutOptions,
    copybooks: Arc<dyn Copybooks>,
    /// For their clock.
    queue_managers: QueueManagers,
    counts: Counts,
}

impl Import {
    async fn run(mut self, mut lent: Lent, mut lines: Lines, answers: mpsc::Sender<Bytes>) {
        let mut together = Vec::new();
        loop {
            let next = lines.next(&mut together, MOST_TOGETHER).await;
            let mut out = Vec::new();
            let put = self.put_together(&mut lent, &together, &mut out).await;
            together.clear();
            let problem = put.err().or(next.as_ref().err().map(ApiError::as_problem));
            let is_over = problem.is_some() || matches!(next, Ok(false));
            let mut counts = self.counts.shown();
            if let Some(problem) = problem {
                counts["error"] = problem;
            } else if is_over {
                counts["isComplete"] = json!(true);
            }
            write_line(&mut out, &counts);
            // A client that has gone gets no answers; what it has sent is put all the same.
            if answers.send(out.into()).await.is_err() {
                tracing::debug!("the client of an import has gone");
            }
            if is_over {
                break;
            }
        }
        lent.give_back();
    }

    /// # Errors
    /// The problem of a commit that failed: none of these lines is there.
    async fn put_together(&mut self, lent: &mut Lent, lines: &[Bytes], out: &mut Vec<u8>) -> Result<(), Value> {
        let acting = if self.adopts { Acting::For(&self.principal) } else { Acting::AsConnected(&self.principal) };
        let target = Target::again(&self.pool, acting, Verb::PutTo, &self.object_name);
        let mut imported = 0;
        for line in lines {
            self.counts.lines += 1;
            match put_line(&target, lent, self, line).await {
                Ok(()) => imported += 1,
                Err(error) => {
                    self.counts.failed += 1;
                    write_line(out, &json!({ "error": error.in_line(self.counts.lines).as_problem() }));
                }
            }
        }
        match lent.connection().commit().await {
            Ok(()) => {
                self.counts.imported += imported;
                Ok(())
            }
            Err(error) => {
                // What was not committed is not there.
                let _ = lent.connection().back_out().await;
                self.counts.failed += imported;
                Err(target.change_failed(&error).as_problem())
            }
        }
    }
}

async fn put_line(target: &Target<'_>, lent: &mut Lent, import: &Import, line: &[u8]) -> Result<(), ApiError> {
    let outgoing = read_envelope(line, import.queue_managers.clock().now(), &*import.copybooks);
    let outgoing = outgoing.map_err(|problem| not_a_message(&problem))?;
    if outgoing.due.is_some() {
        return Err(ApiError::new(&error::BODY_NOT_VALID, &["a message that is imported is delivered at once"]));
    }
    let message = Box::new(outgoing.into_message());
    let put = lent.connection().put1(target.acting(), &import.object, message, &import.options).await;
    put.map(drop).map_err(|error| target.failed(&error))
}
