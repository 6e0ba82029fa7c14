//! Headers before the data: what a reader is shown is written again byte for byte.

use bytes::Bytes;
use expect_test::{Expect, expect};
use message_api::content::{Content, Header};
use message_api::copybooks::NoCopybooks;
use message_api::incoming::{BodyForm, Incoming, Told};
use message_api::outgoing::{Outgoing, read_envelope};
use model::descriptor::{Ccsid, Encoding, Format, MessageDescriptor};
use model::header::fixed::{FixedHeader, Part, layouts_of};
use model::header::layout::Kind;
use model::header::rfh2::Rfh2;
use model::message::Message;
use model::timestamp::Timestamp;
use proptest::prelude::*;

const NOW: Timestamp = Timestamp(1_795_219_200_000_000);
const FORMATS: [Format; 6] = [
    Format::DEAD_LETTER_HEADER,
    Format::XMIT_QUEUE_HEADER,
    Format::MD_EXTENSION,
    Format::IMS,
    Format::CICS,
    Format::RF_HEADER_2,
];

fn shown(message: &Message) -> String {
    let content = Content::of(message);
    let told = Told { now: NOW, body: BodyForm::Base64, ..Told::default() };
    serde_json::to_string(&Incoming { message, content: &content, told }).expect("it serialises")
}

fn read(envelope: &str) -> Result<Message, String> {
    let read = read_envelope(envelope.as_bytes(), NOW, &NoCopybooks);
    read.map(Outgoing::into_message).map_err(|error| error.to_string())
}

/// One header of a chain, as a test draws it.
#[derive(Debug, Clone)]
struct Drawn {
    format: Format,
    is_old: bool,
    part: Part,
    inherits: bool,
    bytes: Vec<u8>,
    folders: Vec<String>,
}

fn parts() -> impl Strategy<Value = Part> {
    let ccsid = prop::sample::select(vec![1208, 819, 37, 500, 1047, 273, 1200]);
    let encoding = prop::sample::select(vec![Encoding::LITTLE_ENDIAN, Encoding::BIG_ENDIAN, Encoding::Z_OS]);
    (ccsid, encoding).prop_map(|(ccsid, encoding)| Part { ccsid: Ccsid(ccsid), encoding })
}

fn folders() -> impl Strategy<Value = Vec<String>> {
    let folder = prop_oneof![
        "<jms><Dst>queue:///[A-Z]{1,8}</Dst><Tms>[0-9]{1,9}</Tms></jms>",
        "<(a|b)><x dt='i4'>[0-9]{1,5}</x><y>[a-z ]{0,9}</y></(a|b)>",
        Just("<c/>".to_owned()),
        "<d>[a-z<>&]{0,9}",
    ];
    prop::collection::vec(folder, 1..3)
}

prop_compose! {
    fn drawn()(
        format in prop::sample::select(FORMATS.to_vec()), is_old in any::<bool>(), part in parts(), inherits in any::<bool>(),
        // Mostly characters that any of the sets has.
        bytes in prop::collection::vec(prop_oneof![3 => Just(0x40), 2 => Just(b' '), 3 => 0xc1..=0xc9_u8, 3 => b'A'..=b'Z', 1 => any::<u8>()], 180),
        folders in folders(),
    ) -> Drawn {
        Drawn { format, is_old, part, inherits, bytes, folders }
    }
}

/// The bytes of a chain before data of this format and part, and what the descriptor says.
fn written(chain: &[Drawn], data: (Format, Part, &[u8])) -> Message {
    let (mut format, mut part, data) = data;
    let mut pieces = vec![data.to_vec()];
    for drawn in chain.iter().rev() {
        let mut piece = Vec::new();
        if drawn.format == Format::RF_HEADER_2 {
            let folders = drawn.folders.clone();
            let inherits = drawn.inherits && drawn.part.ccsid == part.ccsid;
            let ccsid = if inherits { Ccsid::INHERIT } else { part.ccsid };
            Rfh2 { encoding: part.encoding, ccsid, format, flags: 0, folders }.encode_in(drawn.part, &mut piece);
            part = drawn.part;
        } else {
            let layouts = layouts_of(drawn.format);
            let layout = if drawn.is_old { layouts.last() } else { layouts.first() }.expect("a layout");
            let own = if layout.next_inherits() { part } else { drawn.part };
            let mut header = FixedHeader::new(layout, own);
            let mut at = 0;
            for field in layout.fields {
                if !matches!(field.kind, Kind::Constant(_) | Kind::Mark(_)) {
                    let width = field.kind.width();
                    let bytes: Vec<u8> = drawn.bytes.iter().cycle().skip(at).take(width).copied().collect();
                    assert!(header.set_bytes(field, &bytes));
                    at += width;
                }
            }
            header.announce(format, part, drawn.inherits.then_some(Ccsid::INHERIT));
            piece.extend_from_slice(header.as_bytes());
            part = own;
        }
        format = drawn.format;
        pieces.push(piece);
    }
    let body: Vec<u8> = pieces.into_iter().rev().flatten().collect();
    let descriptor = MessageDescriptor {
        format,
        ccsid: part.ccsid,
        encoding: part.encoding,
        priority: 0,
        ..MessageDescriptor::default()
    };
    Message { descriptor, body: body.into() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn any_chain_of_headers_is_written_again_byte_for_byte(
        chain in prop::collection::vec(drawn(), 1..5), part in parts(), format in "[A-Z]{0,8}",
        data in prop::collection::vec(any::<u8>(), 0..40), says_no_set in prop::bool::weighted(0.2),
    ) {
        // In a header, CCSID 0 is that of the header before: all of a message are in it, or none.
        let set = |part: Part| if says_no_set { Part { ccsid: Ccsid::Q_MGR, ..part } } else { part };
        let chain: Vec<Drawn> = chain.into_iter().map(|drawn| Drawn { part: set(drawn.part), ..drawn }).collect();
        let part = set(part);
        // A format that is one of a header would make the data another header.
        let format = Format(model::text::Text::new(&format));
        let message = written(&chain, (format, part, &data));
        let content = Content::of(&message);
        prop_assert_eq!(content.headers.len(), chain.len());
        prop_assert_eq!(&content.data[..], &data[..]);
        let again = read(&shown(&message)).expect("what is shown is read");
        prop_assert_eq!(&again.body, &message.body, "{}", shown(&message));
        prop_assert_eq!(again.descriptor.format, message.descriptor.format);
        prop_assert_eq!(again.descriptor.ccsid, message.descriptor.ccsid);
        prop_assert_eq!(again.descriptor.encoding, message.descriptor.encoding);
    }

    #[test]
    fn no_bytes_behind_the_format_of_a_header_make_a_reader_panic(
        chain in prop::collection::vec(drawn(), 1..4), at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<prop::sample::Index>(),
    ) {
        let part = Part { ccsid: Ccsid::UTF_8, encoding: Encoding::BIG_ENDIAN };
        let mut message = written(&chain, (Format::STRING, part, b"data"));
        let mut body = message.body.to_vec();
        let at = at.index(body.len());
        body[at] = byte;
        body.truncate(cut.index(body.len()) + 1);
        message.body = Bytes::from(body);
        let again = read(&shown(&message));
        if let Ok(again) = again {
            prop_assert_eq!(Content::of(&again).data, Content::of(&message).data);
        }
    }
}

fn check(envelope: &str, expected: Expect) {
    let found = read(envelope).map(|mut message| {
        message.descriptor.priority = 0;
        let value: serde_json::Value = serde_json::from_str(&shown(&message)).expect("JSON");
        serde_json::json!({
            "is": [message.descriptor.format.0.to_text(), message.descriptor.ccsid, message.descriptor.encoding],
            "headers": value["headers"], "properties": value["properties"], "format": value["format"], "ccsid": value["ccsid"],
            "encoding": value["encoding"],
        })
        .to_string()
    });
    expected.assert_eq(&found.unwrap_or_else(|problem| problem));
}

#[test]
fn a_cics_bridge_header_is_put_in_the_character_set_of_its_data() {
    check(
        r#"{"ccsid":37,"encoding":785,"format":"CSQCBDCI","headers":[{"structure":"MQCIH","transactionId":"PAY1","linkType":2,
            "facility":"0102030405060708"}],"body":{"base64":"yIWTk5Y="}}"#,
        expect![[
            r#"{"is":["MQCICS",37,785],"headers":[{"structure":"MQCIH","format":"CSQCBDCI","linkType":2,"facility":"0102030405060708","transactionId":"PAY1"}],"properties":null,"format":"CSQCBDCI","ccsid":37,"encoding":785}"#
        ]],
    );
}

#[test]
fn headers_of_every_structure_are_put_one_before_the_other() {
    check(
        r#"{"ccsid":500,"encoding":785,"properties":{"colour":"red"},"headers":[
            {"structure":"MQDLH","reason":2053,"destinationQueue":"PAY","putAt":"2026-11-23T04:00:00.120Z","writtenIn":{"ccsid":1208,"encoding":546}},
            {"structure":"MQXQH","remoteQueue":"PAY","remoteQueueManager":"MVS1","persistence":"persistent","type":"request","report":["coa"],
             "replyTo":{"queue":"ANSWERS","qmgr":"QM1"},"id":"000102030405060708090a0b0c0d0e0f1011121314151617"},
            {"structure":"MQMDE","sequence":3,"groupId":"000102030405060708090a0b0c0d0e0f1011121314151617"},
            {"structure":"MQRFH2","folders":{"jms":{"Dst":"queue:///PAY"}}},
            {"structure":"MQIIH","commitMode":"1","transactionInstanceId":"000102030405060708090a0b0c0d0e0f"},
            {"structure":"MQCIH","version":1,"function":"LINK"}],"body":{"base64":"AAE="}}"#,
        expect![[
            r#"{"is":["MQDEAD",1208,546],"headers":[{"structure":"MQDLH","reason":2053,"destinationQueue":"PAY","encoding":785,"ccsid":500,"format":"MQXMIT","putAt":"2026-11-23T04:00:00.120Z","writtenIn":{"ccsid":1208,"encoding":546}},{"structure":"MQXQH","remoteQueue":"PAY","remoteQueueManager":"MVS1","report":["coa"],"type":"request","encoding":785,"ccsid":500,"format":"MQHMDE","persistence":"persistent","id":"000102030405060708090a0b0c0d0e0f1011121314151617","replyTo":{"queue":"ANSWERS","qmgr":"QM1"}},{"structure":"MQMDE","encoding":273,"ccsid":1208,"format":"MQHRF2","groupId":"000102030405060708090a0b0c0d0e0f1011121314151617","sequence":3},{"structure":"MQRFH2","folders":{"jms":{"Dst":"queue:///PAY"}}},{"structure":"MQIIH","format":"MQCICS","transactionInstanceId":"000102030405060708090a0b0c0d0e0f","commitMode":"1"},{"structure":"MQCIH","version":1,"format":"","function":"LINK"}],"properties":{"colour":"red"},"format":null,"ccsid":500,"encoding":785}"#
        ]],
    );
}

#[test]
fn a_mistake_in_a_header_names_it_and_its_member() {
    let header =
        |members: &str| format!(r#"{{"headers":[{{"structure":"MQDLH"}},{{{members}}}],"body":{{"text":"a"}}}}"#);
    check(
        &header(r#""structure":"MQABC""#),
        expect![
            "the header headers[1] has the structure 'MQABC'; expected MQDLH, MQXQH, MQMDE, MQRFH2, MQIIH or MQCIH"
        ],
    );
    check(
        &header(r#""structure":"MQCIH","transaction":"A""#),
        expect!["the header headers[1] has the member 'transaction', which MQCIH has not"],
    );
    check(
        &header(r#""structure":"MQCIH","transactionId":"LONGER""#),
        expect![[
            r#"the header headers[1] has 'transactionId' as "LONGER"; expected at most 4 bytes of text in CCSID 1208, or {"hex": all of them}"#
        ]],
    );
    check(
        &header(r#""structure":"MQCIH","version":3"#),
        expect!["the header headers[1] has the version 3, which is not known"],
    );
    check(
        &header(r#""structure":"MQIIH","transactionInstanceId":"00""#),
        expect![[r#"the header headers[1] has 'transactionInstanceId' as "00"; expected 32 hexadecimal digits"#]],
    );
    check(
        &header(r#""structure":"MQDLH","reason":"full""#),
        expect![[r#"the header headers[1] has 'reason' as "full"; expected a whole number of 32 bits, or its word"#]],
    );
    check(
        &header(r#""structure":"MQDLH","ccsid":37"#),
        expect!["the header headers[1] has the ccsid 37, and what follows has 1208: leave ccsid out, or change it"],
    );
    check(
        &header(r#""structure":"MQDLH","format":"MQEVENT""#),
        expect![[
            r#"the header headers[1] has the format "MQEVENT", and what follows has 'MQSTR': leave format out, or change it"#
        ]],
    );
    check(
        &header(r#""structure":"MQIIH","writtenIn":{"ccsid":37,"encoding":785}"#),
        expect!["the header headers[1] has writtenIn, and MQIIH is written as what follows: leave it out"],
    );
    check(
        &header(r#""structure":"MQRFH2","folders":{"a b":{"c":1}}"#),
        expect!["the header headers[1] has a folder with a name or a value that no folder has"],
    );
}

#[test]
fn a_chain_is_shown_up_to_sixteen_headers() {
    let drawn = Drawn {
        format: Format::DEAD_LETTER_HEADER,
        is_old: false,
        part: Part { ccsid: Ccsid::UTF_8, encoding: Encoding::BIG_ENDIAN },
        inherits: false,
        bytes: vec![b' '; 180],
        folders: Vec::new(),
    };
    let part = drawn.part;
    let message = written(&vec![drawn; 20], (Format::STRING, part, b"data"));
    let content = Content::of(&message);
    assert_eq!((content.headers.len(), content.data.len()), (16, 4 * 172 + 4));
    assert!(matches!(&content.headers[0], Header::Fixed(header) if header.layout().structure == "MQDLH"));
}
