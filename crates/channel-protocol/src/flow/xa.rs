//! XA: the verbs of the X/Open interface. Their first 16 bytes have the shape of the API header.
//!
//! ```text
//!   0 length             4  high byte first        16 start, end, prepare, commit, rollback, forget: XID
//!   4 return value       4  0 in requests             open, close: length of the name 1, the name; stale bytes follow
//!   8 flags, TM*         4                            recover: count wanted 4
//!  12 resource manager   4                            replies: nothing, but of recover: count 4, XIDs
//! ```
//!
//! Source: reference, section 13 (C; complete and XIDs in replies D).

use bytes::Bytes;

use crate::cursor::{Reader, Writer};
use crate::error::ProtocolError;
use crate::flow::call::ApiHeader;
use crate::segment::SegmentType;
use crate::structure::xid::Xid;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct XaRequest {
    /// As in the API header; 0 when encoding: the length of the unit.
    pub reply_length: u32,
    /// TM*.
    pub flags: i32,
    pub resource_manager: i32,
    pub verb: XaVerb,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum XaVerb {
    /// The queue manager's name, in ASCII.
    Open(Bytes),
    Close(Bytes),
    Start(Xid),
    End(Xid),
    Prepare(Xid),
    Commit(Xid),
    Rollback(Xid),
    Forget(Xid),
    Recover {
        wanted: usize,
    },
    Complete,
}

impl XaVerb {
    pub fn segment_type(&self) -> SegmentType {
        match self {
            Self::Open(_) => SegmentType::XaOpen,
            Self::Close(_) => SegmentType::XaClose,
            Self::Start(_) => SegmentType::XaStart,
            Self::End(_) => SegmentType::XaEnd,
            Self::Prepare(_) => SegmentType::XaPrepare,
            Self::Commit(_) => SegmentType::XaCommit,
            Self::Rollback(_) => SegmentType::XaRollback,
            Self::Forget(_) => SegmentType::XaForget,
            Self::Recover { .. } => SegmentType::XaRecover,
            Self::Complete => SegmentType::XaComplete,
        }
    }
}

impl XaRequest {
    /// `None`: not the type of an XA request.
    pub(crate) fn decode(segment_type: SegmentType, reader: &mut Reader<'_>) -> Result<Option<Self>, ProtocolError> {
        let header = ApiHeader::decode(reader)?;
        reader.enter("XA");
        let verb = match segment_type {
            SegmentType::XaOpen => XaVerb::Open(name(reader)?),
            SegmentType::XaClose => XaVerb::Close(name(reader)?),
            SegmentType::XaStart => XaVerb::Start(Xid::decode(reader)?),
            SegmentType::XaEnd => XaVerb::End(Xid::decode(reader)?),
            SegmentType::XaPrepare => XaVerb::Prepare(Xid::decode(reader)?),
            SegmentType::XaCommit => XaVerb::Commit(Xid::decode(reader)?),
            SegmentType::XaRollback => XaVerb::Rollback(Xid::decode(reader)?),
            SegmentType::XaForget => XaVerb::Forget(Xid::decode(reader)?),
            SegmentType::XaRecover => XaVerb::Recover { wanted: reader.count("count")? },
            SegmentType::XaComplete => XaVerb::Complete,
            _ => return Ok(None),
        };
        Ok(Some(Self { reply_length: header.length, flags: header.reason, resource_manager: header.handle, verb }))
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        let header =
            ApiHeader { length: self.reply_length, completion: 0, reason: self.flags, handle: self.resource_manager };
        header.encode(writer);
        match &self.verb {
            XaVerb::Open(name) | XaVerb::Close(name) => {
                let base = writer.offset();
                let name = &name[..name.len().min(255)];
                writer.byte(u8::try_from(name.len()).unwrap_or(u8::MAX));
                writer.text(name);
                writer.pad_from(base);
            }
            XaVerb::Start(xid)
            | XaVerb::End(xid)
            | XaVerb::Prepare(xid)
            | XaVerb::Commit(xid)
            | XaVerb::Rollback(xid)
            | XaVerb::Forget(xid) => xid.encode(writer),
            XaVerb::Recover { wanted } => writer.count(*wanted),
            XaVerb::Complete => {}
        }
    }

    /// The answer to it.
    pub fn reply(&self, return_value: i32, recovered: Option<Vec<Xid>>) -> XaReply {
        let segment_type = self.verb.segment_type();
        XaReply {
            segment_type: segment_type.reply().unwrap_or(segment_type),
            return_value,
            flags: self.flags,
            resource_manager: self.resource_manager,
            recovered,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct XaReply {
    /// One of the XA replies.
    pub segment_type: SegmentType,
    /// XA_OK 0, XA_RDONLY 3, XAER_* and XA_RB* otherwise; of recover, how many.
    pub return_value: i32,
    pub flags: i32,
    pub resource_manager: i32,
    /// Of recover.
    pub recovered: Option<Vec<Xid>>,
}

impl XaReply {
    pub(crate) fn decode(segment_type: SegmentType, reader: &mut Reader<'_>) -> Result<Self, ProtocolError> {
        let header = ApiHeader::decode(reader)?;
        reader.enter("XA reply");
        let recovered = match segment_type {
            SegmentType::XaRecoverReply if !reader.is_empty() => Some(xids(reader)?),
            _ => None,
        };
        Ok(Self {
            segment_type,
            return_value: header.completion,
            flags: header.reason,
            resource_manager: header.handle,
            recovered,
        })
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        let header =
            ApiHeader { length: 0, completion: self.return_value, reason: self.flags, handle: self.resource_manager };
        header.encode(writer);
        if let Some(recovered) = &self.recovered {
            writer.count(recovered.len());
            for xid in recovered {
                xid.encode(writer);
            }
        }
    }
}

fn xids(reader: &mut Reader<'_>) -> Result<Vec<Xid>, ProtocolError> {
    let count = reader.count("count")?;
    // Each has at least its six fixed bytes.
    reader.peek(count.saturating_mul(6))?;
    (0..count).map(|_| Xid::decode(reader)).collect()
}

fn name(reader: &mut Reader<'_>) -> Result<Bytes, ProtocolError> {
    let length = usize::from(reader.byte()?);
    let mut name = reader.take(length)?.to_vec();
    reader.form().field_in(&mut name);
    Ok(Bytes::from(name))
}
