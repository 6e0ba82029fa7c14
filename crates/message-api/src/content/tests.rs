use model::header::dead_letter::DeadLetterHeader;
use model::message::Message;

use super::*;
use crate::outgoing::Outgoing;

fn message(content_type: Option<&str>, data: &'static [u8]) -> Message {
    let mut outgoing = Outgoing::default();
    outgoing.set_body(content_type, Bytes::from_static(data)).expect("it is of its type");
    outgoing.into_message()
}

#[test]
fn json_and_text_need_no_property() {
    for (content_type, data) in
        [("application/json", &b"{\"a\":1}"[..]), ("text/plain", b"hello"), ("text/plain; charset=UTF-8", b"hello")]
    {
        let message = message(Some(content_type), data);
        assert_eq!((message.descriptor.format, &message.body[..]), (Format::STRING, data));
        assert_eq!(Content::of(&message).content_type(), MediaType::of(content_type).essence);
    }
}

#[test]
fn another_content_type_comes_back_as_it_was_given() {
    for (content_type, data) in [
        ("application/xml", &b"<a/>"[..]),
        ("application/json", b"not JSON"),
        ("text/plain", b"{\"a\":1}"),
        ("application/cloudevents+json; v=1", b"{}"),
        ("image/png", b"\x89PNG\xff\x00"),
    ] {
        let message = message(Some(content_type), data);
        assert_eq!(message.descriptor.format, Format::RF_HEADER_2, "{content_type}");
        let content = Content::of(&message);
        assert_eq!((content.content_type(), &content.data[..]), (content_type, data));
        assert_eq!((content.properties, content.headers), (Vec::new(), Vec::new()));
    }
}

#[test]
fn binary_has_no_format_and_is_kept_byte_for_byte() {
    let message = message(None, b"\x00\xff\x80");
    assert_eq!((message.descriptor.format, &message.body[..]), (Format::NONE, &b"\x00\xff\x80"[..]));
    assert_eq!(Content::of(&message).content_type(), BINARY);
}

#[test]
fn text_in_a_character_set_that_was_named_is_kept_in_it() {
    let message = message(Some("text/plain; charset=ibm1047"), b"\xc8\x85\x93\x93\x96");
    assert_eq!(message.descriptor.ccsid, Ccsid(1047));
    assert_eq!(Content::of(&message).text().as_deref(), Some("Hello"));
}

#[test]
fn what_is_not_of_its_type_is_refused() {
    assert_eq!(typed(Some("text/plain; charset=klingon"), None, b""), Err(NotOfType::Charset("klingon".to_owned())));
    assert_eq!(typed(Some("text/plain"), None, b"\xff"), Err(NotOfType::Text("utf-8".to_owned())));
}

#[test]
fn headers_are_taken_off_one_behind_the_other() {
    let header = DeadLetterHeader {
        reason: 2053,
        destination_queue: model::text::Text::new("ORDERS"),
        destination_queue_manager: model::text::Text::new("QM1"),
        encoding: Encoding::BIG_ENDIAN,
        ccsid: Ccsid::UTF_8,
        format: Format::RF_HEADER_2,
        put_application_type: 6,
        put_application_name: model::text::Text::new("test"),
        put_date: model::text::Text::new("20261121"),
        put_time: model::text::Text::new("10203040"),
    };
    let inner = message(Some("application/xml"), b"<a/>");
    let mut body = Vec::new();
    header.encode(Encoding::LITTLE_ENDIAN, &mut body);
    let written = body.clone();
    body.extend_from_slice(&inner.body);
    let descriptor = MessageDescriptor {
        format: Format::DEAD_LETTER_HEADER,
        encoding: Encoding::LITTLE_ENDIAN,
        ..MessageDescriptor::default()
    };
    let content = Content::of(&Message { descriptor, body: body.into() });
    let [Header::Fixed(header)] = content.headers.as_slice() else { panic!("{:?}", content.headers) };
    assert_eq!((header.layout().structure, header.as_bytes()), ("MQDLH", &written[..]));
    assert_eq!((content.content_type(), &content.data[..]), ("application/xml", &b"<a/>"[..]));
}

#[test]
fn a_damaged_header_is_data() {
    let descriptor = MessageDescriptor { format: Format::RF_HEADER_2, ..MessageDescriptor::default() };
    let content = Content::of(&Message { descriptor, body: Bytes::from_static(b"RFH garbage") });
    assert_eq!((content.format, &content.data[..]), (Format::RF_HEADER_2, &b"RFH garbage"[..]));
}
