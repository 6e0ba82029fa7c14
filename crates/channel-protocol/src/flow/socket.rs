//! SOCKET_ACTION: conversations of a shared socket begin and end. Under a `TSHC` header.
//!
//! ```text
//!   0 conversation   4      4 request, 0   4      8 action   4      12, 16 two parameters   4 each
//! ```
//!
//! A start is answered with STATUS 0 on that conversation; an end is not. Source: reference, section 10 (C).
//! The Java client writes this segment in the order of the server's last one (capture 04).

use crate::cursor::{Reader, Writer};
use crate::error::ProtocolError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SocketAction {
    pub conversation: u32,
    pub request: u32,
    pub action: u32,
    /// With a start 1 and a running number from 2; otherwise zeros.
    pub parameters: [u32; 2],
}

impl SocketAction {
    pub const START: u32 = 1;
    pub const END: u32 = 2;

    pub fn start(conversation: u32, running_number: u32) -> Self {
        Self { conversation, request: 0, action: Self::START, parameters: [1, running_number] }
    }

    pub fn end(conversation: u32) -> Self {
        Self { conversation, request: 0, action: Self::END, parameters: [0, 0] }
    }

    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, ProtocolError> {
        reader.enter("SOCKET_ACTION");
        Ok(Self {
            conversation: reader.bits()?,
            request: reader.bits()?,
            action: reader.bits()?,
            parameters: [reader.bits()?, reader.bits()?],
        })
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        for number in [self.conversation, self.request, self.action, self.parameters[0], self.parameters[1]] {
            writer.bits(number);
        }
    }
}
