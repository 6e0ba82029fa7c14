//! schemathesis: requests made from `/openapi.json`, right and wrong ones, and answers held against it.

use std::process::Command;

use anyhow::{Result, ensure};
use system_tests::server::{Server, ServerOptions};

use crate::interop::packages::{python_programs, sources};
use crate::interop::{run, text};

/// A user with every role, and an administrator of the queue manager: nothing is refused before it is looked at.
/// Wrong passwords are among the requests, and each is to be answered with 401: none makes the next one wait.
const CONFIGURATION: &str = "[identity.lockout]\nfailures = 0\nuser_failures = 0\naddress_failures = 0\n\
    [web.users]\nmqm = \"password-of-tests\"\n[web.roles]\n\
    MQWebAdmin = [\"user:mqm\"]\nMQWebAdminRO = [\"user:mqm\"]\nMQWebUser = [\"user:mqm\"]\n";
/// Requests made for each operation, on top of those that follow from the document alone.
const EXAMPLES: &str = "12";
/// The paths of 9.0.x, which lead to the same handlers, and streams, whose answers have no end.
const LEFT_OUT: &str = "^/ibmmq/rest/[^/]+/(qmgr|installation)|/stream$";
/// The same requests in every run.
const SEED: &str = "20261121";

#[test]
fn every_answer_is_as_the_openapi_document_says() -> Result<()> {
    let data = tempfile::tempdir()?;
    crate::client::write(&data.path().join("quaymaster.toml"), CONFIGURATION)?;
    let server = Server::start(&ServerOptions::on(data.path()))?;
    let url = server.http_url()?;
    let mut command = Command::new(python_programs()?.join("schemathesis"));
    command.env("PYTHONDONTWRITEBYTECODE", "1"); // the hooks lie in the work tree
    command.arg("--config-file").arg(sources().join("schemathesis.toml"));
    command.args(["run", &format!("{url}/openapi.json"), "--url", &url, "--auth", "mqm:password-of-tests"]);
    command.args(["--phases", "examples,coverage,fuzzing", "--max-examples", EXAMPLES, "--seed", SEED]);
    command.args(["--workers", "1", "--request-timeout", "20", "--generation-database", "none", "--no-color"]);
    command.args(["--continue-on-failure", "--warnings", "off", "--exclude-path-regex", LEFT_OUT]);
    // Without user packages of the caller; the hooks lie beside this file.
    command.env("SCHEMATHESIS_HOOKS", "schemathesis_hooks").env("PYTHONPATH", sources()).env("PYTHONNOUSERSITE", "1");
    let output = run(command.current_dir(data.path()))?;
    ensure!(output.status.success(), "{}\n{}\n{}", text(&output.stdout), text(&output.stderr), server.errors());
    Ok(())
}
