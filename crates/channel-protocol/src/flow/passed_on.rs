//! MQPUT, MQPUT1 and MQGET of a client whose descriptors are passed on byte for byte. The layouts are drawn in `put` and `get`.

use bytes::Bytes;

use crate::cursor::{Reader, Writer};
use crate::error::DecodeError;
use crate::output::COPIED_AT_MOST;
use crate::structure::descriptor_image::DescriptorImage;
use crate::structure::get_options::GetStructure;
use crate::structure::object_descriptor::ObjectStructure;
use crate::structure::put_options::PutStructure;

/// MQPUT; behind an object, MQPUT1.
pub fn encode_put(descriptor: &DescriptorImage, options: &PutStructure, data: &[u8], writer: &mut Writer<'_>) {
    descriptor.encode(writer);
    options.encode(writer);
    writer.count(data.len());
    if data.len() <= COPIED_AT_MOST {
        writer.bytes(data);
    } else {
        writer.data(&Bytes::copy_from_slice(data));
    }
    writer.pad_end();
}

pub struct PutAnswer {
    /// Of MQPUT1.
    pub object: Option<ObjectStructure>,
    pub descriptor: DescriptorImage,
    pub options: PutStructure,
}

impl PutAnswer {
    /// # Errors
    /// It is not what it should be.
    pub fn decode(reader: &mut Reader<'_>, has_object: bool) -> Result<Self, DecodeError> {
        Ok(Self {
            object: if has_object { Some(ObjectStructure::decode(reader)?) } else { None },
            descriptor: DescriptorImage::decode(reader)?,
            options: PutStructure::decode(reader)?,
        })
    }
}

pub fn encode_get(descriptor: &DescriptorImage, options: &GetStructure, buffer_length: usize, writer: &mut Writer<'_>) {
    descriptor.encode(writer);
    options.encode(writer);
    writer.count(buffer_length);
}

pub struct GetAnswer {
    pub descriptor: DescriptorImage,
    pub options: GetStructure,
    /// Of the whole message, in bytes; `data` may be shorter.
    pub length: usize,
    pub data: Bytes,
}

impl GetAnswer {
    /// `room`: of the program's buffer, in bytes.
    ///
    /// # Errors
    /// It is not what it should be.
    pub fn decode(reader: &mut Reader<'_>, room: usize) -> Result<Self, DecodeError> {
        let descriptor = DescriptorImage::decode(reader)?;
        let options = GetStructure::decode(reader)?;
        reader.enter("MQGET reply");
        let length = reader.count("message length")?;
        let returned = usize::try_from(options.returned_length).unwrap_or(usize::MAX);
        let data = reader.bytes(length.min(returned).min(room).min(reader.remaining()))?;
        Ok(Self { descriptor, options, length, data })
    }
}
