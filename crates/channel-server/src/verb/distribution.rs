//! Distribution lists: one handle for several queues, one put for a message on each.
//!
//! A list is opened queue by queue, and each queue keeps a handle of its own at the queue manager. The conversation alone knows
//! which belong together.
//!
//! Invariants
//! - A put tries every queue of the list, whatever became of the others. Under syncpoint all belong to the unit of work.
//! - Handles of lists are above all those of the queue manager.
//!
//! Source: MQ reference, "MQOD", "MQPMO", "MQRR", and 2136, 2137, 9.4.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use channel_protocol::flow::call::{Ending, NO_HANDLE};
use channel_protocol::flow::put::{Put1Reply, PutReply};
use channel_protocol::structure::distribution::{ObjectRecord, PutRecord, ResponseRecord};
use channel_protocol::structure::message_descriptor::Descriptor;
use channel_protocol::structure::object_descriptor::{ObjectStructure, object_name, object_type};
use channel_protocol::structure::open_attributes::OpenAttributes;
use channel_protocol::structure::put_options::PutStructure;
use model::descriptor::Feedback;
use model::identifier::{AccountingToken, CorrelationId, GroupId, MessageId};
use model::message::Message;
use model::options::{CloseOptions, ObjectDescriptor, OpenOptions};
use model::reason::{CompletionCode, Reason};
use queue_manager::Due;
use queue_manager::connection::{ObjectHandle, PutResult};

use crate::conversation::Connected;
use crate::verb::Call;
use crate::verb::open::Opening;
use crate::verb::put::{admitted, count, put_to_handle, put_to_object};

/// The first handle of a list.
const FIRST: u32 = 0x4000_0000;
/// What a list may be opened for.
const ALLOWED: OpenOptions = OpenOptions::OUTPUT
    .union(OpenOptions::PASS_IDENTITY_CONTEXT)
    .union(OpenOptions::PASS_ALL_CONTEXT)
    .union(OpenOptions::SET_IDENTITY_CONTEXT)
    .union(OpenOptions::SET_ALL_CONTEXT)
    .union(OpenOptions::ALTERNATE_USER_AUTHORITY)
    .union(OpenOptions::FAIL_IF_QUIESCING)
    .union(OpenOptions::BIND_ON_OPEN)
    .union(OpenOptions::BIND_NOT_FIXED);

/// The queues of a list, in its order; `None` for one that could not be opened.
pub(crate) struct List {
    queues: Vec<Option<ObjectHandle>>,
}

/// The lists that a conversation has open.
#[derive(Default)]
pub(crate) struct Lists {
    open: HashMap<u32, Arc<List>>,
    next: u32,
}

impl Lists {
    pub(crate) fn keep(&mut self, list: List) -> i32 {
        let number = FIRST + self.next;
        self.next = (self.next + 1) % FIRST;
        self.open.insert(number, Arc::new(list));
        i32::try_from(number).unwrap_or(NO_HANDLE)
    }

    pub(crate) fn get(&self, handle: ObjectHandle) -> Option<Arc<List>> {
        self.open.get(&handle.0).cloned()
    }

    pub(crate) fn remove(&mut self, handle: ObjectHandle) {
        self.open.remove(&handle.0);
    }
}

/// Whether the descriptor names a list.
///
/// # Errors
/// `RecsPresentError` (2154) a negative count, `ObjectRecordsError` (2155) a count without records, `ObjectTypeError` (2043) a
/// list of what is no queue.
pub(super) fn is_list(object: &ObjectStructure) -> Result<bool, Reason> {
    let [present, ..] = object.distribution;
    match present {
        0 => Ok(false),
        ..0 => Err(Reason::RecsPresentError),
        _ if object.destinations.is_empty() => Err(Reason::ObjectRecordsError),
        _ if object.object_type != object_type::QUEUE => Err(Reason::ObjectTypeError),
        _ => Ok(true),
    }
}

/// What became of each queue.
struct Outcomes(Vec<ResponseRecord>);

impl Outcomes {
    fn new() -> Self {
        Self(Vec::new())
    }

    fn add(&mut self, outcome: Result<Option<Reason>, Reason>) {
        let (completion, reason) = match outcome {
            Ok(None) => (CompletionCode::Ok, 0),
            Ok(Some(warning)) => (CompletionCode::Warning, warning.number()),
            Err(reason) => (CompletionCode::Failed, reason.number()),
        };
        self.0.push(ResponseRecord { completion: completion as i32, reason });
    }

    /// The ending of all, where they agree; else 2136, a failure when every one failed.
    fn ending(&self) -> Ending {
        let first = self.0.first().copied().unwrap_or_default();
        if self.0.iter().all(|one| *one == first) {
            return Ending { completion: first.completion, reason: first.reason };
        }
        let failed = CompletionCode::Failed as i32;
        let all_failed = self.0.iter().all(|one| one.completion == failed);
        let completion = if all_failed { CompletionCode::Failed } else { CompletionCode::Warning };
        Ending::new(completion, Reason::MultipleReasons)
    }
}

fn descriptor_of(object: &ObjectStructure, record: &ObjectRecord) -> Result<ObjectDescriptor, Reason> {
    Ok(ObjectDescriptor {
        name: object_name(&record.name).ok_or(Reason::UnknownObjectName)?,
        queue_manager: object_name(&record.queue_manager).ok_or(Reason::UnknownObjectQMgr)?,
        alternate_user: object.alternate_user.to_text().into_owned(),
        ..ObjectDescriptor::default()
    })
}

/// Known, unknown and invalid destinations.
#[derive(Default)]
struct Counts([i32; 3]);

impl Counts {
    fn add(&mut self, is_local: Option<bool>) {
        let index = match is_local {
            Some(true) => 0,
            Some(false) => 1,
            None => 2,
        };
        self.0[index] += 1;
    }
}

/// Opens each queue.
///
/// # Errors
/// 2046: options for something else than putting. The reason that all queues share.
pub(super) async fn open(call: &Call<'_>, object: &ObjectStructure, options: OpenOptions) -> Result<Opening, Reason> {
    let connected = call.connected()?;
    if !ALLOWED.contains(options) || !options.contains(OpenOptions::OUTPUT) {
        return Err(Reason::OptionsError);
    }
    let own = call.conversation.terms().queue_manager.name();
    let (mut outcomes, mut counts, mut queues) = (Outcomes::new(), Counts::default(), Vec::new());
    for record in &object.destinations {
        let opened = match descriptor_of(object, record) {
            Ok(wanted) => connected.connection.open(&connected.principal, &wanted, options).await,
            Err(reason) => Err(reason),
        };
        counts.add(opened.as_ref().ok().map(|opened| opened.resolved_queue_manager == own));
        queues.push(opened.as_ref().ok().map(|opened| opened.handle));
        outcomes.add(opened.map(|_| None));
    }
    let ending = outcomes.ending();
    let handle = if ending.is_failed() { NO_HANDLE } else { call.conversation.keep_list(List { queues }) };
    let mut answer = object.clone().without_strings();
    [answer.distribution[1], answer.distribution[2], answer.distribution[3]] = counts.0;
    if !answer.responses.is_empty() {
        answer.responses = outcomes.0;
    }
    Ok(Opening { handle, object: answer, attributes: OpenAttributes::PLAIN, ending })
}

/// Puts a message to each queue of the list; `None` when no answer is wanted.
pub(crate) async fn put(
    call: &Call<'_>,
    list: &List,
    descriptor: &Descriptor,
    options: &PutStructure,
    data: &Bytes,
    due: Option<Due>,
) -> Option<(Ending, PutReply)> {
    let mut putting = Putting::new(descriptor, options);
    for (at, queue) in list.queues.iter().enumerate() {
        let outcome = match queue {
            None => admitted(call, options, data).and(Err(Reason::OpenFailed)),
            Some(queue) => put_to_handle(call, *queue, putting.message_of(at, data), options, due).await,
        };
        putting.add(call, at, &outcome);
    }
    putting.answer()
}

/// MQPUT1 to each queue of a list; `None` when no answer is wanted.
pub(super) async fn put1(
    call: &Call<'_>,
    object: ObjectStructure,
    descriptor: &Descriptor,
    options: &PutStructure,
    data: &Bytes,
) -> Option<(Ending, Put1Reply)> {
    let mut putting = Putting::new(descriptor, options);
    for (at, record) in object.destinations.iter().enumerate() {
        let outcome = match descriptor_of(&object, record) {
            Err(reason) => admitted(call, options, data).and(Err(reason)),
            Ok(wanted) => put_to_object(call, &wanted, putting.message_of(at, data), options).await,
        };
        putting.add(call, at, &outcome);
    }
    let (counts, responses) = (putting.counts.0, putting.outcomes.0.clone());
    let (ending, put) = putting.answer()?;
    let mut object = object.without_strings();
    [object.distribution[1], object.distribution[2], object.distribution[3]] = counts;
    if !object.responses.is_empty() {
        object.responses = responses;
    }
    Some((ending, Put1Reply { object, put }))
}

/// A put to a list on its way.
struct Putting<'a> {
    descriptor: &'a Descriptor,
    options: PutStructure,
    outcomes: Outcomes,
    counts: Counts,
}

impl<'a> Putting<'a> {
    fn new(descriptor: &'a Descriptor, options: &PutStructure) -> Self {
        Self { descriptor, options: options.clone(), outcomes: Outcomes::new(), counts: Counts::default() }
    }

    /// The message for one queue: with what its record has of its own.
    fn message_of(&self, at: usize, data: &Bytes) -> Message {
        let mut message = Message { descriptor: self.descriptor.fields.clone(), body: data.clone() };
        let Some(record) = self.options.records.get(at) else { return message };
        let descriptor = &mut message.descriptor;
        if let Some(id) = record.message_id {
            descriptor.message_id = MessageId::new(id);
        }
        if let Some(id) = record.correlation_id {
            descriptor.correlation_id = CorrelationId::new(id);
        }
        if let Some(id) = record.group_id {
            descriptor.group_id = GroupId::new(id);
        }
        if let Some(feedback) = record.feedback {
            descriptor.feedback = Feedback(feedback);
        }
        if let Some(token) = record.accounting_token {
            descriptor.accounting_token = AccountingToken::new(token);
        }
        message
    }

    fn add(&mut self, call: &Call<'_>, at: usize, outcome: &Result<PutResult, Reason>) {
        if self.options.is_asynchronous() {
            count(call, &self.options, outcome, None);
        }
        let own = call.conversation.terms().queue_manager.name();
        self.counts.add(outcome.as_ref().ok().map(|result| result.resolved_queue_manager == own));
        self.outcomes.add(outcome.as_ref().map(|result| result.warning).map_err(|reason| *reason));
        let (Ok(result), Some(record)) = (outcome, self.options.records.get_mut(at)) else { return };
        let put = &result.message.descriptor;
        let PutRecord { message_id, correlation_id, group_id, .. } = record;
        for (own, chosen) in [
            (message_id, *put.message_id.as_bytes()),
            (correlation_id, *put.correlation_id.as_bytes()),
            (group_id, *put.group_id.as_bytes()),
        ] {
            if own.is_some() {
                *own = Some(chosen);
            }
        }
    }

    fn answer(self) -> Option<(Ending, PutReply)> {
        let Self { descriptor, mut options, outcomes, counts } = self;
        if options.is_asynchronous() {
            return None;
        }
        let ending = outcomes.ending();
        options.counts = counts.0;
        if !options.responses.is_empty() {
            options.responses = outcomes.0;
        }
        Some((ending, PutReply { descriptor: descriptor.clone(), options }))
    }
}

fn completion(ended: Result<(), Reason>) -> CompletionCode {
    ended.map_or_else(Reason::completion, |()| CompletionCode::Ok)
}

/// Closes each queue.
///
/// # Errors
/// Of the first that could not be closed, else of the first that warns.
pub(super) async fn close(connected: &Connected, list: &List, options: CloseOptions) -> Result<(), Reason> {
    let mut ended = Ok(());
    for queue in list.queues.iter().flatten() {
        let closed = connected.connection.close(*queue, options).await;
        if completion(closed) > completion(ended) {
            ended = closed;
        }
    }
    ended
}
