//! Put, get, browse and publish: headers, bodies, formats, errors; section 1 of the reference row by row.

use expect_test::expect;
use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity};
use model::descriptor::{Ccsid, Encoding, Format, MessageDescriptor, Persistence};
use model::identifier::CorrelationId;
use model::jms::{JmsFields, TextMessage};
use model::name::QueueName;
use model::property::{Property, PropertyValue};

use super::server::{TestServer, server_user};
use super::{check, check_on, client};

fn text_descriptor() -> MessageDescriptor {
    MessageDescriptor { format: Format::STRING, ccsid: Ccsid::UTF_8, ..MessageDescriptor::default() }
}

#[test]
fn what_is_put_is_browsed_and_got_once() {
    check(
        "POST v1/queue/Q/message\n\nhello\n>>\nGET v1/queue/Q/message\n>>\nDELETE v1/queue/Q/message\n>>\nDELETE v1/queue/Q/message",
        expect![[r#"
            201
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: <id>
            200
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: <id>
              ibm-mq-md-expiry: unlimited
              ibm-mq-md-persistence: nonPersistent
              | hello
            200
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: <id>
              ibm-mq-md-expiry: unlimited
              ibm-mq-md-persistence: nonPersistent
              | hello
            204
        "#]],
    );
}

#[test]
fn v3_writes_identifiers_with_a_prefix_and_shows_the_priority() {
    check(
        "POST v3/queue/Q/message\n\nhello\n>>\nDELETE v3/queue/Q/message",
        expect![[r#"
        201
          content-type: text/plain; charset=utf-8
          ibm-mq-md-messageid: ID:<id>
        200
          content-type: text/plain; charset=utf-8
          ibm-mq-md-messageid: ID:<id>
          ibm-mq-md-expiry: unlimited
          ibm-mq-md-persistence: nonPersistent
          ibm-mq-md-priority: 0
          | hello
    "#]],
    );
}

#[test]
fn every_header_of_a_put_comes_back() {
    let headers = "ibm-mq-md-correlationId: 000102030405060708090A0B0C0D0E0F1011121314151617\nibm-mq-md-expiry: 99999999900\n\
        ibm-mq-md-persistence: persistent\nibm-mq-md-replyTo: R.Q@QM9";
    let script = format!("POST v2/queue/Q/message\n{headers}\n\nx\n>>\nGET v2/queue/Q/message");
    let server = TestServer::start();
    let shown = client::plain(&server).run(&script);
    let lines: Vec<_> = shown.lines().filter(|line| !line.contains("ibm-mq-md-expiry")).collect();
    expect![[r#"
        201
          content-type: text/plain; charset=utf-8
          ibm-mq-md-messageid: <id>
        200
          content-type: text/plain; charset=utf-8
          ibm-mq-md-messageid: <id>
          ibm-mq-md-correlationid: 000102030405060708090a0b0c0d0e0f1011121314151617
          ibm-mq-md-persistence: persistent
          ibm-mq-md-replyto: R.Q@QM9
          | x"#]]
    .assert_eq(&lines.join("\n"));
    let expiry = shown.lines().find_map(|line| line.trim().strip_prefix("ibm-mq-md-expiry: ")).expect("an expiry");
    let left: u64 = expiry.parse().expect("a number");
    assert!((99_999_900_000..=99_999_999_900).contains(&left), "{left}");
}

#[test]
fn v3_takes_priorities_properties_and_correlation_texts_as_a_jms_text_message() {
    check(
        "POST v3/queue/Q/message\nibm-mq-md-priority: 7\nibm-mq-md-correlationId: order 17\n\
         ibm-mq-usr: colour;string;\"red, green\",size;integer;5\n\nhello\n>>\nGET v3/queue/Q/messagelist\n>>\n\
         GET v3/queue/Q/message\n>>\nGET v1/queue/Q/message\n>>\nDELETE v3/queue/Q/message?correlationId=order+17",
        expect![[r#"
            201
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: ID:<id>
            200
              content-type: application/json; charset=utf-8
              | {"messages": [{
              |   "correlationId": "order 17",
              |   "format": "MQHRF2",
              |   "messageId": "ID:<id>"
              | }]}
            200
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: ID:<id>
              ibm-mq-md-correlationid: order 17
              ibm-mq-md-expiry: unlimited
              ibm-mq-md-persistence: nonPersistent
              ibm-mq-md-priority: 7
              ibm-mq-usr: colour;string;"red, green",size;integer;5
              | hello
            200
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: <id>
              ibm-mq-md-correlationid: 6f7264657220313700000000000000000000000000000000
              ibm-mq-md-expiry: unlimited
              ibm-mq-md-persistence: nonPersistent
              | hello
            200
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: ID:<id>
              ibm-mq-md-correlationid: order 17
              ibm-mq-md-expiry: unlimited
              ibm-mq-md-persistence: nonPersistent
              ibm-mq-md-priority: 7
              ibm-mq-usr: colour;string;"red, green",size;integer;5
              | hello
        "#]],
    );
}

#[test]
fn a_prefixed_correlation_id_of_v3_stays_plain_text_format() {
    check(
        "POST v3/queue/Q/message\nibm-mq-md-correlationId: ID:000102030405060708090a0b0c0d0e0f1011121314151617\n\nx\n>>\n\
         GET v3/queue/Q/messagelist",
        expect![[r#"
            201
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: ID:<id>
            200
              content-type: application/json; charset=utf-8
              | {"messages": [{
              |   "correlationId": "ID:000102030405060708090a0b0c0d0e0f1011121314151617",
              |   "format": "MQSTR",
              |   "messageId": "ID:<id>"
              | }]}
        "#]],
    );
}

#[test]
fn media_types_and_character_sets_are_checked() {
    check(
        "POST v1/queue/Q/message\ncontent-type: Text/HTML; Charset=\"UTF-8\"\n\nx\n>>\n\
         POST v1/queue/Q/message\ncontent-type: application/json;charset=utf-8\n\n{}\n>>\n\
         POST v1/queue/Q/message\ncontent-type: text/xml\n\n<a/>\n>>\n\
         POST v1/queue/Q/message\ncontent-type: application/xml\n\n<a/>\n>>\n\
         POST v1/queue/Q/message\n-content-type\n\nx\n>>\n\
         POST v1/queue/Q/message\ncontent-type: application/octet-stream\n\nx\n>>\n\
         POST v1/queue/Q/message\ncontent-type: text/plain;charset=iso-8859-1\n\nx",
        expect![[r#"
            201
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: <id>
            201
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: <id>
            201
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: <id>
            201
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: <id>
            415
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0306E: The media type '' is not supported for this request: expected text/plain, text/html, text/xml, application/json, application/xml.
            415
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0306E: The media type 'application/octet-stream' is not supported for this request: expected text/plain, text/html, text/xml, application/json, application/xml.
            400
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0305E: The character set of the request is not acceptable: 'iso-8859-1'.
        "#]],
    );
}

#[test]
fn bytes_that_are_not_utf_8_are_refused() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    let credentials = client::basic("app", "secret");
    let head = format!(
        "POST /ibmmq/rest/v1/messaging/qmgr/QM1/queue/Q/message HTTP/1.1\r\nhost: x\r\n{credentials}\r\n\
         ibm-mq-rest-csrf-token:\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\n"
    );
    client.stream.write_all(&[head.as_bytes(), &[0xC3, 0x28]].concat()).unwrap();
    let answer = client.receive(false);
    assert_eq!((answer.status, &*answer.error_id()), (400, "MQWB0305E"));
    assert_eq!(server.status("Q").depth.current, 0);
}

#[test]
fn an_empty_body_is_a_message_of_no_length() {
    check(
        "POST v1/queue/Q/message\n>>\nDELETE v1/queue/Q/message",
        expect![[r#"
        201
          content-type: text/plain; charset=utf-8
          ibm-mq-md-messageid: <id>
        200
          content-type: text/plain; charset=utf-8
          ibm-mq-md-messageid: <id>
          ibm-mq-md-expiry: unlimited
          ibm-mq-md-persistence: nonPersistent
    "#]],
    );
}

#[test]
fn bad_header_values_are_named() {
    check(
        "POST v1/queue/Q/message\nibm-mq-md-correlationId: 12\n\nx\n>>\n\
         POST v1/queue/Q/message\nibm-mq-md-expiry: soon\n\nx\n>>\n\
         POST v1/queue/Q/message\nibm-mq-md-persistence: Persistent\n\nx\n>>\n\
         POST v3/queue/Q/message\nibm-mq-md-priority: 10\n\nx\n>>\n\
         POST v1/queue/Q/message\nibm-mq-md-priority: 10\n\nx\n>>\n\
         POST v1/queue/Q/message\nibm-mq-md-replyTo: not a queue\n\nx\n>>\n\
         POST v3/queue/Q/message\nibm-mq-usr: JMSX;string;x\n\nx\n>>\n\
         POST v1/queue/Q/message?messageId=1\n\nx",
        expect![[r#"
            400
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0302E: The request header 'ibm-mq-md-correlationId' cannot be set, because '12' is not a valid value: expected 48 hexadecimal digits.
            400
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0302E: The request header 'ibm-mq-md-expiry' cannot be set, because 'soon' is not a valid value: expected milliseconds from 0 to 99999999900 or unlimited.
            400
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0302E: The request header 'ibm-mq-md-persistence' cannot be set, because 'Persistent' is not a valid value: expected persistent or nonPersistent.
            400
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0302E: The request header 'ibm-mq-md-priority' cannot be set, because '10' is not a valid value: expected 0 to 9 or asDestination.
            201
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: <id>
            400
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0302E: The request header 'ibm-mq-md-replyTo' cannot be set, because 'not a queue' is not a valid value: expected QUEUE or QUEUE@QMGR.
            400
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0302E: The request header 'ibm-mq-usr' cannot be set, because 'JMSX;string;x' is not a valid value: expected name;type;value, several separated by commas, such as colour;string;"red",count;integer;5.
            400
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0903E: The query parameter 'messageId' is unknown to this resource, or is given twice.
        "#]],
    );
}

#[test]
fn an_expiry_of_zero_never_expires_and_message_id_is_no_input() {
    check(
        "POST v1/queue/Q/message\nibm-mq-md-expiry: 0\nibm-mq-md-messageId: 12\n\nx\n>>\nGET v1/queue/Q/message",
        expect![[r#"
            201
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: <id>
            200
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: <id>
              ibm-mq-md-expiry: unlimited
              ibm-mq-md-persistence: nonPersistent
              | x
        "#]],
    );
}

#[test]
fn names_are_decoded_once_and_are_case_sensitive() {
    check(
        "POST v1/queue/A%2FB/message\n\nslash\n>>\nDELETE v1/queue/A%2fB/message\n>>\n\
         POST /ibmmq/rest/v1/messaging/qmgr/Q%4D1/queue/%51/message\n\nx\n>>\n\
         POST v1/queue/q/message\n\nx\n>>\n\
         POST /ibmmq/rest/v1/messaging/qmgr/qm1/queue/Q/message\n\nx\n>>\n\
         POST v1/queue/A%252FB/message\n\nx\n>>\n\
         POST v1/queue/A%20B/message\n\nx\n>>\n\
         POST v1/queue/%FF/message\n\nx",
        expect![[r#"
            201
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: <id>
            200
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: <id>
              ibm-mq-md-expiry: unlimited
              ibm-mq-md-persistence: nonPersistent
              | slash
            201
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: <id>
            404
              content-type: application/json; charset=utf-8
              pcf 2/2085 MQWB0300E: No messaging connection could be made to 'q' on queue manager 'QM1': reason '2085 (MQRC_UNKNOWN_OBJECT_NAME)'.
            404
              content-type: application/json; charset=utf-8
              pcf 2/2058 MQWB0009E: There is no queue manager 'qm1' here.
            404
              content-type: application/json; charset=utf-8
              pcf 2/2085 MQWB0300E: No messaging connection could be made to 'A%2FB' on queue manager 'QM1': reason '2085 (MQRC_UNKNOWN_OBJECT_NAME)'.
            400
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0912E: 'A B' in the URL is not a valid name.
            400
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0912E: '%FF' in the URL is not a valid name.
        "#]],
    );
}

#[test]
fn reasons_become_the_statuses_of_the_reference() {
    check(
        "POST v1/queue/FULL/message\n\nx\n>>\nPOST v1/queue/FULL/message\n\nx\n>>\n\
         POST v1/queue/SMALL/message\n\n12345678901\n>>\n\
         POST v1/queue/NOPUT/message\n\nx\n>>\n\
         POST v1/queue/PRIVATE/message\n\nx\n>>\nDELETE v1/queue/PRIVATE/message\n>>\nGET v1/queue/PRIVATE/message\n>>\n\
         GET v1/queue/PRIVATE/messagelist\n>>\n\
         POST v1/queue/NOWHERE/message\n\nx\n>>\nDELETE v1/queue/NOWHERE/message\n>>\n\
         DELETE v1/queue/NO.SUCH.QUEUE/message\n>>\nGET v1/queue/NO.SUCH.QUEUE/messagelist\n>>\n\
         POST v1/queue/ALIAS/message\n\nby alias\n>>\nDELETE v1/queue/ALIAS/message",
        expect![[r#"
            201
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: <id>
            500
              content-type: application/json; charset=utf-8
              pcf 2/2053 MQWB0303E: The queue manager refused to put to 'FULL': reason '2053 (MQRC_Q_FULL)'.
            400
              content-type: application/json; charset=utf-8
              pcf 2/2030 MQWB0303E: The queue manager refused to put to 'SMALL': reason '2030 (MQRC_MSG_TOO_BIG_FOR_Q)'.
            405
              content-type: application/json; charset=utf-8
              pcf 2/2051 MQWB0303E: The queue manager refused to put to 'NOPUT': reason '2051 (MQRC_PUT_INHIBITED)'.
            403
              content-type: application/json; charset=utf-8
              pcf 2/2035 MQWB0103E: User 'app' is not authorized to put to 'PRIVATE'.
            403
              content-type: application/json; charset=utf-8
              pcf 2/2035 MQWB0103E: User 'app' is not authorized to get from 'PRIVATE'.
            403
              content-type: application/json; charset=utf-8
              pcf 2/2035 MQWB0103E: User 'app' is not authorized to browse from 'PRIVATE'.
            403
              content-type: application/json; charset=utf-8
              pcf 2/2035 MQWB0103E: User 'app' is not authorized to browse from 'PRIVATE'.
            404
              content-type: application/json; charset=utf-8
              pcf 2/2082 MQWB0300E: No messaging connection could be made to 'NOWHERE' on queue manager 'QM1': reason '2082 (MQRC_UNKNOWN_ALIAS_BASE_Q)'.
            404
              content-type: application/json; charset=utf-8
              pcf 2/2082 MQWB0300E: No messaging connection could be made to 'NOWHERE' on queue manager 'QM1': reason '2082 (MQRC_UNKNOWN_ALIAS_BASE_Q)'.
            404
              content-type: application/json; charset=utf-8
              pcf 2/2085 MQWB0300E: No messaging connection could be made to 'NO.SUCH.QUEUE' on queue manager 'QM1': reason '2085 (MQRC_UNKNOWN_OBJECT_NAME)'.
            404
              content-type: application/json; charset=utf-8
              pcf 2/2085 MQWB0300E: No messaging connection could be made to 'NO.SUCH.QUEUE' on queue manager 'QM1': reason '2085 (MQRC_UNKNOWN_OBJECT_NAME)'.
            201
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: <id>
            200
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: <id>
              ibm-mq-md-expiry: unlimited
              ibm-mq-md-persistence: nonPersistent
              | by alias
        "#]],
    );
}

#[test]
fn where_gets_are_inhibited_nothing_is_visible_and_nothing_can_be_got() {
    let server = TestServer::start();
    server.put("Q", text_descriptor(), "x");
    server.alter("Q", |queue| queue.as_local_mut().expect("local").get_inhibited = true);
    check_on(
        &server,
        "DELETE v1/queue/Q/message\n>>\nGET v1/queue/Q/message\n>>\nGET v1/queue/Q/messagelist",
        expect![[r#"
            405
              content-type: application/json; charset=utf-8
              pcf 2/2016 MQWB0303E: The queue manager refused to get from 'Q': reason '2016 (MQRC_GET_INHIBITED)'.
            204
            200
              content-type: application/json; charset=utf-8
              | {"messages": []}
        "#]],
    );
}

#[test]
fn what_is_not_text_stays_on_the_queue_with_its_backout_count() {
    let server = TestServer::start();
    server.put("Q", MessageDescriptor::default(), "bytes");
    check_on(
        &server,
        "DELETE v1/queue/Q/message\n>>\nDELETE v3/queue/Q/message?wait=50\n>>\nGET v1/queue/Q/message\n>>\n\
         GET v3/queue/Q/messagelist",
        expect![[r#"
            501
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0309E: The message '<id>' of format '' is not text and cannot be returned.
            501
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0309E: The message 'ID:<id>' of format '' is not text and cannot be returned.
            501
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0309E: The message '<id>' of format '' is not text and cannot be returned.
            200
              content-type: application/json; charset=utf-8
              | {"messages": [{
              |   "format": "",
              |   "messageId": "ID:<id>"
              | }]}
        "#]],
    );
    assert_eq!(server.status("Q").depth.current, 1);
    let damaged = MessageDescriptor { format: Format::RF_HEADER_2, ..MessageDescriptor::default() };
    server.put("Q.EMPTY", damaged, "no header at all");
    check_on(
        &server,
        "DELETE v1/queue/Q.EMPTY/message",
        expect![[r#"
        501
          content-type: application/json; charset=utf-8
          rest 0/0 MQWB0309E: The message '<id>' of format 'MQHRF2' is not text and cannot be returned.
    "#]],
    );
    assert_eq!(server.status("Q.EMPTY").depth.current, 1);
}

#[test]
fn text_is_converted_to_utf_8_or_stays() {
    let server = TestServer::start();
    let in_page = |ccsid| MessageDescriptor { ccsid: Ccsid(ccsid), ..text_descriptor() };
    server.put("Q", in_page(37), &b"\xC1\xC2\xC3"[..]);
    server.put("Q", MessageDescriptor { encoding: Encoding::BIG_ENDIAN, ..in_page(1200) }, &b"\0A\x20\xAC"[..]);
    server.put("Q", in_page(60_000), "unknown");
    check_on(
        &server,
        "DELETE v1/queue/Q/message\n>>\nDELETE v1/queue/Q/message\n>>\nDELETE v1/queue/Q/message",
        expect![[r#"
            200
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: <id>
              ibm-mq-md-expiry: unlimited
              ibm-mq-md-persistence: nonPersistent
              | ABC
            200
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: <id>
              ibm-mq-md-expiry: unlimited
              ibm-mq-md-persistence: nonPersistent
              | A€
            501
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0913E: The text of message '<id>' cannot be converted from its character set '60000' to UTF-8.
        "#]],
    );
    assert_eq!(server.status("Q").depth.current, 1);
}

#[test]
fn text_that_is_not_in_utf_8_although_it_says_so_stays() {
    let server = TestServer::start();
    server.put("Q", text_descriptor(), &b"\xFF\xFE"[..]);
    check_on(
        &server,
        "GET v1/queue/Q/message\n>>\nDELETE v1/queue/Q/message\n>>\nDELETE v1/queue/Q/message?wait=50",
        expect![[r#"
            501
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0913E: The text of message '<id>' cannot be converted from its character set '1208' to UTF-8.
            501
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0913E: The text of message '<id>' cannot be converted from its character set '1208' to UTF-8.
            501
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0913E: The text of message '<id>' cannot be converted from its character set '1208' to UTF-8.
        "#]],
    );
    assert_eq!(server.status("Q").depth.current, 1);
}

#[test]
fn a_long_correlation_text_passes_over_what_cannot_be_read() {
    let server = TestServer::start();
    let beginning = CorrelationId::new(*b"a-text-longer-than-its-f");
    server.put("Q", MessageDescriptor { correlation_id: beginning, ..MessageDescriptor::default() }, "bytes");
    let mut client = client::plain(&server);
    let text = "a-text-longer-than-its-field";
    for (number, wait) in ["", "&wait=20000"].iter().enumerate() {
        let put = format!("POST v3/queue/Q/message\nibm-mq-md-correlationId: {text}\n\n{number}");
        assert_eq!(client.exchange(&put).status, 201);
        for request in [
            format!("GET v3/queue/Q/message?correlationId={text}"),
            format!("DELETE v3/queue/Q/message?correlationId={text}{wait}"),
        ] {
            let answer = client.exchange(&request);
            assert_eq!((answer.status, answer.text()), (200, number.to_string()), "{request}");
        }
    }
    assert_eq!(client.exchange(&format!("DELETE v3/queue/Q/message?correlationId={text}")).status, 204);
    assert_eq!(server.status("Q").depth.current, 1);
}

#[test]
fn a_jms_text_message_of_another_program_is_read_with_its_properties() {
    let server = TestServer::start();
    let message = TextMessage {
        jms: JmsFields {
            correlation_id: Some("a correlation text longer than its field".to_owned()),
            ..JmsFields::default()
        },
        properties: vec![Property { name: "on".to_owned(), value: PropertyValue::Boolean(true) }],
        text: "hello".to_owned(),
    };
    let descriptor = MessageDescriptor {
        format: Format::RF_HEADER_2,
        encoding: TextMessage::BODY_ENCODING,
        persistence: Persistence::Persistent,
        priority: 3,
        correlation_id: CorrelationId::new(*b"a correlation text longe"),
        reply_to_queue: QueueName::literal("R"),
        ..text_descriptor()
    };
    let mut other = message.clone();
    other.jms.correlation_id = Some("a correlation text longer than that".to_owned());
    server.put("Q", descriptor.clone(), other.encode());
    server.put("Q", descriptor, message.encode());
    let wanted = "correlationId=a%20correlation%20text%20longer%20than%20its%20field";
    check_on(
        &server,
        &format!(
            "GET v3/queue/Q/messagelist?{wanted}\n>>\nGET v3/queue/Q/message?{wanted}\n>>\nDELETE v3/queue/Q/message?{wanted}\n>>\n\
             DELETE v3/queue/Q/message?{wanted}&wait=10\n>>\nDELETE v2/queue/Q/message"
        ),
        expect![[r#"
            200
              content-type: application/json; charset=utf-8
              | {"messages": [{
              |   "correlationId": "a correlation text longer than its field",
              |   "format": "MQHRF2",
              |   "messageId": "ID:<id>"
              | }]}
            200
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: ID:<id>
              ibm-mq-md-correlationid: a correlation text longer than its field
              ibm-mq-md-expiry: unlimited
              ibm-mq-md-persistence: persistent
              ibm-mq-md-priority: 3
              ibm-mq-md-replyto: R@QM1
              ibm-mq-usr: on;boolean;true
              | hello
            200
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: ID:<id>
              ibm-mq-md-correlationid: a correlation text longer than its field
              ibm-mq-md-expiry: unlimited
              ibm-mq-md-persistence: persistent
              ibm-mq-md-priority: 3
              ibm-mq-md-replyto: R@QM1
              ibm-mq-usr: on;boolean;true
              | hello
            204
            200
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: <id>
              ibm-mq-md-correlationid: 6120636f7272656c6174696f6e2074657874206c6f6e6765
              ibm-mq-md-expiry: unlimited
              ibm-mq-md-persistence: persistent
              ibm-mq-md-replyto: R@QM1
              | hello
        "#]],
    );
}

#[test]
fn without_the_web_users_context_the_server_acts() {
    let server = TestServer::start_with(|options| options.messaging.adopt_web_user_context = false);
    check_on(
        &server,
        "POST v1/queue/PRIVATE/message\n\nx\n>>\nDELETE v1/queue/PRIVATE/message",
        expect![[r#"
        201
          content-type: text/plain; charset=utf-8
          ibm-mq-md-messageid: <id>
        200
          content-type: text/plain; charset=utf-8
          ibm-mq-md-messageid: <id>
          ibm-mq-md-expiry: unlimited
          ibm-mq-md-persistence: nonPersistent
          | x
    "#]],
    );
}

#[test]
fn switched_off_the_messaging_resources_are_not_there() {
    let server = TestServer::start_with(|options| options.messaging.enabled = false);
    check_on(
        &server,
        "POST v1/queue/Q/message\n\nx",
        expect![[r#"
        404
          content-type: application/json; charset=utf-8
          rest 0/0 MQWB0911E: The messaging REST API is switched off.
    "#]],
    );
}

#[test]
fn a_stopped_queue_manager_is_unavailable() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    assert_eq!(client.exchange("POST v1/queue/Q/message\n\nx").status, 201);
    server.block_on(server.queue_manager.stop());
    for request in ["POST v1/queue/Q/message\n\nx", "DELETE v1/queue/Q/message", "GET v1/queue/Q/messagelist"] {
        let answer = client.exchange(request);
        assert_eq!((answer.status, &*answer.error_id()), (503, "MQWB0004E"), "{request}");
    }
}

#[test]
fn each_operation_needs_its_own_authority() {
    let server = TestServer::start();
    let may = |authorities| {
        let record = AuthorityRecord {
            profile: "Q".to_owned(),
            object: AuthorityObject::Queue,
            entity: Entity::Principal("other".to_owned()),
            authorities,
        };
        server.block_on(server.queue_manager.set_authority(&server_user(), record)).expect("an authority record");
        let user = client::basic("other", "otherpw");
        let mut client = client::plain(&server);
        let requests = [
            "POST v1/queue/Q/message",
            "DELETE v1/queue/Q/message",
            "GET v1/queue/Q/message",
            "GET v1/queue/Q/messagelist",
        ];
        requests.map(|request| client.exchange(&format!("{request}\n{user}")).status)
    };
    assert_eq!(may(Authority::PUT), [201, 403, 403, 403]);
    assert_eq!(may(Authority::BROWSE | Authority::INQUIRE), [403, 403, 200, 200]);
    assert_eq!(may(Authority::GET | Authority::BROWSE), [403, 403, 403, 403]);
    assert_eq!(may(Authority::GET | Authority::BROWSE | Authority::INQUIRE), [403, 200, 204, 200]);
}

#[test]
fn what_a_client_accepts_is_not_looked_at() {
    check(
        "POST v1/queue/Q/message\naccept: image/png\naccept-language: de\nx-unknown: 1\n\nx\n>>\n\
         DELETE v1/queue/Q/message\naccept: application/json\ncontent-type: text/plain",
        expect![[r#"
            201
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: <id>
            200
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: <id>
              ibm-mq-md-expiry: unlimited
              ibm-mq-md-persistence: nonPersistent
              | x
        "#]],
    );
}
