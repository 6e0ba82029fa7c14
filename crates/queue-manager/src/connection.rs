//! A connection to the queue manager (MQHCONN) and the verbs on it. Dropping it closes its handles and backs out.

use bytes::Bytes;
use model::authority::Principal;
use model::descriptor::MessageDescriptor;
use model::name::{QueueManagerName, QueueName};
use model::options::{CloseOptions, GetOptions, ObjectDescriptor, OpenOptions, PutOptions};
use model::reason::Reason;

/// MQHOBJ: an open object of one connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ObjectHandle(pub u32);

/// What MQOPEN resolved, and under which handle.
#[derive(Debug, Clone)]
pub struct Opened {
    pub handle: ObjectHandle,
    /// Name of the queue that was opened: the dynamic queue's for a model.
    pub object_name: QueueName,
    pub resolved_queue: QueueName,
    pub resolved_queue_manager: QueueManagerName,
}

#[derive(Debug, Clone)]
pub struct PutResult {
    /// As the queue manager completed it: identifiers, context, put date and time.
    pub descriptor: MessageDescriptor,
    pub resolved_queue: QueueName,
    pub resolved_queue_manager: QueueManagerName,
    pub warning: Option<Reason>,
}

#[derive(Debug, Clone)]
pub struct GetResult {
    pub descriptor: MessageDescriptor,
    /// At most `buffer_length` bytes.
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

pub struct Connection {}

impl Connection {
    /// `caller` is whose authority is checked; pass the connection's own principal unless the door switches users.
    pub async fn open(
        &self,
        caller: &Principal,
        object: &ObjectDescriptor,
        options: OpenOptions,
    ) -> Result<Opened, Reason> {
        todo!()
    }
    pub async fn close(&self, handle: ObjectHandle, options: CloseOptions) -> Result<(), Reason> {
        todo!()
    }
    pub async fn put(
        &self,
        handle: ObjectHandle,
        descriptor: MessageDescriptor,
        options: &PutOptions,
        body: Bytes,
    ) -> Result<PutResult, Reason> {
        todo!()
    }
    /// Queue or topic; the authority is +put or +pub.
    pub async fn put1(
        &self,
        caller: &Principal,
        object: &ObjectDescriptor,
        descriptor: MessageDescriptor,
        options: &PutOptions,
        body: Bytes,
    ) -> Result<PutResult, Reason> {
        todo!()
    }
    /// Gets or browses one message. Dropping the future while it waits consumes nothing.
    pub async fn get(&self, handle: ObjectHandle, options: &GetOptions) -> Result<GetResult, Reason> {
        todo!()
    }
    pub async fn commit(&self) -> Result<(), Reason> {
        todo!()
    }
    pub async fn back_out(&self) -> Result<(), Reason> {
        todo!()
    }
    pub async fn disconnect(self) -> Result<(), Reason> {
        todo!()
    }
}
