//! TLS, HTTP/2, limits and slow clients.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use handshake::identity::PairFiles;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Frame};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::HandshakeKind;
use rustls::pki_types::ServerName;

use super::client::{self, Client, basic};
use super::server::{TestServer, eventually, make_certificate};

#[test]
fn tls_sessions_are_resumed_in_both_versions() {
    let server = TestServer::start();
    for version in [&rustls::version::TLS12, &rustls::version::TLS13] {
        let mut config = (*client::client_config(None)).clone();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let only =
            rustls::ClientConfig::builder_with_provider(provider).with_protocol_versions(&[version]).expect("version");
        let mut roots = rustls::RootCertStore::empty();
        let pem = std::fs::read(&server.options.tls.pairs[0].certificate).expect("the certificate");
        let certificate = rustls::pki_types::pem::PemObject::from_pem_slice(&pem).expect("PEM");
        roots.add(certificate).expect("a root");
        config.clone_from(&only.with_root_certificates(roots).with_no_client_auth());
        let config = Arc::new(config);
        let mut kinds = Vec::new();
        for _ in 0..2 {
            let mut stream = client::tls_stream(server.https(), Arc::clone(&config));
            std::io::Write::write_all(&mut stream, b"GET /livez HTTP/1.1\r\nhost: x\r\n\r\n").expect("sent");
            assert!(std::io::Read::read(&mut stream, &mut [0; 4096]).expect("read") > 0);
            assert_eq!(stream.conn.protocol_version(), Some(version.version));
            kinds.push(stream.conn.handshake_kind().expect("done"));
        }
        assert_eq!(kinds, [HandshakeKind::Full, HandshakeKind::Resumed], "{:?}", version.version);
    }
}

type Http2<B = Full<Bytes>> = hyper::client::conn::http2::SendRequest<B>;

/// An HTTP/2 connection negotiated over TLS. Call within the server's runtime.
async fn http2<B>(address: SocketAddr) -> Http2<B>
where
    B: Body<Data = Bytes, Error = Infallible> + Send + Unpin + 'static,
{
    let mut config = (*client::client_config(None)).clone();
    config.alpn_protocols = vec![b"h2".to_vec()];
    let socket = tokio::net::TcpStream::connect(address).await.expect("connected");
    let name = ServerName::try_from("localhost").expect("a name");
    let stream = tokio_rustls::TlsConnector::from(Arc::new(config)).connect(name, socket).await.expect("TLS");
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    let (sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.expect("HTTP/2");
    tokio::spawn(connection);
    sender
}

fn http2_request(method: &str, query: &str, body: &'static str) -> http::Request<Full<Bytes>> {
    let credentials = basic("app", "secret");
    http::Request::builder()
        .method(method)
        .uri(format!("https://localhost/ibmmq/rest/v1/messaging/qmgr/QM1/queue/Q/message{query}"))
        .header("authorization", credentials.split_once(": ").expect("a header").1)
        .header("ibm-mq-rest-csrf-token", "")
        .header("content-type", "text/plain")
        .body(Full::new(Bytes::from(body)))
        .expect("a request")
}

#[test]
fn http2_is_spoken_where_it_is_negotiated() {
    let server = TestServer::start();
    let address = server.https();
    let texts = server.block_on(async move {
        let mut sender = http2(address).await;
        let mut texts = Vec::new();
        for (method, body) in [("POST", "hello"), ("DELETE", "")] {
            let answer = sender.send_request(http2_request(method, "", body)).await.expect("an answer");
            let status = answer.status().as_u16();
            let body = answer.into_body().collect().await.expect("a body").to_bytes();
            texts.push(format!("{status} {}", String::from_utf8_lossy(&body)));
        }
        texts
    });
    assert_eq!(texts, ["201 ", "200 hello"]);
}

#[test]
fn a_head_request_over_http2_is_told_the_length_and_sent_no_body() {
    let server = TestServer::start();
    let address = server.https();
    let seen = server.block_on(async move {
        let mut sender = http2(address).await;
        let mut seen = Vec::new();
        for method in ["GET", "HEAD"] {
            let request = http::Request::builder().method(method).uri("https://localhost/livez");
            let request = request.body(Full::default()).expect("a request");
            let answer = sender.send_request(request).await.expect("an answer");
            let length = answer.headers()["content-length"].clone();
            let body = answer.into_body().collect().await.expect("a body").to_bytes();
            seen.push((length, body));
        }
        seen
    });
    let [(of_get, body), (of_head, nothing)] = &seen[..] else { panic!("two answers: {seen:?}") };
    assert!(!body.is_empty() && of_get == of_head && nothing.is_empty(), "{seen:?}");
}

/// A body whose rest comes when it is sent.
struct Open(tokio::sync::mpsc::Receiver<Bytes>);

impl Body for Open {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|piece| piece.map(|piece| Ok(Frame::data(piece))))
    }
}

#[test]
fn a_refusal_over_http2_ends_when_its_request_has_ended_and_is_not_reset() {
    let server = TestServer::start();
    let refused = [
        ("POST", "/nowhere", 404),
        ("POST", "/zosConnect/services/nobody?action=invoke", 401),
        ("POST", "/zosConnect/apis", 401),
        ("DELETE", "/zosConnect/services", 405),
        ("POST", "/ibmmq/rest/v3/messaging/qmgr/QM1/queue/Q/message", 401),
        ("POST", "/api/v1/nowhere", 404),
    ];
    let address = server.https();
    server.block_on(async move {
        for (method, path, status) in refused {
            let mut sender = http2::<Open>(address).await;
            let (rest, body) = tokio::sync::mpsc::channel(2);
            let request = http::Request::builder().method(method).uri(format!("https://localhost{path}"));
            let request = request.body(Open(body)).expect("a request");
            let answer = sender.send_request(request).await.expect("an answer");
            assert_eq!(answer.status().as_u16(), status, "{path}");
            let mut answer = answer.into_body();
            let first = answer.frame().await.expect("a piece").expect("it is not reset");
            assert!(first.data_ref().is_some_and(|told| !told.is_empty()), "{path}");
            assert!(!answer.is_end_stream(), "{path}: the answer ends before its request");
            rest.send(Bytes::from_static(b"the rest")).await.expect("sent");
            drop(rest);
            let left = answer.collect().await.unwrap_or_else(|error| panic!("{path}: it is reset: {error}"));
            assert!(left.to_bytes().is_empty(), "{path}");
        }
    });
}

#[test]
fn a_reset_http2_stream_ends_its_wait_and_no_other() {
    let server = TestServer::start();
    let mut sender = server.block_on(http2(server.https()));
    let send = |sender: &mut Http2, query: &str| {
        let answer = sender.send_request(http2_request("DELETE", query, ""));
        server.spawn(answer)
    };
    let stays = send(&mut sender, "?wait=600000");
    eventually("one waiter", || server.status("Q").waiters == 1);
    let leaves = send(&mut sender, "?wait=600001");
    eventually("two waiters", || server.status("Q").waiters == 2);
    leaves.abort();
    eventually("one waiter again", || server.status("Q").waiters == 1);
    let mut other = client::plain(&server);
    assert_eq!(other.exchange("POST v1/queue/Q/message\n\nx").status, 201);
    let answer = server.block_on(stays).expect("it was not aborted").expect("an answer");
    assert_eq!(answer.status().as_u16(), 200);
}

#[test]
fn a_large_message_travels_whole() {
    let server = TestServer::start();
    let text: String = (0..300_000).map(|number| char::from_digit(number % 36, 36).expect("a digit")).collect();
    let mut client = client::tls(&server);
    assert_eq!(client.exchange(&format!("POST v1/queue/Q/message\n\n{text}")).status, 201);
    assert!(client.exchange("DELETE v1/queue/Q/message").text() == text);
}

#[test]
fn a_body_beyond_the_limit_is_refused_before_it_is_read() {
    let server = TestServer::start_with(|options| options.limits.body_bytes = 100);
    let mut client = client::plain(&server);
    let answer = client.exchange(&format!("POST v1/queue/Q/message\n\n{}", "x".repeat(101)));
    assert_eq!((answer.status, &*answer.error_id()), (413, "MQWB0906E"));
    let mut chunked = client::plain(&server);
    let chunk = format!("40\r\n{}\r\n", "y".repeat(64));
    chunked.send(&format!(
        "POST v1/queue/Q/message\n-content-length\ntransfer-encoding: chunked\n\n{chunk}{chunk}0\r\n\r\n"
    ));
    assert_eq!(chunked.receive(false).status, 413);
    let mut small = client::plain(&server);
    assert_eq!(small.exchange(&format!("POST v1/queue/Q/message\n\n{}", "x".repeat(100))).status, 201);
    assert_eq!(server.status("Q").depth.current, 1);
}

#[test]
fn a_chunked_body_in_pieces_arrives_whole() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    client.send("POST v1/queue/Q/message\n-content-length\ntransfer-encoding: chunked\n\n5\r\nhello\r\n");
    client.stream.write_all(b"6\r\n world\r\n0\r\n\r\n").unwrap();
    assert_eq!(client.receive(false).status, 201);
    assert_eq!(client.exchange("DELETE v1/queue/Q/message").text(), "hello world");
}

#[test]
fn a_body_shorter_than_announced_puts_nothing() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    client.send("POST v1/queue/Q/message\ncontent-length: 10\n\nshort");
    drop(client);
    let mut other = client::plain(&server);
    assert_eq!(other.exchange("GET v1/queue/Q/message").status, 204);
    assert_eq!(server.status("Q").puts, 0);
}

#[test]
fn a_client_that_expects_100_continue_gets_it_when_its_body_is_wanted() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    client.send("POST v1/queue/Q/message\nexpect: 100-continue\ncontent-length: 2\n\n");
    assert_eq!(client.receive(false).status, 100);
    client.stream.write_all(b"ok").unwrap();
    assert_eq!(client.receive(false).status, 201);
    let mut refused = client::plain(&server);
    refused.send("POST v1/queue/Q/message\n-authorization\nexpect: 100-continue\ncontent-length: 2\n\n");
    assert_eq!(refused.receive(false).status, 401);
}

#[test]
fn headers_beyond_the_limit_and_malformed_requests_are_refused() {
    let server = TestServer::start_with(|options| options.limits.header_bytes = 8192);
    let mut large = client::plain(&server);
    large.send(&format!("GET /livez\nx-large: {}", "x".repeat(9000)));
    assert_eq!(large.receive(false).status, 431);
    let mut malformed = client::plain(&server);
    malformed.stream.write_all(b"this is not HTTP\r\n\r\n").unwrap();
    assert_eq!(malformed.receive(false).status, 400);
    let mut two_lengths = client::plain(&server);
    two_lengths.send("POST v1/queue/Q/message\ncontent-length: 1\ncontent-length: 2\n\nxx");
    assert_eq!(two_lengths.receive(false).status, 400);
}

#[test]
fn slow_clients_are_cut_off() {
    let server = TestServer::start_with(|options| {
        options.limits.header_seconds = 1;
        options.limits.body_seconds = 1;
        options.limits.idle_seconds = 1;
    });
    let mut silent = client::plain(&server);
    let mut slow_head = client::plain(&server);
    slow_head.stream.write_all(b"GET /livez HTTP/1.1\r\nhos").unwrap();
    let mut slow_hello = Client::over(client::connect(server.https()));
    slow_hello.stream.write_all(&[22, 3, 1]).unwrap();
    let mut slow_body = client::plain(&server);
    slow_body.send("POST v1/queue/Q/message\ncontent-length: 10\n\nshort");
    let mut idle = client::plain(&server);
    assert_eq!(idle.exchange("GET /livez").status, 200);
    let mut waiting = client::plain(&server);
    waiting.send("DELETE v1/queue/Q/message?wait=3000");
    let answer = slow_body.receive(false);
    assert_eq!((answer.status, &*answer.error_id()), (408, "MQWB0907E"));
    assert!(silent.is_closed_by_server() && slow_head.is_closed_by_server());
    assert!(slow_hello.is_closed_by_server() && idle.is_closed_by_server());
    assert_eq!(waiting.receive(false).status, 204, "a request that is worked on is not slow");
}

#[test]
fn a_reload_brings_a_new_certificate_to_new_connections() {
    let server = TestServer::start();
    let mut old = client::tls(&server);
    assert_eq!(old.exchange("GET /livez").status, 200);
    let shown = |server: &TestServer| {
        let mut stream = client::tls_stream(server.https(), client::client_config(None));
        std::io::Write::flush(&mut stream).expect("a handshake");
        while stream.conn.is_handshaking() {
            stream.conn.complete_io(&mut stream.sock).expect("a handshake");
        }
        stream.conn.peer_certificates().expect("certificates")[0].to_vec()
    };
    let before = shown(&server);
    let mut options = server.options.clone();
    let (certificate, key) = make_certificate(server.folder(), "renewed", None);
    options.tls.pairs = vec![PairFiles { certificate, key }];
    server.web.reload(options.clone()).expect("reloaded");
    assert_ne!(shown(&server), before);
    assert_eq!(old.exchange("GET /livez").status, 200);
    options.tls.pairs[0].certificate = server.folder().join("absent.crt");
    let error = server.web.reload(options).expect_err("no such file").to_string();
    assert!(error.starts_with("tls.certificate: "), "{error}");
    let mut options = server.options.clone();
    let (certificate, _) = make_certificate(server.folder(), "twin", None);
    options.tls.pairs.push(PairFiles { certificate, key: server.folder().join("absent.key") });
    let error = server.web.reload(options.clone()).expect_err("no such file").to_string();
    assert!(error.starts_with("tls.second_key: "), "{error}");
    options.tls.pairs[1].key = server.folder().join("twin.key");
    let error = server.web.reload(options).expect_err("of the same family").to_string();
    assert!(error.starts_with("tls.second_certificate: ") && error.contains("an ECDSA one too"), "{error}");
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    client.send("POST v1/queue/Q/message\n\nfirst");
    client.send("DELETE v1/queue/Q/message");
    client.send("GET /livez");
    let answers: Vec<_> = (0..3).map(|_| client.receive(false)).map(|answer| answer.status).collect();
    assert_eq!(answers, [201, 200, 200]);
}

#[test]
fn http_1_0_and_connection_close_end_the_connection() {
    let server = TestServer::start();
    for request in ["GET /livez HTTP/1.0\r\n\r\n", "GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"] {
        let mut client = client::plain(&server);
        client.stream.write_all(request.as_bytes()).unwrap();
        assert_eq!(client.receive(false).status, 200);
        assert!(client.is_closed_by_server());
    }
}
