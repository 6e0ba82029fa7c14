//! MQ clients of a whole server: users, channels that are stopped, listeners, the log, the end.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use channel_client::address::ConnectionNames;
use channel_client::client::Client;
use channel_client::connection::Connection;
use channel_client::error::ChannelError;
use channel_client::options::{ConnectOptions, Credentials};
use channel_client::tls::{TlsOptions, Trust};
use model::name::ObjectName;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use tokio::runtime::Runtime;

use super::program::{Folder, PATIENCE, Server, eventually, finish, serve, shown};

const PASSWORDS: [(&str, &str); 2] = [("MQ_APP_PASSWORD", "of-app"), ("MQ_ADMIN_PASSWORD", "of-admin")];

/// A server and clients of it.
struct House {
    folder: Folder,
    server: Server,
    runtime: Runtime,
}

impl House {
    fn new(arguments: &[&str]) -> Self {
        let folder = Folder::new();
        let server = Server::start_with(&folder, arguments, &PASSWORDS);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        Self { folder, server, runtime: runtime.expect("a runtime") }
    }

    fn options(&self, channel: &str, address: &str) -> ConnectOptions {
        let (host, port) = address.rsplit_once(':').expect("an address");
        let connections = ConnectionNames::one(host, port.parse().expect("a port"));
        ConnectOptions::new(ObjectName::literal(channel), connections)
    }

    fn connect(&self, options: ConnectOptions) -> Result<Connection, ChannelError> {
        self.runtime.block_on(Client::new(options).expect("usable options").connect())
    }

    /// `connected`, or the reason.
    fn outcome(&self, channel: &str, user: &str, password: &str) -> String {
        match self.connect(self.as_user(channel, user, password)) {
            Ok(_) => "connected".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    fn as_user(&self, channel: &str, user: &str, password: &str) -> ConnectOptions {
        let credentials = Some(Credentials { user: user.to_owned(), password: password.to_owned() });
        ConnectOptions { credentials, ..self.options(channel, &self.server.address("mq")) }
    }

    fn app(&self) -> Connection {
        self.connect(self.as_user("DEV.APP.SVRCONN", "app", "of-app")).expect("app comes in")
    }

    fn mqsc(&self, command: &str) -> String {
        self.folder.run(&["mqsc", "QM1", command])
    }
}

#[test]
fn the_developer_users_come_in_by_their_channels_and_nobody_else() {
    let house = House::new(&[]);
    for (channel, user, password, expected) in [
        ("DEV.APP.SVRCONN", "app", "of-app", "connected"),
        ("DEV.ADMIN.SVRCONN", "admin", "of-admin", "connected"),
        ("DEV.APP.SVRCONN", "app", "guessed-it", "2035"),
        ("DEV.APP.SVRCONN", "nobody", "of-app", "2035"),
        ("DEV.APP.SVRCONN", "admin", "of-admin", "2035"),
        ("DEV.ADMIN.SVRCONN", "app", "of-app", "2035"),
        ("SYSTEM.DEF.SVRCONN", "app", "of-app", "2035"),
        ("NO.SUCH.SVRCONN", "app", "of-app", "2540"),
    ] {
        let outcome = house.outcome(channel, user, password);
        assert!(outcome.contains(expected), "{user} on {channel}: {outcome}");
    }
    let mut without = house.options("DEV.APP.SVRCONN", &house.server.address("mq"));
    without.asserted_user = "app".to_owned();
    let refused = house.connect(without).err().expect("a password is wanted").to_string();
    assert!(refused.contains("2035"), "{refused}");
    // Of what is looked for, this is written last.
    let errors = house.server.errors_with("AMQ5540E");
    for identifier in ["AMQ5026I", "AMQ5534E", "AMQ9519E", "AMQ9776E", "AMQ9777E", "CSQX511I", "CSQX512I"] {
        assert!(errors.contains(identifier), "{identifier} in {errors}");
    }
    for password in ["of-app", "of-admin", "guessed-it"] {
        assert!(!errors.contains(password), "{errors}");
    }
}

#[test]
fn guessers_on_channels_wait_as_those_of_http_and_the_log_has_a_line() {
    let folder = Folder::new();
    let [app, admin] = PASSWORDS;
    let environment = [app, admin, ("QUAYMASTER_IDENTITY_LOCKOUT_FIRST_SECONDS", "300")];
    let server = Server::start_with(&folder, &[], &environment);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let house = House { folder, server, runtime: runtime.expect("a runtime") };
    std::thread::scope(|scope| {
        for number in 0..8 {
            let house = &house;
            scope.spawn(move || {
                let outcome = house.outcome("DEV.APP.SVRCONN", "app", &format!("guess{number}"));
                assert!(outcome.contains("2035"), "{outcome}");
            });
        }
    });
    let outcome = house.outcome("DEV.APP.SVRCONN", "app", "of-app");
    assert!(outcome.contains("2035"), "the right password is not looked at: {outcome}");
    let status = house.server.get("/ibmmq/rest/v3/login", "Authorization: Basic YXBwOm9mLWFwcA==\r\n");
    assert_eq!(status, 429, "nor does another door take it");
    assert_eq!(house.outcome("DEV.ADMIN.SVRCONN", "admin", "of-admin"), "connected");
    let errors = house.server.errors_with("sign-in refused");
    let lines: Vec<&str> = errors.lines().filter(|line| line.contains("sign-in refused")).collect();
    assert!(lines.len() == 1 && lines[0].contains("app") && lines[0].contains("127.0.0.1"), "{lines:?}");
    assert!(!errors.contains("guess"), "{errors}");
}

#[test]
fn tls_with_the_servers_own_certificate_is_on_the_same_port() {
    let house = House::new(&[]);
    let options = || {
        let trust = Trust::CaFile(house.folder.join("tls/ca.crt"));
        ConnectOptions { tls: Some(TlsOptions::trusting(trust)), ..house.as_user("DEV.APP.SVRCONN", "app", "of-app") }
    };
    let refused = house.connect(options()).err().expect("the channel has no SSLCIPH").to_string();
    assert!(refused.contains("2393"), "{refused}");
    house.mqsc("ALTER CHANNEL(DEV.APP.SVRCONN) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(OPTIONAL)");
    let _connection = house.connect(options()).expect("TLS is wanted now");
    let shown = house.mqsc("DISPLAY CHSTATUS(DEV.APP.SVRCONN) MCAUSER SECPROT SSLCIPH");
    assert!(shown.contains("MCAUSER(app)") && shown.contains("SECPROT(TLSV13)"), "{shown}");
    assert!(house.outcome("DEV.APP.SVRCONN", "app", "of-app").contains("2393"), "plain TCP is refused now");
}

#[test]
fn stop_channel_ends_instances_until_start_channel() {
    let house = House::new(&[]);
    let connection = house.app();
    let shown = house.mqsc("DISPLAY CHSTATUS(DEV.APP.SVRCONN) STATUS CONNAME");
    assert!(shown.contains("STATUS(RUNNING)") && shown.contains("CONNAME(127.0.0.1)"), "{shown}");
    assert!(house.mqsc("STOP CHANNEL(DEV.APP.SVRCONN) MODE(FORCE) STATUS(INACTIVE)").contains("AMQ8019I"));
    eventually("the end of the instance", || connection.is_broken());
    eventually("an empty status", || house.mqsc("DISPLAY CHSTATUS(DEV.APP.SVRCONN)").contains("AMQ8420I"));
    assert_eq!(house.outcome("DEV.APP.SVRCONN", "app", "of-app"), "connected");
    house.mqsc("STOP CHANNEL(DEV.APP.SVRCONN) MODE(QUIESCE)");
    let refused = house.outcome("DEV.APP.SVRCONN", "app", "of-app");
    assert!(refused.contains("2059"), "{refused}");
    assert!(house.mqsc("DISPLAY CHSTATUS(DEV.APP.SVRCONN)").contains("STATUS(STOPPED)"));
    house.mqsc("START CHANNEL(DEV.APP.SVRCONN)");
    assert_eq!(house.outcome("DEV.APP.SVRCONN", "app", "of-app"), "connected");
}

#[test]
fn listeners_start_and_stop_by_name() {
    let house = House::new(&[]);
    let shown = house.mqsc("DISPLAY LSSTATUS(*) STATUS PORT");
    let own = house.server.address("mq");
    let port = own.rsplit_once(':').expect("a port").1;
    assert!(shown.contains("LISTENER(DEV.LISTENER.TCP)") && shown.contains(&format!("PORT({port})")), "{shown}");

    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let another = free.local_addr().expect("bound").to_string();
    let port = another.rsplit_once(':').expect("a port").1.to_owned();
    house.mqsc(&format!("DEFINE LISTENER(OTHER) TRPTYPE(TCP) IPADDR('127.0.0.1') PORT({port})"));
    let taken = house.mqsc("START LISTENER(OTHER)");
    assert!(taken.contains("AMQ9218E") && taken.contains("in use"), "{taken}");
    drop(free);
    assert!(house.mqsc("START LISTENER(OTHER)").contains("AMQ8021I"));
    assert!(house.mqsc("START LISTENER(OTHER)").contains("AMQ8730E"));
    let there = || {
        let by = house.as_user("DEV.APP.SVRCONN", "app", "of-app");
        house.connect(ConnectOptions { connections: house.options("X", &another).connections, ..by })
    };
    drop(there().expect("it listens"));
    house.mqsc("STOP LISTENER(OTHER)");
    eventually("the end of the listener", || TcpStream::connect(&another).is_err());

    house.mqsc("STOP LISTENER(DEV.LISTENER.TCP)");
    eventually("the closed door", || house.outcome("DEV.APP.SVRCONN", "app", "of-app").contains("2059"));
    house.mqsc("START LISTENER(DEV.LISTENER.TCP)");
    assert_eq!(house.outcome("DEV.APP.SVRCONN", "app", "of-app"), "connected");
}

#[test]
fn several_queue_managers_share_the_address_and_have_channels_of_their_own() {
    let house = House::new(&["--qmgr", "QM1,QM2"]);
    house.folder.run(&["mqsc", "QM2", "DEFINE CHANNEL(ONLY.HERE) CHLTYPE(SVRCONN) MCAUSER(app)"]);
    house.folder.run(&["mqsc", "QM2", "SET CHLAUTH(ONLY.HERE) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL)"]);
    let on = |queue_manager: &str, channel| {
        let options = house.as_user(channel, "app", "of-app");
        house.connect(ConnectOptions { queue_manager: queue_manager.to_owned(), ..options })
    };
    for (name, answered) in [("", "QM1"), ("QM1", "QM1"), ("QM2", "QM2"), ("*ANY", "QM1")] {
        assert_eq!(on(name, "DEV.APP.SVRCONN").expect("connected").queue_manager().as_str(), answered, "{name}");
    }
    assert_eq!(on("QM2", "ONLY.HERE").expect("connected").queue_manager().as_str(), "QM2");
    for (name, channel, reason) in
        [("QM1", "ONLY.HERE", "2540"), ("QM3", "DEV.APP.SVRCONN", "2058"), ("QM3", "ONLY.HERE", "2540")]
    {
        let refused = on(name, channel).err().expect("refused").to_string();
        assert!(refused.contains(reason), "{channel} of {name}: {refused}");
    }
    house.folder.run(&["endmqm", "-i", "QM2"]);
    let refused = on("QM2", "DEV.APP.SVRCONN").err().expect("it has ended").to_string();
    assert!(refused.contains("2059"), "{refused}");
    drop(on("QM1", "DEV.APP.SVRCONN").expect("the other one goes on"));
    house.folder.run(&["strmqm", "QM2"]);
    eventually("the second start", || on("QM2", "DEV.APP.SVRCONN").is_ok());
}

#[test]
fn garbage_on_the_port_disturbs_nobody() {
    let house = House::new(&[]);
    let _connection = house.app();
    for garbage in [
        &b"\0\0\0\0\0\0\0\0"[..],
        b"TSH \x7f\xff\xff\xff\x01\x01\x31\x00",
        b"\x16\x03\x01\x00\x05hello",
        b"GET /\r\n\r\n",
    ] {
        let mut stream = TcpStream::connect(house.server.address("mq")).expect("it listens");
        stream.write_all(garbage).expect("written");
        stream.shutdown(std::net::Shutdown::Write).expect("half closed");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        // An error segment, or nothing: the end is what counts.
        let _ = stream.read_to_end(&mut Vec::new()).expect("closed in time");
    }
    assert_eq!(house.outcome("DEV.APP.SVRCONN", "app", "of-app"), "connected");
    assert_eq!(house.server.get("/readyz", ""), 200);
}

#[test]
fn an_address_in_use_is_named_and_off_means_off() {
    let house = House::new(&[]);
    let address = house.server.address("mq");
    let other = Folder::new();
    let said = shown(&finish(serve(&other, &["--mq", &address]), ""));
    let last = said.lines().last().unwrap_or_default();
    assert!(said.starts_with("exit 1\n"), "{said}");
    assert_eq!(
        last,
        format!("err: quaymaster: cannot listen on {address} for MQ clients: Address already in use (os error 98)")
    );
    let silent = Server::start(&other, &["--mq", "off"]);
    assert_eq!(silent.ready["mq"], serde_json::Value::Null);
}

#[test]
fn lines_of_channels_that_start_and_end_are_left_out_on_request() {
    let house = House::new(&[]);
    drop(house.app());
    house.server.errors_with("CSQX512I");
    house.mqsc("SET SYSTEM EXCLMSG(X511,X512)");
    let before = house.server.errors_with("CSQX511I").matches("CSQX51").count();
    drop(house.app());
    eventually("the end of the channel", || house.mqsc("DISPLAY CHSTATUS(*)").contains("AMQ8420I"));
    let (code, errors) = house.server.terminate();
    assert_eq!(code, Some(0), "{errors}");
    assert_eq!(errors.matches("CSQX51").count(), before, "{errors}");
}

#[test]
fn a_server_that_ends_ends_its_channels_and_exits_in_order() {
    let house = House::new(&[]);
    let connection = house.app();
    let House { server, runtime, folder } = house;
    let (code, errors) = server.terminate();
    assert_eq!(code, Some(0), "{errors}");
    assert!(!errors.contains("still in progress"), "{errors}");
    eventually("the end of the connection", || connection.is_broken());
    drop((connection, runtime, folder));
}

#[test]
fn channels_are_measured() {
    let house = House::new(&[]);
    let _connection = house.app();
    let mut stream = TcpStream::connect(house.server.address("metrics")).expect("it listens");
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").expect("written");
    let mut page = String::new();
    stream.read_to_string(&mut page).expect("an answer");
    let labels = "{qmgr=\"QM1\",channel=\"DEV.APP.SVRCONN\"} 1\n";
    assert!(page.contains(&format!("quaymaster_channel_instances{labels}")), "{page}");
    assert!(page.contains(&format!("quaymaster_channel_conversations{labels}")), "{page}");
}

/// The certificate that is shown to new connections.
fn shown_certificate(house: &House, listener: &str) -> Vec<u8> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(house.folder.join("tls/ca.crt")).expect("PEM")).expect("an authority");
    let config = rustls::ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").expect("a name");
    let mut session = rustls::ClientConnection::new(Arc::new(config), name).expect("a session");
    let mut socket = TcpStream::connect(house.server.address(listener)).expect("it listens");
    while session.is_handshaking() {
        session.complete_io(&mut socket).expect("a handshake");
    }
    session.peer_certificates().expect("certificates")[0].to_vec()
}

#[test]
fn a_reload_that_fails_changes_no_certificate() {
    let house = House::new(&[]);
    let shown = || ["https", "mq"].map(|listener| shown_certificate(&house, listener));
    let before = shown();
    house.folder.write("quaymaster.toml", "[web.users]\nx = \"\"\n");
    let said = house.folder.run(&["config", "reload"]);
    assert!(said.starts_with("exit 1") && said.contains("web.users"), "{said}");
    assert_eq!(shown(), before);
    house.folder.write("quaymaster.toml", "");
    assert!(house.folder.run(&["config", "reload"]).starts_with("exit 0"));
    let after = shown();
    assert!(after[0] != before[0] && after[1] != before[1]);
}

#[test]
fn a_reload_counts_for_new_connections_and_leaves_the_others_alone() {
    let house = House::new(&[]);
    house.mqsc("ALTER CHANNEL(DEV.APP.SVRCONN) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS13) SSLCAUTH(OPTIONAL)");
    let connect = || {
        let tls = Some(TlsOptions::trusting(Trust::CaFile(house.folder.join("tls/ca.crt"))));
        house.connect(ConnectOptions { tls, ..house.as_user("DEV.APP.SVRCONN", "app", "of-app") })
    };
    let before = connect().expect("connected");
    let certificate = house.folder.read("tls/server.crt");
    house.folder.write("quaymaster.toml", "[channels]\nsockets = 2\n");
    assert!(house.folder.run(&["config", "reload"]).starts_with("exit 0"));
    assert_ne!(house.folder.read("tls/server.crt"), certificate, "a new certificate is shown from now on");
    let after = connect().expect("connected with the new certificate");
    assert!(connect().is_err(), "two sockets are open");
    assert!(!before.is_broken() && !after.is_broken());
    drop(before);
    eventually("a free place", || connect().is_ok());
}
