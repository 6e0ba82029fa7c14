//! A connection to a queue manager (MQHCONN): the MQI verbs, and what happens to them when the socket is lost.
//!
//! One call at a time, as the MQI wants it of a connection handle; who needs two at once takes two connections, which may
//! share a socket. A call whose future is dropped before it ends takes the connection with it: what the queue manager did
//! cannot be known, and what was under syncpoint is backed out.
//!
//! Invariants
//! - An `ObjectHandle` stays valid across reconnections; the queue manager's own handle behind it changes.
//! - After a loss nothing of the lost unit of work is done again: it is backed out, and the program gets 2003.
//! - A call that may have taken effect is never repeated (2549).
//! - No unit of work is committed with a message in it that came for a consumer and that the program has not seen (2500).

pub mod consume;
mod consumers;
mod delivery;
mod loss;
mod object;
pub mod passed_on;
mod statistics;
pub mod subscription;
mod sync;
pub mod xa;

use bytes::Bytes;
use channel_protocol::cursor::Writer;
use channel_protocol::flow::call::{ApiHeader, NO_HANDLE};
use channel_protocol::segment::SegmentType;
use channel_protocol::structure::object_descriptor::ObjectStructure;
use model::descriptor::MessageDescriptor;
use model::name::{QueueManagerName, QueueName};
use model::options::OpenOptions;
use model::reason::Reason;
use model::text::Text;

use crate::client::{Client, Connected};
use crate::connection::consumers::Consumers;
use crate::connection::subscription::Subscription;
use crate::conversation::Conversation;
use crate::error::ChannelError;
use crate::reconnect::Observer;
use crate::reply::Reply;

/// An object that a connection has open (MQHOBJ).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ObjectHandle(u32);

impl ObjectHandle {
    fn at(index: usize) -> Self {
        Self(u32::try_from(index + 1).unwrap_or(u32::MAX))
    }

    /// For `PutOptions::context`, and for programs that know handles by number.
    pub fn number(self) -> u32 {
        self.0
    }

    /// The handle of this number; a verb refuses one that is not open (2019).
    pub fn from_number(number: u32) -> Self {
        Self(number)
    }
}

/// What MQOPEN brought.
#[derive(Debug, Clone)]
pub struct Opened {
    pub handle: ObjectHandle,
    /// Name of the object that was opened: the dynamic queue's for a model.
    pub object_name: QueueName,
}

/// What MQPUT brought.
#[derive(Debug, Clone)]
pub struct Put {
    /// As the queue manager completed it: identifiers, context, put date and time. Of an asynchronous put: as it was given.
    pub descriptor: MessageDescriptor,
    pub resolved_queue: QueueName,
    pub resolved_queue_manager: QueueManagerName,
    pub warning: Option<Reason>,
}

/// What MQGET brought.
#[derive(Debug, Clone)]
pub struct Got {
    pub descriptor: MessageDescriptor,
    /// Shares the memory of what was read from the socket: who keeps many short ones for long should copy them.
    pub body: Bytes,
    /// Length of the whole body; more than `body` holds when the warning is 2079 or 2080.
    pub data_length: usize,
    pub message_token: [u8; 16],
    /// MQGMO GroupStatus, SegmentStatus, Segmentation as their published characters.
    pub group_status: u8,
    pub segment_status: u8,
    pub segmentation: u8,
    pub resolved_queue: QueueName,
    /// 2079 accepted truncated, 2080 truncated and left on the queue, 2110 to 2120 not converted.
    pub warning: Option<Reason>,
}

pub struct Connection {
    client: Client,
    conversation: Conversation,
    queue_manager: QueueManagerName,
    /// Of the queue manager that answered first.
    identifier: Text<48>,
    /// Handle n is at n - 1.
    objects: Vec<Option<Object>>,
    work: Work,
    consumers: Consumers,
    unconfirmed: Unconfirmed,
    /// Some put under syncpoint had no answer.
    puts_blindly: bool,
    observer: Option<Observer>,
}

/// The unit of work, as far as this end knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Work {
    None,
    Open,
    /// It was open when the connection was lost.
    BackedOut,
}

/// Asynchronous puts outside syncpoint whose outcome the program has not asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unconfirmed {
    None,
    Some,
    /// The connection was lost with them: nobody knows.
    Lost,
}

struct Object {
    /// The queue manager's own.
    handle: i32,
    origin: Origin,
}

/// Enough to have it again on another connection.
enum Origin {
    Opened {
        object: Box<ObjectStructure>,
        options: OpenOptions,
    },
    Subscribed(Box<Subscription>),
    /// The queue that came with the subscription of this handle; `None`: that one is closed.
    ManagedBy(Option<ObjectHandle>),
}

impl Connection {
    pub(crate) fn new(client: Client, connected: Connected) -> Result<Self, ChannelError> {
        let Connected { conversation, queue_manager } = connected;
        let identifier = conversation.socket().negotiated.queue_manager_identifier;
        Ok(Self {
            client,
            conversation,
            queue_manager,
            identifier,
            objects: Vec::new(),
            work: Work::None,
            consumers: Consumers::default(),
            unconfirmed: Unconfirmed::None,
            puts_blindly: false,
            observer: None,
        })
    }

    /// Has reconnections told to this one, in place of another.
    pub fn observe(&mut self, observer: Observer) {
        self.observer = Some(observer);
    }

    /// The name of the queue manager that answered.
    pub fn queue_manager(&self) -> &QueueManagerName {
        &self.queue_manager
    }

    /// Silence after which the ends make sure of each other; zero for never.
    pub fn heartbeat_interval(&self) -> std::time::Duration {
        self.conversation.socket().negotiated.heartbeat_interval
    }

    /// The longest message that the channel carries, in bytes.
    pub fn maximum_message_length(&self) -> u32 {
        self.conversation.socket().negotiated.maximum_message_length
    }

    /// The socket is lost, or a call was dropped. A connection that reconnects finds out at its next call.
    pub fn is_broken(&self) -> bool {
        self.conversation.is_broken()
    }

    /// Nothing is open, and nothing under syncpoint, as far as this end knows.
    pub fn is_clean(&self) -> bool {
        self.work == Work::None && self.objects.iter().all(Option::is_none)
    }

    /// MQDISC: commits what is under syncpoint, closes what is open, ends the conversation.
    ///
    /// # Errors
    /// The connection is broken; a put without an answer failed in the unit of work (2003); or a message has come for a consumer under syncpoint that `next_message` has not given
    /// (2500): what was under syncpoint is backed out.
    pub async fn disconnect(mut self) -> Result<(), ChannelError> {
        if self.work == Work::BackedOut {
            return Err(ChannelError::refused("MQDISC", Reason::BackedOut));
        }
        if self.puts_blindly && self.work == Work::Open {
            // Its answer tells what MQDISC's does not: whether all of them went well.
            self.commit().await?;
        }
        self.check_unseen("MQDISC").await?;
        let result = self.call("MQDISC", SegmentType::Disconnect, NO_HANDLE, 0, |_| {}).await;
        let socket = std::sync::Arc::clone(self.conversation.socket());
        drop(self);
        if socket.is_closing() {
            socket.await_end().await;
        }
        result?.without_warning()
    }

    /// One verb: API header and what `encode` adds, then the reply, whether it went well or not.
    ///
    /// `reply_length`: how long the reply may be in bytes; 0 for as long as the request.
    async fn call(
        &mut self,
        verb: &'static str,
        segment_type: SegmentType,
        handle: i32,
        reply_length: usize,
        encode: impl FnOnce(&mut Writer<'_>),
    ) -> Result<Reply, ChannelError> {
        let length = u32::try_from(reply_length).unwrap_or(u32::MAX);
        let unit = self
            .conversation
            .call(segment_type, |writer| {
                ApiHeader { length, completion: 0, reason: 0, handle }.encode(writer);
                encode(writer);
            })
            .await?;
        Reply::new(verb, unit)
    }

    /// The first free number.
    fn remember(&mut self, object: Object) -> ObjectHandle {
        let free = self.objects.iter().position(Option::is_none);
        let index = free.unwrap_or_else(|| {
            self.objects.push(None);
            self.objects.len() - 1
        });
        self.objects[index] = Some(object);
        ObjectHandle::at(index)
    }

    /// Gives the handle up, and what others know it by.
    fn forget(&mut self, handle: ObjectHandle) {
        if let Some(place) = self.objects.get_mut(handle.0 as usize - 1) {
            *place = None;
        }
        for object in self.objects.iter_mut().flatten() {
            match &mut object.origin {
                Origin::Opened { .. } => {}
                Origin::ManagedBy(subscription) => *subscription = subscription.filter(|known| *known != handle),
                Origin::Subscribed(subscription) => subscription.forget_queue(handle),
            }
        }
    }

    fn object(&self, verb: &'static str, handle: ObjectHandle) -> Result<&Object, ChannelError> {
        let index = handle.0.checked_sub(1).and_then(|index| usize::try_from(index).ok());
        let object = index.and_then(|index| self.objects.get(index)).and_then(Option::as_ref);
        object.ok_or_else(|| ChannelError::refused(verb, Reason::HobjError))
    }

    /// Calls under syncpoint are refused until the program has taken note that the unit of work is gone.
    fn check_work(&self, verb: &'static str, syncpoint: bool) -> Result<(), ChannelError> {
        if syncpoint && self.work == Work::BackedOut {
            return Err(ChannelError::refused(verb, Reason::BackedOut));
        }
        Ok(())
    }
}
