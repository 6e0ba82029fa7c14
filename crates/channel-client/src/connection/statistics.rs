//! MQSTAT, and the asynchronous puts it tells about.

use channel_protocol::cursor::Writer;
use channel_protocol::flow::call::{ApiHeader, NO_HANDLE};
use channel_protocol::flow::stat::Stat;
use channel_protocol::segment::SegmentType;
use channel_protocol::structure::status_structure::StatusStructure;
use model::reason::{CompletionCode, Reason};

use super::loss::Fate;
use super::{Connection, Reply, Unconfirmed};
use crate::error::ChannelError;

/// MQSTAT_TYPE_*.
const ASYNC_ERROR: i32 = 0;
const RECONNECTION: i32 = 1;
const RECONNECTION_ERROR: i32 = 2;

impl Connection {
    /// MQSTAT of type MQSTAT_TYPE_ASYNC_ERROR: how the asynchronous puts since the last question went.
    ///
    /// # Errors
    /// 2549, once: the connection was lost and made again since, and nobody knows how the puts before went. Those under
    /// syncpoint were backed out.
    pub async fn asynchronous_status(&mut self) -> Result<StatusStructure, ChannelError> {
        loop {
            if self.unconfirmed == Unconfirmed::Lost {
                self.unconfirmed = Unconfirmed::None;
                return Err(ChannelError::refused("MQSTAT", Reason::CallInterrupted));
            }
            match self.status_once(ASYNC_ERROR).await {
                Err(error) if self.reconnects_after(&error) => self.recover("MQSTAT", error, Fate::Repeatable).await?,
                result => {
                    self.unconfirmed = Unconfirmed::None;
                    return result;
                }
            }
        }
    }

    /// The first failure among the puts without an answer since the last question; the cause of a commit's 2003, if there is one.
    ///
    /// # Errors
    /// As `asynchronous_status`.
    pub async fn failed_put(&mut self) -> Result<Option<ChannelError>, ChannelError> {
        let status = self.asynchronous_status().await?;
        let failure =
            || ChannelError::Refused { verb: "MQPUT", completion: CompletionCode::Failed, number: status.reason };
        Ok((status.put_failures > 0).then(failure))
    }

    /// MQSTAT of types MQSTAT_TYPE_RECONNECTION and MQSTAT_TYPE_RECONNECTION_ERROR (with `error`), as the queue manager
    /// answers it. This client reconnects within its calls, so there is never a reconnection under way to tell about.
    ///
    /// # Errors
    /// What MQSTAT may answer.
    pub async fn reconnection_status(&mut self, error: bool) -> Result<StatusStructure, ChannelError> {
        let status_type = if error { RECONNECTION_ERROR } else { RECONNECTION };
        loop {
            match self.status_once(status_type).await {
                Err(error) if self.reconnects_after(&error) => self.recover("MQSTAT", error, Fate::Repeatable).await?,
                result => return result,
            }
        }
    }

    async fn status_once(&mut self, status_type: i32) -> Result<StatusStructure, ChannelError> {
        let request = Stat { status_type, status: StatusStructure::default() };
        let reply = self.call("MQSTAT", SegmentType::Stat, NO_HANDLE, 0, |writer| request.encode(writer)).await;
        Ok(reply.and_then(Reply::well)?.read(Stat::decode)?.status)
    }

    /// A put that nobody answers; `is_alone`: outside syncpoint. It waits only while much is to be written.
    pub(super) async fn send_blindly(
        &mut self,
        segment_type: SegmentType,
        handle: i32,
        encode: impl FnOnce(&mut Writer<'_>),
        is_alone: bool,
    ) -> Result<(), ChannelError> {
        if self.is_broken() {
            return Err(ChannelError::unsent("the socket has ended"));
        }
        self.conversation.await_room().await;
        self.conversation.send(segment_type, 0, |writer| {
            ApiHeader { length: 0, completion: 0, reason: 0, handle }.encode(writer);
            encode(writer);
        });
        match is_alone {
            true => self.unconfirmed = Unconfirmed::Some,
            false => self.puts_blindly = true,
        }
        Ok(())
    }
}
