//! Units and operations: what stands inside a batch. Every kind number and version of the log is in this file, and a
//! number once used is never used for anything else.
//!
//! A unit is atomic: all of its operations count, or none.
//!
//! ```text
//! unit                                       operation
//! offset width                               offset width
//!      0     4  length of the unit                0     1  kind
//!      4     1  kind                              1     1  version, 1
//!      5     1  version, 1                        2     2  zero
//!      6     2  length of the XID, or 0           4     4  length of what follows
//!      8     8  unit of work, or 0                8        fields by kind
//!     16        XID, then operations
//!
//! XID: 4 format id, 1 length of the global transaction, 1 length of the branch, both.
//!
//! put (1), moved (2)                         get (3)                 backout count (4)
//!      0     4  queue                             0  4  queue             0  4  queue
//!      4     4  length of the descriptor          4  8  key               4  8  key
//!      8     8  key: rank in the upper four bits, position below         12  4  count
//!     16     8  moment of expiry, or all ones
//!     24     8  moment of arrival            save definition (5)     delete definition (6)
//!     32     8  number of the body's file,        0  4  CRC of the value  0  key
//!               or 0: the body is here            4  2  length of key
//!     40     4  backout count                     6     key, value    drop queue (7), clear queue (8)
//!     44     4  length of the body                                       0  4  queue
//!     48     4  CRC-32C of descriptor and of the body that is here
//!     52     4  CRC-32C of the body in its file, or 0
//!     56        descriptor (see descriptor.rs), body if it is here
//!
//! receipt (9)
//!      0    16  key
//!     16     8  moment of expiry
//!     24     4  CRC-32C of the value
//!     28        value
//! ```
//! Moments are microseconds since 1970.

use crate::private::log::cursor::{Cursor, length_field};
use crate::private::queue::Key;
use crate::{QueueId, ReceiptKey, UnitOfWorkId, Xid};

pub(crate) const UNIT_HEADER_BYTES: usize = 16;
pub(crate) const OPERATION_HEADER_BYTES: usize = 8;
pub(crate) const PUT_FIXED_BYTES: usize = 56;
/// A put record without descriptor and body.
pub(crate) const PUT_HEAD_BYTES: usize = OPERATION_HEADER_BYTES + PUT_FIXED_BYTES;
pub(crate) const GET_BYTES: usize = OPERATION_HEADER_BYTES + 12;
pub(crate) const BACKOUT_COUNT_BYTES: usize = OPERATION_HEADER_BYTES + 16;
const RECEIPT_FIXED_BYTES: usize = 28;
/// A receipt's record without its value.
pub(crate) const RECEIPT_HEAD_BYTES: usize = OPERATION_HEADER_BYTES + RECEIPT_FIXED_BYTES;
pub(crate) const NEVER: u64 = u64::MAX;

const UNIT_VERSION: u8 = 1;
const OPERATION_VERSION: u8 = 1;
const XID_PART_MAXIMUM: usize = 64;

/// What becomes of a unit's operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitKind {
    /// They stand as they are.
    Complete,
    /// They wait for a later unit of the same unit of work.
    Part,
    /// As `Part`; moreover everything of this unit of work survives a restart in doubt.
    Prepared,
    /// They, and all earlier ones of the unit of work, are done.
    Commit,
    /// They, and all earlier ones of the unit of work, are undone.
    BackOut,
}

impl UnitKind {
    const fn number(self) -> u8 {
        match self {
            Self::Complete => 1,
            Self::Part => 2,
            Self::Prepared => 3,
            Self::Commit => 4,
            Self::BackOut => 5,
        }
    }

    fn parse(number: u8) -> Option<Self> {
        [Self::Complete, Self::Part, Self::Prepared, Self::Commit, Self::BackOut]
            .into_iter()
            .find(|kind| kind.number() == number)
    }
}

const PUT: u8 = 1;
const MOVED: u8 = 2;
const GET: u8 = 3;
const BACKOUT_COUNT: u8 = 4;
const SAVE_DEFINITION: u8 = 5;
const DELETE_DEFINITION: u8 = 6;
const DROP_QUEUE: u8 = 7;
const CLEAR_QUEUE: u8 = 8;
const RECEIPT: u8 = 9;

/// One unit as it lies in a batch.
#[derive(Debug, Clone)]
pub(crate) struct Unit<'a> {
    pub(crate) kind: UnitKind,
    pub(crate) unit_of_work: UnitOfWorkId,
    pub(crate) xid: Option<Xid>,
    /// Where the unit starts within the batch's payload, in bytes.
    pub(crate) start: usize,
    /// Of the unit's head, in bytes: header and XID.
    pub(crate) head_length: usize,
    operations: &'a [u8],
}

/// The message of a put or moved record, borrowed from the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PutRecord<'a> {
    pub(crate) queue: QueueId,
    pub(crate) key: Key,
    pub(crate) expires: u64,
    pub(crate) arrived: u64,
    /// 0 when the body is in the record.
    pub(crate) body_file: u64,
    pub(crate) backout_count: u32,
    pub(crate) body_length: u32,
    pub(crate) content_crc: u32,
    pub(crate) body_crc: u32,
    pub(crate) descriptor_length: u32,
    /// Descriptor, and the body when it is here.
    pub(crate) content: &'a [u8],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation<'a> {
    Put(PutRecord<'a>),
    /// A put that was already there, or whose first record is gone: only its place in the log is new.
    Moved(PutRecord<'a>),
    Get {
        queue: QueueId,
        key: Key,
    },
    BackoutCount {
        queue: QueueId,
        key: Key,
        count: u32,
    },
    SaveDefinition {
        key: &'a str,
        value: &'a [u8],
        crc: u32,
    },
    DeleteDefinition {
        key: &'a str,
    },
    DropQueue(QueueId),
    ClearQueue(QueueId),
    /// What was answered to a request; a moved one is the same record again.
    Receipt {
        key: ReceiptKey,
        expires: u64,
        crc: u32,
        value: &'a [u8],
    },
}

/// An operation with where it starts within its unit's payload of the batch, and its length with header.
pub(crate) struct Located<'a> {
    pub(crate) operation: Operation<'a>,
    pub(crate) start: usize,
    pub(crate) length: usize,
}

/// Header of a unit whose operations take `operations` bytes. `xid` only for `Prepared`.
pub(crate) fn unit_head(kind: UnitKind, unit: UnitOfWorkId, xid: Option<&Xid>, operations: usize) -> UnitHead {
    let mut head = UnitHead { bytes: [0; UNIT_HEADER_BYTES + XID_BYTES_MAXIMUM], length: UNIT_HEADER_BYTES };
    if let Some(xid) = xid {
        head.push(&xid.format_id.to_le_bytes());
        head.push(&[part_length(&xid.global_transaction), part_length(&xid.branch)]);
        head.push(&xid.global_transaction);
        head.push(&xid.branch);
    }
    let xid_length = u16::try_from(head.length - UNIT_HEADER_BYTES).expect("an XID has at most 134 bytes");
    head.bytes[..4].copy_from_slice(&length_field(head.length + operations).to_le_bytes());
    head.bytes[4] = kind.number();
    head.bytes[5] = UNIT_VERSION;
    head.bytes[6..8].copy_from_slice(&xid_length.to_le_bytes());
    head.bytes[8..16].copy_from_slice(&unit.0.to_le_bytes());
    head
}

const XID_BYTES_MAXIMUM: usize = 6 + 2 * XID_PART_MAXIMUM;

/// A unit header on the stack.
pub(crate) struct UnitHead {
    bytes: [u8; UNIT_HEADER_BYTES + XID_BYTES_MAXIMUM],
    length: usize,
}

impl UnitHead {
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    fn push(&mut self, bytes: &[u8]) {
        self.bytes[self.length..self.length + bytes.len()].copy_from_slice(bytes);
        self.length += bytes.len();
    }
}

fn part_length(part: &[u8]) -> u8 {
    assert!(part.len() <= XID_PART_MAXIMUM, "the parts of an XID have at most 64 bytes");
    u8::try_from(part.len()).expect("at most 64")
}

/// True when the log can hold this XID.
pub(crate) fn xid_fits(xid: &Xid) -> bool {
    xid.global_transaction.len() <= XID_PART_MAXIMUM && xid.branch.len() <= XID_PART_MAXIMUM
}

/// Units of a batch payload, in order. An `Err` is the offset of one that makes no sense; nothing follows it.
pub(crate) fn units(payload: &[u8], count: u32) -> impl Iterator<Item = Result<Unit<'_>, usize>> {
    let mut cursor = Cursor::new(payload);
    let mut left = count;
    std::iter::from_fn(move || {
        if left == 0 {
            return None;
        }
        let start = payload.len() - cursor.remaining();
        match next_unit(&mut cursor, start) {
            Some(unit) => {
                left -= 1;
                Some(Ok(unit))
            }
            None => {
                left = 0;
                Some(Err(start))
            }
        }
    })
}

fn next_unit<'a>(cursor: &mut Cursor<'a>, start: usize) -> Option<Unit<'a>> {
    let length = cursor.length()?;
    let mut unit = Cursor::new(cursor.take(length.checked_sub(4)?)?);
    let kind = UnitKind::parse(unit.u8()?)?;
    if unit.u8()? != UNIT_VERSION {
        return None;
    }
    let xid_length = usize::from(unit.u16()?);
    let unit_of_work = UnitOfWorkId(unit.u64()?);
    let xid = match unit.take(xid_length)? {
        [] => None,
        bytes => Some(parse_xid(bytes)?),
    };
    let head_length = UNIT_HEADER_BYTES + xid_length;
    Some(Unit { kind, unit_of_work, xid, start, head_length, operations: unit.rest() })
}

fn parse_xid(bytes: &[u8]) -> Option<Xid> {
    let mut cursor = Cursor::new(bytes);
    let format_id = cursor.i32()?;
    let (global, branch) = (usize::from(cursor.u8()?), usize::from(cursor.u8()?));
    let xid =
        Xid { format_id, global_transaction: cursor.take(global)?.to_vec(), branch: cursor.take(branch)?.to_vec() };
    (cursor.remaining() == 0 && xid_fits(&xid)).then_some(xid)
}

impl<'a> Unit<'a> {
    /// The operations in order; an `Err` is the offset, within the batch's payload, of one that makes no sense.
    pub(crate) fn operations(&self) -> impl Iterator<Item = Result<Located<'a>, usize>> + use<'a> {
        let mut cursor = Cursor::new(self.operations);
        let whole = self.operations.len();
        let first = self.start + self.head_length;
        let mut broken = false;
        std::iter::from_fn(move || {
            if broken || cursor.remaining() == 0 {
                return None;
            }
            let start = first + whole - cursor.remaining();
            let before = cursor.remaining();
            let operation = next_operation(&mut cursor);
            broken = operation.is_none();
            Some(
                operation
                    .map(|operation| Located { operation, start, length: before - cursor.remaining() })
                    .ok_or(start),
            )
        })
    }
}

/// Reads one operation.
pub(crate) fn next_operation<'a>(cursor: &mut Cursor<'a>) -> Option<Operation<'a>> {
    let kind = cursor.u8()?;
    if cursor.u8()? != OPERATION_VERSION {
        return None;
    }
    cursor.u16()?;
    let length = cursor.length()?;
    let mut fields = Cursor::new(cursor.take(length)?);
    let operation = match kind {
        PUT => Operation::Put(parse_put(&mut fields)?),
        MOVED => Operation::Moved(parse_put(&mut fields)?),
        GET => Operation::Get { queue: QueueId(fields.u32()?), key: Key(fields.u64()?) },
        BACKOUT_COUNT => {
            Operation::BackoutCount { queue: QueueId(fields.u32()?), key: Key(fields.u64()?), count: fields.u32()? }
        }
        SAVE_DEFINITION => {
            let crc = fields.u32()?;
            let key_length = usize::from(fields.u16()?);
            let key = std::str::from_utf8(fields.take(key_length)?).ok()?;
            Operation::SaveDefinition { key, value: fields.rest(), crc }
        }
        DELETE_DEFINITION => Operation::DeleteDefinition { key: std::str::from_utf8(fields.rest()).ok()? },
        DROP_QUEUE => Operation::DropQueue(QueueId(fields.u32()?)),
        CLEAR_QUEUE => Operation::ClearQueue(QueueId(fields.u32()?)),
        RECEIPT => {
            let key = ReceiptKey(fields.take(16)?.try_into().ok()?);
            Operation::Receipt { key, expires: fields.u64()?, crc: fields.u32()?, value: fields.rest() }
        }
        _ => return None,
    };
    (fields.remaining() == 0).then_some(operation)
}

fn parse_put<'a>(fields: &mut Cursor<'a>) -> Option<PutRecord<'a>> {
    let queue = QueueId(fields.u32()?);
    let descriptor_length = fields.u32()?;
    let record = PutRecord {
        queue,
        descriptor_length,
        key: Key(fields.u64()?),
        expires: fields.u64()?,
        arrived: fields.u64()?,
        body_file: fields.u64()?,
        backout_count: fields.u32()?,
        body_length: fields.u32()?,
        content_crc: fields.u32()?,
        body_crc: fields.u32()?,
        content: fields.rest(),
    };
    let body_here = if record.body_file == 0 { u64::from(record.body_length) } else { 0 };
    (u64::from(descriptor_length) + body_here == record.content.len() as u64).then_some(record)
}

/// Content of a put or moved record of which nothing else need be right, with its checksum and that of a body elsewhere.
pub(crate) fn content_of(record: &[u8]) -> Option<(&[u8], u32, u32)> {
    let mut sums = Cursor::new(record.get(OPERATION_HEADER_BYTES + 48..PUT_HEAD_BYTES)?);
    let (content_crc, body_crc) = (sums.u32()?, sums.u32()?);
    Some((&record[PUT_HEAD_BYTES..], content_crc, body_crc))
}

impl PutRecord<'_> {
    /// Everything before the content, as a put or a moved record.
    pub(crate) fn head(&self, moved: bool) -> [u8; PUT_HEAD_BYTES] {
        let mut head = [0; PUT_HEAD_BYTES];
        head[..8]
            .copy_from_slice(&operation_head(if moved { MOVED } else { PUT }, PUT_FIXED_BYTES + self.content.len()));
        let fields = &mut head[OPERATION_HEADER_BYTES..];
        fields[..4].copy_from_slice(&self.queue.0.to_le_bytes());
        fields[4..8].copy_from_slice(&self.descriptor_length.to_le_bytes());
        fields[8..16].copy_from_slice(&self.key.0.to_le_bytes());
        fields[16..24].copy_from_slice(&self.expires.to_le_bytes());
        fields[24..32].copy_from_slice(&self.arrived.to_le_bytes());
        fields[32..40].copy_from_slice(&self.body_file.to_le_bytes());
        fields[40..44].copy_from_slice(&self.backout_count.to_le_bytes());
        fields[44..48].copy_from_slice(&self.body_length.to_le_bytes());
        fields[48..52].copy_from_slice(&self.content_crc.to_le_bytes());
        fields[52..56].copy_from_slice(&self.body_crc.to_le_bytes());
        head
    }

    /// Of the whole record with its header, in bytes.
    pub(crate) fn record_length(&self) -> usize {
        PUT_HEAD_BYTES + self.content.len()
    }
}

fn operation_head(kind: u8, length: usize) -> [u8; OPERATION_HEADER_BYTES] {
    let mut head = [0; OPERATION_HEADER_BYTES];
    head[0] = kind;
    head[1] = OPERATION_VERSION;
    head[4..].copy_from_slice(&length_field(length).to_le_bytes());
    head
}

pub(crate) fn get_record(queue: QueueId, key: Key) -> [u8; GET_BYTES] {
    let mut record = [0; GET_BYTES];
    record[..8].copy_from_slice(&operation_head(GET, 12));
    record[8..12].copy_from_slice(&queue.0.to_le_bytes());
    record[12..].copy_from_slice(&key.0.to_le_bytes());
    record
}

impl Operation<'_> {
    /// Appends the whole operation. The hot paths write puts and gets piecewise instead.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        match *self {
            Self::Put(record) => {
                out.extend_from_slice(&record.head(false));
                out.extend_from_slice(record.content);
            }
            Self::Moved(record) => {
                out.extend_from_slice(&record.head(true));
                out.extend_from_slice(record.content);
            }
            Self::Get { queue, key } => out.extend_from_slice(&get_record(queue, key)),
            Self::BackoutCount { queue, key, count } => {
                out.extend_from_slice(&operation_head(BACKOUT_COUNT, 16));
                out.extend_from_slice(&queue.0.to_le_bytes());
                out.extend_from_slice(&key.0.to_le_bytes());
                out.extend_from_slice(&count.to_le_bytes());
            }
            Self::SaveDefinition { key, value, crc } => {
                let key_length = u16::try_from(key.len()).expect("keys of definitions are kind and name, below 64 KiB");
                out.extend_from_slice(&operation_head(SAVE_DEFINITION, 6 + key.len() + value.len()));
                out.extend_from_slice(&crc.to_le_bytes());
                out.extend_from_slice(&key_length.to_le_bytes());
                out.extend_from_slice(key.as_bytes());
                out.extend_from_slice(value);
            }
            Self::DeleteDefinition { key } => {
                out.extend_from_slice(&operation_head(DELETE_DEFINITION, key.len()));
                out.extend_from_slice(key.as_bytes());
            }
            Self::DropQueue(queue) => {
                out.extend_from_slice(&operation_head(DROP_QUEUE, 4));
                out.extend_from_slice(&queue.0.to_le_bytes());
            }
            Self::ClearQueue(queue) => {
                out.extend_from_slice(&operation_head(CLEAR_QUEUE, 4));
                out.extend_from_slice(&queue.0.to_le_bytes());
            }
            Self::Receipt { key, expires, crc, value } => {
                out.extend_from_slice(&operation_head(RECEIPT, RECEIPT_FIXED_BYTES + value.len()));
                out.extend_from_slice(&key.0);
                out.extend_from_slice(&expires.to_le_bytes());
                out.extend_from_slice(&crc.to_le_bytes());
                out.extend_from_slice(value);
            }
        }
    }
}
