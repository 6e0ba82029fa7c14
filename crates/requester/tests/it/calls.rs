//! Calls that go well, and calls that the API or the server refuses.

use expect_test::expect;
use requester::ReturnCode;

use super::api::{Api, Reply, Server, answer, json, order, told};
use super::conversion::hex;
use super::structures::TOO_MANY;

const BOOK: &str = include_str!("../../../build-toolkit/tests/it/vectors/books/expected/getBook_P.json");

fn book() -> String {
    let value: serde_json::Value = serde_json::from_str(BOOK).expect("JSON");
    value["RespBody"].to_string()
}

#[tokio::test]
async fn the_vectors_request_becomes_path_query_and_headers_and_its_answer_the_vectors_record() {
    let api = Api::start(|_| json(200, &book()));
    let server = Server::to(&api);
    let outcome = server
        .call_big(
            "GET /shop/books/{isbn}",
            &hex(include_str!("../../../build-toolkit/tests/it/vectors/books/expected/getBook_Q.hex")),
        )
        .await;
    assert_eq!((outcome.return_code, outcome.status), (ReturnCode::Success, 200));
    assert_eq!(outcome.body, hex(include_str!("../../../build-toolkit/tests/it/vectors/books/expected/getBook_P.hex")));
    let asked = api.last();
    assert_eq!(asked.line, "GET /shop/books/9780131103627");
    assert_eq!(asked.header("x-trace"), Some("t-1"));
    assert_eq!(asked.header("accept"), Some("application/json, application/*+json;q=0.9, */*;q=0.1"));
    assert_eq!(asked.header("host"), Some(api.address.to_string().as_str()));
    assert_eq!((asked.header("content-type"), asked.header("content-length"), asked.body.as_str()), (None, None, ""));
}

#[tokio::test]
async fn parameters_are_percent_encoded_and_absent_ones_left_out() {
    let api = Api::start(|_| json(200, &book()));
    let server = Server::to(&api);
    let mut record = vec![0; 44];
    record[..7].copy_from_slice(b"\x05\0a/b ?");
    record[16..22].copy_from_slice(b"\x01\0\0\0&=");
    record[22..27].copy_from_slice(b"\x03\0t 1");
    let outcome = server.call("GET /shop/books/{isbn}", &record).await;
    assert_eq!(told(&outcome).0, 0, "{:?}", told(&outcome));
    assert_eq!(api.last().line, "GET /shop/books/a%2Fb%20%3F?lang=%26%3D");
    assert_eq!(api.last().header("x-trace"), Some("t 1"));
    record[..2].copy_from_slice(b"\0\0");
    let (code, status, message) = told(&server.call("GET /shop/books/{isbn}", &record).await);
    assert_eq!((code, status), (2, 400));
    assert!(message.contains("the path parameter isbn is empty"), "{message}");
    record[..3].copy_from_slice(b"\x01\0x");
    record[24] = b'\n';
    let (code, status, message) = told(&server.call("GET /shop/books/{isbn}", &record).await);
    assert_eq!((code, status), (2, 400));
    assert!(message.contains("X-Trace"), "{message}");
}

#[tokio::test]
async fn headers_of_the_connection_are_no_parameters() {
    let api = Api::start(|_| json(200, ""));
    let server = Server::to(&api);
    let outcome = server.call("GET /shop/odd", b"evilgzipxml own ").await;
    assert_eq!(told(&outcome), (0, 200, String::new()));
    let asked = api.last();
    assert_eq!(asked.header("host"), Some(api.address.to_string().as_str()));
    assert_eq!(asked.header("transfer-encoding"), None);
    assert_eq!((asked.header("accept"), asked.header("x-own")), (Some("xml"), Some("own")));
    assert_eq!(asked.headers.iter().filter(|(name, _)| name == "accept").count(), 1);
}

#[tokio::test]
async fn more_headers_than_a_request_can_have_are_refused() {
    let api = Api::start(|_| json(200, ""));
    let server = Server::to(&api);
    let (code, status, message) = told(&server.call("GET /shop/many", &vec![b'x'; TOO_MANY as usize]).await);
    assert_eq!((code, status), (2, 400), "{message}");
    assert!(message.contains("too many") && api.asked().is_empty(), "{message}");
}

#[tokio::test]
async fn a_body_is_sent_as_json_and_the_described_success_becomes_a_record() {
    let api = Api::start(|_| json(201, r#"{"order_no":1234,"more":[]}"#));
    let server = Server::to(&api);
    assert_eq!(told(&server.order().await), (0, 201, "001234".to_owned()));
    let asked = api.last();
    assert_eq!((asked.line.as_str(), asked.body.as_str()), ("POST /shop/orders", r#"{"qty":1,"ref":2}"#));
    assert_eq!(asked.header("content-type"), Some("application/json"));
}

#[tokio::test]
async fn a_method_that_takes_a_body_states_the_length_of_one_that_is_not_there() {
    let api = Api::start(|_| json(200, ""));
    let server = Server::to(&api);
    for (method, expected) in [("POST", Some("0")), ("PUT", Some("0")), ("PATCH", Some("0")), ("GET", None)] {
        assert_eq!(told(&server.call(&format!("{method} /shop/touch"), b"").await), (0, 200, String::new()));
        let asked = api.last();
        assert_eq!(asked.line, format!("{method} /shop/touch"));
        let lengths: Vec<_> = asked.headers.iter().filter(|(name, _)| name == "content-length").collect();
        assert_eq!(lengths.first().map(|(_, value)| value.as_str()), expected, "{method}");
        assert_eq!((lengths.len(), asked.header("content-type")), (usize::from(expected.is_some()), None));
    }
    assert_eq!(server.order().await.status, 200);
    assert_eq!(api.last().headers.iter().filter(|(name, _)| name == "content-length").count(), 1);
}

#[tokio::test]
async fn a_record_whose_request_is_too_long_for_any_api_is_refused_as_one_that_cannot_be_converted() {
    let api = Api::start(|_| json(200, ""));
    let server = Server::to(&api);
    let (code, status, message) = told(&server.call("GET /shop/search", &[b'x'; 70_000]).await);
    assert_eq!((code, status), (2, 400), "{message}");
    let begin = "BAQR0936E: The request of a program to the API requester 'Book-Shop-API_2.1' cannot be converted: ";
    assert!(message.starts_with(begin) && message.contains("too long"), "{message}");
    assert!(api.asked().is_empty());
    let mut short = vec![b' '; 70_000];
    short[0] = b'x';
    assert_eq!(told(&server.call("GET /shop/search", &short).await), (0, 200, String::new()));
    assert_eq!(api.lines(), ["GET /shop/search?text=x"]);
}

#[tokio::test]
async fn answers_of_the_reports_sizes_become_records_in_both_forms() {
    for entries in [32, 128, 256, 512] {
        let data: Vec<String> =
            (0..entries).map(|number| format!("\"{number:04}-ABCDEFGHIJKLMNOPQRSTUVWXYZ\"")).collect();
        let body = format!(
            r#"{{"recv_size":8,"send_size":{},"taskid":1,"tranid":"BAQR","rs_spare":"","user_data":[{}]}}"#,
            entries * 32,
            data.join(",")
        );
        let api = Api::start(move |_| json(200, &body));
        let server = Server::to(&api);
        let native = server.call("POST /shop/vary", &[1, 0, 0, 0, 2, 0, 0, 0]).await;
        assert_eq!((native.return_code, native.body.len()), (ReturnCode::Success, 16_420));
        assert_eq!(native.body[32..36], u32::to_le_bytes(entries));
        assert_eq!(&native.body[36..68], b"0000-ABCDEFGHIJKLMNOPQRSTUVWXYZ ");
        assert!(native.body[36 + 32 * entries as usize..].iter().all(|byte| *byte == b' '));
        let big = server.call_big("POST /shop/vary", &[0, 0, 0, 1, 0, 0, 0, 2]).await;
        assert_eq!(big.body[32..36], u32::to_be_bytes(entries));
        assert_eq!(big.body[36..41], [0xF0, 0xF0, 0xF0, 0xF0, 0x60]);
        assert_eq!(api.last().body, r#"{"count_in":1,"count_out":2}"#);
    }
}

#[tokio::test]
async fn without_a_described_answer_any_success_is_one_and_its_body_is_passed_over() {
    let api = Api::start(|_| Reply::Bytes(b"HTTP/1.1 204 No Content\r\n\r\n".to_vec()));
    let server = Server::to(&api);
    let outcome = server.call("DELETE /shop/books/{isbn}", b"\x01\0x            ").await;
    assert_eq!(told(&outcome), (0, 204, String::new()));
    assert_eq!(api.lines(), ["DELETE /shop/books/x"]);
}

#[tokio::test]
async fn headers_of_the_answer_have_their_places_and_text_is_taken_as_it_is() {
    let api = Api::start(|_| Reply::Bytes(answer(200, "x-pages: 12 of 3\r\nX-Count: 7\r\n", r#"{"isbn":"a"}"#)));
    let server = Server::to(&api);
    let outcome = server.call("GET /shop/heads", b"").await;
    let expected = b"\x01\0\0\0\x07\0 12 of 3 \0\0\0\x01\0\0\0\x07\0\0\0a            ";
    assert_eq!(outcome.return_code, ReturnCode::Success, "{:?}", told(&outcome));
    assert_eq!(outcome.body.len(), 37);
    assert_eq!(&outcome.body[..6], &expected[..6]);
    assert_eq!(&outcome.body[6..14], b"12 of 3 ");
    assert_eq!(&outcome.body[16..24], b"\x01\0\0\0\x07\0\0\0");
    assert_eq!(&outcome.body[24..], b"a            ");
}

#[tokio::test]
async fn what_the_api_refuses_is_handed_on_in_its_own_words() {
    let api = Api::start(|asked| match asked.number {
        0 => json(404, r#"{"message":"no such book"}"#),
        1 => json(503, &"ü".repeat(2000)),
        2 => Reply::Bytes(answer(302, "Location: /elsewhere\r\n", "")),
        _ => json(200, r#"{"order_no":1}"#),
    });
    let server = Server::to(&api);
    assert_eq!(told(&server.order().await), (1, 404, r#"{"message":"no such book"}"#.to_owned()));
    let (code, status, message) = told(&server.order().await);
    assert_eq!((code, status, message.len()), (1, 503, 1024));
    assert_eq!(told(&server.order().await), (1, 302, String::new()));
    // A success, but not the one whose answer is described.
    assert_eq!(told(&server.order().await), (1, 200, r#"{"order_no":1}"#.to_owned()));
}

#[tokio::test]
async fn what_the_server_cannot_do_is_told_with_a_status_and_a_sentence() {
    let api = Api::start(|asked| match asked.number {
        0 => json(201, r#"{"order_no":"x"}"#),
        _ => json(201, "<html>"),
    });
    let server = Server::to(&api);
    let message = |outcome| {
        let (code, status, message) = told(&outcome);
        assert_eq!(code, 2);
        format!("{status} {message}")
    };
    expect!["500 BAQR0937E: The response of the API behind the API requester 'Book-Shop-API_2.1' cannot be converted: at '/order_no', item RespBody.order-no, offset 0: expected a number, found a string (byte 12 of the JSON text)."]
        .assert_eq(&message(server.order().await));
    expect!["500 BAQR0937E: The response of the API behind the API requester 'Book-Shop-API_2.1' cannot be converted: at '', item RespBody, offset 0: the JSON text is malformed: a value is expected (byte 0 of the JSON text)."]
        .assert_eq(&message(server.order().await));
    expect!["400 BAQR0936E: The request of a program to the API requester 'Book-Shop-API_2.1' cannot be converted: at '', item ReqBody, offset 8: the record ends after 8 bytes, inside or before this item."]
        .assert_eq(&message(server.call("POST /shop/orders", b"00100000").await));
    expect!["404 BAQR0932W: The API requester 'Book-Shop-API_2.1' has no operation PUT /shop/orders."]
        .assert_eq(&message(server.call("PUT /shop/orders", &order()).await));
    expect!["404 BAQR0932W: The API requester 'Book-Shop-API_2.1' has no operation GET /shop/books/1."]
        .assert_eq(&message(server.call("GET /shop/books/1", &order()).await));
    server.requesters.shelf.set_status("Book-Shop-API_2.1", service::deploy::Status::Stopped).expect("stopped");
    expect!["503 BAQR0931W: The API requester 'Book-Shop-API_2.1' is stopped."]
        .assert_eq(&message(server.order().await));
    server.requesters.shelf.delete("Book-Shop-API_2.1").expect("deleted");
    expect!["404 BAQR0930W: There is no API requester 'Book-Shop-API_2.1'."].assert_eq(&message(server.order().await));
    assert_eq!(api.asked().len(), 2);
}

#[tokio::test]
async fn calls_are_counted_by_what_became_of_them() {
    let api = Api::start(|asked| match asked.number {
        0 => json(201, r#"{"order_no":1}"#),
        1 => json(404, ""),
        _ => json(201, "?"),
    });
    let server = Server::to(&api);
    for _ in 0..3 {
        server.order().await;
    }
    let deployed = server.requesters.shelf.lookup("Book-Shop-API_2.1").expect("deployed");
    let seen = deployed.activity.statistics();
    assert_eq!((seen.requests, seen.succeeded, seen.refused, seen.failed, seen.in_flight), (3, 1, 1, 1, 0));
}
