//! MQMD passed on byte for byte, between a program's memory and the channel: only byte order and letters change.
//!
//! A C program states any version and leaves any number in any field. The queue manager judges them, so nothing is read here.
//! The layout is drawn in `model::descriptor_codec`.

use model::descriptor_codec::{VERSION_1_LENGTH, VERSION_2_LENGTH};
use model::reason::Reason;

use crate::cursor::{Reader, Writer};
use crate::error::DecodeError;
use crate::form::ByteOrder;
use crate::structure::message_descriptor::for_each_text;

/// Offsets of the numbers.
const NUMBERS: [usize; 15] = [4, 8, 12, 16, 20, 24, 28, 40, 44, 96, 272, 348, 352, 356, 360];
const ENCODING: usize = 24;
const CCSID: usize = 28;
const FORMAT: usize = 32;
const PERSISTENCE: usize = 44;
const MESSAGE_ID: usize = 48;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DescriptorImage {
    /// Numbers in the byte order of this machine, letters in ASCII.
    bytes: [u8; VERSION_2_LENGTH],
    length: usize,
}

impl DescriptorImage {
    /// Of a program's memory, which has 324 or 364 bytes as its version says.
    ///
    /// # Errors
    /// 2026: another identifier or version, or fewer bytes than the version has.
    pub fn from_native(memory: &[u8]) -> Result<Self, Reason> {
        let version = memory.get(4..8).and_then(|bytes| bytes.try_into().ok()).map(i32::from_ne_bytes);
        let length = match version {
            Some(1) => VERSION_1_LENGTH,
            Some(2) => VERSION_2_LENGTH,
            _ => return Err(Reason::MdError),
        };
        let stated = memory.get(..length).filter(|stated| stated.starts_with(b"MD  ")).ok_or(Reason::MdError)?;
        let mut bytes = [0; VERSION_2_LENGTH];
        bytes[..length].copy_from_slice(stated);
        Ok(Self { bytes, length })
    }

    /// As many bytes as its version has.
    pub fn native(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// MQPER_*, whatever number is there.
    pub fn persistence(&self) -> i32 {
        self.number(PERSISTENCE)
    }

    pub fn encoding(&self) -> i32 {
        self.number(ENCODING)
    }

    pub fn set_encoding(&mut self, encoding: i32) {
        self.bytes[ENCODING..ENCODING + 4].copy_from_slice(&encoding.to_ne_bytes());
    }

    pub fn ccsid(&self) -> i32 {
        self.number(CCSID)
    }

    pub fn set_ccsid(&mut self, ccsid: i32) {
        self.bytes[CCSID..CCSID + 4].copy_from_slice(&ccsid.to_ne_bytes());
    }

    pub fn format(&self) -> [u8; 8] {
        self.bytes[FORMAT..].first_chunk().copied().unwrap_or_default()
    }

    pub fn set_format(&mut self, format: [u8; 8]) {
        self.bytes[FORMAT..FORMAT + 8].copy_from_slice(&format);
    }

    /// What tells this message from others.
    pub fn message_id(&self) -> [u8; 24] {
        self.bytes[MESSAGE_ID..].first_chunk().copied().unwrap_or_default()
    }

    pub fn set_message_id(&mut self, message_id: [u8; 24]) {
        self.bytes[MESSAGE_ID..MESSAGE_ID + 24].copy_from_slice(&message_id);
    }

    fn number(&self, at: usize) -> i32 {
        self.bytes[at..].first_chunk().map_or(0, |bytes| i32::from_ne_bytes(*bytes))
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        let mut image = self.bytes;
        let form = writer.form();
        if is_foreign(form.order) {
            reverse_numbers(&mut image[..self.length]);
        }
        for_each_text(&mut image[..self.length], |field| form.field_out(field));
        writer.bytes(&image[..self.length]);
    }

    /// # Errors
    /// Too short; refused with 2026 for another identifier or version.
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.enter("MQMD");
        let form = reader.form();
        let length = match reader.clone_at(4).integer()? {
            1 => VERSION_1_LENGTH,
            2 => VERSION_2_LENGTH,
            _ => return Err(DecodeError::Refused(Reason::MdError)),
        };
        let mut bytes = [0; VERSION_2_LENGTH];
        bytes[..length].copy_from_slice(reader.take(length)?);
        for_each_text(&mut bytes[..length], |field| form.field_in(field));
        if is_foreign(form.order) {
            reverse_numbers(&mut bytes[..length]);
        }
        if !bytes.starts_with(b"MD  ") {
            return Err(DecodeError::Refused(Reason::MdError));
        }
        Ok(Self { bytes, length })
    }
}

fn is_foreign(order: ByteOrder) -> bool {
    (order == ByteOrder::Little) != cfg!(target_endian = "little")
}

fn reverse_numbers(image: &mut [u8]) {
    for at in NUMBERS {
        if let Some(number) = image.get_mut(at..at + 4) {
            number.reverse();
        }
    }
}

#[cfg(test)]
mod tests;
