//! OpenSSL's client on the port of MQ clients: certificate families, old CipherSpecs, and what is said of refusals. And
//! self-signed certificates of clients and servers at every door.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use system_tests::program;
use system_tests::server::{APP_PASSWORD, Server, ServerOptions};

use crate::interop::{run, text};

const PUBLISHED: &str = "TLS_RSA_WITH_AES_128_CBC_SHA256";

/// A server on `data`, listening for MQ clients, with this `[tls]`.
fn start(data: &Path, tls: &str) -> Result<Server> {
    crate::client::write(&data.join("quaymaster.toml"), &format!("[tls]\n{tls}"))?;
    Server::start(&ServerOptions::on(data).listening("127.0.0.1:0"))
}

/// What `s_client` says of a handshake with these arguments, the certificate's chain verified against `trusted`.
fn s_client(address: std::net::SocketAddr, trusted: &Path, arguments: &[&str]) -> Result<String> {
    let mut command = Command::new("openssl");
    command.args(["s_client", "-connect", &address.to_string(), "-verify_return_error", "-CAfile"]).arg(trusted);
    let output = run(command.args(arguments).stdin(Stdio::null()))?;
    Ok(text(&output.stdout) + &text(&output.stderr))
}

/// A self-signed certificate with CA:TRUE, as `openssl req -x509` makes it, and its key.
fn self_signed(folder: &Path, name: &str, kind: &[&str]) -> Result<(PathBuf, PathBuf)> {
    let (certificate, key) = (folder.join(format!("{name}.crt")), folder.join(format!("{name}.key")));
    let mut command = Command::new("openssl");
    command.args(["req", "-x509", "-nodes", "-days", "2", "-subj", &format!("/CN={name}"), "-newkey"]).args(kind);
    command.args(["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout"]).arg(&key).arg("-out");
    let output = run(command.arg(&certificate))?;
    ensure!(output.status.success(), "{}", text(&output.stderr));
    Ok((certificate, key))
}

const EC: [&str; 3] = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"];

/// What a command of our own says.
fn quaymaster(data: &Path, arguments: &[&str]) -> Result<String> {
    let mut command = Command::new(program::quaymaster()?);
    let output = run(command.env("QUAYMASTER_DATA", data).args(arguments))?;
    Ok(format!("{}{}", text(&output.stdout), text(&output.stderr)))
}

#[test]
fn the_generated_identity_serves_both_families_and_an_older_directory_gets_it_at_its_next_start() -> Result<()> {
    let data = tempfile::tempdir()?;
    for _ in 0..2 {
        let server = start(data.path(), "")?;
        let https = server.ready.https.context("it listens")?;
        for address in [server.mq_address()?, https] {
            for (arguments, cipher, signature) in [
                (["-tls1_2", "-cipher", "ECDHE-RSA-AES128-GCM-SHA256"], "ECDHE-RSA-AES128-GCM-SHA256", "RSA"),
                (["-tls1_2", "-cipher", "ECDHE-RSA-AES256-GCM-SHA384"], "ECDHE-RSA-AES256-GCM-SHA384", "RSA"),
                (["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-GCM-SHA256"], "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDSA"),
                (["-tls1_2", "-cipher", "ECDHE"], "ECDHE-ECDSA-", "ECDSA"),
                (["-tls1_3", "-sigalgs", "RSA-PSS+SHA256"], "TLS_AES_", "RSA-PSS"),
                (["-tls1_3", "-sigalgs", "ECDSA+SHA256:RSA-PSS+SHA256"], "TLS_AES_", "ECDSA"),
            ] {
                let said = s_client(address, &server.ca_file(), &arguments)?;
                assert!(said.contains(&format!("Cipher is {cipher}")), "{arguments:?}: {said}");
                assert!(said.contains(&format!("Peer signature type: {signature}")), "{arguments:?}: {said}");
            }
        }
        drop(server);
        // As an older version has left it.
        for file in ["server-rsa.crt", "server-rsa.key"] {
            std::fs::remove_file(data.path().join("tls").join(file))?;
        }
    }
    Ok(())
}

#[test]
fn a_cipher_spec_that_no_certificate_serves_is_told_at_define_and_at_refusal_and_a_second_one_serves_it() -> Result<()>
{
    let data = tempfile::tempdir()?;
    let folder = tempfile::tempdir()?;
    let (certificate, key) = self_signed(folder.path(), "ecdsa", &EC)?;
    let first = format!("certificate = '{}'\nkey = '{}'\n", certificate.display(), key.display());
    let server = start(data.path(), &first)?;
    let define = "DEFINE CHANNEL(RSA) CHLTYPE(SVRCONN) SSLCIPH(ECDHE_RSA_AES_128_GCM_SHA256)";
    let said = quaymaster(data.path(), &["mqsc", "QM1", define])?;
    assert!(said.contains("QUA0006W: Channel RSA refuses every client: ") && said.contains("needs an RSA"), "{said}");
    let rsa = ["-tls1_2", "-cipher", "ECDHE-RSA-AES128-GCM-SHA256"];
    let refused = s_client(server.mq_address()?, &certificate, &rsa)?;
    assert!(refused.contains("handshake failure"), "{refused}");
    let line = server.error_line("AMQ9616E")?;
    for part in [
        "the client offers ECDHE_RSA_AES_128_GCM_SHA256; this server serves ECDHE_ECDSA_AES_128_GCM_SHA256, ",
        "needs an RSA certificate, and the server has an ECDSA one only",
        "tls.second_certificate",
    ] {
        assert!(line.contains(part), "{line}");
    }
    // What was defined is told again at each start.
    drop(server);
    let server = start(data.path(), &first)?;
    server.error_line("channel RSA refuses every client")?;
    // A second certificate is taken by a reload.
    let (second, second_key) = self_signed(folder.path(), "rsa", &["rsa:2048"])?;
    let both = format!("{first}second_certificate = '{}'\nsecond_key = '{}'\n", second.display(), second_key.display());
    crate::client::write(&data.path().join("quaymaster.toml"), &format!("[tls]\n{both}"))?;
    let reloaded = quaymaster(data.path(), &["config", "reload"])?;
    assert!(reloaded.starts_with("The configuration was read again"), "{reloaded}");
    let served = s_client(server.mq_address()?, &second, &rsa)?;
    assert!(served.contains("Cipher is ECDHE-RSA-AES128-GCM-SHA256"), "{served}");
    let altered = quaymaster(data.path(), &["mqsc", "QM1", "ALTER CHANNEL(RSA) CHLTYPE(SVRCONN) DESCR('now')"])?;
    assert!(!altered.contains("QUA0006W"), "{altered}");
    Ok(())
}

#[test]
fn old_cipher_specs_are_off_unless_configured_and_then_served_beside_the_others() -> Result<()> {
    let data = tempfile::tempdir()?;
    let old = ["-tls1_2", "-cipher", "AES128-SHA256"];
    let server = start(data.path(), "")?;
    let refused = s_client(server.mq_address()?, &server.ca_file(), &old)?;
    assert!(refused.contains("handshake failure"), "{refused}");
    let line = server.error_line("AMQ9616E")?;
    assert!(line.contains(PUBLISHED) && line.contains("tls.old_cipherspecs"), "{line}");
    drop(server);
    let server = start(data.path(), &format!("old_cipherspecs = ['{PUBLISHED}']\n"))?;
    for (arguments, expected) in [
        (old, Some("AES128-SHA256")),
        // Where the client offers better, better is taken.
        (["-tls1_2", "-cipher", "AES128-SHA256:ECDHE-RSA-AES256-GCM-SHA384"], Some("ECDHE-RSA-AES256-GCM-SHA384")),
        (["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-GCM-SHA256"], Some("ECDHE-ECDSA-AES128-GCM-SHA256")),
        (["-tls1_3", "-ciphersuites", "TLS_AES_256_GCM_SHA384"], Some("TLS_AES_256_GCM_SHA384")),
        (["-tls1_2", "-cipher", "AES256-SHA256"], None),
        (["-tls1_2", "-cipher", "AES128-SHA"], None),
        (["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"], None),
    ] {
        let said = s_client(server.mq_address()?, &server.ca_file(), &arguments)?;
        match expected {
            Some(cipher) => assert!(said.contains(&format!("Cipher is {cipher}\n")), "{arguments:?}: {said}"),
            None => assert!(said.contains("Cipher is (NONE)"), "{arguments:?}: {said}"),
        }
    }
    // HTTPS serves none of them.
    let https = server.ready.https.context("it listens")?;
    assert!(s_client(https, &server.ca_file(), &old)?.contains("handshake failure"));
    Ok(())
}

#[test]
fn a_self_signed_client_certificate_signs_in_where_it_is_trusted_itself() -> Result<()> {
    let data = tempfile::tempdir()?;
    let folder = tempfile::tempdir()?;
    let (certificate, key) = self_signed(folder.path(), "app", &EC)?;
    let (twin, twin_key) = self_signed(folder.path(), "twin", &EC)?;
    let server = start(data.path(), &format!("client_ca = '{}'\n", certificate.display()))?;
    let login = |certificate: &Path, key: &Path| -> Result<String> {
        let mut command = Command::new("curl");
        command.args(["--silent", "--show-error", "--max-time", "30", "--cacert"]).arg(server.ca_file());
        command.arg("--cert").arg(certificate).arg("--key").arg(key);
        let output = run(command.arg(server.https_url()? + "/ibmmq/rest/v3/login"))?;
        Ok(text(&output.stdout) + &text(&output.stderr))
    };
    let said = login(&certificate, &key)?;
    assert!(said.contains(r#""name":"app""#) && said.contains("clientCertificate"), "{said}");
    let refused = login(&twin, &twin_key)?;
    assert!(!refused.contains("clientCertificate"), "{refused}");
    // The same certificate on the port of MQ clients, and by the client end of ours.
    let arguments = ["-cert", &*certificate.to_string_lossy(), "-key", &*key.to_string_lossy()].map(str::to_owned);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let said = s_client(server.mq_address()?, &server.ca_file(), &arguments)?;
    assert!(said.contains("Cipher is TLS_"), "{said}");
    let channel = "DEFINE CHANNEL(CERT) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(REQUIRED)";
    let map = "SET CHLAUTH(CERT) TYPE(SSLPEERMAP) SSLPEER('CN=app') USERSRC(MAP) MCAUSER('app')";
    for command in [channel, map] {
        quaymaster(data.path(), &["mqsc", "QM1", command])?;
    }
    let put = by_channel(&server, data.path(), &server.ca_file(), Some((&certificate, &key)))?;
    assert!(put.contains("status 0"), "{put}");
    let refused = by_channel(&server, data.path(), &server.ca_file(), Some((&twin, &twin_key)))?;
    assert!(!refused.contains("status 0"), "{refused}");
    let line = server.error_line("AMQ9633E")?;
    assert!(line.contains("trust exactly this certificate"), "{line}");
    Ok(())
}

/// Puts a message by the channel CERT.
fn by_channel(server: &Server, data: &Path, trusted: &Path, own: Option<(&Path, &Path)>) -> Result<String> {
    let mut command = Command::new(program::quaymaster()?);
    let mq = server.mq_address()?;
    command.env("QUAYMASTER_DATA", data).args(["put", "DEV.QUEUE.1", "hello", "--channel", "CERT", "--mq"]);
    command.arg(format!("localhost({})", mq.port())).arg("--cacert").arg(trusted);
    if let Some((certificate, key)) = own {
        command.arg("--certificate").arg(certificate).arg("--key").arg(key);
    }
    let output = run(&mut command)?;
    Ok(format!("status {}\n{}", output.status.code().unwrap_or(-1), text(&output.stderr)))
}

#[test]
fn a_self_signed_server_certificate_is_believed_by_our_clients_where_it_is_trusted_itself() -> Result<()> {
    let data = tempfile::tempdir()?;
    let folder = tempfile::tempdir()?;
    let (certificate, key) = self_signed(folder.path(), "server", &EC)?;
    let (twin, _) = self_signed(folder.path(), "twin", &EC)?;
    let server =
        start(data.path(), &format!("certificate = '{}'\nkey = '{}'\n", certificate.display(), key.display()))?;
    let define = "DEFINE CHANNEL(CERT) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(OPTIONAL) MCAUSER('app')";
    for command in [define, "SET CHLAUTH(CERT) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL)"] {
        quaymaster(data.path(), &["mqsc", "QM1", command])?;
    }
    let said = by_channel(&server, data.path(), &certificate, None)?;
    assert!(said.contains("status 0"), "{said}");
    let refused = by_channel(&server, data.path(), &twin, None)?;
    assert!(!refused.contains("status 0") && refused.contains("trust exactly this certificate"), "{refused}");
    let https = server.ready.https.context("it listens")?;
    let by_rest = |trusted: &Path| -> Result<String> {
        let passwords = folder.path().join("password");
        crate::client::write(&passwords, APP_PASSWORD)?;
        let mut command = Command::new(program::quaymaster()?);
        command.env("QUAYMASTER_DATA", data.path()).args(["put", "DEV.QUEUE.1", "hello", "--url"]);
        command.arg(format!("https://localhost:{}", https.port())).args(["--user", "app", "--password-file"]);
        let output = run(command.arg(&passwords).arg("--cacert").arg(trusted))?;
        Ok(format!("status {}\n{}", output.status.code().unwrap_or(-1), text(&output.stderr)))
    };
    let said = by_rest(&certificate)?;
    assert!(said.contains("status 0"), "{said}");
    let refused = by_rest(&twin)?;
    assert!(!refused.contains("status 0") && refused.contains("trust exactly this certificate"), "{refused}");
    Ok(())
}
