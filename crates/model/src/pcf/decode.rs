//! Bytes to one PCF message, each structure within its own bounds.

use codepage::{ByteOrder, CharacterSet};

use crate::descriptor::{Ccsid, Encoding};
use crate::header::cursor::Reader;
use crate::pcf::shape::{HEADER_LENGTH, Shape, Tail, is_header};
use crate::pcf::{
    Header, MAXIMUM_DEPTH, MAXIMUM_ITEMS, Message, MessageKind, Parameter, ParameterValue, PcfError,
    has_known_integers, own_or,
};

/// Reads the message that `bytes` begin with, as the message descriptor says it is written. Returns how many bytes it
/// took; more may follow.
///
/// Strings lose the blanks and NULs at their ends; byte strings keep every byte.
///
/// # Errors
/// As `PcfError` names them; nothing of the message is returned.
pub fn decode(bytes: &[u8], encoding: Encoding, ccsid: Ccsid) -> Result<(Message, usize), PcfError> {
    if !has_known_integers(encoding) {
        return Err(PcfError::Encoding { encoding: encoding.0 });
    }
    let mut decoder = Decoder { reader: Reader::new("PCF", bytes, encoding), bytes, encoding, ccsid, items: 0 };
    let (header, count) = decoder.header()?;
    let parameters = decoder.parameters(count, 0)?;
    Ok((Message { header, parameters }, decoder.reader.offset()))
}

struct Decoder<'a> {
    reader: Reader<'a>,
    bytes: &'a [u8],
    encoding: Encoding,
    ccsid: Ccsid,
    /// Parameters and list values so far.
    items: usize,
}

impl<'a> Decoder<'a> {
    /// The header and `ParameterCount`.
    fn header(&mut self) -> Result<(Header, usize), PcfError> {
        let kind = self.integer()?;
        if !is_header(kind) {
            return Err(PcfError::HeaderType { kind });
        }
        let length = self.integer()?;
        if u32::try_from(length) != Ok(HEADER_LENGTH) {
            return Err(PcfError::HeaderLength { length });
        }
        let version = self.integer()?;
        if !(1..=3).contains(&version) {
            return Err(PcfError::HeaderVersion { version });
        }
        let command = self.integer()?;
        let sequence = self.integer()?;
        if sequence < 1 {
            return Err(PcfError::Sequence { sequence });
        }
        let control = self.integer()?;
        let is_last = match control {
            0 => false,
            1 => true,
            _ => return Err(PcfError::Control { control }),
        };
        let completion = self.integer()?;
        let reason = self.integer()?;
        let count = self.integer()?;
        let parameters = usize::try_from(count).map_err(|_| PcfError::ParameterCount { count })?;
        let kind = MessageKind(kind);
        Ok((Header { kind, version, command, sequence, is_last, completion, reason }, parameters))
    }

    fn parameters(&mut self, count: usize, depth: usize) -> Result<Vec<Parameter>, PcfError> {
        let mut parameters = Vec::new();
        for _ in 0..count {
            parameters.push(self.parameter(depth)?);
        }
        Ok(parameters)
    }

    fn parameter(&mut self, depth: usize) -> Result<Parameter, PcfError> {
        self.count(1)?;
        let start = self.reader.offset();
        let kind = self.integer()?;
        let length = self.integer()?;
        let shape = Shape::of(kind).filter(|_| !is_header(kind)).ok_or(PcfError::StructureType { kind })?;
        let id = self.integer()?;
        let structure = Structure { kind, id, length, end: self.end(start, kind, id, length)? };
        let second = if shape.integers > 1 { self.within(&structure)? } else { 0 };
        let value = match (kind, shape.tail) {
            (20, _) => return self.group(&structure, second, depth),
            (13, _) => ParameterValue::IntegerFilter { operator: second, value: self.within(&structure)? },
            (_, Tail::Nothing) => ParameterValue::Integer(second),
            (_, Tail::Long) => ParameterValue::Integer64(self.long(&structure)?),
            (_, Tail::Integers) => ParameterValue::Integers(self.integers(&structure)?),
            (_, Tail::Longs) => ParameterValue::Integers64(self.longs(&structure)?),
            (14, _) => ParameterValue::TextFilter { operator: second, text: self.text(&structure)? },
            (_, Tail::Text) => ParameterValue::Text(self.text(&structure)?),
            (_, Tail::Texts) => ParameterValue::Texts(self.texts(&structure)?),
            (15, _) => ParameterValue::BytesFilter { operator: second, bytes: self.string(&structure)?.to_vec() },
            (_, Tail::Bytes) => ParameterValue::Bytes(self.string(&structure)?.to_vec()),
        };
        self.skip_to(&structure)?;
        Ok(Parameter { id, value })
    }

    /// Where a structure ends that says it is `length` bytes long.
    fn end(&self, start: usize, kind: i32, parameter: i32, length: i32) -> Result<usize, PcfError> {
        let wrong = PcfError::StructureLength { kind, parameter, length };
        let bytes = usize::try_from(length).map_err(|_| wrong)?;
        let end = start.checked_add(bytes).ok_or(wrong)?;
        if bytes < 12 || bytes % 4 != 0 {
            return Err(wrong);
        }
        if end > self.bytes.len() { Err(PcfError::MessageLength) } else { Ok(end) }
    }

    fn group(&mut self, structure: &Structure, count: i32, depth: usize) -> Result<Parameter, PcfError> {
        let id = structure.id;
        if structure.length != 16 {
            return Err(structure.wrong());
        }
        if depth == MAXIMUM_DEPTH {
            return Err(PcfError::Depth { parameter: id });
        }
        let count = usize::try_from(count).map_err(|_| PcfError::Count { kind: structure.kind, parameter: id })?;
        let members = self.parameters(count, depth + 1)?;
        Ok(Parameter { id, value: ParameterValue::Group(members) })
    }

    fn integers(&mut self, structure: &Structure) -> Result<Vec<i32>, PcfError> {
        let count = self.list(structure, 4)?;
        (0..count).map(|_| self.within(structure)).collect()
    }

    fn longs(&mut self, structure: &Structure) -> Result<Vec<i64>, PcfError> {
        let count = self.list(structure, 8)?;
        (0..count).map(|_| self.long(structure)).collect()
    }

    /// `Count` of a list whose values are `width` bytes each, all of them there.
    fn list(&mut self, structure: &Structure, width: usize) -> Result<usize, PcfError> {
        let wrong = PcfError::Count { kind: structure.kind, parameter: structure.id };
        let count = usize::try_from(self.within(structure)?).map_err(|_| wrong)?;
        let room = structure.end - self.reader.offset();
        if count.checked_mul(width).is_none_or(|needed| needed > room) {
            return Err(wrong);
        }
        self.count(count)?;
        Ok(count)
    }

    fn text(&mut self, structure: &Structure) -> Result<String, PcfError> {
        let (set, ccsid) = self.set(structure)?;
        let bytes = self.string(structure)?;
        decoded(set, ccsid, structure.id, bytes)
    }

    fn texts(&mut self, structure: &Structure) -> Result<Vec<String>, PcfError> {
        let (set, ccsid) = self.set(structure)?;
        let wrong = PcfError::Count { kind: structure.kind, parameter: structure.id };
        let count = usize::try_from(self.within(structure)?).map_err(|_| wrong)?;
        self.count(count)?;
        let length = self.length(structure)?;
        let room = structure.end - self.reader.offset();
        if count.checked_mul(length).is_none_or(|needed| needed > room) {
            return Err(wrong);
        }
        (0..count)
            .map(|_| {
                let bytes = self.reader.take(length).map_err(|_| wrong)?;
                decoded(set, ccsid, structure.id, bytes)
            })
            .collect()
    }

    /// A length and the bytes it counts.
    fn string(&mut self, structure: &Structure) -> Result<&'a [u8], PcfError> {
        let length = self.length(structure)?;
        let wrong = PcfError::StringLength { kind: structure.kind, parameter: structure.id };
        if length > structure.end - self.reader.offset() {
            return Err(wrong);
        }
        self.reader.take(length).map_err(|_| wrong)
    }

    fn length(&mut self, structure: &Structure) -> Result<usize, PcfError> {
        let wrong = PcfError::StringLength { kind: structure.kind, parameter: structure.id };
        usize::try_from(self.within(structure)?).map_err(|_| wrong)
    }

    fn set(&mut self, structure: &Structure) -> Result<(CharacterSet, i32), PcfError> {
        let ccsid = own_or(Ccsid(self.within(structure)?), self.ccsid).0;
        let order = if self.encoding.integers_are_little_endian() { ByteOrder::Little } else { ByteOrder::Big };
        let set = u32::try_from(ccsid).ok().and_then(|ccsid| CharacterSet::of(ccsid, order));
        Ok((set.ok_or(PcfError::CodedCharacterSet { parameter: structure.id, ccsid })?, ccsid))
    }

    /// Passes over the padding, which only structures with strings have.
    fn skip_to(&mut self, structure: &Structure) -> Result<(), PcfError> {
        let padding = structure.end - self.reader.offset();
        let is_padded = matches!(structure.kind, 4 | 6 | 9 | 14 | 15);
        if padding > 0 && !is_padded {
            return Err(structure.wrong());
        }
        self.reader.take(padding).map(drop).map_err(|_| structure.wrong())
    }

    /// An MQLONG that must lie within the structure.
    fn within(&mut self, structure: &Structure) -> Result<i32, PcfError> {
        if self.reader.offset() + 4 > structure.end {
            return Err(structure.wrong());
        }
        self.integer()
    }

    fn long(&mut self, structure: &Structure) -> Result<i64, PcfError> {
        if self.reader.offset() + 8 > structure.end {
            return Err(structure.wrong());
        }
        let bytes = self.reader.array().map_err(|_| structure.wrong())?;
        let little_endian = self.encoding.integers_are_little_endian();
        Ok(if little_endian { i64::from_le_bytes(bytes) } else { i64::from_be_bytes(bytes) })
    }

    fn integer(&mut self) -> Result<i32, PcfError> {
        self.reader.integer().map_err(|_| PcfError::MessageLength)
    }

    fn count(&mut self, items: usize) -> Result<(), PcfError> {
        self.items = self.items.saturating_add(items);
        if self.items > MAXIMUM_ITEMS { Err(PcfError::TooMany) } else { Ok(()) }
    }
}

struct Structure {
    kind: i32,
    id: i32,
    length: i32,
    /// Offset of the first byte behind it.
    end: usize,
}

impl Structure {
    const fn wrong(&self) -> PcfError {
        PcfError::StructureLength { kind: self.kind, parameter: self.id, length: self.length }
    }
}

fn decoded(set: CharacterSet, ccsid: i32, parameter: i32, bytes: &[u8]) -> Result<String, PcfError> {
    let mut text = String::new();
    set.decode(bytes, &mut text).map_err(|_| PcfError::CodedCharacterSet { parameter, ccsid })?;
    text.truncate(text.trim_end_matches([' ', '\0']).len());
    Ok(text)
}
