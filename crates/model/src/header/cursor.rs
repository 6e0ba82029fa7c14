//! Reading and writing the fixed-width fields of MQ structures: one bounds-checked cursor for every codec.
//!
//! Nothing is indexed by what the input says: a field that does not fit is `HeaderError::Short`.

use crate::descriptor::Encoding;
use crate::header::HeaderError;
use crate::text::Text;

/// Reads one structure from its start. Integers follow the encoding, text fields are taken as they are.
pub struct Reader<'a> {
    structure: &'static str,
    bytes: &'a [u8],
    offset: usize,
    little_endian: bool,
}

impl<'a> Reader<'a> {
    pub fn new(structure: &'static str, bytes: &'a [u8], encoding: Encoding) -> Self {
        Self { structure, bytes, offset: 0, little_endian: encoding.integers_are_little_endian() }
    }

    /// How far it has read, in bytes from the start of the structure.
    pub fn offset(&self) -> usize {
        self.offset
    }

    pub fn take(&mut self, length: usize) -> Result<&'a [u8], HeaderError> {
        let rest = self.bytes.get(self.offset..).unwrap_or_default();
        let taken = rest.get(..length).ok_or(HeaderError::Short {
            structure: self.structure,
            offset: self.offset,
            needed: length,
            available: rest.len(),
        })?;
        self.offset += length;
        Ok(taken)
    }

    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], HeaderError> {
        let taken = self.take(N)?;
        Ok(taken.try_into().expect("take returned N bytes"))
    }

    pub fn text<const N: usize>(&mut self) -> Result<Text<N>, HeaderError> {
        self.array().map(Text::from_bytes)
    }

    pub fn integer(&mut self) -> Result<i32, HeaderError> {
        let bytes = self.array()?;
        Ok(if self.little_endian { i32::from_le_bytes(bytes) } else { i32::from_be_bytes(bytes) })
    }

    /// An MQLONG that counts or measures: not negative.
    pub fn unsigned(&mut self, field: &'static str) -> Result<u32, HeaderError> {
        let value = self.integer()?;
        u32::try_from(value).map_err(|_| self.bad_value(field, value))
    }

    /// The eye-catcher every structure begins with.
    pub fn expect_identifier(&mut self, identifier: [u8; 4]) -> Result<(), HeaderError> {
        if self.array()? == identifier { Ok(()) } else { Err(HeaderError::Identifier { structure: self.structure }) }
    }

    pub fn bad_value(&self, field: &'static str, value: i32) -> HeaderError {
        HeaderError::Value { structure: self.structure, field, value }
    }
}

/// Appends fields to a buffer.
pub struct Writer<'a> {
    out: &'a mut Vec<u8>,
    little_endian: bool,
}

impl<'a> Writer<'a> {
    pub fn new(out: &'a mut Vec<u8>, encoding: Encoding) -> Self {
        Self { out, little_endian: encoding.integers_are_little_endian() }
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    pub fn integer(&mut self, value: i32) {
        self.bytes(&integer_bytes(value, self.little_endian));
    }

    /// An MQLONG holds 31 bits of it; what is more becomes the largest.
    pub fn unsigned(&mut self, value: u32) {
        self.integer(i32::try_from(value).unwrap_or(i32::MAX));
    }
}

pub(crate) fn integer_bytes(value: i32, little_endian: bool) -> [u8; 4] {
    if little_endian { value.to_le_bytes() } else { value.to_be_bytes() }
}
