//! Programs of other languages against a server: what they print ends in "done" when all of their own checks held.

use std::process::Command;

use anyhow::{Result, ensure};
use system_tests::server::{ADMIN_PASSWORD, APP_PASSWORD, READER_PASSWORD, Server, ServerOptions};

use crate::interop::packages::{cache, python_programs, sources};
use crate::interop::{run, text};

/// Runs a program that must end well and say so last.
fn must_be_done(command: &mut Command) -> Result<String> {
    let output = run(command)?;
    let (said, errors) = (text(&output.stdout), text(&output.stderr));
    ensure!(output.status.success() && said.trim_end().ends_with("done"), "{command:?}:\n{said}\n{errors}");
    Ok(said)
}

#[test]
fn pymqrest_creates_alters_displays_and_deletes_objects_of_every_kind() -> Result<()> {
    let data = tempfile::tempdir()?;
    let two = ServerOptions::on(data.path()).with("--qmgr").with("QM1").with("--qmgr").with("QM2");
    let server = Server::start(&two)?;
    let mut command = Command::new(python_programs()?.join("python"));
    command.arg(sources().join("pymqrest_client.py")).arg(server.https_url()?).arg("QM1");
    command.args([ADMIN_PASSWORD, READER_PASSWORD, APP_PASSWORD]).env("REQUESTS_CA_BUNDLE", server.ca_file());
    let said = must_be_done(&mut command)?;
    ensure!(said.lines().count() > 10, "parts of the script did not run: {said}");
    Ok(())
}

#[test]
fn a_python_script_starts_curl_for_every_call_with_basic_and_with_the_cookie() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = Server::start_on(data.path())?;
    let mut command = Command::new("python3");
    command.arg(sources().join("curl_client.py")).arg(server.https_url()?).arg(server.ca_file());
    command.args([ADMIN_PASSWORD, APP_PASSWORD]).arg(data.path());
    must_be_done(&mut command).map(drop)
}

#[test]
fn a_node_program_puts_and_gets() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = Server::start_on(data.path())?;
    let mut command = Command::new("node");
    command.arg(sources().join("node_client.mjs")).arg(server.https_url()?).args([APP_PASSWORD, ADMIN_PASSWORD]);
    must_be_done(command.env("NODE_EXTRA_CA_CERTS", server.ca_file())).map(drop)
}

#[test]
fn a_go_program_puts_and_gets() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = Server::start_on(data.path())?;
    let mut command = Command::new("go");
    command.arg("run").arg(sources().join("go_client.go")).arg(server.https_url()?).arg(server.ca_file());
    command.args([APP_PASSWORD, ADMIN_PASSWORD]);
    // Nothing is downloaded and nothing of the caller's settings matters: one file, the standard library.
    command.env("GOCACHE", cache("go")?).env("GOFLAGS", "").env("GO111MODULE", "off").env("GOTOOLCHAIN", "local");
    must_be_done(&mut command).map(drop)
}
