//! What the driver's messages hold: an identifier that names each one, and filler that shows damage.
//!
//! ```text
//! offset  width  content
//!      0     48  identifier: 24 bytes in lower-case hexadecimal; also the message's correlation identifier
//!     48    n-48 filler: the letters a to z, repeated
//!
//! identifier (before hexadecimal), integers with the high byte first
//!      0      8  run
//!      8      4  client
//!     12      8  sequence, from 0 within the client
//!     20      4  "QWL1"
//! ```

use std::fmt::Write as _;

use bytes::{Bytes, BytesMut};

/// Where the sequence ends in the hexadecimal form.
const SEQUENCE_END: usize = 40;
const MARK: u32 = u32::from_be_bytes(*b"QWL1");

/// Names one message of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PutId {
    pub run: u64,
    pub client: u32,
    pub sequence: u64,
}

impl PutId {
    /// Length of the hexadecimal form in bytes.
    pub const LENGTH: usize = 48;

    /// 48 lower-case hexadecimal digits, as a correlation identifier wants them.
    pub fn to_hex(self) -> String {
        let mut hex = String::with_capacity(Self::LENGTH);
        write!(hex, "{:016x}{:08x}{:016x}{MARK:08x}", self.run, self.client, self.sequence)
            .expect("writing into a String succeeds");
        hex
    }

    /// Reads the identifier at the start of a body; `None` for a message that is not the driver's.
    pub fn of(body: &[u8]) -> Option<Self> {
        let hex = std::str::from_utf8(body.get(..Self::LENGTH)?).ok()?;
        let part = |from: usize, to: usize| u64::from_str_radix(hex.get(from..to)?, 16).ok();
        if part(40, 48)? != u64::from(MARK) {
            return None;
        }
        Some(Self { run: part(0, 16)?, client: u32::try_from(part(16, 24)?).ok()?, sequence: part(24, 40)? })
    }
}

/// Bodies of one size.
#[derive(Debug, Clone)]
pub struct Payload {
    filler: Bytes,
}

impl Payload {
    /// `size` is the whole body in bytes; less than an identifier's 48 is taken as 48.
    pub fn new(size: usize) -> Self {
        Self { filler: (b'a'..=b'z').cycle().take(size.saturating_sub(PutId::LENGTH)).collect() }
    }

    /// The body of the message that `hex` (from `PutId::to_hex`) names.
    pub fn body(&self, hex: &str) -> Bytes {
        self.behind(hex.as_bytes()).freeze()
    }

    /// A body of `size` bytes, less than the identifier has: the end of its sequence, as it is what differs.
    pub fn short(hex: &str, size: usize) -> Bytes {
        let end = hex.len().min(SEQUENCE_END).max(size.min(hex.len()));
        Bytes::copy_from_slice(hex.as_bytes().get(end.saturating_sub(size)..end).unwrap_or_default())
    }

    /// As `body`, with any bytes in the identifier's place.
    pub fn behind(&self, head: &[u8]) -> BytesMut {
        let mut body = BytesMut::with_capacity(head.len() + self.filler.len());
        body.extend_from_slice(head);
        body.extend_from_slice(&self.filler);
        body
    }

    /// Whether everything behind the identifier came back as it was put.
    pub fn is_intact(&self, body: &[u8]) -> bool {
        body.get(PutId::LENGTH..) == Some(&*self.filler)
    }
}

#[cfg(test)]
mod tests;
