//! One bounds-checked reader and one writer for every structure of the channel, in the partner's form.
//!
//! Nothing is indexed by what the input says: a field that does not fit is `ProtocolError::Short`.

use bytes::{BufMut, Bytes, BytesMut};
use model::text::Text;

use crate::error::ProtocolError;
use crate::form::{ByteOrder, Form};

/// Reads the body of one unit from its start.
#[derive(Clone)]
pub struct Reader<'a> {
    structure: &'static str,
    bytes: &'a Bytes,
    offset: usize,
    form: Form,
}

impl<'a> Reader<'a> {
    pub fn new(structure: &'static str, bytes: &'a Bytes, form: Form) -> Self {
        Self { structure, bytes, offset: 0, form }
    }

    /// Names what is read from here on, for errors.
    pub fn enter(&mut self, structure: &'static str) {
        self.structure = structure;
    }

    pub fn form(&self) -> Form {
        self.form
    }

    /// How far it has read, in bytes from the start of the body.
    pub fn offset(&self) -> usize {
        self.offset
    }

    pub fn remaining(&self) -> usize {
        self.bytes.len().saturating_sub(self.offset)
    }

    pub fn is_empty(&self) -> bool {
        self.remaining() == 0
    }

    pub fn take(&mut self, length: usize) -> Result<&'a [u8], ProtocolError> {
        let taken = self.peek(length)?;
        self.offset += length;
        Ok(taken)
    }

    pub fn peek(&self, length: usize) -> Result<&'a [u8], ProtocolError> {
        let rest = self.bytes.get(self.offset..).unwrap_or_default();
        rest.get(..length).ok_or(ProtocolError::Short {
            structure: self.structure,
            offset: self.offset,
            needed: length,
            available: rest.len(),
        })
    }

    /// The next bytes without a copy.
    pub fn bytes(&mut self, length: usize) -> Result<Bytes, ProtocolError> {
        self.peek(length)?;
        let taken = self.bytes.slice(self.offset..self.offset + length);
        self.offset += length;
        Ok(taken)
    }

    /// All that is left, without a copy.
    pub fn rest(&mut self) -> Bytes {
        let taken = self.bytes.slice(self.offset.min(self.bytes.len())..);
        self.offset = self.bytes.len();
        taken
    }

    /// Any part of the body, wherever the reader stands.
    pub fn at(&self, offset: usize, length: usize) -> Result<Bytes, ProtocolError> {
        match offset.checked_add(length) {
            Some(end) if end <= self.bytes.len() => Ok(self.bytes.slice(offset..end)),
            _ => Err(ProtocolError::Short {
                structure: self.structure,
                offset,
                needed: length,
                available: self.bytes.len().saturating_sub(offset),
            }),
        }
    }

    /// A reader of the same body, `ahead` bytes further on: a look at a field without consuming it.
    pub fn clone_at(&self, ahead: usize) -> Self {
        Self { offset: self.offset.saturating_add(ahead), ..self.clone() }
    }

    /// Moves on to `offset`; never back, never beyond the end.
    pub fn skip_to(&mut self, offset: usize) {
        self.offset = offset.clamp(self.offset, self.bytes.len().max(self.offset));
    }

    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], ProtocolError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub fn byte(&mut self) -> Result<u8, ProtocolError> {
        self.array::<1>().map(|[byte]| byte)
    }

    /// A character field, in ASCII.
    pub fn text<const N: usize>(&mut self) -> Result<Text<N>, ProtocolError> {
        let mut field = self.array()?;
        self.form.field_in(&mut field);
        Ok(Text::from_bytes(field))
    }

    pub fn integer(&mut self) -> Result<i32, ProtocolError> {
        let bytes = self.array()?;
        Ok(match self.form.order {
            ByteOrder::Big => i32::from_be_bytes(bytes),
            ByteOrder::Little => i32::from_le_bytes(bytes),
        })
    }

    /// Flags and identifiers: all 32 bits.
    pub fn bits(&mut self) -> Result<u32, ProtocolError> {
        self.integer().map(i32::cast_unsigned)
    }

    /// Always high byte first, whatever the partner's order.
    pub fn big_endian(&mut self) -> Result<u32, ProtocolError> {
        self.array().map(u32::from_be_bytes)
    }

    pub fn short(&mut self) -> Result<u16, ProtocolError> {
        let bytes = self.array()?;
        Ok(match self.form.order {
            ByteOrder::Big => u16::from_be_bytes(bytes),
            ByteOrder::Little => u16::from_le_bytes(bytes),
        })
    }

    /// A number that counts or measures: not negative.
    pub fn count(&mut self, field: &'static str) -> Result<usize, ProtocolError> {
        let value = self.integer()?;
        usize::try_from(value).map_err(|_| self.value(field, i64::from(value)))
    }

    /// Numbers of four bytes each; memory is taken only for what is there.
    pub fn integers(&mut self, count: usize) -> Result<Vec<i32>, ProtocolError> {
        self.peek(count.saturating_mul(4))?;
        (0..count).map(|_| self.integer()).collect()
    }

    /// The eye-catcher at the reader's place, in ASCII; it is not consumed.
    pub fn peek_identifier(&self) -> Result<[u8; 4], ProtocolError> {
        let mut identifier = [0; 4];
        identifier.copy_from_slice(self.peek(4)?);
        self.form.field_in(&mut identifier);
        Ok(identifier)
    }

    pub fn identifier(&mut self, expected: [u8; 4]) -> Result<(), ProtocolError> {
        if self.peek_identifier()? != expected {
            return Err(ProtocolError::StructureIdentifier { structure: self.structure });
        }
        self.offset += 4;
        Ok(())
    }

    pub fn value(&self, field: &'static str, value: i64) -> ProtocolError {
        ProtocolError::Value { structure: self.structure, field, value }
    }
}

/// Appends the body of one unit, in the partner's form.
pub struct Writer<'a> {
    out: &'a mut BytesMut,
    /// Where the body begins in `out`.
    start: usize,
    form: Form,
    /// The unit is one conversation's on a shared socket, where bodies are padded to a multiple of four.
    pub(crate) shared: bool,
    pub(crate) patch_length: bool,
    pub(crate) data: Option<Bytes>,
    pub(crate) padding: usize,
}

impl<'a> Writer<'a> {
    pub fn new(out: &'a mut BytesMut, form: Form) -> Self {
        let start = out.len();
        Self { out, start, form, shared: false, patch_length: false, data: None, padding: 0 }
    }

    pub fn form(&self) -> Form {
        self.form
    }

    /// Bytes written so far, from the start of the body.
    pub fn offset(&self) -> usize {
        self.out.len() - self.start
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.out.put_slice(bytes);
    }

    pub fn zeros(&mut self, count: usize) {
        self.out.put_bytes(0, count);
    }

    /// NULs up to a multiple of four from `start`.
    pub fn pad_from(&mut self, start: usize) {
        let length = self.offset() - start;
        self.zeros(length.next_multiple_of(4) - length);
    }

    pub fn byte(&mut self, value: u8) {
        self.out.put_u8(value);
    }

    pub fn integer(&mut self, value: i32) {
        match self.form.order {
            ByteOrder::Big => self.out.put_i32(value),
            ByteOrder::Little => self.out.put_i32_le(value),
        }
    }

    pub fn bits(&mut self, value: u32) {
        self.integer(value.cast_signed());
    }

    /// A number that counts or measures; what an MQLONG does not hold becomes the largest it does.
    pub fn count(&mut self, value: usize) {
        self.integer(i32::try_from(value).unwrap_or(i32::MAX));
    }

    pub fn short(&mut self, value: u16) {
        match self.form.order {
            ByteOrder::Big => self.out.put_u16(value),
            ByteOrder::Little => self.out.put_u16_le(value),
        }
    }

    /// Always high byte first.
    pub fn big_endian(&mut self, value: u32) {
        self.out.put_u32(value);
    }

    /// A character field given in ASCII.
    pub fn text(&mut self, field: &[u8]) {
        let at = self.out.len();
        self.out.put_slice(field);
        self.form.field_out(&mut self.out[at..]);
    }

    pub fn integers(&mut self, values: &[i32]) {
        for &value in values {
            self.integer(value);
        }
    }

    /// A number already written, `at` bytes from the start of the body.
    pub fn patch(&mut self, at: usize, value: usize) {
        let value = i32::try_from(value).unwrap_or(i32::MAX);
        let bytes = match self.form.order {
            ByteOrder::Big => value.to_be_bytes(),
            ByteOrder::Little => value.to_le_bytes(),
        };
        if let Some(place) = self.out.get_mut(self.start + at..self.start + at + 4) {
            place.copy_from_slice(&bytes);
        }
    }

    /// Message data, the last field of a unit; the output copies it when it is small and passes it on when it is large.
    pub fn data(&mut self, data: &Bytes) {
        debug_assert!(self.data.is_none(), "message data ends a unit");
        self.data = Some(data.clone());
    }

    /// Pads the unit to a multiple of four, on a shared socket, as the Java client pads what ends with odd lengths.
    pub fn pad_end(&mut self) {
        if self.shared {
            let length = self.offset() + self.data.as_ref().map_or(0, Bytes::len);
            self.padding = length.next_multiple_of(4) - length;
        }
    }
}
