//! BAQ-RESPONSE-INFO: the outcome of a call where the program reads it.
//!
//! ```text
//!    0  comp level      4, left as the program set it
//!    4  stub name       8
//!   12  return code     4
//!   16  status code     4
//!   20  status message  1024, padded with blanks
//! 1044  its length      4
//! ```

use crate::error::{SUCCESS, StubError};
use crate::exchange::Reply;

/// Most bytes of a status message.
pub(crate) const MESSAGE_ROOM: usize = 1024;
const STUB_NAME: [u8; 8] = *b"BAQCSTUB";
/// Where what the stub writes begins: the comp level before it is the program's.
const WRITTEN_FROM: usize = 4;
const WRITTEN: usize = 8 + 4 + 4 + MESSAGE_ROOM + 4;

/// Return code, status code and message of a call.
pub(crate) struct Outcome {
    return_code: i32,
    status: i32,
    message: Vec<u8>,
}

impl Outcome {
    /// BAQCTERM has nothing to tell.
    pub(crate) fn done() -> Self {
        Self { return_code: SUCCESS, status: 0, message: Vec::new() }
    }

    pub(crate) fn answered(reply: Reply) -> Self {
        Self { return_code: reply.return_code, status: reply.status, message: reply.message }
    }

    pub(crate) fn failed(error: &StubError) -> Self {
        Self { return_code: error.return_code(), status: error.status(), message: error.to_string().into_bytes() }
    }
}

/// The program's area.
pub(crate) struct ResponseInfo(*mut u8);

impl ResponseInfo {
    /// # Safety
    /// The address is null or that of 1048 bytes that may be written until the value is dropped.
    pub(crate) unsafe fn at(address: *mut u8) -> Option<Self> {
        (!address.is_null()).then_some(Self(address))
    }

    pub(crate) fn fill(self, outcome: &Outcome) {
        let message = cut(&outcome.message);
        let mut area = [b' '; WRITTEN];
        area[..8].copy_from_slice(&STUB_NAME);
        area[8..12].copy_from_slice(&outcome.return_code.to_ne_bytes());
        area[12..16].copy_from_slice(&outcome.status.to_ne_bytes());
        area[16..16 + message.len()].copy_from_slice(message);
        let length = i32::try_from(message.len()).unwrap_or_default();
        area[WRITTEN - 4..].copy_from_slice(&length.to_ne_bytes());
        // SAFETY: `at` was promised an area that ends where these bytes end; `area` is our own and cannot overlap it.
        unsafe { std::ptr::copy_nonoverlapping(area.as_ptr(), self.0.add(WRITTEN_FROM), WRITTEN) };
    }
}

/// At most `MESSAGE_ROOM` bytes, not cutting a character of UTF-8.
pub(crate) fn cut(message: &[u8]) -> &[u8] {
    if message.len() <= MESSAGE_ROOM {
        return message;
    }
    // A continuation byte has the bits 10 in front; a character has three of them at most.
    let start = (MESSAGE_ROOM - 3..=MESSAGE_ROOM).rev().find(|&at| message[at] & 0xC0 != 0x80);
    &message[..start.unwrap_or(MESSAGE_ROOM)]
}

#[cfg(test)]
mod tests;
