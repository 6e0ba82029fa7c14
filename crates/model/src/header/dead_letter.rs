//! MQDLH: why a message is on a dead-letter queue, where it was to go, and how the data behind it is written.
//!
//! ```text
//!   0 StrucId "DLH "    4      108 Encoding       4
//!   4 Version 1         4      112 CodedCharSetId 4
//!   8 Reason            4      116 Format         8
//!  12 DestQName        48      124 PutApplType    4
//!  60 DestQMgrName     48      128 PutApplName   28
//!                              156 PutDate        8
//!                              164 PutTime        8    172 bytes in all
//! ```

use crate::descriptor::{Ccsid, Encoding, Format};
use crate::header::HeaderError;
use crate::header::cursor::{Reader, Writer};
use crate::text::Text;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadLetterHeader {
    /// MQRC_* or MQFB_*.
    pub reason: i32,
    pub destination_queue: Text<48>,
    pub destination_queue_manager: Text<48>,
    /// Encoding, CCSID and format of what follows: those of the MQMD before the header was put in front.
    pub encoding: Encoding,
    pub ccsid: Ccsid,
    pub format: Format,
    /// Who put the message on the dead-letter queue.
    pub put_application_type: i32,
    pub put_application_name: Text<28>,
    pub put_date: Text<8>,
    pub put_time: Text<8>,
}

impl DeadLetterHeader {
    pub const LENGTH: usize = 172;

    /// Appends the header to `out`, integers as `encoding` says.
    pub fn encode(&self, encoding: Encoding, out: &mut Vec<u8>) {
        out.reserve(Self::LENGTH);
        let mut writer = Writer::new(out, encoding);
        writer.bytes(b"DLH ");
        writer.integer(1);
        writer.integer(self.reason);
        writer.bytes(self.destination_queue.as_bytes());
        writer.bytes(self.destination_queue_manager.as_bytes());
        writer.integer(self.encoding.0);
        writer.integer(self.ccsid.0);
        writer.bytes(self.format.0.as_bytes());
        writer.integer(self.put_application_type);
        writer.bytes(self.put_application_name.as_bytes());
        writer.bytes(self.put_date.as_bytes());
        writer.bytes(self.put_time.as_bytes());
    }

    /// Reads the header that `bytes` begin with; it is `LENGTH` bytes long.
    ///
    /// # Errors
    /// Too short, another identifier, or another version than 1.
    pub fn decode(bytes: &[u8], encoding: Encoding) -> Result<Self, HeaderError> {
        let mut reader = Reader::new("MQDLH", bytes, encoding);
        reader.expect_identifier(*b"DLH ")?;
        let version = reader.integer()?;
        if version != 1 {
            return Err(reader.bad_value("Version", version));
        }
        Ok(Self {
            reason: reader.integer()?,
            destination_queue: reader.text()?,
            destination_queue_manager: reader.text()?,
            encoding: Encoding(reader.integer()?),
            ccsid: Ccsid(reader.integer()?),
            format: Format(reader.text()?),
            put_application_type: reader.integer()?,
            put_application_name: reader.text()?,
            put_date: reader.text()?,
            put_time: reader.text()?,
        })
    }
}
