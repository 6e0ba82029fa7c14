//! The REST client alone: reconnecting, logging in, and saying what is known after a failure.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use http::HeaderValue;
use workload::client::rest::{Credentials, RestClient, RestOptions};
use workload::client::target::{Target, Trust};
use workload::client::{ClientError, Effect};

use crate::queue_server::{Faults, QueueServer};

fn basic() -> Credentials {
    Credentials::Basic { user: "app".into(), password: "secret".into() }
}

fn ltpa(password: &str) -> Credentials {
    Credentials::Ltpa { user: "app".into(), password: password.into() }
}

fn client(url: &str, trust: &Trust, credentials: Credentials) -> RestClient {
    RestClient::new(RestOptions {
        target: Target::parse(url, trust).unwrap(),
        credentials,
        queue_manager: "QM1".into(),
        queue: "A/B%".into(),
        reply_queue: None,
        persistent: true,
        answer_limit: Duration::from_secs(10),
    })
    .unwrap()
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

#[test]
fn a_message_is_browsed_then_got_by_its_correlation_identifier_over_one_connection_and_one_login() {
    let server = QueueServer::start(Faults::default(), None);
    let mut client = client(&format!("http://{}", server.address), &Trust::None, ltpa("secret"));
    block_on(async {
        for (id, body) in [("aa", "one"), ("bb", "two")] {
            client.put(Bytes::from(body), Some(HeaderValue::from_str(id).unwrap())).await.unwrap();
        }
        assert_eq!(client.browse(None).await.unwrap().unwrap().body, "one");
        let got = client.get(Some("bb"), Some(Duration::from_millis(5))).await.unwrap().unwrap();
        assert_eq!((&*got.body, got.correlation_id.unwrap().to_str().unwrap()), (&b"two"[..], "bb"));
        assert!(client.get(Some("bb"), None).await.unwrap().is_none());
        assert_eq!(client.get(None, None).await.unwrap().unwrap().body, "one");
    });
    assert_eq!(server.state.logins.load(Ordering::Relaxed), 1);
    assert_eq!(server.state.connections.load(Ordering::Relaxed), 1);
    assert_eq!(server.depth(), 0);
}

#[test]
fn after_a_lost_answer_the_effect_is_unknown_and_the_next_request_reconnects() {
    let server = QueueServer::start(Faults { hang_up: 2, ..Faults::default() }, None);
    let mut client = client(&format!("http://{}", server.address), &Trust::None, basic());
    block_on(async {
        client.put(Bytes::from("one"), None).await.unwrap();
        let error = client.put(Bytes::from("two"), None).await.unwrap_err();
        assert!(matches!(error, ClientError::Unanswered(_)), "{error:?}");
        assert_eq!(error.effect(), Effect::Unknown);
        assert_eq!(client.get(None, None).await.unwrap().unwrap().body, "one");
    });
    assert_eq!(server.state.connections.load(Ordering::Relaxed), 2);
}

#[test]
fn a_refused_login_and_a_closed_port_have_no_effect() {
    let server = QueueServer::start(Faults::default(), None);
    let url = format!("http://{}", server.address);
    let refused = block_on(client(&url, &Trust::None, ltpa("wrong")).ready()).unwrap_err();
    assert!(matches!(refused, ClientError::Refused { status: 401, .. }), "{refused:?}");
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let closed = block_on(client(&format!("http://{free}"), &Trust::None, basic()).ready()).unwrap_err();
    assert_eq!((refused.effect(), closed.effect()), (Effect::None, Effect::None));
    assert!(closed.chain().contains(&free.to_string()), "{}", closed.chain());
}

#[test]
fn tls_believes_the_named_certificate_and_no_other() {
    let ours = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let theirs = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, pem: String| {
        let path = folder.path().join(name);
        std::io::Write::write_all(&mut std::fs::File::create(&path).unwrap(), pem.as_bytes()).unwrap();
        Trust::CaFile(path)
    };
    let key = rustls::pki_types::PrivateKeyDer::try_from(ours.signing_key.serialize_der()).unwrap();
    let config = rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![ours.cert.der().clone()], key)
        .unwrap();
    let server = QueueServer::start(Faults::default(), Some(Arc::new(config)));
    let url = format!("https://{}", server.address);
    let try_with = |trust: &Trust| block_on(client(&url, trust, basic()).get(None, None)).map(|_| ());
    assert!(try_with(&file("ours.pem", ours.cert.pem())).is_ok());
    assert!(try_with(&Trust::Insecure).is_ok());
    let error = try_with(&file("theirs.pem", theirs.cert.pem())).unwrap_err();
    assert!(matches!(error, ClientError::Connect { .. }), "{error:?}");
}

#[test]
fn insecure_is_for_loopback_only_and_https_needs_trust() {
    let parse = |url: &str, trust: &Trust| Target::parse(url, trust).err().map(|error| error.chain());
    assert!(parse("https://192.0.2.1:9443", &Trust::Insecure).unwrap().contains("not a loopback address"));
    assert!(parse("https://127.0.0.1:9443", &Trust::None).unwrap().contains("cacert"));
    let missing = parse("https://127.0.0.1:9443", &Trust::CaFile("no/such.pem".into())).unwrap();
    assert!(missing.contains("no/such.pem"), "{missing}");
    for wrong in ["127.0.0.1:9443", "http://127.0.0.1/path", "http://", "mq://127.0.0.1"] {
        assert!(parse(wrong, &Trust::None).unwrap().contains("http://HOST:PORT"), "{wrong}");
    }
}

#[test]
fn a_single_request_has_whatever_answer_there_is() {
    let server = QueueServer::start(Faults::default(), None);
    let url = format!("http://{}", server.address);
    let send = |path| {
        let single = workload::client::single::Single {
            url: &url,
            trust: &Trust::None,
            user: "app",
            password: "secret",
            method: "GET",
            path,
            content_type: "text/plain",
            body: b"",
        };
        single.send().map(|answer| (answer.status, answer.body.len()))
    };
    assert_eq!(send("/admin/x").unwrap(), (200, 1000));
    assert_eq!(send("/messages").unwrap(), (204, 0));
    assert!(matches!(send("no path at all"), Err(ClientError::Target(_))));
}
