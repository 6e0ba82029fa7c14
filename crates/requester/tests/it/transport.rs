//! Connections: kept, given up, through proxies, with TLS.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use requester::options::{AuthData, EndpointConnection, Proxy, ProxyKind};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};

use super::api::{Accept, Api, Server, answer, json, told};

const MADE: &str = r#"{"order_no":1}"#;

#[tokio::test]
async fn one_connection_serves_one_call_after_the_other() {
    let api = Api::start(|_| json(201, MADE));
    let server = Server::to(&api);
    for _ in 0..5 {
        assert_eq!(server.order().await.status, 201);
    }
    assert!(api.asked().iter().all(|asked| asked.connection == 0));
    assert_eq!(api.last().number, 4);
}

#[tokio::test]
async fn calls_at_once_have_connections_of_their_own_which_are_kept() {
    let api = Api::start(|_| json(201, MADE));
    let server = Arc::new(Server::to(&api));
    for _ in 0..2 {
        let calls = (0..8).map(|_| {
            let server = Arc::clone(&server);
            async move { server.order().await.status }
        });
        let calls: Vec<_> = calls.map(Box::pin).collect();
        for status in join(calls).await {
            assert_eq!(status, 201);
        }
    }
    let most = api.asked().iter().map(|asked| asked.connection).max();
    assert!(most < Some(8), "{most:?}");
}

/// All of them, polled in turn.
async fn join<T>(mut futures: Vec<std::pin::Pin<Box<impl Future<Output = T>>>>) -> Vec<T> {
    let mut done: Vec<Option<T>> = futures.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        for (future, done) in futures.iter_mut().zip(&mut done) {
            if done.is_none()
                && let std::task::Poll::Ready(value) = future.as_mut().poll(context)
            {
                *done = Some(value);
            }
        }
        if done.iter().all(Option::is_some) { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    done.into_iter().flatten().collect()
}

#[tokio::test]
async fn a_reload_gives_up_connections_and_connects_by_what_it_says() {
    let (first, second) = (Api::start(|_| json(201, MADE)), Api::start(|_| json(201, MADE)));
    let server = Server::to(&first);
    server.order().await;
    let mut options = requester::options::RequesterOptions::default();
    options.endpoint_connections.insert("api".to_owned(), second.connection());
    server.requesters.configure(super::api::settings(&options).expect("usable"));
    assert_eq!(server.order().await.status, 201);
    assert_eq!((first.asked().len(), second.asked().len()), (1, 1));
}

#[tokio::test]
async fn base_paths_stand_before_those_of_the_document() {
    let api = Api::start(|_| json(201, MADE));
    let server = Server::with(EndpointConnection { base_path: "/domain/v1/".to_owned(), ..api.connection() }, |_| {});
    assert_eq!(server.order().await.status, 201);
    assert_eq!(api.lines(), ["POST /domain/v1/shop/orders"]);
}

#[tokio::test]
async fn answers_in_pieces_and_up_to_the_end_of_the_connection_are_whole() {
    let api = Api::start(|asked| match asked.number {
        0 => super::api::Reply::Bytes(
            b"HTTP/1.1 201 Made\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n{\"orde\r\n8\r\nr_no\":1}\r\n0\r\n\r\n"
                .to_vec(),
        ),
        _ => super::api::Reply::Last(b"HTTP/1.1 201 Made\r\n\r\n{\"order_no\":2}".to_vec()),
    });
    let server = Server::to(&api);
    assert_eq!(told(&server.order().await), (0, 201, "000001".to_owned()));
    assert_eq!(told(&server.order().await), (0, 201, "000002".to_owned()));
    // The connection ended with the answer; the next call has a new one.
    assert_eq!(told(&server.order().await).2, "000001");
    assert_eq!(api.last().connection, 1);
}

fn proxy(address: std::net::SocketAddr, kind: ProxyKind) -> Proxy {
    Proxy { host: address.ip().to_string(), port: address.port(), kind, basic_auth: None }
}

#[tokio::test]
async fn an_http_proxy_is_handed_whole_urls_and_credentials() {
    let through = Api::start(|_| json(201, MADE));
    let connection = EndpointConnection {
        host: "http://api.example".to_owned(),
        port: None,
        proxy: Some("p".to_owned()),
        ..through.connection()
    };
    let server = Server::with(connection, |options| {
        let proxy = Proxy { basic_auth: Some("basic".to_owned()), ..proxy(through.address, ProxyKind::Http) };
        options.proxies.insert("p".to_owned(), proxy);
    });
    assert_eq!(told(&server.order().await).1, 201);
    let asked = through.last();
    assert_eq!(asked.line, "POST http://api.example:80/shop/orders");
    assert_eq!(asked.header("host"), Some("api.example"));
    assert_eq!(asked.header("proxy-authorization"), Some("Basic YWRhOnB3"));
}

/// Forwards bytes to `target` once `greet` has been content with the beginning.
fn tunnel(target: std::net::SocketAddr, greet: fn(&mut TcpStream) -> Option<()>) -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for socket in listener.incoming() {
            let Ok(mut client) = socket else { return };
            thread::spawn(move || {
                greet(&mut client)?;
                let mut server = TcpStream::connect(target).ok()?;
                let (mut back, mut forth) = (server.try_clone().ok()?, client.try_clone().ok()?);
                thread::spawn(move || std::io::copy(&mut forth, &mut back));
                std::io::copy(&mut server, &mut client).ok()
            });
        }
    });
    address
}

fn connect(client: &mut TcpStream) -> Option<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        client.read_exact(&mut byte).ok()?;
        head.push(byte[0]);
    }
    let is_meant = head.starts_with(b"CONNECT localhost:");
    let status: &[u8] = if is_meant { b"HTTP/1.1 200 Fine\r\n\r\n" } else { b"HTTP/1.1 407 No\r\n\r\n" };
    client.write_all(status).ok().filter(|()| is_meant)
}

fn socks(client: &mut TcpStream) -> Option<()> {
    let mut greeting = [0; 3];
    client.read_exact(&mut greeting).ok()?;
    client.write_all(&[5, 0]).ok()?;
    let mut request = [0; 5];
    client.read_exact(&mut request).ok()?;
    let mut rest = vec![0; usize::from(request[4]) + 2];
    client.read_exact(&mut rest).ok()?;
    client
        .write_all(&[5, 0, 0, 1, 127, 0, 0, 1, 0, 80])
        .ok()
        .filter(|()| greeting == [5, 1, 0] && request[..4] == [5, 1, 0, 3])
}

#[tokio::test]
async fn a_socks_proxy_leads_to_the_api() {
    let api = Api::start(|_| json(201, MADE));
    let connection = EndpointConnection { proxy: Some("p".to_owned()), ..api.connection() };
    let through = tunnel(api.address, socks);
    let server = Server::with(connection, |options| {
        options.proxies.insert("p".to_owned(), proxy(through, ProxyKind::Socks));
    });
    assert_eq!(told(&server.order().await), (0, 201, "000001".to_owned()));
    assert_eq!(api.lines(), ["POST /shop/orders"]);
}

/// A signer, a certificate of `localhost` and one of a client, as PEM files.
struct Certificates {
    folder: tempfile::TempDir,
}

impl Certificates {
    #[expect(clippy::disallowed_methods, reason = "temporary files of a test")]
    fn make() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
        for signer in ["ca", "other"] {
            let mut parameters = CertificateParams::new(Vec::new()).expect("parameters");
            parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
            let key = KeyPair::generate().expect("a key");
            write(&format!("{signer}.crt"), &parameters.self_signed(&key).expect("a certificate").pem());
            let issuer = Issuer::new(parameters, key);
            for name in ["localhost", "client"] {
                let key = KeyPair::generate().expect("a key");
                let parameters = CertificateParams::new(vec![name.to_owned()]).expect("parameters");
                let certificate = parameters.signed_by(&key, &issuer).expect("a certificate");
                write(&format!("{signer}-{name}.crt"), &certificate.pem());
                write(&format!("{signer}-{name}.key"), &key.serialize_pem());
            }
        }
        Self { folder }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A server that wants a certificate of a client, or does not.
    fn accept(&self, wants_client: bool) -> Accept {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions();
        let builder = builder.expect("versions");
        let builder = if wants_client {
            let mut roots = RootCertStore::empty();
            roots.add(pem(&self.file("ca.crt")).remove(0)).expect("a signer");
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
            builder.with_client_cert_verifier(verifier.expect("a verifier"))
        } else {
            builder.with_no_client_auth()
        };
        let key = PrivateKeyDer::from_pem_file(self.file("ca-localhost.key")).expect("a key");
        let config = builder.with_single_cert(pem(&self.file("ca-localhost.crt")), key).expect("a configuration");
        let config = Arc::new(config);
        Arc::new(move |socket| {
            let mut stream = StreamOwned::new(ServerConnection::new(Arc::clone(&config)).ok()?, socket);
            stream.conn.complete_io(&mut stream.sock).ok()?;
            Some(Box::new(stream))
        })
    }

    /// A connection to `localhost` by HTTPS that trusts the signer.
    fn connection(&self, api: &Api) -> EndpointConnection {
        EndpointConnection {
            host: "https://localhost".to_owned(),
            ca_file: Some(self.file("ca.crt")),
            ..api.connection()
        }
    }
}

fn pem(file: &Path) -> Vec<CertificateDer<'static>> {
    CertificateDer::pem_file_iter(file).expect("PEM").map(|one| one.expect("DER")).collect()
}

#[tokio::test]
async fn https_trusts_the_configured_signers_and_names_alone() {
    let certificates = Certificates::make();
    let api = Api::accepting(certificates.accept(false), |_| json(201, MADE));
    let good = certificates.connection(&api);
    let server = Server::with(good.clone(), |_| {});
    assert_eq!(told(&server.order().await), (0, 201, "000001".to_owned()));
    assert_eq!(told(&server.order().await).1, 201);
    assert!(api.asked().iter().all(|asked| asked.connection == 0), "the connection is kept");
    for bad in [
        EndpointConnection { ca_file: Some(certificates.file("other.crt")), ..good.clone() },
        EndpointConnection { server_name: Some("elsewhere".to_owned()), ..good.clone() },
    ] {
        let (code, status, message) = told(&Server::with(bad, |_| {}).order().await);
        assert_eq!((code, status), (2, 503), "{message}");
        assert!(message.contains("TLS"), "{message}");
    }
    assert_eq!(api.asked().len(), 2);
}

#[tokio::test]
async fn a_server_that_wants_a_certificate_gets_the_configured_one() {
    let certificates = Certificates::make();
    let api = Api::accepting(certificates.accept(true), |_| json(201, MADE));
    let with = |name: &str| EndpointConnection {
        certificate: Some(certificates.file(&format!("{name}.crt"))),
        key: Some(certificates.file(&format!("{name}.key"))),
        ..certificates.connection(&api)
    };
    assert_eq!(told(&Server::with(with("ca-client"), |_| {}).order().await), (0, 201, "000001".to_owned()));
    for bad in [with("other-client"), certificates.connection(&api)] {
        let (code, status, message) = told(&Server::with(bad, |_| {}).order().await);
        assert_eq!(code, 2, "{message}");
        assert!(matches!(status, 502 | 503), "{status} {message}");
    }
}

#[tokio::test]
async fn https_goes_through_an_http_proxy_by_connect() {
    let certificates = Certificates::make();
    let api = Api::accepting(certificates.accept(false), |_| json(201, MADE));
    let through = tunnel(api.address, connect);
    let connection = EndpointConnection { proxy: Some("p".to_owned()), ..certificates.connection(&api) };
    let server = Server::with(connection.clone(), |options| {
        options.proxies.insert("p".to_owned(), proxy(through, ProxyKind::Http));
    });
    assert_eq!(told(&server.order().await), (0, 201, "000001".to_owned()));
    let refusing = EndpointConnection { host: "https://elsewhere".to_owned(), ..connection };
    let server = Server::with(refusing, |options| {
        options.proxies.insert("p".to_owned(), proxy(through, ProxyKind::Http));
    });
    let (code, status, message) = told(&server.order().await);
    assert_eq!((code, status), (2, 503), "{message}");
    assert!(message.contains("the proxy answers 407"), "{message}");
}

#[test]
fn what_cannot_be_used_is_told_with_its_key() {
    let certificates = Certificates::make();
    let address = "127.0.0.1:80".parse().expect("an address");
    let plain = super::api::connection_to(address);
    let https = EndpointConnection { host: "https://h".to_owned(), ..plain.clone() };
    let told = |connection: EndpointConnection| {
        let mut options = requester::options::RequesterOptions::default();
        options.endpoint_connections.insert("c".to_owned(), connection);
        options.auth_data.insert("bad".to_owned(), AuthData { user: "u".to_owned(), password: "clear".to_owned() });
        super::api::settings(&options).err().expect("refused").to_string()
    };
    let missing = certificates.file("missing");
    for (connection, expected) in [
        (EndpointConnection { host: String::new(), ..plain.clone() }, "host: '' is no host"),
        (EndpointConnection { host: "h/path".to_owned(), ..plain.clone() }, "host: a path belongs into base_path"),
        (EndpointConnection { proxy: Some("p".to_owned()), ..plain.clone() }, "proxy: 'p' is no entry of proxies"),
        (
            EndpointConnection { authentication: vec!["x".to_owned()], ..plain.clone() },
            "authentication: 'x' is no entry of auth_data, oauth_configs or auth_tokens",
        ),
        (
            EndpointConnection {
                certificate: Some(certificates.file("ca.crt")),
                ca_file: Some(certificates.file("ca.crt")),
                ..https.clone()
            },
            "certificate: key must be set as well",
        ),
    ] {
        assert_eq!(told(connection), format!("zosconnect.endpoint_connections.c.{expected}"));
    }
    let unreadable = told(EndpointConnection { ca_file: Some(missing), ..https });
    assert!(unreadable.starts_with("zosconnect.endpoint_connections.c.ca_file: "), "{unreadable}");
    let password = told(EndpointConnection { authentication: vec!["bad".to_owned()], ..plain });
    assert_eq!(password, "zosconnect.auth_data.bad.password: it cannot be decoded");
}

#[tokio::test]
async fn an_answer_that_announces_no_length_it_keeps_is_broken() {
    let api = Api::start(|_| super::api::Reply::Last(answer(201, "", MADE)[..60].to_vec()));
    let (code, status, message) = told(&Server::to(&api).order().await);
    assert_eq!((code, status), (2, 502), "{message}");
}
