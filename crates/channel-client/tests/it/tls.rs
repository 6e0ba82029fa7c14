//! Channels over TLS.

use std::path::PathBuf;
use std::sync::Arc;

use channel_client::client::Client;
use channel_client::options::ConnectOptions;
use channel_client::tls::{ServerNamePolicy, TlsOptions, Trust};
use model::options::{GetFlags, PutFlags};
use model::reason::Reason;
use rustls::pki_types::PrivateKeyDer;
use tempfile::TempDir;
use tokio_rustls::TlsAcceptor;

use crate::calls::{get, put};
use crate::server::{Server, open};

/// A server whose certificate names `name`, and a file to trust it by.
async fn server(name: &str) -> (Server, PathBuf, TempDir) {
    let made = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ca.pem");
    std::io::Write::write_all(&mut std::fs::File::create(&file).unwrap(), made.cert.pem().as_bytes()).unwrap();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let config = rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    (Server::sharing("QM1", 10, Some(TlsAcceptor::from(Arc::new(config)))).await, file, folder)
}

fn options(server: &Server, tls: TlsOptions) -> ConnectOptions {
    ConnectOptions { tls: Some(tls), ..server.options() }
}

#[tokio::test]
async fn messages_go_over_tls_when_signer_and_name_are_right() {
    let (server, file, _folder) = server("127.0.0.1").await;
    for cipher in ["ANY_TLS12_OR_HIGHER", "TLS_AES_256_GCM_SHA384", "ECDHE_ECDSA_AES_128_GCM_SHA256"] {
        let tls =
            TlsOptions { cipher_specification: cipher.to_owned(), ..TlsOptions::trusting(Trust::CaFile(file.clone())) };
        let mut connection = Client::new(options(&server, tls)).unwrap().connect().await.unwrap();
        let queue = open(&mut connection, "Q").await;
        put(&mut connection, queue, "secret", PutFlags::NO_SYNCPOINT).await;
        assert_eq!(get(&mut connection, queue, GetFlags::NO_SYNCPOINT).await.unwrap(), "secret");
        connection.disconnect().await.unwrap();
    }
}

#[tokio::test]
async fn another_name_is_refused_unless_only_the_signer_counts() {
    let (server, file, _folder) = server("mq.example").await;
    let connect = async |server_name| {
        let tls = TlsOptions { server_name, ..TlsOptions::trusting(Trust::CaFile(file.clone())) };
        Client::new(options(&server, tls)).unwrap().connect().await.map_err(|error| error.reason()).map(drop)
    };
    assert_eq!(connect(ServerNamePolicy::Host).await, Err(Reason::SslInitializationError));
    assert_eq!(connect(ServerNamePolicy::Named("mq.example".to_owned())).await, Ok(()));
    assert_eq!(connect(ServerNamePolicy::Any).await, Ok(()));
}

#[tokio::test]
async fn sslpeer_is_held_against_the_subject_of_the_servers_certificate() {
    let (server, file, _folder) = server("127.0.0.1").await;
    let client = |peer_name: &str| {
        let trusting = TlsOptions::trusting(Trust::CaFile(file.clone()));
        Client::new(options(&server, TlsOptions { peer_name: peer_name.to_owned(), ..trusting }))
    };
    let right = client("CN=\"rcgen *\"").unwrap();
    for session in ["new", "resumed"] {
        right.connect().await.expect(session).disconnect().await.unwrap();
    }
    for other in ["CN=other", "CN=\"rcgen *\",O=Example"] {
        let refused = client(other).unwrap().connect().await.err().expect("another name");
        assert_eq!(refused.reason(), Reason::SslPeerNameMismatch, "{refused}");
    }
    assert_eq!(client("rcgen").err().map(|error| error.reason()), Some(Reason::SslPeerNameError));
}

#[tokio::test]
async fn another_signer_is_refused_and_trust_in_anybody_ends_at_this_machine() {
    let (server, _, _folder) = server("127.0.0.1").await;
    let (_, other, _other_folder) = self::server("127.0.0.1").await;
    let tls = TlsOptions::trusting(Trust::CaFile(other));
    let refused = Client::new(options(&server, tls)).unwrap().connect().await.err().unwrap();
    assert_eq!(refused.reason(), Reason::SslInitializationError);
    let anybody = options(&server, TlsOptions::trusting(Trust::Anybody));
    Client::new(anybody.clone()).unwrap().connect().await.unwrap();
    let far = ConnectOptions { connections: "192.0.2.1(1414)".parse().unwrap(), ..anybody };
    let limited = ConnectOptions { connect_limit: std::time::Duration::from_millis(1), ..far };
    assert!(Client::new(limited).unwrap().connect().await.is_err());
}
