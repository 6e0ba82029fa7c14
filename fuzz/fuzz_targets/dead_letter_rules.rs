//! Any rules table is read without a panic, and its rules can be held against a message.

#![no_main]

use command::dead_letter::RulesTable;
use libfuzzer_sys::fuzz_target;
use model::descriptor::{Encoding, MessageDescriptor};
use model::header::dead_letter::DeadLetterHeader;

fuzz_target!(|input: (&str, Vec<u8>)| {
    let (text, mut bytes) = input;
    let Ok(table) = RulesTable::parse(text) else { return };
    bytes.resize(DeadLetterHeader::LENGTH, b' ');
    bytes[..8].copy_from_slice(b"DLH \0\0\0\x01");
    if let Ok(header) = DeadLetterHeader::decode(&bytes, Encoding::BIG_ENDIAN) {
        table.find(0, &header, &MessageDescriptor::default());
    }
});
