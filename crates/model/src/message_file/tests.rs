use super::*;
use crate::descriptor::{Ccsid, Format, MessageDescriptor, Persistence};
use crate::identifier::{CorrelationId, GroupId, MessageId};
use crate::name::ObjectName;
use crate::text::Text;

fn read(text: &[u8]) -> Result<Vec<FileMessage>, MessageFileError> {
    let mut reader = Reader::default();
    let mut found = Vec::new();
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    for line in text.split(|&byte| byte == b'\n') {
        found.extend(reader.line(line)?);
    }
    found.extend(reader.finish()?);
    Ok(found)
}

fn full() -> MessageDescriptor {
    MessageDescriptor {
        ccsid: Ccsid(1208),
        format: Format::STRING,
        priority: 4,
        persistence: Persistence::Persistent,
        message_id: MessageId::new([0xA1; 24]),
        correlation_id: CorrelationId::new([0x07; 24]),
        backout_count: 2,
        reply_to_queue: ObjectName::parse("REPLIES").expect("a name"),
        user_identifier: Text::new("app"),
        application_identity_data: Text::from_bytes([0xFF; 32]),
        put_application_type: 6,
        put_application_name: Text::new("a program"),
        put_date: Text::new("20260131"),
        put_time: Text::new("12595999"),
        application_origin_data: Text::new("x"),
        group_id: GroupId::new([3; 24]),
        message_sequence_number: 7,
        ..MessageDescriptor::default()
    }
}

#[test]
fn every_style_but_text_gives_back_what_was_written() {
    let every_byte: Vec<u8> = (0..=255).chain(*b"\"~ and text\r\n~").collect();
    for data in [Data::Hexadecimal, Data::Invariant, Data::Printable] {
        for (columns, index, width) in [(false, false, 25), (true, true, 10), (true, false, 200)] {
            let style = Style { data, columns, index, width, ..Style::default() };
            let mut file = Vec::new();
            write_header("1", "now", "QM1", "Q", &mut file);
            let bodies = [&every_byte[..], b"", b"Hello"];
            for (number, body) in bodies.iter().enumerate() {
                write_message(&full(), body, number as u64 + 1, &style, &mut file);
            }
            let messages = read(&file).expect("what was written can be read");
            assert_eq!(messages.len(), 3);
            for (message, body) in messages.iter().zip(bodies) {
                assert_eq!(message.descriptor, full(), "{data:?}");
                assert_eq!(message.body, body, "{data:?}");
            }
        }
    }
}

#[test]
fn text_lines_end_with_a_line_feed_when_they_are_read() {
    let style = Style { data: Data::Text, descriptor: false, ..Style::default() };
    let mut file = Vec::new();
    write_header("1", "now", "", "", &mut file);
    write_message(&full(), b"one\n\ntwo\n\x00three", 1, &style, &mut file);
    let text = String::from_utf8(file.clone()).expect("text");
    assert!(text.ends_with("\nN\nT one\nT \nT two\nX 007468726565\n\n"), "{text}");
    let messages = read(&file).expect("read");
    assert_eq!(messages[0].body, &b"one\n\ntwo\n\x00three"[..]);
    assert_eq!(messages[0].descriptor, MessageDescriptor::default());
}

/// A file as dmpmqmsg of IBM MQ writes it by default: padded values, hexadecimal data, a blank line after each message.
const FOREIGN: &str = "* DMPMQMSG Version:8.0 Created:Mon Jan  5 10:11:12 2026\n* Qmgr  = QM1\n* Queue = Q1\n\n\
A VER 2\nA RPT 0\nA MST 8\nA EXP -1\nA FDB 0\nA ENC 273\nA CCS 819\nA FMT MQSTR   \nA PRI 3\nA PER 1\n\
A MSI 414D5120514D312020202020202020206F1D5C6501F00040\nA COI 000000000000000000000000000000000000000000000000\n\
A BOC 0\nA RTQ                                                 \nA RTM QM1                                             \n\
A USR mqm         \nA ACC 0431303031000000000000000000000000000000000000000000000000000006\n\
A AIX 2020202020202020202020202020202020202020202020202020202020202020\nA PAT 6\nA PAN amqsput                     \n\
A PTD 20260105\nA PTT 10111234\nA AOX 20202020\nA GRP 000000000000000000000000000000000000000000000000\nA MSQ 1\nA OFF 0\n\
A MSF 0\nA ORL -1\nX 48656C6C6F\n\nA VER 1\nA FMT MQSTR\nS \"a ~\"b~\" ~~\"\nX 00FF   <..>\n";

#[test]
fn a_file_of_ibm_mq_is_read() {
    for text in [FOREIGN.to_owned(), FOREIGN.replace('\n', "\r\n"), FOREIGN.replace("DMPMQMSG", "QLOAD")] {
        let messages = read(text.as_bytes()).expect("read");
        let [first, second] = messages.as_slice() else { panic!("two messages: {messages:?}") };
        assert_eq!(first.body, &b"Hello"[..]);
        assert_eq!((first.descriptor.ccsid, first.descriptor.priority), (Ccsid(819), 3));
        assert_eq!(first.descriptor.message_id.to_string(), "414d5120514d312020202020202020206f1d5c6501f00040");
        assert_eq!(first.descriptor.put_application_name.to_text(), "amqsput");
        assert_eq!(first.descriptor.reply_to_queue_manager.as_str(), "QM1");
        assert_eq!(second.body, &b"a \"b\" ~\x00\xFF"[..]);
        assert_eq!(second.descriptor.format, Format::STRING);
    }
}

#[test]
fn what_cannot_be_meant_is_refused_with_its_line() {
    for (lines, said) in [
        (
            "hello",
            "line 1: this is not a file of messages, expected a first line that begins with * DMPMQMSG or * QLOAD",
        ),
        ("AMQSBCG0 - starts here", "line 1: this is the output of amqsbcg, expected a file that dmpmqmsg wrote"),
        ("* QLOAD\nX 00", "line 2: expected a message, which begins with a line A or N"),
        ("* QLOAD\nA VER 2\nN\nX 00", "line 3: expected a line of data (X, S or T) before the next message"),
        ("* QLOAD\nA VER 2", "line 2: expected a line of data (X, S or T) before the next message"),
        ("* QLOAD\nA ZZZ 2", "line 2: 'ZZZ' is not a field of a message descriptor"),
        ("* QLOAD\nA", "line 2: '' is not a field of a message descriptor"),
        ("* QLOAD\nA PRI two", "line 2: expected a whole number"),
        ("* QLOAD\nA MSI 0", "line 2: expected pairs of hexadecimal digits"),
        ("* QLOAD\nA FMT MQSTRINGS", "line 2: the value is longer than 8 characters"),
        ("* QLOAD\nN\nX 0G", "line 3: expected pairs of hexadecimal digits"),
        ("* QLOAD\nN\nS \"a", "line 3: expected an end quote"),
        ("* QLOAD\nN\nS \"~a\"", "line 3: expected a quote or a tilde after a tilde"),
        ("* QLOAD\nN\nhello", "line 3: expected a line that begins with A, N, X, S, T or *"),
    ] {
        let error = read(lines.as_bytes()).expect_err(lines);
        assert_eq!(error.to_string(), said, "{lines}");
    }
    let error = read(b"* QLOAD\nA PER 9\nX 00").expect_err("no persistence");
    assert!(error.to_string().starts_with("line 3: the message descriptor is not valid: "), "{error}");
    assert_eq!(read(b"* QLOAD\n\n* nothing\n").expect("no messages"), []);
}
