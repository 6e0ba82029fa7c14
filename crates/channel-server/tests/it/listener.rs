//! Sockets of the real listener: plain and TLS on one port, resumption, limits, garbage.

use std::future::Future;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use channel_server::admission::{CredentialCheck, Gate, Home, Refused};
use channel_server::listener::{Door, Limits, Listening};
use channel_server::tls::{Tls, TlsFiles};
use handshake::anchors::ServerNameCheck;
use handshake::files::{PersonalCertificate, certificates};
use handshake::identity::PairFiles;
use model::authority::Principal;
use model::definition::channel_authentication::{Rule, UserSource};
use model::definition::{AdministeredObject, ChannelAuthentication, ChannelDefinition, ChannelType};
use model::name::ObjectName;
use model::options::OpenOptions;
use old_handshake::OldClient;
use queue_manager::channel_status::ChannelDisposition;
use queue_manager::{QueueManager, QueueManagers};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, SanType};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, HandshakeKind, RootCertStore};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use workers::Workers;

use crate::client::{Client, Options, SOON, administrator, queue_manager};

/// Everybody is who they say.
struct Anybody;

impl CredentialCheck for Anybody {
    fn check<'a>(
        &'a self,
        _: &'a str,
        _: &'a str,
        _: IpAddr,
    ) -> Pin<Box<dyn Future<Output = Result<Principal, Refused>> + Send + 'a>> {
        Box::pin(async { Err(Refused::Unavailable) })
    }

    fn principal<'a>(&'a self, user: &'a str) -> Pin<Box<dyn Future<Output = Principal> + Send + 'a>> {
        Box::pin(async move { Principal::administrator(user) })
    }
}

struct House {
    queue_manager: QueueManager,
    door: Arc<Door>,
    listening: Listening,
    folder: TempDir,
}

const LIMITS: Limits =
    Limits { sockets: 100, sockets_per_address: 100, sockets_per_thread: 16, patience: Duration::from_secs(10) };

impl House {
    async fn new() -> Self {
        Self::with(LIMITS).await
    }

    async fn with(limits: Limits) -> Self {
        let queue_manager = queue_manager().await;
        let gate = Gate::new(QueueManagers::of_running([queue_manager.clone()]), Arc::new(Anybody));
        let workers = Arc::new(Workers::start("door", storage::before_sleep).expect("threads"));
        let door = Door::new(workers, gate, limits);
        let folder = tempfile::tempdir().expect("a folder");
        make_certificates(folder.path());
        door.set_tls(Some(tls(folder.path())));
        let listening = door.listen(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), 0, None).expect("a free port");
        let house = Self { queue_manager, door, listening, folder };
        // Otherwise no administrator would come in.
        house.set(ChannelAuthentication::block_users("*", &["nobody"])).await;
        house.define("CLIENTS", |_| {}).await;
        house
            .define("TLS", |channel| {
                (channel.cipher_specification, channel.client_certificate_optional) = ("ANY".to_owned(), true);
            })
            .await;
        house.define("MUTUAL", |channel| channel.cipher_specification = "ANY_TLS13".to_owned()).await;
        house
    }

    async fn set(&self, record: ChannelAuthentication) {
        self.queue_manager.replace_channel_authentication(&administrator(), record).await.expect("set");
    }

    async fn define(&self, name: &str, change: impl FnOnce(&mut ChannelDefinition)) {
        let mut channel = ChannelDefinition {
            name: ObjectName::literal(name),
            ..ChannelDefinition::blank(ChannelType::ServerConnection)
        };
        change(&mut channel);
        let object = AdministeredObject::Channel(Box::new(channel));
        self.queue_manager.define_object(&administrator(), object, true).await.expect("defined");
    }

    async fn plain(&self) -> TcpStream {
        TcpStream::connect(self.listening.address()).await.expect("it listens")
    }

    async fn tls(&self, config: &Arc<ClientConfig>) -> TlsStream<TcpStream> {
        let name = ServerName::try_from("localhost").expect("a name");
        TlsConnector::from(Arc::clone(config)).connect(name, self.plain().await).await.expect("a handshake")
    }

    /// A client of TLS, with a certificate or without.
    fn client_config(&self, with_certificate: bool) -> Arc<ClientConfig> {
        let read = |name: &str| self.folder.path().join(name);
        let mut signers = RootCertStore::empty();
        signers.add(CertificateDer::from_pem_file(read("ca.crt")).expect("a certificate")).expect("a signer");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let builder = builder.expect("versions").with_root_certificates(signers);
        Arc::new(if with_certificate {
            let chain = vec![CertificateDer::from_pem_file(read("client.crt")).expect("a certificate")];
            let key = PrivateKeyDer::from_pem_file(read("client.key")).expect("a key");
            builder.with_client_auth_cert(chain, key).expect("they fit")
        } else {
            builder.with_no_client_auth()
        })
    }
}

/// `ca.crt`, `server.crt`, `server.key`, `client.crt`, `client.key`.
fn make_certificates(folder: &Path) {
    let write = |name: &str, text: String| {
        let mut file = std::fs::File::create(folder.join(name)).expect("made");
        std::io::Write::write_all(&mut file, text.as_bytes()).expect("written");
    };
    let authority_key = KeyPair::generate().expect("a key");
    let mut authority = CertificateParams::default();
    authority.distinguished_name.push(DnType::CommonName, "Authority");
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    write("ca.crt", authority.self_signed(&authority_key).expect("signed").pem());
    let issuer = Issuer::new(authority, authority_key);
    for name in ["server", "client"] {
        let key = KeyPair::generate().expect("a key");
        let mut certificate = CertificateParams::default();
        certificate.distinguished_name.push(DnType::CommonName, name);
        certificate.subject_alt_names.push(SanType::DnsName("localhost".try_into().expect("a name")));
        certificate.subject_alt_names.push(SanType::IpAddress(IpAddr::V4(Ipv4Addr::LOCALHOST)));
        write(&format!("{name}.crt"), certificate.signed_by(&key, &issuer).expect("signed").pem());
        write(&format!("{name}.key"), key.serialize_pem());
    }
}

fn tls(folder: &Path) -> Tls {
    tls_with(folder, vec![PairFiles { certificate: folder.join("server.crt"), key: folder.join("server.key") }], &[])
}

fn tls_with(folder: &Path, pairs: Vec<PairFiles>, old: &[&str]) -> Tls {
    let files = TlsFiles {
        pairs,
        pending: None,
        client_signers: Some(folder.join("ca.crt")),
        old_cipher_specs: old.iter().map(|name| (*name).to_owned()).collect(),
    };
    // Names are read by the server's own reader; that they are asked for is what counts here.
    Tls::new(&files, |_| Some(("CN=client".to_owned(), "CN=Authority".to_owned()))).expect("they fit")
}

/// A stream that the test client can use.
fn bridged<S>(mut stream: S) -> DuplexStream
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
{
    let (near, mut far) = tokio::io::duplex(64 * 1024);
    tokio::spawn(async move {
        // Ends when either end does.
        let _ = tokio::io::copy_bidirectional(&mut stream, &mut far).await;
    });
    near
}

fn on(channel: &'static str) -> Options {
    Options { channel, ..Options::default() }
}

/// The code of the STATUS that refuses a client's channel.
async fn refusal(stream: DuplexStream, options: Options) -> u32 {
    let mut client = Client::begin(stream, options.form);
    client.send_initial(&options).await;
    let unit = client.receive_unit().await.expect("an answer");
    match channel_protocol::reply::Reply::decode(&unit).expect("a reply") {
        channel_protocol::reply::Reply::Status(status) => status.code.expect("a code").0,
        other => panic!("not refused: {other:?}"),
    }
}

async fn until(what: &str, is_so: impl Fn() -> bool) {
    let wait = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(SOON, wait).await.unwrap_or_else(|_| panic!("waited in vain for {what}"));
}

#[tokio::test]
async fn plain_and_tls_are_told_apart_on_one_port() {
    let house = House::new().await;
    let mut plain = Client::introduce(bridged(house.plain().await), on("CLIENTS")).await;
    plain.connect(1, "QM1").await;
    let stream = house.tls(&house.client_config(false)).await;
    let mut secret = Client::introduce(bridged(stream), on("TLS")).await;
    secret.connect(1, "QM1").await;
    let ciphers: Vec<_> =
        house.queue_manager.channel_statuses().into_iter().map(|status| status.instance.security_protocol).collect();
    assert_eq!(ciphers, ["", "TLSV13"]);
}

#[tokio::test]
async fn a_client_certificate_is_asked_for_and_wanted_only_by_the_channel() {
    let house = House::new().await;
    let without = house.client_config(false);
    assert_eq!(refusal(bridged(house.tls(&without).await), on("MUTUAL")).await, 0x19);
    assert_eq!(refusal(bridged(house.plain().await), on("MUTUAL")).await, 0x18);
    let stream = house.tls(&house.client_config(true)).await;
    let mut client = Client::introduce(bridged(stream), on("MUTUAL")).await;
    client.connect(1, "QM1").await;
    let shown = house.queue_manager.channel_statuses().remove(0).instance;
    assert_eq!((&*shown.certificate_subject, &*shown.certificate_issuer), ("CN=client", "CN=Authority"));
}

/// What DISPLAY CHSTATUS shows of a client with an old CipherSpec, and that its certificate counts.
#[tokio::test]
async fn a_client_with_an_old_cipher_spec_is_served_where_it_is_configured_and_named_by_the_channel() {
    const OLD: &str = "TLS_RSA_WITH_AES_128_CBC_SHA256";
    let house = House::new().await;
    let file = |name: &str| house.folder.path().join(name);
    let mut command = std::process::Command::new("openssl");
    command.args(["req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=rsa", "-newkey", "rsa:2048"]);
    command.args(["-addext", "subjectAltName=DNS:localhost", "-keyout"]).arg(file("rsa.key"));
    let output = command.arg("-out").arg(file("rsa.crt")).output().expect("openssl is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    house.define("OLD", |channel| channel.cipher_specification = OLD.to_owned()).await;
    let connect = async |with_certificate: bool| {
        let own = PersonalCertificate::read(&file("client.crt"), &file("client.key")).expect("files");
        let signers = certificates(&file("rsa.crt")).expect("a certificate");
        let client = OldClient::new(&signers, ServerNameCheck::Names, with_certificate.then_some(&own));
        let name = ServerName::try_from("localhost").expect("a name");
        client.expect("they fit").connect(&name, house.plain().await).await.map(|(stream, _)| bridged(stream))
    };
    assert!(connect(true).await.is_err(), "off unless configured");
    let pair = |name: &str| PairFiles { certificate: file(&format!("{name}.crt")), key: file(&format!("{name}.key")) };
    house.door.set_tls(Some(tls_with(house.folder.path(), vec![pair("server"), pair("rsa")], &[OLD])));
    let mut client = Client::introduce(connect(true).await.expect("a handshake"), on("OLD")).await;
    client.connect(1, "QM1").await;
    let shown = house.queue_manager.channel_statuses().remove(0).instance;
    assert_eq!((&*shown.security_protocol, &*shown.cipher), ("TLSV12", OLD));
    assert_eq!((&*shown.certificate_subject, &*shown.certificate_issuer), ("CN=client", "CN=Authority"));
    // SSLCAUTH(REQUIRED), and a channel that takes any CipherSpec does not take this one.
    assert_eq!(refusal(connect(false).await.expect("a handshake"), on("OLD")).await, 0x19);
    assert_eq!(refusal(connect(true).await.expect("a handshake"), on("TLS")).await, 0x18);
    // Clients of rustls come in as before, by the same port.
    let stream = house.tls(&house.client_config(true)).await;
    let mut modern = Client::introduce(bridged(stream), on("MUTUAL")).await;
    modern.connect(1, "QM1").await;
}

#[tokio::test]
async fn sessions_resume_and_still_know_the_certificate() {
    let house = House::new().await;
    let config = house.client_config(true);
    for kind in [HandshakeKind::Full, HandshakeKind::Resumed, HandshakeKind::Resumed] {
        let stream = house.tls(&config).await;
        assert_eq!(stream.get_ref().1.handshake_kind(), Some(kind));
        let mut client = Client::introduce(bridged(stream), on("MUTUAL")).await;
        client.connect(1, "QM1").await;
    }
}

#[tokio::test]
async fn garbage_and_silence_end_their_own_socket_only() {
    let house = House::with(Limits { patience: Duration::from_millis(200), ..LIMITS }).await;
    let mut good = Client::introduce(bridged(house.plain().await), on("CLIENTS")).await;
    good.connect(1, "QM1").await;
    for garbage in [
        &b"GET / HTTP/1.1\r\n\r\n"[..],
        b"\x16\x03\x01\xff\xff\xff\xff",
        b"TSH \xff\xff\xff\xff\x01\x01\x31\0",
        b"TSH ",
    ] {
        let mut stream = house.plain().await;
        stream.write_all(garbage).await.expect("written");
        let mut answer = Vec::new();
        let ended = tokio::time::timeout(SOON, stream.read_to_end(&mut answer)).await;
        assert!(ended.is_ok(), "{garbage:?} is given up");
    }
    let mut silent = house.plain().await;
    assert!(matches!(tokio::time::timeout(SOON, silent.read(&mut [0; 8])).await, Ok(Ok(0) | Err(_))));
    good.open(1, "Q", OpenOptions::OUTPUT).await;
    until("their places", || house.door.open() == 1).await;
}

#[tokio::test]
async fn sockets_beyond_the_limit_are_closed_at_once() {
    let house = House::with(Limits { sockets: 1, ..LIMITS }).await;
    let mut first = Client::introduce(bridged(house.plain().await), on("CLIENTS")).await;
    first.connect(1, "QM1").await;
    let mut second = house.plain().await;
    assert!(matches!(tokio::time::timeout(SOON, second.read(&mut [0; 8])).await, Ok(Ok(0) | Err(_))));
    first.open(1, "Q", OpenOptions::OUTPUT).await;
    drop(first);
    until("the place", || house.door.open() == 0).await;
    Client::introduce(bridged(house.plain().await), on("CLIENTS")).await;
}

#[tokio::test]
async fn a_socket_whose_partner_has_not_come_in_makes_room_for_a_new_one() {
    for limits in [Limits { sockets: 2, ..LIMITS }, Limits { sockets_per_address: 2, ..LIMITS }] {
        let house = House::with(limits).await;
        let mut silent = house.plain().await;
        until("the silent socket", || house.door.open() == 1).await;
        let mut clients = Vec::new();
        for _ in 0..2 {
            let mut client = Client::introduce(bridged(house.plain().await), on("CLIENTS")).await;
            client.connect(1, "QM1").await;
            clients.push(client);
        }
        assert!(matches!(tokio::time::timeout(SOON, silent.read(&mut [0; 8])).await, Ok(Ok(0) | Err(_))));
        assert_eq!(house.door.open(), 2);
    }
}

#[tokio::test]
async fn a_blocked_address_is_turned_away_before_a_byte_is_read() {
    let house = House::new().await;
    let record = ChannelAuthentication::new("*", Rule::BlockAddress { addresses: vec!["127.0.0.1".to_owned()] });
    house.set(record).await;
    let mut stream = house.plain().await;
    assert!(matches!(tokio::time::timeout(SOON, stream.read(&mut [0; 8])).await, Ok(Ok(0) | Err(_))));
    assert_eq!(house.door.open(), 0);
}

#[tokio::test]
async fn a_listener_of_one_queue_manager_leads_to_no_other() {
    let house = House::new().await;
    let refused = ChannelAuthentication::address_map("CLIENTS", "*", UserSource::NoAccess);
    house.set(refused).await;
    let home = Some(Home { queue_manager: ObjectName::literal("QM1"), disposition: ChannelDisposition::Shared });
    let own = house.door.listen(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), 5, home).expect("a free port");
    let address = own.address();
    let stream = TcpStream::connect(address).await.expect("it listens");
    let mut client = Client::introduce(bridged(stream), on("CLIENTS")).await;
    assert_eq!(client.try_connect(1, "QM1").await.ending.reason, 2035, "its records count there too");
    let shown = house.queue_manager.channel_statuses().remove(0).instance;
    assert_eq!(shown.disposition, ChannelDisposition::Shared);
    own.close().await;
    assert!(TcpStream::connect(address).await.is_err(), "the port is free again");
    assert!(house.door.listen(address, 0, None).is_ok());
}
