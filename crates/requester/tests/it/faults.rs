//! APIs that are not there, too slow, or break off: what is repeated and what is not.

use std::net::TcpListener;

use requester::options::EndpointConnection;

use super::api::{Api, Reply, Server, answer, connection_to, json, told};

const MADE: &str = r#"{"order_no":1}"#;

#[tokio::test]
async fn an_api_that_does_not_listen_is_unreachable() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let server = Server::with(connection_to(address), |_| {});
    let (code, status, message) = told(&server.order().await);
    assert_eq!((code, status), (2, 503));
    assert!(message.starts_with("BAQR0939E: The API of the endpoint connection 'api' cannot be reached"), "{message}");
}

#[tokio::test]
async fn a_connection_that_is_not_configured_is_told_by_its_name() {
    let api = Api::start(|_| json(201, MADE));
    let server = Server::to(&api);
    server.requesters.configure(requester::Settings::default());
    let (code, status, message) = told(&server.order().await);
    assert_eq!((code, status), (2, 500));
    assert!(message.contains("needs the endpoint connection 'api'"), "{message}");
    // The configuration may lead an API requester elsewhere.
    let mut options = requester::options::RequesterOptions::default();
    options.endpoint_connections.insert("other".to_owned(), api.connection());
    let own = requester::options::ApiRequester { connection: Some("other".to_owned()), ..Default::default() };
    options.api_requesters.insert("Book-Shop-API_2.1".to_owned(), own);
    server.requesters.configure(super::api::settings(&options).expect("usable"));
    assert_eq!(server.order().await.status, 201);
}

#[tokio::test]
async fn an_api_that_does_not_answer_in_time_is_given_up() {
    let api = Api::start(|_| Reply::Silence);
    let server = Server::with(EndpointConnection { receive_timeout_seconds: 1, ..api.connection() }, |_| {});
    let (code, status, message) = told(&server.order().await);
    assert_eq!((code, status), (2, 504));
    assert!(message.contains("within 1 seconds"), "{message}");
}

#[tokio::test]
async fn a_tls_handshake_that_does_not_end_in_time_is_given_up() {
    // It accepts, and says nothing.
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let connection = EndpointConnection {
        host: "https://127.0.0.1".to_owned(),
        connection_timeout_seconds: 1,
        ca_file: None,
        ..connection_to(listener.local_addr().expect("an address"))
    };
    let server = Server::with(connection, |_| {});
    let (code, status, message) = told(&server.order().await);
    assert_eq!((code, status), (2, 504));
    assert!(message.contains("did not accept a connection"), "{message}");
}

#[tokio::test]
async fn an_answer_that_is_none_or_too_long_is_told() {
    let api = Api::start(|asked| match asked.connection {
        0 => Reply::Last(b"this is no HTTP\r\n\r\n".to_vec()),
        1 => Reply::Bytes(answer(201, "", &"x".repeat((1 << 20) + 1))),
        _ => Reply::Last(format!("HTTP/1.1 201 Made\r\n\r\n{}", "x".repeat((1 << 20) + 1)).into_bytes()),
    });
    let server = Server::to(&api);
    assert_eq!(told(&server.order().await).1, 502);
    for _ in 0..2 {
        let (code, status, message) = told(&server.order().await);
        assert_eq!((code, status), (2, 502));
        assert!(message.contains("more than 1048576 bytes"), "{message}");
    }
}

/// An API that closes a connection after the first answer, without having said so.
fn closing() -> Api {
    Api::start(|asked| match asked.number {
        0 if asked.connection == 0 => Reply::Last(answer(201, "", MADE)),
        _ => json(201, MADE),
    })
}

#[tokio::test]
async fn a_kept_connection_that_the_api_has_closed_is_not_used_and_nobody_notices() {
    let api = closing();
    let server = Server::to(&api);
    assert_eq!(server.order().await.status, 201);
    api.one_has_ended().await;
    assert_eq!(told(&server.order().await), (0, 201, "000001".to_owned()));
    assert_eq!(api.asked().len(), 2);
}

/// An API that takes the second request of its first connection and closes that without an answer.
fn breaking() -> Api {
    Api::start(|asked| match (asked.connection, asked.number) {
        (0, 1) => Reply::Last(Vec::new()),
        _ if asked.line.starts_with("POST") => json(201, MADE),
        _ => Reply::Bytes(b"HTTP/1.1 204 Gone\r\n\r\n".to_vec()),
    })
}

#[tokio::test]
async fn a_request_that_may_have_had_an_effect_is_never_sent_twice() {
    let api = breaking();
    let server = Server::to(&api);
    assert_eq!(server.order().await.status, 201);
    let (code, status, message) = told(&server.order().await);
    assert_eq!((code, status), (2, 502), "{message}");
    assert_eq!(api.asked().len(), 2, "nothing was repeated");
    assert_eq!(server.order().await.status, 201);
}

#[tokio::test]
async fn a_request_without_further_effect_is_repeated_once() {
    let api = breaking();
    let server = Server::to(&api);
    let record = b"\x01\0x            ";
    for _ in 0..2 {
        assert_eq!(told(&server.call("DELETE /shop/books/{isbn}", record).await), (0, 204, String::new()));
    }
    let seen: Vec<(usize, usize)> = api.asked().iter().map(|asked| (asked.connection, asked.number)).collect();
    assert_eq!(seen, [(0, 0), (0, 1), (1, 0)]);
}

#[tokio::test]
async fn on_a_fresh_connection_nothing_is_repeated() {
    let api = Api::start(|_| Reply::Last(Vec::new()));
    let server = Server::to(&api);
    assert_eq!(server.call("DELETE /shop/books/{isbn}", b"\x01\0x            ").await.status, 502);
    assert_eq!(api.asked().len(), 1);
}

#[tokio::test]
async fn a_call_that_is_given_up_leaves_no_connection_behind() {
    let api = Api::start(|asked| if asked.connection == 0 { Reply::Silence } else { json(201, MADE) });
    let server = Server::to(&api);
    let is_asked = async {
        while api.asked().is_empty() {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        answer = server.order() => panic!("there is no answer: {}", answer.status),
        () = is_asked => {}
    }
    assert_eq!(server.order().await.status, 201);
    assert_eq!(api.last().connection, 1);
    let deployed = server.requesters.shelf.lookup("Book-Shop-API_2.1").expect("deployed");
    assert_eq!(deployed.activity.statistics().abandoned, 1);
}
