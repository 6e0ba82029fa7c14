//! The API header with which every verb and every reply to one begins.
//!
//! ```text
//!   0 length           4  always high byte first. Request: how large the reply may be (a put: its own length).
//!                         Reply: segment header + body over all parts, one header counted
//!   4 completion code  4  0 in requests
//!   8 reason           4  0 in requests
//!  12 object handle    4  0 or -1: none
//!  16
//! ```
//!
//! Source: reference, section 6 (C).

use model::reason::{CompletionCode, Reason};

use crate::cursor::{Reader, Writer};
use crate::error::ProtocolError;

pub const LENGTH: usize = 16;
/// In replies that give no handle back, and in requests without one.
pub const NO_HANDLE: i32 = -1;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApiHeader {
    /// 0 when encoding: the length of the unit itself is set.
    pub length: u32,
    /// As numbers: a partner may know more than we do. In XA flows the return value.
    pub completion: i32,
    /// In XA flows the flags.
    pub reason: i32,
    /// In XA flows the resource manager.
    pub handle: i32,
}

impl ApiHeader {
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, ProtocolError> {
        reader.enter("API header");
        Ok(Self {
            length: reader.big_endian()?,
            completion: reader.integer()?,
            reason: reader.integer()?,
            handle: reader.integer()?,
        })
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        if self.length == 0 {
            writer.patch_length = true;
        }
        writer.big_endian(self.length);
        writer.integers(&[self.completion, self.reason, self.handle]);
    }
}

/// How a call ended, for a reply's header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ending {
    pub completion: i32,
    pub reason: i32,
}

impl Ending {
    pub const OK: Self = Self { completion: 0, reason: 0 };

    /// With the completion code that goes with the reason.
    pub fn of(reason: Reason) -> Self {
        Self { completion: reason.completion() as i32, reason: reason.number() }
    }

    pub fn new(completion: CompletionCode, reason: Reason) -> Self {
        Self { completion: completion as i32, reason: reason.number() }
    }

    pub fn is_failed(self) -> bool {
        self.completion >= CompletionCode::Failed as i32
    }
}
