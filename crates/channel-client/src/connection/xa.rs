//! The verbs of a transaction manager: branches of global transactions.
//!
//! What is put and got under syncpoint between `xa_start` and `xa_end` belongs to the branch. A branch that was prepared
//! survives the connection and the queue manager's restart: any connection may commit it or roll it back. One that was not
//! is rolled back with its connection.
//!
//! A connection that reconnects by itself takes no part: its branch would be gone without the transaction manager knowing
//! (2547).
//!
//! Source: X/Open CAE Specification, "Distributed TP: The XA Specification", 1991; `docs/channel-protocol.md`, "XA".

use bitflags::bitflags;
use bytes::Bytes;
use channel_protocol::flow::xa::{XaReply, XaRequest, XaVerb};
use channel_protocol::reply::Reply;
use channel_protocol::structure::xid::Xid;
use model::reason::Reason;

use super::{Connection, Work};
use crate::error::ChannelError;
use crate::reconnect::Reconnect;

pub const XA_OK: i32 = 0;
pub const XA_RDONLY: i32 = 3;
pub const XA_RBROLLBACK: i32 = 100;
pub const XA_RBEND: i32 = 107;
pub const XAER_RMERR: i32 = -3;
pub const XAER_NOTA: i32 = -4;
pub const XAER_INVAL: i32 = -5;
pub const XAER_PROTO: i32 = -6;
pub const XAER_RMFAIL: i32 = -7;
pub const XAER_DUPID: i32 = -8;
pub const XAER_OUTSIDE: i32 = -9;

/// Identifiers asked for at a time by a recovery scan, and the longest form of one, in bytes.
const SCAN: usize = 100;
const LONGEST_XID: usize = 136;

bitflags! {
    /// TM*, but those of recovery scans.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct XaFlags: u32 {
        const JOIN = 0x0020_0000;
        const SUSPEND = 0x0200_0000;
        const SUCCESS = 0x0400_0000;
        const RESUME = 0x0800_0000;
        const FAIL = 0x2000_0000;
        const ONE_PHASE = 0x4000_0000;
    }
}

const START_SCAN: u32 = 0x0100_0000;

/// How `xa_prepare` went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prepared {
    /// To be committed or rolled back.
    Ready,
    /// There was nothing in the branch: it is over (XA_RDONLY).
    ReadOnly,
}

/// Every verb fails with `ChannelError::Xa` where the queue manager returns anything but success, with the connection's own
/// errors where it does not answer (XAER_RMFAIL to a transaction manager), and with 2547 on a connection that reconnects.
impl Connection {
    /// # Errors
    /// As said above.
    pub async fn xa_open(&mut self) -> Result<(), ChannelError> {
        let name = self.name();
        self.xa_done("xa_open", XaVerb::Open(name), XaFlags::empty()).await
    }

    /// # Errors
    /// As said above.
    pub async fn xa_close(&mut self) -> Result<(), ChannelError> {
        let name = self.name();
        self.xa_done("xa_close", XaVerb::Close(name), XaFlags::empty()).await
    }

    /// Begins a branch, or goes on with one (`JOIN`, `RESUME`).
    ///
    /// # Errors
    /// XAER_DUPID known already, XAER_NOTA not known, XAER_OUTSIDE the connection has a unit of work of its own, XAER_PROTO.
    pub async fn xa_start(&mut self, xid: &Xid, flags: XaFlags) -> Result<(), ChannelError> {
        self.xa_done("xa_start", XaVerb::Start(xid.clone()), flags).await
    }

    /// Ends the work on a branch, for good (`SUCCESS`, `FAIL`: it may only be rolled back) or for a while (`SUSPEND`).
    ///
    /// # Errors
    /// XA_RB* it may only be rolled back, XAER_NOTA, XAER_PROTO; 2500 as `commit`, unless it is to fail.
    pub async fn xa_end(&mut self, xid: &Xid, flags: XaFlags) -> Result<(), ChannelError> {
        if flags.contains(XaFlags::FAIL) {
            self.rest_in_unit().await?;
            self.consumers.discard_in_unit();
        } else {
            self.check_unseen("xa_end").await?;
        }
        let ended = self.xa_done("xa_end", XaVerb::End(xid.clone()), flags).await;
        self.work = Work::None;
        ended
    }

    /// # Errors
    /// XA_RB* rolled back, XAER_NOTA, XAER_PROTO not ended.
    pub async fn xa_prepare(&mut self, xid: &Xid) -> Result<Prepared, ChannelError> {
        let reply = self.xa("xa_prepare", XaVerb::Prepare(xid.clone()), 0, 0).await?;
        match reply.return_value {
            XA_OK => Ok(Prepared::Ready),
            XA_RDONLY => Ok(Prepared::ReadOnly),
            code => Err(ChannelError::Xa { verb: "xa_prepare", code }),
        }
    }

    /// Commits a prepared branch, or with `one_phase` one that is ended and not prepared.
    ///
    /// # Errors
    /// XA_RB* rolled back instead (one phase), XAER_NOTA, XAER_PROTO.
    pub async fn xa_commit(&mut self, xid: &Xid, one_phase: bool) -> Result<(), ChannelError> {
        let flags = if one_phase { XaFlags::ONE_PHASE } else { XaFlags::empty() };
        self.xa_done("xa_commit", XaVerb::Commit(xid.clone()), flags).await
    }

    /// # Errors
    /// XAER_NOTA, XAER_PROTO.
    pub async fn xa_rollback(&mut self, xid: &Xid) -> Result<(), ChannelError> {
        self.xa_done("xa_rollback", XaVerb::Rollback(xid.clone()), XaFlags::empty()).await
    }

    /// # Errors
    /// XAER_NOTA: the queue manager has made no decision of its own about it.
    pub async fn xa_forget(&mut self, xid: &Xid) -> Result<(), ChannelError> {
        self.xa_done("xa_forget", XaVerb::Forget(xid.clone()), XaFlags::empty()).await
    }

    /// All branches that are prepared and not ended, of all connections.
    ///
    /// # Errors
    /// As said above.
    pub async fn xa_recover(&mut self) -> Result<Vec<Xid>, ChannelError> {
        let mut all = Vec::new();
        let mut flags = START_SCAN;
        loop {
            let verb = XaVerb::Recover { wanted: SCAN };
            let reply = self.xa("xa_recover", verb, flags, SCAN * LONGEST_XID + 64).await?;
            if reply.return_value < 0 {
                return Err(ChannelError::Xa { verb: "xa_recover", code: reply.return_value });
            }
            let found = reply.recovered.unwrap_or_default();
            let is_last = found.len() < SCAN;
            all.extend(found);
            if is_last {
                return Ok(all);
            }
            flags = 0;
        }
    }

    fn name(&self) -> Bytes {
        Bytes::copy_from_slice(self.queue_manager.as_str().as_bytes())
    }

    async fn xa_done(&mut self, name: &'static str, verb: XaVerb, flags: XaFlags) -> Result<(), ChannelError> {
        match self.xa(name, verb, flags.bits(), 0).await?.return_value {
            XA_OK => Ok(()),
            code => Err(ChannelError::Xa { verb: name, code }),
        }
    }

    async fn xa(
        &mut self,
        name: &'static str,
        verb: XaVerb,
        flags: u32,
        reply_length: usize,
    ) -> Result<XaReply, ChannelError> {
        if self.client.options().reconnect != Reconnect::Disabled {
            return Err(ChannelError::refused(name, Reason::ReconnectIncompatible));
        }
        let reply_length = u32::try_from(reply_length).unwrap_or(u32::MAX);
        let request = XaRequest { reply_length, flags: flags.cast_signed(), resource_manager: 0, verb };
        let unit = self.conversation.call(request.verb.segment_type(), |writer| request.encode(writer)).await?;
        match Reply::decode(&unit) {
            Ok(Reply::Xa(reply)) => Ok(reply),
            Ok(_) => Err(ChannelError::broken(format!("the reply to {name} is another one's"))),
            Err(error) => Err(ChannelError::broken(format!("the reply to {name}: {error}"))),
        }
    }
}

/// The published name of a return value.
pub fn name_of(code: i32) -> Option<&'static str> {
    Some(match code {
        XA_RDONLY => "XA_RDONLY",
        4 => "XA_RETRY",
        5 => "XA_HEURMIX",
        6 => "XA_HEURRB",
        7 => "XA_HEURCOM",
        8 => "XA_HEURHAZ",
        9 => "XA_NOMIGRATE",
        XA_RBROLLBACK => "XA_RBROLLBACK",
        101 => "XA_RBCOMMFAIL",
        102 => "XA_RBDEADLOCK",
        103 => "XA_RBINTEGRITY",
        104 => "XA_RBOTHER",
        105 => "XA_RBPROTO",
        106 => "XA_RBTIMEOUT",
        XA_RBEND => "XA_RBTRANSIENT",
        -2 => "XAER_ASYNC",
        XAER_RMERR => "XAER_RMERR",
        XAER_NOTA => "XAER_NOTA",
        XAER_INVAL => "XAER_INVAL",
        XAER_PROTO => "XAER_PROTO",
        XAER_RMFAIL => "XAER_RMFAIL",
        XAER_DUPID => "XAER_DUPID",
        XAER_OUTSIDE => "XAER_OUTSIDE",
        _ => return None,
    })
}
