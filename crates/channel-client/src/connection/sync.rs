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
    /// 2003 the unit of work was backed out, because the connection was lost or a put without an answer failed in it; a new
    /// one begins. 2549 the connection was lost
    /// before the answer, and nobody knows which way it went. 2500 a message has come for a consumer under syncpoint that
    /// `next_message` has not given: nothing is committed; take it, and commit again.
    pub async fn commit(&mut self) -> Result<(), ChannelError> {
        loop {
            if self.work == Work::BackedOut {
                self.work = Work::None;
                return Err(ChannelError::refused("MQCMIT", Reason::BackedOut));
            }
            match self.commit_once().await {
                Err(error) if self.reconnects_after(&error) => {
                    let fate = if self.work == Work::Open { Fate::Uncertain } else { Fate::Repeatable };
                    let recovered = self.recover("MQCMIT", error, fate).await;
                    if matches!(&recovered, Err(error) if error.reason() == Reason::CallInterrupted) {
                        // That question answers for the unit of work.
                        self.work = Work::None;
                    }
                    recovered?;
                }
                // Refused without an outcome, as for lack of room on the disk: the unit of work stays as it is.
                Err(error) if error.reason() != Reason::BackedOut => return Err(error),
                result => {
                    self.work = Work::None;
                    return result;
                }
            }
        }
    }

    async fn commit_once(&mut self) -> Result<(), ChannelError> {
        self.check_unseen("MQCMIT").await?;
        self.call("MQCMIT", SegmentType::Commit, NO_HANDLE, 0, |_| {}).await.and_then(Reply::without_warning)
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
            match self.back_out_once().await {
                Err(error) if self.reconnects_after(&error) => {
                    self.work = Work::None;
                    self.recover("MQBACK", error, Fate::Repeatable).await?;
                }
                result => {
                    self.work = Work::None;
                    return result;
                }
            }
        }
    }

    /// What came in the unit of work and was not taken is given up with it: it comes again.
    async fn back_out_once(&mut self) -> Result<(), ChannelError> {
        self.rest_in_unit().await?;
        self.call("MQBACK", SegmentType::BackOut, NO_HANDLE, 0, |_| {}).await.and_then(Reply::well)?;
        self.consumers.discard_in_unit();
        Ok(())
    }
}
