//! A second certificate whose files are still being made while clients come.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use handshake::any_certificate::AnyCertificate;
use handshake::cipher_spec::Family;
use handshake::identity::{Identity, PairFiles, PendingPair};
use rustls::crypto::ring::{cipher_suite, default_provider};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, ServerConfig, ServerConnection, SupportedCipherSuite};

use crate::made::Folder;

const ECDSA: SupportedCipherSuite = cipher_suite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256;
const RSA: SupportedCipherSuite = cipher_suite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256;
/// Long enough for a handshake in memory on a busy machine, and long enough to see that one waits.
const A_WHILE: Duration = Duration::from_millis(300);
const SOON: Duration = Duration::from_secs(300);

/// A folder with pairs `ecdsa` and `rsa`, and a server that shows the first while the second is pending.
struct Server {
    folder: Folder,
    pending: PendingPair,
    config: Arc<ServerConfig>,
}

impl Server {
    fn new() -> Self {
        let folder = Folder::new();
        folder.self_signed("ecdsa", &[]);
        let pair = |name| PairFiles { certificate: folder.file(name, "crt"), key: folder.file(name, "key") };
        let pending = PendingPair::new(Family::Rsa, pair("rsa"));
        let identity = Identity::load(&[pair("ecdsa")], Some(&pending), &default_provider()).expect("they fit");
        assert_eq!(identity.families(), [Family::Ecdsa, Family::Rsa]);
        let config = ServerConfig::builder().with_no_client_auth().with_cert_resolver(Arc::new(identity));
        Self { folder, pending, config: Arc::new(config) }
    }

    /// The certificate that a client with these suites is shown, once it is.
    fn shown(&self, suites: &[SupportedCipherSuite]) -> Receiver<Option<CertificateDer<'static>>> {
        let (told, shown) = channel();
        let (config, suites) = (Arc::clone(&self.config), suites.to_vec());
        thread::spawn(move || told.send(handshake(config, suites)));
        shown
    }

    fn certificate(&self, name: &str) -> Option<CertificateDer<'static>> {
        self.folder.chain(name).into_iter().next()
    }
}

#[test]
fn a_client_that_can_use_the_first_is_served_and_one_that_needs_the_second_waits_for_it() {
    let server = Server::new();
    assert_eq!(server.shown(&[RSA, ECDSA]).recv_timeout(SOON), Ok(server.certificate("ecdsa")));
    let waiting = server.shown(&[RSA]);
    assert_eq!(waiting.recv_timeout(A_WHILE), Err(RecvTimeoutError::Timeout));
    server.folder.rsa("rsa");
    server.pending.complete(&default_provider()).expect("they fit");
    assert_eq!(waiting.recv_timeout(SOON), Ok(server.certificate("rsa")));
    assert_eq!(server.shown(&[RSA]).recv_timeout(SOON), Ok(server.certificate("rsa")));
    assert_eq!(server.shown(&[RSA, ECDSA]).recv_timeout(SOON), Ok(server.certificate("ecdsa")));
}

#[test]
fn a_second_that_cannot_be_made_refuses_those_who_need_it() {
    for unreadable in [true, false] {
        let server = Server::new();
        let waiting = server.shown(&[RSA]);
        match unreadable {
            true => assert!(server.pending.complete(&default_provider()).is_err()),
            false => server.pending.give_up(),
        }
        assert_eq!(waiting.recv_timeout(SOON), Ok(None));
        assert_eq!(server.shown(&[ECDSA]).recv_timeout(SOON), Ok(server.certificate("ecdsa")));
    }
}

/// `None` when the server refuses.
fn handshake(config: Arc<ServerConfig>, suites: Vec<SupportedCipherSuite>) -> Option<CertificateDer<'static>> {
    let mut provider = default_provider();
    provider.cipher_suites = suites;
    let provider = Arc::new(provider);
    // Which certificate is shown is asked here, not whether it is to be trusted.
    let verifier = Arc::new(AnyCertificate::new(Arc::clone(&provider)));
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.expect("versions").dangerous().with_custom_certificate_verifier(verifier);
    let name = ServerName::try_from("localhost").expect("a name");
    let mut client = ClientConnection::new(Arc::new(builder.with_no_client_auth()), name).expect("a client");
    let mut server = ServerConnection::new(config).expect("a server");
    while client.is_handshaking() || server.is_handshaking() {
        let mut bytes = Vec::new();
        client.write_tls(&mut bytes).expect("written");
        server.read_tls(&mut &bytes[..]).expect("read");
        server.process_new_packets().ok()?;
        bytes.clear();
        server.write_tls(&mut bytes).expect("written");
        client.read_tls(&mut &bytes[..]).expect("read");
        client.process_new_packets().ok()?;
    }
    client.peer_certificates()?.first().cloned()
}
