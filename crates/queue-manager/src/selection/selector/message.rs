//! A message as a selector sees it: the fields of its descriptor, and the properties in the MQRFH2 headers that its body
//! begins with. Headers are read once, when the first property is asked for; what is no header has no properties.

use std::cell::OnceCell;

use model::descriptor::{Encoding, Format, MessageDescriptor};
use model::header::rfh2::Rfh2;
use model::property::{Property, PropertyValue, read_folder};

use crate::selection::selector::evaluate::Fields;
use crate::selection::selector::field::Field;
use crate::selection::selector::value::Value;

/// Most MQRFH2 headers of one message that are looked at.
const MAXIMUM_HEADERS: usize = 16;
/// Where an MQRFH2 says how long it is, in bytes from its start.
const LENGTH_AT: usize = 8;

pub(super) struct View<'a> {
    pub(super) descriptor: &'a MessageDescriptor,
    body: &'a [u8],
    folders: OnceCell<Vec<(String, Vec<Property>)>>,
}

impl<'a> View<'a> {
    pub(super) fn new(descriptor: &'a MessageDescriptor, body: &'a [u8]) -> Self {
        Self { descriptor, body, folders: OnceCell::new() }
    }

    /// The last property of that name in the folder.
    pub(super) fn property(&self, folder: &str, name: &str) -> Option<&PropertyValue> {
        let folders = self.folders.get_or_init(|| read(self.descriptor, self.body));
        let of_folder = folders.iter().rev().filter(|(known, _)| known == folder);
        let mut properties = of_folder.flat_map(|(_, properties)| properties.iter().rev());
        properties.find(|property| property.name == name).map(|property| &property.value)
    }

    /// As text; a property without a value has none.
    pub(super) fn text(&self, folder: &str, name: &str) -> Option<String> {
        self.property(folder, name).filter(|value| **value != PropertyValue::Null).map(ToString::to_string)
    }
}

impl Fields for View<'_> {
    fn value(&self, field: &Field) -> Value<'_> {
        match field {
            Field::Known(known) => (known.read)(self),
            Field::Property(name) => {
                let in_user_folder = self.property("usr", name);
                let in_folder = || name.split_once('.').and_then(|(folder, name)| self.property(folder, name));
                in_user_folder.or_else(in_folder).map_or(Value::Null, Value::of_property)
            }
        }
    }
}

/// The folders of all headers; one that is damaged is left out.
fn read(descriptor: &MessageDescriptor, body: &[u8]) -> Vec<(String, Vec<Property>)> {
    let (mut format, mut encoding, mut rest) = (descriptor.format, descriptor.encoding, body);
    let mut folders = Vec::new();
    for _ in 0..MAXIMUM_HEADERS {
        if format != Format::RF_HEADER_2 {
            break;
        }
        let Ok((header, length)) = Rfh2::decode(rest, encoding) else { break };
        folders.extend(header.folders.iter().filter_map(|folder| read_folder(folder).ok()));
        (format, encoding) = (header.format, header.encoding);
        rest = &rest[length..];
    }
    folders
}

/// How many bytes the headers take that a body begins with, as far as `body`, its beginning, tells: when that is more
/// than `body` has, so many bytes at least are needed.
pub(super) fn headers_end(descriptor: &MessageDescriptor, body: &[u8]) -> usize {
    let (mut format, mut encoding, mut end) = (descriptor.format, descriptor.encoding, 0_usize);
    for _ in 0..MAXIMUM_HEADERS {
        if format != Format::RF_HEADER_2 {
            break;
        }
        let fixed = end.saturating_add(Rfh2::FIXED_LENGTH);
        let Some(header) = body.get(end..fixed) else { return fixed };
        let number = |at: usize| {
            let bytes = header.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).unwrap_or_default();
            if encoding.integers_are_little_endian() { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) }
        };
        let length = usize::try_from(number(LENGTH_AT)).unwrap_or(usize::MAX);
        if !header.starts_with(b"RFH ") || length < Rfh2::FIXED_LENGTH {
            break;
        }
        end = end.saturating_add(length);
        let next = number(12).cast_signed();
        format = header
            .get(20..28)
            .and_then(|name| name.try_into().ok())
            .map_or(Format::NONE, |name| Format(model::text::Text::from_bytes(name)));
        encoding = Encoding(next);
    }
    end
}
