//! How records lie in the standard input and output of a program.
//!
//! ```text
//! fixed      the record, nothing around it: ORGANIZATION SEQUENTIAL (RECORD SEQUENTIAL) with one length of record
//! variable   length of the record (2, high byte first), zeros (2), the record: RECORD IS VARYING, as GnuCOBOL lays it out
//! line       the record and a line feed: ORGANIZATION LINE SEQUENTIAL
//! ```
//!
//! Pure: bytes in, bytes out. Source: files written by programs compiled with GnuCOBOL 3.1.

use bytes::{Buf, Bytes, BytesMut};

/// Most bytes of one record of a reply.
pub const LONGEST: usize = 100 << 20;
/// Bytes before a variable record.
const PREFIX: usize = 4;

/// The format of a program's records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Records {
    Fixed { request_length: Option<usize>, reply_length: usize },
    Variable,
    Line,
}

/// Why bytes are no record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    #[error("the request has {length} bytes, expected {expected} as given by --request-length")]
    RequestLength { length: usize, expected: usize },
    #[error("the request has {length} bytes, more than the {most} of a variable record")]
    TooLong { length: usize, most: usize },
    #[error("the request contains a line feed, which a line record cannot hold: use --records variable")]
    LineFeed,
    #[error("the program's reply begins with {prefix:02x?}, which is not the length of a variable record")]
    Prefix { prefix: [u8; PREFIX] },
    #[error("the program's reply has a line longer than {LONGEST} bytes")]
    NoLineEnd,
}

impl Records {
    /// The request as the program reads it.
    ///
    /// # Errors
    /// It has not the length of the program's record, or cannot be a record of this kind.
    pub fn frame(self, request: &[u8]) -> Result<Bytes, RecordError> {
        let length = request.len();
        match self {
            Self::Fixed { request_length: Some(expected), .. } if expected != length => {
                Err(RecordError::RequestLength { length, expected })
            }
            Self::Fixed { .. } => Ok(Bytes::copy_from_slice(request)),
            Self::Variable => {
                let prefix =
                    u16::try_from(length).map_err(|_| RecordError::TooLong { length, most: u16::MAX.into() })?;
                Ok([&prefix.to_be_bytes()[..], &[0; 2], request].concat().into())
            }
            Self::Line if request.contains(&b'\n') => Err(RecordError::LineFeed),
            Self::Line => Ok([request, b"\n"].concat().into()),
        }
    }

    /// Takes the first whole record of what the program has written; `None` while it is not whole.
    ///
    /// # Errors
    /// It will never be one.
    pub fn take(self, written: &mut BytesMut) -> Result<Option<Bytes>, RecordError> {
        match self {
            Self::Fixed { reply_length, .. } => Ok(whole(written, 0, reply_length)),
            Self::Variable => {
                let Some(prefix) = written.first_chunk::<PREFIX>() else { return Ok(None) };
                let &[high, low, 0, 0] = prefix else { return Err(RecordError::Prefix { prefix: *prefix }) };
                Ok(whole(written, PREFIX, u16::from_be_bytes([high, low]).into()))
            }
            Self::Line => match written.iter().position(|&byte| byte == b'\n') {
                Some(end) => {
                    let line = whole(written, 0, end);
                    written.advance(1);
                    Ok(line)
                }
                None if written.len() > LONGEST => Err(RecordError::NoLineEnd),
                None => Ok(None),
            },
        }
    }
}

fn whole(written: &mut BytesMut, prefix: usize, length: usize) -> Option<Bytes> {
    if written.len() < prefix + length {
        return None;
    }
    written.advance(prefix);
    Some(written.split_to(length).freeze())
}

#[cfg(test)]
mod tests;
