//! MQSTAT, and the asynchronous puts it tells about.

use channel_protocol::cursor::Writer;
use channel_protocol::flow::call::{ApiHeader, NO_HANDLE};
use channel_protocol::flow::stat::Stat;
use channel_protocol::segment::SegmentType;
use channel_protocol::structure::status_structure::StatusStructure;
use model::descriptor::MessageDescriptor;
use model::name::{QueueManagerName, QueueName};

use super::{Connection, Put, Reply};
use crate::error::ChannelError;

/// MQSTAT_TYPE_ASYNC_ERROR.
const ASYNC_ERROR: i32 = 0;

impl Connection {
    /// MQSTAT of type MQSTAT_TYPE_ASYNC_ERROR: how the asynchronous puts since the last question went.
    ///
    /// # Errors
    /// The connection is broken.
    pub async fn asynchronous_status(&mut self) -> Result<StatusStructure, ChannelError> {
        let request = Stat { status_type: ASYNC_ERROR, status: StatusStructure::default() };
        let reply = self.call("MQSTAT", SegmentType::Stat, NO_HANDLE, 0, |writer| request.encode(writer)).await;
        Ok(reply.and_then(Reply::well)?.read(Stat::decode)?.status)
    }

    /// A put that nobody answers. It waits only while much is to be written.
    pub(super) async fn send(
        &mut self,
        segment_type: SegmentType,
        handle: i32,
        encode: impl FnOnce(&mut Writer<'_>),
        descriptor: &MessageDescriptor,
    ) -> Result<Put, ChannelError> {
        if self.is_broken() {
            return Err(ChannelError::unsent("the socket has ended"));
        }
        self.conversation.await_room().await;
        self.conversation.send(segment_type, 0, |writer| {
            ApiHeader { length: 0, completion: 0, reason: 0, handle }.encode(writer);
            encode(writer);
        });
        Ok(Put {
            descriptor: descriptor.clone(),
            resolved_queue: QueueName::BLANK,
            resolved_queue_manager: QueueManagerName::BLANK,
            warning: None,
        })
    }
}
