//! Bodies of every kind on `/api/v1`: any bytes of any type, text in any character set, headers, records of copybooks.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use model::descriptor::{Ccsid, Encoding, Format, MessageDescriptor};
use model::header::fixed::{FixedHeader, Part};
use model::header::layout::CICS;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use super::client::{self, Answer, Client, basic};
use super::server::TestServer;

const BASE: &str = "/api/v1/qmgr/QM1/queue/Q";
pub(super) const ORDER: &str = "       01  ORDER-RECORD.
           05  ORDER-NUMBER  PIC 9(4).
           05  CUSTOMER      PIC X(8).
           05  PRICE         PIC S9(5)V99 COMP-3.
";
/// ORDER-NUMBER 17, CUSTOMER ADA, PRICE -12.50 in CCSID 37.
pub(super) const ORDER_BYTES: &[u8] = b"\xF0\xF0\xF1\xF7\xC1\xC4\xC1\x40\x40\x40\x40\x40\x00\x01\x25\x0D";

/// A server with these files in its folder of copybooks.
pub(super) fn server_with(files: &[(&str, &str)]) -> TestServer {
    let server = TestServer::start();
    let folder = server.folder().join("copybooks");
    std::fs::create_dir_all(&folder).expect("the folder");
    for (name, text) in files {
        write(&folder.join(name), text);
    }
    server.web.services().copybooks.poll();
    server
}

#[expect(clippy::disallowed_methods, reason = "a temporary folder of a test")]
fn write(file: &std::path::Path, text: &str) {
    std::fs::write(file, text).expect("it is written");
}

/// A request with a body of any bytes; headers on a line each.
fn send(client: &mut Client, method: &str, path: &str, headers: &str, body: &[u8]) -> Answer {
    let headers: String = headers.lines().map(|line| format!("{line}\r\n")).collect();
    let credentials = basic("app", "secret");
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\n{credentials}\r\ncontent-length: {length}\r\n{headers}\r\n"
    );
    client.stream.write_all(&[head.as_bytes(), body].concat()).expect("sent");
    client.receive(method == "HEAD")
}

fn value(answer: &Answer) -> Value {
    assert!(answer.status < 300, "{} {}", answer.status, answer.text());
    serde_json::from_slice(&answer.body).expect("JSON")
}

fn put(client: &mut Client, envelope: &Value) -> Answer {
    let path = format!("{BASE}/messages?envelope");
    send(client, "POST", &path, "content-type: application/json", envelope.to_string().as_bytes())
}

fn get(client: &mut Client, query: &str) -> Answer {
    send(client, "DELETE", &format!("{BASE}/messages{query}"), "", b"")
}

fn browse(client: &mut Client, query: &str) -> Vec<Value> {
    let answer = value(&send(client, "GET", &format!("{BASE}/messages{query}"), "", b""));
    answer["messages"].as_array().expect("messages").clone()
}

fn bytes_of(message: &Value, form: &str) -> Vec<u8> {
    STANDARD.decode(message["body"][form].as_str().unwrap_or_else(|| panic!("no {form}: {message}"))).expect("base64")
}

fn order() -> Value {
    json!({ "order_number": 17, "customer": "ADA", "price": -12.5 })
}

fn put_order(client: &mut Client) {
    let answer = put(client, &json!({ "body": { "copybook": "ORDER", "record": order() } }));
    assert_eq!(answer.status, 201, "{}", answer.text());
}

/// Content types that are no text: the server looks into no bytes of theirs.
fn content_types() -> impl Strategy<Value = Option<String>> {
    prop_oneof![
        Just(None),
        Just(Some("application/octet-stream".to_owned())),
        "(image|video|application)/[a-z]{1,8}(\\.[a-z0-9]{1,4})?(; [a-z]{1,4}=[a-z0-9]{1,4})?".prop_map(Some),
        "application/[a-z]{1,4}; q=\"[a-z ]{1,4}\"".prop_map(Some),
    ]
}

#[test]
fn any_bytes_of_any_type_come_back_the_same_by_every_way() {
    let server = TestServer::start();
    let client = std::cell::RefCell::new(client::plain(&server));
    let strategy = (prop::collection::vec(any::<u8>(), 0..200), content_types(), any::<bool>());
    let mut runner = TestRunner::new(Config { cases: 40, failure_persistence: None, ..Config::default() });
    runner
        .run(&strategy, |(data, content_type, is_persistent)| {
            let client = &mut *client.borrow_mut();
            let persistence = if is_persistent { "persistent" } else { "nonPersistent" };
            let stated = content_type.as_deref().map(|it| format!("content-type: {it}\n")).unwrap_or_default();
            let expected = content_type.as_deref().unwrap_or("application/octet-stream");
            let headers = format!("{stated}mq-persistence: {persistence}");
            let place = value(&send(client, "POST", &format!("{BASE}/messages"), &headers, &data));
            let position = place["position"].as_str().expect("a position");
            let raw = send(client, "GET", &format!("{BASE}/messages/{position}/body"), "", b"");
            prop_assert_eq!((raw.header("content-type"), &raw.body), (Some(expected), &data));
            let shown = browse(client, "?body=base64");
            prop_assert_eq!(
                (shown[0]["contentType"].as_str(), bytes_of(&shown[0], "base64")),
                (Some(expected), data.clone())
            );

            let lines = send(client, "GET", &format!("{BASE}/export"), "", b"");
            let delivered = value(&send(client, "POST", &format!("{BASE}/deliveries"), "", br#"{"body":"base64"}"#));
            prop_assert_eq!(bytes_of(&delivered["messages"][0], "base64"), data.clone());
            let token = delivered["messages"][0]["token"].as_str().expect("a token").to_owned();
            let complete = format!("/api/v1/qmgr/QM1/deliveries/{token}/complete");
            prop_assert_eq!(send(client, "POST", &complete, "", b"").status, 200);

            let import = send(
                client,
                "POST",
                &format!("{BASE}/import?context=new"),
                "content-type: application/x-ndjson",
                &lines.body,
            );
            prop_assert!(import.text().contains("\"imported\":1"), "{}", import.text());
            for form in ["base64", "raw", "auto"] {
                let mut message = value(&get(client, &format!("?envelope&body={form}")));
                prop_assert_eq!(message["persistence"].as_str(), Some(persistence));
                // What was read is put as it is.
                message.as_object_mut().expect("an object").remove("expiresAt");
                prop_assert_eq!(put(client, &message).status, 201);
            }
            let got = get(client, "");
            prop_assert_eq!(
                (got.header("content-type"), got.header("mq-persistence")),
                (Some(expected), Some(persistence))
            );
            // `auto` shows bytes that are JSON as such, without the blanks around.
            let is_json = serde_json::from_slice::<serde::de::IgnoredAny>(&data).is_ok();
            prop_assert!(got.body == data || is_json && got.body == data.trim_ascii(), "{:?} {data:?}", got.body);
            prop_assert_eq!(get(client, "").status, 204);
            Ok(())
        })
        .unwrap_or_else(|problem| panic!("{problem}"));
}

#[test]
fn text_is_put_and_got_in_the_character_set_that_is_named() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    let euro = "Grüße <a>";
    let cases: [(i32, &str, Vec<u8>); 4] = [
        (1208, "utf-8", euro.as_bytes().to_vec()),
        (819, "iso-8859-1", b"Gr\xFC\xDFe <a>".to_vec()),
        (37, "ibm037", b"\xC7\x99\xDC\x59\x85\x40\x4C\x81\x6E".to_vec()),
        (1200, "utf-16be", euro.encode_utf16().flat_map(u16::to_be_bytes).collect()),
    ];
    for (ccsid, charset, bytes) in cases {
        for content_type in [format!("text/plain; charset={charset}"), format!("application/xml; charset={charset}")] {
            let path = format!("{BASE}/messages");
            let answer = send(&mut client, "POST", &path, &format!("content-type: {content_type}"), &bytes);
            assert_eq!(answer.status, 201, "{}", answer.text());
            let shown = browse(&mut client, "?body=auto");
            assert_eq!(
                (&shown[0]["body"]["text"], &shown[0]["ccsid"]),
                (&json!(euro), &json!(ccsid)),
                "{content_type}"
            );
            assert_eq!(bytes_of(&browse(&mut client, "?body=base64")[0], "base64"), bytes, "{content_type}");
            // A program reads what was put; by HTTP it comes in UTF-8.
            assert!(server.body_of_first("Q").ends_with(&bytes), "{content_type}");
            assert_eq!(get(&mut client, "").text(), euro, "{content_type}");
        }
        let answer = put(&mut client, &json!({ "ccsid": ccsid, "body": { "text": euro } }));
        assert_eq!(answer.status, 201, "{}", answer.text());
        let (descriptor, body) = server.take_all("Q").remove(0);
        let expected = if ccsid == 1200 && descriptor.encoding.integers_are_little_endian() {
            euro.encode_utf16().flat_map(u16::to_le_bytes).collect()
        } else {
            bytes
        };
        assert_eq!((descriptor.format, descriptor.ccsid, &body[..]), (Format::STRING, Ccsid(ccsid), &expected[..]));
    }
}

#[test]
fn json_is_told_from_text_by_its_bytes_up_to_a_mebibyte() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    let long = |length: usize| format!("\"{}\"", "a".repeat(length - 2));
    let path = format!("{BASE}/messages");
    for (body, form) in [
        ("{\"a\":1}".to_owned(), "json"),
        (" [1,\r\n 2]\n".to_owned(), "json"),
        ("17".to_owned(), "json"),
        ("{\"a\":1} x".to_owned(), "text"),
        ("{\"a\":".to_owned(), "text"),
        (String::new(), "text"),
        (long(1 << 20), "json"),
        (long((1 << 20) + 1), "text"),
    ] {
        assert_eq!(send(&mut client, "POST", &path, "content-type: text/plain", body.as_bytes()).status, 201);
        let page = send(&mut client, "GET", &format!("{BASE}/messages?body=auto"), "", b"");
        assert!(!page.body.contains(&b'\n'), "a message is one line: {}", page.text());
        let shown = browse(&mut client, "?body=auto").remove(0);
        assert!(shown["body"].get(form).is_some(), "{}", body.chars().take(20).collect::<String>());
        let got = get(&mut client, "");
        assert_eq!((got.text(), got.header("content-type")), (body, Some("text/plain; charset=utf-8")));
    }
    // Bytes without a type, too; what they are not is base64.
    for (body, form) in [(&b"[true]"[..], "json"), (b"\xff\x00", "base64"), (b"hello", "base64")] {
        assert_eq!(send(&mut client, "POST", &path, "content-type: application/octet-stream", body).status, 201);
        assert!(value(&get(&mut client, "?envelope"))["body"].get(form).is_some(), "{form}");
    }
}

#[test]
fn a_preview_is_the_beginning_of_long_data_and_is_not_put() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    let path = format!("{BASE}/messages");
    let (short, long) = ("a".repeat(256), "a".repeat(257));
    for body in [&short, &long] {
        assert_eq!(send(&mut client, "POST", &path, "content-type: text/plain", body.as_bytes()).status, 201);
    }
    let shown = browse(&mut client, "");
    assert_eq!((&shown[0]["body"]["text"], shown[0].get("isPreview")), (&json!(short), None));
    assert_eq!(
        (&shown[1]["body"]["text"], &shown[1]["isPreview"], &shown[1]["length"]),
        (&json!(short), &json!(true), &json!(257))
    );
    let refused = put(&mut client, &shown[1]);
    assert_eq!(refused.status, 400);
    assert!(refused.text().contains("a preview is not put"), "{}", refused.text());
}

#[test]
fn a_record_is_put_in_ebcdic_and_shown_as_one_by_every_way() {
    let server = server_with(&[("ORDER.cpy", ORDER)]);
    let mut client = client::plain(&server);
    put_order(&mut client);
    assert_eq!(server.body_of_first("Q"), ORDER_BYTES);
    let raw = get(&mut client, "");
    let described = ["content-type", "mq-ccsid", "mq-encoding", "mq-format"].map(|name| raw.header(name));
    assert_eq!(
        (&raw.body[..], described),
        (ORDER_BYTES, [Some("application/octet-stream"), Some("37"), Some("785"), None])
    );

    let expected = json!({ "copybook": "ORDER", "record": order() });
    put_order(&mut client);
    let shown = browse(&mut client, "?copybook=ORDER");
    assert_eq!(shown[0]["body"], expected);
    let one = format!("{BASE}/messages/{}?copybook=ORDER", shown[0]["position"].as_str().expect("a position"));
    assert_eq!(value(&send(&mut client, "GET", &one, "", b""))["body"], expected);
    let wanted = json!({ "copybook": "ORDER" }).to_string();
    let delivered = value(&send(&mut client, "POST", &format!("{BASE}/deliveries"), "", wanted.as_bytes()));
    assert_eq!(delivered["messages"][0]["body"], expected);
    let token = delivered["messages"][0]["token"].as_str().expect("a token");
    // What was received is put as it is.
    let transaction = json!({ "complete": [token], "put": [{ "queue": "Q", "message": delivered["messages"][0] }] });
    let path = "/api/v1/qmgr/QM1/transactions";
    assert_eq!(send(&mut client, "POST", path, "", transaction.to_string().as_bytes()).status, 200);
    assert_eq!(value(&get(&mut client, "?copybook=ORDER"))["body"], expected);
    assert_eq!(server.status("Q").depth.current, 0);

    let lines = format!("{}\n", json!({ "body": expected })).repeat(2);
    let batch =
        send(&mut client, "POST", &format!("{BASE}/messages"), "content-type: application/x-ndjson", lines.as_bytes());
    assert_eq!(batch.text().matches("\"position\"").count(), 2, "{}", batch.text());
    let list = value(&get(&mut client, "?max=2&copybook=ORDER"));
    assert_eq!((&list["messages"][0]["body"], &list["messages"][1]["body"]), (&expected, &expected));
}

#[test]
fn a_record_is_written_as_the_envelope_says() {
    let server = server_with(&[("N.cpy", "01 R. 05 A PIC X(2). 05 N PIC S9(9) COMP.")]);
    let mut client = client::plain(&server);
    let body = json!({ "copybook": "N", "record": { "a": "ab", "n": 258 } });
    let little = json!({ "ccsid": 1208, "encoding": 546, "body": body });
    assert_eq!(put(&mut client, &little).status, 201);
    assert_eq!(server.body_of_first("Q"), b"ab\x02\x01\0\0");
    let shown = value(&get(&mut client, "?copybook=N"));
    assert_eq!((&shown["body"], &shown["ccsid"], &shown["encoding"]), (&body, &json!(1208), &json!(546)));
    let unwritable = put(&mut client, &json!({ "ccsid": 1, "body": body }));
    assert_eq!(unwritable.status, 400);
    assert!(unwritable.text().contains("CCSID 1 is not known"), "{}", unwritable.text());
}

#[test]
fn structures_of_a_deployed_service_are_copybooks_and_a_reply_is_shown_as_one() {
    let server = TestServer::start();
    server.deploy_loan("");
    let mut client = client::plain(&server);
    let record = json!({ "cust_name": "ADA BYRON", "loan_amount": 12500, "rate_bp": -25, "balance": -1034.5 });
    let request = json!({ "body": { "copybook": "loanService/request", "record": record } });
    // The program that answers reads the next message: here, the request itself.
    let path = format!("{BASE}/requests?envelope&wait=60s&replyQueue=Q&correlation=none&copybook=loanService/request");
    let reply = value(&send(&mut client, "POST", &path, "", request.to_string().as_bytes()));
    assert_eq!(reply["body"], request["body"]);
    let other = put(&mut client, &json!({ "body": { "copybook": "loanService/other", "record": {} } }));
    assert_eq!(other.status, 404, "{}", other.text());
}

#[test]
fn a_record_that_does_not_fit_is_refused_with_the_path_of_its_field() {
    let server = server_with(&[("ORDER.cpy", ORDER), ("BAD.cpy", "01 R.\n 05 A PIC Q.\n")]);
    let mut client = client::plain(&server);
    let mut refused = |body: Value| {
        let answer = put(&mut client, &json!({ "body": body }));
        let problem: Value = serde_json::from_slice(&answer.body).expect("JSON");
        (answer.status, problem["detail"].as_str().unwrap_or_default().to_owned())
    };
    let (status, detail) = refused(json!({ "copybook": "ORDER", "record": { "customer": "TOO LONG A NAME" } }));
    assert_eq!(status, 400);
    assert!(detail.contains("at 'record/customer', field ORDER-RECORD.CUSTOMER, offset 4"), "{detail}");
    let (status, detail) = refused(json!({ "copybook": "BAD", "record": {} }));
    assert_eq!(status, 400);
    assert!(detail.contains("the copybook 'BAD' cannot be used: BAD.cpy: line 2"), "{detail}");
    assert_eq!(refused(json!({ "copybook": "NONE", "record": {} })).0, 404);
    assert_eq!(refused(json!({ "copybook": "ORDER" })).0, 400);
    assert_eq!(refused(json!({ "record": {} })).0, 400);
    assert_eq!(refused(json!({ "copybook": "ORDER", "record": {}, "text": "a" })).0, 400);
    assert_eq!(server.status("Q").depth.current, 0);
}

#[test]
fn a_message_that_is_no_such_record_is_shown_with_the_field_that_is_wrong() {
    let server = server_with(&[("ORDER.cpy", ORDER)]);
    let mut client = client::plain(&server);
    put_order(&mut client);
    assert_eq!(put(&mut client, &json!({ "body": { "text": "hello" } })).status, 201);
    let mut damaged = ORDER_BYTES.to_vec();
    damaged[15] = 0x20;
    let descriptor = MessageDescriptor { ccsid: Ccsid(37), encoding: Encoding::Z_OS, ..MessageDescriptor::default() };
    server.put("Q", descriptor, damaged.clone());
    let shown = browse(&mut client, "?copybook=ORDER");
    assert_eq!((shown.len(), &shown[0]["body"]["record"], shown[0].get("problem")), (3, &order(), None));
    assert_eq!((&shown[1]["body"]["text"], &shown[1]["problem"]["copybook"]), (&json!("hello"), &json!("ORDER")));
    let problem = &shown[2]["problem"];
    assert_eq!(
        (&problem["field"], &problem["pointer"], &problem["offset"]),
        (&json!("ORDER-RECORD.PRICE"), &json!("/price"), &json!(12)),
        "{problem}"
    );
    assert_eq!(bytes_of(&shown[2], "base64"), damaged);
    let unknown = send(&mut client, "GET", &format!("{BASE}/messages?copybook=NONE"), "", b"");
    assert_eq!(unknown.status, 404, "{}", unknown.text());
}

#[test]
fn copybooks_are_listed_page_by_page_and_shown_with_their_fields() {
    let server = server_with(&[("ORDER.cpy", ORDER), ("BAD.cpy", "01 R.\n 05 A PIC Q.\n")]);
    server.deploy_loan("");
    let mut client = client::plain(&server);
    let (mut names, mut cursor) = (Vec::new(), String::new());
    for _ in 0..3 {
        let page = value(&send(&mut client, "GET", &format!("/api/v1/copybooks?limit=2{cursor}"), "", b""));
        names.extend(page["copybooks"].as_array().expect("a list").iter().map(|one| one["name"].clone()));
        match page["cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(names, ["BAD", "ORDER", "loanService/request", "loanService/response"]);
    let order = value(&send(&mut client, "GET", "/api/v1/copybooks/ORDER", "", b""));
    assert_eq!((&order["from"], &order["length"], &order["ccsid"]), (&json!("folder"), &json!(16), &json!(37)));
    assert_eq!(
        order["fields"][2],
        json!({ "path": "ORDER-RECORD.PRICE", "level": 5, "offset": 12, "length": 4, "usage": "COMP-3", "picture": "S9(5)V99" })
    );
    assert_eq!(order["schema"]["properties"]["customer"]["maxLength"], 8);
    let bad = value(&send(&mut client, "GET", "/api/v1/copybooks/BAD", "", b""));
    assert!(bad["problem"].as_str().is_some_and(|problem| problem.starts_with("BAD.cpy: line 2")), "{bad}");
    for path in ["loanService/request", "loanService%2Frequest"] {
        let loan = value(&send(&mut client, "GET", &format!("/api/v1/copybooks/{path}"), "", b""));
        assert_eq!(loan["from"], "service");
    }
    assert_eq!(send(&mut client, "GET", "/api/v1/copybooks/NONE", "", b"").status, 404);
}

#[test]
fn a_bridge_header_is_put_from_an_envelope_and_a_program_gets_its_bytes() {
    let server = server_with(&[("ORDER.cpy", ORDER)]);
    let mut client = client::plain(&server);
    let envelope = json!({
        "headers": [{ "structure": "MQCIH", "transactionId": "PAY1" }],
        "body": { "copybook": "ORDER", "record": order() }
    });
    let answer = put(&mut client, &envelope);
    assert_eq!(answer.status, 201, "{}", answer.text());
    let part = Part { ccsid: Ccsid(37), encoding: Encoding::Z_OS };
    let mut header = FixedHeader::new(&CICS, part);
    let field = CICS.fields.iter().find(|field| field.name == "transactionId").expect("the field");
    assert!(header.set_text(field, "PAY1"));
    let expected = [header.as_bytes(), ORDER_BYTES].concat();
    assert_eq!(server.body_of_first("Q"), expected);
    let shown = browse(&mut client, "?copybook=ORDER").remove(0);
    assert_eq!((&shown["headers"][0]["transactionId"], &shown["body"]["record"]), (&json!("PAY1"), &order()));
    let (descriptor, _) = server.take_all("Q").remove(0);
    assert_eq!((descriptor.format, descriptor.ccsid, descriptor.encoding), (Format::CICS, part.ccsid, part.encoding));
    // With properties: their MQRFH2 stands before it.
    let mut with_properties = shown;
    with_properties["properties"] = json!({ "colour": "red" });
    assert_eq!(put(&mut client, &with_properties).status, 201);
    let again = value(&get(&mut client, "?copybook=ORDER"));
    assert_eq!(
        (&again["headers"][0]["transactionId"], &again["properties"]["colour"], &again["body"]["record"]),
        (&json!("PAY1"), &json!("red"), &order())
    );
    let wrong = put(&mut client, &json!({ "headers": [{ "structure": "MQCIH", "transactionId": "TOO LONG" }] }));
    assert_eq!(wrong.status, 400);
    assert!(wrong.text().contains("headers[0] has 'transactionId'"), "{}", wrong.text());
}
