//! Headers with fixed fields, and data conversion through a chain of them.
#![no_main]

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use model::conversion::convert;
use model::descriptor::{Ccsid, Encoding, Format, MessageDescriptor};
use model::descriptor_codec;
use model::header::dead_letter::DeadLetterHeader;
use model::header::transmission::TransmissionHeader;
use model::header::trigger::TriggerMessage;
use model::options::ConversionTarget;

fuzz_target!(|input: (u8, u16, u16, bool, &[u8])| {
    let (format, from, to, little_endian, bytes) = input;
    let encoding = if little_endian { Encoding::LITTLE_ENDIAN } else { Encoding::BIG_ENDIAN };
    if let Ok(header) = DeadLetterHeader::decode(bytes, encoding) {
        let mut out = Vec::new();
        header.encode(encoding, &mut out);
        assert_eq!(out, bytes[..DeadLetterHeader::LENGTH]);
    }
    let _ = TransmissionHeader::decode(bytes, encoding);
    let _ = TriggerMessage::decode(bytes, encoding);
    let _ = descriptor_codec::decode(bytes, encoding);

    let formats = [
        Format::STRING,
        Format::DEAD_LETTER_HEADER,
        Format::XMIT_QUEUE_HEADER,
        Format::MD_EXTENSION,
        Format::RF_HEADER_2,
        Format::TRIGGER,
    ];
    let format = formats[usize::from(format) % formats.len()];
    let descriptor = MessageDescriptor { format, ccsid: Ccsid(from.into()), encoding, ..Default::default() };
    let target = ConversionTarget { ccsid: Ccsid(to.into()), encoding: Encoding::LITTLE_ENDIAN };
    let _ = convert(&descriptor, &Bytes::copy_from_slice(bytes), target);
});
