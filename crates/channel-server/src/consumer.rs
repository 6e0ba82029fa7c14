//! Asynchronous consumers: messages that are sent to a client without an MQGET of their own.
//!
//! ```text
//! client                              server
//! NOTIFICATION start            --->                            consumers of the conversation may deliver
//! REQUEST_MSGS handle, wanted   --->  job of the handle: get, wait, get ...
//!                               <---  ASYNC_MESSAGE             until so many bytes are on their way
//! REQUEST_MSGS, confirm         --->
//!                               <---  ASYNC_MESSAGE             what there is now
//!                               <---  NOTIFICATION              nothing more, or not without another request
//! NOTIFICATION suspend, stop    --->  every job comes to rest
//!                               <---  NOTIFICATION              when it asked for confirmation
//! MQCLOSE                       --->  the job comes to rest and ends
//! ```
//!
//! Each handle that messages are requested for has a job beside the conversation's own, so that a consumer that waits
//! keeps nobody waiting. A job is never dropped while its get is taking a message: it is interrupted, and what it got
//! meanwhile is sent before the answer (`interrupt` in the queue manager).
//!
//! Invariants
//! - No more bytes are on their way than the client's last request allows, but for the message that exceeds them.
//! - After the answer to a suspension, and after that to MQCLOSE, nothing more is sent.
//! - While the client is busy with a message that was got in the unit of work, the others of the conversation get
//!   nothing in it: a commit is never about a message that the program has not seen.
//! - After a back-out that follows a reconnection nothing is sent before the client asks for something (`in_hand`).
//!
//! Source: reference, section 13; `docs/channel-protocol.md`.

mod delivery;
mod in_hand;
mod state;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use channel_protocol::assembly::Unit;
use channel_protocol::error::ProtocolError;
use channel_protocol::flow::consume::{Notification, RequestMessages};
use channel_protocol::flow::status;
use channel_protocol::request::Request;
use channel_protocol::segment::SegmentType;

use crate::admission::StatusCode;
use crate::consumer::state::Group;
use crate::conversation::Conversation;
use crate::jobs::JobHandle;

/// The consumers of one conversation.
#[derive(Default)]
pub(crate) struct Consumers {
    group: Arc<Group>,
    jobs: HashMap<u32, JobHandle, foldhash::fast::RandomState>,
    /// Bounds a reconnection.
    reconnection: Option<JobHandle>,
}

impl Consumers {
    pub(crate) fn await_messages(&self) -> bool {
        self.group.awaits_messages()
    }

    /// They get nothing more; a get that is taking a message sends it.
    pub(crate) fn rest(&self) {
        self.group.begin_rest();
    }

    fn wake_all(&self) {
        self.jobs.values().for_each(JobHandle::wake);
    }

    /// Jobs run in the order in which they are woken: the consumer that was sent something last comes last.
    fn wake_in_turn(&self) {
        let mut handles: Vec<u32> = self.jobs.keys().copied().collect();
        handles.sort_by_key(|&handle| self.group.last_sent(handle));
        handles.iter().filter_map(|handle| self.jobs.get(handle)).for_each(JobHandle::wake);
    }
}

/// Longest wait for a client that reconnects to have made all its conversations again.
const RECONNECTION: Duration = Duration::from_secs(10);

/// Values of `Notification::CONNECTION_STATE`.
const START: i32 = 2;
const SUSPEND: i32 = 3;
const STOP: i32 = 0;

/// REQUEST_MSGS: messages may be sent for a handle, in place of what was requested before.
///
/// # Errors
/// The unit breaks the protocol.
pub(crate) fn request(conversation: &Arc<Conversation>, unit: &Unit) -> Result<(), ProtocolError> {
    let request = requested(unit)?;
    // Without a connection, or with a handle that is not there, there is nothing to send, and no way to say so.
    let Ok(connected) = conversation.connected() else { return Ok(()) };
    let Ok(handle) = u32::try_from(request.handle) else { return Ok(()) };
    if !conversation.objects.lock().contains_key(&handle) {
        return Ok(());
    }
    let mut consumers = conversation.consumers.lock();
    let consumers = &mut *consumers;
    let maximum = conversation.shared.negotiated.maximum_message;
    let (consumer, frees_others) = consumers.group.request(handle, unit, &request, maximum);
    if frees_others && consumers.jobs.len() > 1 {
        consumers.wake_in_turn();
    }
    if let Some(job) = consumers.jobs.get(&handle) {
        job.wake();
    } else {
        let connection = connected.connection.clone();
        let job = delivery::deliver(consumers.group.clone(), consumer, connection, Arc::downgrade(conversation));
        consumers.jobs.insert(handle, conversation.shared.jobs.spawn(job));
    }
    Ok(())
}

/// After an MQCONN that makes a lost conversation again: a message that arrives before the client has made all of them
/// again is not handed to its listener, so none is sent until the client has said so, or had time enough.
pub(crate) fn begin_reconnection(conversation: &Arc<Conversation>) {
    let weak = Arc::downgrade(conversation);
    let bound = async move {
        tokio::time::sleep(RECONNECTION).await;
        if let Some(conversation) = weak.upgrade() {
            reconnected(&conversation, true);
        }
    };
    let mut consumers = conversation.consumers.lock();
    consumers.group.begin_reconnection();
    consumers.reconnection = Some(conversation.shared.jobs.spawn(bound));
}

fn reconnected(conversation: &Conversation, is_over: bool) {
    let consumers = conversation.consumers.lock();
    if consumers.group.reconnected(is_over) {
        consumers.wake_all();
    }
}

/// Before the unit of work is ended: what consumers are getting in it is sent, and they get no more until `go_on`. So a
/// commit is about messages that are on their way to the client at least.
pub(crate) async fn hold(conversation: &Conversation) {
    let group = {
        let consumers = conversation.consumers.lock();
        if consumers.jobs.is_empty() {
            return;
        }
        consumers.group.clone()
    };
    group.hold().await;
}

/// The client has backed out, with any outcome: nothing is sent between the answer and its next request.
pub(crate) fn backed_out(conversation: &Conversation) {
    let consumers = conversation.consumers.lock();
    if !consumers.jobs.is_empty() {
        consumers.group.backed_out();
    }
}

/// The client has committed, with any outcome.
pub(crate) fn committed(conversation: &Conversation) {
    let consumers = conversation.consumers.lock();
    if !consumers.jobs.is_empty() {
        consumers.group.committed();
    }
}

/// The unit of work is ended.
pub(crate) fn go_on(conversation: &Conversation) {
    let consumers = conversation.consumers.lock();
    if !consumers.jobs.is_empty() {
        consumers.group.go_on();
        consumers.wake_all();
    }
}

/// When a consumer was given up because the queue manager quiesces, and after each call since: the conversation ends for
/// the client, which tells its program, once nothing of it is under way.
pub(crate) fn say_farewell(conversation: &Conversation) {
    let group = {
        let consumers = conversation.consumers.lock();
        if consumers.jobs.is_empty() {
            return;
        }
        consumers.group.clone()
    };
    if !conversation.is_quiet() {
        return;
    }
    if let Some(address) = group.take_farewell() {
        conversation.shared.send_status(address, StatusCode(status::StatusCode::QUEUE_MANAGER_ENDING.0));
    }
}

/// NOTIFICATION: consumers start, or come to rest. Answered when the unit asks for it, and only then.
///
/// # Errors
/// The unit breaks the protocol.
pub(crate) async fn notification(conversation: &Arc<Conversation>, unit: &Unit) -> Result<(), ProtocolError> {
    let notification = notified(unit)?;
    let group = conversation.consumers.lock().group.clone();
    let answer = match notification.code {
        Notification::CONNECTION_STATE => {
            match notification.value {
                START => group.start(),
                SUSPEND | STOP => group.rest().await,
                _ => {}
            }
            Notification::CONNECTION_STATE_REPLY
        }
        Notification::OBJECT_STATE => Notification::OBJECT_STATE_REPLY,
        Notification::RECONNECTED => {
            reconnected(conversation, false);
            Notification::RECONNECTED
        }
        other => other,
    };
    if notification.code == Notification::CONNECTION_STATE && notification.value == START {
        conversation.consumers.lock().wake_all();
    }
    if unit.confirm_requested() {
        let answer = Notification { code: answer, ..notification };
        conversation.shared.send(unit.address, SegmentType::Notification, |writer| answer.encode(writer));
    }
    Ok(())
}

/// The consumer of a handle comes to rest and ends, if there is one: before MQCLOSE.
pub(crate) async fn end(conversation: &Conversation, handle: u32) {
    let group = {
        let consumers = conversation.consumers.lock();
        if !consumers.jobs.contains_key(&handle) {
            return;
        }
        consumers.group.clone()
    };
    group.close(handle).await;
    let mut consumers = conversation.consumers.lock();
    let ended = consumers.jobs.remove(&handle);
    consumers.wake_all();
    drop(consumers);
    drop(ended);
}

fn requested(unit: &Unit) -> Result<RequestMessages, ProtocolError> {
    match Request::decode(unit).map_err(broken)? {
        Request::RequestMessages(request) => Ok(request),
        _ => Err(ProtocolError::Unexpected { segment_type: unit.segment_type.number() }),
    }
}

fn notified(unit: &Unit) -> Result<Notification, ProtocolError> {
    match Request::decode(unit).map_err(broken)? {
        Request::Notification(notification) => Ok(notification),
        _ => Err(ProtocolError::Unexpected { segment_type: unit.segment_type.number() }),
    }
}

/// These units have nothing that a queue manager refuses.
fn broken(error: channel_protocol::error::DecodeError) -> ProtocolError {
    match error {
        channel_protocol::error::DecodeError::Protocol(error) => error,
        channel_protocol::error::DecodeError::Refused(_) => {
            ProtocolError::Unexpected { segment_type: SegmentType::RequestMessages.number() }
        }
    }
}
