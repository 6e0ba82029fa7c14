//! PCF, the form of commands, responses, events and records between programs: structures to bytes and back.
//!
//! ```text
//!           0    4           8         12             16                 20       24        28      32
//! MQCFH     Type StrucLength Version   Command        MsgSeqNumber       Control  CompCode  Reason  ParameterCount
//! MQCFIN    3    16          Parameter Value
//! MQCFIN64  23   24          Parameter Reserved       Value (8 bytes)
//! MQCFIL    5    16+4n       Parameter Count          Value...
//! MQCFIL64  25   16+8n       Parameter Count          Value... (8 bytes each)
//! MQCFST    4    20+         Parameter CodedCharSetId StringLength       String, padded to four bytes
//! MQCFSL    6    24+         Parameter CodedCharSetId Count              StringLength String..., padded
//! MQCFBS    9    16+         Parameter StringLength   String, padded
//! MQCFGR    20   16          Parameter ParameterCount (the parameters of the group follow like all others)
//! MQCFIF    13   20          Parameter Operator       FilterValue
//! MQCFSF    14   24+         Parameter Operator       CodedCharSetId     FilterValueLength FilterValue, padded
//! MQCFBF    15   20+         Parameter Operator       FilterValueLength  FilterValue, padded
//! ```
//!
//! Every field is an MQLONG of four bytes unless its width is given; the byte order is the message's (`Encoding`). Each
//! string names its own CCSID, 0 being that of the message. A group counts as one parameter of what holds it. The 36 bytes
//! of an MQCFH may be followed by another message, as accounting records are.
//!
//! Invariants
//! - Nothing is allocated because a length or count says so: it has to be there first. Groups nest at most
//!   `MAXIMUM_DEPTH` deep, and all lists of a message together hold at most `MAXIMUM_ITEMS` values.
//! - What `decode` accepts, `encode` writes back to the same meaning.
//!
//! Source: MQ reference, "Structures for commands and responses", 9.3; numbers from the published constants (cmqcfc.h).

mod decode;
mod encode;
mod error;
mod shape;

use crate::descriptor::{Ccsid, Encoding};

pub use decode::decode;
pub use encode::Coding;
pub use error::PcfError;
pub(crate) use shape::{Shape, Tail};

/// Groups within groups.
pub const MAXIMUM_DEPTH: usize = 8;
/// Parameters and list values of one message, all counted.
pub const MAXIMUM_ITEMS: usize = 1 << 18;

/// `Type` of an MQCFH: MQCFT_*.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MessageKind(pub i32);

impl MessageKind {
    pub const COMMAND: Self = Self(1);
    pub const RESPONSE: Self = Self(2);
    pub const EVENT: Self = Self(7);
    pub const REPORT: Self = Self(12);
    /// A command as z/OS takes it, asking for extended responses.
    pub const COMMAND_EXTENDED: Self = Self(16);
    pub const STATISTICS: Self = Self(21);
    pub const ACCOUNTING: Self = Self(22);
}

/// MQCFH without its lengths and counts, which the rest of the message says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    pub kind: MessageKind,
    /// 1, and 2 or 3 for records and extended commands.
    pub version: i32,
    /// MQCMD_*.
    pub command: i32,
    /// Of the messages that answer one command, from 1.
    pub sequence: i32,
    /// MQCFC_LAST: no further message belongs to this one.
    pub is_last: bool,
    /// MQCC_*.
    pub completion: i32,
    /// MQRC_* or MQRCCF_*.
    pub reason: i32,
}

/// A command, a response, an event or a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub header: Header,
    pub parameters: Vec<Parameter>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// MQIA_, MQCA_, MQIACF_, MQCACF_, MQBACF_, MQIACH_, MQCACH_ or MQGACF_ number.
    pub id: i32,
    pub value: ParameterValue,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParameterValue {
    Integer(i32),
    Integer64(i64),
    Integers(Vec<i32>),
    Integers64(Vec<i64>),
    Text(String),
    /// On the wire all have the length of the longest; blanks and NULs at their ends are not kept.
    Texts(Vec<String>),
    Bytes(Vec<u8>),
    IntegerFilter {
        operator: i32,
        value: i32,
    },
    TextFilter {
        operator: i32,
        text: String,
    },
    BytesFilter {
        operator: i32,
        bytes: Vec<u8>,
    },
    Group(Vec<Parameter>),
}

impl Header {
    /// Of a command in one message.
    pub const fn command(command: i32) -> Self {
        Self { kind: MessageKind::COMMAND, version: 1, command, sequence: 1, is_last: true, completion: 0, reason: 0 }
    }

    /// Of an event: `command` is MQCMD_Q_MGR_EVENT and its kin, `reason` says what happened.
    pub const fn event(command: i32, completion: i32, reason: i32) -> Self {
        Self { kind: MessageKind::EVENT, version: 1, command, sequence: 1, is_last: true, completion, reason }
    }
}

impl Message {
    /// The first parameter with this number.
    pub fn parameter(&self, id: i32) -> Option<&ParameterValue> {
        self.parameters.iter().find(|parameter| parameter.id == id).map(|parameter| &parameter.value)
    }
}

impl Parameter {
    pub const fn integer(id: i32, value: i32) -> Self {
        Self { id, value: ParameterValue::Integer(value) }
    }

    pub const fn integers(id: i32, values: Vec<i32>) -> Self {
        Self { id, value: ParameterValue::Integers(values) }
    }

    pub fn text(id: i32, text: impl Into<String>) -> Self {
        Self { id, value: ParameterValue::Text(text.into()) }
    }

    pub fn bytes(id: i32, bytes: impl Into<Vec<u8>>) -> Self {
        Self { id, value: ParameterValue::Bytes(bytes.into()) }
    }

    pub const fn group(id: i32, parameters: Vec<Self>) -> Self {
        Self { id, value: ParameterValue::Group(parameters) }
    }
}

impl ParameterValue {
    pub fn number(&self) -> Option<i64> {
        match self {
            Self::Integer(value) => Some(i64::from(*value)),
            Self::Integer64(value) => Some(*value),
            _ => None,
        }
    }

    pub fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// MQCFT_* of the structure that carries it.
    pub const fn structure(&self) -> i32 {
        match self {
            Self::Integer(_) => 3,
            Self::Text(_) => 4,
            Self::Integers(_) => 5,
            Self::Texts(_) => 6,
            Self::Bytes(_) => 9,
            Self::IntegerFilter { .. } => 13,
            Self::TextFilter { .. } => 14,
            Self::BytesFilter { .. } => 15,
            Self::Group(_) => 20,
            Self::Integer64(_) => 23,
            Self::Integers64(_) => 25,
        }
    }
}

/// The CCSID that a string's own says, where 0 is that of the message.
const fn own_or(ccsid: Ccsid, message: Ccsid) -> Ccsid {
    if ccsid.0 == Ccsid::Q_MGR.0 { message } else { ccsid }
}

/// Whether integers of the encoding have one of the two known byte orders.
pub(crate) const fn has_known_integers(encoding: Encoding) -> bool {
    matches!(encoding.0 & 0x0F, 1 | 2)
}
