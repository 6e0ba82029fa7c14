//! Data conversion on get (MQGMO_CONVERT): text from one CCSID to another, integers from one encoding to another.
//!
//! Formats converted: MQSTR, the PCF formats MQADMIN, MQEVENT and MQPCF, MQTRIG, and chains of MQDEAD, MQXMIT, MQHMDE and
//! MQHRF2 headers before them. A chain is followed header by header: each says in which encoding, CCSID and format the
//! next part is.
//!
//! Rules
//! - What cannot be converted leaves the message as it is, with a warning; the caller delivers it all the same.
//! - A message already in the target's CCSID and encoding, or without a body, is left alone without a warning.
//! - Headers have single-byte text. With a UTF-16 target they become the queue manager's CCSID (1208), the data behind
//!   them UTF-16, and the warning is 2272: partially converted.
//! - Characters without a counterpart are substituted silently, as `codepage` says.
//!
//! Source: MQ reference, "Data conversion", "MQGMO_CONVERT", reasons 2110 to 2120 and 2272, 9.3.

mod pcf;

use std::borrow::Cow;

use bytes::Bytes;
use codepage::{ByteOrder, CharacterSet};

use crate::descriptor::{Ccsid, Encoding, Format, MessageDescriptor};
use crate::header::cursor::integer_bytes;
use crate::header::{DEAD_LETTER, Layout, MD_EXTENSION, RFH2_FIXED, TRANSMISSION, TRIGGER};
use crate::options::ConversionTarget;
use crate::reason::Reason;

/// What a get returns instead of the message's own body, encoding and CCSID.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Converted {
    pub encoding: Encoding,
    pub ccsid: Ccsid,
    pub body: Bytes,
    /// 2110 to 2120: the rest is the message's own; 2272: the headers are in the queue manager's CCSID.
    pub warning: Option<Reason>,
}

/// Converts the body of a message into what the getter asked for. CCSID 0 is the queue manager's, 1208.
pub fn convert(descriptor: &MessageDescriptor, body: &Bytes, target: ConversionTarget) -> Converted {
    convert_within(descriptor, body, target, usize::MAX)
}

/// As `convert`; a result longer than `buffer_length` is `ConvertedMsgTooBig` (2120), the message unconverted.
pub fn convert_within(
    descriptor: &MessageDescriptor,
    body: &Bytes,
    target: ConversionTarget,
    buffer_length: usize,
) -> Converted {
    let unconverted =
        |warning| Converted { encoding: descriptor.encoding, ccsid: descriptor.ccsid, body: body.clone(), warning };
    let target = Part { ccsid: queue_managers_own(target.ccsid), encoding: target.encoding };
    let source = Part { ccsid: queue_managers_own(descriptor.ccsid), encoding: descriptor.encoding };
    if body.is_empty() || source == target {
        return unconverted(None);
    }
    match Chain::convert(source, target, descriptor.format, body) {
        Err(reason) => unconverted(Some(reason)),
        Ok(chain) if chain.out.as_ref().map_or(body.len(), Vec::len) > buffer_length => {
            unconverted(Some(Reason::ConvertedMsgTooBig))
        }
        Ok(chain) => Converted {
            encoding: chain.first.encoding,
            ccsid: chain.first.ccsid,
            body: chain.out.map_or_else(|| body.clone(), Bytes::from),
            warning: chain.is_partial.then_some(Reason::PartiallyConverted),
        },
    }
}

/// How one part of a message is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Part {
    ccsid: Ccsid,
    encoding: Encoding,
}

impl Part {
    fn little_endian(self) -> bool {
        self.encoding.integers_are_little_endian()
    }

    fn set(self) -> Option<CharacterSet> {
        let order = if self.little_endian() { ByteOrder::Little } else { ByteOrder::Big };
        CharacterSet::of(u32::try_from(self.ccsid.0).ok()?, order)
    }

    fn has_known_integers(self) -> bool {
        matches!(self.encoding.0 & 0x0F, 1 | 2)
    }
}

/// A conversion on its way through the headers of a message.
struct Chain {
    target: Part,
    /// What the descriptor has to say of the first part.
    first: Part,
    /// `None`: the body stays as it is.
    out: Option<Vec<u8>>,
    is_partial: bool,
}

impl Chain {
    fn convert(mut source: Part, target: Part, mut format: Format, body: &Bytes) -> Result<Self, Reason> {
        let mut chain = Self { target, first: target, out: None, is_partial: false };
        let mut rest: &[u8] = body;
        // Where the last header written says how the next part is written; nowhere before the first.
        let mut says: Option<(usize, usize)> = None;
        while let Some(layout) = layout_of(format) {
            let written = chain.header_part()?;
            let start = chain.out.as_ref().map_or(0, Vec::len);
            chain.say(says, written);
            let header = Header::convert(layout, source, written, rest)?;
            chain.out.get_or_insert_with(|| Vec::with_capacity(body.len())).extend_from_slice(&header.bytes);
            rest = &rest[header.length..];
            let (Some(next), Some((part, next_format))) = (layout.next, header.next) else {
                return if rest.is_empty() { Ok(chain) } else { Err(Reason::FormatError) };
            };
            says = next.part.map(|(encoding, ccsid)| (start + encoding, start + ccsid));
            (source, format) = (part, next_format);
        }
        chain.data(source, format, rest, says)?;
        Ok(chain)
    }

    /// What headers are converted to.
    fn header_part(&mut self) -> Result<Part, Reason> {
        if !self.target.has_known_integers() {
            return Err(Reason::TargetIntegerEncError);
        }
        if is_utf_16(self.target.ccsid) {
            self.is_partial = true;
            return Ok(Part { ccsid: Ccsid::UTF_8, ..self.target });
        }
        Ok(self.target)
    }

    /// Lets the descriptor, or the header before, say how the part is written that comes next.
    fn say(&mut self, says: Option<(usize, usize)>, part: Part) {
        match (says, &mut self.out) {
            (Some((encoding, ccsid)), Some(out)) => {
                let little_endian = self.target.encoding.integers_are_little_endian();
                out[encoding..encoding + 4].copy_from_slice(&integer_bytes(part.encoding.0, little_endian));
                out[ccsid..ccsid + 4].copy_from_slice(&integer_bytes(part.ccsid.0, little_endian));
            }
            _ => self.first = part,
        }
    }

    /// The end of the chain: text, nothing, or data nobody can convert but that is as it should be already.
    fn data(&mut self, source: Part, format: Format, data: &[u8], says: Option<(usize, usize)>) -> Result<(), Reason> {
        self.say(says, self.target);
        let bytes = if data.is_empty() || source == self.target {
            Cow::Borrowed(data)
        } else if format == Format::STRING {
            let from = source.set().ok_or(Reason::SourceCcsidError)?;
            let to = self.target.set().ok_or(Reason::TargetCcsidError)?;
            codepage::convert(from, to, data).map_err(|_| Reason::NotConverted)?.bytes
        } else if matches!(format, Format::ADMIN | Format::EVENT | Format::PCF) {
            let mut out = Vec::with_capacity(data.len());
            if !source.has_known_integers() {
                return Err(Reason::SourceIntegerEncError);
            }
            if !self.target.has_known_integers() {
                return Err(Reason::TargetIntegerEncError);
            }
            pcf::convert(source, self.target, data, &mut out)?;
            Cow::Owned(out)
        } else {
            return Err(Reason::FormatError);
        };
        match (&mut self.out, bytes) {
            (Some(out), bytes) => out.extend_from_slice(&bytes),
            (None, Cow::Owned(bytes)) => self.out = Some(bytes),
            (None, Cow::Borrowed(_)) => {}
        }
        Ok(())
    }
}

/// One header in the target's form.
struct Header {
    bytes: Vec<u8>,
    /// Bytes it took in the source.
    length: usize,
    /// How the next part is written, and in which format.
    next: Option<(Part, Format)>,
}

impl Header {
    fn convert(layout: &Layout, source: Part, target: Part, bytes: &[u8]) -> Result<Self, Reason> {
        if !source.has_known_integers() {
            return Err(Reason::SourceIntegerEncError);
        }
        if is_utf_16(source.ccsid) {
            return Err(Reason::SourceCcsidError);
        }
        let from = source.set().ok_or(Reason::SourceCcsidError)?;
        let to = target.set().ok_or(Reason::TargetCcsidError)?;
        let fixed = bytes.get(..layout.length).ok_or(Reason::FormatError)?;
        let mut out = fixed.to_vec();
        for (offset, width) in layout.texts() {
            convert_field(&mut out[offset..offset + width], from, to)?;
        }
        if to_ascii(from, &fixed[..4]) != layout.identifier {
            return Err(Reason::FormatError);
        }
        if source.little_endian() != target.little_endian() {
            layout.integers().for_each(|offset| out[offset..offset + 4].reverse());
        }
        let mut length = layout.length;
        if layout.identifier == RFH2_FIXED.identifier {
            length = convert_folders(bytes, source, target, &mut out)?;
        }
        let integer = |offset: usize| read_integer(fixed, offset, source.little_endian());
        let next = layout.next.map(|next| {
            let part = match next.part {
                None => source,
                Some((encoding, ccsid)) => {
                    let ccsid = match integer(ccsid) {
                        // MQCCSI_INHERIT, and MQCCSI_Q_MGR which in a header means the same.
                        -2 | 0 => source.ccsid,
                        ccsid => Ccsid(ccsid),
                    };
                    Part { ccsid, encoding: Encoding(integer(encoding)) }
                }
            };
            let format: [u8; 8] = to_ascii(from, &fixed[next.format..next.format + 8]);
            (part, Format(crate::text::Text::from_bytes(format)))
        });
        Ok(Self { bytes: out, length, next })
    }
}

/// Appends the folders of an MQRFH2 to its fixed part: their lengths swapped, their text as it is, but UTF-16 swapped.
/// Returns the length of the whole header.
fn convert_folders(bytes: &[u8], source: Part, target: Part, out: &mut Vec<u8>) -> Result<usize, Reason> {
    let integer = |offset: usize| usize::try_from(read_integer(bytes, offset, source.little_endian())).ok();
    let end = integer(8).filter(|&end| end >= RFH2_FIXED.length && end <= bytes.len()).ok_or(Reason::FormatError)?;
    let swap = source.little_endian() != target.little_endian();
    let wide = is_utf_16(Ccsid(read_integer(bytes, 32, source.little_endian())));
    let mut at = RFH2_FIXED.length;
    while at < end {
        let data = at + 4;
        let length = if data <= end { integer(at) } else { None }.ok_or(Reason::FormatError)?;
        let after = data.checked_add(length).filter(|&after| after <= end).ok_or(Reason::FormatError)?;
        let start = out.len();
        out.extend_from_slice(&bytes[at..after]);
        if swap {
            out[start..start + 4].reverse();
        }
        if swap && wide {
            out[start + 4..].chunks_exact_mut(2).for_each(<[u8]>::reverse);
        }
        at = after;
    }
    Ok(end)
}

fn layout_of(format: Format) -> Option<&'static Layout> {
    match format {
        Format::DEAD_LETTER_HEADER => Some(&DEAD_LETTER),
        Format::RF_HEADER_2 => Some(&RFH2_FIXED),
        Format::XMIT_QUEUE_HEADER => Some(&TRANSMISSION),
        Format::MD_EXTENSION => Some(&MD_EXTENSION),
        Format::TRIGGER => Some(&TRIGGER),
        _ => None,
    }
}

/// A field of fixed width: what it loses is blanks, or it is not converted at all.
fn convert_field(field: &mut [u8], from: CharacterSet, to: CharacterSet) -> Result<(), Reason> {
    let converted = codepage::convert(from, to, field).map_err(|_| Reason::NotConverted)?;
    let Cow::Owned(converted) = converted.bytes else { return Ok(()) };
    let blank = to.blank()[0];
    let kept = converted.len().min(field.len());
    if converted[kept..].iter().any(|&byte| byte != blank && byte != 0) {
        return Err(Reason::NotConverted);
    }
    field[..kept].copy_from_slice(&converted[..kept]);
    field[kept..].fill(blank);
    Ok(())
}

/// Identifiers and formats, for comparing: what has no ASCII form becomes 0x1A.
fn to_ascii<const N: usize>(from: CharacterSet, field: &[u8]) -> [u8; N] {
    let mut ascii = [0x1A; N];
    let mut text = String::new();
    if from.decode(field, &mut text).is_ok() {
        for (byte, character) in ascii.iter_mut().zip(text.chars()) {
            *byte = if character.is_ascii() { character as u8 } else { 0x1A };
        }
    }
    ascii
}

fn read_integer(bytes: &[u8], offset: usize, little_endian: bool) -> i32 {
    let field = bytes[offset..offset + 4].try_into().expect("four bytes");
    if little_endian { i32::from_le_bytes(field) } else { i32::from_be_bytes(field) }
}

fn is_utf_16(ccsid: Ccsid) -> bool {
    matches!(ccsid.0, 1200..=1202 | 13488 | 17584)
}

/// MQCCSI_Q_MGR stands for the queue manager's CCSID.
fn queue_managers_own(ccsid: Ccsid) -> Ccsid {
    if ccsid == Ccsid::Q_MGR { Ccsid::UTF_8 } else { ccsid }
}
