//! XID of the X/Open XA interface as XA calls carry it.
//!
//! ```text
//!   0 format identifier    4      4 length of the global identifier, 1 to 64     1      6 both, one after the other
//!                                 5 length of the branch qualifier, 0 to 64      1        padded to 4 (D)
//! ```
//!
//! Source: reference, section 13 (C; padding D).

use crate::cursor::{Reader, Writer};
use crate::error::ProtocolError;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Xid {
    pub format: i32,
    /// At most 64 bytes.
    pub global: Vec<u8>,
    /// At most 64 bytes.
    pub branch: Vec<u8>,
}

impl Xid {
    pub const MAXIMUM_PART: usize = 64;

    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, ProtocolError> {
        reader.enter("XID");
        let base = reader.offset();
        let format = reader.integer()?;
        let global = part_length(reader, "gtrid_length")?;
        let branch = part_length(reader, "bqual_length")?;
        let xid = Self { format, global: reader.take(global)?.to_vec(), branch: reader.take(branch)?.to_vec() };
        let length = reader.offset() - base;
        reader.skip_to(base + length.next_multiple_of(4));
        Ok(xid)
    }

    /// Parts longer than 64 bytes are cut.
    pub fn encode(&self, writer: &mut Writer<'_>) {
        let base = writer.offset();
        let global = &self.global[..self.global.len().min(Self::MAXIMUM_PART)];
        let branch = &self.branch[..self.branch.len().min(Self::MAXIMUM_PART)];
        writer.integer(self.format);
        writer.byte(u8::try_from(global.len()).unwrap_or(0));
        writer.byte(u8::try_from(branch.len()).unwrap_or(0));
        writer.bytes(global);
        writer.bytes(branch);
        writer.pad_from(base);
    }
}

fn part_length(reader: &mut Reader<'_>, field: &'static str) -> Result<usize, ProtocolError> {
    let length = reader.byte()?;
    if usize::from(length) > Xid::MAXIMUM_PART {
        return Err(reader.value(field, i64::from(length)));
    }
    Ok(usize::from(length))
}
