//! Blocks of records of variable length, as z/OS has them on tape and disk (RECFM=VB): taken off a stream, and put around one.
//!
//! ```text
//! | length of the block with these 4 bytes, 2 | 0 0 | record with its descriptor | record ... |
//! | X'80' and length, 4                             | of a block of more than 32760 bytes      |
//! ```
//!
//! Between the two a stream has records with their descriptors, [`crate::Framing::Rdw`]. Where blocks ended is not kept: each is filled
//! again as far as whole records go. Places in messages count without block descriptors.

use std::io::{self, Read, Write};

/// Bytes of a descriptor, of a block or a record.
const DESCRIPTOR: usize = 4;
/// The largest block of the usual kind, which data sets have by default.
pub const USUAL_BLOCK: usize = 32_760;

/// Reads records out of blocks.
pub struct Unblocked<R> {
    input: R,
    /// Bytes of the block that are still to come.
    left: usize,
    /// Blocks that were begun.
    blocks: u64,
}

impl<R: Read> Unblocked<R> {
    pub fn new(input: R) -> Self {
        Self { input, left: 0, blocks: 0 }
    }

    /// The length of the next block; `None`: the file ends.
    fn begin(&mut self) -> io::Result<Option<usize>> {
        let mut descriptor = [0; DESCRIPTOR];
        let mut found = 0;
        while found < DESCRIPTOR {
            match self.input.read(&mut descriptor[found..])? {
                0 if found == 0 => return Ok(None),
                0 => return Err(self.wrong("the file ends inside of its descriptor")),
                more => found += more,
            }
        }
        self.blocks += 1;
        let stated = match descriptor {
            [high, ..] if high >= 0x80 => u32::from_be_bytes(descriptor) & 0x7FFF_FFFF,
            [high, low, 0, 0] => u32::from(u16::from_be_bytes([high, low])),
            _ => 0,
        };
        let length = usize::try_from(stated).ok().and_then(|stated| stated.checked_sub(DESCRIPTOR));
        length.map(Some).ok_or_else(|| {
            let hexadecimal = crate::framing::hexadecimal(&descriptor);
            self.wrong(&format!("its descriptor is {hexadecimal}: expected a length and two zero bytes"))
        })
    }

    fn wrong(&self, problem: &str) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, format!("block {}: {problem}", self.blocks.max(1)))
    }
}

impl<R: Read> Read for Unblocked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        // A block may have no records.
        while self.left == 0 {
            match self.begin()? {
                Some(length) => self.left = length,
                None => return Ok(0),
            }
        }
        let most = buffer.len().min(self.left);
        let read = self.input.read(&mut buffer[..most])?;
        if read == 0 {
            return Err(self.wrong(&format!("the file ends {} bytes before the block does", self.left)));
        }
        self.left -= read;
        Ok(read)
    }
}

/// Puts records with their descriptors into blocks. `flush` ends the block that was begun.
pub struct Blocked<W> {
    output: W,
    most: usize,
    /// Whole records of the block, behind room for its descriptor.
    block: Vec<u8>,
    /// A record that has begun.
    rest: Vec<u8>,
}

impl<W: Write> Blocked<W> {
    /// Blocks have `most` bytes at most, the descriptor included; 32760 at most.
    pub fn new(output: W, most: usize) -> Self {
        Self { output, most: most.min(USUAL_BLOCK), block: vec![0; DESCRIPTOR], rest: Vec::new() }
    }

    fn add(&mut self, record: &[u8]) -> io::Result<()> {
        if record.len() + DESCRIPTOR > self.most {
            let (length, most) = (record.len(), self.most);
            let problem = format!("a record has {length} bytes with its descriptor, blocks have {most}");
            return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
        }
        if self.block.len() + record.len() > self.most {
            self.end()?;
        }
        self.block.extend_from_slice(record);
        Ok(())
    }

    fn end(&mut self) -> io::Result<()> {
        if self.block.len() > DESCRIPTOR {
            let length = u16::try_from(self.block.len()).unwrap_or(u16::MAX);
            self.block[..2].copy_from_slice(&length.to_be_bytes());
            self.output.write_all(&self.block)?;
            self.block.truncate(DESCRIPTOR);
        }
        Ok(())
    }
}

impl<W: Write> Write for Blocked<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = std::mem::take(&mut self.rest);
        rest.extend_from_slice(bytes);
        let mut at = 0;
        while let Some(length) = rest[at..].first_chunk::<2>() {
            let length = usize::from(u16::from_be_bytes(*length)).max(DESCRIPTOR);
            let Some(record) = rest.get(at..at + length) else { break };
            self.add(record)?;
            at += length;
        }
        self.rest = rest.split_off(at);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.end()?;
        self.output.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(bytes: &[u8]) -> Vec<u8> {
        let length = u16::try_from(bytes.len() + DESCRIPTOR).unwrap();
        [&length.to_be_bytes(), &[0, 0][..], bytes].concat()
    }

    fn unblocked(file: &[u8]) -> Result<Vec<u8>, String> {
        let mut records = Vec::new();
        Unblocked::new(file).read_to_end(&mut records).map_err(|error| error.to_string())?;
        Ok(records)
    }

    #[test]
    fn blocks_are_filled_with_whole_records_and_taken_off_again() {
        let records: Vec<u8> = [&b"abc"[..], b"", b"defgh", b"i"].iter().flat_map(|bytes| record(bytes)).collect();
        let mut file = Vec::new();
        let mut blocked = Blocked::new(&mut file, 20);
        // In pieces of any size.
        records.chunks(3).for_each(|piece| blocked.write_all(piece).unwrap());
        blocked.flush().unwrap();
        let first = [&b"\0\x0F\0\0"[..], &record(b"abc"), &record(b"")].concat();
        let second = [&b"\0\x12\0\0"[..], &record(b"defgh"), &record(b"i")].concat();
        assert_eq!(file, [first, second].concat());
        assert_eq!(unblocked(&file), Ok(records));
    }

    #[test]
    fn long_and_empty_blocks_are_read_and_wrong_ones_named() {
        let long = [&[0x80, 0, 0, 9][..], &record(b"a")].concat();
        assert_eq!(unblocked(&[long, b"\0\x04\0\0".to_vec()].concat()), Ok(record(b"a")));
        let told = |file: &[u8]| unblocked(file).unwrap_err();
        assert_eq!(told(b"\0\x09\0"), "block 1: the file ends inside of its descriptor");
        assert_eq!(told(b"\0\x03\0\0"), "block 1: its descriptor is 00030000: expected a length and two zero bytes");
        assert_eq!(
            told(b"\0\x09\0\x01abcde"),
            "block 1: its descriptor is 00090001: expected a length and two zero bytes"
        );
        assert_eq!(told(b"\0\x09\0\0abc"), "block 1: the file ends 2 bytes before the block does");
        let refused = Blocked::new(Vec::new(), 10).write_all(&record(b"abcdef")).unwrap_err().to_string();
        assert_eq!(refused, "a record has 10 bytes with its descriptor, blocks have 10");
    }
}
