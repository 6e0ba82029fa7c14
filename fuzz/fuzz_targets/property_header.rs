//! Folders of properties and JMS text messages: never a panic, and properties survive being written.
#![no_main]

use libfuzzer_sys::fuzz_target;
use model::descriptor::{Ccsid, Format, MessageDescriptor};
use model::jms::TextMessage;
use model::property::{read_folder, write_folder};

fuzz_target!(|bytes: &[u8]| {
    let descriptor = MessageDescriptor {
        format: Format::RF_HEADER_2,
        encoding: TextMessage::BODY_ENCODING,
        ccsid: Ccsid::UTF_8,
        ..Default::default()
    };
    let _ = TextMessage::decode(&descriptor, bytes);
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok((folder, properties)) = read_folder(text) else { return };
    let written = write_folder(&folder, properties.iter().map(|property| (&*property.name, &property.value)));
    let (name, back) = read_folder(&written).expect("what was written can be read");
    assert_eq!((name, back.len()), (folder, properties.len()));
});
