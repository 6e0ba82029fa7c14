//! Properties of a message on its way: in the folder `usr` of the MQRFH2 that its data begins with.
//!
//! Never: looks behind other headers. What cannot be read has no properties, and is given none.

use bytes::Bytes;

use model::descriptor::{Ccsid, Format, MessageFlags};
use model::header::fixed::Part;
use model::header::rfh2::Rfh2;
use model::message::Message;
use model::property::{Property, read_folder, write_folder};

const FOLDER: &str = "usr";
const END: &str = "</usr>";

/// The properties that a message carries, if it may carry one of this name. It costs little where it does not.
pub(super) fn carried(message: &Message, name: &str) -> Vec<Property> {
    if message.descriptor.format != Format::RF_HEADER_2 || !mentions(&message.body, message, name) {
        return Vec::new();
    }
    let Ok((header, _)) = Rfh2::decode_in(&message.body, part(message)) else { return Vec::new() };
    let read = header.folders.iter().filter(|folder| is_of_user(folder)).filter_map(|folder| read_folder(folder).ok());
    read.flat_map(|(_, properties)| properties).collect()
}

/// Adds properties to those that a message carries. False: it is not a message that programs give properties to.
pub(super) fn carry(message: &mut Message, properties: &[Property]) -> bool {
    let written = write_folder(FOLDER, properties.iter().map(|property| (&*property.name, &property.value)));
    let part = part(message);
    let descriptor = &mut message.descriptor;
    if descriptor.message_flags.intersects(MessageFlags::SEGMENT | MessageFlags::LAST_SEGMENT) {
        return false;
    }
    let (header, data) = if descriptor.format == Format::RF_HEADER_2 {
        let Ok((mut header, length)) = Rfh2::decode_in(&message.body, part) else { return false };
        match header.folders.iter_mut().find(|folder| is_of_user(folder) && folder.ends_with(END)) {
            Some(folder) => {
                folder.insert_str(folder.len() - END.len(), &written[FOLDER.len() + 2..written.len() - END.len()]);
            }
            None => header.folders.push(written),
        }
        (header, message.body.slice(length.min(message.body.len())..))
    } else if is_of_programs(descriptor.format) {
        let (encoding, format) = (descriptor.encoding, descriptor.format);
        let ccsid = if descriptor.ccsid == Ccsid::Q_MGR { Ccsid::INHERIT } else { descriptor.ccsid };
        (Rfh2 { encoding, ccsid, format, flags: 0, folders: vec![written] }, message.body.clone())
    } else {
        return false;
    };
    let mut body = Vec::with_capacity(Rfh2::FIXED_LENGTH + 256 + data.len());
    header.encode_in(part, &mut body);
    body.extend_from_slice(&data);
    descriptor.format = Format::RF_HEADER_2;
    message.body = Bytes::from(body);
    true
}

fn part(message: &Message) -> Part {
    Part { encoding: message.descriptor.encoding, ccsid: message.descriptor.ccsid }
}

/// Whether the front of the body has the bytes of a name, or is of a set in which names look otherwise.
fn mentions(body: &Bytes, message: &Message, name: &str) -> bool {
    let integer = |at: usize| {
        let bytes: [u8; 4] = body.get(at..at + 4)?.try_into().ok()?;
        let little = message.descriptor.encoding.integers_are_little_endian();
        Some(if little { i32::from_le_bytes(bytes) } else { i32::from_be_bytes(bytes) })
    };
    let (Some(length), Some(set)) = (integer(8), integer(32)) else { return false };
    let front = &body[..usize::try_from(length).unwrap_or(0).min(body.len())];
    set != Ccsid::UTF_8.0 || memchr::memmem::find(front, name.as_bytes()).is_some()
}

fn is_of_user(folder: &str) -> bool {
    folder.trim_start().strip_prefix("<usr").is_some_and(|rest| rest.starts_with([' ', '>']))
}

/// Formats that begin with MQ are of structures that other programs read where they lie, but for text.
fn is_of_programs(format: Format) -> bool {
    format == Format::STRING || !format.0.as_bytes().starts_with(b"MQ")
}

#[cfg(test)]
mod tests {
    use model::descriptor::{Encoding, MessageDescriptor};
    use model::property::PropertyValue;

    use super::*;

    fn message(format: Format, body: &[u8]) -> Message {
        let descriptor =
            MessageDescriptor { format, ccsid: Ccsid(819), encoding: Encoding::BIG_ENDIAN, ..Default::default() };
        Message { descriptor, body: Bytes::copy_from_slice(body) }
    }

    fn property(name: &str, text: &str) -> Property {
        Property { name: name.to_owned(), value: PropertyValue::String(text.to_owned()) }
    }

    #[test]
    fn properties_come_before_the_data_and_beside_those_that_are_there() {
        let mut message = message(Format::STRING, b"data");
        assert!(carry(&mut message, &[property("colour", "red")]));
        assert_eq!(message.descriptor.format, Format::RF_HEADER_2);
        assert!(carry(&mut message, &[property("size", "<5>")]));
        let (header, length) = Rfh2::decode_in(&message.body, part(&message)).unwrap();
        assert_eq!((header.format, header.ccsid, header.folders.len()), (Format::STRING, Ccsid(819), 1));
        assert_eq!(&message.body[length..], b"data");
        assert_eq!(carried(&message, "size"), [property("colour", "red"), property("size", "<5>")]);
        assert_eq!(carried(&message, "weight"), [], "no byte of it is there");
    }

    #[test]
    fn a_header_without_properties_gets_a_folder() {
        let folders = vec!["<mcd><Msd>jms_text</Msd></mcd>".to_owned()];
        let header =
            Rfh2 { encoding: Encoding::BIG_ENDIAN, ccsid: Ccsid::UTF_8, format: Format::NONE, flags: 0, folders };
        let mut body = Vec::new();
        header.encode(Encoding::BIG_ENDIAN, &mut body);
        let mut message = message(Format::RF_HEADER_2, &body);
        assert!(carry(&mut message, &[property("colour", "red")]));
        assert_eq!(carried(&message, "colour"), [property("colour", "red")]);
    }

    #[test]
    fn structures_segments_and_what_is_damaged_stay_as_they_are() {
        let mut segment = message(Format::STRING, b"part");
        segment.descriptor.message_flags = MessageFlags::SEGMENT;
        for mut message in [message(Format::ADMIN, b"command"), message(Format::RF_HEADER_2, b"RFH "), segment] {
            let before = message.clone();
            assert!(!carry(&mut message, &[property("colour", "red")]));
            assert_eq!((&message.body, &message.descriptor), (&before.body, &before.descriptor));
            assert_eq!(
                carried(&Message { body: Bytes::from_static(b"RFH colour"), descriptor: before.descriptor }, "colour"),
                []
            );
        }
    }

    #[test]
    fn properties_in_utf_16_are_found() {
        let mut message = message(Format::STRING, b"data");
        assert!(carry(&mut message, &[property("colour", "red")]));
        let (_, length) = Rfh2::decode_in(&message.body, part(&message)).unwrap();
        let folder: Vec<u8> = "<usr><colour>red</colour></usr>".encode_utf16().flat_map(u16::to_be_bytes).collect();
        let mut body = message.body[..Rfh2::FIXED_LENGTH].to_vec();
        body[32..36].copy_from_slice(&1200_u32.to_be_bytes());
        body.extend(u32::try_from(folder.len()).unwrap().to_be_bytes());
        body.extend(&folder);
        let whole = u32::try_from(body.len()).unwrap();
        body[8..12].copy_from_slice(&whole.to_be_bytes());
        body.extend(&message.body[length..]);
        message.body = Bytes::from(body);
        assert_eq!(carried(&message, "colour"), [property("colour", "red")]);
    }
}
