//! MQMD within a call. The layout is drawn in `model::descriptor_codec`; here its version is kept and EBCDIC partners'
//! character fields are converted.
//!
//! A put states a descriptor, so what is wrong with it is answered with its reason. In a get only the fields that select
//! count, and programs leave anything in the others: those that no descriptor can hold are read as blank or zero.

use model::descriptor::MessageDescriptor;
use model::descriptor_codec::{self, VERSION_1_LENGTH, VERSION_2_LENGTH, Version};
use model::header::HeaderError;
use model::reason::Reason;

use crate::cursor::{Reader, Writer};
use crate::error::DecodeError;
use crate::form::{ByteOrder, Form, Letters};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Descriptor {
    pub version: Version,
    pub fields: MessageDescriptor,
}

impl Default for Descriptor {
    /// MQMD_DEFAULT, version 2.
    fn default() -> Self {
        Self { version: Version::Two, fields: MessageDescriptor::default() }
    }
}

impl Descriptor {
    pub fn new(fields: MessageDescriptor) -> Self {
        Self { version: Version::Two, fields }
    }

    pub fn length(&self) -> usize {
        length(self.version)
    }

    /// # Errors
    /// Too short; refused with 2026, 2047, 2027, 2250 or 2251 when a field is wrong.
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        decode(reader, zero_what_the_queue_manager_sets)
    }

    /// As it is in a get or comes back from one.
    ///
    /// # Errors
    /// Too short; refused with 2026 for another identifier or version.
    pub fn decode_selecting(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        decode(reader, make_plain)
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        let mut image = Vec::with_capacity(VERSION_2_LENGTH);
        descriptor_codec::encode(&self.fields, self.version, writer.form().integer_encoding(), &mut image);
        for_each_text(&mut image, |field| writer.form().field_out(field));
        writer.bytes(&image);
    }
}

fn length(version: Version) -> usize {
    match version {
        Version::One => VERSION_1_LENGTH,
        Version::Two => VERSION_2_LENGTH,
    }
}

type Image = [u8; VERSION_2_LENGTH];

fn decode(reader: &mut Reader<'_>, mend: fn(&mut Image, Form)) -> Result<Descriptor, DecodeError> {
    reader.enter("MQMD");
    if reader.peek_identifier()? != *b"MD  " {
        return Err(DecodeError::Refused(Reason::MdError));
    }
    let version = match reader.clone_at(4).integer()? {
        1 => Version::One,
        2 => Version::Two,
        _ => return Err(DecodeError::Refused(Reason::MdError)),
    };
    let form = reader.form();
    let mut image = [0; VERSION_2_LENGTH];
    let taken = reader.take(length(version))?;
    image[..taken.len()].copy_from_slice(taken);
    if form.letters == Letters::Ebcdic {
        for_each_text(&mut image, |field| form.field_in(field));
    }
    mend(&mut image, form);
    match descriptor_codec::decode(&image[..taken.len()], form.integer_encoding()) {
        Ok((fields, _)) => Ok(Descriptor { version, fields }),
        Err(error) => Err(DecodeError::Refused(reason(&error))),
    }
}

fn reason(error: &HeaderError) -> Reason {
    match error {
        HeaderError::Value { field: "Persistence", .. } => Reason::PersistenceError,
        HeaderError::Value { field: "MsgSeqNumber", .. } => Reason::MsgSeqNumberError,
        HeaderError::Value { field: "Offset", .. } => Reason::OffsetError,
        HeaderError::Name { .. } => Reason::MissingReplyToQ,
        _ => Reason::MdError,
    }
}

/// Identifier, format, reply-to queue to user identifier, identity data, application name to origin data.
pub(crate) fn for_each_text(image: &mut [u8], mut convert: impl FnMut(&mut [u8])) {
    for (from, to) in [(0, 4), (32, 40), (100, 208), (240, 272), (276, 324)] {
        if let Some(field) = image.get_mut(from..to) {
            convert(field);
        }
    }
}

/// The queue manager sets BackoutCount; the value in a put is ignored.
fn zero_what_the_queue_manager_sets(image: &mut Image, form: Form) {
    zero_negative(image, form, 96);
}

fn make_plain(image: &mut Image, form: Form) {
    for at in [96, 348, 352] {
        zero_negative(image, form, at);
    }
    let persistence = &mut image[44..48];
    let stated = match form.order {
        ByteOrder::Big => persistence == [0, 0, 0, 1] || persistence == [0, 0, 0, 2],
        ByteOrder::Little => persistence == [1, 0, 0, 0] || persistence == [2, 0, 0, 0],
    };
    if !stated {
        persistence.fill(0);
    }
    for name in [100..148, 148..196] {
        let field = &mut image[name];
        if field == [b' '; 48] {
            continue;
        }
        let end = field.iter().position(|&byte| byte == 0).unwrap_or(field.len());
        let named = field[..end].trim_ascii_end();
        if !named.iter().all(|byte| byte.is_ascii_alphanumeric() || b"./_%".contains(byte)) {
            field.fill(b' ');
        }
    }
}

fn zero_negative(image: &mut Image, form: Form, at: usize) {
    let sign = match form.order {
        ByteOrder::Big => image[at],
        ByteOrder::Little => image[at + 3],
    };
    if sign & 0x80 != 0 {
        image[at..at + 4].fill(0);
    }
}
