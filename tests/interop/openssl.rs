//! OpenSSL's client: protocol versions and resumed sessions.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use system_tests::server::Server;

use crate::interop::text;

/// Connects, sends one request so that session tickets arrive, and returns what `s_client` says.
fn s_client(server: &Server, arguments: &[&str], session: (&str, &Path)) -> Result<String> {
    use std::io::Write;
    let address = server.ready.https.context("the server speaks https")?.to_string();
    let mut command = Command::new("openssl");
    command.args(["s_client", "-connect", &address, "-CAfile"]).arg(server.ca_file());
    command.args(["-verify_return_error", "-ign_eof"]).args(arguments).arg(session.0).arg(session.1);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
    let mut input = child.stdin.take().context("standard input is a pipe")?;
    // One that was refused has perhaps ended by now; its output says why.
    let _ = write!(input, "GET /livez HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    let output = child.wait_with_output()?;
    drop(input);
    Ok(text(&output.stdout) + &text(&output.stderr))
}

#[test]
fn openssl_resumes_its_sessions_with_tls_1_2_and_1_3() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = Server::start_on(data.path())?;
    for (flag, version) in [("-tls1_3", "TLSv1.3"), ("-tls1_2", "TLSv1.2")] {
        let session = data.path().join(version);
        let first = s_client(&server, &[flag], ("-sess_out", &session))?;
        assert!(first.contains("New, ") && first.contains(version), "{first}");
        assert!(first.contains("HTTP/1.1 200"), "{first}");
        let second = s_client(&server, &[flag], ("-sess_in", &session))?;
        assert!(second.contains("Reused, ") && second.contains(version), "{second}");
    }
    Ok(())
}

#[test]
fn old_protocol_versions_are_refused() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = Server::start_on(data.path())?;
    let session = data.path().join("old");
    let answer = s_client(&server, &["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"], ("-sess_out", &session))?;
    assert!(!answer.contains("HTTP/1.1"), "{answer}");
    Ok(())
}
