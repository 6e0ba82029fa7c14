//! Any file of messages is read without a panic, and what is read can be written and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use model::message_file::{FileMessage, Reader, Style, write_header, write_message};

fn read(bytes: &[u8]) -> Option<Vec<FileMessage>> {
    let mut reader = Reader::default();
    let mut found = Vec::new();
    for line in bytes.split(|&byte| byte == b'\n') {
        found.extend(reader.line(line).ok()?);
    }
    found.extend(reader.finish().ok()?);
    Some(found)
}

fuzz_target!(|bytes: &[u8]| {
    let Some(messages) = read(bytes) else { return };
    let mut file = Vec::new();
    write_header("1", "now", "", "", &mut file);
    for message in &messages {
        write_message(&message.descriptor, &message.body, 1, &Style::default(), &mut file);
    }
    let again = read(&file).expect("what was written can be read");
    assert_eq!(again.len(), messages.len());
    for (message, again) in messages.iter().zip(&again) {
        assert_eq!(message.body, again.body);
        assert_eq!(message.descriptor.message_id, again.descriptor.message_id);
    }
});
