//! Five planted faults of a real server, each told by the list of problems alone: what is wrong, with what, why, and what to do.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use system_tests::http::Client;
use system_tests::program;
use system_tests::server::{ADMIN_PASSWORD, READER_PASSWORD, Server, ServerOptions};

use super::why::{mqsc, put};
use super::{BASE, connect, connect_as, good, post, put_text};
use crate::client::write;

const SERVICE: &str = "\
provider=mq
name=loanCheck
version=1.0
connectionFactory=jms/cf1
destination=DEV.LOAN.REQUEST
replyDestination=DEV.LOAN.REPLY
waitInterval=100
";

struct World {
    folder: tempfile::TempDir,
    server: Server,
    admin: Client,
    app: Client,
    /// Who only looks.
    reader: Client,
}

impl World {
    fn start() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let services = folder.path().join("zosconnect/services");
        std::fs::create_dir_all(&services)?;
        let source = folder.path().join("loan.properties");
        write(&source, SERVICE)?;
        let mut build = Command::new(program::quaymaster()?);
        let output = build.args(["service", "build"]).arg(&source).arg("-o").arg(services.join("loan.sar")).output()?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let server = Server::start(&ServerOptions::on(folder.path()).listening("127.0.0.1:0"))?;
        let (admin, app) = (connect_as(&server, "admin", ADMIN_PASSWORD)?, connect(&server)?);
        let reader = connect_as(&server, "reader", READER_PASSWORD)?;
        Ok(Self { folder, server, admin, app, reader })
    }

    fn data(&self) -> &Path {
        self.folder.path()
    }

    /// The only problem of a rule, and its text.
    fn problem(&mut self, rule: &str) -> Result<(Value, String)> {
        let list = good(self.reader.ask("GET", &format!("{BASE}/problems"), "", b"")?)?;
        let all = list["problems"].as_array().context("a list")?;
        let found: Vec<_> = all.iter().filter(|problem| problem["rule"] == rule).collect();
        ensure!(found.len() == 1, "{rule}: {list:#}");
        let text = found[0]["text"].as_str().context("a sentence")?.to_owned();
        ensure!(found[0]["severity"] == "error" && found[0]["next"].as_array().is_some_and(|next| !next.is_empty()));
        Ok((found[0].clone(), text))
    }
}

/// The commands of the step of a problem that mends it.
fn commands(problem: &Value) -> Result<Vec<String>> {
    let next = problem["next"].as_array().context("steps")?;
    let step = next.iter().find(|step| step["action"] == "mqsc").with_context(|| problem.to_string())?;
    let lines = step["mqsc"].as_array().context("commands")?;
    Ok(lines.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}

#[test]
fn a_wrong_authority_is_told_with_user_channel_and_queue_and_its_command_lets_the_program_put() -> Result<()> {
    let mut world = World::start()?;
    mqsc(&mut world.admin, "DEFINE QLOCAL(PAYROLL)")?;
    let (code, said) = put(&world.server, world.data(), "DEV.APP.SVRCONN")?;
    ensure!(code != 0 && said.contains("2035"), "{code} {said}");
    let (problem, text) = world.problem("not-authorized")?;
    ensure!(problem["object"] == json!({ "type": "queue", "name": "PAYROLL" }), "{problem}");
    let expected =
        "User app got 2035 (MQRC_NOT_AUTHORIZED) once by channel DEV.APP.SVRCONN: PUT is missing on queue PAYROLL.";
    ensure!(text.starts_with(expected), "{text}");
    for command in commands(&problem)? {
        mqsc(&mut world.admin, &command)?;
    }
    let (code, said) = put(&world.server, world.data(), "DEV.APP.SVRCONN")?;
    ensure!(code == 0, "{code} {said}");
    Ok(())
}

#[test]
fn a_full_queue_without_a_reader_is_told_with_both() -> Result<()> {
    let mut world = World::start()?;
    mqsc(&mut world.admin, "DEFINE QLOCAL(DEV.ORDERS) MAXDEPTH(2)")?;
    put_text(&mut world.app, "DEV.ORDERS", "one")?;
    put_text(&mut world.app, "DEV.ORDERS", "two")?;
    let (problem, text) = world.problem("queue-full")?;
    ensure!(problem["object"]["name"] == "DEV.ORDERS" && problem["values"]["readers"] == 0, "{problem}");
    let expected = "DEV.ORDERS is full: 2 of 2 messages. Puts fail with 2053 (MQRC_Q_FULL). No application reads it.";
    ensure!(text.starts_with(expected), "{text}");
    for command in commands(&problem)? {
        mqsc(&mut world.admin, &command)?;
    }
    put_text(&mut world.app, "DEV.ORDERS", "three")?;
    Ok(())
}

#[test]
fn a_poison_message_is_told_with_how_often_it_came_back() -> Result<()> {
    let mut world = World::start()?;
    mqsc(&mut world.admin, "DEFINE QLOCAL(DEV.CLAIMS)")?;
    put_text(&mut world.app, "DEV.CLAIMS", "bad")?;
    put_text(&mut world.app, "DEV.CLAIMS", "good")?;
    for _ in 0..6 {
        let received = post(&mut world.app, "/queue/DEV.CLAIMS/deliveries", &json!({}))?;
        let token = received["messages"][0]["token"].as_str().with_context(|| received.to_string())?;
        post(&mut world.app, &format!("/deliveries/{token}/abandon"), &json!({}))?;
    }
    let (problem, text) = world.problem("poison-message")?;
    ensure!(problem["object"]["name"] == "DEV.CLAIMS" && problem["values"]["backouts"] == 6, "{problem}");
    ensure!(
        text.starts_with("The first message of DEV.CLAIMS was backed out 6 times and holds up those behind it."),
        "{text}"
    );
    Ok(())
}

#[test]
fn a_channel_that_chlauth_refuses_is_told_with_the_record_and_its_command_changes_that() -> Result<()> {
    let mut world = World::start()?;
    let (code, said) = put(&world.server, world.data(), "DEV.ADMIN.SVRCONN")?;
    ensure!(code != 0 && said.contains("2035"), "{code} {said}");
    let (problem, text) = world.problem("client-refused")?;
    ensure!(problem["object"] == json!({ "type": "channel", "name": "DEV.ADMIN.SVRCONN" }), "{problem}");
    ensure!(
        text.starts_with(
            "A client at 127.0.0.1 was refused channel DEV.ADMIN.SVRCONN once: user 'app' was refused by CHLAUTH("
        ),
        "{text}"
    );
    for command in commands(&problem)? {
        mqsc(&mut world.admin, &command)?;
    }
    let why = format!("{BASE}/why/channel?name=DEV.ADMIN.SVRCONN&address=127.0.0.1&user=app&authenticated=true");
    let asked = good(world.admin.ask("GET", &why, "", b"")?)?;
    ensure!(asked["allowed"] == true || !asked["cause"].to_string().contains("CHLAUTH"), "{asked}");
    Ok(())
}

#[test]
fn a_service_whose_responder_has_stopped_is_told_with_the_queue_that_it_does_not_read() -> Result<()> {
    let mut world = World::start()?;
    mqsc(&mut world.admin, "DEFINE QLOCAL(DEV.LOAN.REQUEST)")?;
    mqsc(&mut world.admin, "DEFINE QLOCAL(DEV.LOAN.REPLY)")?;
    for _ in 0..3 {
        let path = "/zosConnect/services/loanCheck?action=invoke";
        let answer = world.app.ask("POST", path, "Content-Type: application/json\r\n", b"{\"sum\": 1}")?;
        ensure!(answer.status == 204, "{} {}", answer.status, answer.text());
    }
    let (problem, text) = world.problem("service-failing")?;
    ensure!(problem["object"] == json!({ "type": "service", "name": "loanCheck" }), "{problem}");
    let expected = "No application reads DEV.LOAN.REQUEST, the queue of its requests. Start the program that answers.";
    ensure!(text.starts_with("Service loanCheck got no reply 3 times in") && text.ends_with(expected), "{text}");
    let activity = good(world.reader.ask("GET", "/api/v1/activity", "", b"")?)?;
    let service = &activity["services"][0];
    ensure!(service["name"] == "loanCheck" && service["recent"]["unanswered"] == 3, "{activity}");
    ensure!(service["errors"][2]["status"] == 204 && service["recent"]["p50"].as_f64() >= Some(100.0), "{activity}");
    Ok(())
}

#[test]
fn what_was_changed_is_listed_with_who_changed_it_and_how() -> Result<()> {
    let mut world = World::start()?;
    mqsc(&mut world.admin, "DEFINE QLOCAL(DEV.ORDERS) MAXDEPTH(2)")?;
    mqsc(&mut world.admin, "ALTER QLOCAL(DEV.ORDERS) MAXDEPTH(7) DESCR('orders')")?;
    mqsc(&mut world.admin, "DELETE QLOCAL(DEV.ORDERS)")?;
    let list = good(world.reader.ask("GET", &format!("{BASE}/changes?limit=3"), "", b"")?)?;
    let what: Vec<&str> = (0..3).filter_map(|place| list["changes"][place]["what"].as_str()).collect();
    ensure!(what == ["delete", "change", "create"], "{list:#}");
    let change = &list["changes"][1];
    ensure!(
        change["user"] == "admin" && change["object"] == json!({ "type": "queue", "name": "DEV.ORDERS" }),
        "{change}"
    );
    ensure!(change["before"] == json!({ "MAXDEPTH": "2" }), "{change}");
    ensure!(change["after"] == json!({ "MAXDEPTH": "7", "DESCR": "orders" }), "{change}");
    ensure!(change["mqsc"] == "ALTER QLOCAL(DEV.ORDERS) MAXDEPTH(7) DESCR('orders')", "{change}");
    Ok(())
}

#[test]
fn a_server_that_is_well_has_no_problems_and_a_stopped_listener_is_one() -> Result<()> {
    let mut world = World::start()?;
    let rules = |world: &mut World| -> Result<Vec<String>> {
        let list = good(world.reader.ask("GET", &format!("{BASE}/problems"), "", b"")?)?;
        let all = list["problems"].as_array().context("a list")?;
        // The disk of the machine may be nearly full.
        let rules = all.iter().filter_map(|problem| problem["rule"].as_str()).filter(|rule| *rule != "disk-low");
        Ok(rules.map(str::to_owned).collect())
    };
    let well = rules(&mut world)?;
    ensure!(well.is_empty(), "{well:?}");
    mqsc(&mut world.admin, "STOP LISTENER(DEV.LISTENER.TCP)")?;
    let begun = super::now();
    while rules(&mut world)? != ["listener-down"] {
        ensure!(begun.elapsed().as_secs() < 20, "{:?}", rules(&mut world)?);
    }
    let (problem, _) = world.problem("listener-down")?;
    ensure!(commands(&problem)? == ["START LISTENER('DEV.LISTENER.TCP')"], "{problem}");
    let off = tempfile::tempdir()?;
    let server = Server::start(&ServerOptions::on(off.path()))?;
    let mut reader = connect_as(&server, "reader", READER_PASSWORD)?;
    let list = good(reader.ask("GET", &format!("{BASE}/problems"), "", b"")?)?;
    ensure!(!list.to_string().contains("listener-down"), "the server is not to listen: {list}");
    Ok(())
}
