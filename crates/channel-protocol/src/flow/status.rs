//! STATUS: the answer to CONAUTH and to the start of a conversation, and every error that ends a channel.
//!
//! ```text
//!   0 length, 8 or 12   4      4 code   4      8 value, with length 12   4
//! ```
//!
//! An empty body is an ending without a code: the last segment of a socket that is not shared.
//! Source: reference, section 11 (C).

use crate::cursor::{Reader, Writer};
use crate::error::ProtocolError;

/// Code of a STATUS. What the Java client makes of it, after INITIAL, is in the comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StatusCode(pub u32);

impl StatusCode {
    pub const OK: Self = Self(0);
    /// 2540.
    pub const NO_SUCH_CHANNEL: Self = Self(0x01);
    /// 2539.
    pub const WRONG_CHANNEL_TYPE: Self = Self(0x02);
    /// 2059.
    pub const QUEUE_MANAGER_UNAVAILABLE: Self = Self(0x03);
    /// 2059; on an established socket 2009 for all its conversations.
    pub const QUEUE_MANAGER_ENDING: Self = Self(0x05);
    /// 2059: stopped by an operator.
    pub const CHANNEL_CLOSED: Self = Self(0x07);
    /// 2539, as the next six.
    pub const SEGMENT_TYPE: Self = Self(0x0A);
    pub const SEGMENT_LENGTH: Self = Self(0x0B);
    pub const DATA: Self = Self(0x0C);
    pub const SEGMENT: Self = Self(0x0D);
    pub const IDENTIFIER: Self = Self(0x0E);
    pub const PROTOCOL: Self = Self(0x10);
    pub const DATA_LENGTH: Self = Self(0x12);
    /// 2059; after CONAUTH 2009.
    pub const SECURITY: Self = Self(0x14);
    /// 2537.
    pub const CHANNEL_UNAVAILABLE: Self = Self(0x16);
    /// 2537.
    pub const CLOSED_BY_EXIT: Self = Self(0x17);
    /// 2397, as the next two.
    pub const CIPHER: Self = Self(0x18);
    pub const PEER_NAME: Self = Self(0x19);
    pub const TLS_REFRESHING: Self = Self(0x1C);
    /// 2543.
    pub const STANDBY: Self = Self(0x20);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Status {
    pub code: Option<StatusCode>,
    pub value: Option<u32>,
}

impl Status {
    pub const OK: Self = Self::new(StatusCode::OK);

    pub const fn new(code: StatusCode) -> Self {
        Self { code: Some(code), value: None }
    }

    /// Neither an error nor an ending: the partner may go on.
    pub fn is_ok(&self) -> bool {
        self.code.is_none_or(|code| code == StatusCode::OK)
    }

    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, ProtocolError> {
        reader.enter("STATUS");
        if reader.is_empty() {
            return Ok(Self::default());
        }
        let length = reader.count("Length")?;
        let code = Some(StatusCode(reader.bits()?));
        let value = if length >= 12 { Some(reader.bits()?) } else { None };
        Ok(Self { code, value })
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        let Some(code) = self.code else { return };
        writer.count(if self.value.is_some() { 12 } else { 8 });
        writer.bits(code.0);
        if let Some(value) = self.value {
            writer.bits(value);
        }
    }
}
