//! Calls over https: the other library loaded, certificates checked, the same answers.

use std::io::{BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use tempfile::TempDir;

use super::mock::{self, answer};
use super::programs::{Caller, Spoken};

/// A signer and what it signed, as PEM files.
struct Signer {
    folder: TempDir,
    issuer: CertifiedIssuer<'static, KeyPair>,
}

impl Signer {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("a signer");
        let signer = Self { folder, issuer };
        signer.write("ca.pem", &signer.issuer.pem());
        signer
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    #[expect(clippy::disallowed_methods, reason = "files of a test need not last")]
    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("written");
    }

    /// A certificate for a name, and its key; both also as `NAME.pem` and `NAME.key`.
    fn sign(&self, name: &str) -> (rcgen::Certificate, KeyPair) {
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new(vec![name.to_owned()]).expect("a name");
        let certificate = params.signed_by(&key, &self.issuer).expect("signed");
        self.write(&format!("{name}.pem"), &certificate.pem());
        self.write(&format!("{name}.key"), &key.serialize_pem());
        (certificate, key)
    }
}

/// A server over TLS that answers each request with its body.
struct TlsServer {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
}

impl TlsServer {
    /// With a certificate for `name`; `wants_client` asks for one of the same signer.
    fn start(signer: &Signer, name: &str, wants_client: bool) -> Self {
        Self::serving(signer, name, wants_client, echo)
    }

    fn serving(signer: &Signer, name: &str, wants_client: bool, serve: fn(TcpStream, Arc<ServerConfig>)) -> Self {
        let (certificate, key) = signer.sign(name);
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider));
        let builder = builder.with_safe_default_protocol_versions().expect("versions");
        let builder = if wants_client {
            let mut roots = RootCertStore::empty();
            roots.add(signer.issuer.der().clone()).expect("a signer");
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            builder.with_client_cert_verifier(verifier.build().expect("a verifier"))
        } else {
            builder.with_no_client_auth()
        };
        let key = PrivateKeyDer::try_from(key.serialize_der()).expect("a key");
        let config = Arc::new(builder.with_single_cert(vec![certificate.der().clone()], key).expect("a certificate"));
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let connections = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&connections);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                counted.fetch_add(1, Ordering::Relaxed);
                let config = Arc::clone(&config);
                thread::spawn(move || serve(stream, config));
            }
        });
        Self { address, connections }
    }

    fn uri(&self) -> String {
        format!("https://localhost:{}", self.address.port())
    }
}

fn echo(stream: TcpStream, config: Arc<ServerConfig>) {
    let session = ServerConnection::new(config).expect("a session");
    let mut reader = BufReader::new(StreamOwned::new(session, stream));
    while let Some(request) = mock::read(&mut reader, 0, 0) {
        if reader.get_mut().write_all(&answer(0, 200, &request.body)).is_err() {
            return;
        }
    }
}

/// A server over TLS that answers each request with its body and, in the same record, with something more.
fn poisoner(signer: &Signer) -> TlsServer {
    TlsServer::serving(signer, "localhost", false, |stream, config| {
        let session = ServerConnection::new(config).expect("a session");
        let mut reader = BufReader::new(StreamOwned::new(session, stream));
        while let Some(request) = mock::read(&mut reader, 0, 0) {
            let bytes = [answer(0, 200, &request.body), answer(0, 200, &vec![b'!'; request.body.len()])].concat();
            if reader.get_mut().write_all(&bytes).is_err() {
                return;
            }
        }
    })
}

/// A server that sends a byte of a TLS record each fifth of a second.
fn trickler() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        // The pace of this server is what the time limit is tested against.
        for byte in [22u8, 3, 3, 0x40, 0].into_iter().chain(std::iter::repeat(0)) {
            if stream.write_all(&[byte]).is_err() {
                return;
            }
            thread::sleep(std::time::Duration::from_millis(200));
        }
    });
    address
}

fn call(uri: &str, signers: &Path) -> Spoken {
    Caller::new(&["echo", "3", "70000"]).with("BAQURI", uri).with("BAQCAFILE", &signers.display().to_string()).run()
}

#[test]
fn calls_over_https_share_a_connection_and_come_back_whole() {
    let signer = Signer::new();
    let server = TlsServer::start(&signer, "localhost", false);
    let spoken = call(&server.uri(), &signer.path("ca.pem"));
    assert_eq!(spoken.output, "0 200 echoed\n0 200 echoed\n0 200 echoed\n");
    assert_eq!(server.connections.load(Ordering::Relaxed), 1);
}

#[test]
fn bytes_that_nobody_asked_for_end_a_connection_over_https_too() {
    let signer = Signer::new();
    let server = poisoner(&signer);
    for size in ["3", "9000", "40000"] {
        let spoken = Caller::new(&["echo", "3", size])
            .with("BAQURI", &server.uri())
            .with("BAQCAFILE", &signer.path("ca.pem").display().to_string())
            .run();
        assert_eq!(spoken.output, "0 200 echoed\n".repeat(3), "{size}");
    }
    assert_eq!(server.connections.load(Ordering::Relaxed), 9);
}

#[test]
fn a_handshake_by_single_bytes_is_given_up_after_baqtimeout() {
    let signer = Signer::new();
    let spoken = Caller::new(&["echo", "1", "3"])
        .with("BAQURI", &format!("https://{}", trickler()))
        .with("BAQCAFILE", &signer.path("ca.pem").display().to_string())
        .with("BAQTIMEOUT", "1")
        .run();
    assert!(spoken.output.starts_with("3 32 "), "{}", spoken.output);
}

#[test]
fn a_server_that_cannot_be_trusted_gets_no_request() {
    let signer = Signer::new();
    let stranger = Signer::new();
    let server = TlsServer::start(&signer, "localhost", false);
    let spoken = call(&server.uri(), &stranger.path("ca.pem"));
    assert!(spoken.output.starts_with("3 34 TLS with localhost"), "{}", spoken.output);
    let other_name = TlsServer::start(&signer, "elsewhere.example", false);
    let spoken = call(&other_name.uri(), &signer.path("ca.pem"));
    assert!(spoken.output.starts_with("3 34 "), "{}", spoken.output);
}

#[test]
fn a_server_that_wants_a_certificate_is_shown_one() {
    let signer = Signer::new();
    signer.sign("program");
    let server = TlsServer::start(&signer, "localhost", true);
    let ca = signer.path("ca.pem");
    let caller =
        || Caller::new(&["echo", "1", "10"]).with("BAQURI", &server.uri()).with("BAQCAFILE", &ca.display().to_string());
    let shown = caller()
        .with("BAQCERTFILE", &signer.path("program.pem").display().to_string())
        .with("BAQKEYFILE", &signer.path("program.key").display().to_string())
        .run();
    assert_eq!(shown.output, "0 200 echoed\n");
    // In TLS 1.3 the refusal of a client arrives after its side of the handshake.
    let refused = caller().run().output;
    assert!(refused.starts_with("3 34 TLS with localhost"), "{refused}");
}

#[test]
fn files_that_cannot_be_used_are_named() {
    let spoken = call("https://localhost:1", Path::new("no-such-file.pem"));
    // The socket is connected before TLS is thought of.
    assert!(spoken.output.starts_with("3 31 "), "{}", spoken.output);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let uri = format!("https://localhost:{}", listener.local_addr().expect("an address").port());
    let spoken = call(&uri, Path::new("no-such-file.pem"));
    assert!(
        spoken.output.starts_with("3 35 a certificate or key file cannot be used: no-such-file.pem"),
        "{}",
        spoken.output
    );
}

#[test]
fn without_the_tls_library_https_is_refused_and_http_works() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::copy(super::programs::library("libbaqcstub.so"), folder.path().join("libbaqcstub.so")).expect("copied");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let spoken = Caller::new(&["echo", "1", "10"])
        .with("LD_LIBRARY_PATH", &folder.path().display().to_string())
        .with("BAQURI", &format!("https://127.0.0.1:{port}"))
        .run();
    assert!(spoken.output.starts_with("3 33 libbaqctls.so, which https needs, cannot be loaded"), "{}", spoken.output);
}
