//! MQCMIT and MQBACK.

use channel_protocol::flow::call::NO_HANDLE;
use channel_protocol::segment::SegmentType;
use model::reason::Reason;

use super::loss::Fate;
use super::{Connection, Reply, Work};
use crate::error::ChannelError;

impl Connection {
    /// MQCMIT.
    ///
    /// # Errors
    /// 2003 the unit of work was backed out when the connection was lost; a new one begins. 2549 the connection was lost
    /// before the answer, and nobody knows which way it went.
    pub async fn commit(&mut self) -> Result<(), ChannelError> {
        loop {
            if self.work == Work::BackedOut {
                self.work = Work::None;
                return Err(ChannelError::refused("MQCMIT", Reason::BackedOut));
            }
            match self.call("MQCMIT", SegmentType::Commit, NO_HANDLE, 0, |_| {}).await.and_then(Reply::well) {
                Err(error) if self.reconnects_after(&error) => {
                    let fate = if self.work == Work::Open { Fate::Uncertain } else { Fate::Repeatable };
                    // The question which way it went answers for the unit of work.
                    self.work = Work::None;
                    self.recover("MQCMIT", error, fate).await?;
                }
                result => {
                    self.work = Work::None;
                    return result.map(drop);
                }
            }
        }
    }

    /// MQBACK. What a lost connection had under syncpoint is backed out already.
    ///
    /// # Errors
    /// What MQBACK may answer.
    pub async fn back_out(&mut self) -> Result<(), ChannelError> {
        loop {
            if self.work == Work::BackedOut {
                self.work = Work::None;
                return Ok(());
            }
            match self.call("MQBACK", SegmentType::BackOut, NO_HANDLE, 0, |_| {}).await.and_then(Reply::well) {
                Err(error) if self.reconnects_after(&error) => {
                    self.work = Work::None;
                    self.recover("MQBACK", error, Fate::Repeatable).await?;
                }
                result => {
                    self.work = Work::None;
                    return result.map(drop);
                }
            }
        }
    }
}
