//! Any bytes are read as an envelope without a panic, and what is read is the same message when it was shown and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use message_api::content::Content;
use message_api::copybooks::NoCopybooks;
use message_api::incoming::{BodyForm, Incoming, Told};
use message_api::outgoing::read_envelope;
use model::message::Message;
use model::timestamp::Timestamp;

const NOW: Timestamp = Timestamp(1_795_219_200_000_000);

fn read(bytes: &[u8]) -> Option<Message> {
    Some(read_envelope(bytes, NOW, &NoCopybooks).ok()?.into_message())
}

fn show(message: &Message, body: BodyForm) -> Vec<u8> {
    let content = Content::of(message);
    let told = Told { now: NOW, body, ..Told::default() };
    serde_json::to_vec(&Incoming { message, content: &content, told }).expect("it serialises")
}

fuzz_target!(|bytes: &[u8]| {
    let Some(mut message) = read(bytes) else { return };
    for body in [BodyForm::Text, BodyForm::Base64, BodyForm::Preview, BodyForm::None] {
        serde_json::from_slice::<serde_json::Value>(&show(&message, body)).expect("what is shown is JSON");
    }
    // As the queue manager completes it.
    message.descriptor.priority = message.descriptor.priority.max(0);
    let shown = show(&message, BodyForm::Raw);
    let again = read(&shown).unwrap_or_else(|| panic!("not read again: {}", String::from_utf8_lossy(&shown)));
    assert_eq!(again.descriptor.message_id, message.descriptor.message_id);
    assert_eq!(again.descriptor.correlation_id, message.descriptor.correlation_id);
});
