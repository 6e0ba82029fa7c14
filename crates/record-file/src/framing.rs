//! Where records begin and end in a file.
//!
//! ```text
//! fixed      | record | record |                       all of one length
//! rdw        | length with these 4 bytes, 2 | 0 0 | record |      z/OS, RECFM=V without blocks
//! variable   | length, 2 | 0 0 | record |               GnuCOBOL, RECORD IS VARYING
//! line       record LF record LF                        LINE SEQUENTIAL; X'15' in EBCDIC
//! ```
//!
//! Lengths are binary, high byte first.

/// How records follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// All of so many bytes.
    Fixed(usize),
    Rdw,
    Variable,
    Line(LineForm),
}

/// Bytes of a file of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineForm {
    pub end: u8,
    /// Lines are filled up with it when they are read, and end before it when they are written.
    pub blank: u8,
    /// Shortest record.
    pub shortest: usize,
}

impl LineForm {
    /// Of a code page: X'15' and X'40' in EBCDIC, else line feed and blank.
    pub fn of_ccsid(ccsid: u32, shortest: usize) -> Self {
        let mut blank = Vec::new();
        let is_ebcdic = codepage::encode(ccsid, " ", &mut blank).is_ok() && blank == [0x40];
        if is_ebcdic { Self { end: 0x15, blank: 0x40, shortest } } else { Self { end: b'\n', blank: b' ', shortest } }
    }
}

/// What is wrong with the frame of a record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FramingError {
    #[error("the file ends after {found} bytes of a record of {wanted}")]
    CutShort { found: usize, wanted: usize },
    #[error("its descriptor is {}: expected a length and two zero bytes", hexadecimal(.0))]
    Descriptor([u8; 4]),
    #[error("it has {found} bytes, and the file has records of {wanted}")]
    Length { found: usize, wanted: usize },
    #[error("it has {found} bytes, more than {most}")]
    TooLong { found: usize, most: usize },
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

/// Bytes before a record that has its length with it.
const DESCRIPTOR: usize = 4;

/// The frame of one record within a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Frame {
    /// Of the record's own bytes.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Where the next one begins.
    pub(crate) next: usize,
}

impl Framing {
    /// The record at `at`; `None`: the block ends before it does.
    pub(crate) fn frame(self, block: &[u8], at: usize) -> Result<Option<Frame>, FramingError> {
        let rest = &block[at..];
        let frame = match self {
            Self::Fixed(length) => Frame { start: at, end: at + length, next: at + length },
            Self::Rdw | Self::Variable => {
                let Some(&descriptor) = rest.first_chunk::<DESCRIPTOR>() else { return Ok(None) };
                let [high, low, zero, also] = descriptor;
                let stated = usize::from(u16::from_be_bytes([high, low]));
                let own = if self == Self::Rdw { DESCRIPTOR } else { 0 };
                let length = stated.checked_sub(own).filter(|_| zero == 0 && also == 0);
                let length = length.ok_or(FramingError::Descriptor(descriptor))?;
                let start = at + DESCRIPTOR;
                Frame { start, end: start + length, next: start + length }
            }
            Self::Line(form) => {
                let Some(length) = rest.iter().position(|&byte| byte == form.end) else { return Ok(None) };
                let is_dos = form.end == b'\n' && length > 0 && rest[length - 1] == b'\r';
                Frame { start: at, end: at + length - usize::from(is_dos), next: at + length + 1 }
            }
        };
        Ok((frame.next <= block.len()).then_some(frame))
    }

    /// How much of a block are whole records.
    ///
    /// # Errors
    /// A descriptor is none: with where its record begins.
    pub(crate) fn whole(self, block: &[u8]) -> Result<usize, (usize, FramingError)> {
        match self {
            Self::Fixed(length) => Ok(block.len() / length.max(1) * length),
            Self::Line(form) => Ok(block.iter().rposition(|&byte| byte == form.end).map_or(0, |end| end + 1)),
            Self::Rdw | Self::Variable => {
                let mut at = 0;
                while let Some(frame) = self.frame(block, at).map_err(|error| (at, error))? {
                    at = frame.next;
                }
                Ok(at)
            }
        }
    }

    /// What is left at the end of a file: nothing, a last line without its end, or a record that was cut short.
    pub(crate) fn last(self, rest: &[u8]) -> Result<Option<Vec<u8>>, FramingError> {
        match self {
            _ if rest.is_empty() => Ok(None),
            Self::Line(form) => Ok(Some([rest, &[form.end]].concat())),
            Self::Fixed(wanted) => Err(FramingError::CutShort { found: rest.len(), wanted }),
            Self::Rdw | Self::Variable => {
                let stated = rest.first_chunk::<2>().map_or(0, |length| usize::from(u16::from_be_bytes(*length)));
                let wanted = if self == Self::Rdw { stated.max(DESCRIPTOR) } else { stated + DESCRIPTOR };
                Err(FramingError::CutShort { found: rest.len(), wanted })
            }
        }
    }

    /// Appends a record with its frame.
    pub(crate) fn write(self, record: &[u8], out: &mut Vec<u8>) -> Result<(), FramingError> {
        match self {
            Self::Fixed(wanted) if record.len() != wanted => {
                return Err(FramingError::Length { found: record.len(), wanted });
            }
            Self::Fixed(_) => out.extend_from_slice(record),
            Self::Rdw | Self::Variable => {
                let own = if self == Self::Rdw { DESCRIPTOR } else { 0 };
                let too_long = |_| FramingError::TooLong { found: record.len(), most: usize::from(u16::MAX) - own };
                let length = u16::try_from(record.len() + own).map_err(too_long)?;
                out.extend_from_slice(&length.to_be_bytes());
                out.extend_from_slice(&[0, 0]);
                out.extend_from_slice(record);
            }
            Self::Line(form) => {
                let end = record.iter().rposition(|&byte| byte != form.blank).map_or(0, |last| last + 1);
                out.extend_from_slice(&record[..end]);
                out.push(form.end);
            }
        }
        Ok(())
    }

    /// The record that the bytes of a frame are; a short line is filled up in `room`.
    pub(crate) fn record<'a>(self, bytes: &'a [u8], room: &'a mut Vec<u8>) -> &'a [u8] {
        match self {
            Self::Line(form) if bytes.len() < form.shortest => {
                room.clear();
                room.extend_from_slice(bytes);
                room.resize(form.shortest, form.blank);
                room
            }
            _ => bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: LineForm = LineForm { end: b'\n', blank: b' ', shortest: 3 };

    fn records(framing: Framing, block: &[u8]) -> Vec<Vec<u8>> {
        let mut room = Vec::new();
        let mut found = Vec::new();
        let mut at = 0;
        while let Ok(Some(frame)) = framing.frame(block, at) {
            found.push(framing.record(&block[frame.start..frame.end], &mut room).to_vec());
            at = frame.next;
        }
        assert_eq!(framing.whole(block), Ok(at));
        found
    }

    #[test]
    fn what_was_written_is_read_again_whole_records_first() {
        for framing in [Framing::Fixed(3), Framing::Rdw, Framing::Variable, Framing::Line(LINE)] {
            let mut file = Vec::new();
            for record in [b"abc", b"d  "] {
                framing.write(record, &mut file).unwrap();
            }
            assert_eq!(records(framing, &file), [b"abc", b"d  "]);
            assert_eq!(records(framing, &file[..file.len() - 1]), [b"abc"], "{framing:?}");
        }
    }

    #[test]
    fn lines_of_other_systems_and_without_an_end_are_lines() {
        assert_eq!(records(Framing::Line(LINE), b"ab\r\n\nabcd\n"), [&b"ab "[..], b"   ", b"abcd"]);
        assert_eq!(Framing::Line(LINE).last(b"ab"), Ok(Some(b"ab\n".to_vec())));
    }

    #[test]
    fn a_frame_that_is_none_is_named() {
        assert_eq!(Framing::Rdw.frame(b"\x00\x03\x00\x00", 0), Err(FramingError::Descriptor([0, 3, 0, 0])));
        assert_eq!(Framing::Variable.frame(b"\x00\x01\x00\x01x", 0), Err(FramingError::Descriptor([0, 1, 0, 1])));
        assert_eq!(Framing::Fixed(5).last(b"ab"), Err(FramingError::CutShort { found: 2, wanted: 5 }));
        assert_eq!(Framing::Rdw.last(b"\x00\x09\x00\x00a"), Err(FramingError::CutShort { found: 5, wanted: 9 }));
        assert_eq!(Framing::Fixed(2).write(b"a", &mut Vec::new()), Err(FramingError::Length { found: 1, wanted: 2 }));
    }
}
