//! Chains of headers: any bytes are shown without a panic, and what is shown is written again with the same data behind it.

#![no_main]

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use message_api::content::Content;
use message_api::copybooks::NoCopybooks;
use message_api::incoming::{BodyForm, Incoming, Told};
use message_api::outgoing::read_envelope;
use model::descriptor::{Ccsid, Encoding, Format, MessageDescriptor};
use model::header::fixed::{FixedHeader, Part};
use model::message::Message;
use model::timestamp::Timestamp;

const NOW: Timestamp = Timestamp(1_795_219_200_000_000);
const FORMATS: [Format; 6] = [
    Format::DEAD_LETTER_HEADER,
    Format::XMIT_QUEUE_HEADER,
    Format::MD_EXTENSION,
    Format::IMS,
    Format::CICS,
    Format::RF_HEADER_2,
];

fuzz_target!(|input: (u8, u16, bool, &[u8])| {
    let (format, ccsid, is_little, bytes) = input;
    let format = FORMATS[usize::from(format) % FORMATS.len()];
    let encoding = if is_little { Encoding::LITTLE_ENDIAN } else { Encoding::BIG_ENDIAN };
    let part = Part { ccsid: Ccsid(ccsid.into()), encoding };
    if let Ok(header) = FixedHeader::decode(format, bytes, part) {
        assert!(bytes.starts_with(header.as_bytes()));
    }
    let descriptor =
        MessageDescriptor { format, ccsid: part.ccsid, encoding, priority: 0, ..MessageDescriptor::default() };
    let message = Message { descriptor, body: Bytes::copy_from_slice(bytes) };
    let content = Content::of(&message);
    let told = Told { now: NOW, body: BodyForm::Base64, ..Told::default() };
    let shown = serde_json::to_vec(&Incoming { message: &message, content: &content, told }).expect("it serialises");
    if let Ok(again) = read_envelope(&shown, NOW, &NoCopybooks) {
        let again = again.into_message();
        assert!(again.body.ends_with(&content.data));
    }
});
