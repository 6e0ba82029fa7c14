//! A real client that is refused, and the explanation of its 2035: through the channel, by its user, at its queue.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use system_tests::http::Client;
use system_tests::program;
use system_tests::server::{ADMIN_PASSWORD, APP_PASSWORD, Server, ServerOptions};

use super::{BASE, JSON, connect_as, good};

const QUEUE: &str = "PAYROLL";

/// `quaymaster put` through a channel, as an application does it: its exit code and what it says.
pub(super) fn put(server: &Server, data: &Path, channel: &str) -> Result<(i32, String)> {
    let mut command = Command::new(program::quaymaster()?);
    command.env("QUAYMASTER_DATA", data).args(["put", QUEUE, "hello", "--channel", channel, "--mq"]);
    command.arg(server.mq_address()?.to_string()).args(["--user", "app"]).env("QUAYMASTER_PASSWORD", APP_PASSWORD);
    let output = command.output()?;
    Ok((output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stderr).into_owned()))
}

fn why(admin: &mut Client, path: &str) -> Result<Value> {
    good(admin.ask("GET", &format!("{BASE}/why/{path}"), "", b"")?)
}

pub(super) fn mqsc(admin: &mut Client, command: &str) -> Result<()> {
    let body = json!({ "type": "runCommand", "parameters": { "command": command } });
    let headers = format!("{JSON}ibm-mq-rest-csrf-token: any\r\n");
    let path = "/ibmmq/rest/v2/admin/action/qmgr/QM1/mqsc";
    let reply = good(admin.ask("POST", path, &headers, body.to_string().as_bytes())?)?;
    ensure!(reply["overallCompletionCode"] == 0, "{command}: {reply}");
    Ok(())
}

#[test]
fn a_client_of_a_channel_that_gets_2035_is_explained_and_the_command_of_the_explanation_lets_it_in() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = Server::start(&ServerOptions::on(data.path()).listening("127.0.0.1:0"))?;
    let mut admin = connect_as(&server, "admin", ADMIN_PASSWORD)?;
    mqsc(&mut admin, &format!("DEFINE QLOCAL({QUEUE})"))?;

    // A channel that is not for this user.
    let (code, said) = put(&server, data.path(), "DEV.ADMIN.SVRCONN")?;
    ensure!(code != 0 && said.contains("2035"), "{code} {said}");
    let clients = why(&mut admin, "channel?user=app")?;
    let client = &clients["refused"][0];
    ensure!(client["channel"] == "DEV.ADMIN.SVRCONN" && client["user"] == "app", "{clients}");
    let cause = client["cause"].as_str().context("a cause")?.to_owned();
    let asked = why(&mut admin, "channel?name=DEV.ADMIN.SVRCONN&address=127.0.0.1&user=app&authenticated=true")?;
    ensure!(asked["allowed"] == false && asked["cause"] == cause.as_str(), "{asked} is not {cause}");

    // The right channel, and a queue that is not for this user.
    let (code, said) = put(&server, data.path(), "DEV.APP.SVRCONN")?;
    ensure!(code != 0 && said.contains("2035"), "{code} {said}");
    let last = why(&mut admin, "2035?limit=1")?;
    let refusal = &last["refusals"][0];
    let facts = [&refusal["user"], &refusal["object"]["name"], &refusal["channel"], &refusal["address"]];
    ensure!(facts.map(|fact| fact.as_str().unwrap_or("")) == ["app", QUEUE, "DEV.APP.SVRCONN", "127.0.0.1"], "{last}");
    ensure!(refusal["lacks"] == json!(["PUT"]), "{last}");
    let way =
        format!("2035?user=app&authenticated=true&channel=DEV.APP.SVRCONN&address=127.0.0.1&queue={QUEUE}&wants=put");
    let explained = why(&mut admin, &way)?;
    ensure!(explained["allowed"] == false && explained["cause"] == refusal["cause"], "{explained} is not {refusal}");
    let commands = explained["remedy"][0]["mqsc"].as_array().context("commands")?.clone();
    for command in &commands {
        mqsc(&mut admin, command.as_str().context("a command")?)?;
    }
    ensure!(why(&mut admin, &way)?["allowed"] == true);
    let (code, said) = put(&server, data.path(), "DEV.APP.SVRCONN")?;
    ensure!(code == 0, "{code} {said}");
    Ok(())
}
