//! What can be wrong with a partner's bytes, and what answers it.

use model::reason::Reason;

use crate::flow::status::StatusCode;

/// The partner breaks the protocol: send a STATUS with [`ProtocolError::status`] and close the socket.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProtocolError {
    #[error("a segment begins with {found:02x?}, which is not a segment identifier")]
    SegmentIdentifier { found: [u8; 4] },
    #[error("a segment says that it is {length} bytes long; {minimum} to {maximum} are allowed")]
    SegmentLength { length: u32, minimum: usize, maximum: usize },
    #[error("segment type {found:#04x} is not known")]
    SegmentType { found: u8 },
    #[error("a segment of type {segment_type:#04x} is not allowed here")]
    Unexpected { segment_type: u8 },
    #[error("{found} is not a byte order")]
    ByteOrder { found: u8 },
    #[error("a segment of type {segment_type:#04x} is out of order: {detail}")]
    SegmentOrder { segment_type: u8, detail: &'static str },
    #[error("segments add up to more than {maximum} bytes")]
    TooLong { maximum: usize },
    #[error("more than {maximum} split calls are under way on one socket")]
    TooManyOpen { maximum: usize },
    #[error("{structure}: {needed} bytes are needed at offset {offset}, {available} are there")]
    Short { structure: &'static str, offset: usize, needed: usize, available: usize },
    #[error("{structure}: the structure identifier is another")]
    StructureIdentifier { structure: &'static str },
    #[error("{structure}: {field} is {value}")]
    Value { structure: &'static str, field: &'static str, value: i64 },
}

impl ProtocolError {
    /// The code of the STATUS that answers it. Source: reference, section 11 (C for the meaning at the Java client).
    pub fn status(&self) -> StatusCode {
        match self {
            Self::SegmentType { .. } | Self::Unexpected { .. } => StatusCode::SEGMENT_TYPE,
            Self::SegmentLength { .. } | Self::TooLong { .. } => StatusCode::SEGMENT_LENGTH,
            Self::ByteOrder { .. } | Self::Value { .. } => StatusCode::DATA,
            Self::SegmentOrder { .. } | Self::TooManyOpen { .. } => StatusCode::SEGMENT,
            Self::SegmentIdentifier { .. } | Self::StructureIdentifier { .. } => StatusCode::IDENTIFIER,
            Self::Short { .. } => StatusCode::DATA_LENGTH,
        }
    }
}

/// Why a unit was not decoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    /// The call alone is wrong: answer it with this reason and go on.
    #[error("the call is refused: {0}")]
    Refused(Reason),
}
