//! Handshakes with OpenSSL's client, and of the two ends with each other, over loopback.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use handshake::anchors::ServerNameCheck;
use handshake::cipher_spec::{ALL, CipherSpec, Family};
use handshake::files::{PersonalCertificate, certificates};
use handshake::identity::PairFiles;
use old_handshake::{OldClient, OldError, OldServer, Told};
use rustls::CipherSuite;
use rustls::pki_types::ServerName;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const PUBLISHED: &str = "TLS_RSA_WITH_AES_128_CBC_SHA256";
/// As OpenSSL calls them.
const NAMES: [(&str, &str); 8] = [
    ("ECDHE_ECDSA_AES_128_CBC_SHA256", "ECDHE-ECDSA-AES128-SHA256"),
    ("ECDHE_ECDSA_AES_256_CBC_SHA384", "ECDHE-ECDSA-AES256-SHA384"),
    ("ECDHE_RSA_AES_128_CBC_SHA256", "ECDHE-RSA-AES128-SHA256"),
    ("ECDHE_RSA_AES_256_CBC_SHA384", "ECDHE-RSA-AES256-SHA384"),
    ("TLS_RSA_WITH_AES_128_CBC_SHA256", "AES128-SHA256"),
    ("TLS_RSA_WITH_AES_128_GCM_SHA256", "AES128-GCM-SHA256"),
    ("TLS_RSA_WITH_AES_256_CBC_SHA256", "AES256-SHA256"),
    ("TLS_RSA_WITH_AES_256_GCM_SHA384", "AES256-GCM-SHA384"),
];

/// Self-signed certificates (CA:TRUE) of localhost: `ecdsa`, `rsa`, and `client`, which has a name of its own.
struct House(TempDir);

impl House {
    fn new() -> Self {
        let house = Self(tempfile::tempdir().expect("a folder"));
        let names = "subjectAltName=DNS:localhost,IP:127.0.0.1";
        let ec = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"];
        for (name, kind, subject) in [
            ("ecdsa", &ec[..], "/CN=server"),
            ("rsa", &["rsa:2048"][..], "/CN=server"),
            ("client", &ec[..], "/CN=orders"),
            ("other", &ec[..], "/CN=orders"),
        ] {
            let mut command = Command::new("openssl");
            command.args(["req", "-x509", "-nodes", "-days", "2", "-subj", subject, "-addext", names, "-newkey"]);
            command.args(kind).arg("-keyout").arg(house.file(name, "key")).arg("-out").arg(house.file(name, "crt"));
            let output = command.output().expect("openssl is installed");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        house
    }

    fn file(&self, name: &str, kind: &str) -> PathBuf {
        self.0.path().join(format!("{name}.{kind}"))
    }

    fn pair(&self, name: &str) -> PairFiles {
        PairFiles { certificate: self.file(name, "crt"), key: self.file(name, "key") }
    }

    fn server(&self, ciphers: &[&str], client_signers: Option<&Path>) -> OldServer {
        let pairs = [(Family::Ecdsa, self.pair("ecdsa")), (Family::Rsa, self.pair("rsa"))];
        OldServer::new(&pairs, client_signers, specs(ciphers)).expect("they fit")
    }
}

fn specs(names: &[&str]) -> Vec<&'static CipherSpec> {
    names.iter().map(|name| CipherSpec::named(name).expect("a CipherSpec")).collect()
}

/// Accepts one connection and echoes five bytes.
async fn accept_one(listener: TcpListener, server: OldServer) -> Result<Told, OldError> {
    let (socket, _) = listener.accept().await.expect("a connection");
    let (mut stream, told) = server.accept(socket).await?;
    let mut bytes = [0; 5];
    stream.read_exact(&mut bytes).await.expect("what the client says");
    stream.write_all(&bytes).await.expect("written");
    stream.shutdown().await.expect("ended");
    Ok(told)
}

async fn listen() -> (TcpListener, std::net::SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    (listener, address)
}

/// What the server finds out of `openssl s_client` with these arguments.
async fn s_client(server: OldServer, arguments: &[&str]) -> Result<Told, OldError> {
    let (listener, address) = listen().await;
    let mut command = Command::new("openssl");
    command.args(["s_client", "-tls1_2", "-connect", &address.to_string()]).args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("openssl is installed");
    // Kept open until the server has ended the connection.
    let mut input = child.stdin.take().expect("a pipe");
    std::io::Write::write_all(&mut input, b"hello\n").expect("written");
    let told = accept_one(listener, server).await;
    drop(input);
    child.kill().expect("it ends");
    child.wait().expect("it has ended");
    told
}

#[tokio::test]
async fn openssl_is_served_each_old_cipher_spec() {
    let house = House::new();
    for (ours, theirs) in NAMES {
        let told = s_client(house.server(&[ours], None), &["-cipher", theirs]).await.expect(ours);
        assert_eq!((told.cipher.name, told.chain.len()), (ours, 0));
    }
    let old: Vec<_> = ALL.iter().filter(|one| one.is_old()).map(|one| one.name).collect();
    assert_eq!(old, NAMES.map(|(ours, _)| ours));
}

#[tokio::test]
async fn what_is_chosen_of_an_offer_is_what_is_negotiated_or_nothing() {
    let house = House::new();
    let suite = |name: &str| CipherSpec::named(name).expect("a CipherSpec").suite;
    let all = NAMES.map(|(ours, _)| ours);
    for (number, first) in NAMES.iter().enumerate() {
        for second in &NAMES[number + 1..] {
            let offered = [suite(second.0), suite(first.0)];
            let server = house.server(&all, None);
            let chosen = server.choose(&offered).expect("one of them");
            let theirs = format!("{}:{}", second.1, first.1);
            let told = s_client(server, &["-cipher", &theirs]).await.expect("served");
            assert_eq!(told.cipher, chosen, "{theirs}");
            // Only the other one is configured: better no handshake than one with what nobody allowed.
            let other = offered.iter().find(|one| **one != chosen.suite).and_then(|one| CipherSpec::of_suite(*one));
            assert_eq!(house.server(&[other.expect("the other").name], None).choose(&offered), None);
        }
    }
    let server = house.server(&[PUBLISHED], None);
    assert_eq!(server.choose(&[CipherSuite::TLS_RSA_WITH_AES_128_CBC_SHA]), None);
}

#[tokio::test]
async fn a_client_may_show_a_certificate_that_is_trusted() {
    let house = House::new();
    let certificate = house.file("client", "crt");
    let arguments = |name: &str| {
        ["-cipher", "AES128-SHA256", "-cert"].map(str::to_owned).into_iter().chain([
            house.file(name, "crt").display().to_string(),
            "-key".to_owned(),
            house.file(name, "key").display().to_string(),
        ])
    };
    let trusting = || house.server(&[PUBLISHED], Some(&certificate));
    let shows = async |name: &str| {
        let arguments: Vec<String> = arguments(name).collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        s_client(trusting(), &arguments).await.map(|told| told.chain.len())
    };
    assert_eq!(shows("client").await.expect("trusted itself"), 1);
    assert!(shows("other").await.is_err(), "of the same name, and not trusted");
    let none = s_client(trusting(), &["-cipher", "AES128-SHA256"]).await.expect("none is needed");
    assert_eq!(none.chain.len(), 0);
}

#[tokio::test]
async fn the_client_end_speaks_the_published_cipher_and_judges_the_server() {
    let house = House::new();
    assert!(OldClient::speaks(PUBLISHED) && !OldClient::speaks("TLS_RSA_WITH_AES_256_CBC_SHA256"));
    let connect = async |trusted: &str, name: &'static str, check, own: Option<&str>| {
        let (listener, address) = listen().await;
        let signers = house.file("client", "crt");
        let server = tokio::spawn(accept_one(listener, house.server(&[PUBLISHED], Some(&signers))));
        let own =
            own.map(|own| PersonalCertificate::read(&house.file(own, "crt"), &house.file(own, "key")).expect("files"));
        let trusted = certificates(&house.file(trusted, "crt")).expect("a certificate");
        let client = OldClient::new(&trusted, check, own.as_ref()).expect("they fit");
        let name = ServerName::try_from(name).expect("a name");
        let socket = TcpStream::connect(address).await.expect("it listens");
        let (mut stream, _) = client.connect(&name, socket).await?;
        stream.write_all(b"hello").await.expect("written");
        let mut answer = [0; 5];
        stream.read_exact(&mut answer).await.expect("an answer");
        assert_eq!(&answer, b"hello");
        Ok::<_, OldError>(server.await.expect("it ended").expect("a handshake"))
    };
    let names = ServerNameCheck::Names;
    for name in ["localhost", "127.0.0.1"] {
        let told = connect("rsa", name, names, None).await.expect("connected");
        assert_eq!((told.cipher.name, told.chain.len()), (PUBLISHED, 0));
    }
    assert_eq!(connect("rsa", "localhost", names, Some("client")).await.expect("connected").chain.len(), 1);
    assert!(connect("rsa", "example.com", names, None).await.is_err(), "another name");
    assert!(connect("rsa", "example.com", ServerNameCheck::Anything, None).await.is_ok());
    assert!(connect("ecdsa", "localhost", names, None).await.is_err(), "another signer of the same name");
}
