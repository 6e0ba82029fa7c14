//! Self-signed certificates of authorities at the end of a chain: accepted where they are trusted themselves.

use std::sync::Arc;
use std::time::Duration;

use handshake::anchors::{Anchors, ServerNameCheck};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, ClientConnection, ServerConfig, ServerConnection, SupportedProtocolVersion};

use crate::made::Folder;

const VERSIONS: [&SupportedProtocolVersion; 2] = [&TLS12, &TLS13];

fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

/// Runs a handshake to its end: what each side says when it fails, the server first.
fn shake(client: ClientConfig, server: ServerConfig) -> Result<(), (Option<String>, Option<String>)> {
    let name = ServerName::try_from("localhost").expect("a name");
    let mut client = ClientConnection::new(Arc::new(client), name).expect("a client");
    let mut server = ServerConnection::new(Arc::new(server)).expect("a server");
    for _ in 0..10 {
        let (mut there, mut back) = (Vec::new(), Vec::new());
        while client.wants_write() {
            client.write_tls(&mut there).expect("to memory");
        }
        server.read_tls(&mut &there[..]).expect("from memory");
        let at_server = server.process_new_packets().err().map(|error| error.to_string());
        while server.wants_write() {
            server.write_tls(&mut back).expect("to memory");
        }
        client.read_tls(&mut &back[..]).expect("from memory");
        let at_client = client.process_new_packets().err().map(|error| error.to_string());
        if at_server.is_some() || at_client.is_some() {
            return Err((at_server, at_client));
        }
        if !client.is_handshaking() && !server.is_handshaking() && !client.wants_write() {
            return Ok(());
        }
    }
    panic!("the handshake has no end");
}

/// Pairs a certificate with any key, fitting or not.
fn shown(folder: &Folder, certificate: &str, key: &str) -> Arc<SingleCertAndKey> {
    let key = rustls::crypto::ring::sign::any_supported_type(&folder.key(key)).expect("a key");
    Arc::new(SingleCertAndKey::from(CertifiedKey::new(folder.chain(certificate), key)))
}

/// A client that shows `shown` with the key of `key`, at a server that trusts `trusted`.
fn client_shows(
    folder: &Folder,
    (certificate, key): (&str, &str),
    trusted: &str,
    version: &'static SupportedProtocolVersion,
) -> Result<(), String> {
    let signers = Anchors::from_file(&folder.file(trusted, "crt")).expect("anchors");
    let server = ServerConfig::builder_with_provider(provider())
        .with_protocol_versions(&[version])
        .expect("versions")
        .with_client_cert_verifier(signers.client_verifier(provider(), true).expect("a verifier"))
        .with_single_cert(folder.chain("server"), folder.key("server"))
        .expect("they fit");
    let servers = Anchors::from_file(&folder.file("server", "crt")).expect("anchors");
    let client = ClientConfig::builder_with_provider(provider())
        .with_protocol_versions(&[version])
        .expect("versions")
        .dangerous()
        .with_custom_certificate_verifier(
            servers.server_verifier(provider(), ServerNameCheck::Names).expect("a verifier"),
        )
        .with_client_cert_resolver(shown(folder, certificate, key));
    shake(client, server).map_err(|(server, _)| server.expect("the server refuses"))
}

/// A server that shows `shown` with the key of `key`, to a client that trusts `trusted`.
fn server_shows(
    folder: &Folder,
    (certificate, key): (&str, &str),
    trusted: &str,
    check: ServerNameCheck,
    version: &'static SupportedProtocolVersion,
) -> Result<(), String> {
    let server = ServerConfig::builder_with_provider(provider())
        .with_protocol_versions(&[version])
        .expect("versions")
        .with_no_client_auth()
        .with_cert_resolver(shown(folder, certificate, key));
    let anchors = Anchors::from_file(&folder.file(trusted, "crt")).expect("anchors");
    let client = ClientConfig::builder_with_provider(provider())
        .with_protocol_versions(&[version])
        .expect("versions")
        .dangerous()
        .with_custom_certificate_verifier(anchors.server_verifier(provider(), check).expect("a verifier"))
        .with_no_client_auth();
    shake(client, server).map_err(|(_, client)| client.expect("the client refuses"))
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder
        .of_localhost("server", &["-days", "2"])
        .of_localhost("twin", &["-days", "2"])
        .of_localhost("plain", &["-days", "2", "-addext", "basicConstraints=critical,CA:FALSE"])
        .self_signed("client", &["-days", "2"])
        .self_signed("for.servers", &["-days", "2", "-addext", "extendedKeyUsage=serverAuth"])
        .self_signed("for.clients", &["-days", "2", "-addext", "extendedKeyUsage=clientAuth"])
        .self_signed("strange", &["-days", "2", "-addext", "1.2.3.4=critical,ASN1:NULL"]);
    folder
}

#[test]
fn a_client_may_show_the_very_certificate_that_is_trusted() {
    let folder = folder();
    for version in VERSIONS {
        let check = |certificate, key, trusted| client_shows(&folder, (certificate, key), trusted, version);
        assert_eq!(check("client", "client", "client"), Ok(()));
        assert_eq!(check("for.clients", "for.clients", "for.clients"), Ok(()));
        assert_eq!(check("plain", "plain", "plain"), Ok(()));
        for (what, certificate, key, trusted, expected) in [
            ("of the same name, but not trusted", "client", "client", "for.clients", "trust exactly this certificate"),
            ("without its key", "client", "twin", "client", "BadSignature"),
            ("for servers only", "for.servers", "for.servers", "for.servers", "InvalidPurpose"),
            ("with an unknown critical extension", "strange", "strange", "strange", "UnhandledCriticalExtension"),
        ] {
            let refused = check(certificate, key, trusted).expect_err(what);
            assert!(refused.contains(expected), "{what}: {refused}");
        }
    }
}

#[test]
fn a_server_may_show_the_very_certificate_that_is_trusted_if_it_names_the_server() {
    let folder = folder();
    let (names, anything) = (ServerNameCheck::Names, ServerNameCheck::Anything);
    for version in VERSIONS {
        let check =
            |certificate, key, trusted, check| server_shows(&folder, (certificate, key), trusted, check, version);
        assert_eq!(check("server", "server", "server", names), Ok(()));
        assert_eq!(check("plain", "plain", "plain", names), Ok(()));
        assert_eq!(check("client", "client", "client", anything), Ok(()));
        for (what, certificate, key, trusted, how, expected) in [
            ("of another name", "client", "client", "client", names, "not valid for name"),
            ("a twin of what is trusted", "twin", "twin", "server", names, "trust exactly this certificate"),
            ("a twin, whatever its name", "twin", "twin", "server", anything, "trust exactly this certificate"),
            ("without its key", "server", "twin", "server", names, "BadSignature"),
            ("for clients only", "for.clients", "for.clients", "for.clients", anything, "InvalidPurpose"),
        ] {
            let refused = check(certificate, key, trusted, how).expect_err(what);
            assert!(refused.contains(expected), "{what}: {refused}");
        }
    }
}

#[test]
fn an_anchor_that_is_shown_has_to_be_in_date() {
    let folder = folder();
    let anchors = || Anchors::from_file(&folder.file("server", "crt")).expect("anchors");
    let own: CertificateDer<'_> = folder.chain("server").remove(0);
    let clients = anchors().client_verifier(provider(), true).expect("a verifier");
    let servers = anchors().server_verifier(provider(), ServerNameCheck::Anything).expect("a verifier");
    let name = ServerName::try_from("localhost").expect("a name");
    let day = 24 * 3600;
    let today = UnixTime::now().as_secs();
    for (now, expected) in
        [(today - day, Err("NotValidYet".to_owned())), (today, Ok(())), (today + 3 * day, Err("Expired".to_owned()))]
    {
        let now = UnixTime::since_unix_epoch(Duration::from_secs(now));
        let said = |result: Result<(), rustls::Error>| {
            result.map_err(|error| error.to_string().replace("invalid peer certificate: ", ""))
        };
        assert_eq!(said(clients.verify_client_cert(&own, &[], now).map(|_| ())), expected);
        assert_eq!(said(servers.verify_server_cert(&own, &[], &name, &[], now).map(|_| ())), expected);
    }
}
